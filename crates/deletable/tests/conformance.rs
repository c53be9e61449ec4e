//! The laws of `amq`, held by the deletable Bloom filter.
use deletable::{DeletableBloom, Params};

conformance::suite! {
    filter: DeletableBloom,
    cases: [
        Params { m: 9600, k: 7, regions: 2400 } => 1000, Params { m: 100, k: 3, regions: 30 } => 20,
        Params { m: 1021, k: 3, regions: 1021 } => 200, Params { m: 4096, k: 4, regions: 64 } => 512,
        Params { m: 64, k: 2, regions: 1 } => 12, Params { m: 4096, k: 3, regions: 64 } => 512,
        Params { m: 4096, k: 4, regions: 65 } => 512,
    ],
    capabilities: [incremental, no_false_negatives, union, deletable, saved, theory],
}
