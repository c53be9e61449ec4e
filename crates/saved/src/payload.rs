//! The payload: arrays of bits, one after the other, each beginning at a byte.
//!
//! Bit `i` of an array is bit `i % 8` of its byte `i / 8`, so that words of 64 bits are little-endian, and a value of `w`
//! bits at index `i` begins at bit `w i`, lowest bit first. Bits of the last byte beyond the array are 0.

use amq::{DecodeError, InvalidParams};
use bits::BitVec;

/// The widest value that is read and written.
const MAX_WIDTH: u32 = 56;

/// Bytes of an array of `bits` bits.
fn bytes_for(bits: u64) -> u64 {
    bits.div_ceil(8)
}

/// Where a filter writes its arrays to.
#[derive(Debug)]
pub struct Writer {
    pub(crate) out: Vec<u8>,
}

impl Writer {
    /// Room for `bytes` more, tried.
    fn reserve(&mut self, bytes: u64) -> Result<(), InvalidParams> {
        let too_large = || InvalidParams::TooLarge { bits: bytes.saturating_mul(8) };
        let more = usize::try_from(bytes).map_err(|_| too_large())?;
        self.out.try_reserve_exact(more).map_err(|_| too_large())
    }

    /// Bytes as they are.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), InvalidParams> {
        self.reserve(bytes.len() as u64)?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// So many bytes of 0.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub fn zeros(&mut self, bytes: u64) -> Result<(), InvalidParams> {
        self.reserve(bytes)?;
        self.out.resize(self.out.len() + bytes as usize, 0);
        Ok(())
    }

    /// An array of `len` bits, from words whose bits beyond are 0.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub fn words(&mut self, len: u64, words: impl IntoIterator<Item = u64>) -> Result<(), InvalidParams> {
        self.reserve(bytes_for(len))?;
        let mut left = bytes_for(len);
        for word in words {
            let taken = left.min(8);
            self.out.extend_from_slice(&word.to_le_bytes()[..taken as usize]);
            left -= taken;
        }
        Ok(())
    }

    /// An array of bits.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub fn bits(&mut self, bits: &BitVec) -> Result<(), InvalidParams> {
        self.words(bits.len(), bits.words().iter().copied())
    }

    /// An array of `len` values of `width` bits, 1 to 56, which each value fits.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub fn values(&mut self, width: u32, len: u64, values: impl IntoIterator<Item = u64>) -> Result<(), InvalidParams> {
        debug_assert!((1..=MAX_WIDTH).contains(&width), "{width} bits");
        self.reserve(bytes_for(len.saturating_mul(width.into())))?;
        let (mut waiting, mut held) = (0u64, 0);
        for value in values {
            waiting |= value << held;
            held += width;
            while held >= 8 {
                self.out.push(waiting as u8);
                waiting >>= 8;
                held -= 8;
            }
        }
        if held > 0 {
            self.out.push(waiting as u8);
        }
        Ok(())
    }
}

/// What is between header and checksum.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    pub(crate) bytes: &'a [u8],
}

impl<'a> Payload<'a> {
    /// All of it, for coded contents, whose length the parameters do not say.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The arrays that it consists of, by their length in bits.
    ///
    /// # Errors
    /// [`DecodeError::Length`] where it is not as long as they are together, [`DecodeError::Padding`] for bits beyond.
    pub fn parts<const N: usize>(self, bits: [u64; N]) -> Result<[Part<'a>; N], DecodeError> {
        let implied: u128 = bits.iter().map(|len| u128::from(bytes_for(*len))).sum();
        let had = self.bytes.len() as u64;
        if implied != u128::from(had) {
            return Err(DecodeError::Length { implied, had });
        }
        let mut rest = self.bytes;
        let parts = bits.map(|len| {
            // The sum of the lengths is that of the bytes, so each fits.
            let (bytes, after) = rest.split_at(bytes_for(len) as usize);
            rest = after;
            Part { bytes, bits: len }
        });
        let spills = |part: &Part<'_>| {
            !part.bits.is_multiple_of(8) && part.bytes.last().is_some_and(|last| last >> (part.bits % 8) != 0)
        };
        if parts.iter().any(spills) {
            return Err(DecodeError::Padding { what: "the bits beyond the end of an array" });
        }
        Ok(parts)
    }
}

