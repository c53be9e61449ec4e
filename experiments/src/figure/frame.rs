//! From values to positions on paper: the one place that talks to the plotting library.

use plotters::coord::CoordTranslate;
use plotters::coord::cartesian::{Cartesian2d, MeshLine};
use plotters::coord::combinators::{BindKeyPoints, WithKeyPoints};
use plotters::coord::ranged1d::BoldPoints;
use plotters::coord::types::RangedCoordf64;

use super::clip::{Rect, Xy};
use super::extent::Places;
use super::ticks::Ticks;

/// The library's coordinates are whole numbers: this many of them make a point, so that curves do not kink.
const UNITS: f64 = 100.0;

/// Places further than this many axis lengths away are drawn as if they were that far.
const FAR: f64 = 1000.0;

type Coordinate = WithKeyPoints<RangedCoordf64>;

/// A pair of axes on paper.
pub struct Frame {
    /// The axes' rectangle.
    pub rect: Rect,
    /// Whether x runs upwards.
    pub transposed: bool,
    h: Places,
    v: Places,
    coordinates: Cartesian2d<Coordinate, Coordinate>,
}

impl Frame {
    /// Axes in a rectangle: `x` and `y` are the ends of the panel's axes, the ticks those of the horizontal and the
    /// vertical axis. Categories on the vertical axis read from the top.
    pub fn new(
        rect: Rect,
        (x, y): (Places, Places),
        (transposed, first_on_top): (bool, bool),
        ticks: (&Ticks, &Ticks),
    ) -> Self {
        let (h, v) = if transposed { (y, x) } else { (x, y) };
        let units = |points: f64| (points * UNITS).round() as i32;
        let bound = |ends: Places, ticks: &Ticks| {
            (ends.0..ends.1).with_key_points(ticks.major.iter().map(|t| t.place).collect())
        };
        let (start, end) = if first_on_top { (rect.top, rect.bottom) } else { (rect.bottom, rect.top) };
        let coordinates = Cartesian2d::new(
            bound(h, ticks.0),
            bound(v, ticks.1),
            (units(rect.left)..units(rect.right), units(start)..units(end)),
        );
        Self { rect, transposed, h, v, coordinates }
    }

    /// Where a place on the x axis and a place on the y axis meet.
    pub fn at(&self, x: f64, y: f64) -> Xy {
        let (h, v) = if self.transposed { (y, x) } else { (x, y) };
        let near = |place: f64, (low, high): Places| {
            let far = FAR * (high - low);
            place.clamp(low - far, high + far)
        };
        let (column, row) = self.coordinates.translate(&(near(h, self.h), near(v, self.v)));
        (f64::from(column) / UNITS, f64::from(row) / UNITS)
    }

    /// A position moved along the x axis' direction and against the y axis' direction.
    pub fn moved(&self, (left, top): Xy, along_x: f64, down_y: f64) -> Xy {
        if self.transposed { (left - down_y, top - along_x) } else { (left + along_x, top + down_y) }
    }

    /// Whether a position lies inside the axes, with a little slack.
    pub fn holds(&self, (x, y): Xy) -> bool {
        let r = self.rect.grown(0.05);
        x >= r.left && x <= r.right && y >= r.top && y <= r.bottom
    }

    /// The grid lines at the labelled ticks.
    pub fn grid(&self) -> Vec<[Xy; 2]> {
        let mut lines = Vec::new();
        let to_points = |(x, y): (i32, i32)| (f64::from(x) / UNITS, f64::from(y) / UNITS);
        let all = usize::from(u16::MAX);
        let done: Result<(), std::convert::Infallible> =
            self.coordinates.draw_mesh(BoldPoints(all), BoldPoints(all), |line| {
                let (MeshLine::XMesh(from, to, _) | MeshLine::YMesh(from, to, _)) = line;
                lines.push([to_points(from), to_points(to)]);
                Ok(())
            });
        match done {
            Ok(()) => lines,
            Err(never) => match never {},
        }
    }

    /// Length of one unit of the x axis' places on paper.
    pub fn x_unit(&self) -> f64 {
        if self.transposed {
            self.rect.height() / (self.v.1 - self.v.0)
        } else {
            self.rect.width() / (self.h.1 - self.h.0)
        }
    }
}
