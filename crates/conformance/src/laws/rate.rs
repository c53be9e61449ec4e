//! The measured rate against the theory, and against each filter's contents.
//!
//! Both laws use independent filters, each with keys, seed and absent keys of its own. They are planned so that
//! the binomial chance of the probes and the spread of the rate across filters would each alone show an effect
//! of `EFFECT / sqrt(2)`, so that together they show [`EFFECT`] with probability [`POWER`].

use amq::{Claim, Digest, Theory};
use stats::{Alternative, StatsError, binomial_test, filters_for_effect, overdispersed_test, probes_for_effect};

use crate::case::Case;
use crate::keys::digest;
use crate::violation::{Level, Violation};

/// The level of each law that leans on chance: how often a true statement is called wrong.
pub const ALPHA: f64 = 1e-7;
/// The probability with which an effect of the planned size is seen.
pub const POWER: f64 = 0.999;
/// The relative effect that the laws of this module see.
pub const EFFECT: f64 = 0.1;

/// The most probes: what a test may take, a few seconds. Rates below about 1.6e-4 need more.
const MAX_PROBES: u64 = 100_000_000;
/// The most inserts.
const MAX_INSERTS: u64 = 100_000_000;
/// The fewest filters: the mean of this many rates is as good as normal.
const MIN_FILTERS: u64 = 64;
/// Probes where the predicted rate is 0 and no plan exists.
const PROBES_OF_NEVER: u64 = 1_000_000;

/// What was counted.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measured {
    filters: u64,
    probes: u64,
    hits: u64,
    /// Mean of the filters' own rates, where all of them tell.
    contents: Option<f64>,
}

type BuildFrom<'a, F> = &'a dyn Fn(u64, &[Digest]) -> Result<F, Violation>;

/// How many filters and probes of each show [`EFFECT`] at rate `p` and relative spread `spread`.
fn plan(p: f64, spread: f64, keys: u64) -> Result<(u64, u64), Violation> {
    if p == 0.0 || p == 1.0 {
        return Ok((MIN_FILTERS, PROBES_OF_NEVER / MIN_FILTERS));
    }
    let effect = EFFECT / std::f64::consts::SQRT_2;
    // Rates near 1 leave no room above: then the effect is looked for below the rate only.
    let probes = match probes_for_effect(p, effect, ALPHA, POWER) {
        Err(StatsError::RateAboveOne { .. }) => probes_for_effect(0.5, effect, ALPHA, POWER)?,
        probes => probes?,
    };
    let filters = filters_for_effect(spread, effect, ALPHA, POWER)?.max(MIN_FILTERS);
    let each = probes.div_ceil(filters).max(1);
    for (why, needed, most) in
        [("probes", filters.saturating_mul(each), MAX_PROBES), ("inserts", filters.saturating_mul(keys), MAX_INSERTS)]
    {
        if needed > most {
            return Err(Violation::Untested { why, needed, had: most });
        }
    }
    Ok((filters, each))
}

fn measure<F: Theory>(build: BuildFrom<'_, F>, keys: u64, (filters, each): (u64, u64)) -> Result<Measured, Violation> {
    const CHUNK: u64 = 4096;
    let mut measured = Measured { filters, probes: filters * each, hits: 0, contents: Some(0.0) };
    let mut chunk = Vec::with_capacity(CHUNK as usize);
    for number in 0..filters {
        // Members come first in a filter's stream, absent keys after them.
        let members: Vec<Digest> = (0..keys).map(|index| digest(number, index)).collect();
        let filter = build(number, &members)?;
        let mut next = 0;
        while next < each {
            let end = (next + CHUNK).min(each);
            chunk.clear();
            chunk.extend((next..end).map(|index| digest(number, keys + index)));
            measured.hits += filter.count_contained(&chunk);
            next = end;
        }
        let own = filter.rate_given_contents();
        measured.contents = measured.contents.zip(own).map(|(sum, own)| sum + own / filters as f64);
    }
    Ok(measured)
}

