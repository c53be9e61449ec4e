//! A cuckoo table of four slots of 8 bits in each of a power of two of buckets.

use amq::{Claim, Class, Given, InvalidParams, NamedValue, ParamInfo, Prediction};
use bloom_theory::ranges::{check_bits_per_key, check_keys, check_rate};
use cuckoo::formulas::Classes;
use cuckoo::sizing::max_keys;
use serde::{Deserialize, Serialize};

use crate::peer::{Model, given};

/// The most buckets: indices have 32 bits.
pub const MAX_BUCKETS: u64 = 1 << 32;
const SLOTS: u32 = 4;
const BUCKET_BITS: u64 = 32;

/// The geometry of [`Bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketParams {
    /// Buckets, a power of two up to 2^32.
    pub buckets: u64,
}

/// Fingerprints of 8 bits of which one marks an empty slot: its keys take the next one, which is drawn twice as often.
pub struct Bytes;

/// In range and a power of two.
///
/// # Errors
/// [`InvalidParams::OutOfRange`] with the value.
pub fn check(buckets: u64) -> Result<BucketParams, InvalidParams> {
    if buckets.is_power_of_two() && buckets <= MAX_BUCKETS {
        return Ok(BucketParams { buckets });
    }
    let allowed = "a power of two from 1 to 2^32";
    Err(InvalidParams::OutOfRange { name: "buckets", value: buckets.into(), allowed })
}

/// Keys that a table of four slots takes: as this workspace's `cuckoo` plans for, and in large tables up to 95.5 %, which the crates
/// reach with 500 moves and more, and with which 10^6 keys go into 2^20 slots.
#[must_use]
pub fn room(buckets: u64) -> u64 {
    let planned = max_keys(SLOTS, buckets);
    if (1 << 12..=1 << 20).contains(&buckets) { planned.max((buckets as f64 * 3.82) as u64) } else { planned }
}

/// The smallest table with room for `keys` keys, by [`room`].
fn room_for(keys: u64) -> Result<BucketParams, InvalidParams> {
    let keys = check_keys(keys)?;
    let mut buckets = keys.div_ceil(SLOTS.into()).max(1).next_power_of_two();
    while room(buckets) < keys {
        buckets *= 2;
    }
    if buckets > MAX_BUCKETS {
        return Err(InvalidParams::TooLarge { bits: buckets.saturating_mul(BUCKET_BITS) });
    }
    Ok(BucketParams { buckets })
}

/// Keys that find room at the most.
fn held(params: BucketParams, keys: u64) -> u64 {
    keys.min(params.buckets * u64::from(SLOTS))
}

/// The chance that a member is of the query's class: `sum_f p_f (1 - (1 - 2 p_f / M)^n)`, one fingerprint of 1/128, 254 of
/// 1/256.
fn rate(params: BucketParams, keys: u64) -> f64 {
    let (n, pair) = (held(params, keys) as f64, if params.buckets == 1 { 1.0 } else { 2.0 / params.buckets as f64 });
    let of = |p: f64| if n == 0.0 { 0.0 } else { -p * (n * (-p * pair).ln_1p()).exp_m1() };
    254.0 * of(1.0 / 256.0) + of(1.0 / 128.0)
}

impl Model for Bytes {
    type Params = BucketParams;
    const PARAMS: &'static [ParamInfo] = &[ParamInfo {
        name: "buckets",
        meaning: "buckets; room for the keys if not given",
        range: "powers of two to 2^32",
    }];
    const CLASS: Class = Class::Dynamic;
    const SIZING: Option<&'static str> = Some(
        "fingerprints have 8 bits and buckets are a power of two in number: the rate is what that gives, up to 3 %, and a budget \
         is one of room for the keys",
    );

    fn size_for(keys: u64, bits_per_key: f64) -> Result<BucketParams, InvalidParams> {
        let (params, bits_per_key) = (room_for(keys)?, check_bits_per_key(bits_per_key)?);
        if Self::bits(&params, keys) as f64 > keys.max(1) as f64 * bits_per_key {
            let why = "8 bits a slot, slots a power of two in number: up to 16.8 bits per key are needed";
            return Err(InvalidParams::Unreachable { what: "bits_per_key", target: bits_per_key.into(), why });
        }
        Ok(params)
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<BucketParams, InvalidParams> {
        let (params, fpr) = (room_for(keys)?, check_rate(fpr)?);
        if rate(params, keys) > fpr {
            let why = "fingerprints have 8 bits: full tables have a rate of 3 %";
            return Err(InvalidParams::Unreachable { what: "fpr", target: fpr.into(), why });
        }
        Ok(params)
    }

    fn params_from(given: &Given, keys: u64) -> Result<BucketParams, InvalidParams> {
        match given.count("buckets")? {
            Some(buckets) => check(buckets),
            None => room_for(keys),
        }
    }

    fn predicted_fpr(params: &BucketParams, keys: u64) -> Prediction {
        let rate = rate(*params, keys);
        // The partner of a bucket depends on 255 fixed words: where the table is small, chance makes some of them equal.
        let claim = if keys <= room(params.buckets) {
            Claim::Approximate { rel: 0.01 + 1.0 / params.buckets as f64 }
        } else {
            Claim::AtMost
        };
        let source = "a member in the query's class; one of 255 fingerprints drawn twice as often";
        Prediction { rate, claim, source }
    }

    fn rate_spread(params: &BucketParams, keys: u64) -> f64 {
        let fixed = u64::from(params.buckets == 1);
        Classes { buckets: params.buckets, fixed, fingerprints: 255 }.spread(held(*params, keys))
    }

    fn bits(params: &BucketParams, _keys: u64) -> u64 {
        params.buckets * BUCKET_BITS
    }

    fn geometry(params: &BucketParams, keys: u64) -> Vec<NamedValue> {
        let slots = params.buckets as f64 * f64::from(SLOTS);
        let limit = room(params.buckets) as f64 / slots;
        vec![
            given("buckets", params.buckets as f64),
            given("load", held(*params, keys) as f64 / slots),
            NamedValue { name: "load_limit", value: limit, claim: Claim::AtMost, source: "planned for" },
        ]
    }
}
