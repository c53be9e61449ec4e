//! What can be a key, and which bytes it is.

use amq::Digest;

use crate::KeyHasher;

/// A value with one canonical encoding in bytes: the same on every platform, and for good.
///
/// Integers are their little-endian bytes at full width, text and slices of bytes are their own bytes,
/// with no length or terminator. Encodings of one type are distinct for distinct values; values of
/// different types may share one (`"a"` and `[b'a']`, 97u8), and equal numbers of different widths do not
/// (5u32 and 5u64 are different keys). `usize` and `isize` are left out because their width differs
/// between platforms: convert them first.
pub trait Key {
    /// Calls `f` with the encoding.
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R;

    /// The digest; `u64` goes to the integer function of `hasher`, all else to the byte function.
    #[inline]
    fn digest(&self, hasher: &KeyHasher) -> Digest {
        self.with_bytes(|bytes| hasher.bytes(bytes))
    }
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Key for $integer {
            #[inline]
            fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
                f(&self.to_le_bytes())
            }
        }
    )*};
}
integers!(u8, u16, u32, u128, i8, i16, i32, i64, i128);

impl Key for u64 {
    #[inline]
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        f(&self.to_le_bytes())
    }

    #[inline]
    fn digest(&self, hasher: &KeyHasher) -> Digest {
        hasher.u64(*self)
    }
}

macro_rules! strings {
    ($($string:ty),*) => {$(
        impl Key for $string {
            #[inline]
            fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
                f(self.as_ref())
            }
        }
    )*};
}
strings!(str, String, [u8], Vec<u8>);

impl<const N: usize> Key for [u8; N] {
    #[inline]
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        f(self)
    }
}

impl<K: Key + ?Sized> Key for &K {
    #[inline]
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        (**self).with_bytes(f)
    }

    #[inline]
    fn digest(&self, hasher: &KeyHasher) -> Digest {
        (**self).digest(hasher)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding<K: Key + ?Sized>(key: &K) -> Vec<u8> {
        key.with_bytes(<[u8]>::to_vec)
    }

    #[test]
    fn encodings_are_little_endian_and_bare() {
        assert_eq!(encoding(&0x12u8), [0x12]);
        assert_eq!(encoding(&0x1234u16), [0x34, 0x12]);
        assert_eq!(encoding(&0x1234_5678u32), [0x78, 0x56, 0x34, 0x12]);
        assert_eq!(encoding(&1u64), [1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(encoding(&(1u128 << 120)), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(encoding(&-1i8), [0xff]);
        assert_eq!(encoding(&-2i16), [0xfe, 0xff]);
        assert_eq!(encoding(&-2i32), [0xfe, 0xff, 0xff, 0xff]);
        assert_eq!(encoding(&i64::MIN), [0, 0, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!(encoding(&-1i128), [0xff; 16]);
        assert_eq!(encoding("abc"), b"abc");
        assert_eq!(encoding(&"abc"), b"abc");
        assert_eq!(encoding(&String::from("\u{e9}")), [0xc3, 0xa9]);
        assert_eq!(encoding(&[1u8, 2][..]), [1, 2]);
        assert_eq!(encoding(&vec![1u8, 2]), [1, 2]);
        assert_eq!(encoding(&[1u8, 2]), [1, 2]);
        assert_eq!(encoding(""), [0u8; 0]);
    }

    #[test]
    fn u64_takes_the_integer_function() {
        let hasher = KeyHasher::new(3);
        assert_eq!(7u64.digest(&hasher), hasher.u64(7));
        assert_eq!(<&u64 as Key>::digest(&&7, &hasher), hasher.u64(7));
        assert_eq!(7i64.digest(&hasher), hasher.bytes(&7i64.to_le_bytes()));
        assert_ne!(7u64.digest(&hasher), 7i64.digest(&hasher));
        assert_eq!("abc".digest(&hasher), hasher.bytes(b"abc"));
    }
}
