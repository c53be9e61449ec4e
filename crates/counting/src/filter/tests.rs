use amq::Number;
use conformance::keys::{digest, digests};

use super::*;

fn empty<const W: u32>(m: u64, k: u32) -> CountingBloom<W> {
    CountingBloom::empty(&Params { m, k }, 7).unwrap()
}

fn filled<const W: u32>(m: u64, k: u32, keys: u64) -> CountingBloom<W> {
    let mut filter = empty(m, k);
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

#[test]
fn a_new_filter_is_empty() {
    let filter = filled::<4>(100, 3, 0);
    assert_eq!((filter.positive(), filter.stuck(), filter.max_count(), filter.members()), (0, 0, 0, 0));
    assert_eq!((filter.rate_by_members(), filter.rate_by_fill(), filter.fill()), (0.0, 0.0, 0.0));
    assert_eq!((filter.cardinality(), filter.seed()), (Cardinality::Keys(0.0), 7));
    assert_eq!(filter.params(), &Params { m: 100, k: 3 });
}

/// HAND-13, HAND-14: no counters, no probes and more than there can be are refused, and the process lives.
#[test]
fn hand_13_hand_14_parameters_out_of_range_are_refused_by_value() {
    for (m, k, text) in [
        (0, 3, "m = 0 is out of range: 1 to 2^48 counters"),
        ((1 << 48) + 1, 3, "m = 281474976710657 is out of range: 1 to 2^48 counters"),
        (100, 0, "k = 0 is out of range: 1 to 64 probes"),
        (100, 65, "k = 65 is out of range: 1 to 64 probes"),
    ] {
        assert_eq!(CountingBloom::<4>::empty(&Params { m, k }, 1).unwrap_err().to_string(), text);
    }
    let refused = CountingBloom::<16>::empty(&Params { m: 1 << 48, k: 64 }, 1).map(|filter| filter.params);
    assert!(matches!(refused, Err(InvalidParams::TooLarge { bits: 0x10_0000_0000_0000 })), "{refused:?}");
}

/// HAND-09, second part, and the space of every width.
#[test]
fn hand_09_odd_numbers_of_counters() {
    let filter = filled::<4>(101, 3, 2000);
    assert_eq!(filter.positive(), 101, "counter 100 works");
    assert_eq!(filter.space(), Space { payload_bits: 404, overhead_bits: 44 });
    assert_eq!(filled::<3>(100, 3, 1).space(), Space { payload_bits: 300, overhead_bits: 20 });
    assert_eq!(filled::<16>(100, 3, 1).space(), Space { payload_bits: 1600, overhead_bits: 0 });
}

#[test]
fn one_counter_and_one_probe() {
    let mut filter = empty::<2>(1, 1);
    assert!(!filter.contains(Digest(5)));
    filter.insert(Digest(5)).unwrap();
    assert!(filter.contains(Digest(5)) && filter.contains(Digest(6)));
    assert_eq!(filter.remove(Digest(5)), Removal::Removed);
    assert_eq!(filter.remove(Digest(5)), Removal::Absent);
}

/// Every distinct position once, by insert and remove alike, though a key has it up to k times.
#[test]
fn positions_that_coincide_are_counted_once() {
    let mut fewest = 64;
    for key in digests(0, 0..2000).into_iter().chain([Digest(0), Digest(u64::MAX)]) {
        let (mut filter, expected) = (empty::<4>(8, 5), positions(key, 8, 5));
        fewest = fewest.min(expected.len());
        filter.insert(key).unwrap();
        let seen: Vec<u64> = (0..8).filter(|at| filter.counters().get(*at) == 1).collect();
        assert_eq!((seen, filter.max_count()), (expected, 1));
        assert_eq!(filter.remove(key), Removal::Removed);
        assert_eq!((filter.positive(), filter.members()), (0, 0));
    }
    assert!(fewest <= 2, "some key has two positions or fewer");
}

/// A counter is the number of members that have it; removals lead back to the filter that never had the key.
#[test]
fn counters_are_counts_and_removals_take_them_back() {
    let (mut filter, keys) = (filled::<8>(1021, 5, 400), digests(0, 0..400));
    let mut expected = vec![0; 1021];
    keys.iter().flat_map(|key| positions(*key, 1021, 5)).for_each(|at| expected[at as usize] += 1);
    assert_eq!(filter.counters().iter().collect::<Vec<u64>>(), expected);
    let histogram = filter.histogram();
    assert_eq!(histogram.len(), 256);
    assert_eq!(histogram.iter().sum::<u64>(), 1021);
    assert_eq!((1021 - histogram[0], *expected.iter().max().unwrap()), (filter.positive(), filter.max_count()));
    for key in &keys[100..] {
        assert_eq!(filter.remove(*key), Removal::Removed);
    }
    let fresh = filled::<8>(1021, 5, 100);
    assert_eq!((filter.counters(), filter.members(), filter.inserted()), (fresh.counters(), 100, 400));
    assert_eq!((filter.rate_by_members(), filter.rate_by_fill()), (fresh.rate_by_members(), fresh.rate_by_fill()));
}

/// HAND-22.
#[test]
fn hand_22_counters_at_their_ceiling() {
    let (key, others) = (digest(0, 0), digests(0, 1..30));
    let mut filter = empty::<4>(1000, 4);
    filter.insert_batch(&others).unwrap();
    (0..20).for_each(|_| filter.insert(key).unwrap());
    assert_eq!((filter.max_count(), filter.stuck()), (15, 4));
    let before = filter.counters().clone();
    for _ in 0..20 {
        assert_eq!(filter.remove(key), Removal::Refused);
    }
    assert_eq!((filter.counters(), filter.members()), (&before, 49), "a refusal changes nothing");
    assert!(filter.contains(key) && others.iter().all(|key| filter.contains(*key)));

    let mut filter = empty::<2>(1000, 4);
    (0..4).for_each(|_| filter.insert(key).unwrap());
    (0..3).for_each(|_| assert_eq!(filter.remove(key), Removal::Refused));
    assert!(filter.contains(key));
}

/// One counter of the key is stuck, the others are not: they are lowered, it is not, and no member is harmed.
#[test]
fn a_stuck_counter_among_others() {
    let key = digest(0, 0);
    let shared = positions(key, 100, 3)[0];
    let crowd: Vec<Digest> =
        digests(0, 1..10_000).into_iter().filter(|other| positions(*other, 100, 3).contains(&shared)).take(3).collect();
    let mut filter = empty::<2>(100, 3);
    filter.insert_batch(&crowd).unwrap();
    filter.insert(key).unwrap();
    assert_eq!(filter.counters().get(shared), 3);
    assert_eq!(filter.remove(key), Removal::Removed);
    assert!(!filter.contains(key) && crowd.iter().all(|key| filter.contains(*key)));
    for other in &crowd {
        assert_eq!(filter.remove(*other), Removal::Removed);
    }
    assert_eq!((filter.positive(), filter.counters().get(shared), filter.members()), (1, 3, 0));
}

/// With one bit every counter in use is stuck: a Bloom filter that refuses.
#[test]
fn one_bit_counters_refuse() {
    let mut filter = filled::<1>(500, 3, 30);
    assert_eq!((filter.stuck(), filter.max_count()), (filter.positive(), 1));
    assert_eq!(filter.remove(digest(0, 3)), Removal::Refused);
    assert!(filter.contains(digest(0, 3)));
}

#[test]
fn the_plan_counts_members_not_inserts() {
    let mut filter = empty::<4>(1000, 3).planned_for(2);
    filter.insert_batch(&digests(0, 0..3)).unwrap();
    assert_eq!(filter.over_plan(), Some(OverPlan { planned: 2, inserted: 3 }));
    assert_eq!(filter.remove(digest(0, 1)), Removal::Removed);
    filter.insert(digest(0, 7)).unwrap();
    assert_eq!(filter.over_plan(), Some(OverPlan { planned: 2, inserted: 3 }));
    assert_eq!(filter.remove(digest(0, 7)), Removal::Removed);
    assert_eq!(filter.over_plan(), None);
}

/// HAND-44.
#[test]
fn hand_44_cleared_is_new() {
    let mut filter = filled::<4>(1000, 7, 100);
    assert_eq!(filter.remove(digest(0, 1)), Removal::Removed);
    filter.clear();
    assert_eq!(filter.counters(), empty::<4>(1000, 7).counters());
    assert_eq!((filter.inserted(), filter.members(), filter.cardinality()), (0, 0, Cardinality::Keys(0.0)));
}

/// HAND-32: what differs is named with both values, and nothing is changed.
#[test]
fn hand_32_unions_of_what_differs() {
    let other_seed = CountingBloom::<4>::empty(&Params { m: 1000, k: 3 }, 8).unwrap();
    for (other, text) in [
        (filled(1001, 3, 50), "the filters differ in m: 1000 and 1001"),
        (filled(1000, 4, 50), "the filters differ in k: 3 and 4"),
        (other_seed, "the filters differ in seed: 7 and 8"),
    ] {
        let mut filter = filled::<4>(1000, 3, 20);
        assert_eq!(filter.union(&other).unwrap_err().to_string(), text);
        assert_eq!((filter.counters(), filter.inserted()), (filled::<4>(1000, 3, 20).counters(), 20));
    }
}

/// The counters of a union are those of all inserts, stuck ones too, so that keys can be removed from it.
#[test]
fn a_union_is_the_sum_of_the_counters() {
    let keys = digests(0, 0..300);
    let (mut left, right) = (filled::<2>(500, 3, 200), {
        let mut right = empty::<2>(500, 3);
        right.insert_batch(&keys[100..]).unwrap();
        assert_eq!(right.remove(keys[299]), Removal::Removed);
        right
    });
    left.union(&right).unwrap();
    let mut both = filled::<2>(500, 3, 200);
    both.insert_batch(&keys[100..299]).unwrap();
    assert_eq!((left.counters(), left.members()), (both.counters(), 399));
    assert!(left.stuck() > 0);
}

#[test]
fn what_follows_from_the_fill() {
    let filter = filled::<4>(9586, 7, 1000);
    assert_eq!(filter.rate_by_fill(), (filter.positive() as f64 / 9586.0).powi(7));
    // Expected fill 0.518, deviation 0.0028 (FIELD 0); five of them.
    assert!((filter.fill() - 0.5182).abs() < 0.014, "{}", filter.fill());
    let Some(Number::Real(keys)) = filter.cardinality().keys() else { panic!("saturated") };
    assert!((keys - 1000.0).abs() < 40.0, "{keys}");
}

/// Removals in a batch are those one by one: members, keys that come twice, and keys that are not in; in a near array, and in one
/// of 4 MiB, whose counters are asked for ahead.
#[test]
fn a_batch_of_removals_is_its_single_removals() {
    for m in [500, 1 << 23] {
        let params = Params { m, k: 5 };
        let mut batch = CountingBloom::<4>::empty(&params, 3).unwrap();
        batch.insert_batch(&digests(0, 0..60)).unwrap();
        let mut single = batch.clone();
        let asked = [digests(0, 0..40), digests(0, 20..50), digests(1, 0..200)].concat();
        let removed = asked.iter().filter(|key| single.remove(**key) == Removal::Removed).count() as u64;
        assert_eq!(batch.remove_batch(&asked), removed, "m = {m}");
        assert!((50..270).contains(&removed), "m = {m}: {removed}");
        assert!(batch.counters() == single.counters() && batch.members() == single.members(), "m = {m}");
        assert_eq!(batch.remove_batch(&[]), 0);
    }
}
