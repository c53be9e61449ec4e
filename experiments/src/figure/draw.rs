//! Draws the series of a panel into its axes.

use super::axis::Axis;
use super::clip::Xy;
use super::error::{AxisName, FigureError};
use super::frame::Frame;
use super::marks;
use super::model::Panel;
use super::series::{Kind, Point, Reading};
use super::style::{Style, StyleBook};
use super::svg::{Canvas, Stroke};

/// The line width of theory.
pub const LINE: f64 = 0.95;
/// The line width of references.
pub const REFERENCE: f64 = 0.75;
/// The colour of a reference without a style.
pub const REFERENCE_COLOUR: &str = "#767676";
/// The opacity of bands.
pub const BAND_OPACITY: f64 = 0.22;
/// The opacity of histogram bars.
pub const BIN_OPACITY: f64 = 0.38;
/// The distance of dodged points on a numeric axis.
const DODGE: f64 = 3.0;
/// The same between categories: at most this, and no more than the category has room for.
const DODGE_CATEGORY: f64 = 9.0;

/// Draws everything between the axes: areas first, then references, lines, and points on top.
pub fn series(canvas: &mut Canvas, frame: &Frame, panel: &Panel, book: &StyleBook) -> Result<(), FigureError> {
    let plot = Plot { frame, panel };
    let styled = |key| book.resolve(key).map_err(FigureError::from);
    for one in &panel.series {
        let style = styled(&one.key)?;
        match &one.kind {
            Kind::Band { points } => plot.band(canvas, points, style),
            Kind::Histogram { bins } => plot.histogram(canvas, bins, style),
            Kind::Points { .. } | Kind::Line { .. } => {}
        }
    }
    for reference in &panel.references {
        let colour = match &reference.key {
            Some(key) => styled(key)?.colour.as_str(),
            None => REFERENCE_COLOUR,
        };
        let stroke = Stroke { colour, width: REFERENCE, dashes: reference.dash.lengths() };
        canvas.polyline(&plot.across(reference.axis, reference.at), stroke);
    }
    for one in &panel.series {
        if let Kind::Line { points, dash } = &one.kind {
            let style = styled(&one.key)?;
            let dashes = dash.unwrap_or(style.dash).lengths();
            let stroke = Stroke { colour: &style.colour, width: LINE, dashes };
            canvas.open("line", if one.label.is_empty() { &style.label } else { &one.label });
            for part in plot.line(points) {
                canvas.polyline(&part, stroke);
            }
            canvas.close();
        }
    }
    let groups = panel.series.iter().filter(|s| matches!(s.kind, Kind::Points { .. })).count();
    let mut group = 0;
    for one in &panel.series {
        if let Kind::Points { points, joined } = &one.kind {
            let style = styled(&one.key)?;
            plot.points(canvas, points, *joined, style, plot.offset(group, groups));
            group += 1;
        }
    }
    Ok(())
}

/// Where the last visible vertex of each series is, by the series' index: what a label at its end points to.
pub fn end_of(frame: &Frame, panel: &Panel, kind: &Kind) -> Option<Xy> {
    let plot = Plot { frame, panel };
    let vertices = match kind {
        Kind::Line { points, .. } => points.clone(),
        Kind::Band { points } => points.iter().map(|p| (p.0, f64::midpoint(p.1, p.2))).collect(),
        Kind::Points { points, .. } => points.iter().map(|p| (p.x, level(p))).collect(),
        Kind::Histogram { .. } => return None,
    };
    if let [(x, y)] = vertices[..] {
        return Some(plot.at(x, y));
    }
    let parts = plot.line(&vertices);
    parts.into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Where a reference line meets the right or the upper edge.
pub fn reference_end(frame: &Frame, panel: &Panel, axis: AxisName, at: f64) -> Xy {
    Plot { frame, panel }.across(axis, at)[1]
}

/// The value at which a point is drawn.
fn level(point: &Point) -> f64 {
    match point.reading {
        Reading::Value { value, .. } | Reading::AtMost(value) => value,
    }
}

struct Plot<'a> {
    frame: &'a Frame,
    panel: &'a Panel,
}

