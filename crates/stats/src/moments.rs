//! Mean and variance of a sample, and a test of the variance.

use crate::chi_square::ChiSquare;
use crate::error::{StatsError, positive};

mod sealed {
    /// Closes [`super::Number`] to other crates.
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for u64 {}
}

/// What a sample may consist of: `f64` or `u64`.
pub trait Number: Copy + sealed::Sealed {
    /// The value as a float, to the nearest.
    fn to_f64(self) -> f64;
}

impl Number for f64 {
    fn to_f64(self) -> f64 {
        self
    }
}

impl Number for u64 {
    fn to_f64(self) -> f64 {
        self as f64
    }
}

/// The values as floats, at least `needed` of them, all finite.
fn checked<T: Number>(values: &[T], needed: usize) -> Result<Vec<f64>, StatsError> {
    if values.len() < needed {
        return Err(StatsError::TooFewValues { len: values.len(), needed });
    }
    let floats: Vec<f64> = values.iter().map(|v| v.to_f64()).collect();
    match floats.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(StatsError::NotFinite { index, value: floats[index] }),
        None => Ok(floats),
    }
}

/// Mean of finite floats, by Welford's running update, which cannot overflow.
fn running_mean(values: &[f64]) -> f64 {
    values.iter().zip(1_u64..).fold(0.0, |mean, (x, count)| mean + (x - mean) / count as f64)
}

/// The mean of at least one value.
///
/// # Errors
///
/// [`StatsError`] for an empty sample or one with NaN or infinity.
pub fn mean<T: Number>(values: &[T]) -> Result<f64, StatsError> {
    Ok(running_mean(&checked(values, 1)?))
}

/// The unbiased variance `s^2 = sum (x - mean)^2 / (n - 1)` of at least two values.
///
/// Method: two passes with the correction of T. F. Chan, G. H. Golub and R. J. LeVeque,
/// American Statistician 37:242-247, 1983, eq. (1.7), safe for a spread far below the mean.
///
/// # Errors
///
/// [`StatsError`] for fewer than two values, NaN or infinity.
pub fn sample_variance<T: Number>(values: &[T]) -> Result<f64, StatsError> {
    let values = checked(values, 2)?;
    let mean = running_mean(&values);
    let n = values.len() as f64;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    let rest: f64 = values.iter().map(|x| x - mean).sum();
    Ok(((squares - rest * rest / n) / (n - 1.0)).max(0.0))
}

/// Null: the values are independent draws from a normal law of variance `sigma2` and
/// unknown mean. Statistic `(n - 1) s^2 / sigma2`, chi-square with `n - 1` degrees of freedom;
/// [`ChiSquare::two_sided`] is the test of "another variance", `p_value` alone that of "a
/// larger one".
///
/// The law of the statistic leans on normality (its variance grows with the excess
/// kurtosis), so feed it means of many draws, as a rate measured over many trials is.
///
/// # Errors
///
/// [`StatsError`] for fewer than two values, NaN or infinity, or `sigma2` not positive.
pub fn variance_test(values: &[f64], sigma2: f64) -> Result<ChiSquare, StatsError> {
    let sigma2 = positive("sigma2", sigma2)?;
    let degrees = values.len().saturating_sub(1) as u64;
    let statistic = sample_variance(values)? / sigma2 * degrees as f64;
    Ok(ChiSquare::new(statistic, degrees))
}