fn against_theory<F: Theory>(case: &Case<F>, keys: u64, build: BuildFrom<'_, F>) -> Result<(), Violation> {
    let prediction = F::predicted_fpr(&case.params, keys);
    let (rate, claim) = (prediction.rate, prediction.claim);
    if claim == Claim::Limit {
        return Ok(());
    }
    let spread = F::rate_spread(&case.params, keys);
    let relative = if rate > 0.0 { spread / rate } else { 0.0 };
    let measured = measure(build, keys, plan(rate, relative, keys)?)?;
    let Measured { filters, probes, hits, .. } = measured;
    let sd = spread / (filters as f64).sqrt();
    let rel = if let Claim::Approximate { rel } = claim { rel } else { 0.0 };
    let tail = |rate: f64, side| overdispersed_test(hits, probes, rate.clamp(0.0, 1.0), sd, side);
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
    Err(Violation::Rate { level: Level::Theory, claim, predicted: rate, filters, probes, hits, p_value })
}

/// The rate is the predicted one.
///
/// Null: as the claim says, the mean rate over keys and seeds is `predicted_fpr` (two-sided for `Exact` and
/// `Approximate`, from above for `AtMost`, from below for `AtLeast`; `Limit` is not tested), and rates of single
/// filters vary around it by `rate_spread`. Statistic: all false positives, by [`overdispersed_test`]; alpha =
/// [`ALPHA`], smallest effect [`EFFECT`].
///
/// # Errors
/// [`Violation::Rate`]; [`Violation::Untested`] where the effect cannot be seen.
pub fn rate_follows_theory<F: Theory>(case: &Case<F>) -> Result<(), Violation> {
    against_theory(case, case.keys, &|seed, keys| case.filter(seed, keys))
}

/// The union of two full filters has the rate predicted for the keys of both (HAND-32). Test, alpha and effect
/// as for [`rate_follows_theory`]; filters without a union have nothing to show.
///
/// # Errors
/// As [`rate_follows_theory`].
pub fn rate_of_a_union_follows_theory<F: Theory>(case: &Case<F>) -> Result<(), Violation> {
    let Some(union) = case.union else { return Ok(()) };
    against_theory(case, 2 * case.keys, &|seed, keys| {
        let (left, right) = keys.split_at(keys.len() / 2);
        let mut filter = case.filter(seed, left)?;
        union(&mut filter, &case.filter(seed, right)?).map_err(|error| Violation::IncompatibleUnnamed {
            property: error.property,
            left: error.left.to_string(),
            right: error.right.to_string(),
        })?;
        Ok(filter)
    })
}

/// The rate is the one that each filter's contents tell.
///
/// Null: an absent key hits a filter with probability `rate_given_contents`. Statistic: all false positives,
/// two-sided binomial at the mean of these rates (rates that differ between filters make it conservative);
/// alpha = [`ALPHA`], smallest effect [`EFFECT`] / sqrt(2). Where contents do not tell there is nothing to test.
///
/// # Errors
/// [`Violation::Rate`]; [`Violation::Untested`] where the effect cannot be seen.
pub fn rate_follows_contents<F: Theory>(case: &Case<F>) -> Result<(), Violation> {
    let predicted = F::predicted_fpr(&case.params, case.keys).rate;
    let plan = plan(predicted, 0.0, case.keys)?;
    let measured = measure(&|seed, keys| case.filter(seed, keys), case.keys, plan)?;
    let Measured { filters, probes, hits, contents: Some(rate) } = measured else { return Ok(()) };
    let p_value = binomial_test(hits, probes, rate.clamp(0.0, 1.0), Alternative::TwoSided)?;
    if p_value >= ALPHA {
        return Ok(());
    }
    let (level, claim) = (Level::Contents, Claim::Exact);
    Err(Violation::Rate { level, claim, predicted: rate, filters, probes, hits, p_value })
}
