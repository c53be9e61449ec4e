//! Checks a panel's values and finds the ends of its axes.

use super::axis::{Axis, Scale};
use super::error::{AxisName, FigureError};
use super::model::Panel;
use super::series::{Kind, Point, Reading, Series};
use super::style::StyleKey;

/// The ends of one axis, in the unit of [`Scale::place`].
pub type Places = (f64, f64);

/// How far theory may stretch an axis beyond the measurements: decades or octaves.
const STRETCH_LOG: f64 = 0.7;
/// The same on a linear axis, as a share of the measurements' span.
const STRETCH_LINEAR: f64 = 0.35;
/// Free space between data and the end of an axis, as a share of the span.
const PADDING: f64 = 0.05;
/// The same below an arrow that hangs from a limit.
const ARROW_PADDING: f64 = 0.13;

/// The lowest and the highest of some places.
#[derive(Debug, Clone, Copy)]
struct Span {
    low: f64,
    high: f64,
}

impl Span {
    const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn add(&mut self, place: f64) {
        self.low = self.low.min(place);
        self.high = self.high.max(place);
    }

    fn is_empty(self) -> bool {
        self.low > self.high
    }
}

/// How a series is called in an error.
fn name(series: &Series) -> String {
    match (&series.key, series.label.is_empty()) {
        (_, false) => series.label.clone(),
        (StyleKey::Id(id), true) => id.clone(),
        (StyleKey::Numbered(n), true) => format!("#{n}"),
    }
}

struct Checker<'a> {
    panel: &'a Panel,
    series: String,
}

impl Checker<'_> {
    fn axis(&self, axis: AxisName) -> &Axis {
        match axis {
            AxisName::X => &self.panel.x,
            AxisName::Y => &self.panel.y,
        }
    }

    /// The place of a value that must have one.
    fn place(&self, axis: AxisName, value: f64) -> Result<f64, FigureError> {
        let (panel, series) = (self.panel.title.clone(), self.series.clone());
        if !value.is_finite() {
            return Err(FigureError::NotFinite { panel, series, axis, value });
        }
        let scale = &self.axis(axis).scale;
        if scale.is_log() && value <= 0.0 {
            return Err(FigureError::NotPositive { panel, series, axis, value });
        }
        if let Scale::Categories(names) = scale {
            let (low, high) = (-0.5, names.len() as f64 - 0.5);
            if value < low || value > high {
                return Err(FigureError::OutOfRange { panel, series, axis, value, low, high });
            }
        }
        Ok(scale.place(value))
    }

    /// The place of a measured value, which must not be cut off.
    fn measured(&self, axis: AxisName, value: f64) -> Result<f64, FigureError> {
        let place = self.place(axis, value)?;
        match self.axis(axis).range {
            Some((low, high)) if value < low || value > high => Err(FigureError::OutOfRange {
                panel: self.panel.title.clone(),
                series: self.series.clone(),
                axis,
                value,
                low,
                high,
            }),
            _ => Ok(place),
        }
    }

    /// The place of an interval's end: on a log axis none for zero.
    fn end(&self, value: f64) -> Result<Option<f64>, FigureError> {
        if self.panel.y.scale.is_log() && value == 0.0 { Ok(None) } else { self.place(AxisName::Y, value).map(Some) }
    }

    fn ordered(&self, low: f64, value: f64, high: f64) -> Result<(), FigureError> {
        if low <= value && value <= high {
            return Ok(());
        }
        Err(FigureError::Interval { panel: self.panel.title.clone(), series: self.series.clone(), low, value, high })
    }

    fn point(&self, point: &Point, x: &mut Span, y: &mut Span) -> Result<bool, FigureError> {
        x.add(self.measured(AxisName::X, point.x)?);
        match point.reading {
            Reading::AtMost(limit) => {
                y.add(self.measured(AxisName::Y, limit)?);
                Ok(true)
            }
            Reading::Value { value, low, high } => {
                y.add(self.measured(AxisName::Y, value)?);
                let ends = [self.end(low)?, self.end(high)?];
                self.ordered(low, value, high)?;
                ends.into_iter().flatten().for_each(|end| y.add(end));
                Ok(false)
            }
        }
    }
}

