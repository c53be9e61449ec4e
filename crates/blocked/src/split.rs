//! Blocks of eight lanes, in each of which a key has one position.

use amq::{
    Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, KeyCount, NoFalseNegatives, OverPlan, Space,
    Union,
};
use bits::LineVec;
use bits::block::{cover, covers, lanes_of_32, lanes_of_64};
use serde::{Deserialize, Serialize};

use crate::filter::{check_blocks, same};
use crate::place::Place;

/// Lanes of a block, and positions of a key.
pub const LANES: u32 = 8;

/// The geometry of a [`SplitBlock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitParams {
    /// Blocks of eight lanes.
    pub blocks: u64,
}

/// A split-block Bloom filter with lanes of `W` bits: 32 (blocks of half a cache line) or 64 (a whole one). Other values
/// do not compile.
#[derive(Clone, Debug)]
pub struct SplitBlock<const W: u64> {
    params: SplitParams,
    seed: u64,
    place: Place,
    lines: LineVec,
    count: KeyCount,
}

impl<const W: u64> SplitBlock<W> {
    /// Bits of a block.
    pub const BITS: u64 = {
        assert!(W == 32 || W == 64, "lanes have 32 or 64 bits");
        LANES as u64 * W
    };

    /// Remembers for how many keys the filter was sized, so that [`over_plan`](Self::over_plan) can warn.
    #[must_use]
    pub fn planned_for(mut self, keys: u64) -> Self {
        self.count.plan(keys);
        self
    }

    /// A warning once more keys were inserted than planned.
    #[must_use]
    pub fn over_plan(&self) -> Option<OverPlan> {
        self.count.over_plan()
    }

    /// Set bits.
    #[must_use]
    pub fn ones(&self) -> u64 {
        self.lines.count_ones()
    }

    /// The fraction of set bits, in `[0, 1]`.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.ones() as f64 / (self.params.blocks * Self::BITS) as f64
    }

    /// The rate of this very filter: the mean over blocks of the product of the fills of their lanes.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        let words = (Self::BITS / 64) as usize;
        let all: Vec<u64> = self.lines.words().take(words * self.params.blocks as usize).collect();
        let lane = |word: u64| match W {
            64 => f64::from(word.count_ones()) / 64.0,
            _ => f64::from((word as u32).count_ones()) / 32.0 * f64::from((word >> 32).count_ones()) / 32.0,
        };
        let sum: f64 = all.chunks(words).map(|block| block.iter().map(|word| lane(*word)).product::<f64>()).sum();
        sum / self.params.blocks as f64
    }

    /// The lines; block `i` begins at bit `8 W i`.
    #[must_use]
    pub fn lines(&self) -> &LineVec {
        &self.lines
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

impl<const W: u64> Filter for SplitBlock<W> {
    type Params = SplitParams;

    fn params(&self) -> &SplitParams {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        let (block, word) = (self.place.block(key, self.params.blocks), self.place.inner(key));
        if W == 64 {
            return covers(self.lines.line(block), &lanes_of_64(word));
        }
        let (halves, _) = self.lines.line(block / 2).as_chunks::<4>();
        covers(&halves[(block % 2) as usize], &lanes_of_32(word))
    }

    fn space(&self) -> Space {
        self.lines.space(self.params.blocks * Self::BITS)
    }
}

impl<const W: u64> IncrementalFilter for SplitBlock<W> {
    fn empty(params: &SplitParams, seed: u64) -> Result<Self, InvalidParams> {
        check_blocks(params.blocks, Self::BITS)?;
        Ok(Self {
            params: *params,
            seed,
            place: Place::new(seed),
            lines: LineVec::zeros((params.blocks * Self::BITS).div_ceil(512))?,
            count: KeyCount::default(),
        })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let (block, word) = (self.place.block(key, self.params.blocks), self.place.inner(key));
        if W == 64 {
            cover(self.lines.line_mut(block), &lanes_of_64(word));
        } else {
            let (halves, _) = self.lines.line_mut(block / 2).as_chunks_mut::<4>();
            cover(&mut halves[(block % 2) as usize], &lanes_of_32(word));
        }
        self.count.add(1);
        Ok(())
    }

    fn inserted(&self) -> u64 {
        self.count.inserted()
    }

    fn clear(&mut self) {
        self.lines.clear();
        self.count.clear();
    }
}

impl<const W: u64> Union for SplitBlock<W> {
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        same([("seed", self.seed, other.seed), ("blocks", self.params.blocks, other.params.blocks), ("", 0, 0)])?;
        self.lines.union(&other.lines)?;
        self.count.add(other.count.inserted());
        Ok(())
    }
}

impl<const W: u64> NoFalseNegatives for SplitBlock<W> {}
