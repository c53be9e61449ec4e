//! The legend: one entry per name, outside of the axes.

use super::draw::{BAND_OPACITY, BIN_OPACITY, LINE};
use super::error::FigureError;
use super::font::Ruler;
use super::marks;
use super::model::{Figure, Panel};
use super::page::{LABEL, LEADING};
use super::series::{Kind, Point, Reading};
use super::style::{Dash, Mark, Style, StyleBook};
use super::svg::{Anchor, Canvas, INK, Stroke};

/// The width of the sample before a name.
const SAMPLE: f64 = 19.0;
/// Space between a sample and its name.
const GAP: f64 = 4.0;
/// Half the height of an interval bar in a sample.
const BAR_HEIGHT: f64 = 3.9;
/// Space between columns.
const COLUMN_GAP: f64 = 13.0;

/// What stands before a name, in drawing order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Sample {
    Area,
    Bin,
    Line(Dash),
    Mark,
    Bar,
    Arrow,
    Ring,
}

#[derive(Debug, Clone)]
struct Entry {
    label: String,
    style: Style,
    samples: Vec<Sample>,
}

/// The legend of a figure, laid out for a width.
pub struct Legend {
    entries: Vec<(Entry, Vec<String>)>,
    columns: Vec<f64>,
}

impl Legend {
    /// Collects the entries of all panels and arranges them in columns.
    pub fn new(figure: &Figure, book: &StyleBook, ruler: &Ruler, width: f64) -> Result<Self, FigureError> {
        let entries = collect(figure, book)?
            .into_iter()
            .map(|entry| {
                let lines = ruler.wrap(&entry.label, LABEL, width - SAMPLE - GAP)?;
                Ok((entry, lines))
            })
            .collect::<Result<Vec<_>, FigureError>>()?;
        let widths = entries
            .iter()
            .map(|(_, lines)| Ok(ruler.widest(lines, LABEL)? + SAMPLE + GAP))
            .collect::<Result<Vec<_>, FigureError>>()?;
        Ok(Self { columns: columns(&widths, width), entries })
    }

    fn row_heights(&self) -> Vec<f64> {
        self.entries
            .chunks(self.columns.len())
            .map(|row| row.iter().map(|(_, lines)| lines.len()).max().unwrap_or(1) as f64 * LABEL * LEADING + 1.0)
            .collect()
    }

    /// The legend's height; 0 without entries.
    pub fn height(&self) -> f64 {
        self.row_heights().iter().sum()
    }

    /// Draws the legend with its upper left corner at a position.
    pub fn draw(&self, canvas: &mut Canvas, (left, top): (f64, f64)) {
        let mut y = top;
        for (row, height) in self.entries.chunks(self.columns.len()).zip(self.row_heights()) {
            let mut x = left;
            for ((entry, lines), column) in row.iter().zip(&self.columns) {
                let middle = y + LABEL * LEADING / 2.0;
                entry.draw(canvas, x, middle);
                for (number, line) in lines.iter().enumerate() {
                    let baseline = middle + 0.33 * LABEL + number as f64 * LABEL * LEADING;
                    canvas.text((x + SAMPLE + GAP, baseline), LABEL, Anchor::Start, INK, line);
                }
                x += column + COLUMN_GAP;
            }
            y += height;
        }
    }
}

/// The widths of as few rows' columns as fit, filled row by row and evenly.
fn columns(widths: &[f64], room: f64) -> Vec<f64> {
    let arranged = |count: usize| -> Vec<f64> {
        (0..count).map(|c| widths.iter().skip(c).step_by(count).copied().fold(0.0, f64::max)).collect()
    };
    let fits = |columns: &Vec<f64>| columns.iter().map(|w| w + COLUMN_GAP).sum::<f64>() <= room + COLUMN_GAP;
    (1..=widths.len().max(1))
        .map(|rows| arranged(widths.len().div_ceil(rows).max(1)))
        .find(fits)
        .unwrap_or_else(|| arranged(1))
}

