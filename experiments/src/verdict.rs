//! From counts to a verdict on the theory.
//!
//! Two levels of chance. *Given the filter*, its false positives are binomial with a rate that its contents
//! tell: this tests the code ([`Judgement::contents_p_value`]). *Across filters* the rate itself varies around
//! the expectation with a spread that the theory tells: this tests the theory ([`Judgement::verdict`]).

use amq::{Claim, Prediction};
use serde::{Deserialize, Serialize};
use stats::{Alternative, StatsError};

/// The level of each verdict: how often a true theory is called wrong, two-sided.
pub const ALPHA: f64 = 1e-7;
/// The probability with which an effect of the planned size is seen.
pub const POWER: f64 = 0.999;
/// The relative effect that a verdict must be able to see.
pub const EFFECT: f64 = 0.1;
/// The effect where the rate is too low to see 10 %: a factor of two.
pub const EFFECT_OF_RARE: f64 = 1.0;
/// The rate below which [`EFFECT_OF_RARE`] is planned for.
pub const RARE: f64 = 1e-5;

/// What the data say of the theory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No difference, where one of the planned size would have been seen.
    Agrees,
    /// The rate is above the theory.
    AboveTheory,
    /// The rate is below the theory.
    BelowTheory,
    /// Too few probes or filters to tell.
    NotTested,
    /// A promise was broken: a member was denied.
    LawViolated,
}

impl Verdict {
    /// All verdicts in the order they are shown.
    pub const ALL: [Verdict; 5] =
        [Verdict::Agrees, Verdict::AboveTheory, Verdict::BelowTheory, Verdict::NotTested, Verdict::LawViolated];

    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::AboveTheory => "above-theory",
            Verdict::BelowTheory => "below-theory",
            Verdict::NotTested => "not-tested",
            Verdict::LawViolated => "law-violated",
        }
    }
}

/// The counts of a point and what is claimed of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Independent filters.
    pub filters: u64,
    /// Absent keys asked, over all filters.
    pub probes: u64,
    /// Absent keys answered with yes.
    pub false_positives: u64,
    /// Members answered with no.
    pub false_negatives: u64,
    /// Whether that is promised never to happen.
    pub no_false_negatives: bool,
    /// The theory.
    pub prediction: Prediction,
    /// Standard deviation of one filter's own rate around the expectation.
    pub spread: f64,
    /// False positives expected given each filter's contents, where they tell.
    pub expected_by_contents: Option<f64>,
    /// The relative effect the verdict must be able to see.
    pub effect: f64,
}

/// What the evidence says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The measured rate; `None` without probes.
    pub fpr: Option<f64>,
    /// Lower end of the 95 % interval of the expected rate.
    pub fpr_low: Option<f64>,
    /// Upper end.
    pub fpr_high: Option<f64>,
    /// Of the theory; the smaller of the sides tested.
    pub p_value: Option<f64>,
    /// Smallest relative effect that would have been seen with probability [`POWER`].
    pub detectable: Option<f64>,
    /// Of the code: two-sided binomial, given the filters' contents.
    pub contents_p_value: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
}

/// The effect a verdict is planned to see at a predicted rate.
#[must_use]
pub fn planned_effect(rate: f64) -> f64 {
    if rate < RARE { EFFECT_OF_RARE } else { EFFECT }
}

