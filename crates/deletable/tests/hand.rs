//! Hand-made cases with known answers. Seeds are fixed.
use amq::{DeletableFilter, Digest, Filter, IncrementalFilter, Removal, Theory};
use bloom_theory::fpr::Cardinality;
use deletable::{DeletableBloom, Params};
use hashing::{Family, Hasher};

type Bloom = DeletableBloom;

/// The digests of consecutive integers, by the default hash of `u64`.
fn integers(range: std::ops::Range<u64>) -> Vec<Digest> {
    let mut digests = Vec::new();
    Hasher::new(Family::Mixer, 1).u64_batch(range, &mut digests);
    digests
}

fn filter_of(params: Params, keys: &[Digest]) -> Bloom {
    let mut filter = Bloom::empty(&params, 1).expect("parameters in range");
    filter.insert_batch(keys).expect("a Bloom filter is never full");
    filter
}

#[test]
fn hand_14_nothing_planned() {
    let params = Bloom::size_for_fpr(0, 0.01).unwrap();
    assert_eq!(params, Bloom::size_for_fpr(1, 0.01).unwrap());
    let mut filter = filter_of(params, &[]);
    assert!(!filter.contains(Digest(7)));
    assert_eq!(filter.remove(Digest(7)), Removal::Absent);
    filter.insert(Digest(7)).unwrap();
    assert!(filter.contains(Digest(7)));
}

/// Two keys that share a position: whatever becomes of the removal of one, the other is still found.
#[test]
fn hand_19_shared_positions() {
    let (keys, mut refused) = (integers(0..2000), 0);
    for regions in [1, 5, 20] {
        for (first, second) in keys.iter().zip(&keys[1..]) {
            let mut filter = filter_of(Params { m: 20, k: 3, regions }, &[*first, *second]);
            let removal = filter.remove(*first);
            assert!(filter.contains(*second));
            assert_eq!(filter.contains(*first), removal == Removal::Refused);
            refused += u64::from(removal == Removal::Refused);
        }
    }
    assert!(refused > 500, "{refused}");
}

/// Both parts; the first byte for byte.
#[test]
fn hand_20_removing_what_was_never_inserted() {
    let params = Bloom::size_for_fpr(10_000, 0.01).unwrap();
    let members = integers(0..10_000);
    let mut filter = filter_of(params, &members);
    let before = (filter.bits().clone(), filter.marks().clone());
    for key in integers(10_000..20_000) {
        if !filter.contains(key) {
            assert_eq!(filter.remove(key), Removal::Absent);
        }
    }
    assert_eq!((filter.bits(), filter.marks(), filter.members()), (&before.0, &before.1, 10_000));
    let (out, stay) = members.split_at(5000);
    let left: Vec<Digest> = out.iter().copied().filter(|key| filter.remove(*key) == Removal::Refused).collect();
    assert_eq!(filter.count_contained(stay), 5000);
    assert_eq!(filter.count_contained(&left), left.len() as u64);
    assert_eq!(filter.members(), 5000 + left.len() as u64);
    assert!((300..700).contains(&left.len()), "one in ten is refused: {}", left.len());
}

/// The key is no false positive of the others, and can be removed: then the second removal finds nothing.
#[test]
fn hand_21_removing_twice() {
    let params = Bloom::size_for_fpr(1001, 0.01).unwrap();
    let others = integers(0..1000);
    let mut filter = filter_of(params, &others);
    let key = integers(1000..2000)
        .into_iter()
        .find(|key| {
            !filter.contains(*key)
                && filter_of(params, &[&others[..], &[*key]].concat()).removal(*key) == Removal::Removed
        })
        .unwrap();
    filter.insert(key).unwrap();
    assert_eq!(filter.remove(key), Removal::Removed);
    let after = filter.bits().clone();
    assert_eq!(filter.remove(key), Removal::Absent);
    assert_eq!((filter.bits(), filter.count_contained(&others)), (&after, 1000));
}

#[test]
fn hand_28_full_filters_and_repeated_keys() {
    let mut full = filter_of(Params { m: 100, k: 7, regions: 25 }, &integers(0..5000));
    assert_eq!((full.fill(), full.rate_by_fill(), full.cardinality()), (1.0, 1.0, Cardinality::Saturated));
    assert_eq!((full.marked(), full.remove(integers(7..8)[0])), (25, Removal::Refused));
    let params = Bloom::size_for_fpr(1000, 0.01).unwrap();
    let repeated = filter_of(params, &[Digest(1); 1000]);
    assert!((repeated.rate_by_inserts() - 0.01).abs() < 1e-4 && repeated.rate_by_fill() < 1e-20);
}
