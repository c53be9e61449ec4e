//! The Bloom filter that Bitcoin's BIP 37 sends: the payload of a `filterload` message.
//!
//! ```text
//!  CompactSize length │ length bytes of bits │ nHashFuncs u32 LE │ nTweak u32 LE │ nFlags u8
//! ```
//!
//! Probe `i` of an item is `MurmurHash3_x86_32(item, seed = i * 0xFBA4C795 + nTweak mod 2^32) mod (8 length)`; bit `b` is bit
//! `b % 8`, from the low end, of byte `b / 8`.
//!
//! # Parameters
//! | name | unit | range to make one | range that is read |
//! |---|---|---|---|
//! | length | bytes | 1 to 36,000 | 0 to 36,000 |
//! | `nHashFuncs` | - | 1 to 50 | 0 to 50 |
//! | `nTweak` | - | all of `u32` | all of `u32` |
//! | `nFlags` | - | all of `u8` | all of `u8` |
//!
//! A filter of no bytes or no functions says yes to everything, as Bitcoin Core's does.
//!
//! # Source
//! BIP 37 (M. Hearn, M. Corallo, 2012). What an empty filter answers is from Bitcoin Core, `src/common/bloom.cpp`.

use std::f64::consts::LN_2;

use amq::InvalidParams;
use hashing::family::murmur3;

use crate::cursor::{Cursor, push_compact_size};
use crate::error::Damage;
use crate::wire::{Format, Wire, check_plan, check_range, copied, fill};

/// The most bytes of bits.
pub const MOST_BYTES: u64 = 36_000;

/// The most hash functions.
pub const MOST_FUNCTIONS: u32 = 50;

/// How far the seeds of two neighbouring hash functions are apart.
const SEED_STEP: u32 = 0xfba4_c795;

/// A BIP 37 filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bip37Bloom {
    bits: Vec<u8>,
    functions: u32,
    tweak: u32,
    flags: u8,
}

impl Bip37Bloom {
    /// An empty filter of `bytes` bytes (1 to 36,000) and `functions` hash functions (1 to 50). `flags` is `nFlags`: 0 none,
    /// 1 all, 2 pay-to-pubkey only.
    ///
    /// # Errors
    /// [`InvalidParams`] for a number out of range.
    pub fn new(bytes: u64, functions: u32, tweak: u32, flags: u8) -> Result<Self, InvalidParams> {
        check_range("bytes", bytes, 1..=MOST_BYTES, "1 to 36,000 bytes")?;
        check_range("nHashFuncs", functions.into(), 1..=MOST_FUNCTIONS.into(), "1 to 50 hash functions")?;
        Ok(Self { bits: vec![0; bytes as usize], functions, tweak, flags })
    }

    /// An empty filter for `items` items at a false-positive rate of `rate`, by the formulas of BIP 37, rounded down to whole
    /// bytes and functions, and at least one of each.
    ///
    /// # Errors
    /// [`InvalidParams`] for a rate outside `(0, 1)`, and for one that takes more than 36,000 bytes or 50 functions: the
    /// formulas of Bitcoin Core cut there without a word, and the rate is another one then.
    pub fn for_items(items: u64, rate: f64, tweak: u32, flags: u8) -> Result<Self, InvalidParams> {
        check_plan(rate)?;
        let items = items.max(1) as f64;
        let bytes = (-items * rate.ln() / (LN_2 * LN_2) / 8.0).floor().max(1.0);
        let functions = (8.0 * bytes / items * LN_2).floor().max(1.0);
        let beyond = |why| InvalidParams::Unreachable { what: "rate", target: rate.into(), why };
        if bytes > MOST_BYTES as f64 {
            return Err(beyond("more than 36,000 bytes; use fewer items, a higher rate or several filters"));
        }
        if functions > f64::from(MOST_FUNCTIONS) {
            return Err(beyond("more than 50 hash functions; 2^-50 is about the lowest rate"));
        }
        Self::new(bytes as u64, functions as u32, tweak, flags)
    }

    /// Adds `item`.
    pub fn insert(&mut self, item: &[u8]) {
        for function in 0..self.functions {
            if let Some((byte, mask)) = self.place(function, item) {
                self.bits[byte] |= mask;
            }
        }
    }

    /// Whether `item` may have been inserted.
    #[must_use]
    pub fn contains(&self, item: &[u8]) -> bool {
        let mut places = (0..self.functions).filter_map(|function| self.place(function, item));
        places.all(|(byte, mask)| self.bits[byte] & mask != 0)
    }

    /// Byte and mask of a probe; none where there are no bits.
    fn place(&self, function: u32, item: &[u8]) -> Option<(usize, u8)> {
        let seed = function.wrapping_mul(SEED_STEP).wrapping_add(self.tweak);
        // At most 288,000 bits.
        let bit = murmur3::x86_32(item, seed).checked_rem(8 * self.bits.len() as u32)?;
        Some((bit as usize / 8, 1 << (bit % 8)))
    }

    /// The bits, eight to a byte.
    #[must_use]
    pub fn bits(&self) -> &[u8] {
        &self.bits
    }

    /// `nHashFuncs`.
    #[must_use]
    pub fn functions(&self) -> u32 {
        self.functions
    }

    /// `nTweak`.
    #[must_use]
    pub fn tweak(&self) -> u32 {
        self.tweak
    }

    /// `nFlags`, as it was given.
    #[must_use]
    pub fn flags(&self) -> u8 {
        self.flags
    }
}

impl Wire for Bip37Bloom {
    const FORMAT: Format = Format::Bip37;

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bits.len() + 12);
        push_compact_size(&mut out, self.bits.len() as u64);
        out.extend(&self.bits);
        out.extend(self.functions.to_le_bytes());
        out.extend(self.tweak.to_le_bytes());
        out.push(self.flags);
        out
    }

    fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let mut cursor = Cursor::new(bytes);
        let length = cursor.compact_size("length")?;
        check_range("length", length, 0..=MOST_BYTES, "0 to 36,000 bytes")?;
        let bits = cursor.take("filter", length)?;
        let functions = u32::from_le_bytes(cursor.array("nHashFuncs")?);
        let tweak = u32::from_le_bytes(cursor.array("nTweak")?);
        let flags = cursor.byte("nFlags")?;
        cursor.end()?;
        check_range("nHashFuncs", functions.into(), 0..=MOST_FUNCTIONS.into(), "0 to 50 hash functions")?;
        Ok(Self { bits: copied(bits)?, functions, tweak, flags })
    }

    fn summary(&self) -> String {
        let ones = self.bits.iter().map(|byte| u64::from(byte.count_ones())).sum();
        let update = match self.flags & 3 {
            0 => "none",
            1 => "all",
            2 => "pay-to-pubkey only",
            _ => "undefined",
        };
        let always = if self.bits.is_empty() || self.functions == 0 { " It says yes to everything." } else { "" };
        format!(
            "Bitcoin BIP 37 filter (filterload payload): {} bytes, {} hash functions, tweak {}, flags {} (update: {update}), \
             {}.{always}",
            self.bits.len(),
            self.functions,
            self.tweak,
            self.flags,
            fill(ones, 8 * self.bits.len() as u64),
        )
    }
}
