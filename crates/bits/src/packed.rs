//! A vector of unsigned values of one width, packed into words without gaps.

use amq::{InvalidParams, Space};

use crate::bitvec::BitVec;

/// `len` values of `width` bits each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedVec {
    bits: BitVec,
    width: u32,
    len: u64,
}

impl PackedVec {
    /// `len` values of `width` bits (1 to 64), all 0.
    ///
    /// # Errors
    /// [`InvalidParams`] for a width out of range, or memory that cannot be had.
    pub fn zeros(len: u64, width: u32) -> Result<Self, InvalidParams> {
        if !(1..=64).contains(&width) {
            return Err(InvalidParams::OutOfRange { name: "width", value: width.into(), allowed: "1 to 64 bits" });
        }
        let bits = len.checked_mul(width.into()).ok_or(InvalidParams::TooLarge { bits: u64::MAX })?;
        Ok(Self { bits: BitVec::zeros(bits)?, width, len })
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bits of a value.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The largest value.
    #[must_use]
    pub fn max_value(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// Asks for the memory of value `index`, without waiting for it.
    #[inline]
    pub fn prefetch(&self, index: u64) {
        self.bits.prefetch(index * u64::from(self.width));
    }

    /// Value `index`.
    ///
    /// # Panics
    /// When `index` is not below [`len`](Self::len).
    #[inline]
    #[must_use]
    pub fn get(&self, index: u64) -> u64 {
        assert!(index < self.len, "value {index} of {}", self.len);
        let bit = index * u64::from(self.width);
        let (word, shift) = ((bit / 64) as usize, bit % 64);
        let words = self.bits.words();
        let low = words[word] >> shift;
        let spilled = shift + u64::from(self.width) > 64;
        let high = if spilled { words[word + 1] << (64 - shift) } else { 0 };
        (low | high) & self.max_value()
    }

    /// Sets value `index`.
    ///
    /// # Panics
    /// When `index` is not below [`len`](Self::len), or `value` above [`max_value`](Self::max_value).
    #[inline]
    pub fn set(&mut self, index: u64, value: u64) {
        assert!(index < self.len, "value {index} of {}", self.len);
        assert!(value <= self.max_value(), "{value} in {} bits", self.width);
        let bit = index * u64::from(self.width);
        let (word, shift) = ((bit / 64) as usize, bit % 64);
        let mask = self.max_value();
        let words = self.bits.words_mut();
        words[word] = words[word] & !(mask << shift) | value << shift;
        if shift + u64::from(self.width) > 64 {
            words[word + 1] = words[word + 1] & !(mask >> (64 - shift)) | value >> (64 - shift);
        }
    }

    /// Lowers value `index` by one; 0 stays 0.
    ///
    /// # Panics
    /// When `index` is not below [`len`](Self::len).
    #[inline]
    pub fn decrement(&mut self, index: u64) {
        let value = self.get(index);
        self.set(index, value - u64::from(value != 0));
    }

    /// Lowers each of the `count` values from `start` on by one; 0 stays 0. As many at a time as a word holds.
    ///
    /// # Panics
    /// When there are not that many values.
    pub fn decrement_run(&mut self, start: u64, count: u64) {
        assert!(count <= self.len && start <= self.len - count, "{count} values from {start} of {}", self.len);
        let (width, lows) = (u64::from(self.width), self.lowest_bits());
        let (mut bit, end) = (start * width, (start + count) * width);
        while bit < end {
            let (word, shift) = ((bit / 64) as usize, bit % 64);
            // Up to the end of the word where no value straddles it, else a whole word's bits from here.
            let room = if 64 % width == 0 { 64 - shift } else { 64 / width * width };
            let taken = room.min(end - bit);
            let mask = u64::MAX >> (64 - taken);
            let words = self.bits.words_mut();
            let spilled = shift + taken > 64;
            let high = if spilled { words[word + 1] << (64 - shift) } else { 0 };
            let values = (words[word] >> shift | high) & mask;
            let lowered = values - nonzero_lanes(values, self.width, lows);
            words[word] = words[word] & !(mask << shift) | lowered << shift;
            if spilled {
                words[word + 1] = words[word + 1] & !(mask >> (64 - shift)) | lowered >> (64 - shift);
            }
            bit += taken;
        }
    }

    /// Values that are not 0.
    #[must_use]
    pub fn count_nonzero(&self) -> u64 {
        let (width, lows) = (u64::from(self.width), self.lowest_bits());
        if 64 % width == 0 {
            let in_word = |word: &u64| u64::from(nonzero_lanes(*word, self.width, lows).count_ones());
            return self.bits.words().iter().map(in_word).sum();
        }
        (0..self.len).filter(|index| self.get(*index) != 0).count() as u64
    }

    /// All values 0.
    pub fn clear(&mut self) {
        self.bits.clear();
    }

    /// The words: value `i` begins at bit `i * width`, bit `b` being bit `b % 64` of word `b / 64`.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        self.bits.words()
    }

    /// A word with a 1 at the lowest bit of each value that fits in it.
    fn lowest_bits(&self) -> u64 {
        // 2^(width lanes) - 1 over 2^width - 1: a geometric sum.
        (u64::MAX >> (64 % self.width)) / self.max_value()
    }

    /// The bits and the padding of the last word.
    #[must_use]
    pub fn space(&self) -> Space {
        self.bits.space()
    }
}

/// The lowest bit of each value of `width` bits in `word` that is not 0; `lows` has the lowest bits of all.
#[inline]
fn nonzero_lanes(word: u64, width: u32, lows: u64) -> u64 {
    (1..width).fold(word, |any, shift| any | word >> shift) & lows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_kept_and_no_neighbour_disturbed() {
        for width in 1..=64 {
            let mut packed = PackedVec::zeros(67, width).unwrap();
            let value = |index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15) & packed.max_value();
            let values: Vec<u64> = (0..67).map(value).collect();
            for (index, value) in (0u64..).zip(&values) {
                packed.set(index, *value);
            }
            for (index, value) in (0u64..).zip(&values) {
                assert_eq!(packed.get(index), *value, "width {width}, value {index}");
            }
            for index in (0..67).step_by(2) {
                packed.set(index, 0);
            }
            for (index, value) in (0u64..).zip(&values) {
                assert_eq!(packed.get(index), if index % 2 == 0 { 0 } else { *value }, "width {width}, value {index}");
            }
        }
    }

