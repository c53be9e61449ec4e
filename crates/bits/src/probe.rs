//! Probe kernels: the inner loops of Bloom-type filters.

use crate::bitvec::BitVec;
use crate::dispatch::{Loop, scattered};
use crate::fields::FieldVec;
use crate::packed::PackedVec;
use crate::wide::{self, LANES, Lanes, Wide, WideLoop};

/// Probes that are read together before the first branch, in an array that is near.
///
/// A lone probe of an absent key is a coin toss to the branch predictor: at best fill a query that stops at the first 0
/// mispredicts almost always, and one that stops after four does where half of the keys are members. Eight reads of a near
/// array cost less than that (`mixed` of the experiment `speed-vs-hit-share`).
const NEAR_GROUP: usize = 8;
/// The same in a far array, where a line costs more than a branch: after four reads one absent key in sixteen goes on
/// (`miss` of the benches of `amq-standard`).
const FAR_GROUP: usize = 4;

/// Bits of an array that is no longer in the core's own cache for the most part, so that a prefetch gains more than it
/// costs: 8 MiB. At 36 MB batches gain by it (`hit-batch` and `miss-batch` of the benches of `amq-standard`); at 1.2 MB the
/// keys under way cost an absent key 17 ns where a single lookup takes 7, and at 6 MB as long as that.
const FAR: u64 = 8 << 23;
/// Keys that are under way at once in a far array: more than the cache lines that a core waits for.
const UNDER_WAY: usize = 32;
/// Bytes of an array from which on the lines of a change are asked for ahead. A change is read, then written, and what it is to
/// write waits for what it reads: an insert goes from 38 to 26 ns into counters of 4.7 MB, from 3.4 to 2.7 into split blocks of 4 MB,
/// from 16.6 to 15.8 into bits of 3.6 MB (`insert` of the benches of `amq-counting`, `amq-blocked` and `amq-standard`).
pub(crate) const FAR_TO_CHANGE: u64 = 2 << 20;
/// How many keys ahead (`insert` of the same benches: 8 are as good).
const AHEAD: usize = 4;

/// The positions of a key, one after the other. A closure that gives them is one.
pub trait Walk {
    /// The next position.
    fn step(&mut self) -> u64;

    /// The next eight.
    #[inline(always)]
    fn eight<V: Wide>(&mut self, wide: V) -> V::Vector {
        wide.of(std::array::from_fn(|_| self.step()))
    }
}

impl<F: FnMut() -> u64> Walk for F {
    #[inline(always)]
    fn step(&mut self) -> u64 {
        self()
    }
}

/// Values of `2^log` bits side by side in words, none of which straddles two.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    words: &'a [u64],
    log: u32,
}

impl<'a> Fields<'a> {
    /// The values of `width` bits in `words`, if none straddles two.
    #[inline]
    fn new(words: &'a [u64], width: u32) -> Option<Self> {
        (width.is_power_of_two() && width <= 64).then(|| Self { words, log: width.ilog2() })
    }
}

/// What a key is looked up in, one position after the other.
pub trait Probed {
    /// Bits of all positions.
    fn bits(&self) -> u64;
    /// Asks for the memory of `position`.
    fn ask(&self, position: u64);
    /// A word whose lowest bit is 1 if what is at `position` lets a key be in; the others are of no meaning.
    fn lets_in(&self, position: u64) -> u64;
    /// The values, where none straddles two words: a value other than 0 lets a key in.
    fn fields(&self) -> Option<Fields<'_>>;

    /// Whether it is far enough for prefetches to gain more than they cost.
    #[inline]
    fn far(&self) -> bool {
        self.bits() >= FAR
    }
}

/// Whether all `k` positions let a key in: bits that are set, values above 0.
#[inline]
pub fn all_let_in<A: Probed>(array: &A, k: u32, walk: impl Walk) -> bool {
    if array.far() { in_groups::<FAR_GROUP, _>(array, k, walk) } else { in_groups::<NEAR_GROUP, _>(array, k, walk) }
}

