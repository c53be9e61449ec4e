//! Cuckoo filters: `cuckoofilter`, `autoscale_cuckoo_filter`.

use std::hash::{BuildHasher, Hasher};

use ahash::{AHasher, RandomState};
use amq::{InvalidParams, Removal, Space};

use crate::models::buckets::{BucketParams, Bytes, check};
use crate::models::slices::SeriesParams;
use crate::models::tables::{self, Tables};
use crate::peer::{Growing, KeepsMembers, Model, Published, Removing, check_memory};

/// aHash with fixed keys: the crate makes its hasher by `Default`, and that of `ahash` differs from process to process.
pub struct FixedAhash(AHasher);

impl Default for FixedAhash {
    #[inline]
    fn default() -> Self {
        Self(RandomState::with_seeds(1, 2, 3, 4).build_hasher())
    }
}

impl Hasher for FixedAhash {
    #[inline]
    fn finish(&self) -> u64 {
        self.0.finish()
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0.write_u64(word);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.0.write_usize(word);
    }
}

/// `cuckoofilter` with aHash.
pub struct CuckoofilterAhash {
    filter: cuckoofilter::CuckooFilter<FixedAhash>,
    slots: usize,
}

impl Published for CuckoofilterAhash {
    type Model = Bytes;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.filter.contains(&key)
    }

    fn space(&self) -> Space {
        let payload_bits = 8 * (self.filter.memory_usage() - size_of_val(&self.filter)) as u64;
        Space { payload_bits, overhead_bits: 0 }
    }
}

impl Growing for CuckoofilterAhash {
    fn empty(params: &BucketParams, _seed: u64) -> Result<Self, InvalidParams> {
        check(params.buckets)?;
        check_memory(Bytes::bits(params, 0))?;
        let slots = 4 * params.buckets as usize;
        Ok(Self { filter: cuckoofilter::CuckooFilter::with_capacity(slots), slots })
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.filter.add(&key).is_ok()
    }

    fn clear(&mut self) {
        // The crate has no way to forget.
        self.filter = cuckoofilter::CuckooFilter::with_capacity(self.slots);
    }
}

impl Removing for CuckoofilterAhash {
    #[inline]
    fn remove(&mut self, key: u64) -> Removal {
        if self.filter.delete(&key) { Removal::Removed } else { Removal::Absent }
    }
}

impl KeepsMembers for CuckoofilterAhash {}

/// `autoscale_cuckoo_filter` with aHash; its own hasher is built for machines with AES alone.
pub struct AutoscaleCuckooFilter(autoscale_cuckoo_filter::CuckooFilter<u64, AHasher>);

impl Published for AutoscaleCuckooFilter {
    type Model = Tables;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains(&key)
    }

    fn space(&self) -> Space {
        Space { payload_bits: self.0.bits(), overhead_bits: 0 }
    }
}

impl Growing for AutoscaleCuckooFilter {
    fn empty(params: &SeriesParams, seed: u64) -> Result<Self, InvalidParams> {
        let params = tables::check(*params)?;
        check_memory(Tables::bits(&params, 0))?;
        let hasher = RandomState::with_seeds(seed, 2, 3, 4).build_hasher();
        let builder = autoscale_cuckoo_filter::CuckooFilterBuilder::new().hasher(hasher);
        Ok(Self(builder.initial_capacity(params.keys as usize).false_positive_probability(params.fpr).finish()))
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.0.add(&key);
        true
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl Removing for AutoscaleCuckooFilter {
    #[inline]
    fn remove(&mut self, key: u64) -> Removal {
        if self.0.remove(&key) { Removal::Removed } else { Removal::Absent }
    }
}

impl KeepsMembers for AutoscaleCuckooFilter {}
