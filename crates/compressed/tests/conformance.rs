//! The laws of `amq`, held by the compressed Bloom filter.
use compressed::{CompressedBloom, Params};

conformance::suite! {
    filter: CompressedBloom,
    cases: [
        Params { m: 14_000, k: 2 } => 1000, Params { m: 9600, k: 1 } => 100, Params { m: 100, k: 3 } => 20,
        Params { m: 9600, k: 7 } => 1000, Params { m: 64, k: 1 } => 90, Params { m: 16, k: 2 } => 3,
        Params { m: 4800, k: 3 } => 100, Params { m: 14_000, k: 4 } => 1000,
    ],
    capabilities: [incremental, no_false_negatives, union, wire, saved, theory],
}
