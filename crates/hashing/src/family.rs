//! The hash families by name: what each is, which keys it takes, what it is known to do badly.
//!
//! | name | takes | independence or claim | source | known weaknesses |
//! |---|---|---|---|---|
//! | `xxh3` | bytes | heuristic | Collet, XXH3 64-bit | up to 16 bytes, another seed is an xor on the key |
//! | `murmur3-x64-128` | bytes | heuristic | Appleby 2011, first word | seed-free collisions are known; 32-bit seed |
//! | `murmur3-x86-32` | bytes | heuristic | Appleby 2011 | only 2^32 digests: floor `n * 2^-32` |
//! | `xxh64` | bytes | heuristic | Collet, XXH64 | not meant to resist an adversary |
//! | `fnv1a` | bytes | heuristic | Fowler, Noll, Vo, 64 bits | last bytes hardly reach the high bits; slow |
//! | `siphash-1-3` | bytes | pseudo-random, reduced rounds | Aumasson and Bernstein 2012 | slower than the above |
//! | `siphash-2-4` | bytes | pseudo-random | Aumasson and Bernstein 2012 | slower still |
//! | `sha256` | bytes | cryptographic | FIPS 180-4 | twenty times slower than XXH3 and more |
//! | `ahash` | bytes | heuristic | crate `ahash` | digests depend on the build's target features |
//! | `mixer` | `u64` | heuristic, bijective | [`Mixer`] | invertible by anybody who knows the seed |
//! | `tabulation` | `u64` | 3-independent | Zobrist 1970; Patrascu and Thorup 2012 | 16 KiB of tables |
//! | `multiply-shift` | `u64` | 2-independent | Dietzfelbinger 1996 | linear: arithmetic progressions stay such |
//! | `affine-prime` | `u64` | 2-independent below p | Carter and Wegman 1979 | linear; keys equal mod p = 2^61 - 1 collide |
//! | `identity` | `u64` | none (a control) | | the digest is the key, the seed is ignored |
//! | `add-seed` | `u64` | none over seeds (a control) | | other seeds give shifted copies |
//!
//! How the 64-bit seed enters is said at each type in the submodules; it is always before or inside the
//! mixing, except in the two controls, whose purpose is to show what goes wrong otherwise.

pub(crate) mod bytes;
pub(crate) mod control;
pub(crate) mod integer;
mod mixer;
pub mod murmur3;
#[cfg(test)]
mod vectors;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::names::nearest;
pub use mixer::Mixer;

/// A family of hash functions, one function for each 64-bit seed.
///
/// Written and read (`Display`, `FromStr`, serde) by its [`name`](Family::name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Family {
    /// XXH3, 64 bits (`bytes::Xxh3`).
    Xxh3,
    /// MurmurHash3 x64 128, its first word.
    Murmur3X64_128,
    /// MurmurHash3 x86 32, spread over 64 bits.
    Murmur3X86_32,
    /// XXH64.
    Xxh64,
    /// FNV-1a, 64 bits.
    Fnv1a,
    /// SipHash-1-3.
    SipHash13,
    /// SipHash-2-4.
    SipHash24,
    /// SHA-256, its first 8 bytes.
    Sha256,
    /// The hash of crate `ahash`; not stable across builds.
    AHash,
    /// The fixed mixer of this crate: [`Mixer`].
    Mixer,
    /// Simple tabulation over 8 bytes.
    Tabulation,
    /// `(a x + b mod 2^128) >> 64`.
    MultiplyShift,
    /// `(a x + b) mod (2^61 - 1)`.
    AffinePrime,
    /// The key itself: a control.
    Identity,
    /// [`Mixer`] with seed 0, plus the seed: a control.
    AddSeed,
}

/// What a family hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Strings of bytes; a `u64` is hashed as its 8 little-endian bytes.
    Bytes,
    /// `u64` only.
    Integer,
}