impl Plot<'_> {
    fn at(&self, x: f64, y: f64) -> Xy {
        let place = |axis: &Axis, value| axis.scale.place(value);
        self.frame.at(place(&self.panel.x, x), place(&self.panel.y, y))
    }

    /// A value that may be zero on a log axis: then the lower edge of the axes.
    fn at_or_below(&self, x: f64, y: f64) -> Xy {
        if self.panel.y.scale.is_log() && y <= 0.0 {
            return self.frame.at(self.panel.x.scale.place(x), f64::MIN);
        }
        self.at(x, y)
    }

    /// Both ends of a line across the axes, left to right or bottom to top.
    fn across(&self, axis: AxisName, value: f64) -> [Xy; 2] {
        let rect = self.frame.rect;
        if (axis == AxisName::Y) == self.frame.transposed {
            let place = if axis == AxisName::Y { self.y_at(value) } else { self.x_at(value) };
            [(place.0, rect.bottom), (place.0, rect.top)]
        } else {
            let place = if axis == AxisName::Y { self.y_at(value) } else { self.x_at(value) };
            [(rect.left, place.1), (rect.right, place.1)]
        }
    }

    fn x_at(&self, value: f64) -> Xy {
        self.frame.at(self.panel.x.scale.place(value), 0.0)
    }

    fn y_at(&self, value: f64) -> Xy {
        self.frame.at(0.0, self.panel.y.scale.place(value))
    }

    fn line(&self, points: &[(f64, f64)]) -> Vec<Vec<Xy>> {
        let path: Vec<Xy> = points.iter().map(|&(x, y)| self.at(x, y)).collect();
        self.frame.rect.polyline(&path)
    }

    /// How far the points of one series among several stand aside.
    fn offset(&self, group: usize, groups: usize) -> f64 {
        let step = if self.panel.x.scale.is_categorical() {
            (0.72 * self.frame.x_unit() / groups as f64).min(DODGE_CATEGORY)
        } else if self.panel.dodge {
            DODGE
        } else {
            0.0
        };
        let order = if self.frame.transposed { -1.0 } else { 1.0 };
        order * step * (group as f64 - (groups as f64 - 1.0) / 2.0)
    }

    fn band(&self, canvas: &mut Canvas, points: &[(f64, f64, f64)], style: &Style) {
        let upper = points.iter().map(|&(x, _, high)| self.at(x, high));
        let lower = points.iter().rev().map(|&(x, low, _)| self.at_or_below(x, low));
        let outline: Vec<Xy> = upper.chain(lower).collect();
        canvas.area(&self.frame.rect.area(&outline), &style.colour, BAND_OPACITY);
    }

    fn histogram(&self, canvas: &mut Canvas, bins: &[(f64, f64, f64)], style: &Style) {
        for &(low, high, count) in bins.iter().filter(|bin| bin.2 > 0.0) {
            let floor = if self.panel.y.scale.is_log() { f64::MIN } else { 0.0 };
            let x = |value| self.panel.x.scale.place(value);
            let corners = [
                self.frame.at(x(low), floor),
                self.at(low, count),
                self.at(high, count),
                self.frame.at(x(high), floor),
            ];
            let inside = self.frame.rect.area(&corners);
            canvas.open("bin", &format!("{low} to {high}: {count}"));
            canvas.area(&inside, &style.colour, BIN_OPACITY);
            for part in self.frame.rect.polyline(&corners) {
                canvas.polyline(&part, Stroke::solid(&style.colour, 0.5));
            }
            canvas.close();
        }
    }

    fn points(&self, canvas: &mut Canvas, points: &[Point], joined: bool, style: &Style, offset: f64) {
        let aside = |at: Xy| self.frame.moved(at, offset, 0.0);
        if joined {
            let path: Vec<Xy> = points.iter().map(|p| aside(self.at(p.x, level(p)))).collect();
            canvas.polyline(&path, Stroke::solid(&style.colour, 0.5));
        }
        for point in points {
            canvas.open_point(&point.tooltip, point.row);
            let at = aside(self.at(point.x, level(point)));
            match point.reading {
                Reading::AtMost(_) => {
                    marks::arrow(canvas, at, |from, x, y| self.frame.moved(from, x, y), style);
                }
                Reading::Value { low, high, .. } => {
                    let [low, high] = [low, high].map(|end| aside(self.at_or_below(point.x, end)));
                    // A full mark's white rim shall not cut its own bar, nor a bar cross an open mark.
                    if style.mark.is_open() {
                        marks::bar(canvas, self.frame, low, high, &style.colour);
                    }
                    marks::mark(canvas, at, style, marks::RADIUS);
                    if !style.mark.is_open() {
                        marks::bar(canvas, self.frame, low, high, &style.colour);
                    }
                }
            }
            if point.highlight {
                marks::ring(canvas, at);
            }
            canvas.close();
        }
    }
}
