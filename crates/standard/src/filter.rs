//! The filter itself.

use std::marker::PhantomData;

use amq::{
    Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, KeyCount, NoFalseNegatives, OverPlan, Space, Union,
};
use bits::BitVec;
use bloom_theory::fpr::{Cardinality, rate_at_fill};
use bloom_theory::ranges::{check_bits, check_probes};
use hashing::{DefaultDerivation, Derivation, SeedWords};
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

/// A Bloom filter over one shared array. `D` turns a digest into positions.
#[derive(Clone, Debug)]
pub struct StandardBloom<D: Derivation = DefaultDerivation> {
    params: Params,
    seed: u64,
    words: SeedWords,
    bits: BitVec,
    count: KeyCount,
    derivation: PhantomData<D>,
}

impl<D: Derivation> StandardBloom<D> {
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
        self.ones() as f64 / self.params.m as f64
    }

    /// The number of distinct keys, estimated from the fill.
    #[must_use]
    pub fn cardinality(&self) -> Cardinality {
        Cardinality::from_fill(self.params.m, self.params.k, self.ones())
    }

    /// The rate expected after as many *distinct* keys as there were inserts. With repeated keys it is too
    /// high; [`rate_by_fill`](Self::rate_by_fill) is not.
    #[must_use]
    pub fn rate_by_inserts(&self) -> f64 {
        bloom_theory::fpr::fpr_exact(self.params.m, self.params.k, self.count.inserted())
    }

    /// The rate of this very filter: `(X/m)^k`, `X` the set bits.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        rate_at_fill(self.params.m, self.params.k, self.ones())
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

impl<D: Derivation> Filter for StandardBloom<D> {
    type Params = Params;

    fn params(&self) -> &Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        let mut state = D::start(key, &self.words, self.params.m);
        (0..self.params.k).all(|_| self.bits.get(D::next(&mut state, self.params.m)))
    }

    fn space(&self) -> Space {
        self.bits.space()
    }
}

impl<D: Derivation> IncrementalFilter for StandardBloom<D> {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        let (m, k) = (check_bits("m", params.m)?, check_probes(params.k.into())?);
        Ok(Self {
            params: Params { m, k },
            seed,
            words: SeedWords::new(seed),
            bits: BitVec::zeros(m)?,
            count: KeyCount::default(),
            derivation: PhantomData,
        })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let mut state = D::start(key, &self.words, self.params.m);
        for _ in 0..self.params.k {
            self.bits.set(D::next(&mut state, self.params.m));
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

impl<D: Derivation> Union for StandardBloom<D> {
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

impl<D: Derivation> NoFalseNegatives for StandardBloom<D> {}
