//! What each published filter breaks of the laws of `amq`: a test fails when it breaks others, and when it mends one.
#![cfg(feature = "peers")]
#![allow(clippy::unwrap_used, reason = "a test that fails is a test that panics")]

mod judge;

use judge::judged;
use peers::models::array::ArrayParams;
use peers::models::buckets::BucketParams;
use peers::models::fixed::FixedParams;
use peers::*;

const BITS: [(ArrayParams, u64); 3] =
    [(ArrayParams { m: 9600, k: 7 }, 1000), (ArrayParams { m: 4096, k: 4 }, 512), (ArrayParams { m: 128, k: 3 }, 20)];
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
    // No seed; with m = 64 and one key, 45 probes in steps of one word modulo m meet too often.
    fastbloom_rs: FastbloomRs, BITS, [incremental, no_false_negatives, theory];
        breaks ["other_seed_other_false_positives", "a_target_is_reached"];
    // A counter that stuck at 15 is lowered all the same.
    fastbloom_rs_counting: FastbloomRsCounting, BITS, [incremental, no_false_negatives, deletable, theory];
        breaks ["other_seed_other_false_positives", "a_target_is_reached", "copies_outlive_fewer_removals"];
    sbbf_rs_safe: SbbfRsSafe, [
        (blocked::SplitParams { blocks: 40 }, 1000),
        (blocked::SplitParams { blocks: 4 }, 100),
    ], [incremental, no_false_negatives, theory];
        breaks ["other_seed_other_false_positives"];
    // No seed; evicts at random, and a refused insert takes another key out. No way to ask for a rate.
    cuckoofilter_ahash: CuckoofilterAhash, [
        (BucketParams { buckets: 256 }, 960),
        (BucketParams { buckets: 1024 }, 3000),
    ], [incremental, no_false_negatives, deletable, theory];
        breaks [
            "other_seed_other_false_positives", "failed_insert_changes_nothing", "insert_batch_is_inserts", "tiny_plans_work",
        ];
    // No seed; cells that no key needs are random each time, those of an empty filter too; duplicates are an error.
    xorf_binary_fuse_8: XorfBinaryFuse8, BYTES, [static_build, no_false_negatives, theory];
        breaks [
            "other_seed_other_false_positives", "same_seed_same_answers", "duplicates_count_once", "no_keys_no_yes",
            "tiny_plans_work",
        ];
    // No seed; duplicates are an error.
    jdb_xorf_bf_8: JdbXorfBf8, BYTES, [static_build, no_false_negatives, theory];
        breaks ["other_seed_other_false_positives", "duplicates_count_once"];
}