/// [`all_let_in`] with a branch after each `G` probes.
#[inline]
fn in_groups<const G: usize, A: Probed>(array: &A, k: u32, mut walk: impl Walk) -> bool {
    // Words are combined and tested once: with single bits the compiler may branch at each.
    let mut left = k;
    while left as usize > G {
        let group: [u64; G] = std::array::from_fn(|_| walk.step());
        if group.iter().fold(u64::MAX, |all, position| all & array.lets_in(*position)) & 1 == 0 {
            return false;
        }
        left -= G as u32;
    }
    (0..left).fold(u64::MAX, |all, _| all & array.lets_in(walk.step())) & 1 == 1
}

/// 1 for a value above 0.
#[inline]
fn positive(value: u64) -> u64 {
    // Without a comparison, of which the compiler may make a branch: the value or its negative has the highest bit.
    (value | value.wrapping_neg()) >> 63
}

impl Probed for BitVec {
    #[inline]
    fn bits(&self) -> u64 {
        self.len()
    }

    #[inline]
    fn ask(&self, position: u64) {
        self.prefetch(position);
    }

    #[inline]
    fn lets_in(&self, position: u64) -> u64 {
        self.shifted(position)
    }

    #[inline]
    fn fields(&self) -> Option<Fields<'_>> {
        Fields::new(self.words(), 1)
    }
}

impl<const W: u32> Probed for FieldVec<W> {
    #[inline]
    fn bits(&self) -> u64 {
        self.len() * u64::from(W)
    }

    #[inline]
    fn ask(&self, position: u64) {
        self.prefetch(position);
    }

    #[inline]
    fn lets_in(&self, position: u64) -> u64 {
        positive(self.get(position))
    }

    #[inline]
    fn fields(&self) -> Option<Fields<'_>> {
        Fields::new(self.words(), W)
    }
}

impl Probed for PackedVec {
    #[inline]
    fn bits(&self) -> u64 {
        self.len() * u64::from(self.width())
    }

    #[inline]
    fn ask(&self, position: u64) {
        self.prefetch(position);
    }

    #[inline]
    fn lets_in(&self, position: u64) -> u64 {
        positive(self.get(position))
    }

    #[inline]
    fn fields(&self) -> Option<Fields<'_>> {
        Fields::new(self.words(), self.width())
    }
}

/// A key that is under way: its probe that was prefetched, and those to come.
struct Asked<W> {
    walk: W,
    position: u64,
    left: u32,
    at: usize,
}

/// [`all_let_in`] for many keys: `out[i]` answers for the positions that `walk(i)` gives.
pub fn all_let_in_batch<A: Probed, W: Walk>(array: &A, k: u32, walk: impl FnMut(usize) -> W, out: &mut [bool]) {
    if array.far() && out.len() >= UNDER_WAY && k > 0 {
        batch_far(array, k, walk, out);
    } else {
        let keys = out.len();
        each_let_in(array, k, keys, walk, |start, word| spread(out, start, word));
    }
}

/// Keys whose answers are bits of a word.
const BLOCK: usize = 64;

/// [`all_let_in`] for key after key: `answers(i, word)` for the next 64 keys from `i` on, or those that are left below `keys`,
/// the first one in the lowest bit. Gives back how many are let in.
///
/// Eight probes of a near array are one scattered read where the machine has one (`hit` and `miss` of the benches of
/// `amq-standard`: 9 to 6.7 ns at 120 KB, 12 to 7 at 1.2 MB). Hence the word of answers: where a
/// store for each key stood between the reads, `hit-batch` took 18 ns at 120 KB.
#[inline]
pub fn each_let_in<A: Probed, W: Walk>(
    array: &A,
    k: u32,
    keys: usize,
    walk: impl FnMut(usize) -> W,
    answers: impl FnMut(usize, u64),
) -> u64 {
    match array.fields() {
        Some(fields) if !array.far() => wide::run(Each { array, fields, k, keys, walk, answers }),
        _ => one_by_one(array, k, keys, walk, answers),
    }
}

