//! Are any two positions of a key independent, for the default derivation?
mod common;

use common::{ALPHA, digests, positions, uniform_tail};
use hashing::{DefaultDerivation, Derivation};

const DEFAULT: (&str, &str) = (DefaultDerivation::SCHEME, DefaultDerivation::REDUCTION);

/// The worst tail of Pearson's statistic over all pairs of the first `count` positions.
fn worst_pair(pair: (&str, &str), keys: u64, range: usize, count: usize) -> (f64, (usize, usize)) {
    let found = positions(pair, &digests(0, keys), 77, range as u64, count);
    let mut worst = (1.0, (0, 0));
    for i in 0..count {
        for j in i + 1..count {
            let mut cells = vec![0u64; range * range];
            found.iter().for_each(|positions| cells[positions[i] as usize * range + positions[j] as usize] += 1);
            let tail = uniform_tail(&cells);
            if tail < worst.0 {
                worst = (tail, (i, j));
            }
        }
    }
    worst
}

/// Null: `(position i, position j)` is uniform over `m^2` cells. Pearson's statistic over 2^20 keys, alpha
/// 1e-7 for each of 120 pairs; sees a root-mean-square deviation of a cell of 1.3 % at m = 16. Powers of
/// two, at which weak low or high bits would show, and a range that shares no factor with them.
#[test]
fn the_default_has_independent_pairs() {
    for range in [16, 15, 64] {
        let (tail, pair) = worst_pair(DEFAULT, 1 << 20, range, 16);
        assert!(tail > ALPHA, "m = {range}: positions {pair:?} have tail {tail:e}");
    }
}

/// The test has teeth: it refuses pairs that are known to be dependent, even a single doubled diagonal.
#[test]
fn dependent_pairs_are_seen() {
    for pair in [("worm", "multiply-shift"), ("multiplicative", "modulo"), ("double", "modulo")] {
        assert!(worst_pair(pair, 1 << 18, 16, 8).0 < 1e-100, "{pair:?}");
    }
}

/// Null: three positions are uniform over `m^3` cells at m = 16 (4096 cells, 2^20 keys, alpha 1e-7); sees a
/// root-mean-square deviation of 2.6 %.
#[test]
fn the_default_has_independent_triples() {
    let found = positions(DEFAULT, &digests(0, 1 << 20), 77, 16, 8);
    for (i, j, k) in [(0, 1, 2), (0, 1, 7), (0, 2, 4), (0, 3, 6), (1, 4, 6), (5, 6, 7)] {
        let mut cells = vec![0u64; 4096];
        found.iter().for_each(|p| cells[(p[i] << 8 | p[j] << 4 | p[k]) as usize] += 1);
        let tail = uniform_tail(&cells);
        assert!(tail > ALPHA, "positions {i}, {j}, {k} have tail {tail:e}");
    }
}
