//! Probe kernels: the inner loops of Bloom-type filters.

use crate::bitvec::BitVec;
use crate::fields::FieldVec;
use crate::packed::PackedVec;

/// Probes that are read together before the first branch, in an array that is near.
///
/// A lone probe of an absent key is a coin toss to the branch predictor: at best fill a query that stops at the first 0
/// mispredicts almost always, and one that stops after four does where half of the keys are members. Eight reads of a near
/// array cost less than that (`mixed` of the experiment `speed-vs-hit-share`).
const NEAR_GROUP: usize = 8;
/// The same in a far array, where a line costs more than a branch: after four reads one absent key in sixteen goes on
/// (`miss` of the benches of `amq-standard`).
const FAR_GROUP: usize = 4;

/// Whether the bits at `k` positions are all set; `position` gives one after the other.
#[inline]
pub fn all_set(bits: &BitVec, k: u32, position: impl FnMut() -> u64) -> bool {
    if bits.far() { in_groups::<FAR_GROUP>(bits, k, position) } else { in_groups::<NEAR_GROUP>(bits, k, position) }
}

/// [`all_set`] with a branch after each `G` probes.
#[inline]
fn in_groups<const G: usize>(bits: &BitVec, k: u32, mut position: impl FnMut() -> u64) -> bool {
    // Words are combined and tested once: with single bits the compiler may branch at each.
    let mut left = k;
    while left as usize > G {
        let group: [u64; G] = std::array::from_fn(|_| position());
        if group.iter().fold(u64::MAX, |all, position| all & bits.shifted(*position)) & 1 == 0 {
            return false;
        }
        left -= G as u32;
    }
    (0..left).fold(u64::MAX, |all, _| all & bits.shifted(position())) & 1 == 1
}

/// Bits of an array that is no longer in the core's own cache for the most part, so that a prefetch gains more than it
/// costs: 8 MiB (the times of `hit-batch` and `miss-batch` of the benches of `amq-standard` cross those of `hit` and `miss`
/// at 5 to 6 MiB with a cache of 2 MiB).
const FAR: u64 = 8 << 23;
/// Keys that are under way at once in a far array: more than the cache lines that a core waits for.
const UNDER_WAY: usize = 32;
/// How many keys ahead of an insert into a far array the next one's lines are asked for (`insert` of the same benches).
const AHEAD: usize = 4;

/// What a key is looked up in, one position after the other.
pub(crate) trait Probed {
    /// Whether it is far enough for prefetches to gain more than they cost.
    fn far(&self) -> bool;
    /// Asks for the memory of `position`.
    fn ask(&self, position: u64);
    /// Whether what is at `position` lets a key be in.
    fn holds(&self, position: u64) -> bool;
}

impl Probed for BitVec {
    fn far(&self) -> bool {
        self.len() >= FAR
    }

    #[inline]
    fn ask(&self, position: u64) {
        self.prefetch(position);
    }

    #[inline]
    fn holds(&self, position: u64) -> bool {
        self.get(position)
    }
}

impl<const W: u32> Probed for FieldVec<W> {
    fn far(&self) -> bool {
        self.len() * u64::from(W) >= FAR
    }

    #[inline]
    fn ask(&self, position: u64) {
        self.prefetch(position);
    }

    #[inline]
    fn holds(&self, position: u64) -> bool {
        self.get(position) > 0
    }
}

/// A key that is under way: its probe that was prefetched, and those to come.
struct Asked<W> {
    walk: W,
    position: u64,
    left: u32,
    at: usize,
}

/// [`all_set`] for many keys: `out[i]` answers for the positions that `walk(i)` gives.
///
/// In a far array each key's next probe is prefetched, and is read when all other keys under way have had their turn; so
/// an absent key costs no more lines than it must, and none waits for another.
pub fn all_set_batch<W: FnMut() -> u64>(bits: &BitVec, k: u32, walk: impl FnMut(usize) -> W, out: &mut [bool]) {
    batch(bits, k, walk, out, |left, walk| all_set(bits, left, walk));
}

/// [`all_positive`] for many keys, as [`all_set_batch`].
pub fn all_positive_batch<const W: u32, P: FnMut() -> u64>(
    values: &FieldVec<W>,
    k: u32,
    walk: impl FnMut(usize) -> P,
    out: &mut [bool],
) {
    batch(values, k, walk, out, |left, walk| all_positive(values, left, walk));
}

/// A batch of lookups in `array`; `one` looks up what is left of a key.
#[inline]
fn batch<A: Probed, W: FnMut() -> u64>(
    array: &A,
    k: u32,
    mut walk: impl FnMut(usize) -> W,
    out: &mut [bool],
    one: impl Fn(u32, W) -> bool,
) {
    if !array.far() || out.len() < UNDER_WAY || k == 0 {
        out.iter_mut().enumerate().for_each(|(at, answer)| *answer = one(k, walk(at)));
    } else {
        batch_far(array, k, walk, out, one);
    }
}

