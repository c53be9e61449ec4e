//! How zeros and rate converge.

use amq::Filter;
use stable::chain::Cell;
use stable::decrement::{Decrement, Law};
use stable::paper::arrivals_to_converge;
use stable::{Independent, Run, StableBloom};

use super::{empty, feed, fpr, geometric, law};
use crate::error::HarnessError;
use crate::studies::{AlongAxis, Case, EXACT, Formula, Observations, Quantity, Study};

/// Zeros and rate of a filter that was empty, after numbers of arrivals up to convergence.
pub const ARRIVALS: Study = Study {
    name: "stable-arrivals",
    about: "zeros and rate of a stable filter after each number of arrivals, from m/16 to convergence",
    factors: &["decrement"],
    quantities: &[Quantity::share("zero_fraction"), Quantity::share("fpr")],
    axis: Some(AlongAxis {
        name: "arrivals",
        positions: |case| {
            let params = case.params::<StableBloom>()?;
            let first = (params.cells as f64 / 16.0).max(1.0);
            Ok(geometric(first, (arrivals_to_converge(&params) as f64).max(first), 16))
        },
    }),
    observe: |case| match law(case)? {
        Law::Run => observe::<Run>(case),
        Law::Independent => observe::<Independent>(case),
    },
    formulas: |case, positions| {
        let (params, law) = (case.params::<StableBloom>()?, law(case)?);
        let cell = Cell::new(&params, law);
        let at = |arrivals: u64| {
            let rate = fpr(law, &params, arrivals);
            vec![
                Formula::of(
                    "zero_fraction",
                    "expected_zeros",
                    1.0 - cell.nonzero(arrivals),
                    EXACT,
                    "chain of one cell, exact",
                ),
                Formula::of("fpr", "rate_after_arrivals", rate.rate, rate.claim, rate.source),
            ]
        };
        Ok(positions.iter().map(|x| at(*x as u64)).collect())
    },
    cost_ns: |_| 1e7,
};

fn observe<C: Decrement>(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let positions = ARRIVALS.positions(case)?;
    let last = positions.last().map_or(0, |x| *x as u64);
    let absent = case.digests(last, last + case.probes())?;
    let mut filter = empty::<C>(case)?;
    let mut seen = Observations::new(&ARRIVALS, positions.len());
    let mut done = 0;
    for (position, x) in positions.iter().enumerate() {
        feed(case, &mut filter, done, *x as u64)?;
        done = *x as u64;
        seen.add(position, 0, filter.zeros(), filter.params().cells);
        seen.add(position, 1, filter.count_contained(&absent), case.probes());
    }
    Ok(seen)
}
