//! How a key is forgotten.

use amq::{Filter, IncrementalFilter};
use stable::decrement::{Decrement, Law};
use stable::paper::fnr_classic;
use stable::{Independent, Run, StableBloom};

use super::{empty, fnr, geometric, law};
use crate::error::HarnessError;
use crate::studies::{AlongAxis, Case, Formula, Observations, Quantity, Study};

/// A stream of `keys` distinct keys; after each arrival the keys are asked that came so many arrivals before.
///
/// What becomes of a key's cells does not depend on what was there before, so the filter need not have converged.
pub const GAP: Study = Study {
    name: "stable-gap",
    about: "share of keys that a stable filter denies when they return after a number of arrivals",
    factors: &["decrement", "gap_from", "gap_to"],
    quantities: &[Quantity::share("fnr")],
    axis: Some(AlongAxis {
        name: "returns_after",
        positions: |case| {
            let (from, to) = (case.number("gap_from", 1.0)?, case.number("gap_to", 1.0)?);
            if from > to || to >= case.keys() as f64 {
                return Err(case.unfit(&format!("gaps from {from} to {to} in a stream of {} keys", case.keys())));
            }
            Ok(geometric(from, to, 16))
        },
    }),
    observe: |case| match law(case)? {
        Law::Run => observe::<Run>(case),
        Law::Independent => observe::<Independent>(case),
    },
    formulas: |case, positions| {
        let (params, law) = (case.params::<StableBloom>()?, law(case)?);
        let at = |gap: u64| {
            let expected = fnr(law, &params, gap);
            vec![
                Formula::of("fnr", "rate_of_forgetting", expected.rate, expected.claim, expected.source),
                Formula::line("fnr_of_paper", fnr_classic(&params, gap), "1 - (1 - Pr0)^k, cells independent"),
            ]
        };
        Ok(positions.iter().map(|x| at(*x as u64)).collect())
    },
    cost_ns: |spec| spec.keys as f64 * 200.0,
};

fn observe<C: Decrement>(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let positions = GAP.positions(case)?;
    let keys = case.digests(0, case.keys())?;
    let mut filter = empty::<C>(case)?;
    let mut denied = vec![0; positions.len()];
    for (arrival, key) in keys.iter().enumerate() {
        filter.insert(*key).map_err(|error| case.unfit(&error.to_string()))?;
        for (denied, gap) in denied.iter_mut().zip(&positions) {
            if let Some(index) = arrival.checked_sub(*gap as usize) {
                *denied += u64::from(!filter.contains(keys[index]));
            }
        }
    }
    let mut seen = Observations::new(&GAP, positions.len());
    for (position, (denied, gap)) in denied.into_iter().zip(&positions).enumerate() {
        seen.add(position, 0, denied, case.keys() - *gap as u64);
    }
    Ok(seen)
}
