//! What filters over blocks share, whatever a key does within its block.

use amq::{Digest, Incompatible, InvalidParams, KeyCount, OverPlan, Space};
use bits::LineVec;
use bloom_theory::ranges::check_bits;
use hashing::derive::{MultiplyShift, Reduction};
use hashing::mix::{fold_multiply, mix64};

/// Bits of a line.
pub(crate) const LINE: u64 = 512;

/// Blocks of equal size in cache lines: block `i` of `b` bits begins at bit `i b`.
#[derive(Clone, Debug)]
pub struct Blocks {
    blocks: u64,
    block_bits: u64,
    seed: u64,
    /// Added and multiplied to tell the block. Positions come from another mixing, so that keys of one block have independent ones.
    place: (u64, u64),
    lines: LineVec,
    count: KeyCount,
}

impl Blocks {
    pub(crate) fn new(blocks: u64, block_bits: u64, seed: u64) -> Result<Self, InvalidParams> {
        let lines = (check_blocks(blocks, block_bits)? * block_bits).div_ceil(LINE);
        Ok(Self {
            blocks,
            block_bits,
            seed,
            place: mixing(seed, 0xb10c),
            lines: LineVec::zeros(lines)?,
            count: KeyCount::default(),
        })
    }

    pub(crate) fn plan(&mut self, keys: u64) {
        self.count.plan(keys);
    }

    /// A warning once more keys were inserted than planned.
    #[must_use]
    pub fn over_plan(&self) -> Option<OverPlan> {
        self.count.over_plan()
    }

    /// Inserts since the filter was empty; a key inserted twice counts twice.
    #[must_use]
    pub fn inserts(&self) -> u64 {
        self.count.inserted()
    }

    /// Set bits.
    #[must_use]
    pub fn ones(&self) -> u64 {
        self.lines.count_ones()
    }

    /// The fraction of set bits, in `[0, 1]`.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.ones() as f64 / self.bits() as f64
    }

    /// The lines.
    #[must_use]
    pub fn lines(&self) -> &LineVec {
        &self.lines
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Bits of all blocks, `m`.
    fn bits(&self) -> u64 {
        self.blocks * self.block_bits
    }

    pub(crate) fn memory(&self) -> Space {
        self.lines.space(self.bits())
    }

    /// The words of each block, block 0 first.
    pub(crate) fn each(&self) -> impl Iterator<Item = Vec<u64>> + '_ {
        let words = (self.block_bits / 64) as usize;
        let mut all = self.lines.words();
        (0..self.blocks).map(move |_| all.by_ref().take(words).collect())
    }

    /// Line of a key's block, and first word in it.
    #[inline]
    pub(crate) fn find(&self, key: Digest) -> (u64, usize) {
        let mixed = fold_multiply(key.0 ^ self.place.0, self.place.1);
        let start = MultiplyShift::leave(mixed, self.blocks) * self.block_bits;
        (start / LINE, (start % LINE / 64) as usize)
    }

    /// The line of an insert, which is counted.
    #[inline]
    pub(crate) fn insert_into(&mut self, line: u64) -> &mut bits::lines::Words {
        self.count.add(1);
        self.lines.line_mut(line)
    }

    pub(crate) fn reset(&mut self) {
        self.lines.clear();
        self.count.clear();
    }

    /// Sets the bits of `other`, whose inserts count too; an error where seed or number of blocks differ.
    pub(crate) fn unite(&mut self, other: &Self) -> Result<(), Incompatible> {
        for (property, left, right) in [("seed", self.seed, other.seed), ("blocks", self.blocks, other.blocks)] {
            if left != right {
                return Err(Incompatible { property, left: left.into(), right: right.into() });
            }
        }
        self.lines.union(&other.lines)?;
        self.count.add(other.inserts());
        Ok(())
    }
}

/// The words of a mixing of digests: one is added, one multiplied; `stream` tells independent ones apart.
pub(crate) fn mixing(seed: u64, stream: u64) -> (u64, u64) {
    (mix64(seed ^ mix64(stream)), mix64(seed ^ mix64(stream + 1)) | 1)
}

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
