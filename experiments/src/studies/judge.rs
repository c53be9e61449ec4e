//! A quantity over repetitions against its theory.

use amq::Claim;
use stats::{Alternative, StatsError};

use super::{Formula, Kind};
use crate::verdict::{ALPHA, POWER, Verdict};

/// Of the resamples behind the interval of a median: derived data are the same whenever they are derived.
pub(super) const BOOTSTRAP_SEED: u64 = 1;

/// What repetitions say of a quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judged {
    /// The estimate: all sums over all trials, or the least time in nanoseconds.
    pub value: Option<f64>,
    /// The median of a time over repetitions, in nanoseconds.
    pub median: Option<f64>,
    /// Lower end of the 95 % interval, of a time that of its median; `None` for a single repetition of either mean.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// All trials.
    pub trials: u64,
    /// Of the formula; two-sided for what is claimed on both sides.
    pub p_value: Option<f64>,
    /// The smallest relative difference that would have been seen with probability [`POWER`].
    pub detectable: Option<f64>,
    /// Of the formula, where one is tested.
    pub verdict: Option<Verdict>,
}

/// Judges a quantity from the (sum, trials) of each repetition, against `formula` if there is one, planned to see `effect`.
///
/// The test holds the ratios of single repetitions against Student's law, because what varies from one to the next is what
/// the theory of a mean cannot tell. A share is held against the binomial law too and must fail both: repetitions with a
/// handful of events are no normal sample, and trials inside a repetition need not be independent.
///
/// # Errors
/// [`StatsError`] for more successes than trials.
pub fn judge(kind: Kind, pairs: &[(u64, u64)], formula: Option<&Formula>, effect: f64) -> Result<Judged, StatsError> {
    let seen: Vec<(u64, u64)> = pairs.iter().copied().filter(|(_, trials)| *trials > 0).collect();
    let (sum, trials) = seen.iter().fold((0, 0), |all: (u64, u64), one| (all.0 + one.0, all.1 + one.1));
    let mut judged = Judged { trials, ..Judged::default() };
    let ratios: Vec<f64> = seen.iter().map(|(sum, trials)| *sum as f64 / *trials as f64).collect();
    let untested = |mut judged: Judged| {
        judged.verdict = formula.map(|_| Verdict::NotTested);
        Ok(judged)
    };
    if seen.is_empty() {
        return untested(judged);
    }
    if kind == Kind::Time {
        let times: Vec<f64> = ratios.iter().map(|ps| ps / 1000.0).collect();
        judged.value = times.iter().copied().reduce(f64::min);
        judged.median = stats::median(&times).ok();
        let interval = stats::median_interval(&times, 0.95, BOOTSTRAP_SEED).ok();
        (judged.low, judged.high) = (interval.map(|of| of.low), interval.map(|of| of.high));
        return Ok(judged);
    }
    let value = sum as f64 / trials as f64;
    judged.value = Some(value);
    let mut interval = stats::mean_interval(&ratios, 0.95).ok().map(|of| (of.low, of.high));
    if kind == Kind::Share {
        let wilson = stats::wilson(sum, trials, 0.95)?;
        let (low, high) = interval.unwrap_or((value, value));
        interval = Some((low.min(wilson.low).max(0.0), high.max(wilson.high).min(1.0)));
    }
    (judged.low, judged.high) = (interval.map(|of| of.0), interval.map(|of| of.1));
    let Some(formula) = formula.filter(|formula| formula.claim != Claim::Limit && formula.value.is_finite()) else {
        return untested(judged);
    };
    if kind == Kind::Mean && sum == 0 && formula.value != 0.0 {
        // Nothing at all was seen: repetitions that are all 0 tell nothing of their spread.
        return untested(judged);
    }
    let margin = if let Claim::Approximate { rel } = formula.claim { rel } else { 0.0 };
    let tail = |expected: f64, side| -> Result<f64, StatsError> {
        // One repetition of a mean tells nothing of its spread; of a share, the binomial law is all there is, and
        // trials inside it may depend on each other: not tested either.
        let Ok(student) = stats::mean_test(&ratios, expected, side) else { return Ok(1.0) };
        Ok(match kind {
            Kind::Share => student.max(stats::binomial_test(sum, trials, expected.clamp(0.0, 1.0), side)?),
            Kind::Mean | Kind::Time => student,
        })
    };
    let above = match formula.claim {
        Claim::AtLeast => 1.0,
        _ => tail(formula.value * (1.0 + margin), Alternative::Greater)?,
    };
    let below = match formula.claim {
        Claim::AtMost => 1.0,
        _ => tail(formula.value * (1.0 - margin), Alternative::Less)?,
    };
    judged.p_value = Some((2.0 * above.min(below)).min(1.0));
    judged.detectable = detectable(kind, &ratios, trials, formula.value);
    judged.verdict = Some(match (above < ALPHA / 2.0, below < ALPHA / 2.0) {
        (true, _) => Verdict::AboveTheory,
        (_, true) => Verdict::BelowTheory,
        _ if judged.detectable.is_some_and(|seen| seen <= effect) => Verdict::Agrees,
        _ => Verdict::NotTested,
    });
    Ok(judged)
}

