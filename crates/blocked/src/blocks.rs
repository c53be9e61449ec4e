//! What filters over blocks share, whatever a key does within its block.

mod saved;
mod shared;

use amq::{Digest, Incompatible, InvalidParams, KeyCount, OverPlan, Space};
use bits::LineVec;
use bloom_theory::ranges::check_bits;
use hashing::derive::{MultiplyShift, Reduction};
use hashing::mix::mix64;

/// Bits of a line.
pub(crate) const LINE: u64 = 512;

/// Blocks of equal size in cache lines: block `i` of `b` bits begins at bit `i b`.
#[derive(Clone, Debug)]
pub struct Blocks {
    places: Places,
    block_bits: u64,
    seed: u64,
    lines: LineVec,
    count: KeyCount,
}

/// From keys to their blocks.
///
/// One product of the mixed digest with an odd word gives both the block and the word that a split block takes its positions from:
/// the block comes from the top of the product's lower half, the word is the exclusive or of both halves, the lower one turned by
/// half its length: the top of the upper half is not uniform (it never passes the multiplier's), and what is laid over it
/// must not be what chose the block (the law `rate_follows_theory` fails without the turn). With two products, one for each, a
/// lookup took 2.2 ns where it takes 2.0 (`hit` of the benches of this crate at 10^5 keys).
#[derive(Clone, Copy, Debug)]
pub struct Places {
    blocks: u64,
    add: u64,
    multiply: u64,
}

impl Places {
    pub(crate) fn new(blocks: u64, seed: u64) -> Self {
        Self { blocks, add: mix64(seed ^ mix64(0xb10c)), multiply: mix64(seed ^ mix64(0xb10d)) | 1 }
    }

    /// The block of a key, and the word of its positions there.
    #[inline]
    pub(crate) fn of(&self, key: Digest) -> (usize, u64) {
        let product = u128::from(key.0 ^ self.add) * u128::from(self.multiply);
        let (low, high) = (product as u64, (product >> 64) as u64);
        (MultiplyShift::leave(low, self.blocks) as usize, low.rotate_left(32) ^ high)
    }
}

impl Blocks {
    pub(crate) fn new(blocks: u64, block_bits: u64, seed: u64) -> Result<Self, InvalidParams> {
        let lines = (check_blocks(blocks, block_bits)? * block_bits).div_ceil(LINE);
        Ok(Self {
            places: Places::new(blocks, seed),
            block_bits,
            seed,
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
        self.places.blocks * self.block_bits
    }

    pub(crate) fn memory(&self) -> Space {
        self.lines.space(self.bits())
    }

    /// The words of each block, block 0 first.
    pub(crate) fn each(&self) -> impl Iterator<Item = Vec<u64>> + '_ {
        let words = (self.block_bits / 64) as usize;
        let mut all = self.lines.words();
        (0..self.places.blocks).map(move |_| all.by_ref().take(words).collect())
    }

    /// Where keys have their blocks.
    #[inline]
    pub(crate) fn places(&self) -> Places {
        self.places
    }

    /// The lines, for so many inserts.
    #[inline]
    pub(crate) fn lines_for(&mut self, inserts: usize) -> &mut LineVec {
        self.count.add(inserts as u64);
        &mut self.lines
    }

    pub(crate) fn reset(&mut self) {
        self.lines.clear();
        self.count.clear();
    }

    /// Sets the bits of `other`, whose inserts count too; an error where seed or number of blocks differ.
    pub(crate) fn unite(&mut self, other: &Self) -> Result<(), Incompatible> {
        for (property, left, right) in
            [("seed", self.seed, other.seed), ("blocks", self.places.blocks, other.places.blocks)]
        {
            if left != right {
                return Err(Incompatible { property, left: left.into(), right: right.into() });
            }
        }
        self.lines.union(&other.lines)?;
        self.count.add(other.inserts());
        Ok(())
    }
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
