//! What comes of a law that does not hold: the values that break it.

use amq::{BuildError, Claim, DecodeError, Digest, Full, InvalidParams, Removal};
use saved::SaveError;
use stats::StatsError;
use thiserror::Error;

use crate::operation::Operation;

/// Which level of chance a rate was tested at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Across filters: tests the theory.
    Theory,
    /// Given the filters' contents: tests the code.
    Contents,
}

/// A broken law.
#[derive(Clone, Debug, PartialEq, Error)]
#[allow(missing_docs, reason = "the fields are what the message says they are")]
pub enum Violation {
    #[error("a filter could not be made: {0}")]
    Refused(BuildError),
    #[error("member {key:?} is denied in a filter of {keys} keys with seed {seed}")]
    FalseNegative { key: Digest, keys: u64, seed: u64 },
    #[error("a filter without keys says yes to {key:?}")]
    EmptySaysYes { key: Digest },
    #[error("`inserted` says {counted} after {expected} accepted inserts")]
    InsertedCount { expected: u64, counted: u64 },
    #[error("the refused insert of {refused:?} changed the answer for {key:?} from {before}")]
    FailedInsertChangedAnswer { refused: Digest, key: Digest, before: bool },
    #[error("`insert_batch` gives {batch:?} where inserts one by one give {single:?}")]
    InsertBatchResult { single: Result<(), Full>, batch: Result<(), Full> },
    #[error("after `insert_batch` the answer for {key:?} is {batch}, after inserts one by one {single}")]
    InsertBatchDiffers { key: Digest, single: bool, batch: bool },
    #[error("`remove_batch` took out {batch} keys, removals one by one {single}")]
    RemoveBatchCount { single: u64, batch: u64 },
    #[error("after `remove_batch` the answer for {key:?} is {batch}, after removals one by one {single}")]
    RemoveBatchDiffers { key: Digest, single: bool, batch: bool },
    #[error("`contains_batch` says {batch} for key {index} of {len}, `contains` says {single}")]
    ContainsBatchDiffers { index: usize, len: usize, single: bool, batch: bool },
    #[error("`count_contained` says {counted}, `contains` says yes {expected} times")]
    CountContainedDiffers { counted: u64, expected: u64 },
    #[error("`contains_batch` takes {keys} keys with {answers} answers; it must panic")]
    BatchLengthUnchecked { keys: usize, answers: usize },
    #[error("two filters of equal parameters, seed and keys say {first} and {second} for {key:?}")]
    NotReproducible { key: Digest, first: bool, second: bool },
    #[error(
        "{hits} of {crafted} false positives of one seed are some of another, whose rate is {rate} (p = {p_value:e})"
    )]
    SeedIgnored { crafted: u64, hits: u64, rate: f64, p_value: f64 },
    #[error("for {key:?} a cleared filter says {cleared}, a new one {fresh}")]
    ClearDiffers { key: Digest, fresh: bool, cleared: bool },
    #[error("the parameters do not survive JSON: {json}")]
    ParamsLost { json: String },
    #[error("{reported} bits are reported, {needed} needed by {by}")]
    SpaceUnderstated { reported: u64, needed: f64, by: &'static str },
    #[error("{allocated} bits allocated for {keys} keys at no more than {bits_per_key} bits per key")]
    BudgetExceeded { keys: u64, bits_per_key: f64, allocated: u64 },
    #[error("sized for {keys} keys at rate {target}, the predicted rate is {predicted}")]
    TargetMissed { keys: u64, target: f64, predicted: f64 },
    #[error("for {key:?} the union says {union}, the filter of both sets {both}")]
    UnionDiffers { key: Digest, union: bool, both: bool },
    #[error("a union was accepted of filters that differ in {difference}")]
    UnionAccepted { difference: &'static str },
    #[error("the refusal of a union names `{property}` with {left} and {right}, which do not differ")]
    IncompatibleUnnamed { property: &'static str, left: String, right: String },
    #[error("a refused union changed an operand's answer for {key:?} from {before}")]
    UnionChangedOperand { key: Digest, before: bool },
    #[error("a filter is not saved: {0}")]
    Unsaved(SaveError),
    #[error("a saved filter is not loaded: {0}")]
    SavedUnread(DecodeError),
    #[error("a filter and what is loaded from its saved form differ in {what}")]
    SavedDiffers { what: &'static str },
    #[error("a file with {damage} at byte {byte} is loaded")]
    FileAccepted { damage: &'static str, byte: usize },
    #[error("the wire form of a filter is not read: {0}")]
    WireUnread(DecodeError),
    #[error("a filter and what is decoded from its wire form differ in {what}")]
    WireDiffers { what: &'static str },
    #[error("`coded_bits` says {bits} for a wire form of {bytes} bytes")]
    WireSize { bits: u64, bytes: u64 },
    #[error("a wire form with {damage} at byte {byte} is read")]
    DamageAccepted { damage: &'static str, byte: usize },
    #[error("removing {key:?}, which the filter denies, gives {removal:?}")]
    AbsentRemoved { key: Digest, removal: Removal },
    #[error("removing {removed:?}, which was not in, changed the answer for {key:?} from {before}")]
    RemoveChangedAnswer { removed: Digest, key: Digest, before: bool },
    #[error("removing the member {key:?} gives Absent")]
    MemberAbsent { key: Digest },
    #[error("removing {key:?}, the only key, gives {removal:?}")]
    LoneKeyKept { key: Digest, removal: Removal },
    #[error("{key:?} is still found after its removal, and no other key accounts for it")]
    RemovedButFound { key: Digest },
    #[error(
        "after {gap} other keys {denied} of {asked} members are denied, {predicted} claimed ({claim:?}), p = {p_value:e}"
    )]
    Forgetting { gap: u64, claim: Claim, predicted: f64, asked: u64, denied: u64, p_value: f64 },
    #[error("{what} = {value} at {keys} keys is out of its range")]
    OutOfRange { what: &'static str, value: f64, keys: u64 },
    #[error("the predicted rate falls from {rate} at {keys} keys to {more_rate} at {more_keys}")]
    NotMonotone { keys: u64, rate: f64, more_keys: u64, more_rate: f64 },
    #[error("{what} = {value} for {keys} keys was accepted; it must be a typed error")]
    BadTargetAccepted { what: &'static str, value: f64, keys: u64 },
    #[error("sizing for {keys} keys at {what} = {value} was refused: {error}")]
    SizingRefused { what: &'static str, value: f64, keys: u64, error: InvalidParams },
    #[error("`{name}` names two values of the theory")]
    DuplicateName { name: &'static str },
    #[error(
        "{level:?}: {hits} hits in {probes} probes of {filters} filters, {predicted} claimed ({claim:?}), p = {p_value:e}"
    )]
    Rate { level: Level, claim: Claim, predicted: f64, filters: u64, probes: u64, hits: u64, p_value: f64 },
    #[error("after {operations:?}: {cause}")]
    Operations { operations: Vec<Operation>, cause: Box<Violation> },
    #[error("a panic in {during}: {message}")]
    Panicked { during: &'static str, message: String },
    #[error("this case cannot show it: {why}; needed {needed}, had {had}")]
    Untested { why: &'static str, needed: u64, had: u64 },
    #[error(transparent)]
    Statistics(#[from] StatsError),
}

impl Violation {
    /// Whether a law was broken; false where the case was only unfit to show it.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        !matches!(self, Violation::Untested { .. })
    }
}
