//! Tests of a proportion whose rate varies from group to group.
//!
//! Repeat an experiment with fresh randomness and each repetition has a rate of its
//! own; the mean of those rates over the repetitions at hand is a random number with a
//! standard deviation `sd`. Many trials per repetition shrink the binomial noise but
//! not this one, and a binomial test would reject a true rate almost surely.
//!
//! **Null hypothesis.** `R` is normal with mean `p` and standard deviation `sd`, conditioned on
//! `[0, 1]`; given `R = r`, the count `S` is binomial with `n` trials of probability `r`.
//!
//! **Method.** `P[S >= s | r] = P[B <= r]` with `B` Beta distributed, parameters `s` and
//! `n - s + 1`, so integrating by parts
//!
//! `P[S >= s] = integral over [0, 1] of f_B(r) P[R >= r] dr`,
//!
//! and likewise `P[S <= s]` with parameters `s + 1`, `n - s` and `P[R <= r]`. Both factors are
//! log-concave, so the integrand has one peak at any distance from the mean. It is
//! found by golden section, followed down to `e^-45` of its height on either side, and
//! integrated there by adaptive Simpson panels, scaled by the height. No range of `R`
//! is cut off, so a p-value of `1e-100` is as good as one of `0.1`
//! (relative error below `1e-8` for counts up to `1e12`), and `sd -> 0` tends smoothly to the binomial test.
//!
//! **Heterogeneity is another thing.** Rates that differ *between trials of one group*
//! but are fixed (independent trials of rates `p_i`, mean `p`) give a count of variance
//! `sum p_i (1 - p_i) = n p (1 - p) - sum (p_i - p)^2`, at most the binomial one: no widening
//! is needed, and none should be granted.

use std::f64::consts::TAU;

use crate::binomial::Alternative;
use crate::error::{StatsError, counts, not_negative, probability};
use crate::normal::{ln_sf, normal_cdf};
use crate::quadrature::integrate;
use crate::saddle::{excess, ln_pmf};
use crate::tail;

/// Beyond this standard deviation the rate is uniform on `[0, 1]` to twelve digits; much
/// further out the distances `r / sd` would lose theirs.
const WIDEST: f64 = 1e6;

/// A rate of smaller standard deviation does not vary.
const NARROWEST: f64 = 1e-290;

/// The p-value of `successes` out of `trials` when the rate itself is normal with mean `p`
/// and standard deviation `sd_of_mean_rate` (an absolute number, not relative to `p`),
/// conditioned on `[0, 1]`.
///
/// Null, method and accuracy: see the [module](self). Two-sided is `min(1, 2 min(tails))`.
/// With `sd_of_mean_rate = 0` this is [`crate::binomial_test`].
///
/// # Errors
///
/// [`StatsError`] without trials, with more successes than trials, with `p` outside
/// `[0, 1]`, or with a standard deviation that is negative or not finite.
pub fn overdispersed_test(
    successes: u64,
    trials: u64,
    p: f64,
    sd_of_mean_rate: f64,
    alternative: Alternative,
) -> Result<f64, StatsError> {
    counts(successes, trials)?;
    let p = probability("p", p)?;
    let sd = not_negative("sd_of_mean_rate", sd_of_mean_rate)?;
    Ok(alternative.p_value(|| upper(successes, trials, p, sd), || lower(successes, trials, p, sd)))
}

/// `P[S >= s]` under the mixture.
pub(crate) fn upper(s: u64, n: u64, p: f64, sd: f64) -> f64 {
    if s == 0 || s > n || is_binomial(s, n, p, sd) {
        return tail::upper(s, n, p);
    }
    let sd = sd.min(WIDEST);
    let scale = (n as f64).ln() - ln_normal(-p / sd, (1.0 - p) / sd, 1.0 / sd);
    peak_integral(p, sd, s, |r| {
        scale + ln_pmf(s - 1, n - 1, r) + ln_normal((r - p) / sd, (1.0 - p) / sd, (1.0 - r) / sd)
    })
}

