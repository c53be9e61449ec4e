//! Fixed seed, fixed bits: what is saved today is read in ten years.
use amq::{DeletableFilter, Digest, Filter, IncrementalFilter, Removal};
use deletable::{DeletableBloom, Params};
use hashing::{Family, Hasher};

/// Keys 1..=10 in m = 100, k = 3, 20 regions, seed 42 (HAND-30): the words of the array, which are those of the Bloom filter, and
/// of the map (counters of the same keys have 2 at position 41, in region 8, and 3 at 88, in region 17); what becomes of the removal of keys 1 to 10, in this order, and the array after it.
const WORDS: [u64; 2] = [0x0200_0250_0326_48a4, 0x0000_0000_99a2_183a];
const MARKS: [u64; 1] = [0x0002_0100];
const REFUSED: &[u64] = &[];
const WORDS_AFTER: [u64; 2] = [0x0000_0200_0000_0000, 0x0000_0000_01a0_0000];

fn frozen() -> DeletableBloom {
    let mut filter = DeletableBloom::empty(&Params { m: 100, k: 3, regions: 20 }, 42).expect("parameters in range");
    (1..=10).for_each(|key| filter.insert(digest(key)).expect("never full"));
    filter
}

/// By the default hash of `u64`, of the same seed.
fn digest(key: u64) -> Digest {
    Hasher::new(Family::Mixer, 42).u64(key)
}

#[test]
fn hand_30_the_words_are_frozen() {
    let filter = frozen();
    assert_eq!((filter.bits().words(), filter.marks().words()), (&WORDS[..], &MARKS[..]));
}

#[test]
fn hand_30_the_removals_are_frozen() {
    let mut filter = frozen();
    let refused: Vec<u64> = (1..=10).filter(|key| filter.remove(digest(*key)) == Removal::Refused).collect();
    assert_eq!((&refused[..], filter.bits().words()), (REFUSED, &WORDS_AFTER[..]));
    assert!((1..=10).all(|key| filter.contains(digest(key)) == refused.contains(&key)));
    assert_eq!(filter.marks().words(), MARKS);
}

conformance::frozen! {
    deletable: DeletableBloom, Params { m: 100, k: 3, regions: 20 } => 10, incremental;
}
