//! The filter as words that inserts set, for the form that threads share.

use amq::{Digest, InvalidParams, Layout, Monotone};
use bloom_theory::ranges::{check_bits, check_probes};
use hashing::{Derivation, SeedWords};

use super::{Params, StandardBloom};

/// Where keys have their bits.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    words: SeedWords,
    params: Params,
}

impl<D: Derivation> Monotone for StandardBloom<D> {
    type Places = Places;

    fn places(params: &Params, seed: u64) -> Result<(Places, Layout), InvalidParams> {
        let m = check_bits("m", params.m)?;
        check_probes(params.k.into())?;
        let layout = Layout { words: m.div_ceil(64), payload_bits: m };
        Ok((Places { words: SeedWords::new(seed), params: *params }, layout))
    }

    #[inline]
    fn visit(places: &Places, key: Digest, mut visit: impl FnMut(u64, u64) -> bool) -> bool {
        let Params { m, k } = places.params;
        D::positions(key, &places.words, m).take(k as usize).all(|at| visit(at / 64, 1 << (at % 64)))
    }

    fn seed(&self) -> u64 {
        self.array.seed()
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.array.bits().words().iter().copied()
    }

    fn set_words(&mut self, words: impl Iterator<Item = u64>, inserts: u64) {
        let (m, bits) = (self.params.m, self.array.bits_mut());
        for (start, word) in (0..m).step_by(64).zip(words) {
            bits.write(start, (m - start).min(64) as u32, word);
        }
        self.array.set_inserts(inserts);
    }
}
