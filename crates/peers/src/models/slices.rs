//! A series of Bloom filters in slices, each twice as large as the one before and of a lower rate.

use amq::{Claim, Class, Given, InvalidParams, NamedValue, ParamInfo, Prediction};
use bloom_theory::ranges::{MAX_BITS, check_bits_per_key, check_keys, check_rate};
use serde::{Deserialize, Serialize};

use crate::peer::{Model, given};

/// What the crate is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesParams {
    /// Keys of the first filter, at least 1.
    pub keys: u64,
    /// The rate asked for.
    pub fpr: f64,
}

/// As `growable-bloom-filter` has it: filter `i` has room for `2^i` times the keys at the rate `fpr 0.8515625^i`, with
/// `k = ceil(lg 1/rate)` slices of `ceil(room / ln 2)` bits.
pub struct Series;

/// One filter of the series: slices, bits of a slice, bits in all.
fn stage(params: SeriesParams, index: i32) -> (u32, u64, u64) {
    let rate = params.fpr * 0.851_562_5f64.powi(index);
    let k = (1.0 / rate).log2().ceil().max(1.0) as u64;
    let slice = (params.keys as f64 * f64::from(index).exp2() / std::f64::consts::LN_2).ceil() as u64;
    let bits = (k * slice).next_multiple_of(8);
    (k as u32, bits / k, bits)
}

/// Keys in each filter of the series, and the filter.
fn stages(params: SeriesParams, keys: u64) -> impl Iterator<Item = (u64, (u32, u64, u64))> {
    let mut left = keys;
    (0..48).map_while(move |index| {
        let here = left.min(params.keys.saturating_mul(1 << index));
        left -= here;
        (here > 0).then(|| (here, stage(params, index)))
    })
}

/// Rate of one filter with independent positions.
fn rate(keys: u64, (k, slice, _): (u32, u64, u64)) -> f64 {
    let fill = -(keys as f64 * (-1.0 / slice as f64).ln_1p()).exp_m1();
    fill.powi(k as i32)
}

/// In range.
///
/// # Errors
/// [`InvalidParams`] names what is not.
pub fn check(params: SeriesParams) -> Result<SeriesParams, InvalidParams> {
    let (keys, fpr) = (check_keys(params.keys)?.max(1), check_rate(params.fpr)?);
    let params = SeriesParams { keys, fpr };
    let bits = stage(params, 0).2;
    if bits > MAX_BITS { Err(InvalidParams::TooLarge { bits }) } else { Ok(params) }
}

impl Model for Series {
    type Params = SeriesParams;
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo {
            name: "keys",
            meaning: "keys of the first filter; the planned ones if not given",
            range: "1 to 2^56",
        },
        ParamInfo { name: "fpr", meaning: "the rate asked for", range: "1e-15 to below 1" },
    ];
    const CLASS: Class = Class::Static;
    const SIZING: Option<&'static str> =
        Some("the first filter of the series has room for all the keys that are planned");

    fn size_for(keys: u64, bits_per_key: f64) -> Result<SeriesParams, InvalidParams> {
        let (keys, bits_per_key) = (check_keys(keys)?.max(1), check_bits_per_key(bits_per_key)?);
        // Only the number of slices counts: 2^-k is the rate that gives k.
        let with = |k: i32| SeriesParams { keys, fpr: (-f64::from(k)).exp2() };
        match (1..=49).rev().find(|k| stage(with(*k), 0).2 as f64 <= keys as f64 * bits_per_key) {
            Some(k) => check(with(k)),
            None => {
                let why = "a slice takes 1.44 bits for each key: give more";
                Err(InvalidParams::Unreachable { what: "bits_per_key", target: bits_per_key.into(), why })
            }
        }
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<SeriesParams, InvalidParams> {
        check(SeriesParams { keys, fpr })
    }

    fn params_from(given: &Given, keys: u64) -> Result<SeriesParams, InvalidParams> {
        let known = Self::PARAMS.iter().map(|info| format!("`{}`", info.name)).collect::<Vec<_>>().join(", ");
        let fpr = given.get("fpr").ok_or(InvalidParams::Missing { name: "fpr", known })?.as_f64();
        check(SeriesParams { keys: given.count("keys")?.unwrap_or(keys), fpr })
    }

    /// `1 - prod (1 - p_i)` with `p_i = (1 - (1 - 1/s)^n)^k`.
    fn predicted_fpr(params: &SeriesParams, keys: u64) -> Prediction {
        let none: f64 = stages(*params, keys).map(|(here, stage)| 1.0 - rate(here, stage)).product();
        let source = "Almeida et al., IPL 101(6), 2007, positions taken as independent";
        Prediction { rate: 1.0 - none, claim: Claim::AtLeast, source }
    }

    fn rate_spread(_params: &SeriesParams, _keys: u64) -> f64 {
        0.0
    }

    fn bits(params: &SeriesParams, keys: u64) -> u64 {
        stages(*params, keys).map(|(_, (_, _, bits))| bits).sum()
    }

    fn geometry(params: &SeriesParams, keys: u64) -> Vec<NamedValue> {
        let (k, slice, _) = stage(*params, 0);
        vec![
            given("keys", params.keys as f64),
            given("fpr_asked", params.fpr),
            given("k", f64::from(k)),
            given("slice_bits", slice as f64),
            given("filters", stages(*params, keys).count() as f64),
        ]
    }
}
