//! Kernels on one block, a cache line or a word: everything a key needs is in it, so nothing is gained by stopping early, and
//! no branch depends on what is found.

use crate::lines::Words;
use crate::prefetch;
use crate::probe::{FAR_TO_CHANGE, Walk, in_blocks};
use crate::wide::{self, LANES, Lanes, Wide, WideLoop};

/// How many keys ahead of an insert the next one's block is asked for (`insert` of the benches of `amq-blocked` at 38 MB, split
/// blocks: 10.1 ns with 4, 8.7 with 12, 8.05 with 24).
pub(crate) const AHEAD: usize = 24;

/// Whether the bits of a line at `k` positions, below 512, are all set.
#[inline]
#[must_use]
pub fn all_set(line: &Words, k: u32, mut position: impl FnMut() -> u64) -> bool {
    let all = (0..k).fold(u64::MAX, |all, _| {
        let at = position();
        all & line[(at / 64) as usize % 8] >> (at % 64)
    });
    all & 1 == 1
}

/// Sets the bits of a line at `k` positions, below 512.
#[inline]
pub fn set_all(line: &mut Words, k: u32, mut position: impl FnMut() -> u64) {
    for _ in 0..k {
        let at = position();
        line[(at / 64) as usize % 8] |= 1 << (at % 64);
    }
}

/// The word with the bits at `k` positions, below 64.
#[inline]
#[must_use]
pub fn mask(k: u32, mut position: impl FnMut() -> u64) -> u64 {
    (0..k).fold(0, |mask, _| mask | 1 << (position() % 64))
}

/// A half line of eight lanes of 32 bits with a bit in each, from bits of `word`: lane `i` has bit
/// `(word >> (8 (i / 2) + 32 (i % 2))) % 32`.
#[inline]
#[must_use]
pub fn lanes_of_32(word: u64) -> [u64; 4] {
    std::array::from_fn(|pair| {
        let low = word >> (8 * pair) & 31;
        let high = word >> (8 * pair + 32) & 31;
        1 << low | 1 << (high + 32)
    })
}

/// A line of eight lanes of 64 bits with a bit in each, from bits of `word`: lane `i` has bit `(word >> 6 i) % 64`.
#[inline]
#[must_use]
pub fn lanes_of_64(word: u64) -> Words {
    std::array::from_fn(|lane| 1 << (word >> (6 * lane) & 63))
}

/// Whether all bits of `mask` are set in `words`.
#[inline]
#[must_use]
pub fn covers<const N: usize>(words: &[u64; N], mask: &[u64; N]) -> bool {
    words.iter().zip(mask).fold(0, |missing, (word, mask)| missing | (mask & !word)) == 0
}

/// Sets all bits of `mask` in `words`.
#[inline]
pub fn cover<const N: usize>(words: &mut [u64; N], mask: &[u64; N]) {
    words.iter_mut().zip(mask).for_each(|(word, mask)| *word |= mask);
}

/// How many of `keys` keys have all bits at their `k` positions set; `find(i)` gives a key's block, of one word or of eight, and
/// its positions there. Tells `answers(i, word)` for the next 64 keys from `i` on, or those that are left, the first one in the
/// lowest bit.
///
/// # Panics
/// When there is no such block.
#[inline]
pub fn each_all_set<const N: usize, W: Walk>(
    blocks: &[[u64; N]],
    k: u32,
    keys: usize,
    find: impl FnMut(usize) -> (usize, W),
    answers: impl FnMut(usize, u64),
) -> u64 {
    const { assert!(N == 1 || N == LANES, "a block has 1 or 8 words") };
    wide::run(Ask { blocks, k, keys, find, answers })
}

/// See [`each_all_set`].
struct Ask<'a, const N: usize, F, A> {
    blocks: &'a [[u64; N]],
    k: u32,
    keys: usize,
    find: F,
    answers: A,
}

