//! How long a lookup takes when the next one waits for it: not the mean alone, but the slow ones too.

use std::time::Instant;

use super::FACTORS;
use super::held::Round;
use super::lookup::cost;
use super::yardstick::{Way, Yardstick};
use crate::error::HarnessError;
use crate::model::picoseconds;
use crate::studies::{AlongAxis, Case, Formula, Observations, Quantity, Study};

/// Lookups timed at once: reading the clock twice costs some 40 ns, 3 ns of each of them.
const GROUP: usize = 16;
/// Lookups of a round at most; the slowest thousandth of their groups are 65.
const MOST: usize = GROUP << 16;
/// Percentiles of the groups.
const PERCENTILES: [f64; 4] = [50.0, 90.0, 99.0, 99.9];
const KINDS: usize = 3;

/// See [`Study::about`].
pub const LATENCY: Study = Study {
    name: "speed-latency",
    about: "percentiles, over groups of 16, of the time of dependent lookups and of one dependent random read",
    factors: FACTORS,
    quantities: &[
        Quantity::time("latency_hit_ns").over("limit_latency_ns"),
        Quantity::time("latency_miss_ns").over("limit_latency_ns"),
        Quantity::time("limit_latency_ns"),
    ],
    axis: Some(AlongAxis { name: "percentile", positions: |_| Ok(PERCENTILES.to_vec()) }),
    observe,
    formulas: |_, positions| Ok(vec![Vec::<Formula>::new(); positions.len()]),
    cost_ns: |spec| cost(spec.keys, 6.0),
};

fn observe(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let mut round = Round::new(case, Observations::new(&LATENCY, PERCENTILES.len()))?;
    for (quantity, share) in [(0, 1.0), (1, 0.0)] {
        let asked = round.asked(share)?;
        let digests = &asked.in_memory()[..MOST.min(asked.keys.len() as usize)];
        let expected = share > 0.0;
        // The answers of a whole pass first, as in every loop; then each group by itself.
        let mut groups = Vec::new();
        let answer = round.filter(|filter| {
            let warm: u64 = digests.chunks(GROUP).map(|group| filter.count_dependent(group, expected)).sum();
            let timed: u64 = grouped(digests, &mut groups, |group| filter.count_dependent(group, expected));
            (warm, timed)
        });
        match answer {
            Some((warm, timed)) if warm != timed => round.wrong_answer(),
            Some((_, found)) if expected && round.keeps_all() && found < digests.len() as u64 => round.law_violated(),
            _ => note(&mut round, quantity, &mut groups),
        }
    }
    let asked = round.asked(0.0)?;
    let bytes = round.memory_bits().div_ceil(8);
    let yardstick = Yardstick::shared(case, bytes)?;
    if let Some(pass) = yardstick.pass(Way::Dependent, 1, bytes) {
        let mut words = asked.keys.words();
        words.truncate(MOST);
        let mut groups = Vec::new();
        std::hint::black_box(pass(&words, 0));
        if grouped(&words, &mut groups, |group| pass(group, 0)) != words.len() as u64 {
            round.wrong_answer();
        }
        note(&mut round, KINDS - 1, &mut groups);
    }
    Ok(round.end())
}

/// The picoseconds of each group, and all answers.
fn grouped<T>(keys: &[T], groups: &mut Vec<u64>, mut answer: impl FnMut(&[T]) -> u64) -> u64 {
    groups.clear();
    let mut sum = 0;
    for group in keys.chunks(GROUP) {
        let start = Instant::now();
        sum += std::hint::black_box(answer(group));
        let elapsed = start.elapsed();
        // An odd rest has too few lookups for the clock.
        if group.len() == GROUP {
            groups.push(picoseconds(elapsed));
        }
    }
    sum
}

/// The percentiles of a quantity; none in a build whose times mean nothing.
fn note(round: &mut Round<'_>, quantity: usize, groups: &mut [u64]) {
    if cfg!(debug_assertions) || groups.is_empty() {
        return;
    }
    groups.sort_unstable();
    for (position, percentile) in PERCENTILES.into_iter().enumerate() {
        let rank = ((percentile / 100.0 * groups.len() as f64).ceil() as usize).clamp(1, groups.len());
        round.note(position, quantity, groups[rank - 1], GROUP as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_whole_and_answers_are_those_of_all_keys() {
        let keys: Vec<u64> = (0..GROUP as u64 * 5 + 3).collect();
        let mut groups = vec![7];
        let sum = grouped(&keys, &mut groups, |group| group.iter().sum());
        assert_eq!((sum, groups.len()), (keys.iter().sum(), 5));
    }
}
