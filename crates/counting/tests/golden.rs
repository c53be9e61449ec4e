//! Fixed seed, fixed counters: what is saved today is read in ten years.
use amq::{DeletableFilter, Digest, Filter, IncrementalFilter, Removal};
use counting::{CountingBloom, Params};
use hashing::{Family, Hasher};

/// Keys 1..=10 in m = 100, k = 3, seed 42 (HAND-30): the words of the counters of 4 bits, counter `i` being bits `4 (i % 16)`
/// and up of word `i / 16`, and the keys up to 200 that the filter says yes to; then both after keys 1 to 5 are removed.
const WORDS: [u64; 7] = [
    0x0100_1000_1010_0100,
    0x0000_0011_0010_0110,
    0x0000_0020_0101_0000,
    0x0000_0010_0000_0000,
    0x0001_1000_0011_1010,
    0x1001_1003_1010_0010,
    0x0000_0000_0000_0000,
];
const FOUND: &[u64] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 115];
const WORDS_AFTER: [u64; 7] = [
    0x0000_1000_0010_0000,
    0x0000_0001_0010_0100,
    0x0000_0000_0001_0000,
    0x0000_0010_0000_0000,
    0x0001_1000_0001_1000,
    0x1001_0001_0010_0000,
    0x0000_0000_0000_0000,
];
const FOUND_AFTER: &[u64] = &[6, 7, 8, 9, 10, 115];

fn frozen() -> CountingBloom<4> {
    let mut filter = CountingBloom::empty(&Params { m: 100, k: 3 }, 42).expect("parameters in range");
    (1..=10).for_each(|key| filter.insert(digest(key)).expect("never full"));
    filter
}

/// By the default hash of `u64`, of the same seed.
fn digest(key: u64) -> Digest {
    Hasher::new(Family::Mixer, 42).u64(key)
}

fn found(filter: &CountingBloom<4>) -> Vec<u64> {
    (0..=200).filter(|key| filter.contains(digest(*key))).collect()
}

#[test]
fn hand_30_the_counters_are_frozen() {
    let mut filter = frozen();
    assert_eq!((filter.counters().words(), found(&filter)), (&WORDS[..], FOUND.to_vec()));
    for key in 1..=5 {
        assert_eq!(filter.remove(digest(key)), Removal::Removed);
    }
    assert_eq!((filter.counters().words(), found(&filter)), (&WORDS_AFTER[..], FOUND_AFTER.to_vec()));
}

/// The frozen array of the Bloom filter with the same parameters, seed and keys: a counter is above 0 where its bit is set.
#[test]
fn above_0_where_a_bloom_filter_is_set() {
    let bloom: [u64; 2] = [0x0200_0250_0326_48a4, 0x0000_0000_99a2_183a];
    let filter = frozen();
    for at in 0..100 {
        let set = bloom[(at / 64) as usize] >> (at % 64) & 1 == 1;
        assert_eq!(filter.counters().get(at) > 0, set, "position {at}");
    }
}

conformance::frozen! {
    counting_2: CountingBloom<2>, Params { m: 25, k: 3 } => 10, incremental;
    counting_3: CountingBloom<3>, Params { m: 101, k: 3 } => 10, incremental;
    counting_4: CountingBloom<4>, Params { m: 101, k: 3 } => 10, incremental;
    counting_8: CountingBloom<8>, Params { m: 100, k: 3 } => 10, incremental;
    counting_16: CountingBloom<16>, Params { m: 100, k: 3 } => 10, incremental;
}
