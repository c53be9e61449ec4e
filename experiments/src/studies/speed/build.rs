//! Building and emptying.

use std::time::Instant;

use amq::Digest;
use hashing::Hasher;

use super::FACTORS;
use super::asked::TOGETHER;
use super::asked::{Keys, hasher, hashes_itself};
use super::held::{contender, shared_members};
use crate::error::HarnessError;
use crate::keys::{DigestSource, Once};
use crate::model::picoseconds;
use crate::studies::{Case, Formula, Observations, Quantity, Study};

const END_TO_END: usize = 0;
const FILTER: usize = 1;
const REMOVE: usize = 2;
const PEAK: usize = 3;
const BITS: usize = 4;

/// See [`Study::about`].
pub const BUILD: Study = Study {
    name: "speed-build",
    about: "time per key of filling or building from keys and from digests, of taking all keys out, and the peak of memory",
    factors: FACTORS,
    quantities: &[
        Quantity::time("build_ns"),
        Quantity::time("filter_build_ns"),
        Quantity::time("remove_ns"),
        Quantity::mean("peak_bytes_per_key"),
        Quantity::mean("memory_bits_per_key"),
    ],
    axis: None,
    observe,
    formulas: |_, _| Ok(vec![Vec::<Formula>::new()]),
    cost_ns: |spec| spec.keys as f64 * 300.0 + 2e6,
};

/// Keys in memory, hashed chunk by chunk as they are taken.
pub(super) struct Hashed<'a> {
    keys: &'a Keys,
    hasher: &'a Hasher,
    next: usize,
    chunk: Vec<Digest>,
}

impl<'a> Hashed<'a> {
    /// All of `keys`.
    pub(super) fn new(keys: &'a Keys, hasher: &'a Hasher) -> Self {
        Self { keys, hasher, next: 0, chunk: Vec::with_capacity(TOGETHER) }
    }
}

impl DigestSource for Hashed<'_> {
    fn next_chunk(&mut self) -> Option<&[Digest]> {
        let start = self.next;
        let end = (start + TOGETHER).min(self.keys.len() as usize);
        self.next = end;
        self.chunk.clear();
        match self.keys {
            _ if start == end => None,
            Keys::Raw(keys) => Some(&keys[start..end]),
            Keys::Integers(keys) => {
                self.hasher.u64_batch(keys[start..end].iter().copied(), &mut self.chunk);
                Some(&self.chunk)
            }
            Keys::Bytes(keys) => {
                self.hasher.bytes_batch(keys[start..end].iter(), &mut self.chunk).ok()?;
                Some(&self.chunk)
            }
        }
    }

    fn all(&mut self) -> Option<&[Digest]> {
        match self.keys {
            Keys::Raw(keys) if self.next == 0 => {
                self.next = keys.len();
                Some(keys)
            }
            _ => None,
        }
    }
}

fn observe(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let (contender, params) = contender(case)?;
    let (keys, hasher) = (shared_members(case)?, hasher(case));
    let seed = case.first().seed("filter");
    let mut seen = Observations::new(&BUILD, 1);
    let count = case.keys();
    let timed = |quantity: usize, seen: &mut Observations, source: &mut dyn DigestSource| {
        let start = Instant::now();
        let built = contender.build(params, seed, source);
        let elapsed = start.elapsed();
        note(seen, quantity, elapsed, count);
        built.map_err(|error| crate::model::outcome(&error))
    };
    let filter = match timed(END_TO_END, &mut seen, &mut Hashed::new(&keys, &hasher)) {
        Ok(filter) => filter,
        Err(outcome) => return Ok(Observations::failed(&BUILD, 1, outcome)),
    };
    if case.repetition() == 0 {
        seen.add(0, BITS, filter.memory_bits(), count);
    }
    drop(filter);
    let digests = case.shared(&format!("digests {} {}", case.spec().family.name(), hashes_itself(case)), || {
        let digests = keys.digests(&hasher);
        let bytes = 8 * digests.len() as u64;
        Ok::<_, HarnessError>((digests, bytes))
    })?;
    let (built, peak) = bits::heap::peak(|| {
        if hashes_itself(case) {
            contender.build(params, seed, &mut Once::new(&digests)).map_err(|error| crate::model::outcome(&error))
        } else {
            timed(FILTER, &mut seen, &mut Once::new(&digests))
        }
    });
    let mut filter = match built {
        Ok(filter) => filter,
        Err(outcome) => return Ok(Observations::failed(&BUILD, 1, outcome)),
    };
    if let (Some(peak), 0) = (peak, case.repetition()) {
        seen.add(0, PEAK, peak, count);
    }
    if contender.no_false_negatives && filter.count_contained(&digests) != count {
        return Ok(Observations::failed(&BUILD, 1, "law-violated"));
    }
    if let Some(remove) = contender.traits.remove {
        let start = Instant::now();
        let removed = remove(filter.as_any_mut(), &digests);
        let elapsed = start.elapsed();
        // Filters that cannot take out every key are none the worse for it; nothing taken out is no time.
        if removed.is_some_and(|removed| removed > 0) {
            note(&mut seen, REMOVE, elapsed, count);
        }
    }
    Ok(seen)
}

fn note(seen: &mut Observations, quantity: usize, elapsed: std::time::Duration, count: u64) {
    if !cfg!(debug_assertions) {
        seen.add(0, quantity, picoseconds(elapsed), count);
    }
}
