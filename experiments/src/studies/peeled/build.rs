//! What building and asking cost.

use crate::studies::{Formula, Observations, Quantity, Study, stopwatch};

/// Lookups that are timed at once.
const LOOKUPS: u64 = 1 << 14;
/// Rounds of them in a repetition.
const ROUNDS: u64 = 8;

/// Time of building a filter and of asking it.
pub const BUILD: Study = Study {
    name: "build-time",
    about: "time per key of building a filter from its digests, and of asking it for members and for absent keys",
    factors: &[],
    quantities: &[Quantity::time("build_ns"), Quantity::time("member_ns"), Quantity::time("absent_ns")],
    axis: None,
    observe: |case| {
        let spec = case.spec();
        let (Some(contender), Ok(params)) = (&spec.contender, &spec.params) else {
            return Err(case.unfit("a contender is needed"));
        };
        let keys = case.keys();
        if keys == 0 {
            return Err(case.unfit("keys = 0: there is nothing to time, give at least 1"));
        }
        let (members, absent) = (case.digests(0, keys)?, case.digests(keys, keys + LOOKUPS)?);
        let mut seen = Observations::new(&BUILD, 1);
        let seed = case.seed("filter");
        let (built, time) = stopwatch(|| contender.build_from(params, seed, &members));
        let filter = built.map_err(|error| case.unfit(&error.to_string()))?;
        if let Some(ps) = time {
            seen.add(0, 0, ps, keys);
        }
        // Members in the order they were inserted would be found where the cache still has them: every so many.
        let step = members.len().div_ceil(LOOKUPS as usize);
        let asked: Vec<_> = members.iter().step_by(step).copied().collect();
        for _ in 0..ROUNDS {
            for (quantity, digests) in [(1, &asked), (2, &absent)] {
                let (hits, time) = stopwatch(|| filter.count_contained(digests));
                if quantity == 1 && hits < asked.len() as u64 {
                    return Err(case.unfit("a member was denied"));
                }
                if let Some(ps) = time {
                    seen.add(0, quantity, ps, digests.len() as u64);
                }
            }
        }
        Ok(seen)
    },
    formulas: |_, _| Ok(vec![Vec::<Formula>::new()]),
    cost_ns: |spec| spec.keys as f64 * 200.0 + 2e6,
};
