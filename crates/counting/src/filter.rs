//! The filter itself.

mod saved;

use std::marker::PhantomData;

use amq::{
    DeletableFilter, Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, KeyCount, NoFalseNegatives,
    OverPlan, Removal, Space, Union,
};
use bits::counters::{Lowered, lower_all, lower_all_batch, raise_all, raise_all_batch};
use bits::{FieldVec, probe};
use bloom_theory::fpr::{Cardinality, rate_at_fill};
use bloom_theory::ranges::{MAX_BITS, check_probes};
use hashing::derive::{Positions, walks};
use hashing::{DefaultDerivation, Derivation, SeedWords};
use serde::{Deserialize, Serialize};

/// The geometry of a [`CountingBloom`]; the width of a counter is in its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Counters, 1 to 2^48.
    pub m: u64,
    /// Probes of a key, 1 to 64.
    pub k: u32,
}

/// `m` in `1..=2^48`.
pub(crate) fn check_counters(m: u64) -> Result<u64, InvalidParams> {
    if (1..=MAX_BITS).contains(&m) {
        return Ok(m);
    }
    Err(InvalidParams::OutOfRange { name: "m", value: m.into(), allowed: "1 to 2^48 counters" })
}

/// A counting Bloom filter with counters of `W` bits, 1 to 16. `D` turns a digest into positions.
///
/// A counter below its ceiling `2^W - 1` is the exact number of member copies that have it among their distinct
/// positions. A counter that reached the ceiling is *stuck*: it does not know how many there are, and no removal
/// lowers it. With `W = 1` every counter in use is stuck, and the filter is a Bloom filter that refuses removals.
#[derive(Clone, Debug)]
pub struct CountingBloom<const W: u32, D: Derivation = DefaultDerivation> {
    params: Params,
    seed: u64,
    words: SeedWords,
    counters: FieldVec<W>,
    count: KeyCount,
    removed: u64,
    derivation: PhantomData<D>,
}

impl<const W: u32, D: Derivation> CountingBloom<W, D> {
    /// Where a counter stops: `2^W - 1`.
    pub const CEILING: u64 = {
        assert!(1 <= W && W <= 16, "counters have 1 to 16 bits");
        (1 << W) - 1
    };

    /// Remembers for how many keys the filter was sized, so that [`over_plan`](Self::over_plan) can warn.
    #[must_use]
    pub fn planned_for(mut self, keys: u64) -> Self {
        self.count.plan(keys);
        self
    }

    /// A warning while there are more members than planned.
    #[must_use]
    pub fn over_plan(&self) -> Option<OverPlan> {
        let over = OverPlan { inserted: self.members(), ..self.count.over_plan()? };
        (over.inserted > over.planned).then_some(over)
    }

    /// Accepted inserts less removals: the members, copies counted.
    #[must_use]
    pub fn members(&self) -> u64 {
        self.count.inserted().saturating_sub(self.removed)
    }

    /// Counters above 0.
    #[must_use]
    pub fn positive(&self) -> u64 {
        self.counters.iter().filter(|counter| *counter > 0).count() as u64
    }

    /// Counters at their ceiling, which no removal lowers.
    #[must_use]
    pub fn stuck(&self) -> u64 {
        self.counters.iter().filter(|counter| *counter == Self::CEILING).count() as u64
    }

    /// The fraction of counters above 0, in `[0, 1]`.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.positive() as f64 / self.params.m as f64
    }

    /// How many counters have each value, from 0 to the ceiling.
    #[must_use]
    pub fn histogram(&self) -> Vec<u64> {
        let mut histogram = vec![0; Self::CEILING as usize + 1];
        self.counters.iter().for_each(|counter| histogram[counter as usize] += 1);
        histogram
    }

    /// The largest counter.
    #[must_use]
    pub fn max_count(&self) -> u64 {
        self.counters.iter().max().unwrap_or(0)
    }

    /// The number of distinct keys, estimated from the fill.
    #[must_use]
    pub fn cardinality(&self) -> Cardinality {
        Cardinality::from_fill(self.params.m, self.params.k, self.positive())
    }

    /// The rate expected with as many *distinct* keys as there are members. With copies it is too high;
    /// [`rate_by_fill`](Self::rate_by_fill) is not.
    #[must_use]
    pub fn rate_by_members(&self) -> f64 {
        bloom_theory::fpr::fpr_exact(self.params.m, self.params.k, self.members())
    }

    /// The rate of this very filter: `(X/m)^k`, `X` the counters above 0.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        rate_at_fill(self.params.m, self.params.k, self.positive())
    }

    /// The counters.
    #[must_use]
    pub fn counters(&self) -> &FieldVec<W> {
        &self.counters
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The positions of `key`, one after the other.
    #[inline]
    fn walk(&self, key: Digest) -> Positions<D> {
        D::positions(key, &self.words, self.params.m)
    }

    /// The positions of each key.
    #[inline]
    fn walks<'a>(&self, keys: &'a [Digest]) -> impl Fn(usize) -> Positions<D> + use<'a, W, D> {
        walks(keys, &self.words, self.params.m)
    }
}

