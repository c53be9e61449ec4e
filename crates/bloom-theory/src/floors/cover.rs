//! How likely given positions are all set: the fill and its spread, and what coincidences with one key do to it.

use stats::occupancy;

use crate::fpr::fill;

/// The fill of an array as two equally likely values, mean plus and minus one standard deviation: so that
/// averages of powers are right to second order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cover {
    /// Bits.
    pub m: f64,
    /// Probes.
    pub k: usize,
    fills: [f64; 2],
}

impl Cover {
    /// The fill by positions drawn independently with replacement.
    pub fn independent(m: u64, k: u32, keys: u64) -> Self {
        Self::around(m, k, keys, fill(m, k, keys))
    }

    /// The fill by keys that have `distinct` distinct positions on average.
    pub fn with_distinct(m: u64, k: u32, keys: u64, distinct: f64) -> Self {
        Self::around(m, k, keys, -(keys as f64 * (-distinct / m as f64).ln_1p()).exp_m1())
    }

    /// The fill of one of `k` slices.
    pub fn slice(s: u64, k: u32, keys: u64) -> Self {
        // A power of one slice's fill never occurs: the slices are independent.
        let mean = fill(s, 1, keys);
        Self { m: s as f64, k: k as usize, fills: [mean; 2] }
    }

    fn around(m: u64, k: u32, keys: u64, mean: f64) -> Self {
        let spread = occupancy::variance_occupied(m, keys.saturating_mul(k.into())).sqrt() / m as f64;
        let spread = spread.min(mean).min(1.0 - mean);
        Self { m: m as f64, k: k as usize, fills: [mean - spread, mean + spread] }
    }

    /// The average over the fill.
    pub fn average(&self, of: impl Fn(f64) -> f64) -> f64 {
        0.5 * (of(self.fills[0]) + of(self.fills[1]))
    }

    /// `f^k`: all of `k` positions drawn with replacement are set.
    pub fn replaced(&self) -> f64 {
        self.average(|f| f.powi(self.k as i32))
    }

    /// `D` distinct positions are all set, for `D` from 0 to `k`: `prod_(i<D) (f m - i) / (m - i)`.
    pub fn distinct(&self) -> Vec<f64> {
        let factor = |f: f64, i: f64| if i < self.m { ((f * self.m - i) / (self.m - i)).max(0.0) } else { 0.0 };
        let mut products = [1.0; 2];
        let mut chances = vec![1.0];
        for i in 0..self.k {
            for (product, f) in products.iter_mut().zip(self.fills) {
                *product *= factor(f, i as f64);
            }
            chances.push(0.5 * (products[0] + products[1]));
        }
        chances
    }

    /// `g(t) = sum_(r >= order) C(t,r) f^(k-r) (1-f)^r` for `t` from 0 to `k`: what a coincidence of `t`
    /// positions with one key adds to `f^k`, without the orders below `order`, in which positions that are
    /// `order - 1`-wise independent coincide just as often.
    pub fn gains(&self, order: usize) -> Vec<f64> {
        (0..=self.k).map(|t| self.gain(self.k, t, order)).collect()
    }

    /// `f^(k-2) (1-f)^2`: what two coincidences add to `f^k` and to one coincidence.
    pub fn two(&self) -> f64 {
        self.average(|f| f.powi(self.k as i32 - 2) * (1.0 - f).powi(2))
    }

    /// [`gains`](Self::gains) at `t`, for a query of `distinct` distinct positions.
    pub fn gain(&self, distinct: usize, t: usize, order: usize) -> f64 {
        self.average(|f| gain(f, distinct, t, order))
    }
}

fn gain(f: f64, k: usize, t: usize, order: usize) -> f64 {
    let mut binomial = 1.0;
    let mut sum = 0.0;
    for r in 0..=t {
        if r >= order {
            sum += binomial * f.powi((k - r) as i32) * (1.0 - f).powi(r as i32);
        }
        binomial *= (t - r) as f64 / (r + 1) as f64;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_of_order_zero_are_the_chance_of_the_rest() {
        let cover = Cover::slice(1000, 9, 700);
        let f = fill(1000, 1, 700);
        for (t, gain) in cover.gains(0).into_iter().enumerate() {
            assert!((gain / f.powi(9 - t as i32) - 1.0).abs() < 1e-12, "{t}");
        }
        assert_eq!(cover.gains(3)[2], 0.0);
    }

    #[test]
    fn two_fills_give_the_exact_mean_power() {
        let (m, k, keys) = (1024, 7, 100);
        let exact = crate::fpr::fpr_exact(m, k, keys);
        assert!((Cover::independent(m, k, keys).replaced() / exact - 1.0).abs() < 1e-3);
    }
}
