//! A place in some bytes, from which fields are read.

use crate::error::Damage;

/// The largest number that takes so many bytes as a CompactSize, by the count of bytes.
const COMPACT: [(u64, u64); 4] = [(1, 0xfc), (3, 0xffff), (5, 0xffff_ffff), (9, u64::MAX)];

/// Bytes, read from the front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Bytes read.
    pub(crate) fn at(&self) -> u64 {
        self.at as u64
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, field: &'static str, count: u64) -> Result<&'a [u8], Damage> {
        let rest = self.rest();
        let Some(taken) = usize::try_from(count).ok().and_then(|count| rest.get(..count)) else {
            return Err(Damage::Cut { field, at: self.at(), needed: count, had: rest.len() as u64 });
        };
        self.at += taken.len();
        Ok(taken)
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Damage> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(field, N as u64)?);
        Ok(array)
    }

    /// The next byte.
    pub(crate) fn byte(&mut self, field: &'static str) -> Result<u8, Damage> {
        self.array::<1>(field).map(|[byte]| byte)
    }

    /// The next byte, which the format fixes.
    pub(crate) fn fixed(&mut self, field: &'static str, expected: u8) -> Result<(), Damage> {
        let at = self.at();
        let found = self.byte(field)?;
        if found == expected { Ok(()) } else { Err(Damage::Fixed { field, at, found, expected }) }
    }

    /// Bitcoin's CompactSize: a byte below 253, or 253, 254, 255 and 2, 4, 8 little-endian bytes. Only the shortest form of
    /// a number is valid.
    pub(crate) fn compact_size(&mut self, field: &'static str) -> Result<u64, Damage> {
        let (value, found) = match self.byte(field)? {
            0xfd => (u64::from(u16::from_le_bytes(self.array(field)?)), 3),
            0xfe => (u64::from(u32::from_le_bytes(self.array(field)?)), 5),
            0xff => (u64::from_le_bytes(self.array(field)?), 9),
            byte => (u64::from(byte), 1),
        };
        let shortest = compact_bytes(value);
        if found == shortest { Ok(value) } else { Err(Damage::NotShortest { field, value, found, shortest }) }
    }

    /// Nothing is left.
    pub(crate) fn end(&self) -> Result<(), Damage> {
        match self.rest().len() as u64 {
            0 => Ok(()),
            extra => Err(Damage::Trailing { end: self.at(), extra }),
        }
    }
}

/// Bytes of a CompactSize.
fn compact_bytes(value: u64) -> u64 {
    COMPACT.into_iter().find(|(_, most)| value <= *most).map_or(9, |(bytes, _)| bytes)
}

/// Appends a CompactSize.
pub(crate) fn push_compact_size(out: &mut Vec<u8>, value: u64) {
    let bytes = value.to_le_bytes();
    match compact_bytes(value) {
        1 => out.push(bytes[0]),
        3 => out.extend([&[0xfd], &bytes[..2]].concat()),
        5 => out.extend([&[0xfe], &bytes[..4]].concat()),
        _ => out.extend([&[0xff], &bytes[..]].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_sizes_have_one_form() {
        let wide = [0, 1, 0xfc, 0xfd, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000, u64::MAX];
        for (value, bytes) in wide.into_iter().zip([1, 1, 1, 3, 3, 5, 5, 9, 9]) {
            let mut out = Vec::new();
            push_compact_size(&mut out, value);
            assert_eq!((out.len(), compact_bytes(value)), (bytes, bytes as u64), "{value}");
            let mut cursor = Cursor::new(&out);
            assert_eq!(cursor.compact_size("size"), Ok(value));
            assert_eq!(cursor.end(), Ok(()));
            for cut in 0..out.len() {
                assert!(matches!(Cursor::new(&out[..cut]).compact_size("size"), Err(Damage::Cut { .. })), "{value}");
            }
        }
        for (bytes, value, found, shortest) in [
            (&[0xfd, 0xfc, 0][..], 0xfc, 3, 1),
            (&[0xfe, 0xff, 0xff, 0, 0], 0xffff, 5, 3),
            (&[0xff, 0, 0, 0, 0, 0, 0, 0, 0], 0, 9, 1),
        ] {
            let error = Damage::NotShortest { field: "size", value, found, shortest };
            assert_eq!(Cursor::new(bytes).compact_size("size"), Err(error));
        }
    }

    #[test]
    fn lengths_beyond_the_bytes_are_errors_that_say_so() {
        let mut cursor = Cursor::new(&[1, 2, 3]);
        assert_eq!(cursor.byte("first"), Ok(1));
        let error = Damage::Cut { field: "rest", at: 1, needed: u64::MAX, had: 2 };
        assert_eq!(cursor.take("rest", u64::MAX), Err(error));
        assert_eq!((cursor.at(), cursor.end()), (1, Err(Damage::Trailing { end: 1, extra: 2 })));
        let error = Damage::Fixed { field: "mark", at: 1, found: 2, expected: 9 };
        assert_eq!(cursor.fixed("mark", 9), Err(error));
    }
}
