//! Fixed seed, fixed bits: what is saved today is read in ten years.
use amq::{Digest, Filter, IncrementalFilter};
use hashing::{Family, Hasher};
use partitioned::{Params, PartitionedBloom};

/// Keys 1..=10 in m = 100, k = 3 (three slices of 33 bits), seed 42 (HAND-30): the words of the array, bit `i` being bit `i % 64` of word
/// `i / 64`, and the keys up to 200 that the filter says yes to.
const WORDS: [u64; 2] = [0x4cc0_3240_c140_014d, 0x0000_0000_c010_8248];
const FOUND: &[u64] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 182];

fn frozen() -> PartitionedBloom {
    let mut filter = PartitionedBloom::empty(&Params { slice_bits: 33, k: 3 }, 42).expect("parameters in range");
    (1..=10).for_each(|key| filter.insert(digest(key)).expect("never full"));
    filter
}

/// By the default hash of `u64`, of the same seed.
fn digest(key: u64) -> Digest {
    Hasher::new(Family::Mixer, 42).u64(key)
}

#[test]
fn hand_30_the_words_are_frozen() {
    assert_eq!(frozen().bits().words(), WORDS);
}

#[test]
fn hand_30_the_answers_are_frozen() {
    let filter = frozen();
    let found: Vec<u64> = (0..=200).filter(|key| filter.contains(digest(*key))).collect();
    assert_eq!(found, FOUND);
}

conformance::frozen! {
    partitioned: PartitionedBloom, Params { slice_bits: 33, k: 3 } => 10, incremental;
}
