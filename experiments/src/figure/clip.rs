//! Cuts lines and areas at the edge of the axes, so that the file needs no clip paths and no ids.

/// A position on paper.
pub type Xy = (f64, f64);

/// A rectangle on paper; y grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// The left edge.
    pub left: f64,
    /// The upper edge.
    pub top: f64,
    /// The right edge.
    pub right: f64,
    /// The lower edge.
    pub bottom: f64,
}

impl Rect {
    /// From left to right.
    pub fn width(self) -> f64 {
        self.right - self.left
    }

    /// From top to bottom.
    pub fn height(self) -> f64 {
        self.bottom - self.top
    }

    /// Larger by `by` on each side.
    pub fn grown(self, by: f64) -> Self {
        Self { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }

    /// The part of a segment inside (Liang and Barsky's method).
    pub fn segment(self, (x0, y0): Xy, (x1, y1): Xy) -> Option<(Xy, Xy)> {
        let (dx, dy) = (x1 - x0, y1 - y0);
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for (step, room) in [(-dx, x0 - self.left), (dx, self.right - x0), (-dy, y0 - self.top), (dy, self.bottom - y0)]
        {
            if step == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if step < 0.0 {
                enter = enter.max(room / step);
            } else {
                leave = leave.min(room / step);
            }
        }
        let at = |t: f64| (x0 + t * dx, y0 + t * dy);
        (enter <= leave).then(|| (at(enter), at(leave)))
    }

    /// The parts of a line inside, each a line of its own.
    pub fn polyline(self, points: &[Xy]) -> Vec<Vec<Xy>> {
        let mut parts: Vec<Vec<Xy>> = Vec::new();
        for pair in points.windows(2) {
            let Some((from, to)) = self.segment(pair[0], pair[1]) else { continue };
            match parts.last_mut() {
                Some(part) if part.last() == Some(&from) => part.push(to),
                _ => parts.push(vec![from, to]),
            }
        }
        parts
    }

    /// The part of an area inside (Sutherland and Hodgman's method).
    pub fn area(self, points: &[Xy]) -> Vec<Xy> {
        let edges =
            [(true, self.left, 1.0), (true, self.right, -1.0), (false, self.top, 1.0), (false, self.bottom, -1.0)];
        let mut kept = points.to_vec();
        for (upright, edge, sign) in edges {
            let room = |p: Xy| sign * (if upright { p.0 } else { p.1 } - edge);
            let whole = std::mem::take(&mut kept);
            for (i, &to) in whole.iter().enumerate() {
                let from = whole[(i + whole.len() - 1) % whole.len()];
                let (a, b) = (room(from), room(to));
                if (a < 0.0) != (b < 0.0) {
                    let t = a / (a - b);
                    kept.push((from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1)));
                }
                if b >= 0.0 {
                    kept.push(to);
                }
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Rect = Rect { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };

    #[test]
    fn a_line_that_leaves_and_returns_falls_apart() {
        let parts = UNIT.polyline(&[(0.2, 0.5), (0.4, 2.5), (0.6, 0.5), (0.8, 0.5)]);
        assert_eq!(parts.len(), 2);
        assert!(parts.iter().flatten().all(|p| p.1 <= 1.0 + 1e-12));
        assert_eq!(parts[1].len(), 3);
        assert!(UNIT.polyline(&[(-1.0, 0.5), (-2.0, 0.5)]).is_empty());
    }

    #[test]
    fn an_area_is_cut_at_the_edges() {
        let cut = UNIT.area(&[(-1.0, -1.0), (2.0, -1.0), (2.0, 2.0), (-1.0, 2.0)]);
        assert_eq!(cut.len(), 4);
        assert!(cut.iter().all(|p| (0.0..=1.0).contains(&p.0) && (0.0..=1.0).contains(&p.1)));
        assert!(UNIT.area(&[(2.0, 2.0), (3.0, 2.0), (3.0, 3.0)]).is_empty());
    }
}
