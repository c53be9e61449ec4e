//! The operations of the property test.

/// One operation on a filter; keys are named by small numbers, so that they repeat and a failing sequence reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Insert a key.
    Insert(u8),
    /// Insert keys in one call.
    InsertBatch(Vec<u8>),
    /// Ask for keys in one call.
    ContainsBatch(Vec<u8>),
    /// Forget all keys.
    Clear,
    /// Take in a filter of these keys.
    Union(Vec<u8>),
    /// Take a key out.
    Remove(u8),
    /// Save the filter and go on with what is loaded.
    Reload,
}
