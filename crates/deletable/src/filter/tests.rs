use amq::OverPlan;
use bloom_theory::fpr::Cardinality;
use conformance::keys::{digest, digests};
use hashing::SeedWords;

use super::*;

type Bloom = DeletableBloom;

fn empty(m: u64, k: u32, regions: u64) -> Bloom {
    Bloom::empty(&Params { m, k, regions }, 7).unwrap()
}

fn filled(m: u64, k: u32, regions: u64, keys: u64) -> Bloom {
    let mut filter = empty(m, k, regions);
    filter.insert_batch(&digests(0, 0..keys)).unwrap();
    filter
}

/// The distinct positions of `key` in a filter of seed 7.
fn positions(key: Digest, m: u64, k: u32) -> Vec<u64> {
    let words = SeedWords::new(7);
    let mut positions: Vec<u64> = DefaultDerivation::positions(key, &words, m).take(k as usize).collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// Bits and marks as they must be after `keys` were inserted: from the number of keys that have each position.
fn expected(keys: &[Digest], m: u64, k: u32, region_bits: u64, regions: u64) -> (Vec<bool>, Vec<bool>) {
    let mut counts = vec![0; m as usize];
    keys.iter().flat_map(|key| positions(*key, m, k)).for_each(|at| counts[at as usize] += 1);
    let mut marks = vec![false; regions as usize];
    for (at, _) in counts.iter().enumerate().filter(|(_, count)| **count > 1) {
        marks[at / region_bits as usize] = true;
    }
    (counts.iter().map(|count| *count > 0).collect(), marks)
}

fn all(bits: &BitVec) -> Vec<bool> {
    (0..bits.len()).map(|at| bits.get(at)).collect()
}

#[test]
fn a_new_filter_is_empty() {
    let filter = filled(100, 3, 10, 0);
    assert_eq!((filter.ones(), filter.marked(), filter.inserted(), filter.members()), (0, 0, 0, 0));
    assert_eq!((filter.rate_by_inserts(), filter.rate_by_fill(), filter.fill()), (0.0, 0.0, 0.0));
    assert_eq!((filter.cardinality(), filter.seed()), (Cardinality::Keys(0.0), 7));
    assert_eq!(filter.params(), &Params { m: 100, k: 3, regions: 10 });
}

/// HAND-13, HAND-14, and as many regions as bits at the most.
#[test]
fn hand_13_hand_14_parameters_out_of_range_are_refused_by_value() {
    for (m, k, regions, text) in [
        (0, 3, 1, "m = 0 is out of range: 1 to 2^48 bits"),
        ((1 << 48) + 1, 3, 1, "m = 281474976710657 is out of range: 1 to 2^48 bits"),
        (100, 0, 1, "k = 0 is out of range: 1 to 64 probes"),
        (100, 3, 0, "regions = 0 is out of range: 1 to m: a region has a bit"),
        (100, 3, 101, "regions = 101 is out of range: 1 to m: a region has a bit"),
    ] {
        assert_eq!(Bloom::empty(&Params { m, k, regions }, 1).unwrap_err().to_string(), text);
    }
    let refused = Bloom::empty(&Params { m: 1 << 48, k: 64, regions: 1 }, 1).map(|filter| filter.params);
    assert!(matches!(refused, Err(InvalidParams::TooLarge { bits: 0x1_0000_0000_0000 })), "{refused:?}");
    let refused = Bloom::empty(&Params { m: 64, k: 1, regions: 1 << 50 }, 1).map(|filter| filter.params);
    assert!(matches!(refused, Err(InvalidParams::OutOfRange { name: "regions", .. })), "{refused:?}");
}

/// Every bit lies in a region of the map, for all numbers of regions: the length is a ceiling. (A floor, as in a
/// published port, gives region 6 of 0..6 for bit 12 of 13.)
#[test]
fn no_bit_lies_beyond_the_last_region() {
    for m in 1..=130 {
        for regions in 1..=m {
            let params = Params { m, k: 1, regions };
            assert!((m - 1) / params.region_bits() < regions, "{params:?}");
            assert!(params.region_bits() * regions >= m && (params.region_bits() - 1) * regions < m, "{params:?}");
        }
    }
    let mut filter = filled(13, 2, 6, 100);
    assert_eq!((filter.ones(), filter.params().region_bits()), (13, 3));
    assert_eq!(filter.marked(), 5, "13 bits are five regions of up to three bits; the sixth has none");
    filter.clear();
    assert_eq!(filter.marked(), 0);
}

/// The map is charged: 100 bits and 30 marks are two words and one.
#[test]
fn the_map_is_part_of_the_space() {
    assert_eq!(empty(100, 3, 30).space(), Space { payload_bits: 100, overhead_bits: 28 + 64 });
    assert_eq!(empty(128, 3, 128).space(), Space { payload_bits: 128, overhead_bits: 128 });
}

/// A region is marked when two inserts share a bit of it, and not by the positions that one key has twice.
#[test]
fn marks_are_where_bits_are_shared() {
    for (m, k, regions, keys) in [(100, 3, 10, 15), (1000, 7, 333, 60), (97, 5, 97, 9), (16, 8, 4, 1), (64, 2, 1, 3)] {
        let filter = filled(m, k, regions, keys);
        let expected = expected(&digests(0, 0..keys), m, k, filter.params().region_bits(), regions);
        assert_eq!((all(filter.bits()), all(filter.marks())), expected, "{:?}", filter.params());
    }
    for key in digests(0, 0..500) {
        let mut filter = empty(8, 6, 4);
        filter.insert(key).unwrap();
        assert_eq!(filter.marked(), 0, "{key:?}");
        assert_eq!(filter.remove(key), Removal::Removed);
        assert_eq!((filter.ones(), filter.members()), (0, 0));
    }
}

/// What a removal clears: the key's bits in regions without a mark, and nothing else. `removal` tells before.
#[test]
fn a_removal_clears_bits_of_one_key_only() {
    let keys = digests(0, 0..60);
    let mut outcomes = [0; 2];
    for key in &keys {
        let mut filter = filled(1000, 4, 100, 60);
        let (before, marks) = (all(filter.bits()), all(filter.marks()));
        let told = filter.removal(*key);
        assert_eq!(filter.remove(*key), told);
        let mut after = before.clone();
        for at in positions(*key, 1000, 4) {
            after[at as usize] = marks[at as usize / 10];
        }
        assert_eq!((all(filter.bits()), all(filter.marks())), (after.clone(), marks));
        assert_eq!(told == Removal::Removed, before != after);
        assert_eq!(filter.contains(*key), told == Removal::Refused);
        assert_eq!(filter.members(), if told == Removal::Removed { 59 } else { 60 });
        outcomes[usize::from(told == Removal::Refused)] += 1;
        assert!(keys.iter().filter(|other| *other != key).all(|other| filter.contains(*other)));
    }
    assert!(outcomes[0] > 0 && outcomes[1] > 0, "{outcomes:?}");
    assert_eq!(filled(1000, 4, 100, 60).removal(digest(1, 0)), Removal::Absent);
}

/// A key inserted again marks all of its regions and stays for good; so do the bits that it shares them with.
#[test]
fn a_repeated_key_can_no_longer_be_removed() {
    let (key, mut filter) = (digest(0, 5), filled(1000, 4, 100, 0));
    filter.insert(key).unwrap();
    assert_eq!((filter.marked(), filter.removal(key)), (0, Removal::Removed));
    filter.insert(key).unwrap();
    let mut regions: Vec<u64> = positions(key, 1000, 4).iter().map(|at| at / 10).collect();
    regions.dedup();
    assert_eq!(filter.marked(), regions.len() as u64);
    let before = all(filter.bits());
    for _ in 0..3 {
        assert_eq!(filter.remove(key), Removal::Refused);
    }
    assert_eq!((all(filter.bits()), filter.members(), filter.inserted()), (before, 2, 2));
}

/// Removed and inserted again, a key of its own can be removed again: removal leaves no mark.
#[test]
fn removed_and_inserted_again() {
    let (key, mut filter) = (digest(0, 5), empty(1000, 4, 100));
    for _ in 0..5 {
        filter.insert(key).unwrap();
        assert_eq!(filter.remove(key), Removal::Removed);
        assert_eq!(filter.remove(key), Removal::Absent);
    }
    assert_eq!((filter.ones(), filter.marked(), filter.inserted(), filter.members()), (0, 0, 5, 0));
}

#[test]
fn the_plan_warns_from_the_first_key_too_many() {
    let mut filter = empty(1000, 3, 250).planned_for(2);
    filter.insert_batch(&digests(0, 0..2)).unwrap();
    assert_eq!(filter.over_plan(), None);
    filter.insert(digest(0, 2)).unwrap();
    assert_eq!(filter.over_plan(), Some(OverPlan { planned: 2, inserted: 3 }));
}

/// HAND-44: the marks go too.
#[test]
fn hand_44_cleared_is_new() {
    let mut filter = filled(1000, 7, 250, 100);
    assert!(filter.marked() > 0 && filter.remove(digest(0, 1)) == Removal::Removed);
    filter.clear();
    let new = empty(1000, 7, 250);
    assert_eq!((filter.bits(), filter.marks(), filter.inserted(), filter.members()), (new.bits(), new.marks(), 0, 0));
}

/// HAND-32: what differs is named with both values, and nothing is changed.
#[test]
fn hand_32_unions_of_what_differs() {
    let other_seed = Bloom::empty(&Params { m: 1000, k: 3, regions: 50 }, 8).unwrap();
    for (other, text) in [
        (filled(1001, 3, 50, 50), "the filters differ in m: 1000 and 1001"),
        (filled(1000, 4, 50, 50), "the filters differ in k: 3 and 4"),
        (filled(1000, 3, 51, 50), "the filters differ in regions: 50 and 51"),
        (other_seed, "the filters differ in seed: 7 and 8"),
    ] {
        let mut filter = filled(1000, 3, 50, 20);
        assert_eq!(filter.union(&other).unwrap_err().to_string(), text);
        let before = filled(1000, 3, 50, 20);
        assert_eq!((filter.bits(), filter.marks(), filter.inserted()), (before.bits(), before.marks(), 20));
    }
}

/// Bits and marks of a union are those of all inserts, so that no removal from it harms a member.
#[test]
fn a_union_marks_what_both_have() {
    let keys = digests(0, 0..120);
    let (mut union, mut right) = (filled(3000, 4, 500, 80), empty(3000, 4, 500));
    right.insert_batch(&keys[60..]).unwrap();
    union.union(&right).unwrap();
    let mut both = filled(3000, 4, 500, 80);
    both.insert_batch(&keys[60..]).unwrap();
    assert_eq!((union.bits(), union.marks(), union.inserted()), (both.bits(), both.marks(), 140));
    let left: Vec<Digest> = keys.iter().copied().filter(|key| union.remove(*key) == Removal::Refused).collect();
    assert!(left.len() >= 20 && left.len() < 100, "{}", left.len());
    assert_eq!(union.count_contained(&left), left.len() as u64);
}