/// One array of the payload.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    bytes: &'a [u8],
    bits: u64,
}

impl<'a> Part<'a> {
    /// Its words of 64 bits; bits beyond the end are 0.
    pub fn words(self) -> impl Iterator<Item = u64> + 'a {
        self.bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        })
    }

    /// A vector of its bits.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    pub fn to_bits(self) -> Result<BitVec, InvalidParams> {
        let mut bits = BitVec::zeros(self.bits)?;
        self.copy_to(&mut bits);
        Ok(bits)
    }

    /// Writes its bits to a vector of the same length.
    pub fn copy_to(self, bits: &mut BitVec) {
        debug_assert_eq!(bits.len(), self.bits);
        for (at, word) in (0..self.bits).step_by(64).zip(self.words()) {
            bits.write(at, (self.bits - at).min(64) as u32, word);
        }
    }

    /// Its values of `width` bits, 1 to 56.
    pub fn values(self, width: u32) -> impl Iterator<Item = u64> + 'a {
        debug_assert!((1..=MAX_WIDTH).contains(&width), "{width} bits");
        let (mut bytes, mut waiting, mut held) = (self.bytes.iter(), 0u64, 0);
        (0..self.bits / u64::from(width)).map(move |_| {
            while held < width {
                waiting |= u64::from(bytes.next().copied().unwrap_or(0)) << held;
                held += 8;
            }
            let value = waiting & (u64::MAX >> (64 - width));
            waiting >>= width;
            held -= width;
            value
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Writer) -> Result<(), InvalidParams>) -> Vec<u8> {
        let mut writer = Writer { out: Vec::new() };
        write(&mut writer).unwrap();
        writer.out
    }

    /// By construction the same on machines of either byte order: numbers are written out by hand.
    #[test]
    fn words_are_little_endian() {
        let words = [0x0807_0605_0403_0201, 0x000b_0a09];
        let bytes = written(|writer| writer.words(84, words));
        assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        let [part] = Payload { bytes: &bytes }.parts([84]).unwrap();
        assert_eq!(part.words().collect::<Vec<_>>(), words);
        assert_eq!(part.to_bits().unwrap().words(), words);
    }

    /// Values of every width at every place, against single bits.
    #[test]
    fn values_are_packed_lowest_bit_first() {
        for width in 1..=MAX_WIDTH {
            let mask = u64::MAX >> (64 - width);
            let values: Vec<u64> = (1..40u64).map(|index| index.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask).collect();
            let bytes = written(|writer| writer.values(width, 39, values.iter().copied()));
            assert_eq!(bytes.len() as u32, (39 * width).div_ceil(8));
            for (index, value) in values.iter().enumerate() {
                for bit in 0..width {
                    let at = index as u32 * width + bit;
                    assert_eq!(bytes[(at / 8) as usize] >> (at % 8) & 1, (value >> bit & 1) as u8, "{width}, {at}");
                }
            }
            let [part] = Payload { bytes: &bytes }.parts([39 * u64::from(width)]).unwrap();
            assert_eq!(part.values(width).collect::<Vec<_>>(), values);
        }
        assert_eq!(written(|writer| writer.values(12, 3, [0xabc, 0xdef, 0x123])), [0xbc, 0xfa, 0xde, 0x23, 0x01]);
    }

    #[test]
    fn lengths_and_padding_are_checked() {
        let payload = Payload { bytes: &[0xff, 0x7f, 1] };
        assert!(payload.parts([15, 1]).is_ok() && payload.parts([16, 8]).is_ok() && payload.parts([17]).is_ok());
        assert_eq!(
            payload.parts([14, 1]).unwrap_err(),
            DecodeError::Padding { what: "the bits beyond the end of an array" }
        );
        assert_eq!(payload.parts([25]).unwrap_err(), DecodeError::Length { implied: 4, had: 3 });
        assert_eq!(payload.parts([]).unwrap_err(), DecodeError::Length { implied: 0, had: 3 });
        let implied = 2 * (1u128 << 61);
        assert_eq!(payload.parts([u64::MAX; 2]).unwrap_err(), DecodeError::Length { implied, had: 3 });
    }
}