/// The lanes whose position, of the next eight, has its bit set in the block. A line is read once, and each lane picks its word:
/// with a read for each probe a lookup took 6.5 ns for 4.4 in the cache and 17 for 8.3 at 38 MB (`hit` of the benches of
/// `amq-blocked`).
#[inline(always)]
fn set_at<const N: usize, V: Wide>(wide: V, block: V::Vector, walk: &mut impl Walk) -> u8 {
    let position = walk.eight(wide);
    let word = if N == 1 { block } else { block.picked(position.down(6)) };
    word.common(wide.all(1).up_by(position))
}

impl<const N: usize, W: Walk, F: FnMut(usize) -> (usize, W), A: FnMut(usize, u64)> WideLoop for Ask<'_, N, F, A> {
    type Output = u64;

    #[inline(always)]
    fn run<V: Wide>(self, wide: V) -> u64 {
        let Self { blocks, k, keys, mut find, answers } = self;
        let whole = k.saturating_sub(1) / LANES as u32;
        let last = ((1u32 << (k - whole * LANES as u32)) - 1) as u8;
        let load = |block: usize| {
            let words = &blocks[block];
            if N == 1 { wide.all(words[0]) } else { wide.of(std::array::from_fn(|lane| words[lane % N])) }
        };
        if whole == 0 {
            let one = |key| {
                let (block, mut walk) = find(key);
                set_at::<N, V>(wide, load(block), &mut walk) & last == last
            };
            return in_blocks(keys, one, answers);
        }
        let all = |key| {
            let (block, mut walk) = find(key);
            let block = load(block);
            let set = (0..whole).fold(u8::MAX, |set, _| set & set_at::<N, V>(wide, block, &mut walk));
            (set == u8::MAX) & (set_at::<N, V>(wide, block, &mut walk) & last == last)
        };
        in_blocks(keys, all, answers)
    }

    fn narrow(self) -> u64 {
        let Self { blocks, k, keys, mut find, answers } = self;
        let all = |key| {
            let (block, mut walk) = find(key);
            let words = &blocks[block];
            if N == 1 {
                let mask = mask(k, || walk.step());
                mask & !words[0] == 0
            } else {
                all_set(&std::array::from_fn(|word| words[word % N]), k, || walk.step())
            }
        };
        in_blocks(keys, all, answers)
    }
}

/// Sets the bits at the `k` positions of each of `keys` keys; `find(i)` as for [`each_all_set`]. In arrays of 2 MiB and more the
/// block of a later key is asked for before.
///
/// # Panics
/// When there is no such block; the keys before are in.
#[inline]
pub fn set_each<const N: usize, W: Walk>(
    blocks: &mut [[u64; N]],
    k: u32,
    keys: usize,
    find: impl FnMut(usize) -> (usize, W),
) {
    let ahead = if (size_of_val(blocks) as u64) < FAR_TO_CHANGE { keys } else { AHEAD };
    Put { blocks, k, keys, ahead, find }.run();
}

/// See [`set_each`].
struct Put<'a, const N: usize, F> {
    blocks: &'a mut [[u64; N]],
    k: u32,
    keys: usize,
    /// How many keys ahead a block is asked for; as many as there are for none.
    ahead: usize,
    find: F,
}

