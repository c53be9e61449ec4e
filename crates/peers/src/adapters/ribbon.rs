//! Ribbon filters: `pleat`.

use amq::{BuildError, Claim, Digest, Prediction, Space};

use crate::models::fixed::{Fixed, FixedParams, Size, check_keys};
use crate::peer::{Built, KeepsMembers, Published};

/// Keys of a batch that are copied at once, into an array on the stack.
const CHUNK: usize = 512;

/// The crate's batch with prefetches, which takes plain words.
fn batch(keys: &[Digest], out: &mut [bool], ask: impl Fn(&[u64], &mut [bool])) {
    let mut words = [0; CHUNK];
    for (keys, out) in keys.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
        let words = &mut words[..keys.len()];
        for (word, key) in words.iter_mut().zip(keys) {
            *word = key.0;
        }
        ask(words, out);
    }
}

fn words(keys: &[Digest]) -> Vec<u64> {
    keys.iter().map(|key| key.0).collect()
}

/// Homogeneous, 64 coefficients, 7 bits: `n (1 + (4 + 7/4) / 64)` slots in blocks of 64, at least two.
pub struct Homogeneous;

impl Size for Homogeneous {
    const WIDTH: u32 = 7;
    const MAX_KEYS: u64 = 1_000_000_000;

    fn bits(keys: u64) -> u64 {
        let slots = ((1.0 + (4.0 + 7.0 * 0.25) / 64.0) * keys as f64) as u64;
        slots.div_ceil(64).max(2) * 64 * 7
    }

    /// The rows of keys that depend on others are dropped, and slots that no key takes answer at random: a little above 2^-7,
    /// Dillinger, Hübschle-Schneider, Sanders and Walzer, SEA 2022.
    fn prediction(rate: f64, _keys: u64) -> Prediction {
        Prediction {
            rate,
            claim: Claim::AtLeast,
            source: "2^-7, without what dependent rows add: Dillinger et al., SEA 2022",
        }
    }
}

/// `pleat`, homogeneous ribbon of 7 bits.
pub struct PleatRibbon7(pleat::filter::Ribbon<7>);

impl Published for PleatRibbon7 {
    type Model = Fixed<Homogeneous>;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains(key)
    }

    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        batch(keys, out, |words, out| self.0.contains_batch(words, out));
    }

    fn space(&self) -> Space {
        Space { payload_bits: 8 * self.0.size_bytes() as u64, overhead_bits: 0 }
    }
}

impl Built for PleatRibbon7 {
    fn build(_params: &FixedParams, seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        check_keys(keys.len() as u64, Homogeneous::MAX_KEYS)?;
        let window = pleat::filter::DEFAULT_WINDOW_SHIFT;
        Ok(Self(pleat::filter::Ribbon::from_keys_pleated_seeded(&words(keys), seed, window)))
    }
}

impl KeepsMembers for PleatRibbon7 {}
