//! What a sample says of its median, or of any other statistic, without a law for its values: the percentile bootstrap.
//!
//! Times are such samples: bounded below, with a long tail above that is the machine's and not the code's.

use crate::error::{StatsError, inside_unit};
use crate::interval::Interval;

/// Resamples of [`bootstrap_interval`]: the ends of a 95 % interval then rest on 25 of them each.
pub const RESAMPLES: usize = 1000;

/// The median; the mean of the middle two of an even number of values.
///
/// # Errors
/// [`StatsError::TooFewValues`] for none, [`StatsError::NotFinite`] for a value that is none.
pub fn median(values: &[f64]) -> Result<f64, StatsError> {
    if values.is_empty() {
        return Err(StatsError::TooFewValues { len: 0, needed: 1 });
    }
    finite(values)?;
    Ok(middle(&mut values.to_vec()))
}

fn finite(values: &[f64]) -> Result<(), StatsError> {
    match values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((index, value)) => Err(StatsError::NotFinite { index, value: *value }),
        None => Ok(()),
    }
}

fn middle(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { f64::midpoint(values[half - 1], values[half]) }
}

/// The percentile bootstrap: the central share `confidence` (strictly between 0 and 1) of `statistic` over [`RESAMPLES`]
/// samples of `len` indices below `len`, drawn with replacement from a generator seeded with `seed`.
///
/// Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3. With fewer than about ten values its
/// coverage of a median lies below the nominal one (a nominal 95 % is about 90 % for five normal values).
///
/// # Errors
/// [`StatsError::TooFewValues`] for fewer than 2 values, [`StatsError::NotFinite`] for a statistic that is none.
pub fn bootstrap_interval(
    len: usize,
    confidence: f64,
    seed: u64,
    mut statistic: impl FnMut(&[usize]) -> f64,
) -> Result<Interval, StatsError> {
    let tail = 0.5 * (1.0 - inside_unit("confidence", confidence)?);
    if len < 2 {
        return Err(StatsError::TooFewValues { len, needed: 2 });
    }
    let mut random = SplitMix(seed);
    let mut indices = vec![0; len];
    let mut seen = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        indices.iter_mut().for_each(|index| *index = random.below(len));
        seen.push(statistic(&indices));
    }
    finite(&seen)?;
    seen.sort_unstable_by(f64::total_cmp);
    // As many resamples lie outside on each side as the tail says.
    let outside = (tail * RESAMPLES as f64).floor() as usize;
    Ok(Interval { low: seen[outside], high: seen[RESAMPLES - 1 - outside] })
}

/// The interval of the median.
///
/// # Errors
/// As [`bootstrap_interval`].
pub fn median_interval(values: &[f64], confidence: f64, seed: u64) -> Result<Interval, StatsError> {
    finite(values)?;
    let mut drawn = vec![0.0; values.len()];
    bootstrap_interval(values.len(), confidence, seed, |indices| {
        drawn.iter_mut().zip(indices).for_each(|(slot, index)| *slot = values[*index]);
        middle(&mut drawn)
    })
}

/// The median of the ratios `above[i] / below[i]` of paired values with its interval.
///
/// Pairs are drawn as pairs: what slowed both of them down cancels.
///
/// # Errors
/// [`StatsError::LengthMismatch`] for unequal numbers, [`StatsError::NotFinite`] for a ratio that is none (a value of 0
/// below), and as [`bootstrap_interval`].
pub fn median_ratio(above: &[f64], below: &[f64], confidence: f64, seed: u64) -> Result<(f64, Interval), StatsError> {
    if above.len() != below.len() {
        return Err(StatsError::LengthMismatch { observed: above.len(), expected: below.len() });
    }
    let ratios: Vec<f64> = above.iter().zip(below).map(|(above, below)| above / below).collect();
    Ok((median(&ratios)?, median_interval(&ratios, confidence, seed)?))
}

