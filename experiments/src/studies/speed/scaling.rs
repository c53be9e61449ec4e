//! Lookups on several threads that share one filter.

use super::FACTORS;
use super::asked::Asked;
use super::clock::side_by_side;
use super::held::Round;
use super::lookup::cost;
use super::yardstick::{Way, Yardstick};
use crate::error::HarnessError;
use crate::studies::{AlongAxis, Case, Formula, Observations, Quantity, Study};

/// Threads at most: doubled from 1, as far as the host has cores.
pub(super) const THREADS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Lookups of a thread at least.
const LOOKUPS: u64 = 1 << 21;
const LIMIT: usize = 1;

/// See [`Study::about`].
pub const SCALING: Study = Study {
    name: "speed-scaling",
    about: "time over all lookups of as many threads as share a filter, half of the keys members, and the same of random reads",
    factors: FACTORS,
    quantities: &[Quantity::time("mixed_ns"), Quantity::time("limit_line_ns"), Quantity::mean("memory_bits_per_key")],
    axis: Some(AlongAxis {
        name: "threads",
        positions: |_| Ok(THREADS.iter().map(|threads| *threads as f64).collect()),
    }),
    observe,
    formulas: |_, positions| Ok(vec![Vec::<Formula>::new(); positions.len()]),
    cost_ns: |spec| cost(spec.keys, 6.0),
};

fn observe(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let mut round = Round::new(case, Observations::new(&SCALING, THREADS.len()))?;
    let hasher = super::asked::hasher(case);
    let asked = round.asked(0.5)?;
    let count = asked.keys.len();
    let bytes = round.memory_bits().div_ceil(8);
    let yardstick = Yardstick::shared(case, bytes)?;
    let words = asked.keys.words();
    // Long enough that starting and ending threads does not count.
    let repeats = (LOOKUPS / count).max(1);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for (position, threads) in THREADS.into_iter().enumerate() {
        // More threads than cores share them: that would be the scheduler's time.
        if threads > cores {
            break;
        }
        let Some(filter) = round.filter(|filter| together(threads, repeats, || lookups(filter, &asked, &hasher)))
        else {
            break;
        };
        if round.keeps_all() && filter.1.iter().any(|found| *found < asked.members) {
            round.law_violated();
        } else if filter.1.iter().any(|found| *found != filter.1[0]) {
            round.wrong_answer();
        }
        note(&mut round, (position, 0), filter.0, count * repeats * threads as u64);
        if let Some(pass) = yardstick.pass(Way::Prefetched, 1, bytes) {
            let (ps, _) = together(threads, repeats, || pass(&words, 0));
            note(&mut round, (position, LIMIT), ps, count * repeats * threads as u64);
        }
    }
    let bits = round.memory_bits();
    if round.is_first() {
        (0..THREADS.len()).for_each(|position| round.note(position, 2, bits, case.keys()));
    }
    Ok(round.end())
}

fn lookups(filter: &dyn crate::erased::ErasedFilter, asked: &Asked, hasher: &hashing::Hasher) -> u64 {
    let mut scratch = Vec::with_capacity(super::asked::TOGETHER);
    asked.keys.hashed(hasher, &mut scratch, |digests| filter.count_contained(digests))
}

/// Picoseconds until all threads have done `work` so often, after one untimed pass of each, and what each answered.
fn together(threads: usize, repeats: u64, work: impl Fn() -> u64 + Sync) -> (u64, Vec<u64>) {
    let once = |_| _ = std::hint::black_box(work());
    let often = |_| (0..repeats.max(1)).fold(0, |_, _| std::hint::black_box(work()));
    let (ps, answers) = side_by_side(threads, once, often);
    (ps, answers.into_iter().map(|answer| answer.unwrap_or(0)).collect())
}

fn note(round: &mut Round<'_>, (position, quantity): (usize, usize), ps: u64, count: u64) {
    if !cfg!(debug_assertions) {
        round.note(position, quantity, ps, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_works_twice_and_answers_once() {
        let calls = std::sync::atomic::AtomicU64::new(0);
        let (_, answers) = together(3, 1, || calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) / 3 * 10);
        assert_eq!((answers, calls.into_inner()), (vec![10, 10, 10], 6));
    }
}
