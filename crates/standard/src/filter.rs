//! The filter itself.

mod saved;
mod shared;

use std::ops::Deref;

use amq::{Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, NoFalseNegatives, Space, Union};
use bloom_array::BloomArray;
use hashing::{DefaultDerivation, Derivation};
use serde::{Deserialize, Serialize};

/// The geometry of a [`StandardBloom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bits of the array, 1 to 2^48.
    pub m: u64,
    /// Probes of a key, 1 to 64.
    pub k: u32,
}

/// A Bloom filter over one shared array, with all that a [`BloomArray`] tells. `D` turns a digest into positions.
#[derive(Clone, Debug)]
pub struct StandardBloom<D: Derivation = DefaultDerivation> {
    params: Params,
    array: BloomArray<D>,
}

impl<D: Derivation> StandardBloom<D> {
    /// Remembers for how many keys the filter was sized, so that [`over_plan`](BloomArray::over_plan) can warn.
    #[must_use]
    pub fn planned_for(mut self, keys: u64) -> Self {
        self.array.plan(keys);
        self
    }

    /// The rate expected after as many *distinct* keys as there were inserts. With repeated keys it is too
    /// high; [`rate_by_fill`](Self::rate_by_fill) is not.
    #[must_use]
    pub fn rate_by_inserts(&self) -> f64 {
        self.array.shared_rate_by_inserts()
    }

    /// The rate of this very filter: `(X/m)^k`, `X` the set bits.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        self.array.shared_rate_by_fill()
    }
}

impl<D: Derivation> Deref for StandardBloom<D> {
    type Target = BloomArray<D>;

    fn deref(&self) -> &BloomArray<D> {
        &self.array
    }
}

impl<D: Derivation> Filter for StandardBloom<D> {
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

    fn space(&self) -> Space {
        self.array.array_space()
    }
}

impl<D: Derivation> IncrementalFilter for StandardBloom<D> {
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

impl<D: Derivation> Union for StandardBloom<D> {
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        self.array.unite(&other.array)
    }
}

impl<D: Derivation> NoFalseNegatives for StandardBloom<D> {}

#[cfg(test)]
mod tests {
    use amq::{Number, OverPlan};
    use bits::BitVec;
    use bloom_theory::fpr::Cardinality;
    use conformance::keys::{digest, digests};
    use hashing::SeedWords;

    use super::*;

    type Bloom = StandardBloom;

    fn filled(params: Params, keys: u64) -> Bloom {
        let mut filter = Bloom::empty(&params, 7).unwrap();
        filter.insert_batch(&digests(0, 0..keys)).unwrap();
        filter
    }

    #[test]
    fn a_new_filter_is_empty() {
        let filter = filled(Params { m: 100, k: 3 }, 0);
        assert_eq!((filter.ones(), filter.fill(), filter.inserted(), filter.seed()), (0, 0.0, 0, 7));
        assert_eq!((filter.rate_by_inserts(), filter.rate_by_fill()), (0.0, 0.0));
        assert_eq!(filter.cardinality(), Cardinality::Keys(0.0));
        assert_eq!(filter.params(), &Params { m: 100, k: 3 });
    }

