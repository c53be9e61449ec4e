//! Golomb-Rice coding of numbers: the quotient by `2^P` in unary (so many ones and a zero), then `P` bits of remainder, the
//! highest first. Bits fill bytes from the high end.

/// Appends bits to bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits in the last byte that are not used yet.
    free: u32,
}

impl BitWriter {
    /// Bits after `bytes`.
    pub(crate) fn after(bytes: Vec<u8>) -> Self {
        Self { bytes, free: 0 }
    }

    /// Appends the low `count` bits of `value` (at most 64), the highest first.
    pub(crate) fn push(&mut self, value: u64, mut count: u32) {
        while count > 0 {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            let now = count.min(self.free);
            count -= now;
            self.free -= now;
            let part = (value >> count) as u8 & (0xff >> (8 - now));
            // The last byte is there: one was pushed when none was free.
            if let Some(last) = self.bytes.last_mut() {
                *last |= part << self.free;
            }
        }
    }

    /// Appends the Golomb-Rice code of `value` with `remainder` (at most 63) bits of remainder.
    pub(crate) fn push_rice(&mut self, value: u64, remainder: u32) {
        let mut quotient = value >> remainder;
        while quotient > 0 {
            let now = quotient.min(64);
            self.push(u64::MAX, now as u32);
            quotient -= now;
        }
        self.push(0, 1);
        self.push(value, remainder);
    }

    /// The bytes, the last one filled up with zeros.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads bits from bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl<'a> BitReader<'a> {
    /// The bits of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bits not read yet.
    pub(crate) fn left(&self) -> u64 {
        8 * self.bytes.len() as u64 - self.at
    }

    /// The next 64 bits; zeros after the end.
    fn window(&self) -> u64 {
        let (rest, shift) = (&self.bytes[(self.at / 8) as usize..], self.at % 8);
        let mut nine = [0; 9];
        match rest.first_chunk::<9>() {
            Some(whole) => nine = *whole,
            None => nine[..rest.len()].copy_from_slice(rest),
        }
        let [first @ .., last] = nine;
        u64::from_be_bytes(first) << shift | u64::from(last) >> (8 - shift)
    }

    /// The next `count` bits (at most 64) as a number, the highest first; none where fewer are left.
    pub(crate) fn take(&mut self, count: u32) -> Option<u64> {
        if u64::from(count) > self.left() {
            return None;
        }
        let bits = self.window().checked_shr(64 - count).unwrap_or(0);
        self.at += u64::from(count);
        Some(bits)
    }

    /// The next Golomb-Rice code with `remainder` (at most 63) bits of remainder; none where the bits end within it or the
    /// value takes more than 64 bits.
    pub(crate) fn take_rice(&mut self, remainder: u32) -> Option<u64> {
        // Most codes lie within one window.
        let window = self.window();
        let ones = window.leading_ones();
        let length = ones + 1 + remainder;
        if length <= 64 && u64::from(length) <= self.left() {
            self.at += u64::from(length);
            let low = (window << ones << 1).checked_shr(64 - remainder).unwrap_or(0);
            return Some(u64::from(ones).checked_mul(1 << remainder)? | low);
        }
        let mut quotient = 0u64;
        loop {
            let ones = self.window().leading_ones();
            // Bits after the end are zeros, so ones are never past it.
            self.at += u64::from(ones);
            quotient += u64::from(ones);
            if ones < 64 {
                break;
            }
        }
        // The zero that ends the ones.
        self.take(1)?;
        let low = self.take(remainder)?;
        let high = quotient.checked_mul(1 << remainder)?;
        Some(high | low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of codes with two bits of remainder in BIP 158.
    #[test]
    fn the_table_of_bip_158() {
        let codes = ["000", "001", "010", "011", "1000", "1001", "1010", "1011", "11000", "11001"];
        for (value, code) in codes.into_iter().enumerate() {
            let mut writer = BitWriter::default();
            writer.push_rice(value as u64, 2);
            let bytes = writer.into_bytes();
            let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
            assert_eq!((&bits[..code.len()], bits.len()), (code, 8), "{value}");
            let mut reader = BitReader::new(&bytes);
            assert_eq!((reader.take_rice(2), reader.left()), (Some(value as u64), 8 - code.len() as u64));
        }
    }

    #[test]
    fn numbers_of_every_size_are_read_back() {
        let values: Vec<u64> = (0..300).map(|at| at * at * 37).chain([1 << 19, (1 << 19) - 1, 100 << 19]).collect();
        for remainder in [0, 1, 7, 8, 9, 19, 63] {
            let values = values.iter().map(|value| if remainder == 0 { value % 200 } else { *value });
            let mut writer = BitWriter::after(vec![]);
            values.clone().for_each(|value| writer.push_rice(value, remainder));
            let bytes = writer.into_bytes();
            let mut reader = BitReader::new(&bytes);
            for value in values {
                assert_eq!(reader.take_rice(remainder), Some(value), "{remainder}");
            }
            assert!(reader.left() < 8);
        }
    }

    #[test]
    fn bits_that_end_are_no_number() {
        assert_eq!(BitReader::new(&[0xff, 0xff]).take_rice(3), None);
        assert_eq!(BitReader::new(&[0xff, 0xf8]).take_rice(3), None);
        assert_eq!(BitReader::new(&[0xff, 0xf0]).take_rice(3), Some(12 * 8));
        assert_eq!(BitReader::new(&[]).take_rice(0), None);
        assert_eq!(BitReader::new(&[]).take(0), Some(0));
        assert_eq!(BitReader::new(&[1; 8]).take(64), Some(0x0101_0101_0101_0101));
        // Two ones, then a remainder: 2 * 2^63 takes 65 bits.
        assert_eq!(BitReader::new(&[0xc0, 0, 0, 0, 0, 0, 0, 0, 0]).take_rice(63), None);
        assert_eq!(BitReader::new(&[0x80, 0, 0, 0, 0, 0, 0, 0, 0x80]).take_rice(63), Some(1 << 63 | 1));
    }
}
