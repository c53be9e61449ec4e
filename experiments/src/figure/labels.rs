//! Labels at the right ends of lines and above vertical ones, kept apart from each other.

use super::clip::Xy;
use super::draw;
use super::error::{AxisName, FigureError};
use super::font::Ruler;
use super::frame::Frame;
use super::model::Panel;
use super::page::{LABEL, LEADING, SMALL};
use super::style::StyleBook;
use super::svg::{Anchor, Canvas, INK, Stroke};

/// The stub between the axes and a label.
const STUB: f64 = 9.0;
/// Space between the stub and its label.
const GAP: f64 = 2.0;
/// Space between labels that stand side by side.
const APART: f64 = 6.0;

/// Moves intervals of given sizes as little as possible from their centres so that none overlap, within bounds if
/// they have room there. Returns the new centres, in the order given.
pub fn spread(wanted: &[(f64, f64)], (low, high): (f64, f64)) -> Vec<f64> {
    struct Cluster {
        members: Vec<usize>,
        centre: f64,
        size: f64,
    }
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].0.total_cmp(&wanted[b].0));
    let bounded = |centre: f64, size: f64| centre.min(high - size / 2.0).max(low + size / 2.0);
    let mut clusters: Vec<Cluster> = Vec::new();
    for index in order {
        let (centre, size) = wanted[index];
        let mut last = Cluster { members: vec![index], centre: bounded(centre, size), size };
        while let Some(before) = clusters.pop() {
            if before.centre + before.size / 2.0 <= last.centre - last.size / 2.0 {
                clusters.push(before);
                break;
            }
            let mut members = before.members;
            members.extend(&last.members);
            let size = before.size + last.size;
            // The mean of where each member would have the cluster's centre.
            let mut start = -size / 2.0;
            let mut sum = 0.0;
            for &member in &members {
                sum += wanted[member].0 - (start + wanted[member].1 / 2.0);
                start += wanted[member].1;
            }
            let centre = bounded(sum / members.len() as f64, size);
            last = Cluster { members, centre, size };
        }
        clusters.push(last);
    }
    let mut centres = vec![0.0; wanted.len()];
    for cluster in clusters {
        let mut start = cluster.centre - cluster.size / 2.0;
        for member in cluster.members {
            centres[member] = start + wanted[member].1 / 2.0;
            start += wanted[member].1;
        }
    }
    centres
}

/// A label to the right of the axes.
struct Side {
    lines: Vec<String>,
    colour: String,
    dashes: &'static [f64],
    source: Source,
}

enum Source {
    Series(usize),
    Reference(f64, AxisName),
}

/// All labels outside of one panel's axes.
pub struct Labels {
    side: Vec<Side>,
    above: Vec<(String, f64, f64, AxisName)>,
}

impl Labels {
    /// Collects a panel's labels, broken into lines no wider than `limit`.
    pub fn new(panel: &Panel, book: &StyleBook, ruler: &Ruler, limit: f64) -> Result<Self, FigureError> {
        let (mut side, mut above) = (Vec::new(), Vec::new());
        for (index, series) in panel.series.iter().enumerate().filter(|(_, s)| s.label_at_end) {
            let style = book.resolve(&series.key)?;
            let text = if series.label.is_empty() { &style.label } else { &series.label };
            let dashes = match &series.kind {
                super::series::Kind::Line { dash, .. } => dash.unwrap_or(style.dash).lengths(),
                _ => &[],
            };
            let lines = ruler.wrap(text, SMALL, limit)?;
            side.push(Side { lines, colour: style.colour.clone(), dashes, source: Source::Series(index) });
        }
        for reference in panel.references.iter().filter(|r| !r.label.is_empty()) {
            if (reference.axis == AxisName::Y) == panel.transpose {
                let width = ruler.width(&reference.label, SMALL)?;
                above.push((reference.label.clone(), width, reference.at, reference.axis));
                continue;
            }
            let colour = match &reference.key {
                Some(key) => book.resolve(key)?.colour.clone(),
                None => draw::REFERENCE_COLOUR.to_owned(),
            };
            side.push(Side {
                lines: ruler.wrap(&reference.label, SMALL, limit)?,
                colour,
                dashes: reference.dash.lengths(),
                source: Source::Reference(reference.at, reference.axis),
            });
        }
        Ok(Self { side, above })
    }

    /// The room needed to the right of the axes.
    pub fn width(&self, ruler: &Ruler) -> Result<f64, FigureError> {
        let widest = self.side.iter().try_fold(0.0, |widest: f64, label| {
            Ok::<_, FigureError>(widest.max(ruler.widest(&label.lines, SMALL)?))
        })?;
        Ok(if self.side.is_empty() { 0.0 } else { widest + STUB + GAP })
    }

    /// The height that the labels to the right take up together.
    pub fn height(&self) -> f64 {
        self.side.iter().map(Side::height).sum()
    }