/// Puts the answers of a word into `out` from `start` on, the lowest bit first.
///
/// # Panics
/// When `start` lies beyond the end.
#[inline(always)]
pub fn spread(out: &mut [bool], start: usize, word: u64) {
    let end = out.len().min(start + BLOCK);
    let (eights, rest) = out[start..end].as_chunks_mut::<8>();
    for (at, answers) in eights.iter_mut().enumerate() {
        // A byte of bits in each byte of a word, of which every one keeps its own bit: eight answers at once.
        let bits = (word >> (8 * at) & 0xff).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        *answers = bits.to_le_bytes().map(|bit| bit != 0);
    }
    let done = 8 * eights.len();
    rest.iter_mut().enumerate().for_each(|(bit, answer)| *answer = word >> (done + bit) & 1 == 1);
}

/// How many of `keys` keys are let in, each at the positions that `walk(i)` gives.
#[inline]
pub fn count_let_in<A: Probed, W: Walk>(array: &A, k: u32, keys: usize, walk: impl FnMut(usize) -> W) -> u64 {
    each_let_in(array, k, keys, walk, |_, _| ())
}

/// [`each_let_in`] without vectors.
#[inline]
fn one_by_one<A: Probed, W: Walk>(
    array: &A,
    k: u32,
    keys: usize,
    mut walk: impl FnMut(usize) -> W,
    answers: impl FnMut(usize, u64),
) -> u64 {
    in_blocks(keys, |key| all_let_in(array, k, walk(key)), answers)
}

/// Asks `let_in` for all keys and tells `answers(i, word)` for each 64 from `i` on, or those that are left, the first one in the lowest
/// bit. Gives back how many are.
#[inline(always)]
pub(crate) fn in_blocks(
    keys: usize,
    mut let_in: impl FnMut(usize) -> bool,
    mut answers: impl FnMut(usize, u64),
) -> u64 {
    let mut count = 0;
    for start in (0..keys).step_by(BLOCK) {
        let mut word = 0;
        for bit in 0..BLOCK.min(keys - start) {
            word |= u64::from(let_in(start + bit)) << bit;
        }
        answers(start, word);
        count += u64::from(word.count_ones());
    }
    count
}

/// See [`each_let_in`].
struct Each<'a, A, P, R> {
    array: &'a A,
    fields: Fields<'a>,
    k: u32,
    keys: usize,
    walk: P,
    answers: R,
}

/// Whether the next eight positions let a key in, those of `lanes`.
#[inline(always)]
fn group<V: Wide>(wide: V, words: &[u64], log: u32, walk: &mut impl Walk, lanes: u8) -> bool {
    let field = wide.all(u64::MAX >> (64 - (1 << log)));
    let bit = walk.eight(wide).up(log);
    wide.words(words, bit.down(6), lanes).common(field.up_by(bit)) == lanes
}

/// [`group`] of eight, and then of `lanes`, without a branch between them.
#[inline(always)]
fn pair<V: Wide>(wide: V, words: &[u64], log: u32, walk: &mut impl Walk, lanes: u8) -> bool {
    let first = group(wide, words, log, walk, u8::MAX);
    first & group(wide, words, log, walk, lanes)
}

