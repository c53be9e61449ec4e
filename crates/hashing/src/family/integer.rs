//! The families that hash `u64` keys, with what is proven of each.

use std::fmt;

use super::Mixer;
use super::control::{AddSeed, Identity};
use crate::mix::SeedStream;

/// A seeded function of `u64`.
pub(crate) trait IntegerHash {
    fn u64(&self, key: u64) -> u64;
}

impl IntegerHash for Mixer {
    #[inline]
    fn u64(&self, key: u64) -> u64 {
        self.hash(key)
    }
}

/// Simple tabulation: the xor of one random word for each of the key's 8 bytes, from 8 tables of 256
/// words that the seed's stream fills.
///
/// 3-independent and not 4-independent; behaves like full randomness in many algorithms all the same
/// (Zobrist 1970; Patrascu and Thorup, "The Power of Simple Tabulation Hashing", JACM 2012). Where it does
/// not: of keys that are all combinations of `b` bytes the chi-square of bucket counts has the right mean over
/// seeds and `(3^b - 1) / 2` times its variance (the test below computes it).
#[derive(Clone)]
pub(crate) struct Tabulation(Box<[[u64; 256]; 8]>);

impl Tabulation {
    pub(crate) fn new(seed: u64) -> Self {
        let mut words = SeedStream::new(*b"tabulat1", seed);
        let mut tables = Box::new([[0; 256]; 8]);
        tables.iter_mut().flatten().for_each(|entry| *entry = words.word());
        Self(tables)
    }
}

impl fmt::Debug for Tabulation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Tabulation(8 tables of 256 words)")
    }
}

impl IntegerHash for Tabulation {
    #[inline]
    fn u64(&self, key: u64) -> u64 {
        key.to_le_bytes().iter().zip(self.0.iter()).fold(0, |hash, (byte, table)| hash ^ table[usize::from(*byte)])
    }
}

/// `((a x + b) mod 2^128) >> 64` with 128-bit words `a, b` of the seed's stream.
///
/// Strongly universal (2-independent) over random `a, b`: Dietzfelbinger, "Universal hashing and k-wise
/// independent random variables via integer arithmetic without primes", STACS 1996, for the case that the
/// modulus is at least keys times values. It is linear up to a carry: the digests of an arithmetic
/// progression of keys are one too, so distances between them repeat, whatever the seed.
#[derive(Clone, Debug)]
pub(crate) struct MultiplyShift {
    a: u128,
    b: u128,
}

impl MultiplyShift {
    pub(crate) fn new(seed: u64) -> Self {
        let mut words = SeedStream::new(*b"mulshift", seed);
        Self { a: words.wide(), b: words.wide() }
    }
}

impl IntegerHash for MultiplyShift {
    #[inline]
    fn u64(&self, key: u64) -> u64 {
        (self.a.wrapping_mul(u128::from(key)).wrapping_add(self.b) >> 64) as u64
    }
}

/// The Mersenne prime 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

/// `h = (a x + b) mod p` with `p = 2^61 - 1` and `a, b` in `0..p` from the seed's stream; the digest is
/// `h << 3 | h >> 58`, which spreads the 61 bits evenly over 64 and keeps their order.
///
/// Strongly universal (2-independent) on keys below `p` over random `a, b` (Carter and Wegman 1979). Keys
/// are reduced modulo `p` first: `x` and `x + p` collide under every seed. There are `p` digests only, and
/// their three lowest bits repeat the three highest. Linear as multiply-shift is.
#[derive(Clone, Debug)]
pub(crate) struct AffinePrime {
    a: u64,
    b: u64,
}

impl AffinePrime {
    pub(crate) fn new(seed: u64) -> Self {
        let mut words = SeedStream::new(*b"affine-p", seed);
        // 128-bit words make the remainders uniform to within 2^-67.
        let mut below = || (words.wide() % u128::from(PRIME)) as u64;
        Self { a: below(), b: below() }
    }
}

/// `x mod (2^61 - 1)` for `x` below 2^124: the prime is 1 short of 2^61, so the high part is added.
#[inline]
fn modulo_prime(x: u128) -> u64 {
    let once = (x as u64 & PRIME) + (x >> 61) as u64;
    let twice = (once & PRIME) + (once >> 61);
    if twice >= PRIME { twice - PRIME } else { twice }
}

impl IntegerHash for AffinePrime {
    #[inline]
    fn u64(&self, key: u64) -> u64 {
        let key = modulo_prime(u128::from(key));
        let h = modulo_prime(u128::from(self.a) * u128::from(key) + u128::from(self.b));
        h << 3 | h >> 58
    }
}