    /// HAND-09, second part: 101 half-byte counters take 51 bytes and counter 100 works.
    #[test]
    fn hand_09_odd_numbers_of_half_bytes() {
        let mut packed = PackedVec::zeros(101, 4).unwrap();
        assert_eq!(packed.space().payload_bits.div_ceil(8), 51);
        packed.set(100, 9);
        assert_eq!((packed.get(100), packed.get(99)), (9, 0));
    }

    /// A run is lowered as its values are one by one, and no neighbour disturbed, at every width and offset.
    #[test]
    fn runs_are_lowered_like_single_values() {
        for width in 1..=64 {
            let mut packed = PackedVec::zeros(150, width).unwrap();
            for index in 0..150 {
                packed.set(index, index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62 & packed.max_value());
            }
            let mut single = packed.clone();
            for (start, count) in [(0, 150), (149, 1), (150, 0), (0, 0), (3, 70), (60, 9), (7, 64), (64, 64), (85, 65)]
            {
                packed.decrement_run(start, count);
                (start..start + count).for_each(|index| single.decrement(index));
                assert_eq!(packed, single, "width {width}, {count} from {start}");
                let nonzero = (0..150).filter(|index| single.get(*index) != 0).count() as u64;
                assert_eq!(packed.count_nonzero(), nonzero, "width {width}");
            }
            packed.clear();
            assert_eq!((packed.count_nonzero(), packed.len()), (0, 150));
        }
    }

    #[test]
    #[should_panic(expected = "3 values from 8 of 10")]
    fn runs_end_within_the_values() {
        PackedVec::zeros(10, 3).unwrap().decrement_run(8, 3);
    }

    #[test]
    fn widths_out_of_range_and_absurd_lengths_are_refused() {
        assert!(PackedVec::zeros(1, 0).is_err());
        assert!(PackedVec::zeros(1, 65).is_err());
        assert!(PackedVec::zeros(u64::MAX, 64).is_err());
    }
}
