//! Exact tests of a proportion.

use crate::error::{StatsError, counts, probability};
use crate::tail;

/// Which departures from the null hypothesis count as evidence against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alternative {
    /// The rate is different.
    TwoSided,
    /// The rate is greater.
    Greater,
    /// The rate is smaller.
    Less,
}

impl Alternative {
    /// The p-value from the two one-sided ones; two-sided is `min(1, 2 min(tails))`.
    pub(crate) fn p_value(self, greater: impl Fn() -> f64, less: impl Fn() -> f64) -> f64 {
        match self {
            Self::Greater => greater(),
            Self::Less => less(),
            Self::TwoSided => (2.0 * greater().min(less())).min(1.0),
        }
    }
}

/// `P[S <= successes]`, `S` binomial with `trials` draws of probability `p`.
///
/// Domain: `trials >= 1`, `successes <= trials`, `p` in `[0, 1]`; `p = 0` and `p = 1`
/// are exact. Method: saddle-point probability times the continued fraction of
/// DiDonato and Morris (ACM TOMS 18(3), 1992), so that a tail of `1e-300` is as
/// good as one of `0.1`: relative error below `1e-11` for `trials` up to `1e12`.
///
/// # Errors
///
/// [`StatsError`] when an argument is outside its domain.
pub fn binomial_cdf(successes: u64, trials: u64, p: f64) -> Result<f64, StatsError> {
    counts(successes, trials)?;
    Ok(tail::lower(successes, trials, probability("p", p)?))
}

/// `P[S >= successes]` (the count itself included), `S` binomial with `trials` draws of
/// probability `p`.
///
/// Domain, method and accuracy as for [`binomial_cdf`].
///
/// # Errors
///
/// [`StatsError`] when an argument is outside its domain.
pub fn binomial_sf(successes: u64, trials: u64, p: f64) -> Result<f64, StatsError> {
    counts(successes, trials)?;
    Ok(tail::upper(successes, trials, probability("p", p)?))
}

/// The p-value of `successes` out of `trials` under the null hypothesis "every trial
/// succeeds with probability `p`, independently".
///
/// One-sided values are the exact tails, two-sided is `min(1, 2 min(tails))`. The test
/// is conservative: P[p-value <= alpha] <= alpha under the null.
///
/// Trials whose rates differ (independent, of mean `p`) give a sum of *smaller* variance
/// than the null: `Var[S] = sum p_i (1 - p_i) <= n p (1 - p)`. Such heterogeneity makes
/// the test more conservative, not less. What does widen the law is a rate shared by
/// many trials and drawn anew for each group: see [`crate::mixture`].
///
/// # Errors
///
/// [`StatsError`] when there are no trials, more successes than trials, or `p` is no
/// probability.
pub fn binomial_test(successes: u64, trials: u64, p: f64, alternative: Alternative) -> Result<f64, StatsError> {
    counts(successes, trials)?;
    let p = probability("p", p)?;
    Ok(alternative.p_value(|| tail::upper(successes, trials, p), || tail::lower(successes, trials, p)))
}