/// Judges the evidence.
///
/// # Errors
/// [`StatsError`] for counts or rates that are none (more false positives than probes).
pub fn judge(evidence: &Evidence) -> Result<Judgement, StatsError> {
    let Evidence { filters, probes, false_positives, prediction, spread, .. } = *evidence;
    let law_violated = evidence.no_false_negatives && evidence.false_negatives > 0;
    let mut judgement = Judgement {
        fpr: None,
        fpr_low: None,
        fpr_high: None,
        p_value: None,
        detectable: None,
        contents_p_value: None,
        verdict: if law_violated { Verdict::LawViolated } else { Verdict::NotTested },
    };
    if probes == 0 || filters == 0 {
        return Ok(judgement);
    }
    let sd = spread / (filters as f64).sqrt();
    let fpr = false_positives as f64 / probes as f64;
    let interval = stats::wilson(false_positives, probes, 0.95)?;
    // Both levels of chance: the binomial interval of the pooled count, and the spread of the mean rate.
    let widen = |half: f64| half.hypot(1.96 * sd);
    judgement.fpr = Some(fpr);
    judgement.fpr_low = Some((fpr - widen(fpr - interval.low)).max(0.0));
    judgement.fpr_high = Some((fpr + widen(interval.high - fpr)).min(1.0));
    if let Some(expected) = evidence.expected_by_contents {
        let rate = (expected / probes as f64).clamp(0.0, 1.0);
        judgement.contents_p_value = Some(stats::binomial_test(false_positives, probes, rate, Alternative::TwoSided)?);
    }
    let rel = match prediction.claim {
        Claim::Approximate { rel } => rel,
        _ => 0.0,
    };
    let tail = |rate: f64, side| stats::overdispersed_test(false_positives, probes, rate.min(1.0), sd, side);
    let above = match prediction.claim {
        Claim::AtLeast | Claim::Limit => 1.0,
        _ => tail(prediction.rate * (1.0 + rel), Alternative::Greater)?,
    };
    let below = match prediction.claim {
        Claim::AtMost | Claim::Limit => 1.0,
        _ => tail(prediction.rate * (1.0 - rel), Alternative::Less)?,
    };
    judgement.p_value = Some((2.0 * above.min(below)).min(1.0));
    judgement.detectable = match prediction.claim {
        Claim::Limit => None,
        // A rate of 0 or 1 leaves no room for chance; what is then seen is the share of one probe.
        _ if prediction.rate == 0.0 => None,
        _ => stats::detectable_effect(prediction.rate, probes, sd / prediction.rate, ALPHA, POWER).ok(),
    };
    if law_violated {
        return Ok(judgement);
    }
    let tested = match (prediction.claim, prediction.rate) {
        (Claim::Limit, _) => false,
        (_, 0.0) => true,
        // A rate near 1 has no room for an effect above it; below it, a thousand probes show a tenth at nine sigma.
        (_, rate) if rate * (1.0 + evidence.effect) >= 1.0 => probes >= 1000,
        _ => judgement.detectable.is_some_and(|seen| seen <= evidence.effect),
    };
    judgement.verdict = match (above < ALPHA / 2.0, below < ALPHA / 2.0) {
        (true, _) => Verdict::AboveTheory,
        (_, true) => Verdict::BelowTheory,
        _ if tested => Verdict::Agrees,
        _ => Verdict::NotTested,
    };
    Ok(judgement)
}

