//! What the integration tests share. Statistical assertions have alpha = 1e-7 each and fixed seeds.
#![allow(dead_code, reason = "each test file uses its part")]

use amq::Digest;
use hashing::{Derivation, DerivationVisitor, Mixer, REDUCTIONS, SCHEMES, SeedWords, with_derivation};
use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF};

/// The chance that an assertion fails on right code.
pub const ALPHA: f64 = 1e-7;

/// Every scheme with every reduction.
pub fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCHEMES.iter().flat_map(|scheme| REDUCTIONS.iter().map(move |reduction| (*scheme, *reduction)))
}

/// Digests of the keys `from..to`, by the default hash with a fixed seed.
pub fn digests(from: u64, to: u64) -> Vec<Digest> {
    let mixer = Mixer::new(0x5eed);
    (from..to).map(|key| Digest(mixer.hash(key))).collect()
}

struct Positions<'a> {
    digests: &'a [Digest],
    seed: u64,
    range: u64,
    count: usize,
}

impl DerivationVisitor for Positions<'_> {
    type Out = Vec<Vec<u64>>;
    fn visit<D: Derivation>(self) -> Self::Out {
        let seed = SeedWords::new(self.seed);
        let positions = |digest: &Digest| D::positions(*digest, &seed, self.range).take(self.count).collect();
        self.digests.iter().map(positions).collect()
    }
}

/// The first `count` positions of every digest.
pub fn positions(pair: (&str, &str), digests: &[Digest], seed: u64, range: u64, count: usize) -> Vec<Vec<u64>> {
    with_derivation(pair.0, pair.1, Positions { digests, seed, range, count }).expect("names of the catalogue")
}

/// A Bloom filter of `m` bits and `k` positions, in the plainest form, and its hits among other keys.
struct Hits<'a> {
    members: &'a [Digest],
    absent: &'a [Digest],
    seed: u64,
    m: u64,
    k: usize,
}

impl DerivationVisitor for Hits<'_> {
    type Out = Vec<Digest>;
    fn visit<D: Derivation>(self) -> Vec<Digest> {
        let seed = SeedWords::new(self.seed);
        let mut bits = vec![false; self.m as usize];
        for digest in self.members {
            D::positions(*digest, &seed, self.m).take(self.k).for_each(|position| bits[position as usize] = true);
        }
        let hit = |digest: &&Digest| D::positions(**digest, &seed, self.m).take(self.k).all(|p| bits[p as usize]);
        self.absent.iter().filter(hit).copied().collect()
    }
}

/// The keys of `absent` that a filter of `members` answers with yes.
pub fn hits(pair: (&str, &str), members: &[Digest], absent: &[Digest], seed: u64, (m, k): (u64, usize)) -> Vec<Digest> {
    with_derivation(pair.0, pair.1, Hits { members, absent, seed, m, k }).expect("names of the catalogue")
}

/// Fails unless `count` of `trials` is within the two-sided exact binomial bounds of probability `p`.
pub fn assert_binomial(what: &str, count: u64, trials: u64, p: f64) {
    if p == 0.0 || p == 1.0 {
        assert_eq!(count as f64, p * trials as f64, "{what}");
        return;
    }
    let binomial = Binomial::new(p, trials).expect("a probability");
    let (at_most, at_least) = (binomial.cdf(count), if count == 0 { 1.0 } else { binomial.sf(count - 1) });
    let tail = at_most.min(at_least);
    assert!(tail > ALPHA / 2.0, "{what}: {count} of {trials}, expected {}, tail {tail:e}", p * trials as f64);
}

/// The upper tail of Pearson's statistic for equally likely cells.
pub fn uniform_tail(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let statistic: f64 = counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum();
    ChiSquared::new((counts.len() - 1) as f64).expect("two cells at least").sf(statistic)
}
