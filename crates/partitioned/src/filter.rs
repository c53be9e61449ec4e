//! The filter itself.

use std::marker::PhantomData;

use amq::{
    Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, KeyCount, NoFalseNegatives, OverPlan, Space, Union,
};
use bits::BitVec;
use bloom_theory::fpr::Cardinality;
use bloom_theory::ranges::{check_bits, check_probes};
use hashing::{DefaultDerivation, Derivation, SeedWords};
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

/// A Bloom filter over `k` slices. `D` turns a digest into one position within each slice.
#[derive(Clone, Debug)]
pub struct PartitionedBloom<D: Derivation = DefaultDerivation> {
    params: Params,
    seed: u64,
    words: SeedWords,
    bits: BitVec,
    count: KeyCount,
    derivation: PhantomData<D>,
}

impl<D: Derivation> PartitionedBloom<D> {
    /// Remembers for how many keys the filter was sized, so that [`over_plan`](Self::over_plan) can warn.
    #[must_use]
    pub fn planned_for(mut self, keys: u64) -> Self {
        self.count.plan(keys);
        self
    }

    /// A warning once more keys were inserted than planned.
    #[must_use]
    pub fn over_plan(&self) -> Option<OverPlan> {
        self.count.over_plan()
    }

    /// Set bits.
    #[must_use]
    pub fn ones(&self) -> u64 {
        self.bits.count_ones()
    }

    /// The fraction of set bits, in `[0, 1]`.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.ones() as f64 / self.params.m() as f64
    }

    /// The number of distinct keys, estimated from the fill.
    #[must_use]
    pub fn cardinality(&self) -> Cardinality {
        // -(m/k) ln(1 - X/m) with m/k = s: the estimate of one slice at the mean fill of all.
        Cardinality::from_fill(self.params.m(), self.params.k, self.ones())
    }

    /// The rate expected after as many *distinct* keys as there were inserts. With repeated keys it is too
    /// high; [`rate_by_fill`](Self::rate_by_fill) is not.
    #[must_use]
    pub fn rate_by_inserts(&self) -> f64 {
        fpr_exact(self.params.slice_bits, self.params.k, self.count.inserted())
    }

    /// The rate of this very filter: the product of the fills of its slices.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        self.slice_ones().map(|ones| ones as f64 / self.params.slice_bits as f64).product()
    }

    /// Set bits of each slice, slice 0 first.
    pub fn slice_ones(&self) -> impl Iterator<Item = u64> + '_ {
        let s = self.params.slice_bits;
        (0..u64::from(self.params.k)).map(move |slice| self.bits.count_ones_in(slice * s, (slice + 1) * s))
    }

    /// The array.
    #[must_use]
    pub fn bits(&self) -> &BitVec {
        &self.bits
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

impl<D: Derivation> Filter for PartitionedBloom<D> {
    type Params = Params;

    fn params(&self) -> &Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        let Params { slice_bits, k } = self.params;
        let mut state = D::start(key, &self.words, slice_bits);
        (0..u64::from(k)).all(|slice| self.bits.get(slice * slice_bits + D::next(&mut state, slice_bits)))
    }

    fn space(&self) -> Space {
        self.bits.space()
    }
}

impl<D: Derivation> IncrementalFilter for PartitionedBloom<D> {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        check_probes(params.k.into())?;
        check_bits("slice_bits", params.slice_bits)?;
        let m = check_bits("m", params.m())?;
        Ok(Self {
            params: *params,
            seed,
            words: SeedWords::new(seed),
            bits: BitVec::zeros(m)?,
            count: KeyCount::default(),
            derivation: PhantomData,
        })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let Params { slice_bits, k } = self.params;
        let mut state = D::start(key, &self.words, slice_bits);
        for slice in 0..u64::from(k) {
            self.bits.set(slice * slice_bits + D::next(&mut state, slice_bits));
        }
        self.count.add(1);
        Ok(())
    }

    fn inserted(&self) -> u64 {
        self.count.inserted()
    }

    fn clear(&mut self) {
        self.bits.clear();
        self.count.clear();
    }
}

impl<D: Derivation> Union for PartitionedBloom<D> {
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        if self.params.k != other.params.k {
            let (left, right) = (self.params.k.into(), other.params.k.into());
            return Err(Incompatible { property: "k", left, right });
        }
        if self.seed != other.seed {
            return Err(Incompatible { property: "seed", left: self.seed.into(), right: other.seed.into() });
        }
        self.bits.union(&other.bits)?;
        self.count.add(other.count.inserted());
        Ok(())
    }
}

impl<D: Derivation> NoFalseNegatives for PartitionedBloom<D> {}