impl<const N: usize, W: Walk, F: FnMut(usize) -> (usize, W)> Put<'_, N, F> {
    #[inline]
    fn run(self) {
        let Self { blocks, k, keys, ahead, mut find } = self;
        for key in 0..keys {
            if key + ahead < keys {
                prefetch::read(blocks, find(key + ahead).0);
            }
            let (block, mut walk) = find(key);
            let words = &mut blocks[block];
            for _ in 0..k {
                let at = walk.step();
                words[(at / 64) as usize % N] |= 1 << (at % 64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::probe::spread;

    /// Vectors, their twin and single probes give the same answers, and every key that was set is found.
    fn twins_agree<const N: usize>(blocks: usize, k: u32, words: &[u64]) {
        let bits = 64 * N as u64;
        let find = |key: usize| {
            let mut state = words[key];
            let walk = move || {
                state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
                (state >> 32) % bits
            };
            ((words[key] >> 7) as usize % blocks, walk)
        };
        let half = words.len() / 2;
        let mut set = vec![[0; N]; blocks];
        set_each(&mut set, k, half, find);
        let mut again = vec![[0; N]; blocks];
        Put { blocks: &mut again, k, keys: half, ahead: 3, find }.run();
        assert_eq!(set, again);
        let asked = |way: usize| {
            let mut out = vec![false; words.len()];
            let answers = |start, word| spread(&mut out, start, word);
            let ask = Ask { blocks: &set, k, keys: words.len(), find, answers };
            let count = match way {
                0 => wide::run(ask),
                1 => ask.run(wide::Words),
                _ => ask.narrow(),
            };
            assert_eq!(count, out.iter().map(|yes| u64::from(*yes)).sum::<u64>());
            out
        };
        let expected: Vec<bool> = (0..words.len())
            .map(|key| {
                let (block, mut walk) = find(key);
                (0..k).all(|_| {
                    let at = walk.step();
                    set[block][(at / 64) as usize] >> (at % 64) & 1 == 1
                })
            })
            .collect();
        assert!(expected[..half].iter().all(|yes| *yes));
        for way in 0..3 {
            assert_eq!(asked(way), expected, "way {way}");
        }
    }

    proptest! {
        #[test]
        fn vectors_words_and_single_probes_agree(
            blocks in 1..40usize, k in 1..=64u32, words in prop::collection::vec(any::<u64>(), 0..200)
        ) {
            twins_agree::<1>(blocks, k, &words);
            twins_agree::<8>(blocks, k, &words);
        }
    }

    /// A missing bit is seen at every probe.
    #[test]
    fn one_missing_bit_is_enough_at_every_probe() {
        for k in 1..=20u32 {
            for missing in 0..k {
                let find = |_: usize| {
                    let mut probe = 0;
                    let walk = move || {
                        probe += 1;
                        ((probe - 1) * 83 + 7) % 512
                    };
                    (0, walk)
                };
                let mut block = [[u64::MAX; 8]];
                let at = (u64::from(missing) * 83 + 7) % 512;
                block[0][(at / 64) as usize] &= !(1 << (at % 64));
                let none = |_, word| assert_eq!(word, 0, "k = {k}, probe {missing}");
                each_all_set(&block, k, 1, find, none);
                Ask { blocks: &block, k, keys: 1, find, answers: none }.run(wide::Words);
                Ask { blocks: &block, k, keys: 1, find, answers: none }.narrow();
            }
        }
    }

    #[test]
    fn one_missing_bit_is_enough_wherever_it_is() {
        for k in 1..=12 {
            let position = |probe: u64| (probe * 83 + 7) % 512;
            let mut line = [0; 8];
            let mut next = (0..).map(position);
            set_all(&mut line, k, || next.next().unwrap());
            assert_eq!(line.iter().map(|word| word.count_ones()).sum::<u32>(), k);
            let mut next = (0..).map(position);
            assert!(all_set(&line, k, || next.next().unwrap()));
            for missing in 0..u64::from(k) {
                let mut damaged = line;
                damaged[(position(missing) / 64) as usize] &= !(1 << (position(missing) % 64));
                let mut next = (0..).map(position);
                assert!(!all_set(&damaged, k, || next.next().unwrap()), "k = {k}, probe {missing}");
            }
        }
    }

    #[test]
    fn masks_have_a_bit_in_each_lane() {
        for seed in 0..1000u64 {
            let word = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed << 40;
            let (narrow, wide) = (lanes_of_32(word), lanes_of_64(word));
            for lane in 0..8 {
                let half = (narrow[lane / 2] >> (32 * (lane % 2))) as u32;
                assert_eq!(half, 1 << (word >> (8 * (lane / 2) + 32 * (lane % 2)) & 31));
                assert_eq!(wide[lane], 1 << (word >> (6 * lane) & 63));
            }
            let mut words = [0; 4];
            assert!(!covers(&words, &narrow));
            cover(&mut words, &narrow);
            assert!(covers(&words, &narrow) && words == narrow);
            let bit = narrow[2] & narrow[2].wrapping_neg();
            words[2] &= !bit;
            assert!(!covers(&words, &narrow));
        }
        let mut next = [3, 5, 3].into_iter();
        assert_eq!(mask(3, || next.next().unwrap()), 0b101000);
    }
}
