//! What a derivation scheme adds to the rate of independent positions.
//!
//! A query is positive by chance, or for one of two structural reasons: its own positions coincide (*collapse*:
//! `collapse`, and the same for the other reductions in `high` and `wide`), or they coincide with those of
//! one key (*pairs*: `lattice` says which, `cover` what it does to the rate).
//!
//! | scheme | `modulo` | `wide-modulo` | `multiply-shift` |
//! |---|---|---|---|
//! | independent | - | - | - |
//! | double, double-halves, double-odd | orders of `b`; all chains | the same, broken by wraps | rows of cells; all chains |
//! | extended | folds; diagonals | the same, broken by wraps | as double |
//! | enhanced | identity | the same, broken by wraps | as double |
//! | triple | folds, orders; chains, `n/m^3` | a lower bound | folds, orders |
//! | worm, multiplicative | even ranges: parts of the array | the same | - |
//!
//! Both are taken to first order, one reason and one key, but for folded queries with pairs and for small
//! subgroups. Coincidences of two positions (of three for triple hashing) are as frequent as among independent ones,
//! and left out, unless the range has small divisors. A range that is a power of two makes `wide-modulo` the same as
//! `modulo`.

mod collapse;
mod cover;
mod high;
mod lattice;
mod points;
mod residues;
mod ring;
mod subgroups;
mod wide;

use amq::{Claim, Prediction};

use crate::fpr::fpr_exact;
use cover::Cover;
use lattice::{Chains, Parity};
use ring::Ring;

/// The rate a derivation adds to that of independent positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// A probability.
    pub rate: f64,
    /// The largest relative error of `rate`; `None` where `rate` is only a lower bound.
    pub rel: Option<f64>,
    /// Where it comes from; empty for faithful schemes.
    pub source: &'static str,
}

impl Floor {
    /// The floor of schemes whose positions are as good as independent.
    pub const NONE: Floor = Floor { rate: 0.0, rel: Some(0.0), source: "" };

    /// The prediction for a filter whose rate with independent positions is `rate`, exactly.
    #[must_use]
    pub fn add_to(self, rate: f64, source: &'static str) -> Prediction {
        let sum = (rate + self.rate).min(1.0);
        match self.rel {
            Some(rel) if rel * self.rate == 0.0 => Prediction { rate: sum, claim: Claim::Exact, source },
            Some(rel) => {
                Prediction { rate: sum, claim: Claim::Approximate { rel: rel * self.rate / sum }, source: self.source }
            }
            None => Prediction { rate: sum, claim: Claim::AtLeast, source: self.source },
        }
    }
}

/// Whether positions are as good as independent, so that a filter's rate follows from its fill.
#[must_use]
pub fn is_faithful(scheme: &str, reduction: &str) -> bool {
    matches!((scheme, reduction), ("independent" | "reseeded", _) | ("multiplicative" | "worm", "multiply-shift"))
}

/// The largest relative errors of floors seen, rounded up: in simulations with ranges from 96 to 32,768, and in
/// enumerations of all words for ranges about 120.
mod error {
    /// Double hashing, and all in slices.
    pub fn double(range: u64, k: u64) -> Option<f64> {
        Some(if wide(range, k) { 0.15 } else { 0.25 })
    }

    /// Extended and enhanced hashing in one array.
    pub fn refined(range: u64, k: u64) -> Option<f64> {
        Some(if wide(range, k) { 0.2 } else { 0.4 })
    }

    /// Few keys have two coinciding positions.
    fn wide(range: u64, k: u64) -> bool {
        range >= 40 * k
    }

    /// Triple hashing modulo the range.
    pub const TRIPLE: f64 = 0.4;
    /// Triple hashing with multiply-shift.
    pub const TRIPLE_HIGH: f64 = 0.6;
    /// Keys in parts of the array.
    pub const PARTS: f64 = 0.15;
    /// The same where a key's part has cycles, in which positions are not independent.
    pub const CYCLES: f64 = 0.25;
}

