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

    /// The words: value `i` begins at bit `i * width`, bit `b` being bit `b % 64` of word `b / 64`.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        self.bits.words()
    }

    /// The bits and the padding of the last word.
    #[must_use]
    pub fn space(&self) -> Space {
        self.bits.space()
    }
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

    #[test]
    fn widths_out_of_range_and_absurd_lengths_are_refused() {
        assert!(PackedVec::zeros(1, 0).is_err());
        assert!(PackedVec::zeros(1, 65).is_err());
        assert!(PackedVec::zeros(u64::MAX, 64).is_err());
    }
}
