//! Probe kernels: the inner loops of Bloom-type filters.

use crate::bitvec::BitVec;
use crate::fields::FieldVec;
use crate::packed::PackedVec;

/// Probes that are read together before the first branch.
///
/// A lone probe of an absent key is a coin toss to the branch predictor: at best fill a query that stops at the
/// first 0 mispredicts almost always, which costs more than four reads. After a group of four only one absent
/// key in sixteen goes on (measured by `lookup/miss` of the benches of `amq-standard`).
const GROUP: u32 = 4;

/// Whether the bits at `k` positions are all set; `position` gives one after the other.
#[inline]
pub fn all_set(bits: &BitVec, k: u32, mut position: impl FnMut() -> u64) -> bool {
    // Words are combined and tested once: with single bits the compiler may branch at each.
    let mut left = k;
    while left > GROUP {
        let group = [position(), position(), position(), position()];
        if group.iter().fold(u64::MAX, |all, position| all & bits.shifted(*position)) & 1 == 0 {
            return false;
        }
        left -= GROUP;
    }
    (0..left).fold(u64::MAX, |all, _| all & bits.shifted(position())) & 1 == 1
}

/// Keys that are asked together: enough for all the cache lines a core can wait for, few enough for the first level.
const BATCH: usize = 32;

/// [`all_set`] for many keys: `out[i]` answers for the positions that `walk(i)` gives.
///
/// Probes go in rounds of two over all keys that are still in question. The reads of a round depend on nothing but the
/// positions, so that the memory system works on many of them at once; a key that is absent leaves after a round or two
/// without a branch (measured by `batch` of the benches of `amq-standard`).
pub fn all_set_batch<W: FnMut() -> u64>(bits: &BitVec, k: u32, mut walk: impl FnMut(usize) -> W, out: &mut [bool]) {
    for (chunk, answers) in out.chunks_mut(BATCH).enumerate() {
        let last = answers.len() - 1;
        // Places past the end of the last chunk repeat its last key, and are not asked.
        let mut walks: [W; BATCH] = std::array::from_fn(|lane| walk(chunk * BATCH + lane.min(last)));
        let mut alive: [u8; BATCH] = std::array::from_fn(|lane| lane as u8);
        let mut count = answers.len();
        let mut left = k;
        while left > 0 && count > 0 {
            let probes = left.min(2);
            let asked = count;
            count = 0;
            for place in 0..asked {
                let lane = alive[place];
                let next = &mut walks[lane as usize % BATCH];
                let mut set = bits.shifted(next());
                if probes == 2 {
                    set &= bits.shifted(next());
                }
                alive[count] = lane;
                count += (set & 1) as usize;
            }
            left -= probes;
        }
        answers.fill(false);
        alive[..count].iter().for_each(|lane| answers[*lane as usize] = true);
    }
}

/// Whether the values at `k` positions are all above 0; `position` gives one after the other.
#[inline]
pub fn all_positive<const W: u32>(values: &FieldVec<W>, k: u32, mut position: impl FnMut() -> u64) -> bool {
    none_zero(k, || values.get(position()))
}

/// [`all_positive`] for values whose width is known at run time only.
#[inline]
pub fn all_nonzero(values: &PackedVec, k: u32, mut position: impl FnMut() -> u64) -> bool {
    none_zero(k, || values.get(position()))
}

/// Whether `k` values, below 2^63, are all above 0.
#[inline]
fn none_zero(k: u32, mut value: impl FnMut() -> u64) -> bool {
    // One less than 0 has the highest bit, and no other value does; tested once for all, as above.
    let mut less = || value().wrapping_sub(1);
    let mut left = k;
    while left > GROUP {
        let group = [less(), less(), less(), less()];
        if group.iter().fold(0, |any, less| any | less) >> 63 == 1 {
            return false;
        }
        left -= GROUP;
    }
    (0..left).fold(0, |any, _| any | less()) >> 63 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_missing_bit_is_enough_wherever_it_is() {
        let mut bits = BitVec::zeros(64).unwrap();
        let mut values = FieldVec::<3>::zeros(64).unwrap();
        (0..64).filter(|index| *index != 13).for_each(|index| {
            bits.set(index);
            values.set(index, 1 + index % 7);
        });
        for k in 1..=20u32 {
            let mut next = 20..;
            assert!(all_set(&bits, k, || next.next().unwrap()), "k = {k}");
            let mut next = 20..;
            assert!(all_positive(&values, k, || next.next().unwrap()), "k = {k}");
            for missing in 0..k {
                let positions = || {
                    let mut asked = 0;
                    move || {
                        asked += 1;
                        if asked - 1 == missing { 13 } else { 20 + u64::from(asked) }
                    }
                };
                assert!(!all_set(&bits, k, positions()), "k = {k}, probe {missing}");
                assert!(!all_positive(&values, k, positions()), "k = {k}, probe {missing}");
            }
        }
        assert!(all_set(&bits, 0, || unreachable!()));
    }

    /// Batches of every length around the group's, with hits and misses mixed, answer as single queries.
    #[test]
    fn a_batch_is_its_single_queries() {
        let mut bits = BitVec::zeros(512).unwrap();
        (0..512u64).filter(|index| index * index % 7 != 3).for_each(|index| {
            bits.set(index);
        });
        let walk = |key: usize| {
            let mut at = key as u64;
            move || {
                at = (at * 5 + 11) % 512;
                at
            }
        };
        for k in 0..=9 {
            for len in [0, 1, 2, 31, 32, 33, 64, 100] {
                let mut out = vec![true; len];
                all_set_batch(&bits, k, walk, &mut out);
                let single: Vec<bool> = (0..len).map(|key| all_set(&bits, k, walk(key))).collect();
                assert_eq!(out, single, "k = {k}, {len} keys");
            }
        }
    }

    #[test]
    fn one_value_of_0_is_enough_wherever_it_is() {
        let mut values = PackedVec::zeros(64, 3).unwrap();
        (0..64).filter(|index| *index != 13).for_each(|index| values.set(index, 1 << (index % 3)));
        for k in 1..=20u32 {
            let mut next = 20..;
            assert!(all_nonzero(&values, k, || next.next().unwrap()), "k = {k}");
            for missing in 0..k {
                let mut asked = 0;
                let position = || {
                    asked += 1;
                    if asked - 1 == missing { 13 } else { 20 + u64::from(asked) }
                };
                assert!(!all_nonzero(&values, k, position), "k = {k}, probe {missing}");
            }
        }
        assert!(all_nonzero(&values, 0, || unreachable!()));
    }
}