/// The floor in one shared array of `m` bits.
#[must_use]
pub fn shared_array(scheme: &str, reduction: &str, m: u64, k: u32, keys: u64) -> Floor {
    if is_faithful(scheme, reduction) || k < 3 || keys == 0 {
        return Floor::NONE;
    }
    if matches!(scheme, "worm" | "multiplicative") {
        return if m.is_multiple_of(2) { in_parts(scheme, m, k, keys) } else { Floor::NONE };
    }
    let scheme = if reduction == "multiply-shift" && scheme != "triple" { "double" } else { scheme };
    let ring = Ring::new(m, reduction == "wide-modulo", scheme == "double-odd");
    let cover = Cover::independent(m, k, keys);
    let wraps = !ring.is_seamless();
    let (pairs, chance, rel) = match (scheme, reduction) {
        ("triple", "multiply-shift") => (0.0, high::triple(m, k), Some(error::TRIPLE_HIGH)),
        ("triple", _) if wraps => {
            (cover.two() * collapse::excess_of_two(ring.common(), k.into()), high::triple(m, k), None)
        }
        ("triple", _) => {
            let curves = Chains::All.sum(k.into(), &collapse::curves(m, &cover), only_coprime) / m as f64;
            let twos = cover.two() * collapse::excess_of_two(m, k.into());
            (curves + twos, collapse::triple(m, k), Some(error::TRIPLE))
        }
        (_, "multiply-shift") => {
            let pairs = Chains::All.sum(k.into(), &high::gains(&cover), |l, _| high::weight(l));
            (pairs, high::double(m, k), error::double(m, k.into()))
        }
        ("extended", _) => {
            let pairs = progressions(&cover, ring, &ring.gains(&cover), Chains::Diagonal, Chains::All);
            if wraps {
                // Few wraps: there are pairs within small subgroups, which are not counted.
                let rel = if ring.few(k.into()).is_some() { None } else { error::refined(m, k.into()) };
                (pairs, ring.extended(k), rel)
            } else {
                (pairs + lattice::folded(&cover) / m as f64, collapse::extended(m, k), error::refined(m, k.into()))
            }
        }
        ("enhanced", _) => {
            let pairs = progressions(&cover, ring, &ring.gains(&cover), Chains::Identity, Chains::Identity);
            let chance = if wraps { collapse::pairs_only(m, k) } else { collapse::enhanced(m, k) };
            (pairs, chance, error::refined(m, k.into()))
        }
        _ => {
            let value = ring.gains(&cover);
            let pairs = progressions(&cover, ring, &value, Chains::All, Chains::All) + ring.subgroups(&cover, &value);
            let chance = if wraps { ring.double(k) } else { collapse::double(m, k, scheme == "double-odd") };
            // Halves of 32 bits do not reach all of a large range evenly.
            let rel = if scheme == "double-halves" && m > 1 << 28 { None } else { error::double(m, k.into()) };
            (pairs, chance, rel)
        }
    };
    let rate = keys as f64 * (m as f64).powi(-2) * pairs + collapse::excess(m, k, keys, &chance);
    let floor = Floor { rate: rate.clamp(0.0, 1.0), rel, source: "pairs of progressions and collapsed queries" };
    // Where a query is expected to have coinciding positions, several reasons come together: seen between a half
    // and four times of their sum.
    if m < u64::from(k * (k - 1) / 2) { Floor { rate: floor.rate / 4.0, rel: None, ..floor } } else { floor }
}

/// What coincidences with one key gain, in units of `1/m^2`: three and more on `chains`, and two more often than
/// independent ones in the steps of `twos`.
fn progressions(cover: &Cover, ring: Ring, value: &[f64], chains: Chains, twos: Chains) -> f64 {
    let k = cover.k as u64;
    chains.sum(k, value, |l, parity| ring.weight(k, l, parity))
        + cover.two() * twos.sum_pairs(k, |l, parity| ring.excess_of_two(l, parity))
}

fn only_coprime(l: u64, _: Parity) -> f64 {
    if l == 1 { 1.0 } else { 0.0 }
}

/// Schemes that keep a key in one part of an even range.
fn in_parts(scheme: &str, m: u64, k: u32, keys: u64) -> Floor {
    let (rate, rel) = match scheme {
        "worm" => (residues::worm(m, k, keys), error::PARTS),
        _ if m.is_power_of_two() => (residues::multiplicative(m, k, keys), error::PARTS),
        _ => (residues::multiplicative(m, k, keys), error::CYCLES),
    };
    by_parts(rate - fpr_exact(m, k, keys), rel)
}

fn by_parts(rate: f64, rel: f64) -> Floor {
    Floor { rate: rate.clamp(0.0, 1.0), rel: Some(rel), source: "each key in one part of the array, by a residue" }
}

