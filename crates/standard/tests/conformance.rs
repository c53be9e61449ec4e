//! The laws of `amq`, held by the Bloom filter.
use standard::{Params, StandardBloom};

conformance::suite! {
    filter: StandardBloom,
    cases: [
        Params { m: 9600, k: 7 } => 1000, Params { m: 100, k: 3 } => 20, Params { m: 16, k: 2 } => 3,
        Params { m: 4096, k: 4 } => 512, Params { m: 64, k: 1 } => 30, Params { m: 4001, k: 12 } => 300,
        Params { m: 4096, k: 3 } => 512,
    ],
    capabilities: [incremental, no_false_negatives, union, saved, theory],
}
