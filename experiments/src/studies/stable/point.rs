//! A filter at its stable point: zeros, rate, and what it still knows.

use amq::Filter;
use stable::chain::Cell;
use stable::decrement::{Decrement, Law};
use stable::paper::{arrivals_to_converge, fps_bound};
use stable::{Independent, Run, StableBloom};

use super::{empty, fnr, fpr, law};
use crate::error::HarnessError;
use crate::keys::CHUNK;
use crate::studies::{Case, EXACT, Formula, Observations, Quantity, Study};

/// Rates by contents are summed in these parts of one.
const PARTS: u64 = 1_000_000_000_000;

/// Filters that have converged, looked at several times, far enough apart to be nearly independent.
pub const POINT: Study = Study {
    name: "stable-point",
    about: "zeros, rate and forgetting of a stable filter that has converged",
    factors: &["decrement", "snapshots", "returns_after"],
    quantities: &[
        Quantity::share("zero_fraction"),
        Quantity::share("fpr"),
        Quantity::mean("rate_by_cells"),
        Quantity::share("fnr"),
    ],
    axis: None,
    observe: |case| match law(case)? {
        Law::Run => observe::<Run>(case),
        Law::Independent => observe::<Independent>(case),
    },
    formulas: |case, _| {
        let (params, law) = (case.params::<StableBloom>()?, law(case)?);
        let cell = Cell::new(&params, law);
        let stable = fpr(law, &params, cell.forever());
        let zeros = 1.0 - cell.nonzero(cell.forever());
        let mut all = vec![
            Formula::of("zero_fraction", "expected_zeros", zeros, EXACT, "chain of one cell, exact"),
            Formula::of("fpr", "rate_at_stable_point", stable.rate, stable.claim, stable.source),
            Formula::of("rate_by_cells", "mean_rate_by_cells", stable.rate, stable.claim, stable.source),
            Formula::line("fps", fps_bound(&params), "(1 - Z*)^k: Deng and Rafiei 2006"),
        ];
        if let Some(gap) = returns_after(case)? {
            let forgotten = fnr(law, &params, gap);
            all.push(Formula::of("fnr", "rate_of_forgetting", forgotten.rate, forgotten.claim, forgotten.source));
        }
        Ok(vec![all])
    },
    cost_ns: |_| 1e7,
};

fn returns_after(case: &Case<'_>) -> Result<Option<u64>, HarnessError> {
    case.name("returns_after").map(|_| case.count("returns_after", 1)).transpose()
}

fn observe<C: Decrement>(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let snapshots = case.count("snapshots", 1)?;
    let gap = returns_after(case)?.map(|gap| gap as usize);
    let mut filter = empty::<C>(case)?;
    let params = *filter.params();
    let converged = arrivals_to_converge(&params);
    // Of what one snapshot has to do with the next, e^-5 is left.
    let between = converged.div_ceil(4);
    let last = converged + (snapshots - 1) * between;
    let probes = case.probes() / snapshots;
    let (mut seen, mut denied, mut asked) = (Observations::new(&POINT, 1), 0, 0);
    // The latest `gap + 1` keys and more, to ask the one that came `gap` before.
    let mut recent = Vec::new();
    let mut take = |from: u64, to: u64, filter: &mut stable::StableBloom<C>| -> Result<(), HarnessError> {
        for start in (from..to).step_by(CHUNK as usize) {
            let chunk = case.digests(start, (start + CHUNK).min(to))?;
            let Some(gap) = gap else {
                super::insert(case, filter, &chunk)?;
                continue;
            };
            for key in chunk {
                super::insert(case, filter, &[key])?;
                recent.push(key);
                if recent.len() > gap {
                    asked += 1;
                    denied += u64::from(!filter.contains(recent[recent.len() - 1 - gap]));
                }
            }
            recent.drain(..recent.len().saturating_sub(gap));
        }
        Ok(())
    };
    let mut done = 0;
    for snapshot in 0..snapshots {
        let until = converged + snapshot * between;
        take(done, until, &mut filter)?;
        done = until;
        let absent = case.digests(last + snapshot * probes, last + (snapshot + 1) * probes)?;
        seen.add(0, 0, filter.zeros(), params.cells);
        seen.add(0, 1, filter.count_contained(&absent), probes);
        seen.add(0, 2, (filter.rate_by_cells() * PARTS as f64).round() as u64, PARTS);
    }
    seen.add(0, 3, denied, asked);
    Ok(seen)
}
