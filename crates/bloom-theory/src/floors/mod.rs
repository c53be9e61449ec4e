//! What a derivation scheme adds to the rate of independent positions.
//!
//! A query is positive by chance, or for one of two structural reasons: its own positions coincide (*collapse*:
//! [`collapse`], and the same for the other reductions in [`high`] and [`wide`]), or they coincide with those of
//! one key (*pairs*: [`lattice`] says which, [`cover`] what it does to the rate).
//!
//! | scheme | `modulo` | `wide-modulo` | `multiply-shift` |
//! |---|---|---|---|
//! | independent | - | - | - |
//! | double, double-halves, double-odd | orders of `b`; all chains | the same, broken by wraps | rows of cells; all chains |
//! | extended | folds; diagonals | the same, broken by wraps | as double |
//! | enhanced | identity | the same, broken by wraps | as double |
//! | triple | folds, small orders; chains, `n/m^3` | - | folds |
//! | worm, multiplicative | even ranges: parts of the array | the same | - |
//!
//! Pairs are taken to first order: one key, one reason. A range that is a power of two makes `wide-modulo` the
//! same as `modulo`.

mod collapse;
mod cover;
mod high;
mod lattice;
mod residues;
mod wide;

use amq::{Claim, Prediction};

use crate::fpr::fpr_exact;
use cover::Cover;
use lattice::Chains;
use wide::Ring;

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
            Some(0.0) => Prediction { rate: sum, claim: Claim::Exact, source },
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
    matches!((scheme, reduction), ("independent", _) | ("multiplicative" | "worm", "multiply-shift"))
}

/// The floor in one shared array of `m` bits.
#[must_use]
pub fn shared_array(scheme: &str, reduction: &str, m: u64, k: u32, keys: u64) -> Floor {
    if is_faithful(scheme, reduction) || k < 3 || keys == 0 {
        return Floor::NONE;
    }
    let ring = Ring::new(m, scheme == "double-odd");
    let reduction = if ring.is_seamless() && reduction == "wide-modulo" { "modulo" } else { reduction };
    let scheme = if reduction == "multiply-shift" && scheme != "triple" { "double" } else { scheme };
    let cover = Cover::independent(m, k, keys);
    let chains = match scheme {
        "extended" => Chains::Diagonal,
        "enhanced" => Chains::Identity,
        _ => Chains::All,
    };
    let per_pair = keys as f64 * (m as f64).powi(-2);
    let sum = |value: &[f64], weight: &dyn Fn(u64, lattice::Parity) -> f64| {
        per_pair * lattice::sum(k.into(), chains, value, weight)
    };
    let (pairs, chance) = match (reduction, scheme) {
        ("modulo", "double" | "double-odd" | "double-halves") => {
            (sum(&cover.gains(3), &|l, p| ring.modulo_weight(l, p)), collapse::double(m, k, scheme == "double-odd"))
        }
        ("modulo", "extended") => (sum(&cover.gains(3), &|l, p| ring.modulo_weight(l, p)), collapse::extended(m, k)),
        ("modulo", "enhanced") => (sum(&cover.gains(3), &|l, p| ring.modulo_weight(l, p)), collapse::enhanced(m, k)),
        ("modulo", "triple") => {
            let one = |l: u64, _| if l == 1 { 1.0 } else { 0.0 };
            (sum(&cover.gains(4), &one) / m as f64, collapse::triple(m, k))
        }
        ("wide-modulo", "double" | "double-odd" | "double-halves") => {
            (sum(&wide::gains(&cover), &|l, p| ring.weight(l, p)), ring.double(k))
        }
        ("wide-modulo", "extended") => (sum(&wide::gains(&cover), &|l, p| ring.weight(l, p)), ring.extended(k)),
        ("wide-modulo", "enhanced") => {
            (sum(&wide::gains(&cover), &|l, p| ring.weight(l, p)), collapse::pairs_only(m, k))
        }
        ("multiply-shift", "double") => (sum(&high::gains(&cover), &|l, _| high::weight(l)), high::double(m, k)),
        ("multiply-shift", "triple") => (0.0, high::triple(m, k)),
        ("modulo" | "wide-modulo", "worm") if m.is_multiple_of(2) => {
            return by_parts(residues::worm(m, k, keys) - fpr_exact(m, k, keys));
        }
        ("modulo" | "wide-modulo", "multiplicative") if m.is_multiple_of(2) => {
            return by_parts(residues::multiplicative(m, k, keys) - fpr_exact(m, k, keys));
        }
        _ => return Floor::NONE,
    };
    let rate = pairs + collapse::excess(m, k, keys, &chance);
    Floor { rate: rate.max(0.0), rel: Some(0.2), source: "pairs of progressions and collapsed queries" }
}

fn by_parts(rate: f64) -> Floor {
    Floor { rate: rate.max(0.0), rel: Some(0.2), source: "keys in parts of the array, by a residue" }
}

/// The floor in `k` slices of `s` bits.
#[must_use]
pub fn slices(scheme: &str, reduction: &str, s: u64, k: u32, keys: u64) -> Floor {
    if is_faithful(scheme, reduction) || k < 3 || keys == 0 {
        return Floor::NONE;
    }
    let ring = Ring::new(s, scheme == "double-odd");
    let reduction = if ring.is_seamless() && reduction == "wide-modulo" { "modulo" } else { reduction };
    let cover = Cover::slice(s, k, keys);
    let per_pair = keys as f64 * (s as f64).powi(-2);
    let sum = |value: &[f64], weight: &dyn Fn(u64, lattice::Parity) -> f64| {
        per_pair * lattice::sum(k.into(), Chains::Identity, value, weight)
    };
    let rate = match (reduction, scheme) {
        (_, "worm" | "multiplicative") => return Floor::NONE,
        ("modulo", "triple") => {
            let one = |l: u64, _| if l == 1 { 1.0 } else { 0.0 };
            sum(&cover.gains(4), &one) / s as f64
        }
        (_, "triple") => return Floor::NONE,
        ("modulo", _) => sum(&cover.gains(3), &|l, p| ring.modulo_weight(l, p)),
        ("wide-modulo", _) => sum(&wide::gains(&cover), &|l, p| ring.weight(l, p)),
        _ => sum(&high::gains(&cover), &|l, _| high::weight(l)),
    };
    Floor { rate, rel: Some(0.2), source: "pairs with equal progressions in all slices" }
}
