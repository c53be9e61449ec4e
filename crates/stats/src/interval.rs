//! Confidence intervals for a proportion.

use crate::error::{StatsError, counts, inside_unit};
use crate::normal::normal_quantile;
use crate::tail;

/// A closed interval, `low <= high`; of rates inside `[0, 1]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Smallest compatible value.
    pub low: f64,
    /// Largest compatible value.
    pub high: f64,
}

impl Interval {
    /// Whether `rate` lies inside, ends included.
    pub fn contains(&self, rate: f64) -> bool {
        self.low <= rate && rate <= self.high
    }
}

/// The Wilson score interval (E. B. Wilson, JASA 22:209-212, 1927).
///
/// The rates `P` with `|s/n - P| <= z sqrt(P (1-P) / n)`, `s` successes of `n` trials,
/// `z` the two-sided normal quantile of `confidence`: the roots of
/// `(n + z^2) P^2 - (2 s + z^2) P + s^2/n = 0`. The upper root is taken directly, the
/// lower one from the product of the roots, so neither cancels. Coverage is
/// `confidence` on average over rates, not at each of them.
///
/// # Errors
///
/// [`StatsError`] without trials, with more successes than trials, or with a
/// `confidence` not strictly between 0 and 1.
pub fn wilson(successes: u64, trials: u64, confidence: f64) -> Result<Interval, StatsError> {
    counts(successes, trials)?;
    let z = -normal_quantile(0.5 * (1.0 - inside_unit("confidence", confidence)?))?;
    let (s, failures, n) = (successes as f64, (trials - successes) as f64, trials as f64);
    let root = z * (s * (failures / n) + 0.25 * z * z).sqrt();
    let upper = s + 0.5 * z * z + root;
    Ok(Interval { low: s * (s / n) / upper, high: (upper / (n + z * z)).min(1.0) })
}

/// The exact interval of C. J. Clopper and E. S. Pearson, Biometrika 26:404-413, 1934.
///
/// With `alpha = 1 - confidence`, `low` solves `P[S >= s] = alpha/2` and `high` solves
/// `P[S <= s] = alpha/2`; `low = 0` for `s = 0`, `high = 1` for `s = n`, and the other end
/// is closed there: `1 - (alpha/2)^(1/n)` and its mirror image. Coverage is at least
/// `confidence` at every rate. Method: bisection on the tails of [`crate::binomial`] to
/// a relative width of `1e-13`.
///
/// # Errors
///
/// As for [`wilson`].
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> Result<Interval, StatsError> {
    counts(successes, trials)?;
    let half = 0.5 * (1.0 - inside_unit("confidence", confidence)?);
    let (s, n) = (successes, trials);
    let rate = s as f64 / n as f64;
    let corner = half.ln() / n as f64;
    let low = match s {
        0 => 0.0,
        _ if s == n => corner.exp(),
        _ => bisect(0.0, rate, |p| tail::upper(s, n, p) >= half),
    };
    let high = match s {
        _ if s == n => 1.0,
        0 => -corner.exp_m1(),
        _ => bisect(rate, 1.0, |p| tail::lower(s, n, p) <= half),
    };
    Ok(Interval { low, high })
}

/// The point of `[low, high]` where `reached` turns from false to true.
pub(crate) fn bisect(mut low: f64, mut high: f64, reached: impl Fn(f64) -> bool) -> f64 {
    while high - low > 1e-13 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if reached(middle) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}
