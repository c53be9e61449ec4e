//! The header: all that is known of a file before its type is.

use amq::{DecodeError, KeyCount};
use hashing::{Family, IntegerOnly, KeyHasher, KeyKind};

use crate::codes::{FAMILIES, REDUCTIONS, SCHEMES, code_of, known, of_code};
use crate::save::SaveError;

/// The first bytes. The first one is no ASCII, and line ends of both kinds follow, so that a transfer as text is found.
pub const MAGIC: [u8; 8] = *b"\x89AMQ\r\n\x1a\n";
/// The version written and read.
pub const VERSION: u16 = 1;
/// Bytes before the parameters.
pub const HEAD_BYTES: usize = 64;
/// Bytes of the checksum at the end.
pub const CHECKSUM_BYTES: usize = 4;
/// The most parameters, and the most words of state.
pub(crate) const MOST_WORDS: usize = 32;
/// "No plan" in the field of planned keys.
const NO_PLAN: u64 = u64::MAX;

/// How keys become digests, if that is part of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHash {
    /// The family that hashes `u64` keys.
    pub integers: Family,
    /// The family that hashes all other keys.
    pub bytes: Family,
    /// The seed of both.
    pub seed: u64,
}

impl From<&KeyHasher> for KeyHash {
    fn from(hasher: &KeyHasher) -> Self {
        let (integers, bytes) = hasher.families();
        Self { integers, bytes, seed: hasher.seed() }
    }
}

impl KeyHash {
    /// The functions.
    ///
    /// # Errors
    /// [`IntegerOnly`] where the family of bytes takes none.
    pub fn hasher(&self) -> Result<KeyHasher, IntegerOnly> {
        KeyHasher::with_families(self.integers, self.bytes, self.seed)
    }
}

/// The header of a saved filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The variant's number.
    pub variant: u16,
    /// Scheme and reduction, where the variant has them as a factor.
    pub derivation: Option<[&'static str; 2]>,
    /// How keys become digests; none where the file is of digests alone.
    pub key_hash: Option<KeyHash>,
    /// The filter's own seed.
    pub seed: u64,
    /// Keys inserted, and the plan.
    pub count: KeyCount,
    /// The parameters: first those that the type fixes, then the others.
    pub params: Vec<u64>,
    /// What else decides future answers.
    pub state: Vec<u64>,
    /// Bytes of the payload.
    pub payload_bytes: u64,
}

