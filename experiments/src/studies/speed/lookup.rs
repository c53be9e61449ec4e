//! Lookups: of members and of absent keys, one by one, in batches, each after the last.

use std::sync::Arc;

use super::FACTORS;
use super::asked::Asked;
use super::held::Round;
use super::yardstick::Way;
use crate::error::HarnessError;
use crate::studies::{Case, Formula, Formulas, Observations, Quantity, Study};

/// The quantities of one kind of query: members or absent ones.
const EACH: usize = 7;
const SINGLE: usize = 0;
const BATCH: usize = 1;
const DEPENDENT: usize = 2;
const FILTER: usize = 3;
const FILTER_BATCH: usize = 4;
const LIMIT: usize = 5;
const LIMIT_DEPENDENT: usize = 6;
const MIXED: usize = 2 * EACH;
const DRY: usize = MIXED + 1;
const BITS: usize = MIXED + 2;
const POSITIVES: usize = MIXED + 3;

/// See [`Study::about`].
pub const LOOKUP: Study = Study {
    name: "speed-lookup",
    about: "time of a lookup: hit, miss, half of each; single, batch, dependent; with and without the hash; the memory's limit",
    factors: FACTORS,
    quantities: &[
        Quantity::time("hit_ns").over("limit_hit_ns"),
        Quantity::time("batch_hit_ns").over("limit_hit_ns"),
        Quantity::time("dependent_hit_ns").over("limit_dependent_hit_ns"),
        Quantity::time("filter_hit_ns"),
        Quantity::time("filter_batch_hit_ns"),
        Quantity::time("limit_hit_ns"),
        Quantity::time("limit_dependent_hit_ns"),
        Quantity::time("miss_ns").over("limit_miss_ns"),
        Quantity::time("batch_miss_ns").over("limit_miss_ns"),
        Quantity::time("dependent_miss_ns").over("limit_dependent_miss_ns"),
        Quantity::time("filter_miss_ns"),
        Quantity::time("filter_batch_miss_ns"),
        Quantity::time("limit_miss_ns"),
        Quantity::time("limit_dependent_miss_ns"),
        Quantity::time("mixed_ns"),
        Quantity::time("dry_ns"),
        Quantity::mean("memory_bits_per_key"),
        Quantity::share("positives"),
    ],
    axis: None,
    observe,
    formulas: |case, _| Ok(vec![lines(case).into_iter().flatten().collect()]),
    cost_ns: |spec| cost(spec.keys, 18.0),
};

/// A rough cost of so many loops over a filter of so many keys, in nanoseconds.
pub(super) fn cost(keys: u64, loops: f64) -> f64 {
    loops * (3e6 + (keys as f64 / 4.0).clamp(65_536.0, 2_097_152.0) * 2.0 * (3.0 + keys as f64 / 3e6).min(50.0))
        + keys as f64 * 15.0
}

/// What theory says of the lines that a lookup reads.
fn lines(case: &Case<'_>) -> Option<Formulas> {
    let (contender, params) = super::held::contender(case).ok()?;
    let lines = contender.lines_touched(params, case.keys()).ok()??;
    let source = "cache lines read in expectation";
    Some(vec![Formula::line("lines_hit", lines.hit, source), Formula::line("lines_miss", lines.miss, source)])
}

/// Lines of the yardstick for hits and misses, whole ones; 0 where nobody knows them.
pub(super) fn whole_lines(case: &Case<'_>) -> [u64; 2] {
    let (contender, params) = match super::held::contender(case) {
        Ok(both) => both,
        Err(_) => return [0; 2],
    };
    match contender.lines_touched(params, case.keys()) {
        Ok(Some(lines)) => [lines.hit, lines.miss].map(|lines| lines.round().max(1.0) as u64),
        _ => [0; 2],
    }
}

fn observe(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let mut round = Round::new(case, Observations::new(&LOOKUP, 1))?;
    let hasher = super::asked::hasher(case);
    let lines = whole_lines(case);
    for (first, share, name) in [(0, 1.0, "hit"), (EACH, 0.0, "miss")] {
        let asked = round.asked(share)?;
        let count = asked.keys.len();
        let expected = (share > 0.0 && round.keeps_all()).then_some(asked.members);
        let at = |quantity: usize| (0, first + quantity);
        let single = round.time(at(SINGLE), count, None, |filter, scratch| {
            asked.keys.hashed(&hasher, scratch, |digests| filter.count_contained(digests))
        });
        if single.is_some() && expected.is_some() && single != expected {
            round.law_violated();
        }
        let mut answers = vec![false; super::asked::TOGETHER];
        round.time(at(BATCH), count, single, |filter, scratch| {
            asked.keys.hashed(&hasher, scratch, |digests| batch(filter, digests, &mut answers))
        });
        round.time(at(DEPENDENT), count, None, |filter, _| filter.count_dependent(asked.in_memory(), share > 0.0));
        if round.takes_digests() {
            round.time(at(FILTER), count, single, |filter, _| filter.count_contained(&asked.digests));
            round.time(at(FILTER_BATCH), count, single, |filter, _| {
                asked.digests.chunks(answers.len()).map(|digests| batch(filter, digests, &mut answers)).sum()
            });
        }
        let which = usize::from(first > 0);
        round.limit(at(LIMIT), lines[which], &Way::THROUGHPUT, &asked, name)?;
        round.limit(at(LIMIT_DEPENDENT), lines[which], &[Way::Dependent], &asked, name)?;
        if let (true, true, Some(positives)) = (first > 0, round.is_first(), single) {
            round.note(0, POSITIVES, positives, count);
        }
    }
    let asked = round.asked(0.5)?;
    round.time((0, MIXED), asked.keys.len(), None, |filter, scratch| {
        asked.keys.hashed(&hasher, scratch, |digests| filter.count_contained(digests))
    });
    // Of keys that are not hashed outside, the loop alone would be nothing but a sum.
    if round.takes_digests() {
        dry(&mut round, (0, DRY), &asked, &hasher);
    }
    let bits = round.memory_bits();
    if round.is_first() {
        round.note(0, BITS, bits, case.keys());
    }
    Ok(round.end())
}

/// Answers in a batch and how many are yes.
pub(super) fn batch(filter: &dyn crate::erased::ErasedFilter, digests: &[amq::Digest], answers: &mut [bool]) -> u64 {
    let answers = &mut answers[..digests.len()];
    filter.contains_batch(digests, answers);
    answers.iter().map(|answer| u64::from(*answer)).sum()
}

/// Hash and loop alone.
fn dry(round: &mut Round<'_>, at: (usize, usize), asked: &Arc<Asked>, hasher: &hashing::Hasher) {
    round.time(at, asked.keys.len(), None, |_, scratch| {
        asked.keys.hashed(hasher, scratch, |digests| {
            std::hint::black_box(digests).iter().fold(0, |sum, digest| sum.wrapping_add(digest.0))
        })
    });
}
