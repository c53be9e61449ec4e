//! A family with its seed.

use amq::Digest;
use bits::dispatch::{Loop, widest};

use crate::family::bytes::{self, ByteHash, each_byte_family};
use crate::family::control::{AddSeed, Identity};
use crate::family::integer::{self, IntegerHash, each_integer_family};
use crate::family::{Family, IntegerOnly, Mixer};

/// One function of a [`Family`], chosen by a seed; tables are made once, here.
///
/// The family is looked up once for each call, so loops should use the batch forms, which look it up
/// once and are compiled for each family.
///
/// ```
/// use hashing::{Family, Hasher};
/// let hasher = Hasher::new(Family::Xxh3, 42);
/// assert_eq!(hasher.bytes(&7u64.to_le_bytes()), Ok(hasher.u64(7)));
/// assert!(Hasher::new(Family::Tabulation, 42).bytes(b"text").is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Hasher {
    family: Family,
    seed: u64,
    seeded: Seeded,
}

#[derive(Clone, Debug)]
enum Seeded {
    Bytes(bytes::Seeded),
    Integer(integer::Seeded),
}

impl Seeded {
    fn new(family: Family, seed: u64) -> Self {
        use bytes::Seeded as B;
        use integer::Seeded as I;
        match family {
            Family::Xxh3 => Self::Bytes(B::Xxh3(bytes::Xxh3::new(seed))),
            Family::Murmur3X64_128 => Self::Bytes(B::Murmur3X64(bytes::Murmur3X64::new(seed))),
            Family::Murmur3X86_32 => Self::Bytes(B::Murmur3X86(bytes::Murmur3X86::new(seed))),
            Family::Xxh64 => Self::Bytes(B::Xxh64(bytes::Xxh64::new(seed))),
            Family::Fnv1a => Self::Bytes(B::Fnv1a(bytes::Fnv1a::new(seed))),
            Family::SipHash13 => Self::Bytes(B::SipHash13(bytes::SipHash13::new(seed))),
            Family::SipHash24 => Self::Bytes(B::SipHash24(bytes::SipHash24::new(seed))),
            Family::Sha256 => Self::Bytes(B::Sha256(bytes::Sha256::new(seed))),
            Family::AHash => Self::Bytes(B::AHash(bytes::AHash::new(seed))),
            Family::Mixer => Self::Integer(I::Mixer(Mixer::new(seed))),
            Family::Tabulation => Self::Integer(I::Tabulation(integer::Tabulation::new(seed))),
            Family::MultiplyShift => Self::Integer(I::MultiplyShift(integer::MultiplyShift::new(seed))),
            Family::AffinePrime => Self::Integer(I::AffinePrime(integer::AffinePrime::new(seed))),
            Family::Identity => Self::Integer(I::Identity(Identity)),
            Family::AddSeed => Self::Integer(I::AddSeed(AddSeed::new(seed))),
        }
    }
}

impl Hasher {
    /// The function of `family` and `seed`; every seed is allowed.
    #[must_use]
    pub fn new(family: Family, seed: u64) -> Self {
        Self { family, seed, seeded: Seeded::new(family, seed) }
    }

    /// The family.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The digest of an integer; a family of bytes hashes its 8 little-endian bytes.
    #[inline]
    #[must_use]
    pub fn u64(&self, key: u64) -> Digest {
        Digest(match &self.seeded {
            Seeded::Bytes(seeded) => each_byte_family!(seeded, hash => hash.u64(key)),
            Seeded::Integer(seeded) => each_integer_family!(seeded, hash => hash.u64(key)),
        })
    }

    /// The digest of a string of bytes.
    ///
    /// # Errors
    /// [`IntegerOnly`] for a family that takes `u64` only.
    #[inline]
    pub fn bytes(&self, key: &[u8]) -> Result<Digest, IntegerOnly> {
        Ok(Digest(self.byte_family()?.bytes(key)))
    }

    /// Appends the digests of `keys` to `out`.
    pub fn u64_batch(&self, keys: impl IntoIterator<Item = u64>, out: &mut Vec<Digest>) {
        match &self.seeded {
            Seeded::Bytes(seeded) => {
                each_byte_family!(seeded, hash => out.extend(keys.into_iter().map(|key| Digest(hash.u64(key)))));
            }
            Seeded::Integer(integer::Seeded::Mixer(mixer)) => widest(Mixed { mixer, keys: keys.into_iter(), out }),
            Seeded::Integer(seeded) => {
                each_integer_family!(seeded, hash => out.extend(keys.into_iter().map(|key| Digest(hash.u64(key)))));
            }
        }
    }

