//! What each published filter breaks of the laws of `amq`: a test fails when it breaks others, and when it mends one.
#![cfg(feature = "peers")]
#![allow(clippy::unwrap_used, reason = "a test that fails is a test that panics")]

mod judge;

use judge::judged;
use peers::models::array::ArrayParams;
use peers::models::buckets::BucketParams;
use peers::models::fixed::FixedParams;
use peers::models::quotient::QuotientParams;
use peers::models::slices::SeriesParams;
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
        breaks ["other_seed_other_false_positives", "failed_insert_changes_nothing", "tiny_plans_work"]
        chance ["insert_batch_is_inserts"];
    // Cells that no key needs are random each time, those of an empty filter too, so that no seed is missed; duplicates
    // are an error.
    xorf_binary_fuse_8: XorfBinaryFuse8, BYTES, [static_build, no_false_negatives, theory];
        breaks ["same_seed_same_answers", "duplicates_count_once", "no_keys_no_yes", "tiny_plans_work"];
    xorf_binary_fuse_16: XorfBinaryFuse16, [(FixedParams { fingerprint_bits: 16 }, 1000)],
        [static_build, no_false_negatives, theory];
        breaks ["duplicates_count_once"]
        chance ["same_seed_same_answers", "no_keys_no_yes", "tiny_plans_work"];
    // No seed; an empty filter says yes to what the first of its cells happen to spell; it does not end on duplicates.
    xorf_xor_8: XorfXor8, BYTES, [static_build, no_false_negatives, theory];
        breaks [
            "other_seed_other_false_positives", "duplicates_count_once", "random_builds", "no_keys_no_yes", "tiny_plans_work",
        ]
        outside ["duplicates_count_once", "random_builds"];
    // No seed; duplicates are an error.
    jdb_xorf_bf_8: JdbXorfBf8, BYTES, [static_build, no_false_negatives, theory];
        breaks ["other_seed_other_false_positives", "duplicates_count_once"];
    // No seed; an empty filter of cells of 0 says yes where the fingerprint is 0; duplicates are an error.
    xorfilter_rs_fuse_8: XorfilterRsFuse8, BYTES, [static_build, no_false_negatives, theory];
        breaks ["other_seed_other_false_positives", "duplicates_count_once", "no_keys_no_yes", "tiny_plans_work"]
        outside ["duplicates_count_once", "random_builds"];
    // It does not end on duplicates; an empty filter as before.
    sux_vfilter: SuxVFilter, BYTES, [static_build, no_false_negatives, theory];
        breaks ["duplicates_count_once", "random_builds", "no_keys_no_yes", "tiny_plans_work"]
        outside ["duplicates_count_once", "random_builds"];
    // Slots that no key takes answer at random, in an empty filter all; their number follows from the keys, duplicates too.
    pleat_ribbon_7: PleatRibbon7, [
        (FixedParams { fingerprint_bits: 7 }, 1000),
        (FixedParams { fingerprint_bits: 7 }, 5000),
    ], [static_build, no_false_negatives, theory];
        breaks ["duplicates_count_once", "no_keys_no_yes", "tiny_plans_work"];
    // Probes in steps of one word modulo m, of few bits.
    bloomfilter: Bloomfilter, BITS, [incremental, no_false_negatives, theory];
        breaks ["a_target_is_reached"];
    // No seed.
    qfilter: Qfilter, [
        (QuotientParams { q: 10, r: 7 }, 900),
        (QuotientParams { q: 8, r: 5 }, 200),
    ], [incremental, no_false_negatives, deletable, theory];
        breaks ["other_seed_other_false_positives"]
        outside ["copies_outlive_fewer_removals"];
    // Evicts at random; a list of fingerprints of 0, which takes 8 bits a key where they have 5.
    autoscale_cuckoo_filter: AutoscaleCuckooFilter, [
        (SeriesParams { keys: 960, fpr: 0.05 }, 900),
        (SeriesParams { keys: 4000, fpr: 0.02 }, 3500),
    ], [incremental, no_false_negatives, deletable, theory];
        breaks ["copies_outlive_fewer_removals", "a_budget_is_a_ceiling"]
        chance ["insert_batch_is_inserts"]
        outside ["copies_outlive_fewer_removals"];
    // No seed; allocates with the first key; slices of so few bits that positions meet.
    growable_bloom_filter: GrowableBloomFilter, [
        (SeriesParams { keys: 1000, fpr: 0.01 }, 1000),
        (SeriesParams { keys: 100, fpr: 0.05 }, 400),
    ], [incremental, no_false_negatives, theory];
        breaks ["other_seed_other_false_positives", "a_target_is_reached", "tiny_plans_work"];
}
