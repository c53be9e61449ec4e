//! The default hash of `u64` keys.

use crate::mix::{SeedStream, mix_between};

/// The default hash of `u64` keys: a fixed mixer with two seed words, stable forever.
///
/// With `w1, w2` the first two words of the seed's stream of tag `mixer..1`:
///
/// ```text
/// z = key + w1
/// z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 + w2
/// z = (z ^ z >> 27) * 0x94d049bb133111eb
/// digest = z ^ z >> 31                                 all modulo 2^64
/// w_i = mix64(mix64(seed ^ T) + i * 0x9e3779b97f4a7c15),  T = the ASCII bytes "mixer..1", little-endian
/// ```
///
/// That is [`mix64`](crate::mix::mix64) (Stafford's variant 13) with the seed added before the mixing
/// and once more between its two multiplications, so that another seed is not a shift of the keys.
///
/// *Bijective:* each step (an addition, an xor-shift, a multiplication by an odd number) can be undone,
/// so for each seed distinct keys have distinct digests and the `n * 2^-64` floor is not paid here. (A
/// filter that mixes the digest once more, as [`SeedWords`](crate::SeedWords) does, pays it there.)
/// Whoever knows the seed can make keys for any digests.
///
/// ```
/// use hashing::Mixer;
/// assert_eq!(Mixer::new(42).hash(7), 0x4d53_20a0_9281_841c);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mixer {
    before: u64,
    between: u64,
}

impl Mixer {
    /// The function of `seed`; every seed is allowed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        let mut words = SeedStream::new(*b"mixer..1", seed);
        Self { before: words.word(), between: words.word() }
    }

    /// The 64-bit hash of `key`.
    #[inline]
    #[must_use]
    pub const fn hash(&self, key: u64) -> u64 {
        mix_between(key.wrapping_add(self.before), self.between)
    }
}
