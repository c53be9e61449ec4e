//! What the formats share: a form in bytes, a name, and the question which of them some bytes are.

use std::fmt;
use std::ops::RangeInclusive;

use amq::InvalidParams;

use crate::error::{Damage, FormatError};
use crate::{Bip37Bloom, GolombSet, GuavaBloom, ParquetBloom};

/// A format of another system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Bitcoin BIP 37, `filterload` payload.
    Bip37,
    /// Bitcoin BIP 158, Golomb-coded set.
    Bip158,
    /// Apache Parquet, split-block Bloom filter with its header.
    Parquet,
    /// Guava `BloomFilter`.
    Guava,
}

impl Format {
    /// All formats, in the order they are tried.
    pub const ALL: [Format; 4] = [Format::Parquet, Format::Guava, Format::Bip37, Format::Bip158];

    /// The name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Bip37 => "BIP 37 filter",
            Format::Bip158 => "BIP 158 filter",
            Format::Parquet => "Parquet Bloom filter",
            Format::Guava => "Guava Bloom filter",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

/// A filter with a form in bytes that another system reads and writes.
pub trait Wire: Sized {
    /// The format.
    const FORMAT: Format;

    /// The bytes; for a filter that was read, the ones it was read from.
    fn encode(&self) -> Vec<u8>;

    /// Reads all of `bytes`; [`decode`](Self::decode) is the same with the format's name in the error.
    ///
    /// # Errors
    /// [`Damage`] for bytes that are not exactly one filter of this format.
    fn read(bytes: &[u8]) -> Result<Self, Damage>;

    /// One paragraph: what the filter is, its numbers with units, what the bytes leave open.
    fn summary(&self) -> String;

    /// The filter that `bytes` are. It takes at most a small constant and the size of the bytes as memory.
    ///
    /// # Errors
    /// [`FormatError`] for bytes that are not exactly one filter of this format.
    fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        Self::read(bytes).map_err(|damage| FormatError { format: Self::FORMAT, damage })
    }
}

/// How much it says that some bytes can be read as a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A fixed header and exact lengths: less than one in 2^30 of random strings of bytes would pass.
    Header,
    /// Lengths and ranges that fit each other; short or unlucky bytes of other origin pass too.
    Lengths,
}

/// A format that some bytes can be read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The format.
    pub format: Format,
    /// How much that says.
    pub evidence: Evidence,
    /// One paragraph; it says so where the bytes could be something else.
    pub summary: String,
}

/// The formats that all of `bytes` can be read as, the ones with more [`Evidence`] first; none for other bytes.
///
/// None of these formats has a magic number, so the answer is a list. Where it holds more than one format, or evidence of
/// lengths alone, the summaries say so: then only the source of the bytes can tell.
#[must_use]
pub fn recognise(bytes: &[u8]) -> Vec<Recognised> {
    let mut found: Vec<Recognised> = Format::ALL.into_iter().filter_map(|format| try_format(format, bytes)).collect();
    let formats: Vec<Format> = found.iter().map(|one| one.format).collect();
    for one in &mut found {
        let others: Vec<&str> =
            formats.iter().filter(|other| **other != one.format).map(|other| other.name()).collect();
        if !others.is_empty() {
            one.summary +=
                &format!(" Ambiguous: the same bytes are a {}; only their source tells.", others.join(", a "));
        } else if one.evidence == Evidence::Lengths {
            one.summary += " The format has no mark of its own: these bytes fit it, and may still be something else.";
        }
    }
    found
}

fn try_format(format: Format, bytes: &[u8]) -> Option<Recognised> {
    fn summary<W: Wire>(bytes: &[u8]) -> Option<String> {
        W::read(bytes).ok().map(|filter| filter.summary())
    }
    let (evidence, summary) = match format {
        // 17 and more fixed bytes.
        Format::Parquet => (Evidence::Header, summary::<ParquetBloom>(bytes)?),
        // One strategy in 128, and a length of 32 bits.
        Format::Guava => (Evidence::Header, summary::<GuavaBloom>(bytes)?),
        // A length of 8 or 24 bits, 51 of 2^32 counts of functions; flags are free.
        Format::Bip37 => (Evidence::Header, summary::<Bip37Bloom>(bytes)?),
        Format::Bip158 => (Evidence::Lengths, summary::<GolombSet>(bytes)?),
    };
    Some(Recognised { format, evidence, summary })
}

/// `value` within `range`, which `allowed` says in words.
pub(crate) fn check_range(
    name: &'static str,
    value: u64,
    range: RangeInclusive<u64>,
    allowed: &'static str,
) -> Result<(), InvalidParams> {
    if range.contains(&value) { Ok(()) } else { Err(InvalidParams::OutOfRange { name, value: value.into(), allowed }) }
}

/// A rate that a filter can be sized for.
pub(crate) fn check_plan(rate: f64) -> Result<(), InvalidParams> {
    if rate > 0.0 && rate < 1.0 {
        return Ok(());
    }
    Err(InvalidParams::OutOfRange { name: "rate", value: rate.into(), allowed: "above 0 and below 1" })
}

/// An empty vector with room for `count` values, which is tried and not assumed.
pub(crate) fn room<T>(count: u64) -> Result<Vec<T>, InvalidParams> {
    let vector = usize::try_from(count).ok().and_then(bits::memory::reserve);
    vector.ok_or(InvalidParams::TooLarge { bits: count.saturating_mul(8 * size_of::<T>() as u64) })
}

/// A copy of bytes of the input.
pub(crate) fn copied(bytes: &[u8]) -> Result<Vec<u8>, InvalidParams> {
    let mut copy = room(bytes.len() as u64)?;
    copy.extend(bytes);
    Ok(copy)
}

/// How many of so many bits are set, in words.
pub(crate) fn fill(ones: u64, bits: u64) -> String {
    format!("{ones} of {bits} bits set ({:.1} %)", 100.0 * ones as f64 / bits.max(1) as f64)
}