/// `P[S <= s]` under the mixture.
pub(crate) fn lower(s: u64, n: u64, p: f64, sd: f64) -> f64 {
    if s >= n || is_binomial(s, n, p, sd) {
        return tail::lower(s, n, p);
    }
    let sd = sd.min(WIDEST);
    let scale = (n as f64).ln() - ln_normal(-p / sd, (1.0 - p) / sd, 1.0 / sd);
    peak_integral(p, sd, s, |r| scale + ln_pmf(s, n - 1, r) + ln_normal((p - r) / sd, p / sd, r / sd))
}

/// Whether `sd` changes no digit that counts: the tails change by about `(sd d)^2 / 2`, `d`
/// the logarithmic derivative of the tail in `p`, at most about
/// `|s - n p| / (p q) + sqrt(n / (p q))`.
fn is_binomial(s: u64, n: u64, p: f64, sd: f64) -> bool {
    let pq = p * (1.0 - p);
    sd < NARROWEST || sd * (excess(s, n, p).abs() / pq + (n as f64 / pq).sqrt()) < 1e-6
}

/// `ln P[a <= Z <= b]`, `Z` standard normal, also where it underflows or where
/// `width = b - a` is lost in `a`: then by the midpoint rule with its first two corrections.
fn ln_normal(a: f64, b: f64, width: f64) -> f64 {
    let (h, m) = (0.5 * width, a + 0.5 * width);
    if h * (1.0 + m.abs()) < 0.01 {
        let (h2, m2) = (h * h, m * m);
        let series = h2 * ((m2 - 1.0) / 6.0 + h2 * (m2 * (m2 - 6.0) + 3.0) / 120.0);
        return width.ln() - 0.5 * m2 - 0.5 * TAU.ln() + series.ln_1p();
    }
    if a > 0.0 {
        let above = ln_sf(a);
        return above + (-(ln_sf(b) - above).exp()).ln_1p();
    }
    (normal_cdf(b) - normal_cdf(a)).ln()
}

/// `integral of exp(g)` over `[0, 1]` for a concave `g` with a feature of width `sd` at `p`.
///
/// At a count of `s` rounding of `r` alone moves `exp(g)` by about `sqrt(s)` roundings.
fn peak_integral(p: f64, sd: f64, s: u64, g: impl Fn(f64) -> f64) -> f64 {
    let peak = golden_section(&g);
    let height = g(peak);
    if height < -750.0 {
        return 0.0; // the integral is at most e^height, which underflows
    }
    let falls = |r: f64| g(r) < height - 45.0;
    let low = if falls(0.0) { edge(0.0, peak, falls) } else { 0.0 };
    let high = if falls(1.0) { edge(1.0, peak, falls) } else { 1.0 };
    let mut breaks = vec![low, peak, high];
    breaks.extend([-8.0, -3.0, 0.0, 3.0, 8.0].map(|z| p + z * sd));
    breaks.retain(|r| (low..=high).contains(r));
    breaks.sort_by(f64::total_cmp);
    let relative = 1e-11 + 2e-15 * (s as f64).sqrt();
    let area = integrate(&|r| (g(r) - height).exp(), &breaks, relative);
    tail::at_most_one((height + area.ln()).exp())
}

/// The point between `outside`, where `falls` holds, and `inside`, where it does not, at
/// which it starts to hold; on its outer side.
fn edge(mut outside: f64, mut inside: f64, falls: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (outside + inside);
        if middle == outside || middle == inside {
            break;
        }
        if falls(middle) { outside = middle } else { inside = middle }
    }
    outside
}

/// The point of `[0, 1]` where the concave `g` is largest.
fn golden_section(g: &impl Fn(f64) -> f64) -> f64 {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (0.0, 1.0);
    let (mut x, mut y) = (b - RATIO * (b - a), a + RATIO * (b - a));
    let (mut gx, mut gy) = (g(x), g(y));
    while b - a > 4.0 * f64::EPSILON * b && b - a > 1e-300 {
        if gx >= gy {
            (b, y, gy) = (y, x, gx);
            x = b - RATIO * (b - a);
            gx = g(x);
        } else {
            (a, x, gx) = (x, y, gy);
            y = a + RATIO * (b - a);
            gy = g(y);
        }
    }
    if gx >= gy { x } else { y }
}
