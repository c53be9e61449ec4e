//! Times, at one thread, of loops whose answers are known and checked.

use std::hint::black_box;
use std::time::{Duration, Instant};

use amq::Digest;
use hashing::mix::mix64;

use super::measure::{Kept, Stop};
use super::{Asked, Sized, amount};
use crate::cli::output::rounded;
use crate::erased::ErasedFilter;
use crate::error::HarnessError;
use crate::keys::{DigestSource, KeySet};
use crate::seeds;

/// Digests that are made at once, outside of the time: 32 MiB.
const BUFFER: u64 = 1 << 22;
/// Keys in a timed build at the least, by repetition.
const LEAST_BUILT: u64 = 1 << 14;
/// Keys in the timed builds after which no further round is made.
const MOST_BUILT: u64 = 1 << 24;
/// Bytes of the filters of one round.
const MOST_BYTES: u64 = 1 << 26;
/// Rounds of a timed loop at the least and at the most.
const ROUNDS: (u32, u32) = (5, 50);
/// Time after which no further round is made.
const LONG_ENOUGH: Duration = Duration::from_millis(200);
/// Nanoseconds per query below which a time is not credible: no core answers in less (HAND-39).
const CREDIBLE_NS: f64 = 0.2;
/// Filters below this size fit a cache, and short rounds are enough.
const SMALL_BITS: u64 = 1 << 21;

/// Nanoseconds on this host; empty where not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Building, for each key, from digests.
    pub build_ns_per_key: Option<f64>,
    /// A query for a member.
    pub hit_ns: Option<f64>,
    /// A query for an absent key.
    pub miss_ns: Option<f64>,
}

/// Times building and asking filter 0.
pub(super) fn measure(
    asked: &Asked,
    sized: &Sized,
    kept: Option<Kept>,
    say: &dyn Fn(&str),
) -> Result<Times, HarnessError> {
    let id = sized.contender.id;
    let mut times = Times::default();
    if cfg!(debug_assertions) {
        say(&format!("{id}: not timed: this build has debug assertions, so its times would mean nothing"));
        return Ok(times);
    }
    let (filter, build) = match kept {
        Some(Kept { filter, build }) => (filter, build.as_nanos() as f64 / asked.keys as f64),
        None => match fastest_build(asked, sized) {
            Ok(built) => built,
            Err(Stop::Harness(error)) => return Err(error),
            Err(Stop::Outcome { why, .. }) => {
                say(&format!("{id}: not timed: {why}"));
                return Ok(times);
            }
        },
    };
    let told = |what: &str, time: Result<Option<f64>, String>| match time {
        Ok(time) => time,
        Err(why) => {
            say(&format!("{id}: {what}: {why}"));
            None
        }
    };
    let credible = |ns: f64| if ns < CREDIBLE_NS { Err(too_fast(ns)) } else { Ok(Some(ns)) };
    times.build_ns_per_key = told("build_ns_per_key", if asked.keys == 0 { Ok(None) } else { credible(build) });
    let mut queries = Queries::new(asked, filter.memory_bits());
    let time = |digests: &[Digest], members: Option<u64>| {
        fastest(&*filter, digests, members.filter(|_| sized.contender.no_false_negatives))
    };
    queries.fill(1.0)?;
    times.hit_ns = told("hit_ns", time(&queries.digests, Some(queries.members)));
    queries.fill(0.0)?;
    times.miss_ns = told("miss_ns", time(&queries.digests, None));
    queries.fill(asked.hit_share)?;
    if let Some(ns) = told("mixed time", time(&queries.digests, None)) {
        let share = rounded(100.0 * asked.hit_share, 3);
        say(&format!("{id}: {} ns per query where {share} % of the keys asked are members", rounded(ns, 3)));
    }
    Ok(times)
}

fn too_fast(ns: f64) -> String {
    format!("{ns} ns is below {CREDIBLE_NS} ns and not credible; left empty")
}

