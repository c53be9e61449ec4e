//! Laws of sizing and prediction.

use amq::{Claim, Theory};

use super::only_rate::{budget_out_of_reach, rate_out_of_reach};
use super::{absent, no_panic};
use crate::case::Case;
use crate::keys::{digest, digests};
use crate::violation::Violation;

/// How far above its target `fpr` the predicted rate of [`Theory::size_for_fpr`] may be for `keys` keys, relative, for
/// targets up to 0.1: `0.05 + lg(1/fpr) / (2 keys)`.
///
/// The first part: a Bloom filter of the optimal size has its best `k` between two integers, at worst (k = 2 or 3 at
/// 3.556 bits per key) 2.4 % above the optimum. The second: with slices of `s = keys / ln 2` bits the rate at the optimal
/// size is `1 + k ln 2 / (2 s)` of the asymptotic one to first order, and half a bit lost in each slice makes it
/// `1 + ln(1/fpr) / (2 s)`; with `k = lg(1/fpr)` each is `0.24 lg(1/fpr) / keys`.
#[must_use]
pub fn slack(keys: u64, fpr: f64) -> f64 {
    0.05 - fpr.log2() / (2.0 * keys.max(1) as f64)
}

/// Rates that are no target: every one is a typed error (HAND-12).
const BAD_RATES: [f64; 9] = [0.0, 1.0, -0.1, 2.0, 10.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-300];
/// Budgets that are none.
const BAD_BUDGETS: [f64; 5] = [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
/// HAND-13.
const ABSURD_KEYS: u64 = 1_000_000_000_000_000_000;

/// Targets out of range are typed errors, for few keys and for many (HAND-12).
///
/// # Errors
/// [`Violation::BadTargetAccepted`], [`Violation::Panicked`].
pub fn bad_targets_are_refused<F: Theory>(_case: &Case<F>) -> Result<(), Violation> {
    for keys in [0, 1, 1000, 1_000_000_000] {
        for value in BAD_RATES {
            if no_panic("size_for_fpr", || F::size_for_fpr(keys, value))?.is_ok() {
                return Err(Violation::BadTargetAccepted { what: "fpr", value, keys });
            }
        }
        for value in BAD_BUDGETS {
            if no_panic("size_for", || F::size_for(keys, value))?.is_ok() {
                return Err(Violation::BadTargetAccepted { what: "bits_per_key", value, keys });
            }
        }
    }
    Ok(())
}

/// 10^18 keys are a typed error, from sizing or from construction, and the process lives (HAND-13).
///
/// # Errors
/// [`Violation::BadTargetAccepted`], [`Violation::Panicked`].
pub fn absurd_sizes_are_refused<F: Theory>(case: &Case<F>) -> Result<(), Violation> {
    for keys in [ABSURD_KEYS, u64::MAX] {
        let sized = no_panic("size_for_fpr", || F::size_for_fpr(keys, 0.01))?;
        if let Ok(params) = sized
            && no_panic("construction", || (case.build)(&params, 1, &[]).is_ok())?
        {
            return Err(Violation::BadTargetAccepted { what: "fpr", value: 0.01, keys });
        }
        let sized = no_panic("size_for", || F::size_for(keys, 10.0))?;
        if let Ok(params) = sized
            && no_panic("construction", || (case.build)(&params, 1, &[]).is_ok())?
        {
            return Err(Violation::BadTargetAccepted { what: "bits_per_key", value: 10.0, keys });
        }
    }
    Ok(())
}

/// Sizing for 0, 1 and 3 keys gives a filter that says no when empty, and finds one key more than planned or
/// refuses it (HAND-14).
///
/// # Errors
/// [`Violation::SizingRefused`], [`Violation::EmptySaysYes`], [`Violation::FalseNegative`],
/// [`Violation::SpaceUnderstated`].
pub fn tiny_plans_work<F: Theory>(case: &Case<F>) -> Result<(), Violation> {
    for (keys, value) in [(0, 0.01), (0, 0.99), (1, 0.99), (3, 0.99), (1, 0.01), (3, 0.01)] {
        let sized = no_panic("size_for_fpr", || F::size_for_fpr(keys, value))?;
        let params = sized.map_err(|error| Violation::SizingRefused { what: "fpr", value, keys, error })?;
        let case = Case { params, ..case.clone() };
        let empty = case.filter(1, &[])?;
        if let Some(key) = absent().into_iter().find(|key| empty.contains(*key)) {
            return Err(Violation::EmptySaysYes { key });
        }
        if empty.space().total_bits() == 0 {
            return Err(Violation::SpaceUnderstated { reported: 0, needed: 1.0, by: "any filter" });
        }
        for size in 1..=keys + 1 {
            let members = digests(0, 0..size);
            let Ok(filter) = (case.build)(&case.params, 1, &members) else { continue };
            if let Some(key) = members.iter().find(|key| case.no_false_negatives && !filter.contains(**key)) {
                return Err(Violation::FalseNegative { key: *key, keys: size, seed: 1 });
            }
        }
    }
    Ok(())
}

/// `size_for` is a ceiling on the bits that are then allocated. Budgets that no filter fits in may be refused, but
/// not all of them; a type of one rate may refuse all that are below what its filter takes.
///
/// # Errors
/// [`Violation::BudgetExceeded`], [`Violation::SizingRefused`], [`Violation::Refused`].
pub fn a_budget_is_a_ceiling<F: Theory>(case: &Case<F>) -> Result<(), Violation> {
    for keys in [1, 2, 3, 10, 63, 64, 65, 100, 1000, 12_345, 200_000] {
        for bits_per_key in [2.0, 4.0, 7.3, 8.0, 9.6, 10.0, 12.0, 16.0, 24.0] {
            let sized = no_panic("size_for", || F::size_for(keys, bits_per_key))?;
            let params = match sized {
                Ok(params) => params,
                Err(error) => {
                    let must = keys >= 1000 && bits_per_key >= 8.0;
                    if must && !budget_out_of_reach(case, keys, bits_per_key, &error)? {
                        return Err(Violation::SizingRefused {
                            what: "bits_per_key",
                            value: bits_per_key,
                            keys,
                            error,
                        });
                    }
                    continue;
                }
            };
            let members = digests(0, 0..keys.min(1000));
            let filter = (case.build)(&params, 1, &members).map_err(Violation::Refused)?;
            let allocated = filter.space().total_bits();
            if allocated as f64 > keys as f64 * bits_per_key {
                return Err(Violation::BudgetExceeded { keys, bits_per_key, allocated });
            }
        }
    }
    Ok(())
}

/// `size_for_fpr` reaches its target but for a [`slack`], by its own prediction; a type of one rate may refuse targets
/// below it.
///
/// # Errors
/// [`Violation::TargetMissed`], [`Violation::SizingRefused`].
pub fn a_target_is_reached<F: Theory>(_case: &Case<F>) -> Result<(), Violation> {
    for keys in (1..=200).chain([1000, 1024, 12_345, 1_000_000, 100_000_000]) {
        for value in [0.1, 0.05, 0.03, 0.02, 0.01, 0.004, 0.001, 1e-4, 1e-6] {
            let sized = no_panic("size_for_fpr", || F::size_for_fpr(keys, value))?;
            let params = match sized {
                Ok(params) => params,
                Err(error) if rate_out_of_reach::<F>(keys, value, &error) => continue,
                Err(error) => return Err(Violation::SizingRefused { what: "fpr", value, keys, error }),
            };
            let predicted = F::predicted_fpr(&params, keys).rate;
            if predicted.is_nan() || predicted > value * (1.0 + slack(keys, value)) {
                return Err(Violation::TargetMissed { keys, target: value, predicted });
            }
        }
    }
    Ok(())
}

/// Predicted rates are probabilities that do not fall as keys are added, but for what an approximate claim leaves
/// open; spreads are finite and at most 1/2, as of any number in `[0, 1]`.
///
/// # Errors
/// [`Violation::OutOfRange`], [`Violation::NotMonotone`], [`Violation::Panicked`].
pub fn predictions_are_sound<F: Theory>(case: &Case<F>) -> Result<(), Violation> {
    // Keys and rate of the highest lower end so far.
    let mut last = (0, 0.0, 0.0);
    let small = 0..=20;
    let large = (1..=60).map(|step| case.keys * step / 10);
    let mut all: Vec<u64> = small.chain(large).chain([100 * case.keys, 1 << 40]).collect();
    all.sort_unstable();
    for keys in all {
        let prediction = no_panic("predicted_fpr", || F::predicted_fpr(&case.params, keys))?;
        let rate = prediction.rate;
        if !(0.0..=1.0).contains(&rate) {
            return Err(Violation::OutOfRange { what: "predicted_fpr", value: rate, keys });
        }
        let rel = if let Claim::Approximate { rel } = prediction.claim { rel } else { 0.0 };
        if !(rel >= 0.0 && rel.is_finite()) {
            return Err(Violation::OutOfRange { what: "rel", value: rel, keys });
        }
        let spread = no_panic("rate_spread", || F::rate_spread(&case.params, keys))?;
        if !(0.0..=0.5).contains(&spread) {
            return Err(Violation::OutOfRange { what: "rate_spread", value: spread, keys });
        }
        // A relative 1e-9 for rounding where the rate has reached its limit.
        if rate * (1.0 + rel) < last.2 * (1.0 - 1e-9) {
            return Err(Violation::NotMonotone { keys: last.0, rate: last.1, more_keys: keys, more_rate: rate });
        }
        let low = rate * (1.0 - rel);
        if low > last.2 {
            last = (keys, rate, low);
        }
    }
    Ok(())
}

/// Names of values are unique; bounds, rates and overheads are in range where they are numbers at all.
///
/// # Errors
/// [`Violation::DuplicateName`], [`Violation::OutOfRange`].
pub fn named_values_are_sound<F: Theory>(case: &Case<F>) -> Result<(), Violation> {
    let keys = case.keys;
    let values = no_panic("named_values", || F::named_values(&case.params, keys))?;
    for (index, row) in values.iter().enumerate() {
        if values[..index].iter().any(|earlier| earlier.name == row.name) {
            return Err(Violation::DuplicateName { name: row.name });
        }
        let most = if row.name.starts_with("fpr") || row.name == "fill" { 1.0 } else { f64::INFINITY };
        if !row.value.is_nan() && !(0.0..=most).contains(&row.value) {
            return Err(Violation::OutOfRange { what: row.name, value: row.value, keys });
        }
    }
    Ok(())
}

/// The space is not understated: it holds the `m` bits and the bits per key of the theory, and is not below what
/// any filter of the class needs at the predicted rate (unless that rate is only a lower bound).
///
/// # Errors
/// [`Violation::SpaceUnderstated`].
pub fn space_is_not_understated<F: Theory>(case: &Case<F>) -> Result<(), Violation> {
    let members = digests(0, 0..case.keys);
    let filter = case.filter(1, &members)?;
    let reported = filter.space().total_bits();
    let values = F::named_values(&case.params, case.keys);
    let named = |name| values.iter().find(|row| row.name == name).map(|row| row.value);
    let prediction = F::predicted_fpr(&case.params, case.keys);
    let bound = match prediction.claim {
        Claim::AtLeast | Claim::Limit => None,
        Claim::Exact | Claim::Approximate { .. } | Claim::AtMost => Some(F::CLASS.bits_per_key(prediction.rate)),
    };
    let per_key = |bits: Option<f64>| bits.map(|bits| bits * case.keys as f64 * (1.0 - 1e-12));
    for (by, needed) in [
        ("the theory's m", named("m")),
        ("the theory's bits per key", per_key(named("bits_per_key"))),
        ("the bound of its class", per_key(bound)),
    ] {
        let needed = needed.unwrap_or(0.0);
        if (reported as f64) < needed && needed.is_finite() {
            return Err(Violation::SpaceUnderstated { reported, needed, by });
        }
    }
    Ok(())
}

/// With more keys than planned, a filter sized for `keys` refuses or gets worse, but never loses a member.
///
/// # Errors
/// [`Violation::FalseNegative`].
pub fn past_the_plan_members_stay<F: Theory>(case: &Case<F>) -> Result<(), Violation> {
    if !case.no_false_negatives {
        return Ok(());
    }
    for seed in 0..3 {
        let members: Vec<_> = (0..5 * case.keys).map(|index| digest(seed, index)).collect();
        let Ok(filter) = (case.build)(&case.params, seed, &members) else { continue };
        if let Some(key) = members.iter().find(|key| !filter.contains(**key)) {
            return Err(Violation::FalseNegative { key: *key, keys: members.len() as u64, seed });
        }
    }
    Ok(())
}
