//! The error of bytes that are no saved filter, or not the one expected.

use amq::InvalidParams;
use thiserror::Error;

use crate::wire::Format;

/// What is wrong with some bytes, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{format}: {damage}")]
pub struct FormatError {
    /// The format that the bytes were read as.
    pub format: Format,
    /// What is wrong.
    pub damage: Damage,
}

/// What can be wrong with the bytes of a saved filter.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Damage {
    /// The bytes end within a field.
    #[error("cut off: `{field}` takes {needed} bytes from byte {at} on, {had} are left")]
    Cut {
        /// The field.
        field: &'static str,
        /// Where it begins, in bytes.
        at: u64,
        /// Bytes it takes at the least.
        needed: u64,
        /// Bytes left.
        had: u64,
    },
    /// Bytes after the end of the filter.
    #[error("{extra} bytes follow the filter, which ends at byte {end}: give the bytes of the filter alone")]
    Trailing {
        /// Where the filter ends, in bytes.
        end: u64,
        /// Bytes after it.
        extra: u64,
    },
    /// A field out of its range, or more memory than the machine gives.
    #[error(transparent)]
    Params(#[from] InvalidParams),
    /// A choice of the format that is not known here.
    #[error("{field} {found} is not known: this reads {known}")]
    Unknown {
        /// What is chosen.
        field: &'static str,
        /// The choice found.
        found: u64,
        /// The choices that are read.
        known: &'static str,
    },
    /// A byte that the format fixes.
    #[error("byte {at} is {found:#04x}, but {field} takes {expected:#04x} there")]
    Fixed {
        /// The field.
        field: &'static str,
        /// Where, in bytes.
        at: u64,
        /// The byte found.
        found: u8,
        /// The byte that belongs there.
        expected: u8,
    },
    /// A number in more bytes than it needs, which could not be written again as it came.
    #[error("{field} = {value} takes {found} bytes here and {shortest} in its only valid form")]
    NotShortest {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// Bytes it takes.
        found: u64,
        /// Bytes it needs.
        shortest: u64,
    },
    /// A number that contradicts the bytes after it.
    #[error("{field} = {value} takes {needed} bytes at the least, {had} are there")]
    Lie {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// Bytes needed.
        needed: u64,
        /// Bytes there.
        had: u64,
    },
    /// Coded values that break off.
    #[error("the coded values break off at value {at} of {count}")]
    Values {
        /// The value that is not whole, from 0.
        at: u64,
        /// Values promised.
        count: u64,
    },
    /// A coded value beyond the range of the set.
    #[error("coded value {at} is {value}, but the set's values are below {range}")]
    ValueRange {
        /// Which value, from 0.
        at: u64,
        /// The value, or a lower bound where it was not read to its end.
        value: u64,
        /// The range.
        range: u64,
    },
    /// Bits after the last one that are not 0.
    #[error("the {bits} bits of padding at the end are {found:#04x}, not 0")]
    Padding {
        /// Bits of padding.
        bits: u32,
        /// What they are.
        found: u8,
    },
}