/// The members of filter 0, made in large chunks with the clock stopped.
struct Untimed<'a> {
    keys: &'a KeySet,
    asked: &'a Asked,
    next: u64,
    buffer: Vec<Digest>,
    making: Duration,
    error: Option<HarnessError>,
}

impl DigestSource for Untimed<'_> {
    fn next_chunk(&mut self) -> Option<&[Digest]> {
        let end = (self.next + BUFFER).min(self.keys.members());
        if self.next == end || self.error.is_some() {
            return None;
        }
        let start = Instant::now();
        self.buffer.clear();
        let made = self.keys.member_digests(self.next..end, &self.asked.hasher(0), &mut self.buffer);
        self.making += start.elapsed();
        if let Err(error) = made {
            self.error = Some(error);
            return None;
        }
        self.next = end;
        Some(&self.buffer)
    }
}

/// Builds filter 0 once; the time is that of building alone, without making keys and digests.
pub(super) fn build(asked: &Asked, sized: &Sized) -> Result<(Box<dyn ErasedFilter>, Duration), Stop> {
    let keys = asked.key_set(0);
    let mut source = Untimed { keys: &keys, asked, next: 0, buffer: Vec::new(), making: Duration::ZERO, error: None };
    source.buffer.reserve(BUFFER.min(asked.keys) as usize);
    let start = Instant::now();
    let built = sized.contender.build(&sized.params, asked.filter_seed(0), &mut source);
    let elapsed = start.elapsed().saturating_sub(source.making);
    match source.error {
        Some(error) => Err(error.into()),
        None => Ok((built?, elapsed)),
    }
}

/// Filter 0 and the least time of building it, in nanoseconds per key.
fn fastest_build(asked: &Asked, sized: &Sized) -> Result<(Box<dyn ErasedFilter>, f64), Stop> {
    let (mut filter, elapsed) = build(asked, sized)?;
    let per_key = |elapsed: Duration, builds: u64| elapsed.as_nanos() as f64 / (builds * asked.keys.max(1)) as f64;
    let mut least = per_key(elapsed, 1);
    if asked.keys > BUFFER {
        return Ok((filter, least));
    }
    let mut digests = Vec::new();
    asked.key_set(0).member_digests(0..asked.keys, &asked.hasher(0), &mut digests)?;
    let bytes = filter.memory_bits() / 8;
    let builds = (LEAST_BUILT / asked.keys.max(1)).min(MOST_BYTES / bytes.max(1)).max(1);
    let rounds = (MOST_BUILT / (builds * asked.keys.max(1))).clamp(1, ROUNDS.0.into());
    let mut built = Vec::with_capacity(builds as usize);
    for _ in 0..rounds {
        built.clear();
        let start = Instant::now();
        for _ in 0..builds {
            built.push(sized.contender.build_from(&sized.params, asked.filter_seed(0), black_box(&digests))?);
        }
        least = least.min(per_key(start.elapsed(), builds));
    }
    if let Some(last) = built.pop() {
        filter = last;
    }
    Ok((filter, least))
}

/// The least time of a query, in nanoseconds. Every round's answer is checked against the batch form's, and
/// against the number of members where all are promised to be found.
fn fastest(filter: &dyn ErasedFilter, digests: &[Digest], members: Option<u64>) -> Result<Option<f64>, String> {
    if digests.is_empty() {
        return Ok(None);
    }
    let mut answers = vec![false; digests.len()];
    filter.contains_batch(digests, &mut answers);
    let known = answers.iter().filter(|answer| **answer).count() as u64;
    if let Some(members) = members.filter(|members| *members != known) {
        return Err(format!("{known} of {members} members were found; left empty"));
    }
    let (mut least, mut spent, mut rounds) = (Duration::MAX, Duration::ZERO, 0);
    while rounds < ROUNDS.0 || (rounds < ROUNDS.1 && spent < LONG_ENOUGH) {
        let start = Instant::now();
        let counted = black_box(filter.count_contained(black_box(digests)));
        let elapsed = start.elapsed();
        if counted != known {
            return Err(format!("the timed loop answered {counted} times yes where {known} is right; left empty"));
        }
        (least, spent, rounds) = (least.min(elapsed), spent + elapsed, rounds + 1);
    }
    let ns = least.as_nanos() as f64 / digests.len() as f64;
    if ns < CREDIBLE_NS { Err(too_fast(ns)) } else { Ok(Some(ns)) }
}

