//! The operations of a filter, one trait for each thing a variant may be able to do.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{BuildError, DecodeError, Full, Incompatible, InvalidParams};

/// The 64-bit hash of a key, assumed uniform.
///
/// Two distinct keys that share a digest are one key to every filter. With `n` keys this puts a floor
/// of about `n * 2^-64` under every false-positive rate: 5e-11 at `n = 10^9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub struct Digest(pub u64);

/// The memory a filter occupies, as allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Space {
    /// Bits of the filter's own geometry (`m` for a Bloom filter).
    pub payload_bits: u64,
    /// Bits allocated beyond the payload: rounding up to words, maps, victims, tables.
    pub overhead_bits: u64,
}

impl Space {
    /// All allocated bits: payload and overhead.
    #[must_use]
    pub fn total_bits(self) -> u64 {
        self.payload_bits.saturating_add(self.overhead_bits)
    }
}

/// A set that answers membership approximately.
pub trait Filter: Sized + Send + Sync {
    /// The geometry: `m`, `k`, widths. Equal parameters and equal seed give an equal filter.
    type Params: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync;

    /// The parameters this filter was made with.
    fn params(&self) -> &Self::Params;

    /// Whether `key` may have been inserted.
    fn contains(&self, key: Digest) -> bool;

    /// [`contains`](Self::contains) for many keys: `out[i]` answers for `keys[i]`.
    ///
    /// # Panics
    /// When the two slices differ in length.
    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        assert_eq!(keys.len(), out.len(), "one answer for each key");
        for (key, answer) in keys.iter().zip(out) {
            *answer = self.contains(*key);
        }
    }

    /// How many of `keys` are answered with yes. The harness counts with this, so that the loop is
    /// compiled for the type.
    fn count_contained(&self, keys: &[Digest]) -> u64 {
        keys.iter().map(|key| u64::from(self.contains(*key))).sum()
    }

    /// The memory in use, as allocated.
    fn space(&self) -> Space;

    /// Bits held in RAM while keys are asked; other than [`space`](Self::space) only where that is a form for the wire.
    fn memory_bits(&self) -> u64 {
        self.space().total_bits()
    }
}

/// A filter built once from all its keys.
pub trait StaticFilter: Filter {
    /// Builds the filter of `keys` (duplicates are allowed and count once).
    ///
    /// # Errors
    /// [`BuildError`] for parameters out of range or a construction that did not succeed within its
    /// bounded number of tries.
    fn build(params: &Self::Params, seed: u64, keys: &[Digest]) -> Result<Self, BuildError>;
}

/// A filter that takes keys one by one.
pub trait IncrementalFilter: Filter {
    /// A filter with no keys.
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters out of range or memory that cannot be had.
    fn empty(params: &Self::Params, seed: u64) -> Result<Self, InvalidParams>;

    /// Adds `key`.
    ///
    /// # Errors
    /// [`Full`] when there is no room; the answers for all keys accepted before stay as they were.
    fn insert(&mut self, key: Digest) -> Result<(), Full>;

    /// Adds `keys` in order, up to the first refusal.
    ///
    /// # Errors
    /// As [`insert`](Self::insert); the keys before the refused one are in the filter.
    fn insert_batch(&mut self, keys: &[Digest]) -> Result<(), Full> {
        keys.iter().try_for_each(|key| self.insert(*key))
    }

    /// Calls of [`insert`](Self::insert) that were accepted since the filter was empty; a key inserted
    /// twice counts twice.
    fn inserted(&self) -> u64;

    /// Forgets all keys; equal to a new filter of the same parameters and seed.
    fn clear(&mut self);
}

/// What became of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// What the key alone had set was taken out; a key of equal traces may still be found.
    Removed,
    /// The key is in, but the filter cannot take it out without harming others.
    Refused,
    /// The key was not in; nothing changed.
    Absent,
}

/// A filter that can take keys out again.
pub trait DeletableFilter: IncrementalFilter {
    /// Takes `key` out. Removing a key that was never inserted but is answered with yes (a false
    /// positive) may harm other keys.
    fn remove(&mut self, key: Digest) -> Removal;

    /// [`remove`](Self::remove) for each of `keys` in order. Gives back how many were [removed](Removal::Removed).
    fn remove_batch(&mut self, keys: &[Digest]) -> u64 {
        keys.iter().map(|key| u64::from(self.remove(*key) == Removal::Removed)).sum()
    }
}

/// A filter that can take in all keys of another one of the same parameters and seed.
pub trait Union: Filter {
    /// Makes `self` answer yes wherever `self` or `other` did.
    ///
    /// # Errors
    /// [`Incompatible`] names the first property that differs with both values; both stay unchanged.
    fn union(&mut self, other: &Self) -> Result<(), Incompatible>;
}

/// A filter with a form for the wire: the shortest bytes from which an equal filter is made elsewhere, where that is what the
/// filter is about. For files there is the saved form that all filters have (`saved::Save`), which says by itself what it is.
pub trait Encode: Filter {
    /// The wire form: self-contained, the same bytes for equal filters on every machine.
    fn encode(&self) -> Vec<u8>;

    /// The bits of the wire form, all of it: header, contents, checksum.
    fn coded_bits(&self) -> u64 {
        8 * self.encode().len() as u64
    }

    /// The filter that `bytes` are the wire form of, with the same answers, parameters and seed.
    ///
    /// A compressed form can be much shorter than the filter, so the bytes alone do not bound the memory:
    /// `most_bits` does. It is checked against the header before anything of that size is allocated.
    ///
    /// # Errors
    /// [`DecodeError`] for bytes that are cut, changed, too large or lie about their contents.
    fn decode(bytes: &[u8], most_bits: u64) -> Result<Self, DecodeError>;
}

/// The law that a key which was inserted (and not removed) is always answered with yes.
///
/// The conformance suite fails every type that claims this wrongly.
pub trait NoFalseNegatives: Filter {}
