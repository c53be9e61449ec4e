//! Hand-made cases with known answers. Seeds are fixed; the level of what leans on chance is 1e-7 for each assertion.
use amq::{DeletableFilter, Digest, Filter, IncrementalFilter, Removal, Theory, Union};
use bloom_theory::fpr::Cardinality;
use counting::{CountingBloom, Params};
use hashing::{Family, Hasher};
use stats::{Alternative, overdispersed_test};

type Four = CountingBloom<4>;

/// The digests of consecutive integers, by the default hash of `u64`.
fn integers(range: std::ops::Range<u64>) -> Vec<Digest> {
    let mut digests = Vec::new();
    Hasher::new(Family::Mixer, 1).u64_batch(range, &mut digests);
    digests
}

fn filter_of<const W: u32>(params: Params, keys: &[Digest]) -> CountingBloom<W> {
    let mut filter = CountingBloom::empty(&params, 1).expect("parameters in range");
    filter.insert_batch(keys).expect("a counting filter is never full");
    filter
}

#[test]
fn hand_14_nothing_planned() {
    let params = Four::size_for_fpr(0, 0.01).unwrap();
    assert_eq!(params, Four::size_for_fpr(1, 0.01).unwrap());
    let mut filter: Four = filter_of(params, &[]);
    assert!(!filter.contains(Digest(7)));
    assert_eq!(filter.remove(Digest(7)), Removal::Absent);
    filter.insert(Digest(7)).unwrap();
    assert!(filter.contains(Digest(7)));
}

/// Two keys that share a position: when one is removed, the other is still found.
#[test]
fn hand_19_shared_positions() {
    let keys = integers(0..200);
    for (first, second) in keys.iter().zip(&keys[1..]) {
        let mut filter: Four = filter_of(Params { m: 20, k: 3 }, &[*first, *second]);
        assert_eq!(filter.remove(*first), Removal::Removed);
        assert!(filter.contains(*second));
        assert_eq!(filter.counters(), filter_of::<4>(Params { m: 20, k: 3 }, &[*second]).counters());
    }
}

/// Both parts; the first byte for byte.
#[test]
fn hand_20_removing_what_was_never_inserted() {
    let params = Four::size_for_fpr(10_000, 0.01).unwrap();
    let members = integers(0..10_000);
    let mut filter: Four = filter_of(params, &members);
    let before = filter.counters().clone();
    for key in integers(10_000..20_000).into_iter().filter(|key| !before_contains(&before, params, *key)) {
        assert_eq!(filter.remove(key), Removal::Absent);
    }
    assert_eq!((filter.counters(), filter.members()), (&before, 10_000));
    for key in &members[..5000] {
        assert_eq!(filter.remove(*key), Removal::Removed);
    }
    assert_eq!(filter.count_contained(&members[5000..]), 5000);
    assert_eq!(filter.counters(), filter_of::<4>(params, &members[5000..]).counters());
}

fn before_contains(counters: &bits::FieldVec<4>, params: Params, key: Digest) -> bool {
    let words = hashing::SeedWords::new(1);
    let mut positions = <hashing::DefaultDerivation as hashing::Derivation>::positions(key, &words, params.m);
    (0..params.k).all(|_| counters.get(positions.next().expect("without end")) > 0)
}

/// The key is no false positive of the others; then the second removal finds nothing, and no counter goes below 0.
#[test]
fn hand_21_removing_twice() {
    let params = Four::size_for_fpr(1001, 0.01).unwrap();
    let others = integers(0..1000);
    let mut filter: Four = filter_of(params, &others);
    let alone = filter.counters().clone();
    let key = integers(1000..2000).into_iter().find(|key| !filter.contains(*key)).unwrap();
    filter.insert(key).unwrap();
    assert_eq!(filter.remove(key), Removal::Removed);
    assert_eq!(filter.remove(key), Removal::Absent);
    assert_eq!((filter.counters(), filter.count_contained(&others)), (&alone, 1000));
}

/// Last part: 10,000 keys where 75 were planned, in counters of 8 bits. None overflows, the mean count being 97, yet the
/// rate is seen to be 1.
#[test]
fn hand_28_far_too_many_keys() {
    let params = CountingBloom::<8>::size_for_fpr(75, 0.01).unwrap();
    let filter = filter_of::<8>(params, &integers(0..10_000)).planned_for(75);
    assert_eq!((filter.stuck(), filter.rate_by_fill(), filter.cardinality()), (0, 1.0, Cardinality::Saturated));
    assert!(filter.rate_by_members() > 0.999_999);
    assert_eq!(filter.over_plan().map(|over| over.inserted), Some(10_000));
    let repeated: CountingBloom<8> = filter_of(params, &[Digest(1); 1000]);
    assert!(repeated.rate_by_fill() < 1e-10, "{}", repeated.rate_by_fill());
    assert_eq!((repeated.members(), repeated.max_count()), (1000, 255));
}

/// Null: the union of two full filters of 1,000 keys says yes as often as is predicted for 2,000, about 16 %; two-sided at 1e-7.
/// Smallest effect 25 %, most of it the spread of one filter's rate.
#[test]
fn hand_32_the_union_of_full_filters() {
    let params = Four::size_for_fpr(1000, 0.01).unwrap();
    let mut union: Four = filter_of(params, &integers(0..1000));
    union.union(&filter_of(params, &integers(1000..2000))).unwrap();
    let predicted = Four::predicted_fpr(&params, union.inserted()).rate;
    assert!((0.155..0.165).contains(&predicted), "{predicted}");
    let hits = union.count_contained(&integers(2000..102_000));
    let p =
        overdispersed_test(hits, 100_000, predicted, Four::rate_spread(&params, 2000), Alternative::TwoSided).unwrap();
    assert!(p > 1e-7, "{hits} hits, p = {p}");
    // The keys of one of them can be taken out of it again.
    for key in integers(1000..2000) {
        assert_eq!(union.remove(key), Removal::Removed);
    }
    assert_eq!(union.counters(), filter_of::<4>(params, &integers(0..1000)).counters());
}