impl<A: Probed, W: Walk, P: FnMut(usize) -> W, R: FnMut(usize, u64)> WideLoop for Each<'_, A, P, R> {
    type Output = u64;

    #[inline(always)]
    fn run<V: Wide>(self, wide: V) -> u64 {
        let Self { fields: Fields { words, log }, k, keys, mut walk, answers, .. } = self;
        // Whole groups of eight, and the lanes of the last one, out of the loop: with registers put aside in it, and so a store
        // between the reads, `hit` took 17 ns. A loop for each number of groups: in one loop for all,
        // seven probes took 7.1 ns for 6.5 (`speed-mix` at 1 % and 10^6 keys).
        let whole = k.saturating_sub(1) / LANES as u32;
        let last = ((1u32 << (k - whole * LANES as u32)) - 1) as u8;
        match whole {
            0 => in_blocks(keys, |key| group(wide, words, log, &mut walk(key), last), answers),
            // Sixteen probes before the first branch: one that hangs on what is read, and is not foretold, waits for the memory.
            // Half of the keys members, 13 probes at 2.4 MB: 28 to 13.6 ns; no key a member: 8.7 to 13.8 (`speed-mix`, 0.01 %).
            1 => in_blocks(keys, |key| pair(wide, words, log, &mut walk(key), last), answers),
            _ => in_blocks(
                keys,
                |key| {
                    let mut walk = walk(key);
                    let mut left = whole;
                    while left > 1 {
                        if !pair(wide, words, log, &mut walk, u8::MAX) {
                            return false;
                        }
                        left -= 2;
                    }
                    if left == 1 {
                        pair(wide, words, log, &mut walk, last)
                    } else {
                        group(wide, words, log, &mut walk, last)
                    }
                },
                answers,
            ),
        }
    }

    fn narrow(self) -> u64 {
        one_by_one(self.array, self.k, self.keys, self.walk, self.answers)
    }
}

/// [`all_let_in_batch`] for a far array, at least one probe and at least as many keys as are under way.
///
/// Each key's next probe is prefetched, and is read when all other keys under way have had their turn; so an absent key
/// costs no more lines than it must, and none waits for another.
fn batch_far<A: Probed, W: Walk>(array: &A, k: u32, mut walk: impl FnMut(usize) -> W, out: &mut [bool]) {
    let mut begin = |at| {
        let mut walk = walk(at);
        let position = walk.step();
        array.ask(position);
        Asked { walk, position, left: k - 1, at }
    };
    let mut asked: [Asked<W>; UNDER_WAY] = std::array::from_fn(&mut begin);
    let mut waiting = UNDER_WAY..out.len();
    'turns: loop {
        for key in &mut asked {
            let let_in = array.lets_in(key.position) & 1 == 1;
            if let_in && key.left > 0 {
                key.position = key.walk.step();
                array.ask(key.position);
                key.left -= 1;
            } else {
                out[key.at] = let_in;
                let Some(at) = waiting.next() else { break 'turns };
                *key = begin(at);
            }
        }
    }
    for key in asked {
        out[key.at] = array.lets_in(key.position) & 1 == 1 && all_let_in(array, key.left, key.walk);
    }
}

/// Sets the bits at `k` positions of each of `keys` keys, those that `walk(i)` gives.
pub fn set_all_batch<W: Walk>(bits: &mut BitVec, k: u32, keys: usize, walk: impl FnMut(usize) -> W) {
    ahead(bits, k, keys, walk, |bits, mut walk| {
        for _ in 0..k {
            bits.set(walk.step());
        }
    });
}

/// Calls `act` for each of `keys` keys in order. In an array of 2 MiB and more the lines of a later key are
/// asked for before.
#[inline]
pub(crate) fn ahead<A: Probed, W: Walk>(
    array: &mut A,
    k: u32,
    keys: usize,
    walk: impl FnMut(usize) -> W,
    act: impl FnMut(&mut A, W),
) {
    let ahead = if array.bits() / 8 < FAR_TO_CHANGE { keys } else { AHEAD };
    scattered(Ahead { array, k, keys, ahead, walk, act });
}

/// See [`ahead`]. Compiled for the machine, whose products and shifts leave more registers free: an insert of seven bits goes from 8.3
/// to 7.5 ns (`insert` of the benches of `amq-standard` at 120 KB; 6.8 in a build for the machine's own CPU).
struct Ahead<'a, A, P, F> {
    array: &'a mut A,
    k: u32,
    keys: usize,
    /// How many keys ahead lines are asked for; as many as there are for none.
    ahead: usize,
    walk: P,
    act: F,
}

