//! Times, at one thread, of code whose answers are checked. A time belongs to a host and is never compared
//! across hosts.

use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use ahash::RandomState;
use amq::Digest;
use hashing::{Hasher, KeyKind};

use super::Point;
use super::queries::{Keys, Queries};
use crate::controls::hash_set_space;
use crate::error::HarnessError;
use crate::keys::{CHUNK, KeySet};
use crate::record::Record;
use crate::spec::Scalar;

/// Rounds of every measurement; the least is the time, the median shows the noise.
const ROUNDS: usize = 9;
/// Picoseconds under which a time per operation is not credible (HAND-39): no core answers in less.
pub const CREDIBLE_PS: u64 = 200;

/// A time in picoseconds; saturates after seven months.
#[must_use]
pub fn picoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos() * 1000).unwrap_or(u64::MAX)
}

/// Least and median time of one operation, and what the rounds answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// Least, in picoseconds.
    pub min_ps: u64,
    /// Median, in picoseconds.
    pub median_ps: u64,
    /// The answer, the same in every round.
    pub check: u64,
}

/// Times `round`, which does `operations` operations and returns a sum that is known to be `expected`.
///
/// # Errors
/// [`HarnessError::Failed`] for an unoptimised build, an answer that differs, or a time too short to be true.
pub fn time(operations: u64, expected: Option<u64>, round: impl FnMut() -> u64) -> Result<Timed, HarnessError> {
    if cfg!(debug_assertions) {
        return Err(HarnessError::Failed("this build has debug assertions: its times would mean nothing".to_owned()));
    }
    rounds(operations, expected, round)
}

/// [`time`] in any build.
fn rounds(operations: u64, expected: Option<u64>, mut round: impl FnMut() -> u64) -> Result<Timed, HarnessError> {
    let check = round();
    if let Some(expected) = expected.filter(|expected| *expected != check) {
        return Err(HarnessError::Failed(format!("a timed loop answered {check} where {expected} is right")));
    }
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let answer = black_box(round());
        let elapsed = start.elapsed();
        if answer != check {
            return Err(HarnessError::Failed(format!("a timed loop answered {answer} after {check}")));
        }
        times.push(picoseconds(elapsed) / operations.max(1));
    }
    times.sort_unstable();
    if times[0] < CREDIBLE_PS {
        return Err(HarnessError::Failed(format!(
            "{} ps per operation is too fast to be true: the loop was optimised away",
            times[0]
        )));
    }
    Ok(Timed { min_ps: times[0], median_ps: times[ROUNDS / 2], check })
}

/// Writes a time, or why there is none.
fn write(record: &mut Record, timed: Result<Timed, HarnessError>) {
    match timed {
        Ok(timed) => {
            record.min_ps = Some(timed.min_ps);
            record.median_ps = Some(timed.median_ps);
            record.check = Some(timed.check);
        }
        Err(_) if cfg!(debug_assertions) => "not-timed".clone_into(&mut record.outcome),
        Err(_) => "wrong-answer".clone_into(&mut record.outcome),
    }
}

/// The time to hash one key of `key_bytes` bytes; 8 bytes are an integer.
pub(super) fn hash_time(point: &Point, record: &mut Record) -> Result<(), HarnessError> {
    let spec = &point.spec;
    let length = spec.factors.get("key_bytes").and_then(Scalar::number).and_then(amq::Number::as_u64).unwrap_or(8);
    if !(1..=1 << 16).contains(&length) {
        return Err(HarnessError::Usage(format!("key_bytes = {length} is out of range: 1 to 65,536")));
    }
    let hasher = Hasher::new(spec.family, point.hash_seed(0));
    let count = CHUNK;
    let mut integers = Vec::new();
    Hasher::new(hashing::Family::Mixer, point.key_seed(0)).u64_batch(0..count * length.div_ceil(8), &mut integers);
    let text: Vec<u8> = integers.iter().flat_map(|word: &Digest| word.0.to_le_bytes()).collect();
    let integers: Vec<u64> = integers.iter().take(count as usize).map(|word| word.0).collect();
    let keys: Vec<&[u8]> = text.chunks(length as usize).take(count as usize).collect();
    let sum = |digests: &[Digest]| digests.iter().fold(0u64, |sum, digest| sum.wrapping_add(digest.0));
    let mut digests = Vec::with_capacity(count as usize);
    let bytes = length != 8;
    if bytes && spec.family.takes() == KeyKind::Integer {
        "invalid-params".clone_into(&mut record.outcome);
        return Ok(());
    }
    // One by one first: the timed batch must give the same digests.
    let expected = if bytes {
        keys.iter().filter_map(|key| hasher.bytes(key).ok()).fold(0u64, |sum, digest| sum.wrapping_add(digest.0))
    } else {
        integers.iter().fold(0u64, |sum, key| sum.wrapping_add(hasher.u64(*key).0))
    };
    let repeats = (1 << 18) / count / length.div_ceil(64);
    let timed = time(count * repeats.max(1), Some(expected), || {
        let mut last = 0;
        for _ in 0..repeats.max(1) {
            digests.clear();
            if bytes {
                // Refused above for families of integers only.
                let _ = hasher.bytes_batch(black_box(&keys).iter(), &mut digests);
            } else {
                hasher.u64_batch(black_box(&integers).iter().copied(), &mut digests);
            }
            last = sum(&digests);
        }
        last
    });
    record.probes = Some(count);
    write(record, timed);
    Ok(())
}