/// Checks every value of a panel and returns the ends of its x and y axes.
pub fn places(panel: &Panel) -> Result<(Places, Places), FigureError> {
    let (mut x, mut y, mut theory) = (Span::EMPTY, Span::EMPTY, Span::EMPTY);
    let (mut arrows, mut rests_on_zero) = (false, false);
    for series in &panel.series {
        let check = Checker { panel, series: name(series) };
        match &series.kind {
            Kind::Points { points, .. } => {
                for point in points {
                    arrows |= check.point(point, &mut x, &mut y)?;
                }
            }
            Kind::Line { points, .. } => {
                for &(at, value) in points {
                    x.add(check.place(AxisName::X, at)?);
                    theory.add(check.place(AxisName::Y, value)?);
                }
            }
            Kind::Band { points } => {
                for &(at, low, high) in points {
                    x.add(check.place(AxisName::X, at)?);
                    theory.add(check.place(AxisName::Y, high)?);
                    if let Some(place) = check.end(low)? {
                        theory.add(place);
                    }
                    check.ordered(low, low, high)?;
                }
            }
            Kind::Histogram { bins } => {
                rests_on_zero |= !panel.y.scale.is_log();
                for &(low, high, count) in bins {
                    x.add(check.measured(AxisName::X, low)?);
                    x.add(check.measured(AxisName::X, high)?);
                    check.ordered(low, low, high)?;
                    if let Some(place) = check.end(count)? {
                        y.add(place);
                    }
                }
            }
        }
    }
    // Without any series, axes that have their ranges are an empty frame.
    let framed = panel.series.is_empty() && panel.x.range.is_some() && panel.y.range.is_some();
    if !framed && (x.is_empty() || (y.is_empty() && theory.is_empty())) {
        return Err(FigureError::EmptyPanel { panel: panel.title.clone() });
    }
    let mut across = Span::EMPTY;
    for reference in &panel.references {
        let check = Checker { panel, series: reference.label.clone() };
        let place = check.place(reference.axis, reference.at)?;
        match reference.axis {
            AxisName::X => x.add(place),
            AxisName::Y => across.add(place),
        }
    }
    let mut y = stretched(&panel.y, y, theory);
    if !across.is_empty() {
        y.add(across.low);
        y.add(across.high);
    }
    Ok((ends(panel, AxisName::X, x, false, false)?, ends(panel, AxisName::Y, y, arrows, rests_on_zero)?))
}

/// The span of the measurements, stretched towards the theory as far as that may go.
fn stretched(axis: &Axis, measured: Span, theory: Span) -> Span {
    if measured.is_empty() {
        return theory;
    }
    if theory.is_empty() {
        return measured;
    }
    let stretch = if axis.scale.is_log() {
        STRETCH_LOG * if axis.scale == Scale::Log2 { std::f64::consts::LOG2_10 } else { 1.0 }
    } else {
        STRETCH_LINEAR * (measured.high - measured.low)
    };
    Span {
        low: measured.low.min(theory.low.max(measured.low - stretch)),
        high: measured.high.max(theory.high.min(measured.high + stretch)),
    }
}

