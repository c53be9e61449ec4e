//! MurmurHash3 of slices, in both forms that are in wide use.
//!
//! Written from the published definition (Austin Appleby, MurmurHash3, 2011, public domain), which reads
//! native words on a little-endian machine; here the words are little-endian everywhere. The tests run
//! the verification procedure of SMHasher over both.

/// A little-endian word of up to 8 bytes.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// The finaliser of the 32-bit form.
fn finish32(mut h: u32) -> u32 {
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// The finaliser of the 64-bit words.
fn finish64(mut h: u64) -> u64 {
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

/// `MurmurHash3_x86_32`.
#[must_use]
pub fn x86_32(bytes: &[u8], seed: u32) -> u32 {
    let scramble = |k: u32| k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut h = seed;
    for block in blocks {
        h = (h ^ scramble(u32::from_le_bytes(*block))).rotate_left(13);
        h = h.wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    // An empty tail is the word 0, which scrambles to 0.
    h ^= scramble(word(tail) as u32);
    finish32(h ^ bytes.len() as u32)
}

/// `MurmurHash3_x64_128`, as its two 64-bit words.
#[must_use]
pub fn x64_128(bytes: &[u8], seed: u32) -> [u64; 2] {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let scramble1 = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let scramble2 = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    let (blocks, tail) = bytes.as_chunks::<16>();
    let mut h1 = u64::from(seed);
    let mut h2 = u64::from(seed);
    for block in blocks {
        let (low, high) = (u128::from_le_bytes(*block) as u64, (u128::from_le_bytes(*block) >> 64) as u64);
        h1 = (h1 ^ scramble1(low)).rotate_left(27).wrapping_add(h2);
        h1 = h1.wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 = (h2 ^ scramble2(high)).rotate_left(31).wrapping_add(h1);
        h2 = h2.wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let (low, high) = tail.split_at(tail.len().min(8));
    h1 ^= scramble1(word(low)) ^ bytes.len() as u64;
    h2 ^= scramble2(word(high)) ^ bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = finish64(h1);
    h2 = finish64(h2);
    h1 = h1.wrapping_add(h2);
    [h1, h2.wrapping_add(h1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SMHasher's verification: keys {}, {0}, {0, 1}, ... up to 255 bytes with seed 256 - length, the
    /// hashes concatenated, hashed again with seed 0, first four bytes.
    fn verification(hash: impl Fn(&[u8], u32) -> Vec<u8>) -> u32 {
        let key: Vec<u8> = (0..=255).collect();
        let hashes: Vec<u8> = (0..256).flat_map(|length| hash(&key[..length], 256 - length as u32)).collect();
        word(&hash(&hashes, 0)[..4]) as u32
    }

    #[test]
    fn smhasher_verification_values() {
        assert_eq!(verification(|bytes, seed| x86_32(bytes, seed).to_le_bytes().to_vec()), 0xb0f5_7ee3);
        let wide = |bytes: &[u8], seed| x64_128(bytes, seed).map(u64::to_le_bytes).concat();
        assert_eq!(verification(wide), 0x6384_ba69);
    }

    /// Single values that other libraries print.
    #[test]
    fn known_values() {
        assert_eq!(x86_32(b"", 0), 0);
        assert_eq!(x86_32(b"hello", 0), 613_153_351);
        assert_eq!(x86_32(b"hello", 123), 1_573_043_710);
        assert_eq!(x86_32(b"helloworld", 0), 2_687_965_642);
        assert_eq!(x64_128(b"", 0), [0, 0]);
    }
}
