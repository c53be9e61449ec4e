//! The plain designs that a Bloom filter is measured against at equal memory: a list of fingerprints, and a
//! bitmap with one probe.

use amq::{
    BuildError, Claim, Class, Digest, Filter, Full, Given, IncrementalFilter, InvalidParams, NamedValue,
    NoFalseNegatives, ParamInfo, Prediction, Space, StaticFilter, Theory,
};
use bits::PackedVec;
use bloom_theory::ranges::{check_bits, check_bits_per_key, check_keys, check_rate};
use bloom_theory::{fpr, sizing};
use hashing::mix::fold_multiply;
use serde::{Deserialize, Serialize};
use standard::StandardBloom;
use stats::occupancy;

/// The geometry of a [`FingerprintList`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    /// Bits of the whole list.
    pub m: u64,
    /// Bits of a fingerprint, 1 to 63.
    pub fingerprint_bits: u32,
}

/// The sorted fingerprints of all keys, packed.
#[derive(Clone, Debug)]
pub struct FingerprintList {
    params: ListParams,
    seed: u64,
    sorted: PackedVec,
}

impl FingerprintList {
    fn fingerprint(digest: Digest, seed: u64, bits: u32) -> u64 {
        fold_multiply(digest.0 ^ seed, 0x9e37_79b9_7f4a_7c15) >> (64 - bits)
    }
}

impl Filter for FingerprintList {
    type Params = ListParams;
    fn params(&self) -> &ListParams {
        &self.params
    }
    fn contains(&self, key: Digest) -> bool {
        let wanted = Self::fingerprint(key, self.seed, self.params.fingerprint_bits);
        let (mut low, mut high) = (0, self.sorted.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.sorted.get(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        low < self.sorted.len() && self.sorted.get(low) == wanted
    }
    fn space(&self) -> Space {
        self.sorted.space()
    }
}

impl StaticFilter for FingerprintList {
    fn build(params: &ListParams, seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        let mut fingerprints: Vec<u64> =
            keys.iter().map(|key| Self::fingerprint(*key, seed, params.fingerprint_bits)).collect();
        fingerprints.sort_unstable();
        let mut sorted = PackedVec::zeros(fingerprints.len() as u64, params.fingerprint_bits)?;
        for (index, fingerprint) in (0u64..).zip(fingerprints) {
            sorted.set(index, fingerprint);
        }
        Ok(Self { params: *params, seed, sorted })
    }
}

impl NoFalseNegatives for FingerprintList {}

/// Fingerprints of `floor(m/n)` bits, at most 63.
fn list_params(m: u64, keys: u64) -> Result<ListParams, InvalidParams> {
    let m = check_bits("m", m)?;
    match m / check_keys(keys)?.max(1) {
        0 => Err(InvalidParams::OutOfRange { name: "m", value: m.into(), allowed: "at least a bit for each key" }),
        width => Ok(ListParams { m, fingerprint_bits: width.min(63) as u32 }),
    }
}

impl Theory for FingerprintList {
    const PARAMS: &'static [ParamInfo] = &[ParamInfo { name: "m", meaning: "bits of the list", range: "n to 2^48" }];
    const CLASS: Class = Class::Static;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<ListParams, InvalidParams> {
        list_params((check_keys(keys)?.max(1) as f64 * check_bits_per_key(bits_per_key)?) as u64, keys)
    }
    fn size_for_fpr(keys: u64, fpr: f64) -> Result<ListParams, InvalidParams> {
        let keys = check_keys(keys)?.max(1);
        let width = (keys as f64 / check_rate(fpr)?).log2().ceil().max(1.0);
        list_params((keys as f64 * width) as u64, keys)
    }
    fn params_from(given: &Given, keys: u64) -> Result<ListParams, InvalidParams> {
        given.only(Self::PARAMS)?;
        list_params(given.require_count("m", Self::PARAMS)?, keys)
    }
    fn predicted_fpr(params: &ListParams, keys: u64) -> Prediction {
        let rate = fpr::fill(1 << params.fingerprint_bits, 1, keys);
        Prediction { rate, claim: Claim::Exact, source: "1 - (1 - 2^-f)^n" }
    }
    fn rate_spread(params: &ListParams, keys: u64) -> f64 {
        let values = 1u64 << params.fingerprint_bits;
        occupancy::variance_occupied(values, keys).sqrt() / values as f64
    }
    fn rate_given_contents(&self) -> Option<f64> {
        let distinct = (0..self.sorted.len())
            .filter(|index| *index == 0 || self.sorted.get(*index) != self.sorted.get(*index - 1));
        Some(distinct.count() as f64 / (1u64 << self.params.fingerprint_bits) as f64)
    }
    fn named_values(params: &ListParams, keys: u64) -> Vec<NamedValue> {
        let Prediction { rate, claim, source } = Self::predicted_fpr(params, keys);
        let width = f64::from(params.fingerprint_bits);
        vec![
            NamedValue { name: "m", value: params.m as f64, claim, source: "geometry" },
            NamedValue { name: "fingerprint_bits", value: width, claim, source: "floor(m / n)" },
            NamedValue { name: "bits_per_key", value: width, claim, source: "geometry" },
            NamedValue { name: "fpr_exact", value: rate, claim, source },
        ]
    }
}

/// The geometry of a [`OneHashBitmap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BitmapParams {
    /// Bits of the map.
    pub m: u64,
}

impl BitmapParams {
    fn standard(self) -> standard::Params {
        standard::Params { m: self.m, k: 1 }
    }
}

/// A Bloom filter with one probe.
#[derive(Clone, Debug)]
pub struct OneHashBitmap {
    params: BitmapParams,
    filter: StandardBloom,
}

impl Filter for OneHashBitmap {
    type Params = BitmapParams;
    fn params(&self) -> &BitmapParams {
        &self.params
    }
    fn contains(&self, key: Digest) -> bool {
        self.filter.contains(key)
    }
    fn space(&self) -> Space {
        Filter::space(&self.filter)
    }
}

impl IncrementalFilter for OneHashBitmap {
    fn empty(params: &BitmapParams, seed: u64) -> Result<Self, InvalidParams> {
        Ok(Self { params: *params, filter: StandardBloom::empty(&params.standard(), seed)? })
    }
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        self.filter.insert(key)
    }
    fn inserted(&self) -> u64 {
        self.filter.inserted()
    }
    fn clear(&mut self) {
        self.filter.clear();
    }
}