impl<A: Probed, W: Walk, P: FnMut(usize) -> W, F: FnMut(&mut A, W)> Loop for Ahead<'_, A, P, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { array, k, keys, ahead, mut walk, mut act } = self;
        for key in 0..keys {
            if key + ahead < keys {
                let mut later = walk(key + ahead);
                (0..k).for_each(|_| array.ask(later.step()));
            }
            act(array, walk(key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_lie_where_their_keys_do() {
        for len in 0..150 {
            let word = 0x9e37_79b9_7f4a_7c15 ^ len as u64;
            for start in 0..len {
                let mut out = vec![true; len];
                spread(&mut out, start, word);
                let expected = (0..len).map(|key| match key {
                    _ if key < start || key >= start + 64 => true,
                    _ => word >> (key - start) & 1 == 1,
                });
                assert!(out.iter().copied().eq(expected), "{len} {start}");
            }
        }
    }

    /// Positions from 20 on, but 13 for probe `missing`.
    fn walk_past(missing: u32) -> impl FnMut() -> u64 {
        let mut asked = 0;
        move || {
            asked += 1;
            if asked - 1 == missing { 13 } else { 20 + u64::from(asked) }
        }
    }

    /// Only what is at 13 keeps a key out, wherever among its probes it is, in groups of either size.
    fn one_is_enough<A: Probed>(array: &A) {
        for k in 1..=20u32 {
            for missing in 0..=k {
                let ways = [
                    all_let_in(array, k, walk_past(missing)),
                    in_groups::<NEAR_GROUP, _>(array, k, walk_past(missing)),
                    in_groups::<FAR_GROUP, _>(array, k, walk_past(missing)),
                ];
                assert_eq!(ways, [missing == k; 3], "k = {k}, probe {missing}");
            }
        }
        assert!(all_let_in(array, 0, || unreachable!()));
    }

    #[test]
    fn one_that_keeps_out_is_enough_wherever_it_is() {
        let mut bits = BitVec::zeros(64).unwrap();
        let mut fields = FieldVec::<3>::zeros(64).unwrap();
        let mut packed = PackedVec::zeros(64, 3).unwrap();
        (0..64).filter(|index| *index != 13).for_each(|index| {
            bits.set(index);
            fields.set(index, 1 + index % 7);
            packed.set(index, 1 << (index % 3));
        });
        one_is_enough(&bits);
        one_is_enough(&fields);
        one_is_enough(&packed);
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
        for k in [0, 1, 2, 3, 7, 8, 9, 16, 17, 64] {
            for len in [0, 1, 2, 31, 32, 33, 64, 100, 1000] {
                let single: Vec<bool> = (0..len).map(|key| all_let_in(&bits, k, walk(key))).collect();
                let same = |how: &str, ask: &dyn Fn(&mut [bool])| {
                    let mut out = vec![true; len];
                    ask(&mut out);
                    assert_eq!(out, single, "k = {k}, {len} keys, {how}");
                };
                same("bits", &|out| all_let_in_batch(&bits, k, walk, out));
                same("values", &|out| all_let_in_batch(&values, k, walk, out));
                let Some(fields) = values.fields() else { panic!("values of 4 bits straddle no words") };
                same("vectors", &|out| {
                    let answers = |start, word| spread(out, start, word);
                    let count = Each { array: &values, fields, k, keys: len, walk, answers }.run(wide::Words);
                    assert_eq!(count, out.iter().map(|let_in| u64::from(*let_in)).sum::<u64>());
                });
                if len >= UNDER_WAY && k > 0 {
                    same("far bits", &|out| batch_far(&bits, k, walk, out));
                    same("far values", &|out| batch_far(&values, k, walk, out));
                }
            }
        }
    }

    #[test]
    fn every_value_but_0_is_positive() {
        for value in [1, 2, 1 << 62, 1 << 63, (1 << 63) + 1, u64::MAX] {
            assert_eq!((positive(value), positive(0)), (1, 0), "{value}");
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
        all_let_in_batch(&batch, 5, walk, &mut out);
        assert!((0..3000).all(|key| out[key] == all_let_in(&batch, 5, walk(key))));
        assert!(out[..1000].iter().all(|answer| *answer) && out[1000..].iter().all(|answer| !answer));
    }
}