    /// HAND-14, last part: no bits and no probes are refused at construction; so is more than there can be.
    #[test]
    fn hand_14_parameters_out_of_range_are_refused_by_value() {
        for (m, k, text) in [
            (0, 3, "m = 0 is out of range: 1 to 2^48 bits"),
            ((1 << 48) + 1, 3, "m = 281474976710657 is out of range: 1 to 2^48 bits"),
            (100, 0, "k = 0 is out of range: 1 to 64 probes"),
            (100, 65, "k = 65 is out of range: 1 to 64 probes"),
        ] {
            let error = Bloom::empty(&Params { m, k }, 1).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
        // In range, but more memory than there is: an error value, and the process lives (HAND-13).
        let refused = Bloom::empty(&Params { m: 1 << 48, k: 64 }, 1).map(|filter| filter.params);
        assert!(matches!(refused, Err(InvalidParams::TooLarge { bits: 0x1_0000_0000_0000 })), "{refused:?}");
    }

    #[test]
    fn one_bit_and_one_probe() {
        let mut filter = filled(Params { m: 1, k: 1 }, 0);
        assert!(!filter.contains(Digest(5)));
        filter.insert(Digest(5)).unwrap();
        assert!(filter.contains(Digest(5)) && filter.contains(Digest(6)));
        assert_eq!((filter.ones(), filter.rate_by_fill()), (1, 1.0));
        assert_eq!(filter.space(), Space { payload_bits: 1, overhead_bits: 63 });
    }

    /// A key sets its positions and no other bit; the extreme digests too.
    #[test]
    fn a_key_sets_its_positions() {
        for key in [Digest(0), Digest(u64::MAX), digest(0, 3)] {
            let params = Params { m: 9586, k: 7 };
            let mut filter = filled(params, 0);
            filter.insert(key).unwrap();
            let mut expected = BitVec::zeros(params.m).unwrap();
            let words = SeedWords::new(7);
            for at in DefaultDerivation::positions(key, &words, params.m).take(7) {
                expected.set(at);
            }
            assert_eq!(filter.bits(), &expected);
        }
    }

    /// The set bits are counted, and all estimates are functions of the count.
    #[test]
    fn fill_and_what_follows_from_it() {
        let filter = filled(Params { m: 9586, k: 7 }, 1000);
        let ones = (0..9586).filter(|at| filter.bits().get(*at)).count() as u64;
        assert_eq!(filter.ones(), ones);
        assert_eq!(filter.fill(), ones as f64 / 9586.0);
        assert_eq!(filter.rate_by_fill(), (ones as f64 / 9586.0).powi(7));
        assert_eq!(filter.inserted(), 1000);
        // Expected rate of 1,000 keys: 1.004 %; fill 0.518, deviation 0.0028 (FIELD 0); five of them.
        assert!((filter.fill() - 0.5182).abs() < 0.014, "{}", filter.fill());
        assert!((filter.rate_by_inserts() - 0.010_04).abs() < 0.000_05, "{}", filter.rate_by_inserts());
        let Some(Number::Real(keys)) = filter.cardinality().keys() else { panic!("saturated") };
        assert!((keys - 1000.0).abs() < 40.0, "{keys}");
    }

    #[test]
    fn the_plan_warns_from_the_first_key_too_many() {
        let mut filter = filled(Params { m: 100, k: 3 }, 0).planned_for(2);
        for index in 0..2 {
            filter.insert(digest(0, index)).unwrap();
            assert_eq!(filter.over_plan(), None);
        }
        filter.insert(digest(0, 2)).unwrap();
        let warning = filter.over_plan().unwrap();
        assert_eq!(warning, OverPlan { planned: 2, inserted: 3 });
        assert_eq!(warning.to_string(), "3 keys inserted where 2 were planned: the rate is above the plan");
        filter.clear();
        assert_eq!(filter.over_plan(), None);
        assert_eq!(filled(Params { m: 100, k: 3 }, 50).over_plan(), None);
    }

    /// HAND-44.
    #[test]
    fn hand_44_cleared_is_new() {
        let mut filter = filled(Params { m: 1000, k: 7 }, 100);
        assert!(filter.ones() > 0);
        filter.clear();
        let new = filled(Params { m: 1000, k: 7 }, 0);
        assert_eq!((filter.bits(), filter.inserted()), (new.bits(), 0));
        assert_eq!(filter.cardinality(), Cardinality::Keys(0.0));
        assert!(digests(0, 0..100).into_iter().all(|key| !filter.contains(key)));
    }

    /// HAND-32: what differs is named with both values, and nothing is changed.
    #[test]
    fn hand_32_unions_of_what_differs() {
        let base = Params { m: 1000, k: 3 };
        let other_seed = {
            let mut filter = Bloom::empty(&base, 8).unwrap();
            filter.insert(Digest(1)).unwrap();
            filter
        };
        for (other, text) in [
            (filled(Params { m: 1001, k: 3 }, 50), "the filters differ in m: 1000 and 1001"),
            (filled(Params { m: 1000, k: 4 }, 50), "the filters differ in k: 3 and 4"),
            (other_seed, "the filters differ in seed: 7 and 8"),
        ] {
            let mut filter = filled(base, 20);
            let before = (filter.bits().clone(), other.bits().clone());
            assert_eq!(filter.union(&other).unwrap_err().to_string(), text);
            assert_eq!((filter.bits(), filter.inserted(), other.bits()), (&before.0, 20, &before.1));
        }
    }

    #[test]
    fn a_union_is_the_or_of_the_bits_and_the_sum_of_the_inserts() {
        let params = Params { m: 1000, k: 3 };
        let (mut left, mut right) = (filled(params, 20), filled(params, 0));
        right.insert_batch(&digests(1, 0..30)).unwrap();
        let expected: Vec<u64> = left.bits().words().iter().zip(right.bits().words()).map(|(a, b)| a | b).collect();
        left.union(&right).unwrap();
        assert_eq!((left.bits().words(), left.inserted()), (&expected[..], 50));
    }
}
