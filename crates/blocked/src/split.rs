//! Blocks of eight lanes, in each of which a key has one position.

mod saved;
mod shared;

use std::ops::Deref;

use amq::{Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, NoFalseNegatives, Space, Union};
use bits::block::{cover, covers};
use bits::probe::spread;
use bits::split::{cover_each, each_covered, lanes};
use serde::{Deserialize, Serialize};

use crate::blocks::Blocks;

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

    /// From a key to its block, and the word that its positions are bits of.
    #[inline]
    fn finder(&self) -> impl Fn(Digest) -> (usize, u64) + use<W> {
        let places = self.blocks.places();
        move |key| places.of(key)
    }

    /// How many keys may have been inserted, and the answers for each 64 in a word.
    #[inline]
    fn each(&self, keys: &[Digest], answers: impl FnMut(usize, u64)) -> u64 {
        let finder = self.finder();
        let find = |index: usize| finder(keys[index]);
        if W == 64 {
            each_covered(self.blocks.lines().blocks::<8>(), keys.len(), find, answers)
        } else {
            each_covered(self.blocks.lines().blocks::<4>(), keys.len(), find, answers)
        }
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
        let ((block, word), lines) = (self.finder()(key), self.blocks.lines());
        if W == 64 {
            covers(&lines.blocks::<8>()[block], &lanes(word))
        } else {
            covers(&lines.blocks::<4>()[block], &lanes(word))
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

impl<const W: u64> IncrementalFilter for SplitBlock<W> {
    fn empty(params: &SplitParams, seed: u64) -> Result<Self, InvalidParams> {
        let blocks = Blocks::new(params.blocks, Self::BITS, seed)?;
        Ok(Self { params: *params, blocks })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let ((block, word), lines) = (self.finder()(key), self.blocks.lines_for(1));
        if W == 64 {
            cover(&mut lines.blocks_mut::<8>()[block], &lanes(word));
        } else {
            cover(&mut lines.blocks_mut::<4>()[block], &lanes(word));
        }
        Ok(())
    }

    fn insert_batch(&mut self, keys: &[Digest]) -> Result<(), Full> {
        let finder = self.finder();
        let (find, lines) = (|index: usize| finder(keys[index]), self.blocks.lines_for(keys.len()));
        if W == 64 {
            cover_each(lines.blocks_mut::<8>(), keys.len(), find);
        } else {
            cover_each(lines.blocks_mut::<4>(), keys.len(), find);
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
