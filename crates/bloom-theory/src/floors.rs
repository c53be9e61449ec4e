//! What a derivation scheme adds to the rate of independent positions.

use amq::{Claim, Prediction};

use crate::fpr::fill;

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
            Some(rel) => Prediction {
                rate: sum,
                claim: Claim::Approximate { rel: rel * self.rate / sum },
                source: self.source,
            },
            None => Prediction { rate: sum, claim: Claim::AtLeast, source: self.source },
        }
    }
}

/// Whether positions are as good as independent, so that a filter's rate follows from its fill.
#[must_use]
pub fn is_faithful(scheme: &str, _reduction: &str) -> bool {
    matches!(scheme, "independent" | "multiplicative" | "worm")
}

/// The floor in one shared array of `m` bits.
#[must_use]
pub fn shared_array(scheme: &str, reduction: &str, m: u64, k: u32, keys: u64) -> Floor {
    if is_faithful(scheme, reduction) || k < 3 {
        return Floor::NONE;
    }
    let f = fill(m, k, keys);
    let pair = keys as f64 / (m as f64).powi(2) * (2.0 + 4.0 * f / (1.0 - f).max(f64::MIN_POSITIVE));
    match (scheme, reduction) {
        ("double", "modulo") => Floor { rate: f / m as f64 + pair, rel: Some(0.2), source: "pairs of equal progressions" },
        _ => Floor { rate: 0.0, rel: None, source: "independent positions" },
    }
}

/// The floor in `k` slices of `s` bits.
#[must_use]
pub fn slices(scheme: &str, reduction: &str, s: u64, k: u32, keys: u64) -> Floor {
    if is_faithful(scheme, reduction) || k < 3 {
        return Floor::NONE;
    }
    match (scheme, reduction) {
        ("double" | "double-odd" | "extended" | "enhanced", "modulo") => {
            Floor { rate: keys as f64 / (s as f64).powi(2), rel: Some(0.2), source: "pairs with equal hashes modulo the slice" }
        }
        _ => Floor { rate: 0.0, rel: None, source: "independent positions" },
    }
}
