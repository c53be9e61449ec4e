//! Binomial tails to a small relative error (private).
//!
//! `P[S >= s] = I_p(s, n-s+1)`, the regularised incomplete beta function. The
//! library one is not used: its prefactor is a difference of log-gammas, which at
//! `n = 1e12` leaves three digits, and its fraction stops after 140 steps. Here
//! the prefactor is the saddle-point probability of [`crate::saddle`], and the
//! fraction is that of A. R. DiDonato and A. H. Morris, ACM TOMS 18(3):360-373,
//! 1992, eq. (9): every term is positive where it is used, and the distance
//! `lambda = a - (a+b) x` from the mean enters as a number of its own.

use crate::normal::{density as normal_density, normal_sf};
use crate::saddle::{excess, ln_pmf};

/// Steps after which the fraction has long converged: it takes about `sqrt(npq) / 10` of
/// them at the mean, few away from it, and `npq` is below [`HUGE`] at the mean.
const MAX_STEPS: u64 = 20_000_000;

/// Variance `npq` from which on the law within six standard deviations of its mean is
/// normal but for its skewness, to `1e-10`.
const HUGE: f64 = 1e14;

/// `P[S >= s]` from `x = (s - 1/2 - np) / sd` by the normal law with its first Edgeworth
/// correction (M. G. Kendall and A. Stuart, "The advanced theory of statistics" 1, 6.18),
/// where that is good enough and the fraction slow.
fn near_mean(delta: f64, n: f64, p: f64) -> Option<f64> {
    let variance = n * p * (1.0 - p);
    let sd = variance.sqrt();
    let x = (delta - 0.5) / sd;
    (variance > HUGE && x.abs() < 6.0)
        .then(|| normal_sf(x) + normal_density(x) * (x * x - 1.0) * (1.0 - 2.0 * p) / (6.0 * sd))
}

/// `p` rid of the roundings above 1; NaN stays NaN, unlike with `f64::min`.
pub(crate) fn at_most_one(p: f64) -> f64 {
    if p > 1.0 { 1.0 } else { p }
}

/// The fraction `F` in `I_x(a,b) = x^a (1-x)^b / B(a,b) / F`, whole `a, b >= 1`,
/// `lambda = a - (a+b) x >= 0`, by the modified Lentz method.
fn fraction(a: f64, b: f64, x: f64, y: f64, lambda: f64) -> f64 {
    let mut f = a / (a + 1.0) * (lambda + 1.0);
    let (mut c, mut d) = (f, 0.0);
    for step in 1..MAX_STEPS {
        let m = step as f64;
        if m >= b {
            break;
        }
        let odd = a + 2.0 * m - 1.0;
        let alpha = ((a + m - 1.0) / odd) * ((a + b + m - 1.0) / odd) * m * (b - m) * x * x;
        let beta = m + m * (b - m) * x / odd + (a + m) / (odd + 2.0) * (lambda + 1.0 + m * (1.0 + y));
        d = 1.0 / (beta + alpha * d);
        c = beta + alpha / c;
        let ratio = c * d;
        f *= ratio;
        if (ratio - 1.0).abs() <= 2e-16 {
            break;
        }
    }
    f
}

/// `P[S >= s]`, right on the far side of the mean: `1 <= s <= n`, `0 < p < 1`.
fn far_upper(s: u64, n: u64, p: f64, lambda: f64) -> f64 {
    let (a, b, q) = (s as f64, (n - s) as f64 + 1.0, 1.0 - p);
    at_most_one((ln_pmf(s, n, p) + (a * q).ln() - fraction(a, b, p, q, lambda).ln()).exp())
}

/// `P[S <= s]`, right on the near side of the mean: `0 <= s < n`, `0 < p < 1`.
fn far_lower(s: u64, n: u64, p: f64, lambda: f64) -> f64 {
    let (a, b, q) = ((n - s) as f64, s as f64 + 1.0, 1.0 - p);
    at_most_one((ln_pmf(s, n, p) + (a * p).ln() - fraction(a, b, q, p, lambda).ln()).exp())
}

/// `P[S >= s]` for any `s`, `n` and `0 <= p <= 1`.
pub(crate) fn upper(s: u64, n: u64, p: f64) -> f64 {
    if s == 0 {
        return 1.0;
    }
    if s > n || p <= 0.0 {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    let delta = excess(s, n, p);
    if let Some(tail) = near_mean(delta, n as f64, p) {
        return tail;
    }
    let lambda = delta - p;
    if lambda >= 0.0 { far_upper(s, n, p, lambda) } else { 1.0 - far_lower(s - 1, n, p, -lambda) }
}

/// `P[S <= s]` for any `s`, `n` and `0 <= p <= 1`.
pub(crate) fn lower(s: u64, n: u64, p: f64) -> f64 {
    if s >= n || p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return 0.0;
    }
    // The failures are binomial too: P[S <= s] = P[n - S >= n - s].
    let delta = -excess(s, n, p);
    if let Some(tail) = near_mean(delta, n as f64, 1.0 - p) {
        return tail;
    }
    let lambda = delta - (1.0 - p);
    if lambda >= 0.0 { far_lower(s, n, p, lambda) } else { 1.0 - far_upper(s + 1, n, p, -lambda) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_law_and_the_fraction_agree_where_they_meet() {
        for (n, p) in [(2_000_000_000_000_000_u64, 0.9), (1_000_000_000_000_000_000, 2e-4)] {
            let (mean, sd) = (n as f64 * p, (n as f64 * p * (1.0 - p)).sqrt());
            for z in [1.0, 3.0, 5.5] {
                let s = (mean + z * sd) as u64;
                let fraction = far_upper(s, n, p, excess(s, n, p) - p);
                assert!((upper(s, n, p) / fraction - 1.0).abs() < 1e-9, "{n} {z}");
                let s = (mean - z * sd) as u64;
                let fraction = far_lower(s, n, p, -excess(s, n, p) - (1.0 - p));
                assert!((lower(s, n, p) / fraction - 1.0).abs() < 1e-9, "{n} -{z}");
            }
        }
    }

    #[test]
    fn few_failures_among_more_trials_than_a_float_counts() {
        // mpmath, 60 digits: sum over f <= 107 of C(1e18, f) q^f (1-q)^(1e18-f), q = 2^-53.
        let (n, q) = (1_000_000_000_000_000_000, 0.5_f64.powi(53));
        assert!((upper(n - 107, n, 1.0 - q) / 0.374_423_569_306_035_44 - 1.0).abs() < 1e-12);
        assert!((lower(107, n, q) / 0.374_423_569_306_035_44 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_success_and_one_failure_short_are_closed() {
        assert!((upper(1, 1_000, 1e-9) / 9.999_995_005_001_662e-7 - 1.0).abs() < 1e-13);
        assert!((upper(10, 10, 0.3) / 0.3_f64.powi(10) - 1.0).abs() < 1e-13);
        assert!((lower(0, 10, 0.3) / 0.7_f64.powi(10) - 1.0).abs() < 1e-13);
        assert!((lower(9, 10, 0.3) + 0.3_f64.powi(10) - 1.0).abs() < 1e-15);
    }
}
