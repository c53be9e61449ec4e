//! Hand-made cases with known answers. Seeds are fixed; the level of what leans on chance is 1e-7 for each assertion, or the
//! bounds that the case states.
use amq::{DeletableFilter, Digest, Filter, IncrementalFilter, Removal, Theory};
use cuckoo::semisorted::SemiSorted;
use cuckoo::table::{Slots, Table};
use cuckoo::{Cuckoo, CuckooFilter, Pairing, Params, SemiSortedCuckoo, Subtract, Xor};
use hashing::{Family, Hasher, KeyHasher};
use stats::{Alternative, overdispersed_test};

const ALPHA: f64 = 1e-7;

/// The digests of consecutive integers, by the default hash of `u64`.
fn integers(seed: u64, range: std::ops::Range<u64>) -> Vec<Digest> {
    let mut digests = Vec::new();
    Hasher::new(Family::Mixer, seed).u64_batch(range, &mut digests);
    digests
}

fn filter_of<T: Table, P: Pairing>(params: Params, seed: u64, keys: &[Digest]) -> Cuckoo<T, P> {
    let mut filter = Cuckoo::empty(&params, seed).expect("parameters in range");
    filter.insert_batch(keys).expect("there is room");
    filter
}

/// All bits and counts: whether two filters are equal byte for byte.
fn state<T: Table, P: Pairing>(filter: &Cuckoo<T, P>) -> (Vec<u64>, u64, u64, u64) {
    (filter.table().bits().words().to_vec(), filter.inserted(), filter.stored(), filter.kicks())
}

/// Null: an absent integer hits with the predicted rate, which varies from filter to filter by its spread. Two-sided at
/// [`ALPHA`]; the smallest effect at 1,000,000 probes and a rate of 1 % is 9 %.
fn agrees<T: Table, P: Pairing>(filter: &Cuckoo<T, P>, absent: &[Digest]) {
    let (params, keys) = (*filter.params(), filter.stored());
    let (rate, spread) =
        (Cuckoo::<T, P>::predicted_fpr(&params, keys).rate, Cuckoo::<T, P>::rate_spread(&params, keys));
    let (hits, probes) = (filter.count_contained(absent), absent.len() as u64);
    let p = overdispersed_test(hits, probes, rate, spread, Alternative::TwoSided).expect("a probability");
    assert!(p > ALPHA, "{params:?}, {keys} keys: {hits} hits of {probes}, rate {rate}, p = {p}");
}

#[test]
fn hand_01_consecutive_integers() {
    for keys in [1000, 10_000, 100_000] {
        let params = <CuckooFilter>::size_for_fpr(keys, 0.01).unwrap();
        let members = integers(1, 0..keys);
        let filter: CuckooFilter = filter_of(params, 1, &members);
        assert_eq!(filter.count_contained(&members), keys);
        agrees(&filter, &integers(1, keys..keys + 1_000_000));
    }
}

fn half_of_the_keys_go<T: Table, P: Pairing>(buckets: u64, fingerprint_bits: u32) {
    let members = integers(2, 0..10_000);
    let mut filter: Cuckoo<T, P> = filter_of(Params { buckets, fingerprint_bits }, 2, &members);
    // What is not in is not taken out.
    let before = state(&filter);
    let absent: Vec<Digest> = integers(2, 10_000..20_000).into_iter().filter(|key| !filter.contains(*key)).collect();
    assert!(absent.len() > 8000 && absent.iter().all(|key| filter.remove(*key) == Removal::Absent));
    assert_eq!(state(&filter), before);
    // What goes takes no other key with it.
    assert!(members[..5000].iter().all(|key| filter.remove(*key) == Removal::Removed));
    assert_eq!((filter.count_contained(&members[5000..]), filter.stored(), filter.inserted()), (5000, 5000, 10_000));
    assert!(members[5000..].iter().all(|key| filter.remove(*key) == Removal::Removed));
    assert_eq!((filter.stored(), filter.count_contained(&members)), (0, 0));
    assert!(filter.table().bits().count_ones() == 0);
}

#[test]
fn hand_20_removing_what_was_never_inserted() {
    half_of_the_keys_go::<Slots<1>, Subtract>(40_000, 12);
    half_of_the_keys_go::<Slots<4>, Subtract>(3000, 8);
    half_of_the_keys_go::<Slots<4>, Xor>(4096, 8);
    half_of_the_keys_go::<SemiSorted, Subtract>(3000, 8);
}

#[test]
fn hand_21_removing_twice() {
    let params = Params { buckets: 300, fingerprint_bits: 12 };
    let others = integers(1, 1..1001);
    let alone: CuckooFilter = filter_of(params, 1, &others);
    let key = integers(1, 2000..3000).into_iter().find(|key| !alone.contains(*key)).unwrap();
    let mut filter = alone.clone();
    filter.insert(key).unwrap();
    assert_eq!((filter.remove(key), filter.remove(key)), (Removal::Removed, Removal::Absent));
    assert_eq!((filter.count_contained(&others), filter.stored()), (1000, 1000));
}