/// The relative difference that the sample shows. A share of 0 or 1 leaves nothing relative to see: there, a thousand
/// trials in four repetitions are enough to tell.
fn detectable(kind: Kind, ratios: &[f64], trials: u64, expected: f64) -> Option<f64> {
    let error = (stats::sample_variance(ratios).ok()? / ratios.len() as f64).sqrt();
    if expected == 0.0 || (kind == Kind::Share && expected == 1.0) {
        return (trials >= 1000 && ratios.len() >= 4).then_some(0.0);
    }
    let distance = stats::detectable_distance(ratios.len(), error, ALPHA, POWER).ok()?;
    let student = distance / expected.abs();
    match kind {
        // Near 1 there is no room above; what is seen below it is relative to the whole.
        Kind::Share if (0.0..1.0).contains(&expected) => {
            let binomial = stats::detectable_effect(expected.min(1.0 - expected), trials, 0.0, ALPHA, POWER).ok()?;
            Some(student.max(binomial * expected.min(1.0 - expected) / expected))
        }
        _ => Some(student),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::{EXACT, Formula};

    fn formula(value: f64, claim: Claim) -> Formula {
        Formula::of("q", "f", value, claim, "here")
    }

    fn verdict(kind: Kind, pairs: &[(u64, u64)], value: f64, claim: Claim) -> Verdict {
        judge(kind, pairs, Some(&formula(value, claim)), 0.1).unwrap().verdict.unwrap()
    }

    /// Sixteen repetitions around 0.25 with a binomial-like spread.
    fn quarter() -> Vec<(u64, u64)> {
        (0..16).map(|index| (25_000 + (index * 37) % 240 - 120, 100_000)).collect()
    }

    #[test]
    fn a_share_agrees_with_its_rate_and_with_no_other() {
        assert_eq!(verdict(Kind::Share, &quarter(), 0.25, EXACT), Verdict::Agrees);
        assert_eq!(verdict(Kind::Share, &quarter(), 0.22, EXACT), Verdict::AboveTheory);
        assert_eq!(verdict(Kind::Share, &quarter(), 0.28, EXACT), Verdict::BelowTheory);
        assert_eq!(verdict(Kind::Share, &quarter(), 0.28, Claim::AtMost), Verdict::Agrees);
        assert_eq!(verdict(Kind::Share, &quarter(), 0.22, Claim::AtLeast), Verdict::Agrees);
        assert_eq!(verdict(Kind::Share, &quarter(), 0.28, Claim::Limit), Verdict::NotTested);
        assert_eq!(verdict(Kind::Share, &quarter(), 0.28, Claim::Approximate { rel: 0.12 }), Verdict::Agrees);
    }

    #[test]
    fn what_varies_between_repetitions_is_not_taken_for_a_finding() {
        // Whole repetitions of nothing and of everything: a hundred thousand trials each say little about the mean.
        let pairs: Vec<(u64, u64)> = (0..16).map(|index| ((index % 2) * 100_000, 100_000)).collect();
        assert_eq!(verdict(Kind::Share, &pairs, 0.45, EXACT), Verdict::NotTested);
    }

    #[test]
    fn rare_events_are_no_finding_by_chance() {
        let none: Vec<(u64, u64)> = vec![(0, 1000); 16];
        assert_eq!(verdict(Kind::Share, &none, 1e-4, EXACT), Verdict::NotTested);
        assert_eq!(verdict(Kind::Share, &none, 0.0, EXACT), Verdict::Agrees);
        assert_eq!(verdict(Kind::Share, &none, 0.01, EXACT), Verdict::BelowTheory);
    }

    #[test]
    fn one_repetition_is_never_enough() {
        assert_eq!(verdict(Kind::Share, &[(250, 1000)], 0.5, EXACT), Verdict::NotTested);
        assert_eq!(verdict(Kind::Mean, &[(250, 10)], 25.0, EXACT), Verdict::NotTested);
        let judged = judge(Kind::Mean, &[(250, 10)], None, 0.1).unwrap();
        assert_eq!((judged.value, judged.low, judged.verdict), (Some(25.0), None, None));
    }

    #[test]
    fn equal_repetitions_are_compared_to_the_last_digit() {
        let pairs = vec![(1230, 1000); 4];
        assert_eq!(verdict(Kind::Mean, &pairs, 1.23, EXACT), Verdict::Agrees);
        assert_eq!(verdict(Kind::Mean, &pairs, 1.231, EXACT), Verdict::BelowTheory);
    }

    #[test]
    fn a_mean_of_nothing_seen_is_not_tested() {
        assert_eq!(verdict(Kind::Mean, &[(0, 1000); 16], 1e-6, EXACT), Verdict::NotTested);
        assert_eq!(verdict(Kind::Mean, &[(0, 1000); 16], 0.0, EXACT), Verdict::Agrees);
    }

    #[test]
    fn a_time_is_the_least_in_nanoseconds() {
        let judged = judge(Kind::Time, &[(4_000_000, 1000), (3_000_000, 1000)], None, 0.1).unwrap();
        assert_eq!((judged.value, judged.median, judged.verdict), (Some(3.0), Some(3.5), None));
        assert_eq!((judged.low, judged.high), (Some(3.0), Some(4.0)));
        let once = judge(Kind::Time, &[(4_000_000, 1000)], None, 0.1).unwrap();
        assert_eq!((once.value, once.median, once.low, once.high), (Some(4.0), Some(4.0), None, None));
    }
}
