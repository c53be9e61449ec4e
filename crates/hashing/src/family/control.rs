//! Bad families on purpose: a measurement that cannot tell them from the good ones measures nothing.

use super::Mixer;
use super::integer::IntegerHash;

/// The key itself. The seed is ignored: whatever repeats in the keys repeats in the digests.
#[derive(Clone, Debug)]
pub(crate) struct Identity;

impl IntegerHash for Identity {
    #[inline]
    fn u64(&self, key: u64) -> u64 {
        key
    }
}

/// `hash(key) + seed`, [`Mixer`] with seed 0 and the seed added to its result: what comes of making "k
/// hash functions" as `hash + i`. The digests of all seeds are shifted copies of each other, so what
/// collides or clusters under one seed does so under all.
#[derive(Clone, Debug)]
pub(crate) struct AddSeed {
    hash: Mixer,
    seed: u64,
}

impl AddSeed {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { hash: Mixer::new(0), seed }
    }
}

impl IntegerHash for AddSeed {
    #[inline]
    fn u64(&self, key: u64) -> u64 {
        self.hash.hash(key).wrapping_add(self.seed)
    }
}
