//! The errors of filters, one enum per cause, each carrying the values that explain it.

use thiserror::Error;

use crate::params::Number;

/// Parameters that no filter can be made from.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InvalidParams {
    /// A value outside its range.
    #[error("{name} = {value} is out of range: {allowed}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: Number,
        /// The allowed range, in words that say what to do next.
        allowed: &'static str,
    },
    /// More memory than the machine gives.
    #[error("cannot allocate {bits} bits ({} GiB): use fewer keys, fewer bits per key or a higher rate", bits / (8 << 30))]
    TooLarge {
        /// The bits asked for.
        bits: u64,
    },
    /// A parameter this variant does not have.
    #[error("unknown parameter `{name}`; this filter takes {known}")]
    Unknown {
        /// What was given.
        name: String,
        /// The names it takes.
        known: String,
    },
    /// A parameter that must be given.
    #[error("parameter `{name}` is missing; this filter takes {known}")]
    Missing {
        /// The parameter.
        name: &'static str,
        /// The names it takes.
        known: String,
    },
    /// A target that this variant cannot reach with any parameters in range.
    #[error("{what} = {target} is out of reach: {why}")]
    Unreachable {
        /// What was asked: the rate, the bits per key.
        what: &'static str,
        /// Its value.
        target: Number,
        /// What stands in the way, and what is possible.
        why: &'static str,
    },
}

/// A refused insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the filter is full after {inserted} keys (capacity {capacity})")]
pub struct Full {
    /// Keys accepted before.
    pub inserted: u64,
    /// Keys the filter has room for at the most.
    pub capacity: u64,
}

/// A construction that did not succeed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BuildError {
    /// Parameters out of range.
    #[error(transparent)]
    Params(#[from] InvalidParams),
    /// Every one of a bounded number of tries failed.
    #[error("no construction of {keys} keys within {tries} tries")]
    Unbuildable {
        /// Distinct keys.
        keys: u64,
        /// Tries, each with a seed of its own.
        tries: u32,
    },
    /// An incremental filter that refused a key.
    #[error(transparent)]
    Full(#[from] Full),
}

/// Two filters that cannot be combined.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("the filters differ in {property}: {left} and {right}")]
pub struct Incompatible {
    /// The first property that differs.
    pub property: &'static str,
    /// Its value on the left.
    pub left: Number,
    /// Its value on the right.
    pub right: Number,
}