fn fills_up<T: Table, P: Pairing>(params: Params, least: f64) {
    let mut filter: Cuckoo<T, P> = filter_of(params, 7, &[]);
    let keys = integers(7, 0..2 * filter.slots());
    let full = keys.iter().find_map(|key| filter.insert(*key).err()).expect("there are more keys than slots");
    let held = filter.inserted();
    assert_eq!((full.inserted, full.capacity, filter.stored()), (held, filter.slots(), held));
    assert!(filter.load() > least, "{params:?}: {}", filter.load());
    assert_eq!(filter.count_contained(&keys[..held as usize]), held, "no key was lost");
    // A refusal leaves not a bit changed, the choices to come among them: it is repeated.
    let before = state(&filter);
    for _ in 0..3 {
        assert!(filter.insert(keys[held as usize]).is_err());
        assert_eq!(state(&filter), before);
    }
    let refused = keys[held as usize..].iter().take(100).filter(|key| filter.insert(**key).is_err()).count();
    assert!(refused > 0 && filter.count_contained(&keys[..held as usize]) == held);
}

#[test]
fn hand_23_the_first_refused_insert() {
    fills_up::<Slots<4>, Subtract>(Params { buckets: 1000, fingerprint_bits: 12 }, 0.90);
    fills_up::<Slots<4>, Xor>(Params { buckets: 1024, fingerprint_bits: 8 }, 0.90);
    fills_up::<Slots<2>, Subtract>(Params { buckets: 4096, fingerprint_bits: 12 }, 0.84);
    fills_up::<Slots<8>, Subtract>(Params { buckets: 999, fingerprint_bits: 10 }, 0.97);
    fills_up::<SemiSorted, Subtract>(Params { buckets: 1000, fingerprint_bits: 12 }, 0.90);
    fills_up::<SemiSorted, Xor>(Params { buckets: 1024, fingerprint_bits: 20 }, 0.90);
    // Filled to 5,000 accepted.
    let members = integers(1, 0..5000);
    let filter: CuckooFilter = filter_of(Params { buckets: 1320, fingerprint_bits: 12 }, 1, &members);
    assert_eq!(filter.count_contained(&members), 5000);
}

/// The issue: four slots fill above 95 % at f >= 6, in 2^15 buckets and more.
#[test]
fn four_slots_fill_above_95_percent() {
    for fingerprint_bits in [6, 8, 12] {
        fills_up::<Slots<4>, Subtract>(Params { buckets: 1 << 15, fingerprint_bits }, 0.95);
        fills_up::<Slots<4>, Xor>(Params { buckets: 1 << 15, fingerprint_bits }, 0.95);
        fills_up::<SemiSorted, Subtract>(Params { buckets: 1 << 15, fingerprint_bits }, 0.95);
    }
}

fn copies_of_a_key<T: Table, P: Pairing>(buckets: u64, others: u64) {
    let others = integers(1, 1..others + 1);
    let mut filter: Cuckoo<T, P> = filter_of(Params { buckets, fingerprint_bits: 12 }, 1, &others);
    let key = integers(1, 9999..20_000).into_iter().find(|key| !filter.contains(*key)).expect("most are denied");
    for _ in 0..2 * T::SLOTS {
        filter.insert(key).expect("room for a copy");
    }
    let before = state(&filter);
    assert!(filter.insert(key).is_err(), "no room for copy {}", 2 * T::SLOTS + 1);
    assert_eq!(state(&filter), before);
    assert_eq!(filter.count_contained(&others), others.len() as u64);
    for left in (0..2 * T::SLOTS).rev() {
        assert_eq!((filter.remove(key), filter.contains(key)), (Removal::Removed, left > 0));
    }
    assert_eq!((filter.remove(key), filter.count_contained(&others)), (Removal::Absent, others.len() as u64));
}

#[test]
fn hand_24_copies_of_one_key() {
    copies_of_a_key::<Slots<4>, Subtract>(400, 1000);
    copies_of_a_key::<Slots<4>, Xor>(512, 1000);
    copies_of_a_key::<SemiSorted, Subtract>(400, 1000);
    copies_of_a_key::<Slots<1>, Subtract>(4000, 300);
    copies_of_a_key::<Slots<2>, Subtract>(1000, 1000);
    copies_of_a_key::<Slots<16>, Subtract>(100, 1000);
}

/// 10 slots and 8 bits, filled up: about 2 x 10 x load / 255, which is 7.5 % in the theory too.
#[test]
fn hand_24_fat_buckets() {
    let params = Params { buckets: 4000, fingerprint_bits: 8 };
    let mut filter: CuckooFilter<10> = filter_of(params, 1, &[]);
    assert!(integers(1, 0..41_000).iter().any(|key| filter.insert(*key).is_err()));
    assert!(filter.load() > 0.98);
    let rate = CuckooFilter::<10>::predicted_fpr(&params, filter.inserted()).rate;
    assert!((0.074..0.077).contains(&rate), "{rate}");
    agrees(&filter, &integers(1, 50_000..1_050_000));
}

