//! The filter itself.

mod saved;

use std::ops::Deref;

use amq::{
    DeletableFilter, Digest, Filter, Full, Incompatible, IncrementalFilter, InvalidParams, NoFalseNegatives, Removal,
    Space, Union,
};
use bits::probe::Walk;
use bits::{BitVec, for_each_distinct};
use bloom_array::BloomArray;
use bloom_theory::ranges::{check_bits, check_probes};
use hashing::{DefaultDerivation, Derivation};
use serde::{Deserialize, Serialize};

/// The geometry of a [`DeletableBloom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bits of the array, 1 to 2^48; the map is not among them.
    pub m: u64,
    /// Probes of a key, 1 to 64.
    pub k: u32,
    /// Bits of the map, 1 to `m`: one for each region of `ceil(m / regions)` bits.
    pub regions: u64,
}

impl Params {
    /// Bits of a region: `ceil(m / regions)`, so that no bit lies beyond the last region. The last region may be
    /// shorter, and a few regions may have no bits at all (9 bits in 6 regions: five of 2 bits, the last of which has
    /// one, and an empty one).
    #[must_use]
    pub fn region_bits(&self) -> u64 {
        self.m.div_ceil(self.regions)
    }
}

/// `regions` in `1..=m`.
pub(crate) fn check_regions(regions: u64, m: u64) -> Result<u64, InvalidParams> {
    if (1..=m).contains(&regions) {
        return Ok(regions);
    }
    Err(InvalidParams::OutOfRange { name: "regions", value: regions.into(), allowed: "1 to m: a region has a bit" })
}

/// A Bloom filter with a map of the regions of its array in which bits are shared, or may be. `D` turns a digest into
/// positions.
///
/// In a region without a mark every set bit belongs to one insert, so that removing its key may clear it.
#[derive(Clone, Debug)]
pub struct DeletableBloom<D: Derivation = DefaultDerivation> {
    params: Params,
    region_bits: u64,
    array: BloomArray<D>,
    marks: BitVec,
    removed: u64,
}

impl<D: Derivation> DeletableBloom<D> {
    /// Remembers for how many keys the filter was sized, so that [`over_plan`](BloomArray::over_plan) can warn. Removals do not
    /// take a warning back: they leave bits and marks.
    #[must_use]
    pub fn planned_for(mut self, keys: u64) -> Self {
        self.array.plan(keys);
        self
    }

    /// Accepted inserts less removals: the members, copies counted.
    #[must_use]
    pub fn members(&self) -> u64 {
        self.array.inserts().saturating_sub(self.removed)
    }

    /// What [`remove`](DeletableFilter::remove) would give for `key`, changing nothing.
    #[must_use]
    pub fn removal(&self, key: Digest) -> Removal {
        if !self.contains(key) {
            return Removal::Absent;
        }
        let clean = |at: u64| !self.marks.get(at / self.region_bits);
        if self.array.positions(key).any(clean) { Removal::Removed } else { Removal::Refused }
    }

    /// Marked regions, which stay marked.
    #[must_use]
    pub fn marked(&self) -> u64 {
        self.marks.count_ones()
    }

    /// The rate expected after as many *distinct* keys as there were inserts. With copies or removals it is too high;
    /// [`rate_by_fill`](Self::rate_by_fill) is not.
    #[must_use]
    pub fn rate_by_inserts(&self) -> f64 {
        self.array.shared_rate_by_inserts()
    }

    /// The rate of this very filter: `(X/m)^k`, `X` the set bits.
    #[must_use]
    pub fn rate_by_fill(&self) -> f64 {
        self.array.shared_rate_by_fill()
    }

    /// The map: bit `i` marks the region that starts at bit `i region_bits`.
    #[must_use]
    pub fn marks(&self) -> &BitVec {
        &self.marks
    }
}

impl<D: Derivation> Deref for DeletableBloom<D> {
    type Target = BloomArray<D>;

    fn deref(&self) -> &BloomArray<D> {
        &self.array
    }
}

impl<D: Derivation> Filter for DeletableBloom<D> {
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
        let allocated = self.array.array_space().total_bits() + self.marks.space().total_bits();
        Space { payload_bits: self.params.m, overhead_bits: allocated - self.params.m }
    }
}

impl<D: Derivation> IncrementalFilter for DeletableBloom<D> {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        let (m, k) = (check_bits("m", params.m)?, check_probes(params.k.into())?);
        let params = Params { m, k, regions: check_regions(params.regions, m)? };
        Ok(Self {
            params,
            region_bits: params.region_bits(),
            array: BloomArray::new(m, k, seed)?,
            marks: BitVec::zeros(params.regions)?,
            removed: 0,
        })
    }

    /// Sets the key's bits. Where one was set already its region is marked, for good; so a key that is inserted again
    /// marks all of its regions, and can no longer be removed.
    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let (walk, bits) = (self.array.walk(key, self.params.m), self.array.bits_mut());
        for_each_distinct(self.params.k, walk, |at| {
            if !bits.set(at) {
                self.marks.set(at / self.region_bits);
            }
        });
        self.array.count_insert();
        Ok(())
    }

    /// Inserts since the filter was empty; removals do not lower it, see [`members`](Self::members).
    fn inserted(&self) -> u64 {
        self.array.inserts()
    }

    fn clear(&mut self) {
        self.array.reset();
        self.marks.clear();
        self.removed = 0;
    }
}

impl<D: Derivation> DeletableFilter for DeletableBloom<D> {
    /// Clears those of the key's bits that lie in regions without a mark.
    ///
    /// [`Removal::Removed`] when there was one: the key is no longer found, though its bits in marked regions stay.
    /// [`Removal::Refused`] when all of its regions are marked; then nothing was changed and the key stays found.
    #[inline]
    fn remove(&mut self, key: Digest) -> Removal {
        if !self.contains(key) {
            return Removal::Absent;
        }
        let mut cleared = false;
        let mut walk = self.array.walk(key, self.params.m);
        for _ in 0..self.params.k {
            let at = walk.step();
            cleared |= !self.marks.get(at / self.region_bits) && self.array.bits_mut().unset(at);
        }
        self.removed += u64::from(cleared);
        if cleared { Removal::Removed } else { Removal::Refused }
    }
}

impl<D: Derivation> Union for DeletableBloom<D> {
    /// Sets the bits of `other`, and marks the regions that are marked in either or have a bit that is set in both.
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        self.array.check_same(&other.array)?;
        if self.params.regions != other.params.regions {
            let (left, right) = (self.params.regions.into(), other.params.regions.into());
            return Err(Incompatible { property: "regions", left, right });
        }
        for (word, (left, right)) in (0..).zip(self.array.bits().words().iter().zip(other.bits().words())) {
            let mut shared = left & right;
            while shared != 0 {
                self.marks.set((64 * word + u64::from(shared.trailing_zeros())) / self.region_bits);
                shared &= shared - 1;
            }
        }
        self.array.unite(&other.array)?;
        self.marks.union(&other.marks)?;
        self.removed = self.removed.saturating_add(other.removed);
        Ok(())
    }
}

impl<D: Derivation> NoFalseNegatives for DeletableBloom<D> {}

#[cfg(test)]
mod tests;
