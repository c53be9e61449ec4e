//! The wire form of a filter and of an update.
//!
//! ```text
//!  byte 0    1    2..10      then, in groups of 7 bits        then        last 4
//!  form = 1  k    seed, LE   m   inserted   ones               coder       xxh3 of all before, low half, LE
//!  form = 2  k    seed, LE   m   inserted   changed   base 8   coder       the same
//! ```
//!
//! An update is the exclusive or of two versions of a filter, coded by its own fill; `base` is a fingerprint of the
//! version it is against. `m`, counts: LEB128 of at most ten bytes. The coder's words are 32 bits, little-endian.

use amq::{DecodeError, Encode, Filter, Incompatible, IncrementalFilter, Space};
use bits::BitVec;
use bloom_theory::ranges::{check_bits, check_probes};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::filter::{CompressedBloom, Params};
use crate::gaps::{self, Coded};

const FILTER: u8 = 1;
const DELTA: u8 = 2;
const CHECKSUM: usize = 4;

/// Bytes of the wire form of a filter that are not the coder's: header and checksum.
#[must_use]
pub fn frame_bytes(m: u64, inserted: u64, ones: u64) -> u64 {
    let leb128 = |value: u64| u64::from(value.max(1).ilog2() / 7 + 1);
    2 + 8 + leb128(m) + leb128(inserted) + leb128(ones) + CHECKSUM as u64
}

/// The space of the wire form.
pub(crate) fn space(filter: &CompressedBloom) -> Space {
    let coded = gaps::encode(filter.params().m, filter.bits().words().iter().copied());
    Space {
        payload_bits: 32 * coded.words.len() as u64,
        overhead_bits: 8 * frame_bytes(filter.params().m, filter.inserted(), coded.ones),
    }
}

impl Encode for CompressedBloom {
    fn encode(&self) -> Vec<u8> {
        let coded = gaps::encode(self.params().m, self.bits().words().iter().copied());
        write(FILTER, self, None, &coded)
    }

    fn coded_bits(&self) -> u64 {
        self.space().total_bits()
    }

    /// Memory: at most `most_bits` rounded up to a word, and the coder's words once more. Time: in proportion to the
    /// input and to `m / 64`.
    fn decode(bytes: &[u8], most_bits: u64) -> Result<Self, DecodeError> {
        let (header, words) = read(FILTER, bytes)?;
        if header.params.m > most_bits {
            return Err(DecodeError::TooLarge { bits: header.params.m, most: most_bits });
        }
        gaps::check_backed(header.params.m, header.ones, words.len() as u64)?;
        let mut filter = Self::empty(&header.params, header.seed)?;
        decode_into(filter.array.bits_mut(), header.ones, words)?;
        header.check_inserted(header.ones, bytes)?;
        filter.array.set_inserts(header.inserted);
        Ok(filter)
    }
}

impl CompressedBloom {
    /// The update that makes `older` equal to `self`: the bits in which they differ.
    ///
    /// Made for versions of one growing filter, or for filters of two sets that are nearly the same. Its size is about
    /// `m H(q)`, `q` the fraction of bits that differ: see [`entropy::delta_grown`](crate::entropy::delta_grown).
    ///
    /// # Errors
    /// [`Incompatible`] when `k`, seed or `m` differ.
    pub fn delta_from(&self, older: &Self) -> Result<Vec<u8>, Incompatible> {
        self.check_same(older)?;
        let (new, old) = (self.bits().words(), older.bits().words());
        let coded = gaps::encode(self.params().m, new.iter().zip(old).map(|(new, old)| new ^ old));
        Ok(write(DELTA, self, Some(fingerprint(older.bits())), &coded))
    }

    /// Applies an update by [`delta_from`](Self::delta_from). Takes the memory of the array once more.
    ///
    /// # Errors
    /// [`DecodeError`], of which [`Version`](DecodeError::Version) means an update against other contents; the filter is
    /// as before.
    pub fn apply(&mut self, delta: &[u8]) -> Result<(), DecodeError> {
        let (header, words) = read(DELTA, delta)?;
        self.check_parts(header.params.k, header.seed, header.params.m)?;
        let found = fingerprint(self.bits());
        if let Some(expected) = header.base.filter(|base| *base != found) {
            return Err(DecodeError::Version { expected, found });
        }
        let mut changed = BitVec::zeros(self.params().m)?;
        decode_into(&mut changed, header.ones, words)?;
        let updated =
            self.bits().words().iter().zip(changed.words()).map(|(old, flip)| u64::from((old ^ flip).count_ones()));
        header.check_inserted(updated.sum(), delta)?;
        self.array.bits_mut().xor(&changed)?;
        self.array.set_inserts(header.inserted);
        Ok(())
    }
}

