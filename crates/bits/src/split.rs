//! Kernels over blocks of eight lanes, in each of which a key has one bit: split-block filters.
//!
//! A block is `N` words: 4 for lanes of 32 bits, 8 for lanes of 64. Each loop asks once which instructions the machine
//! has; the twin without them gives the same bits.

use crate::block::{AHEAD, cover, covers, lanes_of_32, lanes_of_64};
use crate::prefetch;
use crate::probe::{FAR_TO_CHANGE, in_blocks};
use crate::wide::{self, LANES, Lanes, Wide, WideLoop};

/// The bits of a key in its block.
#[inline]
#[must_use]
pub fn lanes<const N: usize>(word: u64) -> [u64; N] {
    const { assert!(N == 4 || N == 8, "a block has 4 or 8 words") };
    if N == 4 {
        let lanes = lanes_of_32(word);
        std::array::from_fn(|index| lanes[index % 4])
    } else {
        let lanes = lanes_of_64(word);
        std::array::from_fn(|index| lanes[index % 8])
    }
}

/// How many of `keys` keys have all their bits set; `find(i)` gives a key's block, and the word that its bits come from. Tells
/// `answers(i, word)` for the next 64 keys from `i` on, or those that are left, the first one in the lowest bit.
///
/// # Panics
/// When there is no such block.
#[inline]
pub fn each_covered<const N: usize>(
    blocks: &[[u64; N]],
    keys: usize,
    find: impl FnMut(usize) -> (usize, u64),
    answers: impl FnMut(usize, u64),
) -> u64 {
    wide::run(Ask { blocks, keys, find, answers })
}

/// See [`each_covered`].
struct Ask<'a, const N: usize, F, A> {
    blocks: &'a [[u64; N]],
    keys: usize,
    find: F,
    answers: A,
}

impl<const N: usize, F: FnMut(usize) -> (usize, u64), A: FnMut(usize, u64)> Ask<'_, N, F, A> {
    /// Without vector instructions.
    #[inline]
    fn by_words(mut self) -> u64 {
        let covered = |key| {
            let (block, word) = (self.find)(key);
            covers(&self.blocks[block], &lanes(word))
        };
        in_blocks(self.keys, covered, self.answers)
    }
}

impl<const N: usize, F: FnMut(usize) -> (usize, u64), A: FnMut(usize, u64)> WideLoop for Ask<'_, N, F, A> {
    type Output = u64;

    #[inline(always)]
    fn run<V: Wide>(mut self, wide: V) -> u64 {
        let covered = |key| {
            let (block, word) = (self.find)(key);
            bits(wide, N, word).common(twice(wide, &self.blocks[block])) == u8::MAX
        };
        in_blocks(self.keys, covered, self.answers)
    }

    fn narrow(self) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has AVX2.
            return unsafe { avx2::each_covered(self) };
        }
        self.by_words()
    }
}

/// A key's bits, one in each lane. Of a block of 4 words the lower halves of the words come first, then the upper ones.
#[inline(always)]
fn bits<V: Wide>(wide: V, words: usize, word: u64) -> V::Vector {
    let (shifts, most, first) = if words == 4 {
        ([0, 8, 16, 24, 32, 40, 48, 56], 31, [0, 0, 0, 0, 32, 32, 32, 32])
    } else {
        ([0, 6, 12, 18, 24, 30, 36, 42], 63, [0; LANES])
    };
    let field = wide.all(word).down_by(wide.of(shifts)) & wide.all(most);
    wide.all(1).up_by(field | wide.of(first))
}

/// The words of a block, those of one of 4 words twice.
#[inline(always)]
fn twice<V: Wide, const N: usize>(wide: V, block: &[u64; N]) -> V::Vector {
    wide.of(std::array::from_fn(|lane| block[lane % N]))
}

/// Sets the bits of `keys` keys; `find(i)` as for [`each_covered`].
///
/// # Panics
/// When there is no such block; the keys before are in.
#[inline]
pub fn cover_each<const N: usize>(blocks: &mut [[u64; N]], keys: usize, find: impl FnMut(usize) -> (usize, u64)) {
    let put =
        Put { ahead: if (size_of_val(blocks) as u64) < FAR_TO_CHANGE { keys } else { AHEAD }, blocks, keys, find };
    // A block of 4 words is half a vector: AVX2 has a whole one for it.
    if N == 8 { wide::run(put) } else { put.narrow() }
}

/// See [`cover_each`].
struct Put<'a, const N: usize, F> {
    blocks: &'a mut [[u64; N]],
    keys: usize,
    /// How many keys ahead a block is asked for; as many as there are for none.
    ahead: usize,
    find: F,
}

impl<const N: usize, F: FnMut(usize) -> (usize, u64)> Put<'_, N, F> {
    /// Calls `cover` with each key's block and word.
    #[inline(always)]
    fn each(mut self, mut cover: impl FnMut(&mut [u64; N], u64)) {
        for key in 0..self.keys {
            if key + self.ahead < self.keys {
                prefetch::read(self.blocks, (self.find)(key + self.ahead).0);
            }
            let (block, word) = (self.find)(key);
            cover(&mut self.blocks[block], word);
        }
    }

    /// Without vector instructions.
    #[inline]
    fn by_words(self) {
        self.each(|block, word| cover(block, &lanes(word)));
    }
}

