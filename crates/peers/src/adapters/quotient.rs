//! Quotient filters: `qfilter`.

use amq::{InvalidParams, Removal, Space};

use crate::models::quotient::{QuotientParams, RankSelect, capacity, check};
use crate::peer::{Growing, KeepsMembers, Model, Published, Removing, check_memory};

/// `qfilter` with its own hasher, which is XXH3 and has no seed. Keys are added with `insert_duplicated`: the crate says that
/// keys may be taken out only then.
pub struct Qfilter(qfilter::Filter);

impl Published for Qfilter {
    type Model = RankSelect;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains(key)
    }

    fn space(&self) -> Space {
        Space { payload_bits: 8 * self.0.memory_usage() as u64, overhead_bits: 0 }
    }
}

impl Growing for Qfilter {
    fn empty(params: &QuotientParams, _seed: u64) -> Result<Self, InvalidParams> {
        let params = check(*params)?;
        let bits = RankSelect::bits(&params, 0);
        check_memory(bits)?;
        let made = qfilter::Filter::new(capacity(params.q), (-f64::from(params.r)).exp2());
        made.map(Self).map_err(|_| InvalidParams::TooLarge { bits })
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.0.insert_duplicated(key).is_ok()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl Removing for Qfilter {
    #[inline]
    fn remove(&mut self, key: u64) -> Removal {
        if self.0.remove(key) { Removal::Removed } else { Removal::Absent }
    }
}

impl KeepsMembers for Qfilter {}
