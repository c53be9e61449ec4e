//! Scalable filters: `growable-bloom-filter`.

use amq::{InvalidParams, Space};
use growable_bloom_filter::GrowableBloom;

use crate::models::slices::{Series, SeriesParams, check};
use crate::peer::{Growing, KeepsMembers, Model, Published, check_memory};

/// `growable-bloom-filter` with its own hasher, XXH3 without a seed. A key that is found is not added.
pub struct GrowableBloomFilter {
    filter: GrowableBloom,
    params: SeriesParams,
}

impl Published for GrowableBloomFilter {
    type Model = Series;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.filter.contains(key)
    }

    /// The crate does not tell: from the keys that it says it added.
    fn space(&self) -> Space {
        Space { payload_bits: Series::bits(&self.params, self.filter.len() as u64), overhead_bits: 0 }
    }
}

impl Growing for GrowableBloomFilter {
    fn empty(params: &SeriesParams, _seed: u64) -> Result<Self, InvalidParams> {
        let params = check(*params)?;
        check_memory(Series::bits(&params, 1))?;
        Ok(Self { filter: GrowableBloom::new(params.fpr, params.keys as usize), params })
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.filter.insert(key);
        true
    }

    fn clear(&mut self) {
        self.filter.clear();
    }
}

impl KeepsMembers for GrowableBloomFilter {}
