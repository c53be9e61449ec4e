//! The filter in memory: a Bloom filter over one shared array.

mod saved;

use std::ops::Deref;

use amq::{Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, NoFalseNegatives, Space, Union};
use bloom_array::BloomArray;
use hashing::DefaultDerivation;
use serde::{Deserialize, Serialize};

use crate::wire;

/// The geometry of a [`CompressedBloom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bits of the array in memory, 1 to 2^48.
    pub m: u64,
    /// Probes of a key, 1 to 64.
    pub k: u32,
}

/// A Bloom filter that is meant to be sent: [`amq::Encode`] is its wire form, [`delta_from`](Self::delta_from) an update.
///
/// Two are equal when parameters, seed, bits and number of inserts are; the plan is not part of it.
#[derive(Clone, Debug)]
pub struct CompressedBloom {
    params: Params,
    pub(crate) array: BloomArray<DefaultDerivation>,
}

impl CompressedBloom {
    /// Remembers for how many keys the filter was sized, so that [`over_plan`](BloomArray::over_plan) can warn.
    #[must_use]
    pub fn planned_for(mut self, keys: u64) -> Self {
        self.array.plan(keys);
        self
    }

    /// The rate of this very filter: `(X/m)^k`, `X` the set bits.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        self.array.shared_rate_by_fill()
    }
}

impl Deref for CompressedBloom {
    type Target = BloomArray<DefaultDerivation>;

    fn deref(&self) -> &BloomArray<DefaultDerivation> {
        &self.array
    }
}

impl PartialEq for CompressedBloom {
    fn eq(&self, other: &Self) -> bool {
        self.check_same(other).is_ok() && self.inserts() == other.inserts() && self.bits() == other.bits()
    }
}

impl Filter for CompressedBloom {
    type Params = Params;

    fn params(&self) -> &Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        self.array.has(key)
    }

    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        self.array.has_batch(keys, out);
    }

    fn count_contained(&self, keys: &[Digest]) -> u64 {
        self.array.count(keys)
    }

    /// The space of the wire form, by coding the filter.
    fn space(&self) -> Space {
        wire::space(self)
    }

    /// The array, as allocated.
    fn memory_bits(&self) -> u64 {
        self.array.array_space().total_bits()
    }
}

impl IncrementalFilter for CompressedBloom {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        Ok(Self { params: *params, array: BloomArray::new(params.m, params.k, seed)? })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        self.array.put(&[key]);
        Ok(())
    }

    fn insert_batch(&mut self, keys: &[Digest]) -> Result<(), Full> {
        self.array.put(keys);
        Ok(())
    }

    fn inserted(&self) -> u64 {
        self.array.inserts()
    }

    fn clear(&mut self) {
        self.array.reset();
    }
}

impl Union for CompressedBloom {
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        self.array.unite(&other.array)
    }
}

impl NoFalseNegatives for CompressedBloom {}

#[cfg(test)]
mod tests {
    use amq::OverPlan;
    use conformance::keys::digests;

    use super::*;

    fn filled(params: Params, keys: u64) -> CompressedBloom {
        let mut filter = CompressedBloom::empty(&params, 7).unwrap();
        filter.insert_batch(&digests(0, 0..keys)).unwrap();
        filter
    }

    #[test]
    fn fill_and_memory() {
        let filter = filled(Params { m: 9586, k: 7 }, 1000);
        let ones = (0..9586).filter(|at| filter.bits().get(*at)).count() as u64;
        assert_eq!((filter.ones(), filter.fill(), filter.memory_bits()), (ones, ones as f64 / 9586.0, 9600));
        assert_eq!(filter.rate_by_fill(), (ones as f64 / 9586.0).powi(7));
        assert_eq!((filter.inserted(), filter.seed()), (1000, 7));
    }

    #[test]
    fn hand_14_parameters_out_of_range_are_refused_by_value() {
        for (m, k, text) in [
            (0, 3, "m = 0 is out of range: 1 to 2^48 bits"),
            ((1 << 48) + 1, 3, "m = 281474976710657 is out of range: 1 to 2^48 bits"),
            (100, 0, "k = 0 is out of range: 1 to 64 probes"),
            (100, 65, "k = 65 is out of range: 1 to 64 probes"),
        ] {
            assert_eq!(CompressedBloom::empty(&Params { m, k }, 1).unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn the_plan_warns_from_the_first_key_too_many() {
        let filter = filled(Params { m: 100, k: 3 }, 3);
        assert_eq!(filter.over_plan(), None);
        assert_eq!(filter.clone().planned_for(3).over_plan(), None);
        assert_eq!(filter.planned_for(2).over_plan(), Some(OverPlan { planned: 2, inserted: 3 }));
    }

    /// HAND-32: what differs is named with both values, and nothing is changed.
    #[test]
    fn hand_32_unions_of_what_differs() {
        let base = Params { m: 1000, k: 3 };
        for (other, text) in [
            (filled(Params { m: 1001, k: 3 }, 50), "the filters differ in m: 1000 and 1001"),
            (filled(Params { m: 1000, k: 4 }, 50), "the filters differ in k: 3 and 4"),
            (CompressedBloom::empty(&base, 8).unwrap(), "the filters differ in seed: 7 and 8"),
        ] {
            let mut filter = filled(base, 20);
            assert_eq!(filter.union(&other).unwrap_err().to_string(), text);
            assert_eq!(filter, filled(base, 20));
        }
    }

    #[test]
    fn hand_44_cleared_is_new() {
        let mut filter = filled(Params { m: 1000, k: 7 }, 100);
        filter.clear();
        assert_eq!(filter, filled(Params { m: 1000, k: 7 }, 0));
    }
}
