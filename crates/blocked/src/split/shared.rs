//! The filter as words that inserts set, for the form that threads share.

use amq::{Digest, InvalidParams, Layout, Monotone};
use bits::split::lanes;

use super::{Blocks, SplitBlock, SplitParams};
use crate::blocks::Places;

impl<const W: u64> Monotone for SplitBlock<W> {
    type Places = Places;

    fn places(params: &SplitParams, seed: u64) -> Result<(Places, Layout), InvalidParams> {
        let layout = Blocks::layout(params.blocks, Self::BITS)?;
        Ok((Places::new(params.blocks, seed), layout))
    }

    #[inline]
    fn visit(places: &Places, key: Digest, mut visit: impl FnMut(u64, u64) -> bool) -> bool {
        let (block, word) = places.of(key);
        let block = block as u64;
        if W == 64 {
            (0..).zip(lanes::<8>(word)).all(|(at, bits)| visit(8 * block + at, bits))
        } else {
            (0..).zip(lanes::<4>(word)).all(|(at, bits)| visit(4 * block + at, bits))
        }
    }

    fn seed(&self) -> u64 {
        self.blocks.seed()
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.blocks.block_words()
    }

    fn set_words(&mut self, words: impl Iterator<Item = u64>, inserts: u64) {
        self.blocks.set_words(words, inserts);
    }
}
