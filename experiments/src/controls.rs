//! Filters that the pipeline must judge in a known way: a harness that cannot tell these apart tells nothing.

use ahash::{HashSet, HashSetExt};
use amq::{
    Claim, Class, Digest, Filter, Full, Given, IncrementalFilter, InvalidParams, NamedValue, NoFalseNegatives,
    ParamInfo, Prediction, Space, Theory,
};
use hashing::mix::mix64;
use serde::{Deserialize, Serialize};
use standard::StandardBloom;

/// No parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// A hash set of digests: never wrong, and the memory a filter is there to save.
#[derive(Clone, Debug)]
pub struct Exact {
    set: HashSet<u64>,
    inserted: u64,
}

impl Filter for Exact {
    type Params = NoParams;
    fn params(&self) -> &NoParams {
        &NoParams {}
    }
    fn contains(&self, key: Digest) -> bool {
        self.set.contains(&key.0)
    }
    fn space(&self) -> Space {
        hash_set_space(self.set.len(), self.set.capacity(), 8)
    }
}

/// The bits of a hash set: its capacity is 7/8 of a power of two of slots, each with the entry and a control
/// byte.
#[must_use]
pub fn hash_set_space(len: usize, capacity: usize, entry_bytes: u64) -> Space {
    let slots = (capacity as u64 * 8).div_ceil(7).next_power_of_two();
    let payload_bits = len as u64 * entry_bytes * 8;
    let total = if capacity == 0 { 0 } else { slots * (entry_bytes + 1) * 8 };
    Space { payload_bits, overhead_bits: total.saturating_sub(payload_bits) }
}

impl IncrementalFilter for Exact {
    fn empty(_params: &NoParams, _seed: u64) -> Result<Self, InvalidParams> {
        Ok(Self { set: HashSet::new(), inserted: 0 })
    }
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        self.set.insert(key.0);
        self.inserted += 1;
        Ok(())
    }
    fn inserted(&self) -> u64 {
        self.inserted
    }
    fn clear(&mut self) {
        self.set.clear();
        self.inserted = 0;
    }
}

impl NoFalseNegatives for Exact {}

/// Yes to members, yes to every other key with probability 1/2, and a claim of 1 %.
#[derive(Clone, Debug)]
pub struct Coin {
    members: Exact,
    seed: u64,
}

impl Filter for Coin {
    type Params = NoParams;
    fn params(&self) -> &NoParams {
        &NoParams {}
    }
    fn contains(&self, key: Digest) -> bool {
        self.members.contains(key) || mix64(key.0 ^ self.seed) & 1 == 1
    }
    fn space(&self) -> Space {
        Filter::space(&self.members)
    }
}

impl IncrementalFilter for Coin {
    fn empty(params: &NoParams, seed: u64) -> Result<Self, InvalidParams> {
        Ok(Self { members: Exact::empty(params, seed)?, seed })
    }
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        self.members.insert(key)
    }
    fn inserted(&self) -> u64 {
        self.members.inserted()
    }
    fn clear(&mut self) {
        self.members.clear();
    }
}

impl NoFalseNegatives for Coin {}

macro_rules! theory_without_parameters {
    ($filter:ty, $rate:expr, $source:literal) => {
        impl Theory for $filter {
            const PARAMS: &'static [ParamInfo] = &[];
            const CLASS: Class = Class::Dynamic;
            fn size_for(_keys: u64, _bits_per_key: f64) -> Result<NoParams, InvalidParams> {
                Ok(NoParams {})
            }
            fn size_for_fpr(_keys: u64, _fpr: f64) -> Result<NoParams, InvalidParams> {
                Ok(NoParams {})
            }
            fn params_from(given: &Given, _keys: u64) -> Result<NoParams, InvalidParams> {
                given.only(Self::PARAMS)?;
                Ok(NoParams {})
            }
            fn predicted_fpr(_params: &NoParams, _keys: u64) -> Prediction {
                Prediction { rate: $rate, claim: Claim::Exact, source: $source }
            }
            fn rate_spread(_params: &NoParams, _keys: u64) -> f64 {
                0.0
            }
            fn rate_given_contents(&self) -> Option<f64> {
                None
            }
            fn named_values(params: &NoParams, keys: u64) -> Vec<NamedValue> {
                let Prediction { rate, claim, source } = Self::predicted_fpr(params, keys);
                vec![NamedValue { name: "fpr_exact", value: rate, claim, source }]
            }
        }
    };
}

