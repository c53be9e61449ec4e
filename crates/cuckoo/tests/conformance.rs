//! The laws of `amq`, held by the cuckoo filter with four slots in a bucket.
use cuckoo::{CuckooFilter, Params};

conformance::suite! {
    filter: CuckooFilter,
    cases: [
        Params { buckets: 300, fingerprint_bits: 8 } => 1000, Params { buckets: 1000, fingerprint_bits: 12 } => 3700,
        Params { buckets: 2, fingerprint_bits: 8 } => 8, Params { buckets: 33, fingerprint_bits: 5 } => 60,
        Params { buckets: 1, fingerprint_bits: 4 } => 3, Params { buckets: 128, fingerprint_bits: 9 } => 470,
    ],
    capabilities: [incremental, no_false_negatives, deletable, saved, theory],
}
