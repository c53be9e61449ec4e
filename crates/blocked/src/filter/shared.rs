//! The filter as words that inserts set, for the form that threads share.

use amq::{Digest, InvalidParams, Layout, Monotone};
use bits::block::{mask, set_all};
use bloom_theory::ranges::check_probes;
use hashing::{DefaultDerivation, Derivation, SeedWords};

use super::{BlockedBloom, Blocks, Params};
use crate::blocks;

/// Where keys have their bits.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    blocks: blocks::Places,
    words: SeedWords,
    k: u32,
}

impl<const B: u64> Monotone for BlockedBloom<B> {
    type Places = Places;

    fn places(params: &Params, seed: u64) -> Result<(Places, Layout), InvalidParams> {
        check_probes(params.k.into())?;
        let layout = Blocks::layout(params.blocks, Self::BITS)?;
        let blocks = blocks::Places::new(params.blocks, seed);
        Ok((Places { blocks, words: SeedWords::new(seed), k: params.k }, layout))
    }

    #[inline]
    fn visit(places: &Places, key: Digest, mut visit: impl FnMut(u64, u64) -> bool) -> bool {
        let block = places.blocks.of(key).0 as u64;
        let mut state = DefaultDerivation::start(key, &places.words, B);
        let positions = || DefaultDerivation::next(&mut state, B);
        if B == 64 {
            return visit(block, mask(places.k, positions));
        }
        let mut line = [0; 8];
        set_all(&mut line, places.k, positions);
        (0..).zip(line).filter(|(_, bits)| *bits != 0).all(|(word, bits)| visit(8 * block + word, bits))
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
