//! The mean of independent repetitions whose spread is not known beforehand: Student's t.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::binomial::Alternative;
use crate::error::{StatsError, inside_unit, not_negative, positive};
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

/// Number, mean and unbiased variance of independent values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// How many values.
    pub len: u64,
    /// Their mean.
    pub mean: f64,
    /// Their unbiased variance.
    pub variance: f64,
}

impl Moments {
    /// Those of a sample.
    ///
    /// # Errors
    /// [`StatsError::TooFewValues`] for fewer than 2 values, [`StatsError::NotFinite`] for a value that is none.
    pub fn of(values: &[f64]) -> Result<Self, StatsError> {
        let variance = moments::sample_variance(values)?;
        Ok(Self { len: values.len() as u64, mean: moments::mean(values)?, variance })
    }

    /// Those of `len` counts of which sum and sum of squares are known, each divided by `unit` (their number of trials).
    ///
    /// The variance is a difference of products, which are exact: nothing cancels. Sums that no counts have give 0.
    ///
    /// # Errors
    /// [`StatsError::TooFewValues`] for fewer than 2 counts, [`StatsError::NotPositive`] for a unit that is not.
    pub fn of_counts(len: u64, sum: u64, squares: u64, unit: f64) -> Result<Self, StatsError> {
        let unit = positive("unit", unit)?;
        if len < 2 {
            return Err(StatsError::TooFewValues { len: len as usize, needed: 2 });
        }
        let [n, s, q] = [len, sum, squares].map(u128::from);
        let spread = n.saturating_mul(q).saturating_sub(s.saturating_mul(s)) as f64;
        let variance = spread / (len as f64 * (len - 1) as f64) / unit.powi(2);
        Ok(Self { len, mean: sum as f64 / len as f64 / unit, variance })
    }

    /// The square of the standard error of the mean.
    #[must_use]
    pub fn error_squared(&self) -> f64 {
        self.variance / self.len as f64
    }
}

/// The two-sided p-value of two samples under the null hypothesis that their means are equal (B. L. Welch, Biometrika
/// 34:28-35, 1947; degrees of freedom by his approximation).
///
/// Null hypothesis: independent values of two normal laws with one mean and any two variances; for other laws the level
/// holds better the more values there are. Two samples of equal values each give 1 where the values are the same (to a
/// relative `1e-12`) and 0 where they are not.
///
/// # Errors
/// [`StatsError::TooFewValues`] for fewer than 2 values on either side.
pub fn difference_test(one: &Moments, other: &Moments) -> Result<f64, StatsError> {
    if let Some(short) = [one, other].into_iter().find(|of| of.len < 2) {
        return Err(StatsError::TooFewValues { len: short.len as usize, needed: 2 });
    }
    let (a, b) = (one.error_squared(), other.error_squared());
    let (off, size) = (one.mean - other.mean, one.mean.abs().max(other.mean.abs()));
    let error = (a + b).sqrt();
    if error <= 1e-14 * size {
        return Ok(if off.abs() <= 1e-12 * size { 1.0 } else { 0.0 });
    }
    let degrees = (a + b).powi(2) / (a.powi(2) / (one.len - 1) as f64 + b.powi(2) / (other.len - 1) as f64);
    let law =
        StudentsT::new(0.0, 1.0, degrees).map_err(|_| StatsError::NotPositive { name: "degrees", value: degrees })?;
    Ok((2.0 * law.sf((off / error).abs())).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts 1, 2, 3, 6 and their sums give the same moments; of 10 trials each they are rates.
    #[test]
    fn moments_of_sums_are_those_of_the_sample() {
        let direct = Moments::of(&[0.1, 0.2, 0.3, 0.6]).unwrap();
        let sums = Moments::of_counts(4, 12, 50, 10.0).unwrap();
        assert_eq!(direct.len, sums.len);
        assert!((direct.mean - sums.mean).abs() < 1e-15 && (direct.variance - sums.variance).abs() < 1e-15);
        assert!((sums.error_squared() - sums.variance / 4.0).abs() < 1e-18);
        // Large counts that differ by one: the variance is not lost.
        let large = 3_000_000_000u64;
        let squares = large * large + (large + 1) * (large + 1);
        let two = Moments::of_counts(2, 2 * large + 1, squares, 1.0).unwrap();
        assert_eq!(two.variance, 0.5);
        assert!(Moments::of_counts(1, 1, 1, 1.0).is_err() && Moments::of_counts(2, 1, 1, 0.0).is_err());
    }

    /// Two samples of two values each, of equal variance, have Student's law with 2 degrees, whose tail is closed:
    /// `P[T > t] = 1/2 - t / (2 sqrt(2 + t^2))`. Values 0, 2 and 3, 5: t = 3 / sqrt(2).
    #[test]
    fn two_samples_of_equal_variance() {
        let (one, other) = (Moments::of(&[0.0, 2.0]).unwrap(), Moments::of(&[3.0, 5.0]).unwrap());
        let t = 3.0 / 2.0_f64.sqrt();
        let right = 1.0 - t / (2.0 + t * t).sqrt();
        assert!((difference_test(&one, &other).unwrap() - right).abs() < 1e-9);
        assert_eq!(difference_test(&one, &other), difference_test(&other, &one));
        assert_eq!(difference_test(&one, &one), Ok(1.0));
    }

    /// A sample without spread adds no noise: the other one alone decides, as in [`mean_test`] with one degree less than it
    /// has values.
    #[test]
    fn a_constant_sample_is_an_expectation() {
        let constant = Moments::of(&[4.0; 9]).unwrap();
        let sample = Moments::of(&SAMPLE).unwrap();
        let right = mean_test(&SAMPLE, 4.0, Alternative::TwoSided).unwrap();
        assert!((difference_test(&sample, &constant).unwrap() - right).abs() < 1e-12);
        assert_eq!(difference_test(&constant, &Moments::of(&[4.5; 2]).unwrap()), Ok(0.0));
        assert_eq!(difference_test(&constant, &constant), Ok(1.0));
        assert!(difference_test(&constant, &Moments { len: 1, ..constant }).is_err());
    }

    /// Null: equal means. Of 2000 pairs of samples of 8 and 20 uniform values, of unequal spread, 5 % are below 0.05: between
    /// 3.5 and 6.5 % with a probability of 0.998.
    #[test]
    fn the_level_holds_for_unequal_spreads() {
        let mut state = 7u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut low = 0;
        for _ in 0..2000 {
            let one: Vec<f64> = (0..8).map(|_| uniform()).collect();
            let other: Vec<f64> = (0..20).map(|_| 5.0 * uniform()).collect();
            let p = difference_test(&Moments::of(&one).unwrap(), &Moments::of(&other).unwrap()).unwrap();
            low += u32::from(p < 0.05);
        }
        assert!((70..=130).contains(&low), "{low} of 2000");
    }

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
