//! Types whose every filter has one rate, because it is part of the type (a fingerprint of 8 bits): they may refuse
//! what they cannot reach.

use amq::{InvalidParams, Theory};

use crate::case::Case;
use crate::keys::digests;
use crate::violation::Violation;

/// The easiest target, and all targets that tell a type of one rate from others.
const TARGETS: [f64; 5] = [0.1, 0.05, 0.01, 0.001, 1e-6];
/// A budget may be refused up to this many times the bits that are needed: a filter may keep room to grow.
const ROOM: f64 = 1.1;

/// The parameters for the easiest target and their rate, when every target is either reached with this very rate or
/// [`Unreachable`](InvalidParams::Unreachable).
fn only<F: Theory>(keys: u64) -> Option<(F::Params, f64)> {
    let params = F::size_for_fpr(keys, TARGETS[0]).ok()?;
    let rate = F::predicted_fpr(&params, keys).rate;
    let one = TARGETS.into_iter().all(|target| match F::size_for_fpr(keys, target) {
        Ok(params) => F::predicted_fpr(&params, keys).rate == rate,
        Err(error) => matches!(error, InvalidParams::Unreachable { .. }) && target < rate,
    });
    one.then_some((params, rate))
}

/// Whether `error` rightly refuses the rate `target`: the type has one rate, which is above it.
pub(super) fn rate_out_of_reach<F: Theory>(keys: u64, target: f64, error: &InvalidParams) -> bool {
    matches!(error, InvalidParams::Unreachable { .. }) && only::<F>(keys).is_some_and(|(_, rate)| rate > target)
}

/// Whether `error` rightly refuses the budget: the type has one rate, and its filter of `keys` keys takes more, or so
/// nearly as much that there is no room to grow.
///
/// # Errors
/// [`Violation::Refused`] when that filter cannot be made.
pub(super) fn budget_out_of_reach<F: Theory>(
    case: &Case<F>,
    keys: u64,
    bits_per_key: f64,
    error: &InvalidParams,
) -> Result<bool, Violation> {
    let (InvalidParams::Unreachable { .. }, Some((params, _))) = (error, only::<F>(keys)) else { return Ok(false) };
    let filter = (case.build)(&params, 1, &digests(0, 0..keys)).map_err(Violation::Refused)?;
    Ok(filter.space().total_bits() as f64 * ROOM > keys as f64 * bits_per_key)
}
