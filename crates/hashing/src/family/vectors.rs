//! Published test vectors of the byte families.

use super::bytes::{ByteHash, Fnv1a, Sha256, SipHash13, SipHash24, Xxh3, Xxh64};

/// `length` bytes 0, 1, 2, ...
fn counting(length: usize) -> Vec<u8> {
    (0..length).map(|byte| byte as u8).collect()
}

/// Words of the reference key 00 01 .. 0f.
const SIP_KEY: (u64, u64) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908);

/// The reference implementation's vectors (key 00..0f, messages 00, 00 01, ...); length 15 is the example
/// of the paper's appendix A.
#[test]
fn siphash_2_4() {
    let hash = SipHash24::with_key(SIP_KEY);
    let vectors = [
        (0, 0x726f_db47_dd0e_0e31),
        (1, 0x74f8_39c5_93dc_67fd),
        (7, 0xab02_00f5_8b01_d137),
        (8, 0x93f5_f579_9a93_2462),
        (15, 0xa129_ca61_49be_45e5),
        (63, 0x958a_324c_eb06_4572),
    ];
    for (length, expected) in vectors {
        assert_eq!(hash.bytes(&counting(length)), expected, "{length} bytes");
    }
}

/// The reference implementation's first vector with one and three rounds, and the standard library's
/// hasher, which is SipHash-1-3 with the key 0.
#[test]
fn siphash_1_3() {
    use std::hash::{DefaultHasher, Hasher};
    assert_eq!(SipHash13::with_key(SIP_KEY).bytes(b""), 0xabac_0158_050f_c4dc);
    let hash = SipHash13::with_key((0, 0));
    for length in 0..100 {
        let mut standard = DefaultHasher::new();
        standard.write(&counting(length));
        assert_eq!(hash.bytes(&counting(length)), standard.finish(), "{length} bytes");
    }
}

/// FIPS 180-4's example messages: "abc", and the one of 56 bytes, whose first 8 are given as the seed.
#[test]
fn sha_256() {
    let abc: [u8; 32] = <sha2::Sha256 as sha2::Digest>::digest(b"abc").into();
    assert_eq!(abc[..8], [0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea]);
    let (seed, rest) = (u64::from_le_bytes(*b"abcdbcde"), b"cdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
    let expected = u64::from_le_bytes([0x24, 0x8d, 0x6a, 0x61, 0xd2, 0x06, 0x38, 0xb8]);
    assert_eq!(Sha256::new(seed).bytes(rest), expected);
}

/// The authors' vectors; the seed is hashed as the first 8 bytes would be.
#[test]
fn fnv_1a() {
    assert_eq!(Fnv1a::run(Fnv1a::OFFSET, b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(Fnv1a::run(Fnv1a::OFFSET, b"a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(Fnv1a::run(Fnv1a::OFFSET, b"foobar"), 0x8594_4171_f739_67e8);
    let seed = u64::from_le_bytes(*b"chongo w");
    assert_eq!(Fnv1a::new(seed).bytes(b"as here!\n"), 0x4681_0940_eff5_f915);
}

/// Sanity values of both, and a second implementation over all paths of both (lengths up to 600 bytes).
#[test]
fn xxh3_and_xxh64() {
    use twox_hash::{XxHash3_64, XxHash64};
    assert_eq!([Xxh64::new(0).bytes(b""), Xxh64::new(0).bytes(b"a")], [0xef46_db37_51d8_e999, 0xd24e_c4f1_a98c_6e5b]);
    assert_eq!(Xxh64::new(0).bytes(b"abc"), 0x44bc_2cf5_ad77_0999);
    assert_eq!([Xxh3::new(0).bytes(b""), Xxh3::new(0).bytes(b"a")], [0x2d06_8005_38d3_94c2, 0xe6c6_32b6_1e96_4e1f]);
    assert_eq!(Xxh3::new(0).bytes(b"abc"), 0x78af_5f94_892f_3950);
    for length in 0..600 {
        let bytes = counting(length);
        for seed in [0, 1, 0x9e37_79b1, u64::MAX] {
            let oracle = XxHash3_64::oneshot_with_seed(seed, &bytes);
            assert_eq!(Xxh3::new(seed).bytes(&bytes), oracle, "XXH3, {length} bytes, seed {seed}");
            assert_eq!(Xxh64::new(seed).bytes(&bytes), XxHash64::oneshot(seed, &bytes), "XXH64, {length}, {seed}");
        }
    }
}

/// What the doc of [`Xxh3`] says of short keys, at 8 bytes: with `s' = s ^ swap_bytes(low half) << 32` the
/// function of seed `s` is a fixed one of `key' ^ (F - s')`, where `key'` has the halves swapped and `F`
/// is the xor of the second and third word of XXH3's default secret.
#[test]
fn another_seed_of_xxh3_is_an_xor_on_short_keys() {
    let secret = u64::from_le_bytes([0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c])
        ^ u64::from_le_bytes([0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb]);
    let enter = |seed: u64| secret.wrapping_sub(seed ^ u64::from((seed as u32).swap_bytes()) << 32);
    for (one, two) in [(0, 1), (1, 2), (42, u64::MAX)] {
        let xor = (enter(one) ^ enter(two)).rotate_left(32);
        for key in (0..1000u64).map(|key| key.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
            assert_eq!(Xxh3::new(one).u64(key), Xxh3::new(two).u64(key ^ xor), "seeds {one} and {two}");
        }
    }
}