impl<const N: usize, F: FnMut(usize) -> (usize, u64)> WideLoop for Put<'_, N, F> {
    type Output = ();

    #[inline(always)]
    fn run<V: Wide>(self, wide: V) {
        self.each(|block, word| {
            let covered = (twice(wide, block) | bits(wide, N, word)).array();
            *block = std::array::from_fn(|index| covered[index] | covered[index + LANES - N]);
        });
    }

    fn narrow(self) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has AVX2.
            return unsafe { avx2::cover_each(self) };
        }
        self.by_words();
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{Ask, Put};
    use crate::probe::in_blocks;

    #[target_feature(enable = "avx2")]
    pub(super) fn each_covered<const N: usize, F: FnMut(usize) -> (usize, u64), A: FnMut(usize, u64)>(
        ask: Ask<'_, N, F, A>,
    ) -> u64 {
        let Ask { blocks, keys, mut find, answers } = ask;
        let covered = |key| {
            let (block, word) = find(key);
            covers(&blocks[block], word)
        };
        in_blocks(keys, covered, answers)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn cover_each<const N: usize, F: FnMut(usize) -> (usize, u64)>(put: Put<'_, N, F>) {
        put.each(|block, word| {
            for (have, bits) in block.as_chunks_mut::<4>().0.iter_mut().zip(lanes::<N>(word)) {
                store(have, _mm256_or_si256(load(have), bits));
            }
        });
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn covers<const N: usize>(block: &[u64; N], word: u64) -> bool {
        let mut missing = _mm256_setzero_si256();
        for (have, bits) in block.as_chunks::<4>().0.iter().zip(lanes::<N>(word)) {
            missing = _mm256_or_si256(missing, _mm256_andnot_si256(load(have), bits));
        }
        _mm256_testz_si256(missing, missing) == 1
    }

    /// The bits of [`lanes`](super::lanes), four words in each vector; of lanes of 32 bits there is one vector.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn lanes<const N: usize>(word: u64) -> [__m256i; 2] {
        let word = _mm256_set1_epi64x(word as i64);
        if N == 4 {
            let fields = _mm256_srlv_epi32(word, _mm256_setr_epi32(0, 0, 8, 8, 16, 16, 24, 24));
            let bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_and_si256(fields, _mm256_set1_epi32(31)));
            return [bits, bits];
        }
        let bits = |shifts| {
            let fields = _mm256_srlv_epi64(word, shifts);
            _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_and_si256(fields, _mm256_set1_epi64x(63)))
        };
        [bits(_mm256_setr_epi64x(0, 6, 12, 18)), bits(_mm256_setr_epi64x(24, 30, 36, 42))]
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(words: &[u64; 4]) -> __m256i {
        // SAFETY: the reference is to 32 bytes; the load needs no alignment.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(words: &mut [u64; 4], value: __m256i) {
        // SAFETY: as for the load.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), value) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::probe::spread;

    /// All twins set the same bits and give the same answers.
    fn twins_agree<const N: usize>(blocks: usize, words: &[u64]) {
        let find = |key: usize| ((words[key] >> 7) as usize % blocks, words[key].wrapping_mul(0xd134_2543_de82_ef95));
        let half = words.len() / 2;
        let (mut left, mut right) = (vec![[0; N]; blocks], vec![[0; N]; blocks]);
        cover_each(&mut left, half, find);
        Put { blocks: &mut right, keys: half, ahead: AHEAD, find }.by_words();
        assert_eq!(left, right);
        right.fill([0; N]);
        Put { blocks: &mut right, keys: half, ahead: AHEAD, find }.run(wide::Words);
        assert_eq!(left, right);
        right.fill([0; N]);
        Put { blocks: &mut right, keys: half, ahead: 1, find }.narrow();
        assert_eq!(left, right);
        let mut all: Vec<Vec<bool>> = Vec::new();
        for way in 0..3 {
            let mut out = vec![false; words.len()];
            let answers = |start, word| spread(&mut out, start, word);
            let count = match way {
                0 => each_covered(&left, words.len(), find, answers),
                1 => Ask { blocks: &right, keys: words.len(), find, answers }.by_words(),
                _ => Ask { blocks: &right, keys: words.len(), find, answers }.run(wide::Words),
            };
            assert_eq!(count, out.iter().map(|yes| u64::from(*yes)).sum::<u64>());
            all.push(out);
        }
        assert!(all[0] == all[1] && all[1] == all[2]);
        assert!(all[0][..half].iter().all(|yes| *yes));
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            let mut out = vec![false; words.len()];
            let answers = |start, word| spread(&mut out, start, word);
            // SAFETY: the machine has AVX2.
            unsafe { avx2::each_covered(Ask { blocks: &left, keys: words.len(), find, answers }) };
            assert_eq!(out, all[0]);
        }
    }

    proptest! {
        #[test]
        fn vectors_and_words_agree(blocks in 1..40usize, words in prop::collection::vec(any::<u64>(), 0..200)) {
            twins_agree::<4>(blocks, &words);
            twins_agree::<8>(blocks, &words);
        }
    }

    /// A missing bit is seen in every lane, by both twins.
    #[test]
    fn one_missing_bit_is_enough_in_every_lane() {
        for lane in 0..8 {
            let word = 0x0123_4567_89ab_cdef;
            let mut narrow = [[u64::MAX; 4]];
            narrow[0][lane / 2] &= !(lanes::<4>(word)[lane / 2] & 0xffff_ffff << (32 * (lane % 2)));
            let mut wide = [[u64::MAX; 8]];
            wide[0][lane] &= !lanes::<8>(word)[lane];
            let none = |_, word| assert_eq!(word, 0, "lane {lane}");
            each_covered(&narrow, 1, |_| (0, word), none);
            each_covered(&wide, 1, |_| (0, word), none);
            let find = |_| (0, word);
            Ask { blocks: &narrow, keys: 1, find, answers: none }.by_words();
            Ask { blocks: &wide, keys: 1, find, answers: none }.by_words();
            Ask { blocks: &narrow, keys: 1, find, answers: none }.narrow();
            Ask { blocks: &wide, keys: 1, find, answers: none }.narrow();
        }
    }
}
