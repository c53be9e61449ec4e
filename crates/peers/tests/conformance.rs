//! What each published filter breaks of the laws of `amq`: a test fails when it breaks others, and when it mends one.
#![cfg(feature = "peers")]
#![allow(clippy::unwrap_used, reason = "a test that fails is a test that panics")]

mod judge;

use judge::judged;
use peers::models::array::ArrayParams;
use peers::models::buckets::BucketParams;
use peers::models::fixed::FixedParams;
use peers::*;

const BITS: [(ArrayParams, u64); 3] = [
    (ArrayParams { m: 9600, k: 7 }, 1000),
    (ArrayParams { m: 4096, k: 4 }, 512),
    (ArrayParams { m: 128, k: 3 }, 20),
];
const BYTES: [(FixedParams, u64); 3] = [
    (FixedParams { fingerprint_bits: 8 }, 1000),
    (FixedParams { fingerprint_bits: 8 }, 100),
    (FixedParams { fingerprint_bits: 8 }, 30),
];

judged! {
    fastbloom: Fastbloom, BITS, [incremental, no_false_negatives, theory];
        breaks [];
    fastbloom_foldhash: FastbloomFoldhash, BITS, [incremental, no_false_negatives, theory];
        breaks [];
    fastbloom_rs: FastbloomRs, BITS, [incremental, no_false_negatives, theory];
        breaks ["other_seed_other_false_positives"];
    fastbloom_rs_counting: FastbloomRsCounting, BITS, [incremental, no_false_negatives, deletable, theory];
        breaks ["other_seed_other_false_positives"];
    sbbf_rs_safe: SbbfRsSafe, [
        (blocked::SplitParams { blocks: 40 }, 1000),
        (blocked::SplitParams { blocks: 4 }, 100),
    ], [incremental, no_false_negatives, theory];
        breaks ["other_seed_other_false_positives"];
    cuckoofilter_ahash: CuckoofilterAhash, [
        (BucketParams { buckets: 256 }, 960),
        (BucketParams { buckets: 1024 }, 3000),
    ], [incremental, no_false_negatives, deletable, theory];
        breaks ["other_seed_other_false_positives", "failed_insert_changes_nothing"];
    xorf_binary_fuse_8: XorfBinaryFuse8, BYTES, [static_build, no_false_negatives, theory];
        breaks ["other_seed_other_false_positives"];
    jdb_xorf_bf_8: JdbXorfBf8, BYTES, [static_build, no_false_negatives, theory];
        breaks ["other_seed_other_false_positives"];
}
