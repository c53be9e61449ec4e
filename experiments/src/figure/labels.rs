//! Labels at the right ends of lines and above vertical ones, kept apart from each other.

use super::clip::Xy;
use super::draw;
use super::error::{AxisName, FigureError};
use super::flags::{self, Flag};
use super::font::Ruler;
use super::frame::Frame;
use super::model::Panel;
use super::page::{LABEL, LEADING, SMALL};
use super::spread::spread;
use super::style::StyleBook;
use super::svg::{Anchor, Canvas, INK, Stroke};

/// The stub between the axes and a label.
const STUB: f64 = 9.0;
/// Space between the stub and its label.
const GAP: f64 = 2.0;

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

/// A label above the axes.
struct Above {
    text: String,
    colour: String,
    width: f64,
    at: f64,
    axis: AxisName,
}

/// All labels outside of one panel's axes.
pub struct Labels {
    side: Vec<Side>,
    above: Vec<Above>,
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
            let colour = match &reference.key {
                Some(key) => book.resolve(key)?.colour.clone(),
                None => draw::REFERENCE_COLOUR.to_owned(),
            };
            if (reference.axis == AxisName::Y) == panel.transpose {
                above.push(Above {
                    text: reference.label.clone(),
                    colour,
                    width: ruler.width(&reference.label, SMALL)?,
                    at: reference.at,
                    axis: reference.axis,
                });
                continue;
            }
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
        let widest = self
            .side
            .iter()
            .try_fold(0.0, |widest: f64, label| Ok::<_, FigureError>(widest.max(ruler.widest(&label.lines, SMALL)?)))?;
        Ok(if self.side.is_empty() { 0.0 } else { widest + STUB + GAP })
    }

    /// The height that the labels to the right take up together.
    pub fn height(&self) -> f64 {
        self.side.iter().map(Side::height).sum()
    }

    /// The room needed above the axes.
    pub fn rise(&self, frame: &Frame, panel: &Panel, right: f64) -> f64 {
        let rows = self.flags(frame, panel, right).into_iter().map(|flag| flag.row + 1).max();
        rows.map_or(0.0, |rows| rows as f64 * SMALL * LEADING + 2.0)
    }

    fn flags(&self, frame: &Frame, panel: &Panel, right: f64) -> Vec<Flag> {
        let wanted: Vec<(f64, f64)> = self
            .above
            .iter()
            .map(|label| (draw::reference_end(frame, panel, label.axis, label.at).0, label.width))
            .collect();
        flags::hoist(&wanted, right)
    }

    /// Draws all labels.
    pub fn draw(&self, canvas: &mut Canvas, frame: &Frame, panel: &Panel, right: f64) {
        for (flag, label) in self.flags(frame, panel, right).into_iter().zip(&self.above) {
            let baseline = frame.rect.top - 3.0 - flag.row as f64 * SMALL * LEADING;
            let pole = [(flag.pole, frame.rect.top), (flag.pole, baseline - 0.6 * SMALL)];
            canvas.polyline(&pole, Stroke::solid(&label.colour, 0.5));
            canvas.text((flag.start, baseline), SMALL, Anchor::Start, INK, &label.text);
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
