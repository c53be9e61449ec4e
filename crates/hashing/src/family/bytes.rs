//! The families that hash strings of bytes. Each `u64` is hashed as its 8 little-endian bytes.

use std::hash::{BuildHasher, Hasher as _};

use sha2::Digest as _;

use super::murmur3;
use crate::mix::{SeedStream, mix64};

/// A seeded function of bytes.
pub(crate) trait ByteHash {
    fn bytes(&self, key: &[u8]) -> u64;

    #[inline]
    fn u64(&self, key: u64) -> u64 {
        self.bytes(&key.to_le_bytes())
    }
}

/// XXH3 with 64 bits (Yann Collet; crate `xxhash-rust`), seeded by its own seed parameter.
///
/// The seed enters as words combined with the key's words before they are multiplied. For keys of up to
/// 16 bytes this means that a change of the seed equals an xor of the key by a constant, so that a set of
/// keys closed under that xor has the same digests under both seeds.
#[derive(Clone, Debug)]
pub(crate) struct Xxh3(u64);

impl Xxh3 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }
}

impl ByteHash for Xxh3 {
    #[inline]
    fn bytes(&self, key: &[u8]) -> u64 {
        xxhash_rust::xxh3::xxh3_64_with_seed(key, self.0)
    }
}

/// XXH64 (Yann Collet; crate `xxhash-rust`), seeded by its own seed parameter: the start of the state.
#[derive(Clone, Debug)]
pub(crate) struct Xxh64(u64);

impl Xxh64 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }
}

impl ByteHash for Xxh64 {
    #[inline]
    fn bytes(&self, key: &[u8]) -> u64 {
        xxhash_rust::xxh64::xxh64(key, self.0)
    }
}

/// The 32-bit seed of both MurmurHash3 forms: the xor of the halves. Seeds below 2^32 are the published
/// ones; two seeds whose halves have the same xor are the same function.
fn fold_seed(seed: u64) -> u32 {
    (seed ^ (seed >> 32)) as u32
}

/// MurmurHash3 x64 128 (Austin Appleby 2011), the first of its two words.
///
/// Keys that collide under every seed are known (Aumasson and Bernstein 2012).
#[derive(Clone, Debug)]
pub(crate) struct Murmur3X64(u32);

impl Murmur3X64 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fold_seed(seed))
    }
}

impl ByteHash for Murmur3X64 {
    #[inline]
    fn bytes(&self, key: &[u8]) -> u64 {
        murmur3::x64_128(key, self.0)[0]
    }
}

/// MurmurHash3 x86 32 (Austin Appleby 2011), spread over 64 bits by `mix64`.
///
/// There are only 2^32 digests, so every false-positive rate has a floor of about `n * 2^-32`: 0.02 % at
/// a million keys. It is here to show that floor.
#[derive(Clone, Debug)]
pub(crate) struct Murmur3X86(u32);

impl Murmur3X86 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fold_seed(seed))
    }
}

impl ByteHash for Murmur3X86 {
    #[inline]
    fn bytes(&self, key: &[u8]) -> u64 {
        mix64(u64::from(murmur3::x86_32(key, self.0)))
    }
}

/// FNV-1a with 64 bits (Fowler, Noll, Vo), run over the seed's 8 little-endian bytes and then the key.
///
/// What is kept is the state after the seed. The last byte of a key is followed by one multiplication by
/// 2^40 + 0x1b3 only, so it changes the bits 18 to 39 and 48 to 63 by carries only: keys that differ in
/// their last byte share their highest bits, which a multiply-shift reduction looks at.
#[derive(Clone, Debug)]
pub(crate) struct Fnv1a(u64);

impl Fnv1a {
    pub(super) const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

    pub(crate) fn new(seed: u64) -> Self {
        Self(Self::run(Self::OFFSET, &seed.to_le_bytes()))
    }

