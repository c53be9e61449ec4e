//! A filter as somebody in another repository would write it: a sorted list of `b`-bit fingerprints.

use amq::{
    Claim, Class, Digest, Filter, Full, Given, IncrementalFilter, InvalidParams, NamedValue, NoFalseNegatives,
    ParamInfo, Prediction, Space, Theory,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Params {
    b: u32,
}

impl Params {
    fn of(b: f64) -> Result<Self, InvalidParams> {
        let allowed = "1 to 32";
        if !(1.0..=32.0).contains(&b) {
            return Err(InvalidParams::OutOfRange { name: "b", value: b.into(), allowed });
        }
        Ok(Self { b: b as u32 })
    }
}

#[derive(Clone, Debug)]
pub struct Fingerprints {
    params: Params,
    seed: u64,
    prints: std::collections::BTreeSet<u32>,
    inserted: u64,
}

impl Fingerprints {
    fn print(&self, key: Digest) -> u32 {
        let mixed = (key.0 ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> (64 - self.params.b)) as u32
    }
}

impl Filter for Fingerprints {
    type Params = Params;
    fn params(&self) -> &Params {
        &self.params
    }
    fn contains(&self, key: Digest) -> bool {
        self.prints.contains(&self.print(key))
    }
    fn space(&self) -> Space {
        Space { payload_bits: self.prints.len() as u64 * u64::from(self.params.b), overhead_bits: 0 }
    }
}

impl IncrementalFilter for Fingerprints {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        Ok(Self { params: Params::of(params.b.into())?, seed, prints: Default::default(), inserted: 0 })
    }
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        self.prints.insert(self.print(key));
        self.inserted += 1;
        Ok(())
    }
    fn inserted(&self) -> u64 {
        self.inserted
    }
    fn clear(&mut self) {
        (self.prints, self.inserted) = (Default::default(), 0);
    }
}

impl NoFalseNegatives for Fingerprints {}

impl Theory for Fingerprints {
    const PARAMS: &'static [ParamInfo] = &[ParamInfo { name: "b", meaning: "bits of a fingerprint", range: "1 to 32" }];
    const CLASS: Class = Class::Static;
    fn size_for(_keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
        Params::of(bits_per_key.floor())
    }
    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
        Params::of((keys.max(1) as f64 / fpr).log2().ceil())
    }
    fn params_from(given: &Given, _keys: u64) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        Params::of(given.require_count("b", Self::PARAMS)? as f64)
    }
    fn predicted_fpr(params: &Params, keys: u64) -> Prediction {
        let rate = -(keys as f64 * (-(-f64::from(params.b)).exp2()).ln_1p()).exp_m1();
        Prediction { rate, claim: Claim::Exact, source: "1 - (1 - 2^-b)^n" }
    }
    fn rate_spread(params: &Params, keys: u64) -> f64 {
        stats::occupancy::sd_power_occupied(1, 1 << params.b, keys)
    }
    fn rate_given_contents(&self) -> Option<f64> {
        Some(self.prints.len() as f64 * (-f64::from(self.params.b)).exp2())
    }
    fn named_values(params: &Params, keys: u64) -> Vec<NamedValue> {
        let Prediction { rate, claim, source } = Self::predicted_fpr(params, keys);
        vec![NamedValue { name: "fpr_exact", value: rate, claim, source }]
    }
}