/// Digests to ask filter 0, members and absent ones in random order.
struct Queries<'a> {
    asked: &'a Asked,
    count: u64,
    digests: Vec<Digest>,
    members: u64,
}

impl<'a> Queries<'a> {
    /// Many for a large filter, so that no cache holds what one round touches.
    fn new(asked: &'a Asked, bits: u64) -> Self {
        let count = if bits < SMALL_BITS { 1 << 16 } else { 1 << 20 };
        Self { asked, count, digests: Vec::with_capacity(count as usize), members: 0 }
    }

    /// Draws anew, members with this probability; nothing where there is nothing to draw from.
    fn fill(&mut self, share: f64) -> Result<(), HarnessError> {
        let (keys, hasher) = (self.asked.key_set(0), self.asked.hasher(0));
        let seed = seeds::child(self.asked.seed, "queries", share.to_bits());
        let absent = amount::absent_keys(&self.asked.workload).min(self.count);
        self.digests.clear();
        self.members = 0;
        if (share > 0.0 && self.asked.keys == 0) || (share < 1.0 && absent == 0) {
            return Ok(());
        }
        for index in 0..self.count {
            let random = mix64(seed.wrapping_add(index));
            // 53 bits make a uniform number in [0, 1).
            let is_member = ((random >> 11) as f64) < share * 9_007_199_254_740_992.0;
            if is_member {
                let member = mix64(random) % self.asked.keys;
                keys.member_digests(member..member + 1, &hasher, &mut self.digests)?;
                self.members += 1;
            } else {
                let other = index % absent;
                keys.absent_digests(other..other + 1, &hasher, &mut self.digests)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use amq::Space;

    use super::*;

    /// Says yes to `batch` of the keys asked at once, and counts `counted`, both without looking.
    struct Fake {
        batch: usize,
        counted: u64,
    }

    impl ErasedFilter for Fake {
        fn count_contained(&self, _keys: &[Digest]) -> u64 {
            self.counted
        }
        fn count_dependent(&self, _keys: &[Digest], _expected: bool) -> u64 {
            self.counted
        }
        fn contains_batch(&self, _keys: &[Digest], out: &mut [bool]) {
            out[..self.batch].fill(true);
        }
        fn space(&self) -> Space {
            Space::default()
        }
        fn memory_bits(&self) -> u64 {
            0
        }
        fn rate_given_contents(&self) -> Option<f64> {
            None
        }
        fn as_any_mut(&mut self) -> &mut dyn std::any::Any {
            self
        }
    }

    /// HAND-39: a loop that asks nothing is too fast to be true, and one that answers wrongly has no time.
    #[test]
    fn hand_39_times_that_are_not_credible_are_left_out() {
        let digests = vec![Digest(1); 1 << 20];
        let error = fastest(&Fake { batch: 5, counted: 5 }, &digests, None).unwrap_err();
        assert!(error.contains("below 0.2 ns and not credible"), "{error}");
        let error = fastest(&Fake { batch: 5, counted: 6 }, &digests, None).unwrap_err();
        assert!(error.contains("answered 6 times yes where 5 is right"), "{error}");
        let error = fastest(&Fake { batch: 5, counted: 5 }, &digests, Some(digests.len() as u64)).unwrap_err();
        assert!(error.contains("5 of 1048576 members were found"), "{error}");
        assert_eq!(fastest(&Fake { batch: 0, counted: 0 }, &[], None), Ok(None));
    }
}
