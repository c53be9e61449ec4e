//! Studies of the stable Bloom filter: how it converges, what it costs at the stable point, how it forgets, and what a
//! Bloom filter that is emptied now and then does in its place.

mod arrivals;
mod gap;
mod point;
pub mod stream;

pub use arrivals::ARRIVALS;
pub use gap::GAP;
pub use point::POINT;

use amq::{Decaying, Digest, IncrementalFilter, Prediction, Theory};
use stable::decrement::{Decrement, Law};
use stable::{Independent, Params, Run, StableBloom};

use super::Case;
use crate::error::HarnessError;
use crate::keys::CHUNK;

/// How the cells to lower are drawn: factor `decrement`, a run where it is not given.
fn law(case: &Case<'_>) -> Result<Law, HarnessError> {
    match case.name("decrement").as_deref() {
        None | Some(Run::NAME) => Ok(Law::Run),
        Some(Independent::NAME) => Ok(Law::Independent),
        Some(other) => Err(case.unfit(&format!("decrement = `{other}`; known: `run`, `independent`"))),
    }
}

/// The expected rate of absent keys after `arrivals` distinct keys.
fn fpr(law: Law, params: &Params, arrivals: u64) -> Prediction {
    match law {
        Law::Run => StableBloom::<Run>::predicted_fpr(params, arrivals),
        Law::Independent => StableBloom::<Independent>::predicted_fpr(params, arrivals),
    }
}

/// The expected rate at which a key is denied after `gap` inserts of other keys.
fn fnr(law: Law, params: &Params, gap: u64) -> Prediction {
    match law {
        Law::Run => StableBloom::<Run>::predicted_fnr(params, gap),
        Law::Independent => StableBloom::<Independent>::predicted_fnr(params, gap),
    }
}

/// An empty filter of this repetition.
fn empty<C: Decrement>(case: &Case<'_>) -> Result<StableBloom<C>, HarnessError> {
    let params = case.params::<StableBloom<C>>()?;
    StableBloom::empty(&params, case.seed("filter")).map_err(|error| case.unfit(&error.to_string()))
}

/// Inserts keys in order.
fn insert(case: &Case<'_>, filter: &mut impl IncrementalFilter, keys: &[Digest]) -> Result<(), HarnessError> {
    filter.insert_batch(keys).map_err(|error| case.unfit(&error.to_string()))
}

/// Inserts keys number `from` to `to` (excluded).
fn feed(case: &Case<'_>, filter: &mut impl IncrementalFilter, from: u64, to: u64) -> Result<(), HarnessError> {
    for start in (from..to).step_by(CHUNK as usize) {
        insert(case, filter, &case.digests(start, (start + CHUNK).min(to))?)?;
    }
    Ok(())
}

/// Whole numbers from `from` to `to` in `count` steps of nearly equal ratio, each once.
fn geometric(from: f64, to: f64, count: u32) -> Vec<f64> {
    let step = (to / from).ln() / f64::from(count - 1);
    let mut all: Vec<f64> = (0..count).map(|index| (from * (step * f64::from(index)).exp()).round()).collect();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_rise_from_one_end_to_the_other() {
        let all = geometric(3.0, 1000.0, 16);
        assert_eq!((all[0], all[15], all.len()), (3.0, 1000.0, 16));
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(geometric(1.0, 4.0, 10), [1.0, 2.0, 3.0, 4.0]);
    }
}
