//! The shapes of marks, interval bars and arrows.

use super::clip::Xy;
use super::frame::Frame;
use super::style::{Mark, Style};
use super::svg::{Canvas, Stroke};

/// Half the size of a mark in points.
pub const RADIUS: f64 = 2.15;
/// The line width of interval bars and their caps.
pub const BAR: f64 = 0.7;
/// Half the length of a cap.
pub const CAP: f64 = 1.7;
/// The length of the arrow below a limit.
pub const ARROW: f64 = 9.5;

/// Draws a mark.
pub fn mark(canvas: &mut Canvas, at: Xy, style: &Style, radius: f64) {
    use Mark::{
        Circle, CircleOpen, Cross, Diamond, DiamondOpen, Pentagon, PentagonOpen, Plus, Square, SquareOpen, Star,
        Triangle, TriangleDown, TriangleDownOpen, TriangleOpen,
    };
    let (fill, stroke) = if style.mark.is_open() {
        ("#FFFFFF", Stroke::solid(&style.colour, 0.9))
    } else {
        (style.colour.as_str(), Stroke::solid("#FFFFFF", 0.35))
    };
    let around = |corners: usize, start: f64, size: f64| -> Vec<Xy> {
        (0..corners)
            .map(|i| (start + 360.0 * i as f64 / corners as f64).to_radians())
            .map(|angle| (at.0 + size * radius * angle.cos(), at.1 + size * radius * angle.sin()))
            .collect()
    };
    let shape = match style.mark {
        Circle | CircleOpen => return canvas.circle(at, radius, fill, stroke),
        Square | SquareOpen => around(4, 45.0, 1.27),
        Diamond | DiamondOpen => around(4, 0.0, 1.36),
        Triangle | TriangleOpen => around(3, -90.0, 1.38),
        TriangleDown | TriangleDownOpen => around(3, 90.0, 1.38),
        Pentagon | PentagonOpen => around(5, -90.0, 1.2),
        Plus => return spokes(canvas, at, &around(4, 0.0, 1.2), style),
        Cross => return spokes(canvas, at, &around(4, 45.0, 1.2), style),
        Star => return spokes(canvas, at, &around(6, 90.0, 1.2), style),
    };
    canvas.shape(&shape, fill, stroke);
}

fn spokes(canvas: &mut Canvas, centre: Xy, ends: &[Xy], style: &Style) {
    for &end in ends {
        canvas.polyline(&[centre, end], Stroke::solid(&style.colour, 1.1));
    }
}

/// Draws an interval bar between two positions, with caps where the interval ends inside the axes. Nothing for an
/// interval without length.
pub fn bar(canvas: &mut Canvas, frame: &Frame, low: Xy, high: Xy, colour: &str) {
    if low == high {
        return;
    }
    let stroke = Stroke::solid(colour, BAR);
    if let Some((from, to)) = frame.rect.segment(low, high) {
        canvas.polyline(&[from, to], stroke);
    }
    for end in [low, high].into_iter().filter(|&end| frame.holds(end)) {
        canvas.polyline(&[frame.moved(end, -CAP, 0.0), frame.moved(end, CAP, 0.0)], stroke);
    }
}

/// Draws an arrow that hangs from a limit: the style's mark, hollow, and below it a stem with a head.
pub fn arrow(canvas: &mut Canvas, at: Xy, moved: impl Fn(Xy, f64, f64) -> Xy, style: &Style) {
    let head = moved(at, 0.0, ARROW);
    canvas.polyline(&[at, moved(at, 0.0, ARROW - 2.0)], Stroke::solid(&style.colour, BAR));
    canvas.shape(
        &[head, moved(head, -1.7, -3.4), moved(head, 1.7, -3.4)],
        &style.colour,
        Stroke::solid(&style.colour, 0.2),
    );
    mark(canvas, at, &Style { mark: hollow(style.mark), ..style.clone() }, RADIUS * 0.85);
}

/// Draws the ring of a highlighted point.
pub fn ring(canvas: &mut Canvas, at: Xy) {
    canvas.circle(at, RADIUS * 1.8, "none", Stroke::solid("#000000", 0.8));
}

fn hollow(mark: Mark) -> Mark {
    match mark {
        Mark::Circle => Mark::CircleOpen,
        Mark::Square => Mark::SquareOpen,
        Mark::Diamond => Mark::DiamondOpen,
        Mark::Triangle => Mark::TriangleOpen,
        Mark::TriangleDown => Mark::TriangleDownOpen,
        Mark::Pentagon => Mark::PentagonOpen,
        other => other,
    }
}
