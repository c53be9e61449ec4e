//! The mean of independent repetitions whose spread is not known beforehand: Student's t.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::binomial::Alternative;
use crate::error::{StatsError, inside_unit, not_negative};
use crate::interval::{Interval, bisect};
use crate::moments;

/// Mean, and standard error of the mean, of a sample.
fn summary(values: &[f64]) -> Result<(f64, f64), StatsError> {
    let variance = moments::sample_variance(values)?;
    Ok((moments::mean(values)?, (variance / values.len() as f64).sqrt()))
}

/// Student's law with one degree fewer than there are values.
fn law(len: usize) -> Result<StudentsT, StatsError> {
    let degrees = len.saturating_sub(1) as f64;
    StudentsT::new(0.0, 1.0, degrees).map_err(|_| StatsError::TooFewValues { len, needed: 2 })
}

/// The `t` of which the law exceeds it with probability `tail`, at most a half.
fn upper_quantile(law: &StudentsT, tail: f64) -> f64 {
    let mut high = 1.0;
    while law.sf(high) > tail && high < f64::MAX {
        high *= 2.0;
    }
    bisect(0.0, high, |t| law.sf(t) <= tail)
}

/// The p-value of a sample under the null hypothesis that its mean is `expected`.
///
/// Null hypothesis: independent values of one normal law with mean `expected` and any variance; for other laws the level
/// holds better the more values there are and the closer their law is to the normal one. A sample of equal values gives 1
/// where they are `expected` (to a relative `1e-12`) and 0 on the side where they are not.
///
/// # Errors
/// [`StatsError::TooFewValues`] for fewer than 2 values, [`StatsError::NotFinite`] for a value that is none.
pub fn mean_test(values: &[f64], expected: f64, alternative: Alternative) -> Result<f64, StatsError> {
    let (mean, error) = summary(values)?;
    let law = law(values.len())?;
    let off = mean - expected;
    if error <= 1e-14 * mean.abs() {
        let same = off.abs() <= 1e-12 * expected.abs();
        let tail = |side: f64| if same || side * off < 0.0 { 1.0 } else { 0.0 };
        return Ok(alternative.p_value(|| tail(1.0), || tail(-1.0)));
    }
    let t = off / error;
    Ok(alternative.p_value(|| law.sf(t), || law.cdf(t)))
}

/// The interval of the mean at `confidence` (strictly between 0 and 1).
///
/// # Errors
/// As [`mean_test`].
pub fn mean_interval(values: &[f64], confidence: f64) -> Result<Interval, StatsError> {
    let (mean, error) = summary(values)?;
    let tail = 0.5 * (1.0 - inside_unit("confidence", confidence)?);
    let half = upper_quantile(&law(values.len())?, tail) * error;
    Ok(Interval { low: mean - half, high: mean + half })
}

/// The smallest distance from the expected mean that a sample of `len` values with standard error `error` shows with
/// probability `power` in a two-sided [`mean_test`] at level `alpha`; in the unit of the values.
///
/// # Errors
/// [`StatsError::TooFewValues`] for `len < 2`, and the usual ones for levels outside `(0, 1)` and a negative error.
pub fn detectable_distance(len: usize, error: f64, alpha: f64, power: f64) -> Result<f64, StatsError> {
    let law = law(len)?;
    let error = not_negative("error", error)?;
    let critical = upper_quantile(&law, 0.5 * inside_unit("alpha", alpha)?);
    let power = inside_unit("power", power)?;
    let reserve = if power < 0.5 { -upper_quantile(&law, power) } else { upper_quantile(&law, 1.0 - power) };
    Ok(error * (critical + reserve))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: [f64; 5] = [2.0, 4.0, 4.0, 5.0, 10.0];

    /// Mean 5, standard error sqrt(9/5); t(4 degrees) has its 97.5 % quantile at 2.776445105.
    #[test]
    fn interval_and_test_are_students() {
        let interval = mean_interval(&SAMPLE, 0.95).unwrap();
        let half = 2.776_445_105 * 1.8_f64.sqrt();
        assert!((interval.low - (5.0 - half)).abs() < 1e-6 && (interval.high - (5.0 + half)).abs() < 1e-6);
        assert!((mean_test(&SAMPLE, interval.low, Alternative::TwoSided).unwrap() - 0.05).abs() < 1e-6);
        assert!((mean_test(&SAMPLE, interval.low, Alternative::Greater).unwrap() - 0.025).abs() < 1e-6);
        assert!((mean_test(&SAMPLE, interval.low, Alternative::Less).unwrap() - 0.975).abs() < 1e-6);
    }

    #[test]
    fn equal_values_are_right_or_wrong() {
        assert_eq!(mean_test(&[3.0; 4], 3.0, Alternative::TwoSided), Ok(1.0));
        assert_eq!(mean_test(&[3.0; 4], 2.9, Alternative::Greater), Ok(0.0));
        assert_eq!(mean_test(&[3.0; 4], 2.9, Alternative::Less), Ok(1.0));
    }

    #[test]
    fn a_distance_that_is_detectable_is_far_outside_the_interval() {
        let distance = detectable_distance(16, 0.1, 1e-7, 0.999).unwrap();
        // Critical value 9.2 at 15 degrees, and the quantile 3.7 of the power.
        assert!((1.2..1.4).contains(&distance), "{distance}");
        assert!(detectable_distance(1, 0.1, 1e-7, 0.999).is_err());
    }

    #[test]
    fn too_few_values_are_refused() {
        assert!(matches!(mean_test(&[1.0], 1.0, Alternative::TwoSided), Err(StatsError::TooFewValues { .. })));
        assert!(mean_interval(&[1.0, f64::NAN], 0.95).is_err());
    }
}
