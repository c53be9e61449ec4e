//! The time of one loop in one round.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use crate::model::{CREDIBLE_PS, picoseconds};

/// Time after which no further pass is made.
const ENOUGH: Duration = Duration::from_millis(2);
/// Passes at most.
const MOST_PASSES: u32 = 4;

/// Why a loop has no time: the outcome of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// A pass answered otherwise than is right, or than the pass before.
    WrongAnswer,
    /// No core is that fast: the loop was optimised away.
    TooFast,
}

impl Refused {
    /// The word in the column `outcome`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Refused::WrongAnswer => "wrong-answer",
            Refused::TooFast => "not-credible",
        }
    }
}

/// The least time of a pass of `operations` operations, in picoseconds for all of them; `None` in a build with debug
/// assertions. `pass` is run once untimed and must always answer `expected`, if that is known.
pub(super) fn time(
    operations: u64,
    expected: Option<u64>,
    pass: impl FnMut() -> u64,
) -> Result<(Option<u64>, u64), Refused> {
    passes(operations, expected, !cfg!(debug_assertions), pass)
}

fn passes(
    operations: u64,
    expected: Option<u64>,
    timed: bool,
    mut pass: impl FnMut() -> u64,
) -> Result<(Option<u64>, u64), Refused> {
    let answer = black_box(pass());
    if expected.is_some_and(|expected| expected != answer) {
        return Err(Refused::WrongAnswer);
    }
    if !timed {
        return Ok((None, answer));
    }
    let (mut least, mut spent) = (Duration::MAX, Duration::ZERO);
    for _ in 0..MOST_PASSES {
        let start = Instant::now();
        let again = black_box(pass());
        let elapsed = start.elapsed();
        if again != answer {
            return Err(Refused::WrongAnswer);
        }
        (least, spent) = (least.min(elapsed), spent + elapsed);
        if spent >= ENOUGH {
            break;
        }
    }
    let ps = picoseconds(least);
    if ps < CREDIBLE_PS.saturating_mul(operations) { Err(Refused::TooFast) } else { Ok((Some(ps), answer)) }
}

/// Picoseconds from when the first of `threads` threads begins `work` until the last one ends it, each after its `before`, and
/// what each came to; `None` for one that panicked.
///
/// The threads read the clock, not the one that waits for them: where they take all cores, that one may not come to read it
/// before some of them are done.
pub(super) fn side_by_side<R: Send>(
    threads: usize,
    before: impl Fn(usize) + Sync,
    work: impl Fn(usize) -> R + Sync,
) -> (u64, Vec<Option<R>>) {
    let (ready, before, work) = (&Barrier::new(threads), &before, &work);
    let all: Vec<_> = std::thread::scope(|scope| {
        let one = |thread| {
            scope.spawn(move || {
                before(thread);
                ready.wait();
                let start = Instant::now();
                let done = black_box(work(thread));
                (start, Instant::now(), done)
            })
        };
        let all: Vec<_> = (0..threads).map(one).collect();
        all.into_iter().map(|thread| thread.join().ok()).collect()
    });
    let ran = || all.iter().flatten();
    let span = ran().map(|(start, ..)| *start).min().zip(ran().map(|(_, end, _)| *end).max());
    let ps = span.map_or(0, |(start, end)| picoseconds(end - start));
    (ps, all.into_iter().map(|ran| ran.map(|(.., done)| done)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time is at least that of one thread, also where the threads take all cores and more than there are.
    #[test]
    fn threads_side_by_side_are_timed_from_the_first_to_the_last() {
        let nap = Duration::from_millis(20);
        for threads in [1, 2, 16] {
            let (ps, done) = side_by_side(
                threads,
                |_| (),
                |thread| {
                    // A busy wait, which takes its core from the thread that waits.
                    let start = Instant::now();
                    while start.elapsed() < nap {}
                    thread
                },
            );
            assert!(ps >= picoseconds(nap), "{threads} threads: {ps} ps");
            assert_eq!(done, (0..threads).map(Some).collect::<Vec<_>>());
        }
    }

    fn slow() -> u64 {
        (0..10_000u64).map(|step| black_box(step) & 1).sum()
    }

    /// HAND-39: an answer that is wrong or changes gives no time.
    #[test]
    fn hand_39_answers_that_are_wrong_have_no_time() {
        let (ps, answer) = passes(10_000, Some(5_000), true, slow).unwrap();
        assert!(answer == 5_000 && ps.unwrap() >= CREDIBLE_PS * 10_000);
        assert_eq!(passes(10_000, Some(5_001), true, slow), Err(Refused::WrongAnswer));
        let mut calls = 0;
        let changing = || {
            calls += 1;
            slow() + calls / 3
        };
        assert_eq!(passes(1, None, true, changing), Err(Refused::WrongAnswer));
    }

    /// HAND-39: a loop that was optimised away is too fast to be true.
    #[test]
    fn hand_39_a_loop_that_does_nothing_is_too_fast() {
        assert_eq!(passes(1 << 40, Some(7), true, || 7), Err(Refused::TooFast));
    }

    #[test]
    fn a_build_with_debug_assertions_has_answers_and_no_times() {
        assert_eq!(passes(1, None, false, slow), Ok((None, 5_000)));
        assert_eq!(time(10_000, None, slow).unwrap().0.is_none(), cfg!(debug_assertions));
    }
}
