//! A vector of bits in 64-bit words.

use amq::{Incompatible, InvalidParams, Space};

use crate::{memory, prefetch};

const WORD: u64 = u64::BITS as u64;

/// `len` bits, all words allocated. Bits of the last word beyond `len` are always 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitVec {
    words: Vec<u64>,
    len: u64,
}

impl BitVec {
    /// `len` bits, all 0.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    pub fn zeros(len: u64) -> Result<Self, InvalidParams> {
        let too_large = || InvalidParams::TooLarge { bits: len };
        let words = usize::try_from(len.div_ceil(WORD)).map_err(|_| too_large())?;
        let mut vector = memory::reserve(words).ok_or_else(too_large)?;
        vector.resize(words, 0);
        Ok(Self { words: vector, len })
    }

    /// The number of bits.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no bits at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bit `index`.
    ///
    /// # Panics
    /// When `index` lies beyond the last word.
    #[inline]
    #[must_use]
    pub fn get(&self, index: u64) -> bool {
        self.shifted(index) & 1 == 1
    }

    /// The word of bit `index`, with that bit lowest: for kernels that combine many bits before they branch.
    #[inline]
    pub(crate) fn shifted(&self, index: u64) -> u64 {
        debug_assert!(index < self.len, "bit {index} of {}", self.len);
        self.words[(index / WORD) as usize] >> (index % WORD)
    }

    /// Asks for the memory of bit `index`, without waiting for it.
    #[inline]
    pub fn prefetch(&self, index: u64) {
        prefetch::read(&self.words, (index / WORD) as usize);
    }

    /// Sets bit `index`; true when it was 0.
    ///
    /// # Panics
    /// When `index` lies beyond the last word.
    #[inline]
    pub fn set(&mut self, index: u64) -> bool {
        debug_assert!(index < self.len, "bit {index} of {}", self.len);
        let word = &mut self.words[(index / WORD) as usize];
        let mask = 1 << (index % WORD);
        let new = *word & mask == 0;
        *word |= mask;
        new
    }

    /// Clears bit `index`; true when it was 1.
    ///
    /// # Panics
    /// When `index` lies beyond the last word.
    #[inline]
    pub fn unset(&mut self, index: u64) -> bool {
        debug_assert!(index < self.len, "bit {index} of {}", self.len);
        let word = &mut self.words[(index / WORD) as usize];
        let mask = 1 << (index % WORD);
        let old = *word & mask != 0;
        *word &= !mask;
        old
    }

    /// The 64 bits from `index` on, the first one lowest; what lies beyond the last word reads 0.
    ///
    /// # Panics
    /// When `index` lies beyond the last word.
    #[inline]
    #[must_use]
    pub fn window(&self, index: u64) -> u64 {
        debug_assert!(index < self.len, "bit {index} of {}", self.len);
        let (word, shift) = ((index / WORD) as usize, index % WORD);
        let next = self.words.get(word + 1).copied().unwrap_or(0);
        // In two steps, because a shift by 64 is none.
        self.words[word] >> shift | next << 1 << (WORD - 1 - shift)
    }

    /// Replaces the `width` bits (1 to 64) from `index` on by the low bits of `value`.
    ///
    /// # Panics
    /// When the bits reach beyond the last word.
    #[inline]
    pub fn write(&mut self, index: u64, width: u32, value: u64) {
        debug_assert!((1..=64).contains(&width) && index + u64::from(width) <= self.len, "{width} bits at {index}");
        let mask = u64::MAX >> (u64::BITS - width);
        let (word, shift) = ((index / WORD) as usize, index % WORD);
        let value = value & mask;
        self.words[word] = self.words[word] & !(mask << shift) | value << shift;
        if shift + u64::from(width) > WORD {
            let next = &mut self.words[word + 1];
            *next = *next & !(mask >> (WORD - shift)) | value >> (WORD - shift);
        }
    }

    /// Set bits.
    #[must_use]
    pub fn count_ones(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Set bits in `start..end`.
    ///
    /// # Panics
    /// When `end` lies beyond the last bit or before `start`.
    #[must_use]
    pub fn count_ones_in(&self, start: u64, end: u64) -> u64 {
        assert!(start <= end && end <= self.len, "{start}..{end} of {}", self.len);
        if start == end {
            return 0;
        }
        let (first, last) = ((start / WORD) as usize, ((end - 1) / WORD) as usize);
        let head = u64::MAX << (start % WORD);
        let tail = u64::MAX >> (WORD - 1 - (end - 1) % WORD);
        self.words[first..=last]
            .iter()
            .enumerate()
            .map(|(offset, word)| {
                let mask =
                    if offset == 0 { head } else { u64::MAX } & if first + offset == last { tail } else { u64::MAX };
                u64::from((word & mask).count_ones())
            })
            .sum()
    }

    /// All bits 0.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Sets every bit that is set in `other`.
    ///
    /// # Errors
    /// [`Incompatible`] when the lengths differ; nothing is changed.
    pub fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        if self.len != other.len {
            return Err(Incompatible { property: "m", left: self.len.into(), right: other.len.into() });
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
        Ok(())
    }

    /// Flips every bit.
    pub fn invert(&mut self) {
        for word in &mut self.words {
            *word = !*word;
        }
        let spare = self.words.len() as u64 * WORD - self.len;
        if let Some(last) = self.words.last_mut() {
            *last &= u64::MAX >> spare;
        }
    }

    /// Flips every bit that is set in `other`.
    ///
    /// # Errors
    /// [`Incompatible`] when the lengths differ; nothing is changed.
    pub fn xor(&mut self, other: &Self) -> Result<(), Incompatible> {
        if self.len != other.len {
            return Err(Incompatible { property: "m", left: self.len.into(), right: other.len.into() });
        }
        for (word, flip) in self.words.iter_mut().zip(&other.words) {
            *word ^= flip;
        }
        Ok(())
    }

    /// The words, least significant bit first.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words, for packed values.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The bits and the padding of the last word.
    #[must_use]
    pub fn space(&self) -> Space {
        let allocated = self.words.capacity() as u64 * WORD;
        Space { payload_bits: self.len, overhead_bits: allocated - self.len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HAND-04: every bit can be set, none is disturbed.
    #[test]
    fn hand_04_every_bit_can_be_set_and_none_is_disturbed() {
        for len in 1..=130 {
            let mut bits = BitVec::zeros(len).unwrap();
            for round in 0..2 {
                for index in 0..len {
                    assert_eq!(bits.set(index), round == 0, "m = {len}, bit {index}");
                    for other in 0..len {
                        assert_eq!(
                            bits.get(other),
                            round == 1 || other <= index,
                            "m = {len}, {index} set, {other} read"
                        );
                    }
                }
            }
            assert_eq!(bits.count_ones(), len);
        }
    }

    #[test]
    fn a_bit_is_cleared_once_and_no_other() {
        let mut bits = BitVec::zeros(130).unwrap();
        (0..130).for_each(|index| assert!(bits.set(index)));
        for index in (0..130).step_by(3) {
            assert!(bits.unset(index) && !bits.unset(index), "bit {index}");
        }
        assert!((0..130).all(|index| bits.get(index) == (index % 3 != 0)));
    }

    #[test]
    fn counts_in_a_range_are_counts_of_single_bits() {
        let mut bits = BitVec::zeros(200).unwrap();
        for index in (0..200).filter(|index| index * index % 7 < 3) {
            bits.set(index);
        }
        for start in 0..200 {
            for end in start..=200 {
                let singly = (start..end).filter(|index| bits.get(*index)).count() as u64;
                assert_eq!(bits.count_ones_in(start, end), singly, "{start}..{end}");
            }
        }
    }

    /// Windows and writes at every place and of every width, against single bits.
    #[test]
    fn windows_are_single_bits_and_writes_disturb_none() {
        for len in [1, 63, 64, 65, 130, 200] {
            let mut bits = BitVec::zeros(len).unwrap();
            for index in (0..len).filter(|index| index * index % 7 < 3) {
                bits.set(index);
            }
            for index in 0..len {
                let singly =
                    (index..len.min(index + 64)).map(|at| u64::from(bits.get(at)) << (at - index)).sum::<u64>();
                assert_eq!(bits.window(index), singly, "{index} of {len}");
                for width in 1..=64.min(len - index) {
                    for value in [0, u64::MAX, 0x9e37_79b9_7f4a_7c15] {
                        let mut written = bits.clone();
                        written.write(index, width as u32, value);
                        for at in 0..len {
                            let inside = (index..index + width).contains(&at);
                            let expected = if inside { value >> (at - index) & 1 == 1 } else { bits.get(at) };
                            assert_eq!(written.get(at), expected, "{width} bits at {index} of {len}, bit {at}");
                        }
                    }
                }
            }
        }
    }

    /// HAND-13 at its root: the request is tried, and the process lives.
    #[test]
    fn absurd_sizes_are_error_values() {
        for len in [u64::MAX, 1 << 62, 9_585_058_377_367_439_000] {
            assert_eq!(BitVec::zeros(len), Err(InvalidParams::TooLarge { bits: len }));
        }
    }

    #[test]
    fn union_refuses_another_length_and_changes_nothing() {
        let (mut left, right) = (BitVec::zeros(1000).unwrap(), BitVec::zeros(1001).unwrap());
        left.set(5);
        let before = left.clone();
        let error = left.union(&right).unwrap_err();
        assert_eq!(error.to_string(), "the filters differ in m: 1000 and 1001");
        assert_eq!(left, before);
    }

    #[test]
    fn inverting_leaves_the_padding_alone() {
        for len in [1, 63, 64, 65, 100, 128] {
            let mut bits = BitVec::zeros(len).unwrap();
            bits.set(len - 1);
            bits.invert();
            assert_eq!((bits.count_ones(), bits.get(len - 1)), (len - 1, false), "{len} bits");
            bits.invert();
            assert_eq!((bits.count_ones(), bits.get(len - 1)), (1, true), "{len} bits");
        }
    }

    #[test]
    fn xor_flips_what_is_set_and_refuses_another_length() {
        let (mut left, mut right) = (BitVec::zeros(100).unwrap(), BitVec::zeros(100).unwrap());
        for at in [5, 70] {
            left.set(at);
        }
        for at in [70, 99] {
            right.set(at);
        }
        left.xor(&right).unwrap();
        assert_eq!((0..100).filter(|at| left.get(*at)).collect::<Vec<_>>(), [5, 99]);
        let before = left.clone();
        let error = left.xor(&BitVec::zeros(101).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "the filters differ in m: 100 and 101");
        assert_eq!(left, before);
    }

    #[test]
    fn space_counts_the_padding() {
        assert_eq!(BitVec::zeros(100).unwrap().space(), Space { payload_bits: 100, overhead_bits: 28 });
        assert_eq!(BitVec::zeros(128).unwrap().space(), Space { payload_bits: 128, overhead_bits: 0 });
    }
}
