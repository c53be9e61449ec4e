//! Lookups against the share of members among the keys asked.

use super::FACTORS;
use super::held::Round;
use super::lookup::{batch, cost};
use crate::studies::{AlongAxis, Formula, Observations, Quantity, Study};

/// Shares asked.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// See [`Study::about`].
pub const MIX: Study = Study {
    name: "speed-mix",
    about: "time of a lookup where some of the keys asked, in random order, are members; single and batch",
    factors: FACTORS,
    quantities: &[
        Quantity::time("mixed_ns"),
        Quantity::time("batch_mixed_ns"),
        Quantity::mean("memory_bits_per_key"),
        Quantity::share("positives"),
    ],
    axis: Some(AlongAxis { name: "hit_share", positions: |_| Ok(SHARES.to_vec()) }),
    observe: |case| {
        let mut round = Round::new(case, Observations::new(&MIX, SHARES.len()))?;
        let hasher = super::asked::hasher(case);
        let mut answers = vec![false; super::asked::TOGETHER];
        for (position, share) in SHARES.into_iter().enumerate() {
            let asked = round.asked(share)?;
            let count = asked.keys.len();
            let single = round.time((position, 0), count, None, |filter, scratch| {
                asked.keys.hashed(&hasher, scratch, |digests| filter.count_contained(digests))
            });
            if round.keeps_all() && single.is_some_and(|positives| positives < asked.members) {
                round.law_violated();
            }
            round.time((position, 1), count, single, |filter, scratch| {
                asked.keys.hashed(&hasher, scratch, |digests| batch(filter, digests, &mut answers))
            });
            let bits = round.memory_bits();
            if let (true, true, Some(positives)) = (round.is_first(), share == 0.0, single) {
                round.note(position, 3, positives, count);
            }
            if round.is_first() {
                round.note(position, 2, bits, case.keys());
            }
        }
        Ok(round.end())
    },
    formulas: |_, positions| Ok(vec![Vec::<Formula>::new(); positions.len()]),
    cost_ns: |spec| cost(spec.keys, 10.0),
};