/// The ends of an axis: as demanded, or the data's span with free space around it.
fn ends(panel: &Panel, name: AxisName, span: Span, arrows: bool, rests: bool) -> Result<Places, FigureError> {
    let axis = if name == AxisName::X { &panel.x } else { &panel.y };
    if let Some((low, high)) = axis.range {
        let places = (axis.scale.place(low), axis.scale.place(high));
        return if places.0.is_finite() && places.1.is_finite() && places.0 < places.1 {
            Ok(places)
        } else {
            Err(FigureError::BadRange { panel: panel.title.clone(), axis: name, low, high })
        };
    }
    if let Scale::Categories(names) = &axis.scale {
        return Ok((-0.5, names.len() as f64 - 0.5));
    }
    let Span { low, high } = span;
    let width = high - low;
    let widened = if width > 1e-9 * high.abs().max(low.abs()).max(1e-300) {
        width
    } else {
        match axis.scale {
            Scale::Log10 | Scale::Log2 => 1.0,
            _ if high == 0.0 => 1.0,
            _ => high.abs() * 0.2,
        }
    };
    let (low, high) = if width < widened { (low - widened / 2.0, high + widened / 2.0) } else { (low, high) };
    let at_zero = !axis.scale.is_log() && (axis.from_zero || rests) && low >= 0.0;
    let below = if arrows { ARROW_PADDING } else { PADDING } * widened;
    let start = match low - below {
        _ if at_zero => 0.0,
        // Values that are all positive do not ask for a negative axis.
        padded if padded < 0.0 && low > 0.0 && !axis.scale.is_log() => 0.0,
        padded => padded,
    };
    Ok((start, high + PADDING * widened))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Series;

    fn panel(points: Vec<Point>) -> Panel {
        Panel::new(Axis::linear("x"), Axis::log10("y")).title("p").series(Series::points("standard", points))
    }

    #[test]
    fn values_without_a_place_are_named() {
        let error = |point: Point| places(&panel(vec![point])).unwrap_err();
        assert!(matches!(error(Point::exact(1.0, f64::NAN)), FigureError::NotFinite { axis: AxisName::Y, .. }));
        assert!(matches!(error(Point::exact(f64::INFINITY, 1.0)), FigureError::NotFinite { axis: AxisName::X, .. }));
        assert!(matches!(error(Point::new(1.0, 1.0, 0.5, f64::NAN)), FigureError::NotFinite { .. }));
        assert!(matches!(error(Point::exact(1.0, 0.0)), FigureError::NotPositive { value: 0.0, .. }));
        assert!(matches!(error(Point::at_most(1.0, 0.0)), FigureError::NotPositive { .. }));
        assert!(matches!(error(Point::new(1.0, 0.1, 0.2, 0.3)), FigureError::Interval { .. }));
        assert_eq!(places(&panel(Vec::new())), Err(FigureError::EmptyPanel { panel: "p".into() }));
        let frame = Panel::new(Axis::linear("x").range(0.0, 1.0), Axis::linear("y").range(2.0, 3.0));
        assert_eq!(places(&frame), Ok(((0.0, 1.0), (2.0, 3.0))));
    }

    #[test]
    fn a_single_point_gets_a_decade() {
        let (x, y) = places(&panel(vec![Point::new(10.0, 1e-3, 0.0, 1e-3)])).unwrap();
        assert!(x.0 < 10.0 && x.1 > 10.0);
        assert!(y.0 < -3.4 && y.1 > -2.6, "{y:?}");
    }

    #[test]
    fn theory_stretches_the_axis_only_so_far() {
        let far = panel(vec![Point::exact(1.0, 1e-3), Point::exact(2.0, 1e-2)])
            .series(Series::line("bloom-formula", vec![(1.0, 1e-30), (2.0, 1e-2)]));
        let (_, y) = places(&far).unwrap();
        assert!(y.0 > -4.5 && y.0 < -3.5, "{y:?}");
    }

    #[test]
    fn a_demanded_range_never_hides_a_point() {
        let mut cut = panel(vec![Point::exact(1.0, 1e-3)]);
        cut.y = cut.y.range(1e-2, 1.0);
        assert!(matches!(places(&cut), Err(FigureError::OutOfRange { value: 1e-3, .. })));
        cut.y = cut.y.range(1.0, 1e-4);
        cut.series[0] = Series::line("standard", vec![(1.0, 1e-3)]);
        assert!(matches!(places(&cut), Err(FigureError::BadRange { .. })));
        cut.y = cut.y.range(0.0, 1.0);
        assert!(matches!(places(&cut), Err(FigureError::BadRange { .. })));
    }
}