pub(crate) fn decode_into(bits: &mut BitVec, ones: u64, words: Vec<u32>) -> Result<(), DecodeError> {
    let len = bits.len();
    let inverse = gaps::decode(len, ones, words, |at| {
        bits.set(at);
    })?;
    if inverse {
        bits.invert();
    }
    Ok(())
}

struct Header {
    params: Params,
    seed: u64,
    inserted: u64,
    /// Set bits, or changed ones.
    ones: u64,
    base: Option<u64>,
}

impl Header {
    /// An insert sets a bit at least if there is none yet, and `k` at most.
    fn check_inserted(&self, ones: u64, bytes: &[u8]) -> Result<(), DecodeError> {
        let Self { inserted, params, .. } = *self;
        if ones > inserted.saturating_mul(params.k.into()) || (ones == 0 && inserted > 0) {
            return Err(DecodeError::Lie { field: "inserted", value: inserted, had: bytes.len() as u64 });
        }
        Ok(())
    }
}

fn write(form: u8, filter: &CompressedBloom, base: Option<u64>, coded: &Coded) -> Vec<u8> {
    let mut bytes = vec![form, filter.params().k as u8];
    bytes.extend(filter.seed().to_le_bytes());
    for value in [filter.params().m, filter.inserted(), coded.ones] {
        put_leb128(&mut bytes, value);
    }
    bytes.extend(base.iter().flat_map(|base| base.to_le_bytes()));
    bytes.extend(coded.words.iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// Header and the coder's words; all fields in range, the checksum right.
fn read(form: u8, bytes: &[u8]) -> Result<(Header, Vec<u32>), DecodeError> {
    let found = Reader { bytes, at: 0 }.array::<1>()?[0];
    if found != form {
        return Err(DecodeError::Form { found, known: form });
    }
    let Some((body, stored)) = bytes.split_last_chunk::<CHECKSUM>() else {
        return Err(DecodeError::Cut { needed: CHECKSUM as u64, had: bytes.len() as u64 });
    };
    let (stored, computed) = (u32::from_le_bytes(*stored), checksum(body));
    if stored != computed {
        return Err(DecodeError::Checksum { stored, computed });
    }
    let mut reader = Reader { bytes: body, at: 1 };
    let k = check_probes(reader.array::<1>()?[0].into())?;
    let seed = u64::from_le_bytes(reader.array()?);
    let m = check_bits("m", reader.leb128("m")?)?;
    let (inserted, ones) = (reader.leb128("inserted")?, reader.leb128("ones")?);
    let base = if form == DELTA { Some(u64::from_le_bytes(reader.array()?)) } else { None };
    let rest = reader.rest();
    let lie = |field, value| DecodeError::Lie { field, value, had: rest.len() as u64 };
    let (chunks, odd) = rest.as_chunks::<4>();
    if !odd.is_empty() {
        return Err(lie("the coder's bytes modulo 4", odd.len() as u64));
    }
    if ones > m {
        return Err(lie("ones", ones));
    }
    let words = chunks.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Ok((Header { params: Params { m, k }, seed, inserted, ones, base }, words))
}

fn checksum(bytes: &[u8]) -> u32 {
    xxh3_64(bytes) as u32
}

/// Of the array, as little-endian words.
fn fingerprint(bits: &BitVec) -> u64 {
    let mut hash = Xxh3::new();
    for words in bits.words().chunks(512) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        hash.update(&bytes);
    }
    hash.digest()
}

fn put_leb128(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let rest = self.rest();
        let array = rest
            .first_chunk()
            .ok_or(DecodeError::Cut { needed: (self.at + N) as u64, had: self.bytes.len() as u64 })?;
        self.at += N;
        Ok(*array)
    }

    /// A count in its shortest form.
    fn leb128(&mut self, field: &'static str) -> Result<u64, DecodeError> {
        let start = self.at;
        let mut value = 0u64;
        loop {
            let ([byte], shift) = (self.array()?, 7 * (self.at - start) as u32 - 7);
            let bits = u64::from(byte & 0x7f);
            if shift > 63 || bits << shift >> shift != bits || (byte == 0 && shift > 0) {
                return Err(DecodeError::Lie { field, value: bits, had: self.bytes.len() as u64 });
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}
