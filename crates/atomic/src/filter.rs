//! The filter itself, over any [`Monotone`] one.

use std::fmt;

use amq::{
    Digest, Filter, Full, IncrementalFilter, InvalidParams, Layout, Monotone, NoFalseNegatives, SharedInsert, Space,
};
use blocked::{BlockedBloom, SplitBlock};
use standard::StandardBloom;

use crate::count::Count;
use crate::words::Words;

/// A Bloom filter that threads share; `F` is the sequential one, with the derivation of one's choice.
pub type AtomicStandard<F = StandardBloom> = Atomic<F>;

/// A blocked Bloom filter that threads share, in blocks of `B` = 64 or 512 bits. With 64 bits an insert is one step, and of
/// inserts of one key at the same time exactly one says that it was new.
pub type AtomicBlocked<const B: u64> = Atomic<BlockedBloom<B>>;

/// A split-block Bloom filter that threads share, with lanes of `W` = 32 or 64 bits.
pub type AtomicSplit<const W: u64> = Atomic<SplitBlock<W>>;

/// A filter that threads insert into and ask at once: the words of an `F`, set without locks.
pub struct Atomic<F: Monotone> {
    params: F::Params,
    seed: u64,
    places: F::Places,
    layout: Layout,
    words: Words,
    inserts: Count,
}

impl<F: Monotone> Atomic<F> {
    /// A filter with no keys.
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters out of range and memory that cannot be had.
    pub fn new(params: &F::Params, seed: u64) -> Result<Self, InvalidParams> {
        Self::with(params, seed, std::iter::empty(), 0)
    }

    /// The filter of the same keys as a sequential one, whose words are copied.
    ///
    /// # Errors
    /// [`InvalidParams`] for memory that cannot be had.
    pub fn thaw(filter: &F) -> Result<Self, InvalidParams> {
        Self::with(filter.params(), filter.seed(), filter.words(), filter.inserted())
    }

    /// The sequential filter of the same keys: the one that they give on one thread, in any order.
    ///
    /// # Errors
    /// [`InvalidParams`] for memory that cannot be had; both filters are there for a moment.
    pub fn freeze(self) -> Result<F, InvalidParams> {
        let words = self.words.iter().take(self.layout.words as usize);
        F::from_words(&self.params, self.seed, words, self.inserts.sum())
    }

    fn with(
        params: &F::Params,
        seed: u64,
        words: impl Iterator<Item = u64>,
        inserts: u64,
    ) -> Result<Self, InvalidParams> {
        let (places, layout) = F::places(params, seed)?;
        let words = Words::new(layout.words, words)?;
        Ok(Self { params: params.clone(), seed, places, layout, words, inserts: Count::from(inserts) })
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Set bits; what other threads set meanwhile may be in or not.
    #[must_use]
    pub fn ones(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Sets a key's bits; whether one was 0.
    #[inline]
    fn put(&self, key: Digest) -> bool {
        let mut new = false;
        F::visit(&self.places, key, |word, bits| {
            new |= self.words.set(word, bits);
            true
        });
        new
    }
}

impl<F: Monotone> fmt::Debug for Atomic<F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Atomic");
        out.field("params", &self.params).field("seed", &self.seed).field("inserts", &self.inserts.sum());
        out.finish_non_exhaustive()
    }
}

impl<F: Monotone> Filter for Atomic<F> {
    type Params = F::Params;

    fn params(&self) -> &F::Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        F::visit(&self.places, key, |word, bits| self.words.covers(word, bits))
    }

    fn space(&self) -> Space {
        let payload_bits = self.layout.payload_bits;
        let overhead_bits = self.words.allocated_bits().saturating_sub(payload_bits) + Count::BITS;
        Space { payload_bits, overhead_bits }
    }
}

impl<F: Monotone> SharedInsert for Atomic<F> {
    #[inline]
    fn insert_shared(&self, key: Digest) -> bool {
        let new = self.put(key);
        self.inserts.add(1);
        new
    }

    fn insert_shared_batch(&self, keys: &[Digest]) -> u64 {
        let new = keys.iter().map(|key| u64::from(self.put(*key))).sum();
        self.inserts.add(keys.len() as u64);
        new
    }
}

impl<F: Monotone> IncrementalFilter for Atomic<F> {
    fn empty(params: &F::Params, seed: u64) -> Result<Self, InvalidParams> {
        Self::new(params, seed)
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        self.insert_shared(key);
        Ok(())
    }

    fn insert_batch(&mut self, keys: &[Digest]) -> Result<(), Full> {
        self.insert_shared_batch(keys);
        Ok(())
    }

    fn inserted(&self) -> u64 {
        self.inserts.sum()
    }

    fn clear(&mut self) {
        self.words.clear();
        self.inserts = Count::default();
    }
}

impl<F: Monotone + NoFalseNegatives> NoFalseNegatives for Atomic<F> {}
