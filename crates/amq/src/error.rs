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
    /// Parameters and a goal that both decide the size.
    #[error("`{goal}` sizes the filter, and so does {given}: give one of them")]
    Contradiction {
        /// The parameters given.
        given: String,
        /// The goal: `fpr`, `bits_per_key`.
        goal: &'static str,
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

/// Bytes that are no saved or wire form, or not the one expected.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DecodeError {
    /// The bytes begin with something else than a saved filter does.
    #[error("no saved filter: the first bytes are {found:02x?}, not {expected:02x?}")]
    Magic {
        /// The bytes found, as many as there are and as are compared.
        found: Vec<u8>,
        /// The bytes expected.
        expected: [u8; 8],
    },
    /// A number of the header that stands for nothing that is known here.
    #[error("unknown {what} {found}; known: {known}. A newer version may read it")]
    Unknown {
        /// What the number stands for.
        what: &'static str,
        /// The number found.
        found: u64,
        /// The numbers and names there are.
        known: String,
    },
    /// A filter of another type than the one asked for.
    #[error("the bytes hold a filter with {what} {found}, this type has {expected}")]
    Type {
        /// What differs.
        what: &'static str,
        /// What the bytes hold.
        found: String,
        /// What the type reads.
        expected: String,
    },
    /// A payload of another length than the parameters say.
    #[error("the parameters say a payload of {implied} bytes, {had} are there")]
    Length {
        /// Bytes that the parameters say.
        implied: u128,
        /// Bytes there are.
        had: u64,
    },
    /// Bits or bytes that are always 0 and are not.
    #[error("{what} are not 0, as they are in every filter that was saved here")]
    Padding {
        /// Which ones.
        what: &'static str,
    },
    /// Contents that no sequence of operations leads to.
    #[error("no filter has {what} = {value}: {why}")]
    State {
        /// What is impossible.
        what: &'static str,
        /// Its value.
        value: u64,
        /// Why it cannot be.
        why: &'static str,
    },
    /// Bytes beyond the end.
    #[error("{extra} bytes follow the end of the filter: cut them off, if they are something else")]
    Trailing {
        /// How many.
        extra: u64,
    },
    /// The bytes end within a field.
    #[error("cut off: {needed} bytes are needed, {had} are there")]
    Cut {
        /// Bytes needed at the least.
        needed: u64,
        /// Bytes there are.
        had: u64,
    },
    /// The first byte names no form that is known here.
    #[error("unknown form {found}: this reads form {known}")]
    Form {
        /// The byte found.
        found: u8,
        /// The byte expected.
        known: u8,
    },
    /// The bytes are not the ones that were written.
    #[error("damaged: checksum {computed:08x}, stored {stored:08x}")]
    Checksum {
        /// What the bytes say.
        stored: u32,
        /// What they should.
        computed: u32,
    },
    /// Parameters out of range, or memory that cannot be had.
    #[error(transparent)]
    Params(#[from] InvalidParams),
    /// The header asks for more memory than allowed.
    #[error("the filter takes {bits} bits, {most} are allowed")]
    TooLarge {
        /// Bits asked for.
        bits: u64,
        /// Bits allowed.
        most: u64,
    },
    /// A field of the header that contradicts the rest of the bytes.
    #[error("{field} = {value} does not fit the other {had} bytes")]
    Lie {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// Bytes that would have to hold it.
        had: u64,
    },
    /// Coded contents that do not lead to what the header promises.
    #[error("the contents break off at bit {at} of {len}")]
    Contents {
        /// Bits decoded.
        at: u64,
        /// Bits promised.
        len: u64,
    },
    /// An update of another filter than the one it is applied to.
    #[error(transparent)]
    Incompatible(#[from] Incompatible),
    /// An update of another version than the one it is applied to.
    #[error("the update is for the contents {expected:016x}, these are {found:016x}")]
    Version {
        /// Fingerprint of the contents that the update was made against.
        expected: u64,
        /// Fingerprint of these contents.
        found: u64,
    },
}
