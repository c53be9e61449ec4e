//! Static filters whose fingerprints have a width that the type fixes.

use std::marker::PhantomData;

use amq::{Claim, Class, Given, InvalidParams, NamedValue, ParamInfo, Prediction};
use bloom_theory::ranges::{check_bits_per_key, check_rate};
use serde::{Deserialize, Serialize};

use crate::peer::{Model, given};

/// The parameters: nothing is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedParams {
    /// Bits of a fingerprint: those of the type.
    pub fingerprint_bits: u32,
}

/// How one crate lays fingerprints out.
pub trait Size {
    /// Bits of a fingerprint.
    const WIDTH: u32;
    /// The most keys.
    const MAX_KEYS: u64;
    /// Bits allocated for `keys` keys.
    fn bits(keys: u64) -> u64;
    /// How well [`bits`](Self::bits) is known.
    const BITS: Claim = Claim::Exact;
    /// The rate, given `2^-WIDTH`.
    fn prediction(rate: f64, keys: u64) -> Prediction;
}

/// A static filter of the size of `S`.
pub struct Fixed<S>(PhantomData<S>);

/// At most `most`.
///
/// # Errors
/// [`InvalidParams::OutOfRange`] with the value.
pub fn check_keys(keys: u64, most: u64) -> Result<u64, InvalidParams> {
    if keys <= most {
        return Ok(keys);
    }
    let allowed = "at most 1e9 keys: positions have 32 bits";
    Err(InvalidParams::OutOfRange { name: "keys", value: keys.into(), allowed })
}

impl<S: Size> Fixed<S> {
    const PARAMS_OF_TYPE: FixedParams = FixedParams { fingerprint_bits: S::WIDTH };
}

impl<S: Size> Model for Fixed<S> {
    type Params = FixedParams;
    const PARAMS: &'static [ParamInfo] = &[ParamInfo {
        name: "fingerprint_bits",
        meaning: "bits of a fingerprint; the rate is 2^-fingerprint_bits",
        range: "the one that the type has",
    }];
    const CLASS: Class = Class::Static;
    const BITS: Claim = S::BITS;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<FixedParams, InvalidParams> {
        let (keys, bits_per_key) = (check_keys(keys, S::MAX_KEYS)?, check_bits_per_key(bits_per_key)?);
        if S::bits(keys) as f64 > keys.max(1) as f64 * bits_per_key {
            let why = "the type fixes the width of fingerprints, and the crate the cells for a key: give more";
            return Err(InvalidParams::Unreachable { what: "bits_per_key", target: bits_per_key.into(), why });
        }
        Ok(Self::PARAMS_OF_TYPE)
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<FixedParams, InvalidParams> {
        let (keys, fpr) = (check_keys(keys, S::MAX_KEYS)?, check_rate(fpr)?);
        if Self::predicted_fpr(&Self::PARAMS_OF_TYPE, keys.max(1)).rate > fpr {
            let why = "the type fixes the width of fingerprints, and so the rate: take a peer of more bits";
            return Err(InvalidParams::Unreachable { what: "fpr", target: fpr.into(), why });
        }
        Ok(Self::PARAMS_OF_TYPE)
    }

    fn params_from(given: &Given, keys: u64) -> Result<FixedParams, InvalidParams> {
        check_keys(keys, S::MAX_KEYS)?;
        match given.count("fingerprint_bits")? {
            Some(bits) if bits != u64::from(S::WIDTH) => Err(InvalidParams::OutOfRange {
                name: "fingerprint_bits",
                value: bits.into(),
                allowed: "the one that the type has, in its id",
            }),
            _ => Ok(Self::PARAMS_OF_TYPE),
        }
    }

    fn predicted_fpr(_params: &FixedParams, keys: u64) -> Prediction {
        S::prediction(if keys == 0 { 0.0 } else { (-f64::from(S::WIDTH)).exp2() }, keys)
    }

    /// None but what 2^64 digests leave.
    fn rate_spread(_params: &FixedParams, keys: u64) -> f64 {
        let p = if keys == 0 { 0.0 } else { (-f64::from(S::WIDTH)).exp2() };
        (p * (1.0 - p)).sqrt() * (-32f64).exp2()
    }

    fn bits(_params: &FixedParams, keys: u64) -> u64 {
        S::bits(keys)
    }

    fn geometry(_params: &FixedParams, keys: u64) -> Vec<NamedValue> {
        let cells = S::bits(keys) as f64 / f64::from(S::WIDTH);
        vec![given("fingerprint_bits", f64::from(S::WIDTH)), given("cells", cells)]
    }
}

/// The rate of a filter that compares a fingerprint with cells that are independent of it.
#[must_use]
pub fn exact(rate: f64, _keys: u64) -> Prediction {
    Prediction { rate, claim: Claim::Exact, source: "2^-w: Graf and Lemire, JEA 25, 2020" }
}
