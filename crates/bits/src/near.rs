//! Bits at any place of a [`BitVec`] in one read: for packed values that are read several at once.

use crate::bitvec::BitVec;

/// The bits that [`BitVec::near`] has at every multiple of `step` (1 or more): what a place is modulo 8 is lost to the shift.
#[must_use]
pub const fn shown(step: u32) -> u32 {
    let even = if step.trailing_zeros() > 3 { 3 } else { step.trailing_zeros() };
    56 + (1 << even)
}

impl BitVec {
    /// The byte to read 8 bytes from, and the shift that brings bit `index` down to bit 0. Near the end it is the last
    /// 8 bytes, so that no read needs a branch and none leaves the words.
    #[inline(always)]
    fn near_place(&self, index: u64) -> (usize, u32) {
        let words = self.words().len();
        assert!(words > 0, "no bits to be read");
        let byte = ((index / 8) as usize).min(8 * (words - 1));
        // Beyond the last bit the shift wraps; what is read then is of no use, and within the words.
        (byte, index.wrapping_sub(8 * byte as u64) as u32 % 64)
    }

    /// The bits from `index` on, the first one lowest: 57 at the least, [`shown`] at a multiple of a step, and at the end all
    /// that are left; zeros above. One unaligned read, where [`window`](Self::window) takes two words (measured by `hit` of
    /// the bench `buckets` of `amq-cuckoo`).
    ///
    /// # Panics
    /// When there are no bits at all.
    #[inline(always)]
    #[must_use]
    pub fn near(&self, index: u64) -> u64 {
        debug_assert!(index < self.len(), "bit {index} of {}", self.len());
        let (byte, shift) = self.near_place(index);
        read(self.words(), byte) >> shift
    }

    /// Flips the bits from `index` on that are set in `mask`, which has none above those that [`near`](Self::near) shows.
    /// One unaligned read and write.
    ///
    /// # Panics
    /// When there are no bits at all.
    #[inline(always)]
    pub fn flip(&mut self, index: u64, mask: u64) {
        debug_assert!(index < self.len(), "bit {index} of {}", self.len());
        let (byte, shift) = self.near_place(index);
        debug_assert!(mask << shift >> shift == mask, "mask {mask:x} at bit {index}");
        flip(self.words_mut(), byte, mask << shift);
    }
}

/// The 8 bytes from `byte` on as a little-endian number.
#[cfg(target_endian = "little")]
#[inline(always)]
fn read(words: &[u64], byte: usize) -> u64 {
    debug_assert!(byte + 8 <= 8 * words.len(), "byte {byte} of {} words", words.len());
    // SAFETY: `near_place` gives no byte above `8 * (len - 1)` and refuses `len = 0`, so that 8 bytes from `byte` on are
    // within the words. Any bytes are a `u64`, and the read asks for no alignment.
    u64::from_le(unsafe { words.as_ptr().cast::<u8>().add(byte).cast::<u64>().read_unaligned() })
}

/// Flips bits of the 8 bytes from `byte` on.
#[cfg(target_endian = "little")]
#[inline(always)]
fn flip(words: &mut [u64], byte: usize, mask: u64) {
    let value = read(words, byte) ^ mask;
    // SAFETY: as in `read`; the words are borrowed mutably.
    unsafe { words.as_mut_ptr().cast::<u8>().add(byte).cast::<u64>().write_unaligned(value.to_le()) };
}

/// The twin of the reads above for machines whose words are not stored lowest byte first.
#[cfg(any(test, not(target_endian = "little")))]
mod by_words {
    pub(super) fn read(words: &[u64], byte: usize) -> u64 {
        let (word, shift) = (byte / 8, byte % 8 * 8);
        let next = words.get(word + 1).copied().unwrap_or(0);
        words[word] >> shift | next << 1 << (63 - shift)
    }

    pub(super) fn flip(words: &mut [u64], byte: usize, mask: u64) {
        let (word, shift) = (byte / 8, byte % 8 * 8);
        words[word] ^= mask << shift;
        if let Some(next) = words.get_mut(word + 1) {
            *next ^= mask >> 1 >> (63 - shift);
        }
    }
}
#[cfg(not(target_endian = "little"))]
use by_words::{flip, read};

#[cfg(test)]
mod tests {
    use super::*;

    fn random(len: u64) -> BitVec {
        let mut bits = BitVec::zeros(len).unwrap();
        for index in (0..len).filter(|index| (index * index + 3 * index) % 7 < 3) {
            bits.set(index);
        }
        bits
    }

    /// Both ways to read and to flip 8 bytes, at every byte.
    #[test]
    fn unaligned_reads_are_reads_of_words() {
        for words in 1..6 {
            let bits = random(64 * words);
            for byte in 0..=8 * (words as usize - 1) {
                assert_eq!(read(bits.words(), byte), by_words::read(bits.words(), byte), "byte {byte} of {words}");
                for mask in [0, u64::MAX, 0x9e37_79b9_7f4a_7c15] {
                    let (mut one, mut other) = (bits.clone(), bits.clone());
                    flip(one.words_mut(), byte, mask);
                    by_words::flip(other.words_mut(), byte, mask);
                    assert_eq!(one, other, "byte {byte} of {words}");
                }
            }
        }
    }

    /// Every place of every width, against single words.
    #[test]
    fn near_bits_are_those_of_the_window() {
        for len in [1, 63, 64, 65, 128, 130, 200] {
            let bits = random(len);
            for step in 1..=64 {
                for index in (0..len).step_by(step as usize) {
                    let known = u64::MAX >> (64 - shown(step));
                    assert_eq!(bits.near(index) & known, bits.window(index) & known, "{index} of {len}");
                }
            }
        }
    }

    #[test]
    fn flipped_bits_are_those_of_the_mask() {
        for len in [1, 63, 64, 65, 128, 130, 200] {
            let bits = random(len);
            for step in 1..=64 {
                for index in (0..len).step_by(step as usize) {
                    let there = u64::from(shown(step)).min(len - index);
                    for mask in [1, u64::MAX, 0x9e37_79b9_7f4a_7c15] {
                        let mask = mask & u64::MAX >> (64 - there);
                        let mut expected = bits.clone();
                        expected.write(index, there as u32, bits.window(index) ^ mask);
                        let mut flipped = bits.clone();
                        flipped.flip(index, mask);
                        assert_eq!(flipped, expected, "{mask:x} at {index} of {len}");
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "no bits")]
    fn nothing_is_read_where_nothing_is() {
        let bits = BitVec::zeros(0).unwrap();
        let _ = bits.near_place(0);
    }
}