impl Head {
    /// Bytes of the header with parameters and state.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        HEAD_BYTES + 8 * (self.params.len() + self.state.len())
    }

    /// The bytes of the header; its payload follows.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, SaveError> {
        let family = |family| code_of(FAMILIES, &family).ok_or(SaveError::Unstable { family });
        let (integers, bytes, key_seed) = match self.key_hash {
            Some(KeyHash { bytes, .. }) if bytes.takes() == KeyKind::Integer => {
                return Err(IntegerOnly { family: bytes }.into());
            }
            Some(KeyHash { integers, bytes, seed }) => (family(integers)?, family(bytes)?, seed),
            None => (0, 0, 0),
        };
        let (scheme, reduction) = match self.derivation {
            Some([scheme, reduction]) => (
                code_of(SCHEMES, &scheme).ok_or(SaveError::Derivation { name: scheme })?,
                code_of(REDUCTIONS, &reduction).ok_or(SaveError::Derivation { name: reduction })?,
            ),
            None => (0, 0),
        };
        let counts = [self.params.len() as u16, self.state.len() as u16];
        let mut out = Vec::with_capacity(self.byte_len());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend(self.variant.to_le_bytes());
        out.extend([scheme, reduction, integers, bytes]);
        let planned = self.count.planned().unwrap_or(NO_PLAN);
        for word in [key_seed, self.seed, self.count.inserted(), planned, self.payload_bytes] {
            out.extend(word.to_le_bytes());
        }
        out.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        out.extend([0; 4]);
        out.extend(self.params.iter().chain(&self.state).flat_map(|word| word.to_le_bytes()));
        Ok(out)
    }

    /// The header of `bytes`, and the payload, whose length and checksum are right.
    ///
    /// # Errors
    /// [`DecodeError`] for bytes that are no saved filter of a version known here, are cut, changed or too long, or have a
    /// number in the header that stands for nothing.
    pub fn read(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let had = bytes.len() as u64;
        let cut = |needed: u64| DecodeError::Cut { needed, had };
        let first = &bytes[..bytes.len().min(MAGIC.len())];
        if *first != MAGIC[..first.len()] {
            return Err(DecodeError::Magic { found: first.to_vec(), expected: MAGIC });
        }
        let fixed: &[u8; HEAD_BYTES] = bytes.first_chunk().ok_or(cut((HEAD_BYTES + CHECKSUM_BYTES) as u64))?;
        let version = u16_at(fixed, 8);
        if version != VERSION {
            let known = VERSION.to_string();
            return Err(DecodeError::Unknown { what: "format version", found: version.into(), known });
        }
        let (params, state) = (usize::from(u16_at(fixed, 56)), usize::from(u16_at(fixed, 58)));
        for (field, count) in [("parameters", params), ("words of state", state)] {
            if count > MOST_WORDS {
                return Err(DecodeError::Lie { field, value: count as u64, had });
            }
        }
        let payload_bytes = u64_at(fixed, 48);
        let start = HEAD_BYTES + 8 * (params + state);
        let all = (start + CHECKSUM_BYTES) as u128 + u128::from(payload_bytes);
        if u128::from(had) < all {
            return Err(match u64::try_from(all) {
                Ok(needed) => cut(needed),
                Err(_) => DecodeError::Lie { field: "payload bytes", value: payload_bytes, had },
            });
        }
        if u128::from(had) > all {
            return Err(DecodeError::Trailing { extra: had - all as u64 });
        }
        let (body, stored) = bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or(cut(all as u64))?;
        let (stored, computed) = (u32::from_le_bytes(*stored), crc32fast::hash(body));
        if stored != computed {
            return Err(DecodeError::Checksum { stored, computed });
        }
        if fixed[60..64] != [0; 4] {
            return Err(DecodeError::Padding { what: "bytes 60 to 63" });
        }
        let words = body[HEAD_BYTES..start].as_chunks::<8>().0;
        let words = |range: std::ops::Range<usize>| words[range].iter().map(|word| u64::from_le_bytes(*word)).collect();
        let planned = u64_at(fixed, 40);
        let head = Self {
            variant: u16_at(fixed, 10),
            derivation: derivation(fixed[12], fixed[13])?,
            key_hash: key_hash(fixed[14], fixed[15], u64_at(fixed, 16))?,
            seed: u64_at(fixed, 24),
            count: KeyCount::new(u64_at(fixed, 32), (planned != NO_PLAN).then_some(planned)),
            params: words(0..params),
            state: words(params..params + state),
            payload_bytes,
        };
        Ok((head, &body[start..]))
    }
}

fn derivation(scheme: u8, reduction: u8) -> Result<Option<[&'static str; 2]>, DecodeError> {
    if scheme == 0 && reduction == 0 {
        return Ok(None);
    }
    let unknown = |what, found: u8, known| DecodeError::Unknown { what, found: found.into(), known };
    let scheme_name = of_code(SCHEMES, scheme).ok_or_else(|| unknown("scheme", scheme, known(SCHEMES)))?;
    let reduction_name =
        of_code(REDUCTIONS, reduction).ok_or_else(|| unknown("reduction", reduction, known(REDUCTIONS)))?;
    Ok(Some([scheme_name, reduction_name]))
}

fn key_hash(integers: u8, bytes: u8, seed: u64) -> Result<Option<KeyHash>, DecodeError> {
    if integers == 0 && bytes == 0 {
        if seed != 0 {
            return Err(DecodeError::Padding { what: "the bytes of the key seed, without a hash family," });
        }
        return Ok(None);
    }
    let family = |code: u8| {
        let found = code.into();
        of_code(FAMILIES, code).ok_or_else(|| DecodeError::Unknown {
            what: "hash family",
            found,
            known: known(FAMILIES),
        })
    };
    let key_hash = KeyHash { integers: family(integers)?, bytes: family(bytes)?, seed };
    if key_hash.bytes.takes() == KeyKind::Integer {
        let of_bytes: Vec<_> =
            FAMILIES.iter().copied().filter(|(_, family)| family.takes() == KeyKind::Bytes).collect();
        let (what, found) = ("hash family of bytes", bytes.into());
        return Err(DecodeError::Unknown { what, found, known: known(&of_bytes) });
    }
    Ok(Some(key_hash))
}

fn u16_at(head: &[u8; HEAD_BYTES], at: usize) -> u16 {
    u16::from_le_bytes([head[at], head[at + 1]])
}

fn u64_at(head: &[u8; HEAD_BYTES], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| head[at + byte]))
}
