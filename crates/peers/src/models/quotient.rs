//! A quotient filter by rank and select: a power of two of slots, remainders of whole bits, 2.125 bits a slot beside.

use amq::{Claim, Class, Given, InvalidParams, NamedValue, ParamInfo, Prediction};
use bloom_theory::ranges::{check_bits_per_key, check_keys, check_rate};
use serde::{Deserialize, Serialize};

use crate::peer::{Model, given};

/// The geometry of [`RankSelect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuotientParams {
    /// Bits of a quotient: `2^q` slots, 6 to 40.
    pub q: u32,
    /// Bits of a remainder, 1 to 64 - q.
    pub r: u32,
}

/// As `qfilter` lays it out.
pub struct RankSelect;

/// In range.
///
/// # Errors
/// [`InvalidParams::OutOfRange`] with the value.
pub fn check(params: QuotientParams) -> Result<QuotientParams, InvalidParams> {
    let refused = |name, value: u32, allowed| Err(InvalidParams::OutOfRange { name, value: value.into(), allowed });
    match params {
        QuotientParams { q, .. } if !(6..=40).contains(&q) => refused("q", q, "6 to 40"),
        QuotientParams { q, r } if r == 0 || q + r > 64 => refused("r", r, "1 to 64 - q"),
        _ => Ok(params),
    }
}

/// Keys that are taken, 19 in 20 slots.
#[must_use]
pub fn capacity(q: u32) -> u64 {
    ((1u64 << q) * 19).div_ceil(20)
}

fn quotient_for(keys: u64) -> Result<u32, InvalidParams> {
    let keys = check_keys(keys)?;
    let too_large = InvalidParams::TooLarge { bits: keys.saturating_mul(3) };
    (6..=40).find(|q| capacity(*q) >= keys).ok_or(too_large)
}

impl Model for RankSelect {
    type Params = QuotientParams;
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo { name: "q", meaning: "bits of a quotient; room for the keys if not given", range: "6 to 40" },
        ParamInfo { name: "r", meaning: "bits of a remainder", range: "1 to 64 - q" },
    ];
    const CLASS: Class = Class::Dynamic;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<QuotientParams, InvalidParams> {
        let (q, bits_per_key) = (quotient_for(keys)?, check_bits_per_key(bits_per_key)?);
        let budget = keys.max(1) as f64 * bits_per_key;
        let fits = |r: &u32| Self::bits(&QuotientParams { q, r: *r }, keys) as f64 <= budget;
        match (1..=64 - q).rev().find(fits) {
            Some(r) => Ok(QuotientParams { q, r }),
            None => {
                let why = "slots are a power of two in number, of 3.2 bits at the least";
                Err(InvalidParams::Unreachable { what: "bits_per_key", target: bits_per_key.into(), why })
            }
        }
    }

    /// The crate's rule: `ceil(lg 1/fpr)` bits.
    fn size_for_fpr(keys: u64, fpr: f64) -> Result<QuotientParams, InvalidParams> {
        let (q, fpr) = (quotient_for(keys)?, check_rate(fpr)?);
        check(QuotientParams { q, r: (-fpr.log2()).ceil().max(1.0) as u32 })
    }

    fn params_from(given: &Given, keys: u64) -> Result<QuotientParams, InvalidParams> {
        let out = |name, value: u64| InvalidParams::OutOfRange { name, value: value.into(), allowed: "at most 64" };
        let narrow = |name, value: u64| u32::try_from(value).map_err(|_| out(name, value));
        let r = narrow("r", given.require_count("r", Self::PARAMS)?)?;
        let q = match given.count("q")? {
            Some(q) => narrow("q", q)?,
            None => quotient_for(keys)?,
        };
        check(QuotientParams { q, r })
    }

    /// Some member has the same `q + r` bits: `1 - (1 - 2^-(q + r))^n`.
    fn predicted_fpr(params: &QuotientParams, keys: u64) -> Prediction {
        let n = keys.min(1 << params.q) as f64;
        let same = -f64::from(params.q + params.r);
        let rate = -(n * (-same.exp2()).ln_1p()).exp_m1();
        let claim = if keys <= capacity(params.q) { Claim::Exact } else { Claim::AtMost };
        Prediction { rate, claim, source: "1 - (1 - 2^-(q+r))^n: Bender et al., VLDB 2012" }
    }

    fn rate_spread(params: &QuotientParams, keys: u64) -> f64 {
        let classes = 1u64 << (params.q + params.r).min(62);
        stats::occupancy::variance_occupied(classes, keys.min(1 << params.q)).sqrt() / classes as f64
    }

    fn bits(params: &QuotientParams, _keys: u64) -> u64 {
        8 * ((1u64 << params.q) / 64 * (17 + 8 * u64::from(params.r)) + 8)
    }

    fn geometry(params: &QuotientParams, keys: u64) -> Vec<NamedValue> {
        let load = keys.min(capacity(params.q)) as f64 / (params.q as f64).exp2();
        vec![given("q", f64::from(params.q)), given("r", f64::from(params.r)), given("load", load)]
    }
}