impl<const W: u32, D: Derivation> Filter for CountingBloom<W, D> {
    type Params = Params;

    fn params(&self) -> &Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        probe::all_let_in(&self.counters, self.params.k, self.walk(key))
    }

    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        assert_eq!(keys.len(), out.len(), "one answer for each key");
        probe::all_let_in_batch(&self.counters, self.params.k, self.walks(keys), out);
    }

    fn count_contained(&self, keys: &[Digest]) -> u64 {
        probe::count_let_in(&self.counters, self.params.k, keys.len(), self.walks(keys))
    }

    fn space(&self) -> Space {
        self.counters.space()
    }
}

impl<const W: u32, D: Derivation> IncrementalFilter for CountingBloom<W, D> {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        let (m, k) = (check_counters(params.m)?, check_probes(params.k.into())?);
        Ok(Self {
            params: Params { m, k },
            seed,
            words: SeedWords::new(seed),
            counters: FieldVec::zeros(m)?,
            count: KeyCount::default(),
            removed: 0,
            derivation: PhantomData,
        })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let walk = self.walk(key);
        raise_all(&mut self.counters, self.params.k, walk);
        self.count.add(1);
        Ok(())
    }

    fn insert_batch(&mut self, keys: &[Digest]) -> Result<(), Full> {
        let walks = self.walks(keys);
        raise_all_batch(&mut self.counters, self.params.k, keys.len(), walks);
        self.count.add(keys.len() as u64);
        Ok(())
    }

    /// Inserts since the filter was empty; removals do not lower it, see [`members`](Self::members).
    fn inserted(&self) -> u64 {
        self.count.inserted()
    }

    fn clear(&mut self) {
        self.counters.clear();
        self.count.clear();
        self.removed = 0;
    }
}

impl<const W: u32, D: Derivation> DeletableFilter for CountingBloom<W, D> {
    /// Lowers the key's counters by one, each distinct one once, but for those that are stuck.
    ///
    /// [`Removal::Removed`] when at least one was lowered; [`Removal::Refused`] when all of the key's counters
    /// are stuck, and nothing was changed: the key stays found. Stuck counters among lowered ones keep their
    /// trace, which may make false positives but harms no member.
    #[inline]
    fn remove(&mut self, key: Digest) -> Removal {
        let walk = self.walk(key);
        match lower_all(&mut self.counters, self.params.k, walk) {
            Lowered::Absent => Removal::Absent,
            Lowered::Stuck => Removal::Refused,
            Lowered::Some => {
                self.removed += 1;
                Removal::Removed
            }
        }
    }

    fn remove_batch(&mut self, keys: &[Digest]) -> u64 {
        let (walks, mut removed) = (self.walks(keys), 0);
        let found = |found| removed += u64::from(found == Lowered::Some);
        lower_all_batch(&mut self.counters, self.params.k, keys.len(), walks, found);
        self.removed += removed;
        removed
    }
}

impl<const W: u32, D: Derivation> Union for CountingBloom<W, D> {
    /// Adds the counters, up to the ceiling: a copy in each operand becomes two copies, to be removed singly.
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        let (left, right) = (self.params, other.params);
        for (property, left, right) in
            [("k", u64::from(left.k), u64::from(right.k)), ("seed", self.seed, other.seed), ("m", left.m, right.m)]
        {
            if left != right {
                return Err(Incompatible { property, left: left.into(), right: right.into() });
            }
        }
        for (at, more) in (0..).zip(other.counters.iter()).filter(|(_, more)| *more > 0) {
            self.counters.set(at, (self.counters.get(at) + more).min(Self::CEILING));
        }
        self.count.add(other.count.inserted());
        self.removed = self.removed.saturating_add(other.removed);
        Ok(())
    }
}

impl<const W: u32, D: Derivation> NoFalseNegatives for CountingBloom<W, D> {}

#[cfg(test)]
mod tests;
