//! Kernels over blocks of eight lanes, in each of which a key has one bit: split-block filters.
//!
//! A block is `N` words: 4 for lanes of 32 bits, 8 for lanes of 64. Each loop asks once which instructions the machine
//! has; the twin without them gives the same bits.

use crate::block::{cover, covers, lanes_of_32, lanes_of_64};
use crate::prefetch;

/// How many keys ahead of an insert the next one's block is asked for (`insert` of the benches of `amq-blocked`).
const AHEAD: usize = 12;

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

/// Tells `answer(i, yes)` for `keys` keys whether all bits of the key are set; `find(i)` gives its block, and the word that
/// its bits come from.
///
/// # Panics
/// When there is no such block.
#[inline]
pub fn each_covered<const N: usize>(
    blocks: &[[u64; N]],
    keys: usize,
    find: impl FnMut(usize) -> (usize, u64),
    answer: impl FnMut(usize, bool),
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2.
        return unsafe { avx2::each_covered(blocks, keys, find, answer) };
    }
    each_covered_by_words(blocks, keys, find, answer);
}

/// [`each_covered`] without vector instructions.
#[inline]
fn each_covered_by_words<const N: usize>(
    blocks: &[[u64; N]],
    keys: usize,
    mut find: impl FnMut(usize) -> (usize, u64),
    mut answer: impl FnMut(usize, bool),
) {
    for key in 0..keys {
        let (block, word) = find(key);
        answer(key, covers(&blocks[block], &lanes(word)));
    }
}

/// Sets the bits of `keys` keys; `find(i)` as for [`each_covered`].
///
/// # Panics
/// When there is no such block; the keys before are in.
#[inline]
pub fn cover_each<const N: usize>(blocks: &mut [[u64; N]], keys: usize, find: impl FnMut(usize) -> (usize, u64)) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2.
        return unsafe { avx2::cover_each(blocks, keys, find) };
    }
    cover_each_by_words(blocks, keys, find);
}

/// [`cover_each`] without vector instructions.
#[inline]
fn cover_each_by_words<const N: usize>(
    blocks: &mut [[u64; N]],
    keys: usize,
    mut find: impl FnMut(usize) -> (usize, u64),
) {
    for key in 0..keys {
        if key + AHEAD < keys {
            prefetch::read(blocks, find(key + AHEAD).0);
        }
        let (block, word) = find(key);
        cover(&mut blocks[block], &lanes(word));
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{AHEAD, prefetch};

    #[target_feature(enable = "avx2")]
    pub(super) fn each_covered<const N: usize>(
        blocks: &[[u64; N]],
        keys: usize,
        mut find: impl FnMut(usize) -> (usize, u64),
        mut answer: impl FnMut(usize, bool),
    ) {
        for key in 0..keys {
            let (block, word) = find(key);
            answer(key, covers(&blocks[block], word));
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn cover_each<const N: usize>(
        blocks: &mut [[u64; N]],
        keys: usize,
        mut find: impl FnMut(usize) -> (usize, u64),
    ) {
        for key in 0..keys {
            if key + AHEAD < keys {
                prefetch::read(blocks, find(key + AHEAD).0);
            }
            let (block, word) = find(key);
            for (have, bits) in blocks[block].as_chunks_mut::<4>().0.iter_mut().zip(lanes::<N>(word)) {
                store(have, _mm256_or_si256(load(have), bits));
            }
        }
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

    /// Both twins set the same bits and give the same answers.
    fn twins_agree<const N: usize>(blocks: usize, words: &[u64]) {
        let find = |key: usize| ((words[key] >> 7) as usize % blocks, words[key].wrapping_mul(0xd134_2543_de82_ef95));
        let half = words.len() / 2;
        let (mut left, mut right) = (vec![[0; N]; blocks], vec![[0; N]; blocks]);
        cover_each(&mut left, half, find);
        cover_each_by_words(&mut right, half, find);
        assert_eq!(left, right);
        let mut answers = vec![None; words.len()];
        each_covered(&left, words.len(), find, |key, yes| answers[key] = Some(yes));
        each_covered_by_words(&right, words.len(), find, |key, yes| assert_eq!(answers[key], Some(yes)));
        assert!(answers[..half].iter().all(|answer| *answer == Some(true)));
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
            for (found, by) in [(false, "vectors"), (true, "words")] {
                let check = |_: usize, yes: bool| assert!(!yes, "lane {lane} by {by}");
                if found {
                    each_covered_by_words(&narrow, 1, |_| (0, word), check);
                    each_covered_by_words(&wide, 1, |_| (0, word), check);
                } else {
                    each_covered(&narrow, 1, |_| (0, word), check);
                    each_covered(&wide, 1, |_| (0, word), check);
                }
            }
        }
    }
}