/// Steele, Lea and Flood, OOPSLA 2014: enough for drawing indices, and the same on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, len: usize) -> usize {
        ((u128::from(self.next()) * len as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_numbers() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Ok(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Ok(2.5));
        assert_eq!(median(&[7.0]), Ok(7.0));
    }

    #[test]
    fn what_has_no_median_is_refused_by_value() {
        assert_eq!(median(&[]), Err(StatsError::TooFewValues { len: 0, needed: 1 }));
        assert_eq!(median_interval(&[1.0], 0.95, 1), Err(StatsError::TooFewValues { len: 1, needed: 2 }));
        let nan = median_interval(&[1.0, f64::NAN], 0.95, 1);
        assert!(matches!(nan, Err(StatsError::NotFinite { index: 1, .. })));
        let all = median_interval(&[1.0, 2.0], 1.0, 1);
        assert_eq!(all, Err(StatsError::NotInsideUnit { name: "confidence", value: 1.0 }));
        let lengths = median_ratio(&[1.0, 2.0], &[1.0], 0.95, 1);
        assert_eq!(lengths, Err(StatsError::LengthMismatch { observed: 2, expected: 1 }));
        assert!(matches!(median_ratio(&[1.0, 1.0], &[1.0, 0.0], 0.95, 1), Err(StatsError::NotFinite { index: 1, .. })));
    }

    /// Enumerated: of the 27 resamples of three distinct values, 7 have the least as their median and 7 the greatest, so
    /// that both ends of the central 95 % are values of the sample; of the central 40 % both are the middle one.
    #[test]
    fn three_values_have_the_interval_of_their_27_resamples() {
        let values = [1.0, 2.0, 10.0];
        assert_eq!(median_interval(&values, 0.95, 1), Ok(Interval { low: 1.0, high: 10.0 }));
        assert_eq!(median_interval(&values, 0.4, 1), Ok(Interval { low: 2.0, high: 2.0 }));
        let mut least = 0;
        bootstrap_interval(3, 0.95, 5, |indices| {
            least += u32::from(indices.iter().filter(|index| **index == 0).count() >= 2);
            0.0
        })
        .unwrap();
        // Binomial of 1000 trials at 7/27: five standard deviations are 69.
        assert!((190..=328).contains(&least), "{least}");
    }

    #[test]
    fn equal_seeds_give_equal_intervals_and_others_do_not() {
        let values: Vec<f64> = (0..40).map(|index| f64::from(index * index % 37)).collect();
        let at = |seed| bootstrap_interval(40, 0.95, seed, |of| of.iter().map(|index| values[*index]).sum()).unwrap();
        assert_eq!(at(1), at(1));
        assert_ne!(at(1), at(2));
    }

    /// Null: the interval covers the median of the law it was drawn from in about 95 of 100 samples of 15 values. 400 samples
    /// tell 0.95 from 0.85 and from 1: outside 0.90 to 0.985 lie fewer than 1 in 10,000.
    #[test]
    fn the_interval_covers_the_median() {
        let mut random = SplitMix(3);
        let mut covered = 0;
        for seed in 0..400 {
            // Exponential: skewed, as times are; its median is ln 2.
            let values: Vec<f64> =
                (0..15).map(|_| -((random.next() >> 11) as f64 + 0.5).ln() + ((1u64 << 53) as f64).ln()).collect();
            let interval = median_interval(&values, 0.95, seed).unwrap();
            covered += u32::from((interval.low..=interval.high).contains(&std::f64::consts::LN_2));
        }
        assert!((360..=394).contains(&covered), "{covered} of 400");
    }

    #[test]
    fn what_slows_both_down_cancels_in_ratios() {
        let noise: Vec<f64> = (0..9).map(|index| 1.0 + f64::from(index * index % 7)).collect();
        let (above, below) = (noise.iter().map(|of| of * 3.0).collect::<Vec<_>>(), noise);
        let (ratio, interval) = median_ratio(&above, &below, 0.95, 1).unwrap();
        assert!((ratio - 3.0).abs() < 1e-12 && interval.high - interval.low < 1e-12, "{ratio} {interval:?}");
    }
}
