//! Blocks as words that inserts set, for the form that threads share.

use amq::{InvalidParams, Layout};

use super::{Blocks, check_blocks};

impl Blocks {
    /// The words that so many blocks take.
    pub(crate) fn layout(blocks: u64, block_bits: u64) -> Result<Layout, InvalidParams> {
        let payload_bits = check_blocks(blocks, block_bits)? * block_bits;
        Ok(Layout { words: payload_bits / 64, payload_bits })
    }

    /// Their words.
    pub(crate) fn block_words(&self) -> impl Iterator<Item = u64> + '_ {
        self.lines.words().take((self.bits() / 64) as usize)
    }

    /// Replaces the words, and the count of inserts.
    pub(crate) fn set_words(&mut self, words: impl Iterator<Item = u64>, inserts: u64) {
        let count = (self.bits() / 64) as usize;
        for (slot, word) in self.lines.blocks_mut::<1>()[..count].iter_mut().zip(words) {
            *slot = [word];
        }
        self.count.clear();
        self.count.add(inserts);
    }
}