    /// The room needed above the axes.
    pub fn rise(&self, frame: &Frame, panel: &Panel, right: f64) -> f64 {
        let rows = self.rows(frame, panel, right).into_iter().map(|(row, ..)| row + 1).max();
        rows.map_or(0.0, |rows| rows as f64 * SMALL * LEADING + 2.0)
    }

    /// For each label above the axes: its row from below, its centre and its text.
    fn rows(&self, frame: &Frame, panel: &Panel, right: f64) -> Vec<(usize, f64, &str)> {
        let mut ends: Vec<f64> = Vec::new();
        let mut placed: Vec<_> = self
            .above
            .iter()
            .map(|(text, width, at, axis)| (draw::reference_end(frame, panel, *axis, *at).0, *width, text.as_str()))
            .collect();
        placed.sort_by(|a, b| a.0.total_cmp(&b.0));
        placed
            .into_iter()
            .map(|(x, width, text)| {
                let centre = x.min(right - width / 2.0);
                let row = ends.iter().position(|&end| end + APART <= centre - width / 2.0).unwrap_or(ends.len());
                if row == ends.len() {
                    ends.push(0.0);
                }
                ends[row] = centre + width / 2.0;
                (row, centre, text)
            })
            .collect()
    }

    /// Draws all labels.
    pub fn draw(&self, canvas: &mut Canvas, frame: &Frame, panel: &Panel, right: f64) {
        for (row, centre, text) in self.rows(frame, panel, right) {
            let y = frame.rect.top - 3.0 - row as f64 * SMALL * LEADING;
            canvas.text((centre, y), SMALL, Anchor::Middle, INK, text);
        }
        let ends: Vec<Xy> = self.side.iter().map(|label| label.end(frame, panel)).collect();
        let wanted: Vec<(f64, f64)> = self.side.iter().zip(&ends).map(|(l, end)| (end.1, l.height())).collect();
        let slack = SMALL / 2.0;
        let centres = spread(&wanted, (frame.rect.top - slack, frame.rect.bottom + slack));
        for ((label, end), centre) in self.side.iter().zip(ends).zip(centres) {
            label.draw(canvas, frame, end, centre);
        }
    }
}

impl Side {
    fn height(&self) -> f64 {
        self.lines.len() as f64 * SMALL * LEADING + 0.5
    }

    /// The position that the label points to.
    fn end(&self, frame: &Frame, panel: &Panel) -> Xy {
        match self.source {
            Source::Reference(at, axis) => draw::reference_end(frame, panel, axis, at),
            Source::Series(index) => draw::end_of(frame, panel, &panel.series[index].kind)
                .unwrap_or((frame.rect.right, f64::midpoint(frame.rect.top, frame.rect.bottom))),
        }
    }

    fn draw(&self, canvas: &mut Canvas, frame: &Frame, end: Xy, centre: f64) {
        let edge = frame.rect.right;
        if end.0 < edge - 3.0 {
            let dots = Stroke { colour: &self.colour, width: 0.45, dashes: &[0.6, 1.6] };
            canvas.polyline(&[(end.0 + 3.0, end.1), (edge, end.1)], dots);
        }
        let knees = [(edge + 1.0, end.1), (edge + 2.5, end.1), (edge + STUB - 2.5, centre), (edge + STUB, centre)];
        let straight = (end.1 - centre).abs() < 0.3;
        let dashes = if straight { self.dashes } else { &[] };
        let width = if straight { draw::LINE } else { 0.6 };
        canvas.polyline(&knees, Stroke { colour: &self.colour, width, dashes });
        let first = centre - (self.lines.len() as f64 - 1.0) / 2.0 * SMALL * LEADING + 0.33 * SMALL;
        for (row, line) in self.lines.iter().enumerate() {
            let y = first + row as f64 * SMALL * LEADING;
            canvas.text((edge + STUB + GAP, y), SMALL, Anchor::Start, INK, line);
        }
    }
}

/// The height of some lines of axis labels.
pub fn lines_height(lines: usize) -> f64 {
    lines as f64 * LABEL * LEADING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_with_room_stay() {
        assert_eq!(spread(&[(10.0, 4.0), (30.0, 4.0)], (0.0, 50.0)), [10.0, 30.0]);
    }

    #[test]
    fn crowded_labels_move_apart_and_stay_in_bounds() {
        let wanted = [(48.0, 8.0), (49.0, 8.0), (20.0, 8.0), (47.0, 8.0), (22.0, 8.0)];
        let centres = spread(&wanted, (0.0, 50.0));
        let mut sorted = centres.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|w| w[1] - w[0] >= 8.0 - 1e-9), "{centres:?}");
        assert!(sorted[4] <= 46.0 + 1e-9 && sorted[0] >= 4.0);
        assert!(centres[3] < centres[0] && centres[0] < centres[1]);
    }
}