/// The floor in `k` slices of `s` bits.
#[must_use]
pub fn slices(scheme: &str, reduction: &str, s: u64, k: u32, keys: u64) -> Floor {
    if is_faithful(scheme, reduction) || k < 3 || keys == 0 {
        return Floor::NONE;
    }
    let cover = Cover::slice(s, k, keys);
    if matches!(scheme, "worm" | "multiplicative") {
        if !s.is_multiple_of(2) {
            return Floor::NONE;
        }
        return by_parts(residues::slices(s, k, keys) - cover.replaced(), error::PARTS);
    }
    let ring = Ring::new(s, reduction == "wide-modulo", scheme == "double-odd");
    let k = u64::from(k);
    let (pairs, rel) = match (scheme, reduction) {
        ("triple", "multiply-shift") => (high::curves(&cover) / s as f64, Some(error::TRIPLE_HIGH)),
        ("triple", _) => {
            let twos = cover.two() * collapse::excess_of_two_in_slices(ring.common(), k);
            if ring.is_seamless() {
                let curves = Chains::Identity.sum(k, &collapse::curves(s, &cover), only_coprime);
                (curves / s as f64 + twos, Some(error::TRIPLE))
            } else {
                (high::curves(&cover) / s as f64 + twos, None)
            }
        }
        (_, "multiply-shift") => {
            (Chains::Identity.sum(k, &high::gains(&cover), |l, _| high::weight(l)), error::double(s, k))
        }
        _ => {
            let value = ring.gains(&cover);
            (progressions(&cover, ring, &value, Chains::Identity, Chains::Identity), error::double(s, k))
        }
    };
    let rate = keys as f64 * (s as f64).powi(-2) * pairs;
    Floor { rate: rate.clamp(0.0, 1.0), rel, source: "pairs with equal progressions in all slices" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fpr::fill;

    fn shared(scheme: &str, reduction: &str, m: u64) -> f64 {
        fpr_exact(m, 21, 1000) + shared_array(scheme, reduction, m, 21, 1000).rate
    }

    /// Rates with 21 probes and 1000 keys, simulated by others than this crate's tests, with their standard errors.
    #[test]
    fn known_simulations() {
        for (scheme, reduction, m, rate, error) in [
            ("double", "modulo", 29_989, 2.28e-5, 0.1e-5),
            ("extended", "modulo", 29_989, 7.9e-6, 0.4e-6),
            ("enhanced", "modulo", 29_989, 1.5e-6, 0.2e-6),
            ("triple", "modulo", 29_989, 7.5e-7, 1.5e-7),
            ("double", "modulo", 30_000, 5.3e-5, 0.2e-5),
            ("double", "multiply-shift", 29_988, 5.5e-6, 0.4e-6),
            ("double", "wide-modulo", 29_988, 7.2e-6, 0.5e-6),
            ("enhanced", "multiply-shift", 29_988, 5.6e-6, 0.4e-6),
        ] {
            let predicted = shared(scheme, reduction, m);
            assert!((predicted - rate).abs() < 2.0 * error, "{scheme} {reduction} {m}: {predicted}");
        }
        for (reduction, rate, error) in [("modulo", 4.9e-4, 0.1e-4), ("multiply-shift", 6.5e-6, 0.5e-6)] {
            let predicted = fill(1428, 1, 1000).powi(21) + slices("double", reduction, 1428, 21, 1000).rate;
            assert!((predicted - rate).abs() < 2.0 * error, "{reduction}: {predicted}");
        }
    }

    /// Prime range: the closed form `f/m + (n/m^2)(2 + 4f/(1-f))` takes only the main diagonals.
    #[test]
    fn the_closed_form_for_a_prime_range() {
        let (m, k, keys) = (29_989, 21, 1000);
        let f = fill(m, k, keys);
        let closed = f / m as f64 + keys as f64 / (m as f64).powi(2) * (2.0 + 4.0 * f / (1.0 - f));
        let floor = shared_array("double", "modulo", m, k, keys).rate;
        assert!((floor / closed - 1.0).abs() < 0.02, "{floor} {closed}");
    }

    #[test]
    fn nothing_is_added_by_faithful_schemes_and_to_empty_filters() {
        for (scheme, reduction) in
            [("independent", "modulo"), ("worm", "multiply-shift"), ("multiplicative", "multiply-shift")]
        {
            assert!(is_faithful(scheme, reduction));
            assert_eq!(shared_array(scheme, reduction, 256, 12, 10), Floor::NONE);
        }
        assert_eq!(shared_array("double", "modulo", 256, 12, 0), Floor::NONE);
        assert_eq!(shared_array("worm", "modulo", 29_989, 21, 1000), Floor::NONE);
        assert!(!is_faithful("worm", "modulo"));
    }

    #[test]
    fn a_power_of_two_sees_no_wraps() {
        for scheme in ["double", "double-odd", "extended", "enhanced", "triple"] {
            assert_eq!(
                shared_array(scheme, "wide-modulo", 4096, 18, 150),
                shared_array(scheme, "modulo", 4096, 18, 150)
            );
        }
    }

    /// All parameters that a filter allows give a probability, in a time that a sizing loop can bear.
    #[test]
    fn all_sizes_give_a_probability() {
        let schemes =
            ["double", "double-odd", "double-halves", "extended", "enhanced", "triple", "worm", "multiplicative"];
        for (m, k, keys) in [
            (1, 3, 1),
            (2, 3, 1 << 40),
            (32, 24, 3),
            (33, 64, 3),
            (720_720, 24, 20_000),
            (3 << 20, 7, 1 << 20),
            (1 << 40, 64, 1 << 30),
            ((1 << 48) - 1, 12, 100_000_000_000_000),
        ] {
            for scheme in schemes {
                for reduction in ["modulo", "wide-modulo", "multiply-shift"] {
                    for floor in [shared_array(scheme, reduction, m, k, keys), slices(scheme, reduction, m, k, keys)] {
                        assert!((0.0..=1.0).contains(&floor.rate), "{scheme} {reduction} {m} {k} {keys}: {floor:?}");
                    }
                }
            }
        }
    }
}
