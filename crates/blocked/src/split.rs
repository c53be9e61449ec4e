//! Blocks of eight lanes, in each of which a key has one position.

use std::ops::Deref;

use amq::{Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, NoFalseNegatives, Space, Union};
use bits::block::{cover, covers, lanes_of_32, lanes_of_64};
use hashing::mix::fold_multiply;
use serde::{Deserialize, Serialize};

use crate::blocks::{Blocks, mixing};

/// Lanes of a block, and positions of a key.
pub const LANES: u32 = 8;

/// The geometry of a [`SplitBlock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitParams {
    /// Blocks of eight lanes.
    pub blocks: u64,
}

/// A split-block Bloom filter with lanes of `W` bits, with all that [`Blocks`] tell: 32 (blocks of half a cache line) or 64
/// (a whole one). Other values do not compile.
#[derive(Clone, Debug)]
pub struct SplitBlock<const W: u64> {
    params: SplitParams,
    lanes: (u64, u64),
    blocks: Blocks,
}

impl<const W: u64> SplitBlock<W> {
    /// Bits of a block.
    pub const BITS: u64 = {
        assert!(W == 32 || W == 64, "lanes have 32 or 64 bits");
        LANES as u64 * W
    };

    /// Remembers for how many keys the filter was sized, so that [`over_plan`](Blocks::over_plan) can warn.
    #[must_use]
    pub fn planned_for(mut self, keys: u64) -> Self {
        self.blocks.plan(keys);
        self
    }

    /// The rate of this very filter: the mean over blocks of the product of the fills of their lanes.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        let lane = |word: u64| match W {
            64 => f64::from(word.count_ones()) / 64.0,
            _ => f64::from((word as u32).count_ones()) / 32.0 * f64::from((word >> 32).count_ones()) / 32.0,
        };
        let rate = |block: Vec<u64>| block.into_iter().map(lane).product::<f64>();
        self.blocks.each().map(rate).sum::<f64>() / self.params.blocks as f64
    }

    /// The word that a key's positions are bits of.
    #[inline]
    fn word(&self, key: Digest) -> u64 {
        fold_multiply(key.0 ^ self.lanes.0, self.lanes.1)
    }
}

impl<const W: u64> Deref for SplitBlock<W> {
    type Target = Blocks;

    fn deref(&self) -> &Blocks {
        &self.blocks
    }
}

impl<const W: u64> Filter for SplitBlock<W> {
    type Params = SplitParams;

    fn params(&self) -> &SplitParams {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        let ((line, start), word) = (self.blocks.find(key), self.word(key));
        let line = self.blocks.lines().line(line);
        if W == 64 {
            return covers(line, &lanes_of_64(word));
        }
        let (halves, _) = line.as_chunks::<4>();
        covers(&halves[start / 4 % 2], &lanes_of_32(word))
    }

    fn space(&self) -> Space {
        self.blocks.memory()
    }
}

impl<const W: u64> IncrementalFilter for SplitBlock<W> {
    fn empty(params: &SplitParams, seed: u64) -> Result<Self, InvalidParams> {
        let blocks = Blocks::new(params.blocks, Self::BITS, seed)?;
        Ok(Self { params: *params, lanes: mixing(seed, 0x1a7e), blocks })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let ((line, start), word) = (self.blocks.find(key), self.word(key));
        let line = self.blocks.insert_into(line);
        if W == 64 {
            cover(line, &lanes_of_64(word));
        } else {
            let (halves, _) = line.as_chunks_mut::<4>();
            cover(&mut halves[start / 4 % 2], &lanes_of_32(word));
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

impl<const W: u64> Union for SplitBlock<W> {
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        self.blocks.unite(&other.blocks)
    }
}

impl<const W: u64> NoFalseNegatives for SplitBlock<W> {}
