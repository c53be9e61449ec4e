//! The laws of `amq`, held by the partitioned Bloom filter.
use partitioned::{Params, PartitionedBloom};

conformance::suite! {
    filter: PartitionedBloom,
    cases: [
        Params { slice_bits: 1370, k: 7 } => 1000, Params { slice_bits: 14, k: 7 } => 8, Params { slice_bits: 8, k: 2 } => 3,
        Params { slice_bits: 1024, k: 4 } => 512, Params { slice_bits: 64, k: 1 } => 30, Params { slice_bits: 333, k: 12 } => 300,
        Params { slice_bits: 999, k: 4 } => 512,
    ],
    capabilities: [incremental, no_false_negatives, union, saved, theory],
}
