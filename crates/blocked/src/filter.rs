//! Blocks in which a key has `k` positions.

use amq::{
    Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, KeyCount, NoFalseNegatives, OverPlan, Space,
    Union,
};
use bits::LineVec;
use bits::block::{all_set, mask, set_all};
use bloom_theory::ranges::{check_bits, check_probes};
use hashing::{DefaultDerivation, Derivation, SeedWords};
use serde::{Deserialize, Serialize};

use crate::place::Place;

/// The geometry of a [`BlockedBloom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Blocks, 1 to 2^48 / B.
    pub blocks: u64,
    /// Probes of a key, 1 to 64.
    pub k: u32,
}

/// A Bloom filter in blocks of `B` bits: 64 (a register) or 512 (a cache line). Other values do not compile.
#[derive(Clone, Debug)]
pub struct BlockedBloom<const B: u64> {
    params: Params,
    seed: u64,
    place: Place,
    words: SeedWords,
    lines: LineVec,
    count: KeyCount,
}

impl<const B: u64> BlockedBloom<B> {
    /// Bits of a line.
    const LINE: u64 = {
        assert!(B == 64 || B == 512, "blocks have 64 or 512 bits");
        512
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

    /// Set bits of each block, block 0 first.
    pub fn block_ones(&self) -> impl Iterator<Item = u64> + '_ {
        let words = (B / 64) as usize;
        (0..self.params.blocks).map(move |block| {
            let line = self.lines.line(block * B / Self::LINE);
            let start = (block * B % Self::LINE / 64) as usize;
            line[start..start + words].iter().map(|word| u64::from(word.count_ones())).sum()
        })
    }

    /// Set bits.
    #[must_use]
    pub fn ones(&self) -> u64 {
        self.lines.count_ones()
    }

    /// The fraction of set bits, in `[0, 1]`.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.ones() as f64 / (self.params.blocks * B) as f64
    }

    /// The rate of this very filter: the mean over blocks of `(X/B)^k`, `X` the set bits of a block.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        let k = self.params.k as i32;
        let sum: f64 = self.block_ones().map(|ones| (ones as f64 / B as f64).powi(k)).sum();
        sum / self.params.blocks as f64
    }

    /// The lines; block `i` begins at bit `i B`.
    #[must_use]
    pub fn lines(&self) -> &LineVec {
        &self.lines
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Line, first word in it, and the positions of a key within its block.
    #[inline]
    fn find(&self, key: Digest) -> (u64, usize, impl FnMut() -> u64 + use<B>) {
        let start = self.place.block(key, self.params.blocks) * B;
        let mut state = DefaultDerivation::start(key, &self.words, B);
        (start / Self::LINE, (start % Self::LINE / 64) as usize, move || DefaultDerivation::next(&mut state, B))
    }
}

impl<const B: u64> Filter for BlockedBloom<B> {
    type Params = Params;

    fn params(&self) -> &Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        let (line, word, positions) = self.find(key);
        if B == 64 {
            let wanted = mask(self.params.k, positions);
            return self.lines.line(line)[word % 8] & wanted == wanted;
        }
        all_set(self.lines.line(line), self.params.k, positions)
    }

    fn space(&self) -> Space {
        self.lines.space(self.params.blocks * B)
    }
}

impl<const B: u64> IncrementalFilter for BlockedBloom<B> {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        check_probes(params.k.into())?;
        check_blocks(params.blocks, B)?;
        Ok(Self {
            params: *params,
            seed,
            place: Place::new(seed),
            words: SeedWords::new(seed),
            lines: LineVec::zeros((params.blocks * B).div_ceil(Self::LINE))?,
            count: KeyCount::default(),
        })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let (line, word, positions) = self.find(key);
        let k = self.params.k;
        if B == 64 {
            self.lines.line_mut(line)[word % 8] |= mask(k, positions);
        } else {
            set_all(self.lines.line_mut(line), k, positions);
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

impl<const B: u64> Union for BlockedBloom<B> {
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        same([
            ("k", self.params.k.into(), other.params.k.into()),
            ("seed", self.seed, other.seed),
            ("blocks", self.params.blocks, other.params.blocks),
        ])?;
        self.lines.union(&other.lines)?;
        self.count.add(other.count.inserted());
        Ok(())
    }
}

impl<const B: u64> NoFalseNegatives for BlockedBloom<B> {}

/// `blocks` of `bits` bits each within 1 to 2^48 bits.
pub(crate) fn check_blocks(blocks: u64, bits: u64) -> Result<u64, InvalidParams> {
    if blocks == 0 {
        return Err(InvalidParams::OutOfRange {
            name: "blocks",
            value: blocks.into(),
            allowed: "1 to 2^48 bits in all",
        });
    }
    check_bits("blocks * B", blocks.saturating_mul(bits))?;
    Ok(blocks)
}

/// The first property in which two filters differ, as an error.
pub(crate) fn same(properties: [(&'static str, u64, u64); 3]) -> Result<(), Incompatible> {
    match properties.into_iter().find(|(_, left, right)| left != right) {
        Some((property, left, right)) => Err(Incompatible { property, left: left.into(), right: right.into() }),
        None => Ok(()),
    }
}
