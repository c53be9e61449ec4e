//! Filters that many threads insert into at once, and what a filter must be to have such a form.

use std::fmt::Debug;

use crate::error::InvalidParams;
use crate::filter::{Digest, Filter, IncrementalFilter};

/// A filter that takes keys through a shared reference, from any number of threads at once.
///
/// No insert is lost: once the threads are done, or have told each other so (a join, a lock, a channel), every key that was
/// inserted is found, and the filter is the one that the same keys give in any order on one thread.
pub trait SharedInsert: Filter {
    /// Adds `key`; the answer is whether it was new.
    ///
    /// What is promised, whatever other threads do meanwhile:
    /// - *Not new*: all that the key sets had been set before the call returned, so this thread, and whoever it tells, finds the
    ///   key from then on.
    /// - *New*: something that the key sets was not set when the call began, so no insert of it that had ended before was lost
    ///   on this one, and the key was not in.
    /// - Of inserts of one key at the same time, which was not in, *at least one* says new, unless other keys inserted at
    ///   that time set what it sets. More than one can say so, where the key's bits lie in several words; where they lie in
    ///   one, exactly one does.
    ///
    /// On one thread it is new when, and only when, `contains` said no before.
    fn insert_shared(&self, key: Digest) -> bool;

    /// Adds `keys`; how many of them were new.
    fn insert_shared_batch(&self, keys: &[Digest]) -> u64 {
        keys.iter().map(|key| u64::from(self.insert_shared(*key))).sum()
    }
}

/// The words that a [`Monotone`] filter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Words of 64 bits.
    pub words: u64,
    /// Bits of the filter's own geometry among them.
    pub payload_bits: u64,
}

/// A filter that is an array of bits which inserts set and nothing clears, each key at places that hang on the parameters and
/// the seed alone. Its inserts commute, so it can be filled by many threads at once.
pub trait Monotone: IncrementalFilter {
    /// From a key to its places: the filter without its bits.
    type Places: Clone + Debug + Send + Sync;

    /// The places of keys in a filter of these parameters and seed, and the words it takes. Allocates nothing.
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters out of range.
    fn places(params: &Self::Params, seed: u64) -> Result<(Self::Places, Layout), InvalidParams>;

    /// Hands the words of a key to `visit`, each with the key's bits in it, until one is answered with no; whether none was.
    /// A word may come twice.
    fn visit(places: &Self::Places, key: Digest, visit: impl FnMut(u64, u64) -> bool) -> bool;

    /// The seed.
    fn seed(&self) -> u64;

    /// The words, as many as [`Layout::words`] says.
    fn words(&self) -> impl Iterator<Item = u64> + '_;

    /// Replaces the words of an empty filter, and its count of inserts. Words that are missing are 0, more than there are places
    /// for are left out.
    fn set_words(&mut self, words: impl Iterator<Item = u64>, inserts: u64);

    /// A filter with these words, as [`set_words`](Self::set_words) has them.
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters out of range and memory that cannot be had.
    fn from_words(
        params: &Self::Params,
        seed: u64,
        words: impl Iterator<Item = u64>,
        inserts: u64,
    ) -> Result<Self, InvalidParams> {
        let mut filter = Self::empty(params, seed)?;
        filter.set_words(words, inserts);
        Ok(filter)
    }
}
