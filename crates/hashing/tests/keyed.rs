//! The adapter from filters of digests to filters of keys, over a set in place of a filter.

use std::collections::HashSet;

use amq::{BuildError, Digest, Filter, Full, IncrementalFilter, InvalidParams, Space, StaticFilter};
use hashing::{Family, Key, KeyHasher, Keyed};

#[derive(Default)]
struct Set {
    digests: HashSet<Digest>,
}

impl Filter for Set {
    type Params = ();
    fn params(&self) -> &() {
        &()
    }
    fn contains(&self, key: Digest) -> bool {
        self.digests.contains(&key)
    }
    fn space(&self) -> Space {
        Space::default()
    }
}

impl IncrementalFilter for Set {
    fn empty((): &(), _seed: u64) -> Result<Self, InvalidParams> {
        Ok(Self::default())
    }
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        self.digests.insert(key);
        Ok(())
    }
    fn inserted(&self) -> u64 {
        self.digests.len() as u64
    }
    fn clear(&mut self) {
        self.digests.clear();
    }
}

impl StaticFilter for Set {
    fn build((): &(), _seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        Ok(Self { digests: keys.iter().copied().collect() })
    }
}

#[test]
fn keys_of_all_types_go_in_and_are_found() {
    let mut keyed = Keyed::new(Set::default(), KeyHasher::new(42));
    keyed.insert(&7u64).unwrap();
    keyed.insert(&7u32).unwrap();
    keyed.insert("seven").unwrap();
    keyed.insert(&vec![1u8, 2, 3]).unwrap();
    assert!(keyed.contains(&7u64) && keyed.contains(&7u32) && keyed.contains(&String::from("seven")));
    assert!(keyed.contains(b"seven") && keyed.contains(&[1u8, 2, 3][..]), "one encoding, one key");
    assert!(!keyed.contains(&7u16) && !keyed.contains(&7i64) && !keyed.contains("Seven") && !keyed.contains(""));
    assert_eq!(keyed.filter().inserted(), 4);
    assert_eq!(keyed.hasher().seed(), 42);
    assert!(keyed.into_filter().contains("seven".digest(&KeyHasher::new(42))));
}

#[test]
fn static_filters_are_built_from_keys() {
    let hasher = KeyHasher::with_families(Family::Tabulation, Family::SipHash24, 1).unwrap();
    assert_eq!(hasher.families(), (Family::Tabulation, Family::SipHash24));
    let keyed = Keyed::<Set>::build(&(), 0, hasher, ["a", "b"]).unwrap();
    assert!(keyed.contains("a") && keyed.contains("b") && !keyed.contains("c"));
}

/// With one family of bytes for both, a `u64` is its bytes.
#[test]
fn one_family_for_all_keys() {
    let hasher = KeyHasher::with_families(Family::Xxh3, Family::Xxh3, 5).unwrap();
    assert_eq!(7u64.digest(&hasher), 7u64.to_le_bytes().digest(&hasher));
}
