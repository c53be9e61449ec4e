//! `sux`: a static filter by sharded fuse edges.

use ::sux::dict::VFilter;
use ::sux::func::VBuilder;
use ::sux::func::shard_edge::{FuseAug3Shards, ShardEdge};
use amq::{BuildError, Claim, Digest, Prediction, Space};
use dsi_progress_logger::no_logging;
use mem_dbg::{MemSize, SizeFlags};

use crate::models::fixed::{Fixed, FixedParams, Size, check_keys, exact};
use crate::peer::{Built, KeepsMembers, Published};

/// The crate's default for the space that sharding may cost.
const EPS: f64 = 0.001;
/// Its default for the probability that a construction is tried again.
const RETRY: f64 = 0.05;

/// Fingerprints of 8 bits; the number of cells is the crate's own affair.
pub struct Sharded;

impl Size for Sharded {
    const WIDTH: u32 = 8;
    const MAX_KEYS: u64 = 1_000_000_000;
    /// Shards are as large as the largest one, which is chance.
    const BITS: Claim = Claim::Approximate { rel: 0.01 };

    /// As the crate sets its graph up, shards of equal size.
    fn bits(keys: u64) -> u64 {
        let keys = keys.min(Self::MAX_KEYS);
        let mut edge = FuseAug3Shards::default();
        ShardEdge::<[u64; 2], 3>::set_up_shards(&mut edge, keys as usize, EPS, RETRY);
        let shards = ShardEdge::<[u64; 2], 3>::num_shards(&edge);
        ShardEdge::<[u64; 2], 3>::set_up_graphs(&mut edge, keys as usize, (keys as usize).div_ceil(shards));
        8 * (ShardEdge::<[u64; 2], 3>::num_vertices(&edge) * shards) as u64
    }

    fn prediction(rate: f64, keys: u64) -> Prediction {
        exact(rate, keys)
    }
}

/// `sux`, `VFilter` of 8 bits, built by one thread. It does not end on duplicates.
pub struct SuxVFilter(VFilter<u64, Box<[u8]>>);

impl Published for SuxVFilter {
    type Model = Fixed<Sharded>;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains(key)
    }

    fn space(&self) -> Space {
        let heap = self.0.mem_size(SizeFlags::default()) - size_of_val(&self.0);
        Space { payload_bits: 8 * heap as u64, overhead_bits: 0 }
    }
}

impl Built for SuxVFilter {
    fn build(_params: &FixedParams, seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        check_keys(keys.len() as u64, Sharded::MAX_KEYS)?;
        let words: Vec<u64> = keys.iter().map(|key| key.0).collect();
        let builder = VBuilder::default().max_num_threads(1).seed(seed).expected_num_keys(words.len());
        let built = <VFilter<u64, Box<[u8]>>>::try_par_new_with_builder(&words, builder, no_logging![]);
        built.map(Self).map_err(|_| BuildError::Unbuildable { keys: words.len() as u64, tries: 1 })
    }
}

impl KeepsMembers for SuxVFilter {}
