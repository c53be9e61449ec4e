//! Binomial tails to a small relative error (private).
//!
//! `P[S >= s] = I_p(s, n-s+1)`, the regularised incomplete beta function. The
//! library one is not used: its prefactor is a difference of log-gammas, which at
//! `n = 1e12` leaves three digits, and its fraction stops after 140 steps. Here
//! the prefactor is the saddle-point probability of [`crate::saddle`], and the
//! fraction is that of A. R. DiDonato and A. H. Morris, ACM TOMS 18(3):360-373,
//! 1992, eq. (9): every term is positive where it is used, and the distance
//! `lambda = a - (a+b) x` from the mean enters as a number of its own.

use crate::saddle::ln_pmf;

/// Steps after which the fraction has long converged for `n` up to about `1e15`.
const MAX_STEPS: u64 = 20_000_000;

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
    (ln_pmf(s, n, p) + (a * q).ln() - fraction(a, b, p, q, lambda).ln()).exp()
}

/// `P[S <= s]`, right on the near side of the mean: `0 <= s < n`, `0 < p < 1`.
fn far_lower(s: u64, n: u64, p: f64, lambda: f64) -> f64 {
    let (a, b, q) = ((n - s) as f64, s as f64 + 1.0, 1.0 - p);
    (ln_pmf(s, n, p) + (a * p).ln() - fraction(a, b, q, p, lambda).ln()).exp()
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
    let lambda = (n as f64).mul_add(-p, s as f64) - p;
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
    let lambda = (n as f64).mul_add(p, -(s as f64)) - (1.0 - p);
    if lambda >= 0.0 { far_lower(s, n, p, lambda) } else { 1.0 - far_upper(s + 1, n, p, -lambda) }
}