    /// Appends the digests of `keys` to `out`.
    ///
    /// # Errors
    /// [`IntegerOnly`] for a family that takes `u64` only; `out` stays as it was.
    pub fn bytes_batch<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        out: &mut Vec<Digest>,
    ) -> Result<(), IntegerOnly> {
        let seeded = self.byte_family()?;
        each_byte_family!(seeded, hash => out.extend(keys.into_iter().map(|key| Digest(hash.bytes(key.as_ref())))));
        Ok(())
    }

    #[inline]
    fn byte_family(&self) -> Result<&bytes::Seeded, IntegerOnly> {
        match &self.seeded {
            Seeded::Bytes(seeded) => Ok(seeded),
            Seeded::Integer(_) => Err(IntegerOnly { family: self.family }),
        }
    }
}

/// The digests of integers by [`Mixer`]: products of 64 bits, which the widest vectors have and others do worse than none
/// (`u64/mixer` of the benches of this crate). Other families look up or multiply to 128 bits, and gain nothing.
struct Mixed<'a, I> {
    mixer: &'a Mixer,
    keys: I,
    out: &'a mut Vec<Digest>,
}

impl<I: Iterator<Item = u64>> Loop for Mixed<'_, I> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.out.extend(self.keys.map(|key| Digest(self.mixer.hash(key))));
    }
}

/// Two functions that together hash every [`Key`](crate::Key): one for `u64`, one for bytes.
#[derive(Clone, Debug)]
pub struct KeyHasher {
    integers: Hasher,
    bytes: bytes::Seeded,
    bytes_family: Family,
}

impl KeyHasher {
    /// The defaults: [`Family::Mixer`] for `u64`, [`Family::Xxh3`] for all else.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let bytes = bytes::Seeded::Xxh3(bytes::Xxh3::new(seed));
        Self { integers: Hasher::new(Family::Mixer, seed), bytes, bytes_family: Family::Xxh3 }
    }

    /// `integers` for `u64` keys, `bytes` for all else.
    ///
    /// # Errors
    /// [`IntegerOnly`] if `bytes` takes no bytes.
    pub fn with_families(integers: Family, bytes: Family, seed: u64) -> Result<Self, IntegerOnly> {
        match Seeded::new(bytes, seed) {
            Seeded::Bytes(seeded) => {
                Ok(Self { integers: Hasher::new(integers, seed), bytes: seeded, bytes_family: bytes })
            }
            Seeded::Integer(_) => Err(IntegerOnly { family: bytes }),
        }
    }

    /// The families, for `u64` and for bytes.
    #[must_use]
    pub fn families(&self) -> (Family, Family) {
        (self.integers.family, self.bytes_family)
    }

    /// The seed of both functions.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.integers.seed
    }

    /// The digest of an integer.
    #[inline]
    #[must_use]
    pub fn u64(&self, key: u64) -> Digest {
        self.integers.u64(key)
    }

    /// The digest of a string of bytes.
    #[inline]
    #[must_use]
    pub fn bytes(&self, key: &[u8]) -> Digest {
        Digest(self.bytes.bytes(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyKind;

    #[test]
    fn every_family_is_of_its_kind() {
        for family in Family::ALL {
            let bytes = matches!(Seeded::new(*family, 0), Seeded::Bytes(_));
            assert_eq!(bytes, family.takes() == KeyKind::Bytes, "{family}");
        }
    }

    #[test]
    fn integers_only_is_refused_with_the_family() {
        let error = IntegerOnly { family: Family::Mixer };
        let mut out = vec![Digest(1)];
        let hasher = Hasher::new(Family::Mixer, 1);
        assert_eq!(hasher.bytes(b"text"), Err(error));
        assert_eq!(hasher.bytes_batch(["text"], &mut out), Err(error));
        assert_eq!(out, [Digest(1)]);
        assert_eq!(KeyHasher::with_families(Family::Xxh3, Family::Mixer, 1).map(|_| ()), Err(error));
        let text = "hash family `mixer` takes u64 keys only; use one that takes bytes, such as `xxh3`";
        assert_eq!(error.to_string(), text);
    }
}
