//! Blocks in which a key has `k` positions.

mod saved;
mod shared;

use std::ops::Deref;

use amq::{Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, NoFalseNegatives, Space, Union};
use bits::block::{all_set, cover, covers, each_all_set, mask, set_all, set_each};
use bits::probe::spread;
use bloom_theory::ranges::check_probes;
use hashing::derive::Positions;
use hashing::{DefaultDerivation, Derivation, SeedWords};
use serde::{Deserialize, Serialize};

use crate::blocks::Blocks;

/// The geometry of a [`BlockedBloom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Blocks, 1 to 2^48 / B.
    pub blocks: u64,
    /// Probes of a key, 1 to 64.
    pub k: u32,
}

/// A Bloom filter in blocks of `B` bits, with all that [`Blocks`] tell: 64 (a register) or 512 (a cache line). Other values
/// do not compile.
#[derive(Clone, Debug)]
pub struct BlockedBloom<const B: u64> {
    params: Params,
    words: SeedWords,
    blocks: Blocks,
}

impl<const B: u64> BlockedBloom<B> {
    /// Bits of a block.
    const BITS: u64 = {
        assert!(B == 64 || B == 512, "blocks have 64 or 512 bits");
        B
    };

    /// Remembers for how many keys the filter was sized, so that [`over_plan`](Blocks::over_plan) can warn.
    #[must_use]
    pub fn planned_for(mut self, keys: u64) -> Self {
        self.blocks.plan(keys);
        self
    }

    /// The rate of this very filter: the mean over blocks of `(X/B)^k`, `X` the set bits of a block.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        let rate = |block: Vec<u64>| {
            let ones: u32 = block.iter().map(|word| word.count_ones()).sum();
            (f64::from(ones) / B as f64).powi(self.params.k as i32)
        };
        self.blocks.each().map(rate).sum::<f64>() / self.params.blocks as f64
    }

    /// The positions of a key within its block.
    #[inline]
    fn positions(&self, key: Digest) -> impl FnMut() -> u64 + use<B> {
        let mut state = DefaultDerivation::start(key, &self.words, B);
        move || DefaultDerivation::next(&mut state, B)
    }

    /// From the index of a key to its block and its positions there.
    #[inline]
    fn finder<'a>(&self, keys: &'a [Digest]) -> impl Fn(usize) -> (usize, Positions<DefaultDerivation>) + use<'a, B> {
        let (places, words) = (self.blocks.places(), self.words);
        move |index| (places.of(keys[index]).0, DefaultDerivation::positions(keys[index], &words, B))
    }

    /// How many keys may have been inserted, and the answers for each 64 in a word.
    #[inline]
    fn each(&self, keys: &[Digest], answers: impl FnMut(usize, u64)) -> u64 {
        let (find, k, lines) = (self.finder(keys), self.params.k, self.blocks.lines());
        if B == 64 {
            each_all_set(lines.blocks::<1>(), k, keys.len(), find, answers)
        } else {
            each_all_set(lines.blocks::<8>(), k, keys.len(), find, answers)
        }
    }
}

impl<const B: u64> Deref for BlockedBloom<B> {
    type Target = Blocks;

    fn deref(&self) -> &Blocks {
        &self.blocks
    }
}

impl<const B: u64> Filter for BlockedBloom<B> {
    type Params = Params;

    fn params(&self) -> &Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        let (block, k, positions) = (self.blocks.places().of(key).0, self.params.k, self.positions(key));
        let lines = self.blocks.lines();
        if B == 64 {
            covers(&lines.blocks()[block], &[mask(k, positions)])
        } else {
            all_set(&lines.blocks()[block], k, positions)
        }
    }

    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        assert_eq!(keys.len(), out.len(), "one answer for each key");
        self.each(keys, |start, word| spread(out, start, word));
    }

    fn count_contained(&self, keys: &[Digest]) -> u64 {
        self.each(keys, |_, _| ())
    }

    fn space(&self) -> Space {
        self.blocks.memory()
    }
}

impl<const B: u64> IncrementalFilter for BlockedBloom<B> {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        check_probes(params.k.into())?;
        let blocks = Blocks::new(params.blocks, Self::BITS, seed)?;
        Ok(Self { params: *params, words: SeedWords::new(seed), blocks })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let (block, k, positions) = (self.blocks.places().of(key).0, self.params.k, self.positions(key));
        let lines = self.blocks.lines_for(1);
        if B == 64 {
            cover(&mut lines.blocks_mut()[block], &[mask(k, positions)]);
        } else {
            set_all(&mut lines.blocks_mut()[block], k, positions);
        }
        Ok(())
    }

    fn insert_batch(&mut self, keys: &[Digest]) -> Result<(), Full> {
        let (find, k, lines) = (self.finder(keys), self.params.k, self.blocks.lines_for(keys.len()));
        if B == 64 {
            set_each(lines.blocks_mut::<1>(), k, keys.len(), find);
        } else {
            set_each(lines.blocks_mut::<8>(), k, keys.len(), find);
        }
        Ok(())
    }

    fn inserted(&self) -> u64 {
        self.blocks.inserts()
    }

    fn clear(&mut self) {
        self.blocks.reset();
    }
}

impl<const B: u64> Union for BlockedBloom<B> {
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        if self.params.k != other.params.k {
            let (left, right) = (self.params.k.into(), other.params.k.into());
            return Err(Incompatible { property: "k", left, right });
        }
        self.blocks.unite(&other.blocks)
    }
}

impl<const B: u64> NoFalseNegatives for BlockedBloom<B> {}