/// A seeded function of any of the integer families.
#[derive(Clone, Debug)]
pub(crate) enum Seeded {
    Mixer(Mixer),
    Tabulation(Tabulation),
    MultiplyShift(MultiplyShift),
    AffinePrime(AffinePrime),
    Identity(Identity),
    AddSeed(AddSeed),
}

/// Runs `$body` with `$hash` bound to the function, compiled once for each family.
macro_rules! each_integer_family {
    ($seeded:expr, $hash:ident => $body:expr) => {
        match $seeded {
            $crate::family::integer::Seeded::Mixer($hash) => $body,
            $crate::family::integer::Seeded::Tabulation($hash) => $body,
            $crate::family::integer::Seeded::MultiplyShift($hash) => $body,
            $crate::family::integer::Seeded::AffinePrime($hash) => $body,
            $crate::family::integer::Seeded::Identity($hash) => $body,
            $crate::family::integer::Seeded::AddSeed($hash) => $body,
        }
    };
}
pub(crate) use each_integer_family;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modulo_the_prime() {
        let p = u128::from(PRIME);
        let edges = [0, 1, p - 1, p, p + 1, 2 * p - 1, 2 * p, u128::from(u64::MAX), p * p - 1, p * p, (1 << 124) - 1];
        for x in edges {
            assert_eq!(u128::from(modulo_prime(x)), x % p, "{x}");
        }
    }

    /// The formulas, in wider or slower arithmetic.
    #[test]
    fn closed_forms() {
        for seed in [0, 1, u64::MAX] {
            let affine = AffinePrime::new(seed);
            assert!(affine.a < PRIME && affine.b < PRIME);
            let tables = Tabulation::new(seed);
            for key in [0, 1, 255, 256, PRIME - 1, PRIME, PRIME + 1, u64::MAX] {
                let p = u128::from(PRIME);
                let h = ((u128::from(affine.a) * (u128::from(key) % p) + u128::from(affine.b)) % p) as u64;
                assert_eq!(affine.u64(key), (h << 3) + (h >> 58));
                let xor = (0..8).map(|i| tables.0[i][(key >> (8 * i)) as usize & 255]).fold(0, |x, y| x ^ y);
                assert_eq!(tables.u64(key), xor);
            }
            assert_eq!(affine.u64(5), affine.u64(5 + PRIME), "keys equal modulo p");
        }
        let small = MultiplyShift { a: (3 << 64) + (1 << 63), b: 1 << 63 };
        assert_eq!([small.u64(0), small.u64(1), small.u64(2)], [0, 4, 7]);
    }

    /// Mean and variance over seeds of chi-square over degrees of freedom, 16 buckets, for the 4096 keys whose
    /// bytes 2, 3 and 4 run through 16 values each. In the Walsh basis of the buckets the statistic is the mean
    /// of 15 squared products of three sums of 16 signs, uncorrelated in pairs: each has the mean 1 and the
    /// second moment ((3 * 16 - 2) / 16)^3, where independent digests have about 3.
    #[test]
    fn tabulation_has_the_mean_of_three_independent_digests_and_not_the_variance() {
        let keys = || (0..4096u64).map(|i| (i & 15) << 16 | (i >> 4 & 15) << 24 | (i >> 8) << 32);
        let over_seeds = |digest: &dyn Fn(u64) -> Box<dyn Fn(u64) -> u64>| {
            let ratios: Vec<f64> = (0..4000)
                .map(|seed| {
                    let hash = digest(seed);
                    let mut counts = [0f64; 16];
                    keys().for_each(|key| counts[(hash(key) >> 60) as usize] += 1.0);
                    counts.iter().map(|count| (count - 256.0).powi(2) / 256.0).sum::<f64>() / 15.0
                })
                .collect();
            let mean = ratios.iter().sum::<f64>() / 4000.0;
            (mean, ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / 3999.0)
        };
        let (mean, variance) = over_seeds(&|seed| {
            let hash = Tabulation::new(seed);
            Box::new(move |key| hash.u64(key))
        });
        let expected = ((46f64 / 16.0).powi(3) - 1.0) / 15.0;
        assert!((mean - 1.0).abs() < 5.0 * (expected / 4000.0).sqrt(), "mean {mean}");
        assert!((variance / expected - 1.0).abs() < 0.25, "variance {variance}, expected {expected}");
        let (mean, variance) = over_seeds(&|seed| {
            let hash = Mixer::new(seed);
            Box::new(move |key| hash.hash(key))
        });
        assert!((mean - 1.0).abs() < 0.03, "mean {mean}");
        assert!((variance * 15.0 / 2.0 - 1.0).abs() < 0.15, "variance {variance}, expected {}", 2.0 / 15.0);
    }
}
