//! The Bloom filter of Google's Guava for Java, as `BloomFilter.writeTo` saves it.
//!
//! ```text
//!  strategy u8 │ hash functions u8 │ longs i32 BE │ longs times 64 bits BE
//! ```
//!
//! Bit `b` is bit `b % 64`, from the low end, of long `b / 64`. The two 64-bit words `h1`, `h2` of `MurmurHash3_x64_128(item,
//! seed 0)` give `k` probes in `m = 64 longs` bits:
//!
//! | strategy | byte | probe |
//! |---|---|---|
//! | `MURMUR128_MITZ_32` | 0 | `i = 1..k`: `c = low(h1) + i high(h1)` in 32 bits with sign, `not c` where negative, mod `m` |
//! | `MURMUR128_MITZ_64` | 1 | `i = 0..k-1`: `h1 + i h2` in 64 bits without its top bit, mod `m` |
//!
//! An item here is the bytes that a funnel hands on: `byteArrayFunnel` the bytes, `integerFunnel` and `longFunnel` 4 and 8
//! little-endian bytes, `stringFunnel(charset)` the text in that charset, `unencodedCharsFunnel` UTF-16 little-endian
//! ([`utf16`]). The bytes do not say which one was used.
//!
//! # Parameters
//! | name | unit | range |
//! |---|---|---|
//! | longs | 64 bits | 1 to 2^31 - 1 |
//! | hash functions | - | 1 to 255 |
//!
//! # Source
//! Guava, `com.google.common.hash.BloomFilter` and `BloomFilterStrategies`, version 33; the double hashing is of Kirsch and
//! Mitzenmacher 2008.

use std::f64::consts::LN_2;

use amq::InvalidParams;
use hashing::family::murmur3;

use crate::cursor::Cursor;
use crate::error::Damage;
use crate::wire::{Format, Wire, check_plan, check_range, fill, room};

/// The most longs: what a signed count of 32 bits can say.
pub const MOST_LONGS: u64 = i32::MAX as u64;

/// How an item's hash becomes probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// `MURMUR128_MITZ_32`: from 64 bits of hash, in steps of 32 bits. What Guava wrote before version 12.
    Mitz32,
    /// `MURMUR128_MITZ_64`: from 128 bits of hash, in steps of 64 bits. What Guava writes.
    Mitz64,
}

impl Strategy {
    /// Guava's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Mitz32 => "MURMUR128_MITZ_32",
            Strategy::Mitz64 => "MURMUR128_MITZ_64",
        }
    }
}

/// A Guava filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuavaBloom {
    strategy: Strategy,
    functions: u8,
    words: Vec<u64>,
}

impl GuavaBloom {
    /// An empty filter of `bits` bits, rounded up to longs of 64, and `functions` hash functions (1 to 255).
    ///
    /// # Errors
    /// [`InvalidParams`] for a number out of range and memory that cannot be had.
    pub fn new(strategy: Strategy, bits: u64, functions: u64) -> Result<Self, InvalidParams> {
        check_range("bits", bits, 1..=64 * MOST_LONGS, "1 to 137,438,953,408 bits")?;
        check_functions(functions)?;
        let longs = bits.div_ceil(64);
        let mut words = room(longs)?;
        words.resize(longs as usize, 0);
        Ok(Self { strategy, functions: functions as u8, words })
    }

    /// An empty filter for `items` items at a false-positive rate of `rate`, sized as Guava sizes it: `-n ln p / (ln 2)^2` bits
    /// rounded down, then up to longs, and `-lg p` functions, rounded.
    ///
    /// # Errors
    /// [`InvalidParams`] for a rate outside `(0, 1)` or one that needs more functions or bits than there can be.
    pub fn for_items(items: u64, rate: f64) -> Result<Self, InvalidParams> {
        check_plan(rate)?;
        let bits = -(items.max(1) as f64) * rate.ln() / (LN_2 * LN_2);
        let functions = (-rate.ln() / LN_2).round().max(1.0);
        Self::new(Strategy::Mitz64, (bits as u64).max(1), functions as u64)
    }

