//! Mixing of 64-bit words.

/// The finaliser of SplitMix64 in Stafford's variant 13: a bijection of 64-bit words.
///
/// `z ^= z >> 30; z *= 0xbf58476d1ce4e5b9; z ^= z >> 27; z *= 0x94d049bb133111eb; z ^= z >> 31`
/// (Steele, Lea, Flood, OOPSLA 2014).
#[inline]
#[must_use]
pub const fn mix64(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
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
