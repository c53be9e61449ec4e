//! Fixed points for averages.

/// A low-discrepancy sequence in the unit cube of `N` dimensions: multiples of the inverse powers of the root of
/// `x^(N+1) = x + 1` (Roberts 2018).
pub(super) struct Points<const N: usize>([f64; N]);

impl<const N: usize> Points<N> {
    pub fn new() -> Self {
        let mut root = 1.5f64;
        for _ in 0..40 {
            root = (1.0 + root).powf(1.0 / (N as f64 + 1.0));
        }
        Self(std::array::from_fn(|i| root.powi(-(i as i32) - 1)))
    }

    /// The `n`-th point.
    pub fn at(&self, n: usize) -> [f64; N] {
        self.0.map(|step| (0.5 + (n as f64 + 1.0) * step).fract())
    }
}

/// The middles of `steps` parts of the unit interval.
pub(super) fn midpoints(steps: usize) -> impl Iterator<Item = f64> {
    (0..steps).map(move |i| (i as f64 + 0.5) / steps as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_over_points_are_integrals() {
        let points = Points::<3>::new();
        let mean = |of: fn([f64; 3]) -> f64| (0..4096).map(|n| of(points.at(n))).sum::<f64>() / 4096.0;
        assert!((mean(|[x, y, z]| x * y * z) - 0.125).abs() < 2e-3);
        assert!((mean(|[x, y, z]| f64::from(u8::from(x < y && y < z))) - 1.0 / 6.0).abs() < 5e-3);
    }
}