    /// Adds `item`.
    pub fn insert(&mut self, item: &[u8]) {
        let mut probes = Probes::new(self.strategy, item, self.bits());
        for _ in 0..self.functions {
            let bit = probes.next();
            self.words[(bit / 64) as usize] |= 1 << (bit % 64);
        }
    }

    /// Whether `item` may have been inserted.
    #[must_use]
    pub fn contains(&self, item: &[u8]) -> bool {
        let mut probes = Probes::new(self.strategy, item, self.bits());
        (0..self.functions).all(|_| {
            let bit = probes.next();
            self.words[(bit / 64) as usize] & 1 << (bit % 64) != 0
        })
    }

    /// The strategy.
    #[must_use]
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Hash functions, 1 to 255.
    #[must_use]
    pub fn functions(&self) -> u8 {
        self.functions
    }

    /// Bits, a multiple of 64.
    #[must_use]
    pub fn bits(&self) -> u64 {
        64 * self.words.len() as u64
    }

    /// The longs.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

/// UTF-16 little-endian, which `unencodedCharsFunnel` hands on for a text.
#[must_use]
pub fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The probes of an item.
struct Probes {
    strategy: Strategy,
    now: u64,
    step: u64,
    bits: u64,
}

impl Probes {
    fn new(strategy: Strategy, item: &[u8], bits: u64) -> Self {
        let [h1, h2] = murmur3::x64_128(item, 0);
        let (now, step) = match strategy {
            Strategy::Mitz32 => (h1.wrapping_add(h1 >> 32), h1 >> 32),
            Strategy::Mitz64 => (h1, h2),
        };
        Self { strategy, now, step, bits }
    }

    fn next(&mut self) -> u64 {
        let word = match self.strategy {
            // The low 32 bits of sums are sums in 32 bits.
            Strategy::Mitz32 => {
                let sum = self.now as u32 as i32;
                u64::from((if sum < 0 { !sum } else { sum }) as u32)
            }
            Strategy::Mitz64 => self.now & i64::MAX as u64,
        };
        self.now = self.now.wrapping_add(self.step);
        word % self.bits
    }
}

fn check_functions(functions: u64) -> Result<(), InvalidParams> {
    check_range("hash functions", functions, 1..=255, "1 to 255")
}

impl Wire for GuavaBloom {
    const FORMAT: Format = Format::Guava;

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(8 * self.words.len() + 6);
        out.extend([self.strategy as u8, self.functions]);
        // At most `MOST_LONGS`.
        out.extend((self.words.len() as u32).to_be_bytes());
        out.extend(self.words.iter().flat_map(|word| word.to_be_bytes()));
        out
    }

    fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let mut cursor = Cursor::new(bytes);
        let strategy = match cursor.byte("strategy")? {
            0 => Strategy::Mitz32,
            1 => Strategy::Mitz64,
            found => {
                let known = "0 (MURMUR128_MITZ_32) and 1 (MURMUR128_MITZ_64)";
                return Err(Damage::Unknown { field: "strategy", found: found.into(), known });
            }
        };
        let functions = cursor.byte("hash functions")?;
        check_functions(functions.into())?;
        let longs = u64::from(u32::from_be_bytes(cursor.array("longs")?));
        check_range("longs", longs, 1..=MOST_LONGS, "1 to 2^31 - 1 longs")?;
        let data = cursor.take("data", 8 * longs)?;
        cursor.end()?;
        let mut words = room(longs)?;
        words.extend(data.as_chunks::<8>().0.iter().map(|word| u64::from_be_bytes(*word)));
        Ok(Self { strategy, functions, words })
    }

    fn summary(&self) -> String {
        let ones = self.words.iter().map(|word| u64::from(word.count_ones())).sum();
        format!(
            "Guava BloomFilter, strategy {}: {} bits in {} longs, {} hash functions, {}. Which funnel made bytes of its \
             items is not in the bytes.",
            self.strategy.name(),
            self.bits(),
            self.words.len(),
            self.functions,
            fill(ones, self.bits()),
        )
    }
}
