//! The filter itself.

mod saved;

use std::ops::Deref;

use amq::{Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, NoFalseNegatives, Space, Union};
use bloom_array::BloomArray;
use bloom_theory::ranges::{check_bits, check_probes};
use hashing::{DefaultDerivation, Derivation};
use serde::{Deserialize, Serialize};

use crate::theory::fpr_exact;

/// The geometry of a [`PartitionedBloom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bits of one slice, at least 1.
    pub slice_bits: u64,
    /// Slices, and probes of a key, 1 to 64.
    pub k: u32,
}

impl Params {
    /// Bits of all slices, `m = k s`; saturates where that passes 64 bits.
    #[must_use]
    pub fn m(&self) -> u64 {
        self.slice_bits.saturating_mul(self.k.into())
    }
}

/// A Bloom filter over `k` slices, with all that a [`BloomArray`] tells. `D` turns a digest into one position within
/// each slice.
#[derive(Clone, Debug)]
pub struct PartitionedBloom<D: Derivation = DefaultDerivation> {
    params: Params,
    array: BloomArray<D>,
}

impl<D: Derivation> PartitionedBloom<D> {
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
        fpr_exact(self.params.slice_bits, self.params.k, self.array.inserts())
    }

    /// The rate of this very filter: the product of the fills of its slices.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        self.slice_ones().map(|ones| ones as f64 / self.params.slice_bits as f64).product()
    }

    /// Set bits of each slice, slice 0 first.
    pub fn slice_ones(&self) -> impl Iterator<Item = u64> + '_ {
        let s = self.params.slice_bits;
        (0..u64::from(self.params.k)).map(move |slice| self.array.bits().count_ones_in(slice * s, (slice + 1) * s))
    }
}

impl<D: Derivation> Deref for PartitionedBloom<D> {
    type Target = BloomArray<D>;

    fn deref(&self) -> &BloomArray<D> {
        &self.array
    }
}

impl<D: Derivation> Filter for PartitionedBloom<D> {
    type Params = Params;

    fn params(&self) -> &Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        self.array.has_in_slices(key, self.params.slice_bits)
    }

    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        self.array.has_in_slices_batch(keys, self.params.slice_bits, out);
    }

    fn count_contained(&self, keys: &[Digest]) -> u64 {
        self.array.count_in_slices(keys, self.params.slice_bits)
    }

    fn space(&self) -> Space {
        self.array.array_space()
    }
}

impl<D: Derivation> IncrementalFilter for PartitionedBloom<D> {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        check_probes(params.k.into())?;
        check_bits("slice_bits", params.slice_bits)?;
        Ok(Self { params: *params, array: BloomArray::new(params.m(), params.k, seed)? })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        self.array.put_in_slices(&[key], self.params.slice_bits);
        Ok(())
    }

    fn insert_batch(&mut self, keys: &[Digest]) -> Result<(), Full> {
        self.array.put_in_slices(keys, self.params.slice_bits);
        Ok(())
    }

    fn inserted(&self) -> u64 {
        self.array.inserts()
    }

    fn clear(&mut self) {
        self.array.reset();
    }
}

impl<D: Derivation> Union for PartitionedBloom<D> {
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        self.array.unite(&other.array)
    }
}

impl<D: Derivation> NoFalseNegatives for PartitionedBloom<D> {}

#[cfg(test)]
mod tests {
    use amq::{Number, OverPlan};
    use bloom_theory::fpr::Cardinality;
    use conformance::keys::{digest, digests};
    use hashing::SeedWords;

    use super::*;

    type Bloom = PartitionedBloom;

    fn filled(params: Params, keys: u64) -> Bloom {
        let mut filter = Bloom::empty(&params, 7).unwrap();
        filter.insert_batch(&digests(0, 0..keys)).unwrap();
        filter
    }

    #[test]
    fn a_new_filter_is_empty() {
        let filter = filled(Params { slice_bits: 14, k: 7 }, 0);
        assert_eq!((filter.ones(), filter.fill(), filter.inserted(), filter.seed()), (0, 0.0, 0, 7));
        assert_eq!((filter.rate_by_inserts(), filter.rate_by_fill()), (0.0, 0.0));
        assert_eq!(filter.cardinality(), Cardinality::Keys(0.0));
        assert_eq!(filter.slice_ones().collect::<Vec<_>>(), [0; 7]);
        assert_eq!(filter.params().m(), 98);
    }