impl NoFalseNegatives for OneHashBitmap {}

impl Theory for OneHashBitmap {
    const PARAMS: &'static [ParamInfo] = &[ParamInfo { name: "m", meaning: "bits of the map", range: "1 to 2^48" }];
    const CLASS: Class = Class::Static;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<BitmapParams, InvalidParams> {
        Ok(BitmapParams { m: sizing::bits_within(keys, bits_per_key)? })
    }
    fn size_for_fpr(keys: u64, fpr: f64) -> Result<BitmapParams, InvalidParams> {
        // 1 - (1 - 1/m)^n = p solved for m.
        let keys = check_keys(keys)?.max(1) as f64;
        let bits = (-1.0 / ((-check_rate(fpr)?).ln_1p() / keys).exp_m1()).ceil();
        if bits > bloom_theory::MAX_BITS as f64 {
            return Err(InvalidParams::TooLarge { bits: bits as u64 });
        }
        Ok(BitmapParams { m: (bits as u64).max(1).next_multiple_of(64) })
    }
    fn params_from(given: &Given, _keys: u64) -> Result<BitmapParams, InvalidParams> {
        given.only(Self::PARAMS)?;
        Ok(BitmapParams { m: check_bits("m", given.require_count("m", Self::PARAMS)?)? })
    }
    fn predicted_fpr(params: &BitmapParams, keys: u64) -> Prediction {
        <StandardBloom>::predicted_fpr(&params.standard(), keys)
    }
    fn rate_spread(params: &BitmapParams, keys: u64) -> f64 {
        <StandardBloom as Theory>::rate_spread(&params.standard(), keys)
    }
    fn rate_given_contents(&self) -> Option<f64> {
        Theory::rate_given_contents(&self.filter)
    }
    fn named_values(params: &BitmapParams, keys: u64) -> Vec<NamedValue> {
        <StandardBloom>::named_values(&params.standard(), keys)
    }
}