/// [`batch`] for a far array, at least one probe and at least as many keys as are under way.
fn batch_far<A: Probed, W: FnMut() -> u64>(
    array: &A,
    k: u32,
    mut walk: impl FnMut(usize) -> W,
    out: &mut [bool],
    one: impl Fn(u32, W) -> bool,
) {
    let mut begin = |at| {
        let mut walk = walk(at);
        let position = walk();
        array.ask(position);
        Asked { walk, position, left: k - 1, at }
    };
    let mut asked: [Asked<W>; UNDER_WAY] = std::array::from_fn(&mut begin);
    let mut waiting = UNDER_WAY..out.len();
    'turns: loop {
        for key in &mut asked {
            let holds = array.holds(key.position);
            if holds && key.left > 0 {
                key.position = (key.walk)();
                array.ask(key.position);
                key.left -= 1;
            } else {
                out[key.at] = holds;
                let Some(at) = waiting.next() else { break 'turns };
                *key = begin(at);
            }
        }
    }
    for key in asked {
        out[key.at] = array.holds(key.position) && one(key.left, key.walk);
    }
}

/// Sets the bits at `k` positions of each of `keys` keys, those that `walk(i)` gives.
pub fn set_all_batch<W: FnMut() -> u64>(bits: &mut BitVec, k: u32, keys: usize, walk: impl FnMut(usize) -> W) {
    ahead(bits, k, keys, walk, |bits, mut position| {
        for _ in 0..k {
            bits.set(position());
        }
    });
}

/// Calls `act` for each of `keys` keys in order. In a far array the lines of a later key are asked for before.
#[inline]
pub(crate) fn ahead<A: Probed, W: FnMut() -> u64>(
    array: &mut A,
    k: u32,
    keys: usize,
    mut walk: impl FnMut(usize) -> W,
    mut act: impl FnMut(&mut A, W),
) {
    let far = array.far();
    for key in 0..keys {
        if far && key + AHEAD < keys {
            let mut position = walk(key + AHEAD);
            (0..k).for_each(|_| array.ask(position()));
        }
        act(array, walk(key));
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
    while left as usize > FAR_GROUP {
        let group = [less(), less(), less(), less()];
        if group.iter().fold(0, |any, less| any | less) >> 63 == 1 {
            return false;
        }
        left -= FAR_GROUP as u32;
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
        let both = |k, next: &mut dyn FnMut() -> u64| {
            let positions: Vec<u64> = (0..k).map(|_| next()).collect();
            let ask = |far: bool| {
                let mut next = positions.iter().copied();
                let position = || next.next().unwrap();
                if far { in_groups::<FAR_GROUP>(&bits, k, position) } else { all_set(&bits, k, position) }
            };
            assert_eq!(ask(true), ask(false), "{positions:?}");
            ask(false)
        };
        for k in 1..=20u32 {
            let mut next = 20..;
            assert!(both(k, &mut || next.next().unwrap()), "k = {k}");
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
                assert!(!both(k, &mut positions()), "k = {k}, probe {missing}");
                assert!(!all_positive(&values, k, positions()), "k = {k}, probe {missing}");
            }
        }
        assert!(all_set(&bits, 0, || unreachable!()));
    }

    /// Batches of every length around the group's, with hits and misses mixed, answer as single queries.
    #[test]
    fn a_batch_is_its_single_queries() {
        let mut bits = BitVec::zeros(512).unwrap();
        let mut values = FieldVec::<4>::zeros(512).unwrap();
        (0..512u64).filter(|index| index * index % 7 != 3).for_each(|index| {
            bits.set(index);
            values.set(index, 1 + index % 15);
        });
        let walk = |key: usize| {
            let mut at = key as u64;
            move || {
                at = (at * 5 + 11) % 512;
                at
            }
        };
        for k in 0..=9 {
            for len in [0, 1, 2, 31, 32, 33, 64, 100, 1000] {
                let single: Vec<bool> = (0..len).map(|key| all_set(&bits, k, walk(key))).collect();
                let mut out = vec![true; len];
                all_set_batch(&bits, k, walk, &mut out);
                assert_eq!(out, single, "k = {k}, {len} keys");
                out.fill(true);
                all_positive_batch(&values, k, walk, &mut out);
                assert_eq!(out, single, "k = {k}, {len} keys, values");
                if len >= UNDER_WAY && k > 0 {
                    out.fill(true);
                    batch_far(&values, k, walk, &mut out, |left, walk| all_positive(&values, left, walk));
                    assert_eq!(out, single, "k = {k}, {len} keys, far values");
                    out.fill(true);
                    batch_far(&bits, k, walk, &mut out, |left, walk| all_set(&bits, left, walk));
                    assert_eq!(out, single, "k = {k}, {len} keys, far");
                }
            }
        }
    }

    /// In an array so large that lines are asked for ahead, inserts and lookups are as one by one.
    #[test]
    fn far_arrays_are_filled_and_asked_as_near_ones() {
        let walk = |key: usize| {
            let mut at = key as u64;
            move || {
                at = at.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(11);
                at % FAR
            }
        };
        let (mut batch, mut single) = (BitVec::zeros(FAR).unwrap(), BitVec::zeros(FAR).unwrap());
        for keys in [0, 1, 3, 4, 5, 1000] {
            set_all_batch(&mut batch, 5, keys, walk);
            (0..keys).for_each(|key| {
                let mut position = walk(key);
                (0..5).for_each(|_| {
                    single.set(position());
                });
            });
            assert!(batch == single, "{keys} keys");
        }
        let mut out = vec![false; 3000];
        all_set_batch(&batch, 5, walk, &mut out);
        assert!((0..3000).all(|key| out[key] == all_set(&batch, 5, walk(key))));
        assert!(out[..1000].iter().all(|answer| *answer) && out[1000..].iter().all(|answer| !answer));
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