#[test]
fn hand_25_fingerprint_zero_and_repeated_adds() {
    // Half full: one key in 256 would be lost if it had the fingerprint 0.
    let members = integers(1, 0..100_000);
    let filter: CuckooFilter = filter_of(Params { buckets: 50_000, fingerprint_bits: 8 }, 1, &members);
    assert_eq!((filter.count_contained(&members), filter.load()), (100_000, 0.5));
    let filter: SemiSortedCuckoo = filter_of(Params { buckets: 50_000, fingerprint_bits: 8 }, 1, &members);
    assert_eq!(filter.count_contained(&members), 100_000);
    // Ten copies in 20 buckets: as many classes of keys as five texts have, each of 2 / (20 x 255).
    let hasher = KeyHasher::new(1);
    let texts: Vec<Digest> =
        ["ant", "bee", "cat", "dog", "elk"].iter().map(|text| hasher.bytes(text.as_bytes())).collect();
    let twice: Vec<Digest> = texts.iter().chain(&texts).copied().collect();
    let filter: CuckooFilter = filter_of(Params { buckets: 20, fingerprint_bits: 8 }, 1, &twice);
    let absent: Vec<Digest> = (0..1000).map(|name| hasher.bytes(format!("name {name}").as_bytes())).collect();
    // 2 expected; more than 16 have a probability below 1e-9.
    let hits = filter.count_contained(&absent);
    assert!(hits <= 16, "{hits} of 1000");
    assert_eq!(filter.count_contained(&texts), 5);
}

#[test]
fn hand_26_back_and_forth_between_the_two_buckets() {
    for buckets in [100, 101, 128, 2, 1] {
        let filter: CuckooFilter = filter_of(Params { buckets, fingerprint_bits: 8 }, 1, &[]);
        for bucket in 0..buckets {
            for fingerprint in 1..=255 {
                let partner = filter.partner(bucket, fingerprint);
                assert!(partner < buckets && filter.partner(partner, fingerprint) == bucket);
                assert!(buckets % 2 == 1 || partner != bucket);
            }
        }
    }
    let error = CuckooFilter::<4, Xor>::empty(&Params { buckets: 100, fingerprint_bits: 8 }, 1).unwrap_err();
    assert!(error.to_string().starts_with("buckets = 100 is out of range: a power of two"), "{error}");
}

/// Both buckets are really used: with one bucket for each key the first refusal would come at a load of about one half.
#[test]
fn half_the_fingerprints_change_bucket_when_asked() {
    let filter: CuckooFilter = filter_of(Params { buckets: 1001, fingerprint_bits: 8 }, 1, &[]);
    let partners: std::collections::HashSet<u64> =
        (1..=255).map(|fingerprint| filter.partner(500, fingerprint)).collect();
    // 255 offsets in 1001 buckets: 1001 (1 - (1 - 1/1001)^255) = 225 different ones expected, deviation 5.
    assert!((195..=250).contains(&partners.len()), "{}", partners.len());
}

#[test]
fn hand_12_hand_13_ranges_and_absurd_sizes() {
    for (buckets, fingerprint_bits, text) in [
        (0, 8, "buckets = 0 is out of range: 1 to 2^48 buckets"),
        (100, 1, "fingerprint_bits = 1 is out of range: 2 to 32 bits"),
        (100, 33, "fingerprint_bits = 33 is out of range: 2 to 32 bits"),
    ] {
        assert_eq!(<CuckooFilter>::empty(&Params { buckets, fingerprint_bits }, 1).unwrap_err().to_string(), text);
    }
    let error = <SemiSortedCuckoo>::empty(&Params { buckets: 100, fingerprint_bits: 3 }, 1).unwrap_err();
    assert_eq!(error.to_string(), "fingerprint_bits = 3 is out of range: 4 to 32 bits");
    let error = CuckooFilter::<16>::empty(&Params { buckets: 1 << 48, fingerprint_bits: 32 }, 1).unwrap_err();
    assert!(error.to_string().starts_with("cannot allocate"), "{error}");
}

/// 50 false positives of seed 1 are absent keys like any other to seed 2: at 1 %, nine or more of them have a
/// probability of 1.7e-9.
#[test]
fn hand_34_crafted_keys() {
    let params = <CuckooFilter>::size_for_fpr(1000, 0.01).unwrap();
    let members = integers(1, 0..1000);
    let (first, second): (CuckooFilter, CuckooFilter) =
        (filter_of(params, 1, &members), filter_of(params, 2, &members));
    let crafted: Vec<Digest> =
        integers(1, 1000..100_000).into_iter().filter(|key| first.contains(*key)).take(50).collect();
    assert_eq!(crafted.len(), 50);
    let hits = second.count_contained(&crafted);
    assert!(hits <= 8, "{hits} of 50");
}

#[test]
fn hand_44_cleared_is_new() {
    let params = Params { buckets: 26, fingerprint_bits: 8 };
    let mut filter: CuckooFilter = filter_of(params, 1, &integers(1, 0..90));
    assert!(filter.kicks() > 0);
    filter.clear();
    let new: CuckooFilter = filter_of(params, 1, &[]);
    assert_eq!(state(&filter), state(&new));
}
