//! Mixing of 64-bit words.

/// The finaliser of SplitMix64 in Stafford's variant 13: a bijection of 64-bit words.
///
/// `z ^= z >> 30; z *= 0xbf58476d1ce4e5b9; z ^= z >> 27; z *= 0x94d049bb133111eb; z ^= z >> 31`
/// (Steele, Lea, Flood, OOPSLA 2014).
#[inline]
#[must_use]
pub const fn mix64(z: u64) -> u64 {
    mix_between(z, 0)
}

/// [`mix64`] with `word` added after the first multiplication: a bijection in `z` for each `word`.
#[inline]
#[must_use]
pub const fn mix_between(mut z: u64, word: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(word);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The exclusive or of both words of the 128-bit product: one multiplication, not a bijection.
#[inline]
#[must_use]
pub const fn fold_multiply(left: u64, right: u64) -> u64 {
    let product = left as u128 * right as u128;
    (product as u64) ^ ((product >> 64) as u64)
}

/// 2^64 divided by the golden ratio, rounded to odd: the increment of SplitMix64.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The words that a family draws from its seed: word `i = 1, 2, ...` is `mix64(mix64(seed ^ tag) + i G)`,
/// `G = 0x9e3779b97f4a7c15` (SplitMix64 from a mixed start, so that no two near seeds share a stretch).
#[derive(Clone, Debug)]
pub(crate) struct SeedStream(u64);

impl SeedStream {
    /// The stream of `seed` for the family that owns `tag` (eight ASCII bytes).
    pub(crate) const fn new(tag: [u8; 8], seed: u64) -> Self {
        Self(mix64(seed ^ u64::from_le_bytes(tag)))
    }

    /// The next word.
    pub(crate) const fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix64(self.0)
    }

    /// The next two words as one, the first one low.
    pub(crate) const fn wide(&mut self) -> u128 {
        let low = self.word();
        (self.word() as u128) << 64 | low as u128
    }
}