/// The probes in all to see `effect` at `rate` with `filters` filters of relative spread `spread / rate`, at
/// most `most`.
#[must_use]
pub fn plan_probes(rate: f64, spread: f64, filters: u64, effect: f64, most: u64) -> u64 {
    if rate <= 0.0 || rate * (1.0 + effect) >= 1.0 {
        return most.min(100_000);
    }
    let Ok(mut probes) = stats::probes_for_effect(rate, effect, ALPHA, POWER) else { return most };
    let relative = spread / rate / (filters.max(1) as f64).sqrt();
    // The spread of the rates takes its share of the noise; add probes until the effect shows, or give up
    // where the spread alone hides it.
    for _ in 0..12 {
        let seen = stats::detectable_effect(rate, probes.min(most), relative, ALPHA, POWER);
        if probes >= most || seen.is_ok_and(|seen| seen <= effect) {
            break;
        }
        probes += probes / 4;
    }
    probes.min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(rate: f64, probes: u64, false_positives: u64) -> Evidence {
        Evidence {
            filters: 16,
            probes,
            false_positives,
            false_negatives: 0,
            no_false_negatives: true,
            prediction: Prediction { rate, claim: Claim::Exact, source: "" },
            spread: 0.0,
            expected_by_contents: None,
            effect: EFFECT,
        }
    }

    fn verdict(evidence: Evidence) -> Verdict {
        judge(&evidence).unwrap().verdict
    }

    /// HAND-37: hits of absent probes over absent probes.
    #[test]
    fn hand_37_the_rate_is_over_absent_probes() {
        assert_eq!(judge(&evidence(0.01, 1000, 10)).unwrap().fpr, Some(0.01));
        assert_eq!(judge(&evidence(0.01, 20_000, 250)).unwrap().fpr, Some(0.0125));
    }

    /// HAND-42: bounds come from the binomial.
    #[test]
    fn hand_42_bands_are_as_wide_as_chance() {
        for hits in 0..=5 {
            assert_eq!(verdict(evidence(1e-6, 100_000, hits)), Verdict::NotTested);
        }
        assert_eq!(verdict(evidence(1e-6, 100_000, 6)), Verdict::AboveTheory);
        for hits in [55, 100, 155] {
            assert_eq!(verdict(evidence(0.01, 10_000, hits)), Verdict::NotTested, "{hits}");
        }
        assert_eq!(verdict(evidence(0.01, 10_000, 48)), Verdict::BelowTheory);
        assert_eq!(verdict(evidence(0.01, 10_000, 158)), Verdict::AboveTheory);
    }

    #[test]
    fn ten_per_cent_are_seen_with_enough_probes_and_not_claimed_with_fewer() {
        let enough = plan_probes(0.01, 0.0, 16, EFFECT, u64::MAX);
        assert!((600_000..800_000).contains(&enough), "{enough}");
        let hits = |factor: f64| (0.01 * factor * enough as f64) as u64;
        assert_eq!(verdict(evidence(0.01, enough, hits(1.0))), Verdict::Agrees);
        assert_eq!(verdict(evidence(0.01, enough, hits(1.1))), Verdict::AboveTheory);
        assert_eq!(verdict(evidence(0.01, enough, hits(0.9))), Verdict::BelowTheory);
        assert_eq!(verdict(evidence(0.01, enough / 2, hits(0.5))), Verdict::NotTested);
    }

    #[test]
    fn a_claim_of_one_side_is_tested_on_one_side() {
        let mut sided = evidence(0.01, 1_000_000, 5_000);
        sided.prediction.claim = Claim::AtMost;
        assert_eq!(verdict(sided), Verdict::Agrees);
        sided.prediction.claim = Claim::AtLeast;
        assert_eq!(verdict(sided), Verdict::BelowTheory);
        sided.prediction.claim = Claim::Limit;
        assert_eq!(verdict(sided), Verdict::NotTested);
        sided.prediction.claim = Claim::Approximate { rel: 0.5 };
        assert_eq!(verdict(sided), Verdict::Agrees);
        sided.prediction.claim = Claim::Approximate { rel: 0.4 };
        assert_eq!(verdict(sided), Verdict::BelowTheory);
    }

    #[test]
    fn the_spread_of_rates_widens_the_band() {
        let mut spread = evidence(0.01, 1_000_000, 10_900);
        assert_eq!(verdict(spread), Verdict::AboveTheory);
        spread.spread = 0.001;
        assert_eq!(verdict(spread), Verdict::NotTested);
        spread.filters = 100_000;
        assert_eq!(verdict(spread), Verdict::AboveTheory);
    }

    #[test]
    fn a_denied_member_is_a_broken_law_where_that_is_promised() {
        let mut denied = evidence(0.01, 1_000_000, 10_000);
        denied.false_negatives = 1;
        assert_eq!(verdict(denied), Verdict::LawViolated);
        denied.no_false_negatives = false;
        assert_eq!(verdict(denied), Verdict::Agrees);
    }

    #[test]
    fn nothing_asked_nothing_tested_and_zero_is_zero() {
        assert_eq!(verdict(evidence(0.01, 0, 0)), Verdict::NotTested);
        assert_eq!(verdict(evidence(0.0, 100_000, 0)), Verdict::Agrees);
        assert_eq!(verdict(evidence(0.0, 100_000, 1)), Verdict::AboveTheory);
    }

    #[test]
    fn the_contents_test_the_code() {
        let mut wrong = evidence(0.01, 1_000_000, 10_000);
        wrong.expected_by_contents = Some(10_000.0);
        assert!(judge(&wrong).unwrap().contents_p_value.unwrap() > 0.9);
        wrong.expected_by_contents = Some(9_000.0);
        assert!(judge(&wrong).unwrap().contents_p_value.unwrap() < 1e-20);
    }
}