fn collect(figure: &Figure, book: &StyleBook) -> Result<Vec<Entry>, FigureError> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut limits, mut rings) = (false, false);
    for series in figure.panels.iter().flat_map(Panel::chain).flat_map(|panel| &panel.series) {
        let style = book.resolve(&series.key)?;
        let samples = match &series.kind {
            Kind::Points { points, .. } => {
                limits |= points.iter().any(|p| matches!(p.reading, Reading::AtMost(_)));
                rings |= points.iter().any(|p| p.highlight);
                let barred = |p: &Point| matches!(p.reading, Reading::Value { low, high, .. } if low < high);
                if points.iter().any(barred) { vec![Sample::Bar, Sample::Mark] } else { vec![Sample::Mark] }
            }
            Kind::Line { dash, .. } => vec![Sample::Line(dash.unwrap_or(style.dash))],
            Kind::Band { .. } => vec![Sample::Area],
            Kind::Histogram { .. } => vec![Sample::Bin],
        };
        if !series.in_legend {
            continue;
        }
        let label = if series.label.is_empty() { &style.label } else { &series.label };
        match entries.iter_mut().find(|e| e.label == *label && e.style.colour == style.colour) {
            Some(entry) => {
                entry.samples.extend(samples);
                entry.samples.sort();
                entry.samples.dedup();
            }
            None => entries.push(Entry { label: label.clone(), style: style.clone(), samples }),
        }
    }
    let sign = |label: &str, sample| Entry {
        label: label.to_owned(),
        style: Style { label: String::new(), colour: INK.to_owned(), mark: Mark::Circle, dash: Dash::Solid },
        samples: vec![sample],
    };
    if limits && !figure.limit.is_empty() {
        entries.push(sign(&figure.limit, Sample::Arrow));
    }
    if rings && !figure.ring.is_empty() {
        entries.push(sign(&figure.ring, Sample::Ring));
    }
    Ok(entries)
}

impl Entry {
    fn draw(&self, canvas: &mut Canvas, x: f64, y: f64) {
        let colour = self.style.colour.as_str();
        let centre = (x + SAMPLE / 2.0, y);
        let block = |half: f64, height: f64| {
            [(-half, -height), (half, -height), (half, height), (-half, height)]
                .map(|(dx, dy)| (centre.0 + dx, centre.1 + dy))
        };
        for sample in &self.samples {
            match sample {
                Sample::Area => canvas.area(&block(SAMPLE / 2.0, 2.8), colour, BAND_OPACITY),
                Sample::Bin => {
                    canvas.area(&block(5.0, 2.8), colour, BIN_OPACITY);
                    let [a, b, c, d] = block(5.0, 2.8);
                    canvas.polyline(&[a, b, c, d, a], Stroke::solid(colour, 0.5));
                }
                Sample::Line(dash) => {
                    let stroke = Stroke { colour, width: LINE, dashes: dash.lengths() };
                    canvas.polyline(&[(x, y), (x + SAMPLE, y)], stroke);
                }
                Sample::Bar => {
                    let stroke = Stroke::solid(colour, marks::BAR);
                    let [a, b, c, d] = block(marks::CAP, BAR_HEIGHT);
                    canvas.polyline(&[(centre.0, y - BAR_HEIGHT), (centre.0, y + BAR_HEIGHT)], stroke);
                    canvas.polyline(&[a, b], stroke);
                    canvas.polyline(&[c, d], stroke);
                }
                Sample::Mark => marks::mark(canvas, centre, &self.style, marks::RADIUS),
                Sample::Arrow => {
                    let moved = |(x, y): (f64, f64), right: f64, down: f64| (x + right, y + down * 0.8);
                    marks::arrow(canvas, (centre.0, y - 3.5), moved, &self.style);
                }
                Sample::Ring => {
                    marks::ring(canvas, centre);
                }
            }
        }
    }
}