impl Family {
    /// All families, in the order they are shown.
    pub const ALL: &[Family] = &[
        Family::Xxh3,
        Family::Murmur3X64_128,
        Family::Murmur3X86_32,
        Family::Xxh64,
        Family::Fnv1a,
        Family::SipHash13,
        Family::SipHash24,
        Family::Sha256,
        Family::AHash,
        Family::Mixer,
        Family::Tabulation,
        Family::MultiplyShift,
        Family::AffinePrime,
        Family::Identity,
        Family::AddSeed,
    ];

    /// The name in definitions and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Family::Xxh3 => "xxh3",
            Family::Murmur3X64_128 => "murmur3-x64-128",
            Family::Murmur3X86_32 => "murmur3-x86-32",
            Family::Xxh64 => "xxh64",
            Family::Fnv1a => "fnv1a",
            Family::SipHash13 => "siphash-1-3",
            Family::SipHash24 => "siphash-2-4",
            Family::Sha256 => "sha256",
            Family::AHash => "ahash",
            Family::Mixer => "mixer",
            Family::Tabulation => "tabulation",
            Family::MultiplyShift => "multiply-shift",
            Family::AffinePrime => "affine-prime",
            Family::Identity => "identity",
            Family::AddSeed => "add-seed",
        }
    }

    /// Whether equal keys and seeds give equal digests on every platform, build and release. Only
    /// `ahash` does not: it uses AES instructions where the build allows them, and other digests then.
    #[must_use]
    pub const fn stable(self) -> bool {
        !matches!(self, Family::AHash)
    }

    /// Which keys it takes.
    #[must_use]
    pub const fn takes(self) -> KeyKind {
        match self {
            Family::Xxh3
            | Family::Murmur3X64_128
            | Family::Murmur3X86_32
            | Family::Xxh64
            | Family::Fnv1a
            | Family::SipHash13
            | Family::SipHash24
            | Family::Sha256
            | Family::AHash => KeyKind::Bytes,
            Family::Mixer
            | Family::Tabulation
            | Family::MultiplyShift
            | Family::AffinePrime
            | Family::Identity
            | Family::AddSeed => KeyKind::Integer,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl From<Family> for String {
    fn from(family: Family) -> Self {
        family.name().to_owned()
    }
}

/// A name that no family has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown hash family `{given}`, nearest is `{nearest}`; known: {}", known_names().join(", "))]
pub struct UnknownFamily {
    /// What was given.
    pub given: String,
    /// The nearest name there is.
    pub nearest: &'static str,
}

/// Bytes for a family that hashes `u64` only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("hash family `{family}` takes u64 keys only; use one that takes bytes, such as `xxh3`")]
pub struct IntegerOnly {
    /// The family.
    pub family: Family,
}

fn known_names() -> Vec<&'static str> {
    Family::ALL.iter().map(|family| family.name()).collect()
}

impl FromStr for Family {
    type Err = UnknownFamily;

    fn from_str(given: &str) -> Result<Self, UnknownFamily> {
        let found = Family::ALL.iter().copied().find(|family| family.name() == given);
        found.ok_or_else(|| UnknownFamily { given: given.to_owned(), nearest: nearest(given, &known_names()) })
    }
}

impl TryFrom<String> for Family {
    type Error = UnknownFamily;

    fn try_from(given: String) -> Result<Self, UnknownFamily> {
        given.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        let mut names = known_names();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Family::ALL.len());
        for family in Family::ALL {
            assert_eq!(family.name().parse(), Ok(*family));
            assert_eq!(Family::try_from(String::from(*family)), Ok(*family));
        }
    }

    #[test]
    fn unknown_names_say_what_there_is() {
        let error = "siphash24".parse::<Family>().unwrap_err();
        assert_eq!(error, UnknownFamily { given: "siphash24".to_owned(), nearest: "siphash-2-4" });
        let text = error.to_string();
        assert!(text.starts_with("unknown hash family `siphash24`, nearest is `siphash-2-4`; known: xxh3, "), "{text}");
        assert!(text.ends_with("identity, add-seed"), "{text}");
        assert!("XXH3".parse::<Family>().is_err());
    }
}
