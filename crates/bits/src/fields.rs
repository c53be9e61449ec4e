//! A vector of unsigned values whose width the compiler knows.

use amq::{InvalidParams, Space};

use crate::bitvec::BitVec;

const WORD: u64 = u64::BITS as u64;

/// `len` values of `W` bits each (1 to 32), packed without gaps: the layout of [`PackedVec`](crate::PackedVec), but where
/// `W` divides 64 no value straddles two words, and the code for it is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldVec<const W: u32> {
    bits: BitVec,
    len: u64,
}

/// A value that is to be written: to a field of a word, or where values straddle words, by its index.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    place: u64,
    value: u64,
    mask: u64,
}

impl<const W: u32> FieldVec<W> {
    /// The largest value.
    pub const MAX: u64 = {
        assert!(1 <= W && W <= 32, "a width of 1 to 32 bits");
        (1 << W) - 1
    };
    const STRADDLES: bool = !WORD.is_multiple_of(W as u64);

    /// `len` values, all 0.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    pub fn zeros(len: u64) -> Result<Self, InvalidParams> {
        let bits = len.checked_mul(W.into()).ok_or(InvalidParams::TooLarge { bits: u64::MAX })?;
        Ok(Self { bits: BitVec::zeros(bits)?, len })
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

    /// Word and shift of value `index`.
    #[inline]
    fn place(index: u64) -> (usize, u64) {
        let bit = index * u64::from(W);
        ((bit / WORD) as usize, bit % WORD)
    }

    /// Value `index`.
    ///
    /// # Panics
    /// When `index` lies beyond the last word.
    #[inline]
    #[must_use]
    pub fn get(&self, index: u64) -> u64 {
        debug_assert!(index < self.len, "value {index} of {}", self.len);
        let ((word, shift), words) = (Self::place(index), self.bits.words());
        let mut value = words[word] >> shift;
        if Self::STRADDLES && shift + u64::from(W) > WORD {
            value |= words[word + 1] << (WORD - shift);
        }
        value & Self::MAX
    }

    /// Sets value `index`.
    ///
    /// # Panics
    /// When `index` lies beyond the last word, or `value` is above [`MAX`](Self::MAX).
    #[inline]
    pub fn set(&mut self, index: u64, value: u64) {
        debug_assert!(index < self.len, "value {index} of {}", self.len);
        assert!(value <= Self::MAX, "{value} in {W} bits");
        let ((word, shift), words) = (Self::place(index), self.bits.words_mut());
        words[word] = words[word] & !(Self::MAX << shift) | value << shift;
        if Self::STRADDLES && shift + u64::from(W) > WORD {
            let left = WORD - shift;
            words[word + 1] = words[word + 1] & !(Self::MAX >> left) | value >> left;
        }
    }

    /// The change of value `index` to what `change` makes of it, to be [written](Self::write) later.
    #[inline(always)]
    pub(crate) fn change(&self, index: u64, change: impl FnOnce(u64) -> u64) -> Change {
        if Self::STRADDLES {
            return Change { place: index, value: change(self.get(index)) & Self::MAX, mask: 0 };
        }
        let (word, shift) = Self::place(index);
        let value = change(self.bits.words()[word] >> shift & Self::MAX) & Self::MAX;
        Change { place: word as u64, value: value << shift, mask: Self::MAX << shift }
    }

    /// Makes a change, whatever was written since it was found.
    #[inline(always)]
    pub(crate) fn write(&mut self, change: Change) {
        if Self::STRADDLES {
            return self.set(change.place, change.value);
        }
        let word = &mut self.bits.words_mut()[change.place as usize];
        *word = *word & !change.mask | change.value;
    }

    /// Asks for the memory of value `index`, without waiting for it.
    #[inline]
    pub fn prefetch(&self, index: u64) {
        crate::prefetch::read(self.bits.words(), Self::place(index).0);
    }

    /// All values, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.len).map(|index| self.get(index))
    }

    /// All values 0.
    pub fn clear(&mut self) {
        self.bits.clear();
    }

    /// The words, least significant value first.
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
    use crate::packed::PackedVec;

    /// The values and the words are those of `PackedVec`, whatever is written over what.
    fn like_packed<const W: u32>() {
        let (mut fields, mut packed) = (FieldVec::<W>::zeros(131).unwrap(), PackedVec::zeros(131, W).unwrap());
        assert_eq!((FieldVec::<W>::MAX, fields.space()), (packed.max_value(), packed.space()));
        for step in 0..1000u64 {
            let mixed = (step + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let (index, value) = ((mixed >> 40) % 131, (mixed ^ mixed >> 29) & FieldVec::<W>::MAX);
            fields.set(index, value);
            packed.set(index, value);
        }
        assert!((0..131).all(|index| fields.get(index) == packed.get(index)), "width {W}");
        assert!(fields.iter().eq((0..131).map(|index| packed.get(index))), "width {W}");
        fields.clear();
        assert!(fields.iter().all(|value| value == 0));
    }

    #[test]
    fn every_width_is_packed_as_by_packed_vec() {
        macro_rules! widths { ($($width:literal)+) => { $(like_packed::<$width>();)+ } }
        widths!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 23 31 32);
    }

    #[test]
    fn absurd_lengths_are_refused() {
        assert!(FieldVec::<16>::zeros(u64::MAX).is_err());
        assert!(FieldVec::<16>::zeros(1 << 58).is_err());
    }

    #[test]
    #[should_panic(expected = "16 in 4 bits")]
    fn a_value_too_large_is_refused() {
        FieldVec::<4>::zeros(3).unwrap().set(1, 16);
    }
}