theory_without_parameters!(Exact, 0.0, "a set answers exactly");
theory_without_parameters!(Coin, 0.01, "a false claim, to be caught");

/// A wrapper around the standard filter that changes one thing.
macro_rules! altered_standard {
    ($(#[$doc:meta])* $name:ident, keep($key:ident) $keep:expr, claim($rate:ident) $claim:expr, $source:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(StandardBloom);

        impl Filter for $name {
            type Params = standard::Params;
            fn params(&self) -> &standard::Params {
                self.0.params()
            }
            fn contains(&self, key: Digest) -> bool {
                self.0.contains(key)
            }
            fn space(&self) -> Space {
                Filter::space(&self.0)
            }
        }

        impl IncrementalFilter for $name {
            fn empty(params: &standard::Params, seed: u64) -> Result<Self, InvalidParams> {
                StandardBloom::empty(params, seed).map(Self)
            }
            fn insert(&mut self, $key: Digest) -> Result<(), Full> {
                if $keep { self.0.insert($key) } else { Ok(()) }
            }
            fn inserted(&self) -> u64 {
                self.0.inserted()
            }
            fn clear(&mut self) {
                self.0.clear();
            }
        }

        impl NoFalseNegatives for $name {}

        impl Theory for $name {
            const PARAMS: &'static [ParamInfo] = <StandardBloom as Theory>::PARAMS;
            const CLASS: Class = <StandardBloom as Theory>::CLASS;
            fn size_for(keys: u64, bits_per_key: f64) -> Result<standard::Params, InvalidParams> {
                <StandardBloom>::size_for(keys, bits_per_key)
            }
            fn size_for_fpr(keys: u64, fpr: f64) -> Result<standard::Params, InvalidParams> {
                <StandardBloom>::size_for_fpr(keys, fpr)
            }
            fn params_from(given: &Given, keys: u64) -> Result<standard::Params, InvalidParams> {
                <StandardBloom>::params_from(given, keys)
            }
            fn predicted_fpr(params: &standard::Params, keys: u64) -> Prediction {
                let $rate = <StandardBloom>::predicted_fpr(params, keys).rate;
                Prediction { rate: $claim, claim: Claim::Exact, source: $source }
            }
            fn rate_spread(params: &standard::Params, keys: u64) -> f64 {
                <StandardBloom as Theory>::rate_spread(params, keys)
            }
            fn rate_given_contents(&self) -> Option<f64> {
                Theory::rate_given_contents(&self.0)
            }
            fn named_values(params: &standard::Params, keys: u64) -> Vec<NamedValue> {
                let Prediction { rate, claim, source } = Self::predicted_fpr(params, keys);
                let claimed = NamedValue { name: "fpr_exact", value: rate, claim, source };
                let values = <StandardBloom>::named_values(params, keys).into_iter();
                values.map(|value| if value.name == claimed.name { claimed } else { value }).collect()
            }
        }
    };
}

altered_standard! {
    /// A standard Bloom filter that claims a rate 1.15 times too good.
    Inflated, keep(_key) true, claim(rate) rate / 1.15, "1.15 times too good a claim, to be caught"
}

altered_standard! {
    /// A standard Bloom filter that drops one key in 10^4 and still promises to keep all.
    Leaky, keep(key) !mix64(key.0).is_multiple_of(10_000), claim(rate) rate, "the rate of the standard filter"
}
