//! Fixed seed, fixed bytes: what is sent today is read in ten years.
use amq::{Digest, Encode, Filter, IncrementalFilter};
use compressed::{CompressedBloom, Params};
use hashing::{Family, Hasher};

/// Keys 1..=10 in m = 100, k = 3, seed 42 (HAND-30): the words of the array, which are those of the standard filter, and
/// the keys up to 200 that the filter says yes to.
const WORDS: [u64; 2] = [0x0200_0250_0326_48a4, 0x0000_0000_99a2_183a];
const FOUND: &[u64] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 115];
/// The wire form of it, and of the update from the filter of keys 1..=5.
const WIRE: &[u8] = &[
    1, 3, 42, 0, 0, 0, 0, 0, 0, 0, 100, 10, 27, 184, 76, 82, 229, 41, 255, 149, 35, 156, 187, 135, 191, 42, 8, 5, 0,
    235, 180, 55, 197,
];
const UPDATE: &[u8] = &[
    2, 3, 42, 0, 0, 0, 0, 0, 0, 0, 100, 10, 14, 155, 208, 239, 151, 160, 233, 99, 96, 241, 102, 197, 127, 68, 53, 145,
    164, 152, 168, 239, 2, 192, 209, 4, 255,
];
/// A sparse array, with plain bits: the same keys in m = 100,000, k = 1.
const SPARSE: &[u8] = &[
    1, 1, 42, 0, 0, 0, 0, 0, 0, 0, 160, 141, 6, 10, 10, 137, 44, 14, 15, 0, 163, 120, 131, 175, 49, 126, 101, 219, 81,
    89, 168, 145, 91, 67, 194, 97, 117, 6, 0, 70, 181, 228, 219,
];

fn of_keys(params: Params, keys: u64) -> CompressedBloom {
    let mut filter = CompressedBloom::empty(&params, 42).expect("parameters in range");
    (1..=keys).for_each(|key| filter.insert(digest(key)).expect("never full"));
    filter
}

fn frozen() -> CompressedBloom {
    of_keys(Params { m: 100, k: 3 }, 10)
}

/// By the default hash of `u64`, of the same seed.
fn digest(key: u64) -> Digest {
    Hasher::new(Family::Mixer, 42).u64(key)
}

#[test]
fn hand_30_the_words_and_answers_are_frozen() {
    let filter = frozen();
    assert_eq!(filter.bits().words(), WORDS);
    let found: Vec<u64> = (0..=200).filter(|key| filter.contains(digest(*key))).collect();
    assert_eq!(found, FOUND);
}

#[test]
fn hand_30_the_wire_form_is_frozen_both_ways() {
    assert_eq!(frozen().encode(), WIRE);
    assert_eq!(CompressedBloom::decode(WIRE, 100), Ok(frozen()));
    let sparse = of_keys(Params { m: 100_000, k: 1 }, 10);
    assert_eq!(sparse.encode(), SPARSE);
    assert_eq!(CompressedBloom::decode(SPARSE, 100_000), Ok(sparse));
}

#[test]
fn hand_30_the_update_is_frozen_both_ways() {
    let mut older = of_keys(Params { m: 100, k: 3 }, 5);
    assert_eq!(frozen().delta_from(&older).expect("of one kind"), UPDATE);
    older.apply(UPDATE).expect("its own update");
    assert_eq!(older, frozen());
}

conformance::frozen! {
    compressed: CompressedBloom, Params { m: 100, k: 3 } => 10, incremental;
    compressed_sparse: CompressedBloom, Params { m: 5000, k: 1 } => 10, incremental;
}
