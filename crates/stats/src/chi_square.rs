//! Pearson's chi-square test of counts against expectations.

use statrs::function::gamma::{checked_gamma_lr, checked_gamma_ur};

use crate::error::StatsError;
use crate::tail::at_most_one;

/// Smallest expected count for which the chi-square law is used.
const MIN_EXPECTED: f64 = 5.0;

/// The outcome of a chi-square test, with both tails.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChiSquare {
    /// `X^2 = sum (observed - expected)^2 / expected`, or `(n-1) s^2 / sigma^2`.
    pub statistic: f64,
    /// Degrees of freedom.
    pub degrees: u64,
    /// Upper tail `P[chi^2 >= X^2]`: small when the counts are too far from expectation.
    pub p_value: f64,
    /// Lower tail `P[chi^2 <= X^2]`: small when the counts are too close to expectation,
    /// as those of a generator that is not random.
    pub p_too_regular: f64,
}

impl ChiSquare {
    /// Both tails of the chi-square law, by the regularised incomplete gamma functions
    /// `Q(degrees/2, statistic/2)` and `P(degrees/2, statistic/2)`,
    /// to about eight digits. NaN tails for a NaN statistic or no degrees of freedom.
    #[must_use]
    pub fn new(statistic: f64, degrees: u64) -> Self {
        let (shape, half) = (0.5 * degrees as f64, 0.5 * statistic);
        let (upper, lower) = if half.is_nan() || degrees == 0 {
            (f64::NAN, f64::NAN)
        } else if half > 0.0 && half.is_finite() {
            let clamp = |tail: f64| tail.clamp(0.0, 1.0);
            (
                checked_gamma_ur(shape, half).map_or(f64::NAN, clamp),
                checked_gamma_lr(shape, half).map_or(f64::NAN, clamp),
            )
        } else if half > 0.0 {
            (0.0, 1.0)
        } else {
            (1.0, 0.0)
        };
        Self { statistic, degrees, p_value: upper, p_too_regular: lower }
    }

    /// `min(1, 2 min(p_value, p_too_regular))`.
    pub fn two_sided(&self) -> f64 {
        at_most_one(2.0 * self.p_value.min(self.p_too_regular))
    }
}

/// Null: every cell is equally likely. `counts.len() - 1` degrees of freedom.
///
/// # Errors
///
/// [`StatsError`] with fewer than two cells, or fewer than 5 counts per cell on average.
pub fn chi_square_uniform(counts: &[u64]) -> Result<ChiSquare, StatsError> {
    let total: f64 = counts.iter().map(|&c| c as f64).sum();
    chi_square_fit(counts, &vec![total / counts.len() as f64; counts.len()])
}

/// Null: the cells have the `expected` counts. `observed.len() - 1` degrees of freedom, so
/// the expectations must come from a hypothesis, not from the data, and add up to the
/// observed total (to one part in a million).
///
/// # Errors
///
/// [`StatsError`] when the lengths or the totals differ, with fewer than two cells, or
/// when an expected count is below 5: merge cells first.
pub fn chi_square_fit(observed: &[u64], expected: &[f64]) -> Result<ChiSquare, StatsError> {
    if observed.len() != expected.len() {
        return Err(StatsError::LengthMismatch { observed: observed.len(), expected: expected.len() });
    }
    if observed.len() < 2 {
        return Err(StatsError::TooFewValues { len: observed.len(), needed: 2 });
    }
    let small = |e: &f64| !(e.is_finite() && *e >= MIN_EXPECTED);
    if let Some(index) = expected.iter().position(small) {
        return Err(StatsError::SmallExpectation { index, value: expected[index] });
    }
    let seen: f64 = observed.iter().map(|&c| c as f64).sum();
    let foreseen: f64 = expected.iter().sum();
    if (seen - foreseen).abs() > 1e-6 * foreseen {
        return Err(StatsError::TotalMismatch { observed: seen, expected: foreseen });
    }
    let statistic = observed.iter().zip(expected).map(|(&o, &e)| (o as f64 - e).powi(2) / e).sum();
    Ok(ChiSquare::new(statistic, observed.len() as u64 - 1))
}
