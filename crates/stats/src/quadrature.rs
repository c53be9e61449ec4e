//! Adaptive Simpson integration of a positive function (private).

/// Panels are halved at most this often.
const MAX_DEPTH: u32 = 40;

/// `integral of f` from `breaks[0]` to the last break, split at every break.
///
/// `f` is smooth and not negative between breaks; the error is about `relative` times
/// the integral.
pub(crate) fn integrate(f: &impl Fn(f64) -> f64, breaks: &[f64], relative: f64) -> f64 {
    let panels: Vec<Panel> = breaks
        .windows(2)
        .flat_map(|w| {
            let (a, b) = (w[0], w[1]);
            (0..8).map(move |i| (a + (b - a) * f64::from(i) / 8.0, a + (b - a) * f64::from(i + 1) / 8.0))
        })
        .filter(|(a, b)| a < b)
        .map(|(a, b)| Panel::new(f, a, b, f(a), f(b)))
        .collect();
    let rough: f64 = panels.iter().map(|p| p.area).sum();
    let tolerance = relative * rough / panels.len().max(1) as f64;
    panels.iter().map(|p| p.refine(f, tolerance, relative, MAX_DEPTH)).sum()
}

/// One Simpson panel.
struct Panel {
    a: f64,
    b: f64,
    fa: f64,
    fm: f64,
    fb: f64,
    area: f64,
}

impl Panel {
    fn new(f: &impl Fn(f64) -> f64, a: f64, b: f64, fa: f64, fb: f64) -> Self {
        let fm = f(0.5 * (a + b));
        Self { a, b, fa, fm, fb, area: (b - a) / 6.0 * (fa + 4.0 * fm + fb) }
    }

    /// Halves the panel until both halves agree with the whole, to `tolerance` or to the
    /// part `relative` of its own area (below which rounding of `f` would be chased).
    fn refine(&self, f: &impl Fn(f64) -> f64, tolerance: f64, relative: f64, depth: u32) -> f64 {
        let middle = 0.5 * (self.a + self.b);
        let left = Self::new(f, self.a, middle, self.fa, self.fm);
        let right = Self::new(f, middle, self.b, self.fm, self.fb);
        let change = left.area + right.area - self.area;
        let flat = middle <= self.a || middle >= self.b || !change.is_finite();
        if depth == 0 || flat || change.abs() <= 15.0 * tolerance.max(relative * self.area) {
            return left.area + right.area + change / 15.0;
        }
        left.refine(f, 0.5 * tolerance, relative, depth - 1) + right.refine(f, 0.5 * tolerance, relative, depth - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_integrals() {
        let exp = integrate(&|x: f64| (-x).exp(), &[0.0, 1.0, 50.0], 1e-12);
        assert!((exp - 1.0).abs() < 1e-11, "{exp}");
        let peak = integrate(&|x: f64| (-x * x * 1e6).exp(), &[-1.0, 0.0, 1.0], 1e-12);
        assert!((peak - (std::f64::consts::PI * 1e-6).sqrt()).abs() < 1e-13, "{peak}");
    }

    #[test]
    fn an_empty_range_is_zero() {
        assert_eq!(integrate(&|_| 1.0, &[2.0, 2.0], 1e-10), 0.0);
        assert_eq!(integrate(&|_| 1.0, &[], 1e-10), 0.0);
    }
}
