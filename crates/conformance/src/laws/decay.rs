//! Laws of filters that forget by design.

use amq::{Claim, Decaying};
use stats::{Alternative, StatsError, binomial_test, probes_for_effect};

use super::no_panic;
use super::rate::{ALPHA, EFFECT, POWER};
use crate::case::Case;
use crate::keys::digest;
use crate::violation::Violation;

/// The most inserts for one gap: what a test may take, a few seconds.
const MAX_INSERTS: u64 = 20_000_000;
/// Filters that share the members asked for.
const FILTERS: u64 = 16;

/// The predicted false-negative rate is a probability, 0 at no age, and does not fall as a key grows older, but for what
/// an approximate claim leaves open.
///
/// # Errors
/// [`Violation::OutOfRange`], [`Violation::NotMonotone`], [`Violation::Panicked`].
pub fn age_is_forgetting<F: Decaying>(case: &Case<F>) -> Result<(), Violation> {
    // Gap, rate and lower end of the highest lower end so far.
    let mut last = (0, 0.0, 0.0);
    let mut gaps: Vec<u64> = (0..=20).chain((1..=60).map(|step| case.keys * step / 10)).collect();
    gaps.extend([100 * case.keys, 1 << 40, u64::MAX]);
    gaps.sort_unstable();
    for gap in gaps {
        let prediction = no_panic("predicted_fnr", || F::predicted_fnr(&case.params, gap))?;
        let rate = prediction.rate;
        if !(0.0..=1.0).contains(&rate) || gap == 0 && rate != 0.0 {
            return Err(Violation::OutOfRange { what: "predicted_fnr", value: rate, keys: gap });
        }
        let rel = if let Claim::Approximate { rel } = prediction.claim { rel } else { 0.0 };
        if !(rel >= 0.0 && rel.is_finite()) {
            return Err(Violation::OutOfRange { what: "rel", value: rel, keys: gap });
        }
        if rate * (1.0 + rel) < last.2 * (1.0 - 1e-9) {
            return Err(Violation::NotMonotone { keys: last.0, rate: last.1, more_keys: gap, more_rate: rate });
        }
        let low = rate * (1.0 - rel);
        if low > last.2 {
            last = (gap, rate, low);
        }
    }
    Ok(())
}

/// Members are denied as often as predicted for their age.
///
/// Sixteen filters of a seed each take a key and `gap` others, again and again, and are asked for the key each time;
/// gaps are a sixteenth, a quarter, all and four times the case's keys. Whatever a filter held before, the key's traces
/// are new, so the answers are independent where only later inserts can take them away.
///
/// Null: each is denied with probability `predicted_fnr`, as the claim says. Statistic: denials, binomial (two-sided for
/// `Exact` and `Approximate`, from above for `AtMost`, from below for `AtLeast`); alpha = [`ALPHA`] for each gap,
/// smallest effect [`EFFECT`].
///
/// # Errors
/// [`Violation::Forgetting`]; [`Violation::Untested`] where the effect can be seen at no gap.
pub fn denials_follow_theory<F: Decaying>(case: &Case<F>) -> Result<(), Violation> {
    let mut fewest = u64::MAX;
    for gap in [case.keys / 16, case.keys / 4, case.keys, 4 * case.keys] {
        let prediction = F::predicted_fnr(&case.params, gap);
        if prediction.claim == Claim::Limit || prediction.rate == 0.0 {
            continue;
        }
        let members = match probes_for_effect(prediction.rate, EFFECT, ALPHA, POWER) {
            Err(StatsError::RateAboveOne { .. }) => probes_for_effect(0.5, EFFECT, ALPHA, POWER)?,
            members => members?,
        };
        let each = members.div_ceil(FILTERS);
        let inserts = (each * FILTERS).saturating_mul(gap + 1);
        fewest = fewest.min(inserts);
        if inserts <= MAX_INSERTS {
            denials(case, gap, each)?;
        }
    }
    if fewest <= MAX_INSERTS {
        return Ok(());
    }
    Err(Violation::Untested { why: "inserts", needed: fewest, had: MAX_INSERTS })
}

fn denials<F: Decaying>(case: &Case<F>, gap: u64, each: u64) -> Result<(), Violation> {
    let prediction = F::predicted_fnr(&case.params, gap);
    let (rate, claim) = (prediction.rate, prediction.claim);
    let mut denied = 0;
    for seed in 0..FILTERS {
        let mut filter = case.filter(seed, &[])?;
        for member in 0..each {
            let first = member * (gap + 1);
            for index in first..=first + gap {
                filter.insert(digest(seed, index)).map_err(|full| Violation::Refused(full.into()))?;
            }
            denied += u64::from(!filter.contains(digest(seed, first)));
        }
    }
    let asked = FILTERS * each;
    let rel = if let Claim::Approximate { rel } = claim { rel } else { 0.0 };
    let tail = |rate: f64, side| binomial_test(denied, asked, rate.clamp(0.0, 1.0), side);
    let mut p_value: f64 = 0.5;
    if claim != Claim::AtLeast {
        p_value = p_value.min(tail(rate * (1.0 + rel), Alternative::Greater)?);
    }
    if claim != Claim::AtMost {
        p_value = p_value.min(tail(rate * (1.0 - rel), Alternative::Less)?);
    }
    p_value *= 2.0;
    if p_value >= ALPHA {
        return Ok(());
    }
    Err(Violation::Forgetting { gap, claim, predicted: rate, asked, denied, p_value })
}
