//! The laws of prediction for every derivation: what it claims is what it keeps.
use partitioned::{Params, PartitionedBloom};

conformance::derivations! {
    filter<D>: PartitionedBloom<D>,
    cases: [Params { slice_bits: 1370, k: 7 } => 1000, Params { slice_bits: 257, k: 5 } => 150, Params { slice_bits: 64, k: 4 } => 40],
    known: [],
}