    #[inline]
    pub(super) fn run(state: u64, bytes: &[u8]) -> u64 {
        bytes.iter().fold(state, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}

impl ByteHash for Fnv1a {
    #[inline]
    fn bytes(&self, key: &[u8]) -> u64 {
        Self::run(self.0, key)
    }
}

/// The 128-bit key of both SipHash forms: the seed, and a word mixed from it.
fn sip_key(seed: u64) -> (u64, u64) {
    (seed, SeedStream::new(*b"siphash1", seed).word())
}

/// SipHash-1-3 (Aumasson and Bernstein 2012 with fewer rounds; crate `siphasher`), keyed by the seed.
#[derive(Clone, Debug)]
pub(crate) struct SipHash13(siphasher::sip::SipHasher13);

impl SipHash13 {
    pub(crate) fn new(seed: u64) -> Self {
        Self::with_key(sip_key(seed))
    }

    pub(super) fn with_key((low, high): (u64, u64)) -> Self {
        Self(siphasher::sip::SipHasher13::new_with_keys(low, high))
    }
}

impl ByteHash for SipHash13 {
    #[inline]
    fn bytes(&self, key: &[u8]) -> u64 {
        self.0.hash(key)
    }
}

/// SipHash-2-4 (Aumasson and Bernstein 2012; crate `siphasher`), keyed by the seed. A pseudo-random
/// function for whoever does not know the key, of which 64 bits are free here.
#[derive(Clone, Debug)]
pub(crate) struct SipHash24(siphasher::sip::SipHasher24);

impl SipHash24 {
    pub(crate) fn new(seed: u64) -> Self {
        Self::with_key(sip_key(seed))
    }

    pub(super) fn with_key((low, high): (u64, u64)) -> Self {
        Self(siphasher::sip::SipHasher24::new_with_keys(low, high))
    }
}

impl ByteHash for SipHash24 {
    #[inline]
    fn bytes(&self, key: &[u8]) -> u64 {
        self.0.hash(key)
    }
}

/// SHA-256 (FIPS 180-4; crate `sha2`) of the seed's 8 little-endian bytes and the key: the first 8 bytes
/// of the digest, little-endian.
#[derive(Clone, Debug)]
pub(crate) struct Sha256([u8; 8]);

impl Sha256 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.to_le_bytes())
    }
}

impl ByteHash for Sha256 {
    #[inline]
    fn bytes(&self, key: &[u8]) -> u64 {
        let whole: [u8; 32] = sha2::Sha256::new().chain_update(self.0).chain_update(key).finalize().into();
        let [first @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = whole;
        u64::from_le_bytes(first)
    }
}

/// The hash of crate `ahash`, seeded by four words of the seed's stream.
///
/// Not stable: where the build allows AES instructions it is another function. Nothing saved or compared
/// may depend on it.
#[derive(Clone, Debug)]
pub(crate) struct AHash(ahash::RandomState);

impl AHash {
    pub(crate) fn new(seed: u64) -> Self {
        let mut words = SeedStream::new(*b"ahash..1", seed);
        let mut word = || words.word();
        Self(ahash::RandomState::with_seeds(word(), word(), word(), word()))
    }
}

impl ByteHash for AHash {
    #[inline]
    fn bytes(&self, key: &[u8]) -> u64 {
        let mut hasher = self.0.build_hasher();
        hasher.write(key);
        hasher.finish()
    }
}

/// A seeded function of any of the byte families.
#[derive(Clone, Debug)]
pub(crate) enum Seeded {
    Xxh3(Xxh3),
    Murmur3X64(Murmur3X64),
    Murmur3X86(Murmur3X86),
    Xxh64(Xxh64),
    Fnv1a(Fnv1a),
    SipHash13(SipHash13),
    SipHash24(SipHash24),
    Sha256(Sha256),
    AHash(AHash),
}

/// Runs `$body` with `$hash` bound to the function, compiled once for each family.
macro_rules! each_byte_family {
    ($seeded:expr, $hash:ident => $body:expr) => {
        match $seeded {
            $crate::family::bytes::Seeded::Xxh3($hash) => $body,
            $crate::family::bytes::Seeded::Murmur3X64($hash) => $body,
            $crate::family::bytes::Seeded::Murmur3X86($hash) => $body,
            $crate::family::bytes::Seeded::Xxh64($hash) => $body,
            $crate::family::bytes::Seeded::Fnv1a($hash) => $body,
            $crate::family::bytes::Seeded::SipHash13($hash) => $body,
            $crate::family::bytes::Seeded::SipHash24($hash) => $body,
            $crate::family::bytes::Seeded::Sha256($hash) => $body,
            $crate::family::bytes::Seeded::AHash($hash) => $body,
        }
    };
}
pub(crate) use each_byte_family;

impl Seeded {
    /// The hash of `key`.
    #[inline]
    pub(crate) fn bytes(&self, key: &[u8]) -> u64 {
        each_byte_family!(self, hash => hash.bytes(key))
    }
}