/// The time of a lookup from the key on, hash included.
pub(super) fn lookup_time(point: &Point, record: &mut Record) -> Result<(), HarnessError> {
    let spec = &point.spec;
    let (Some(contender), Ok(params)) = (&spec.contender, &spec.params) else {
        return Err(HarnessError::Failed(format!("measure `{}` needs contenders", spec.measure)));
    };
    let set = KeySet::new(spec.workload.clone(), spec.keys, point.key_seed(0));
    let hasher = Hasher::new(spec.family, point.hash_seed(0));
    let mut source = set.source(&hasher);
    let built = contender.build(params, point.filter_seed(0), &mut source);
    source.finish()?;
    let filter = match built {
        Ok(filter) => filter,
        Err(error) => {
            super::outcome(&error).clone_into(&mut record.outcome);
            return Ok(());
        }
    };
    let space = filter.space();
    (record.payload_bits, record.overhead_bits) = (Some(space.payload_bits), Some(space.overhead_bits));
    let queries = Queries::new(point, &set)?;
    let mut digests = Vec::with_capacity(CHUNK as usize);
    let timed = time(queries.len(), None, || {
        queries.count_hashed(&hasher, &mut digests, |chunk| filter.count_contained(chunk))
    });
    judge_answers(record, &queries, timed.as_ref().ok().map(|timed| timed.check));
    write(record, timed);
    Ok(())
}

/// The same for a hash set that holds the keys.
pub(super) fn hash_set_time(point: &Point, record: &mut Record) -> Result<(), HarnessError> {
    let spec = &point.spec;
    let set = KeySet::new(spec.workload.clone(), spec.keys, point.key_seed(0));
    let queries = Queries::new(point, &set)?;
    let state = RandomState::with_seeds(1, 2, 3, 4);
    let timed = match &queries.keys {
        Keys::Integers(keys) => {
            let members = fill(&state, (0..spec.keys).filter_map(|index| set.integer(index)));
            space(record, members.len(), members.capacity(), 8);
            time(queries.len(), None, || keys.iter().map(|key| u64::from(members.contains(key))).sum())
        }
        Keys::Bytes(keys) => {
            let members = fill(&state, (0..spec.keys).filter_map(|index| set.array(index)));
            space(record, members.len(), members.capacity(), 40);
            time(queries.len(), None, || keys.iter().map(|key| u64::from(members.contains(key))).sum())
        }
    };
    judge_answers(record, &queries, timed.as_ref().ok().map(|timed| timed.check));
    write(record, timed);
    Ok(())
}

fn fill<T: Eq + std::hash::Hash>(state: &RandomState, keys: impl Iterator<Item = T>) -> HashSet<T, RandomState> {
    let mut set = HashSet::with_hasher(state.clone());
    set.extend(keys);
    set
}

fn space(record: &mut Record, len: usize, capacity: usize, entry_bytes: u64) {
    let space = hash_set_space(len, capacity, entry_bytes);
    (record.payload_bits, record.overhead_bits) = (Some(space.payload_bits), Some(space.overhead_bits));
}

/// Members asked must all be found; absent ones give false positives.
fn judge_answers(record: &mut Record, queries: &Queries, hits: Option<u64>) {
    record.filters = Some(1);
    let Some(hits) = hits else { return };
    if queries.members {
        record.probes = Some(0);
        record.false_positives = Some(0);
        record.false_negatives = Some(queries.len() - hits);
        if hits < queries.len() {
            "law-violated".clone_into(&mut record.outcome);
        }
    } else {
        record.probes = Some(queries.len());
        record.false_positives = Some(hits);
        record.false_negatives = Some(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HAND-39: an answer that is wrong or changes gives no time.
    #[test]
    fn hand_39_answers_that_are_wrong_have_no_time() {
        let slow = || std::hint::black_box((0..10_000u64).map(|step| black_box(step) & 1).sum());
        let timed = rounds(10_000, Some(5_000), slow).unwrap();
        assert!(timed.check == 5_000 && timed.min_ps >= CREDIBLE_PS && timed.min_ps <= timed.median_ps, "{timed:?}");
        let error = rounds(10_000, Some(5_001), slow).unwrap_err().to_string();
        assert_eq!(error, "a timed loop answered 5000 where 5001 is right");
        let mut calls = 0;
        let error = rounds(1, None, || {
            calls += 1;
            slow() + calls / 3
        });
        assert_eq!(error.unwrap_err().to_string(), "a timed loop answered 5001 after 5000");
    }

    /// HAND-39: a loop that was optimised away is too fast to be true.
    #[test]
    fn hand_39_a_loop_that_does_nothing_is_too_fast() {
        let error = rounds(1 << 40, Some(7), || 7).unwrap_err().to_string();
        assert!(error.contains("too fast to be true"), "{error}");
    }

    #[test]
    fn a_build_with_debug_assertions_has_no_times() {
        let timed = time(1, None, || (0..10_000u64).map(black_box).sum());
        assert_eq!(timed.is_err(), cfg!(debug_assertions), "{timed:?}");
        let mut record = Record { outcome: "ok".to_owned(), ..Record::default() };
        write(&mut record, Err(HarnessError::Failed(String::new())));
        assert_eq!(record.outcome, if cfg!(debug_assertions) { "not-timed" } else { "wrong-answer" });
        assert_eq!((record.min_ps, record.median_ps, record.check), (None, None, None));
    }
}