    /// HAND-14, last part: empty slices and no slices are refused at construction; so is more than there can be,
    /// where the product of both would not fit 64 bits too.
    #[test]
    fn hand_14_parameters_out_of_range_are_refused_by_value() {
        for (slice_bits, k, text) in [
            (0, 3, "slice_bits = 0 is out of range: 1 to 2^48 bits"),
            ((1 << 48) + 1, 1, "slice_bits = 281474976710657 is out of range: 1 to 2^48 bits"),
            (u64::MAX, 64, "slice_bits = 18446744073709551615 is out of range: 1 to 2^48 bits"),
            (1 << 48, 2, "m = 562949953421312 is out of range: 1 to 2^48 bits"),
            (100, 0, "k = 0 is out of range: 1 to 64 probes"),
            (100, 65, "k = 65 is out of range: 1 to 64 probes"),
        ] {
            let error = Bloom::empty(&Params { slice_bits, k }, 1).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
        // In range, but more memory than there is: an error value, and the process lives (HAND-13).
        let refused = Bloom::empty(&Params { slice_bits: 1 << 42, k: 64 }, 1).map(|filter| filter.params);
        assert!(matches!(refused, Err(InvalidParams::TooLarge { bits: 0x1_0000_0000_0000 })), "{refused:?}");
    }

    #[test]
    fn one_bit_and_one_probe() {
        let mut filter = filled(Params { slice_bits: 1, k: 1 }, 0);
        assert!(!filter.contains(Digest(5)));
        filter.insert(Digest(5)).unwrap();
        assert!(filter.contains(Digest(5)) && filter.contains(Digest(6)));
        assert_eq!((filter.ones(), filter.rate_by_fill()), (1, 1.0));
        assert_eq!(filter.space(), Space { payload_bits: 1, overhead_bits: 63 });
    }

    /// HAND-10: a key sets one bit in each slice, the last one too, at the position that the derivation gives.
    #[test]
    fn hand_10_probe_i_stays_inside_slice_i() {
        for (slice_bits, k) in [(14, 7), (15, 7), (1369, 7), (1370, 7), (1, 3), (64, 2), (333, 12)] {
            for key in [Digest(0), Digest(u64::MAX), digest(0, 3)].into_iter().chain(digests(1, 0..200)) {
                let mut filter = filled(Params { slice_bits, k }, 0);
                filter.insert(key).unwrap();
                assert_eq!(filter.slice_ones().collect::<Vec<_>>(), vec![1; k as usize]);
                let words = SeedWords::new(7);
                let offsets = DefaultDerivation::positions(key, &words, slice_bits);
                for (slice, offset) in (0..u64::from(k)).zip(offsets) {
                    assert!(offset < slice_bits && filter.bits().get(slice * slice_bits + offset));
                }
            }
        }
    }

    /// The set bits are counted by slice, and all estimates are functions of the counts.
    #[test]
    fn fill_and_what_follows_from_it() {
        let filter = filled(Params { slice_bits: 1370, k: 7 }, 1000);
        let of_slice =
            |slice: u64| (slice * 1370..(slice + 1) * 1370).filter(|at| filter.bits().get(*at)).count() as u64;
        let expected: Vec<u64> = (0..7).map(of_slice).collect();
        assert_eq!(filter.slice_ones().collect::<Vec<_>>(), expected);
        let ones: u64 = expected.iter().sum();
        assert_eq!(filter.ones(), ones);
        assert_eq!(filter.fill(), ones as f64 / 9590.0);
        let rate: f64 = expected.iter().map(|ones| *ones as f64 / 1370.0).product();
        assert!((filter.rate_by_fill() / rate - 1.0).abs() < 1e-14);
        // Expected: fill 1 - (1 - 1/1370)^1000 = 0.5182, deviation 0.003; rate 1.003 %.
        assert!((filter.fill() - 0.5182).abs() < 0.015, "{}", filter.fill());
        assert!((filter.rate_by_inserts() - 0.010_03).abs() < 0.000_01, "{}", filter.rate_by_inserts());
        let Some(Number::Real(keys)) = filter.cardinality().keys() else { panic!("saturated") };
        assert!((keys - 1000.0).abs() < 40.0, "{keys}");
    }

    #[test]
    fn the_plan_warns_from_the_first_key_too_many() {
        let mut filter = filled(Params { slice_bits: 14, k: 7 }, 0).planned_for(2);
        for index in 0..2 {
            filter.insert(digest(0, index)).unwrap();
            assert_eq!(filter.over_plan(), None);
        }
        filter.insert(digest(0, 2)).unwrap();
        assert_eq!(filter.over_plan(), Some(OverPlan { planned: 2, inserted: 3 }));
        filter.clear();
        assert_eq!(filter.over_plan(), None);
        assert_eq!(filled(Params { slice_bits: 14, k: 7 }, 50).over_plan(), None);
    }

    /// HAND-44.
    #[test]
    fn hand_44_cleared_is_new() {
        let mut filter = filled(Params { slice_bits: 143, k: 7 }, 100);
        assert!(filter.ones() > 0);
        filter.clear();
        let new = filled(Params { slice_bits: 143, k: 7 }, 0);
        assert_eq!((filter.bits(), filter.inserted()), (new.bits(), 0));
        assert_eq!(filter.cardinality(), Cardinality::Keys(0.0));
        assert!(digests(0, 0..100).into_iter().all(|key| !filter.contains(key)));
    }

    /// HAND-32: what differs is named with both values, and nothing is changed. Equal bits in slices of another
    /// length are different filters.
    #[test]
    fn hand_32_unions_of_what_differs() {
        let base = Params { slice_bits: 120, k: 3 };
        let other_seed = {
            let mut filter = Bloom::empty(&base, 8).unwrap();
            filter.insert(Digest(1)).unwrap();
            filter
        };
        for (other, text) in [
            (filled(Params { slice_bits: 121, k: 3 }, 50), "the filters differ in m: 360 and 363"),
            (filled(Params { slice_bits: 90, k: 4 }, 50), "the filters differ in k: 3 and 4"),
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
        let params = Params { slice_bits: 120, k: 3 };
        let (mut left, mut right) = (filled(params, 20), filled(params, 0));
        right.insert_batch(&digests(1, 0..30)).unwrap();
        let expected: Vec<u64> = left.bits().words().iter().zip(right.bits().words()).map(|(a, b)| a | b).collect();
        left.union(&right).unwrap();
        assert_eq!((left.bits().words(), left.inserted()), (&expected[..], 50));
    }
}
