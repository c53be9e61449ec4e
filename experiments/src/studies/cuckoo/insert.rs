//! What an insert costs as the table fills: time and moves.

use ::cuckoo::formulas::moves_if_independent;
use amq::Claim;

use super::Geometry;
use crate::error::HarnessError;
use crate::studies::{AlongAxis, Case, Formula, Observations, Quantity, Study, stopwatch};

/// The load that is filled between two positions.
const SLICE: f64 = 0.03;
/// Moves in a repetition from which on their mean is one.
const ENOUGH: f64 = 200.0;

/// Moves and time of an insert against the load.
pub const INSERT: Study = Study {
    name: "cuckoo-insert",
    about: "time and moves of an insert into a cuckoo filter against its load",
    factors: &[],
    quantities: &[Quantity::mean("moves"), Quantity::time("insert_ns")],
    axis: Some(AlongAxis {
        name: "filled",
        positions: |case| {
            let slices = (Geometry::of(case)?.limit() / SLICE + 1e-9) as u32;
            // The middle of what is filled.
            Ok((0..slices).map(|slice| (f64::from(slice) + 0.5) * SLICE).collect())
        },
    }),
    observe: |case| {
        let geometry = Geometry::of(case)?;
        let positions = INSERT.positions(case)?.len();
        let mut table = geometry.empty(case)?;
        let mut seen = Observations::new(&INSERT, positions);
        let end = |slice: usize| (slice as f64 * SLICE * geometry.slots() as f64) as u64;
        let keys = case.digests(0, end(positions))?;
        for position in 0..positions {
            let (from, to) = (end(position), end(position + 1));
            let before = table.kicks();
            let slice = &keys[from as usize..to as usize];
            let (refused, time) = stopwatch(|| table.insert(slice));
            if refused {
                // Too little room for this load, by chance: the rest of this repetition was not seen.
                break;
            }
            seen.add(position, 0, table.kicks() - before, to - from);
            if let Some(ps) = time {
                seen.add(position, 1, ps, to - from);
            }
        }
        Ok(seen)
    },
    formulas: |case, positions| formulas(case, positions),
    cost_ns: |spec| super::load::fill_ns(spec),
};

fn formulas(case: &Case<'_>, positions: &[f64]) -> Result<Vec<Vec<Formula>>, HarnessError> {
    let geometry = Geometry::of(case)?;
    let inserts = SLICE * geometry.slots() as f64;
    let of = |middle: &f64| {
        let moves = over_slice(geometry.form.slots, *middle);
        let (name, source) = ("moves_independent", "q^2 / (1 - q), looks at random buckets: fewer than there are");
        vec![if moves * inserts >= ENOUGH {
            Formula::of("moves", name, moves, Claim::AtLeast, source)
        } else {
            Formula::line(name, moves, source)
        }]
    };
    Ok(positions.iter().map(of).collect())
}

/// The mean over a slice, by the midpoint rule.
fn over_slice(slots: u32, middle: f64) -> f64 {
    const STEPS: u32 = 32;
    let at = |step: u32| middle + SLICE * ((f64::from(step) + 0.5) / f64::from(STEPS) - 0.5);
    (0..STEPS).map(|step| moves_if_independent(slots, at(step))).sum::<f64>() / f64::from(STEPS)
}
