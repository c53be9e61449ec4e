//! What users of saved filters have met, beyond damage: sizes, byte order, messages (HAND-09, HAND-30, HAND-31).
#![allow(clippy::unwrap_used, reason = "a test that fails is a test that panics")]

use amq::{Filter, IncrementalFilter, KeyCount};
use conformance::keys::digests;
use conformance::laws::saved::sealed;
use counting::CountingBloom;
use hashing::{Family, KeyHasher, Keyed};
use saved::{Head, KeyHash, MAGIC, SaveError};
use standard::StandardBloom;

/// m = 100 stays 100, counter 100 of 101 works, and what was inserted is found: in bytes as few as can be.
#[test]
fn hand_09_sizes_that_are_no_multiple_of_a_byte() {
    let mut filter =
        Keyed::new(<StandardBloom>::empty(&standard::Params { m: 100, k: 3 }, 42).unwrap(), KeyHasher::new(42));
    filter.insert("test").unwrap();
    let bytes = saved::save_keyed(&filter).unwrap();
    assert_eq!(bytes.len(), 64 + 16 + 13 + 4);
    let loaded = saved::load_keyed::<StandardBloom>(&bytes).unwrap();
    assert_eq!(loaded.filter().params().m, 100);
    assert!(loaded.contains("test") && loaded.filter().bits() == filter.filter().bits());
    let mut counters = CountingBloom::<4>::empty(&counting::Params { m: 101, k: 1 }, 1).unwrap();
    counters.insert_batch(&digests(0, 0..1000)).unwrap();
    assert!(counters.counters().get(100) > 0);
    let bytes = saved::save(&counters).unwrap();
    assert_eq!(bytes.len(), 64 + 32 + 51 + 4);
    assert_eq!(saved::load::<CountingBloom<4>>(&bytes).unwrap().counters(), counters.counters());
}

/// Every field at its place, lowest byte first, whatever the machine: numbers are written out by hand.
#[test]
fn hand_30_every_field_has_its_place_and_order() {
    let params = standard::Params { m: 12, k: 0x21 };
    let mut filter = <StandardBloom>::empty(&params, 0x0807_0605_0403_0201).unwrap().planned_for(0x0102_0304_0506_0708);
    // More keys than bits: all of them are set.
    filter.insert_batch(&digests(0, 0..0x1234)).unwrap();
    let key_hash = KeyHash { integers: Family::Mixer, bytes: Family::SipHash24, seed: 0x1817_1615_1413_1211 };
    let bytes = saved::save_hashed(&filter, Some(key_hash)).unwrap();
    let expected: [&[u8]; 17] = [
        &[0x89, b'A', b'M', b'Q', b'\r', b'\n', 0x1a, b'\n'],
        &[1, 0],
        &[1, 0],
        &[9, 3],
        &[16, 7],
        &[0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18],
        &[1, 2, 3, 4, 5, 6, 7, 8],
        &[0x34, 0x12, 0, 0, 0, 0, 0, 0],
        &[8, 7, 6, 5, 4, 3, 2, 1],
        &[2, 0, 0, 0, 0, 0, 0, 0],
        &[2, 0],
        &[0, 0],
        &[0, 0, 0, 0],
        &[12, 0, 0, 0, 0, 0, 0, 0],
        &[0x21, 0, 0, 0, 0, 0, 0, 0],
        &[0xff, 0x0f],
        // CRC-32 of the above, computed outside of this program (zlib).
        &CRC,
    ];
    assert_eq!(bytes, expected.concat());
    let (head, payload) = Head::read(&bytes).unwrap();
    assert_eq!((head.seed, head.payload_bytes, payload), (0x0807_0605_0403_0201, 2, &[0xff, 0x0f][..]));
    assert_eq!((head.key_hash, head.params), (Some(key_hash), vec![12, 0x21]));
    assert_eq!(head.count, KeyCount::new(0x1234, Some(0x0102_0304_0506_0708)));
    // The plan is read too: it warns as before.
    let mut planned = <StandardBloom>::empty(&params, 1).unwrap().planned_for(2);
    planned.insert_batch(&digests(0, 0..3)).unwrap();
    let loaded: StandardBloom = saved::load(&saved::save(&planned).unwrap()).unwrap();
    assert!(planned.over_plan().is_some() && loaded.over_plan() == planned.over_plan());
}

const CRC: [u8; 4] = [0x0f, 0x1e, 0x6b, 0x04];

/// What is wrong is said by value.
#[test]
fn hand_31_errors_name_what_is_wrong() {
    let mut filter = <StandardBloom>::empty(&standard::Params { m: 100, k: 3 }, 42).unwrap();
    filter.insert_batch(&digests(0, 0..10)).unwrap();
    let bytes = saved::save(&filter).unwrap();
    let text = |bytes: &[u8]| saved::load::<StandardBloom>(bytes).map(|_| ()).unwrap_err().to_string();
    let with = |at: usize, new: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + new.len()].copy_from_slice(new);
        sealed(changed)
    };
    let word = |at, word: u64| with(at, &word.to_le_bytes());
    for (damaged, message) in [
        (
            b"{\"m\": 100}".to_vec(),
            "no saved filter: the first bytes are [7b, 22, 6d, 22, 3a, 20, 31, 30], not [89, 41, 4d, 51",
        ),
        (Vec::new(), "cut off: 68 bytes are needed, 0 are there"),
        (MAGIC[..7].to_vec(), "cut off: 68 bytes are needed, 7 are there"),
        (bytes[..90].to_vec(), "cut off: 97 bytes are needed, 90 are there"),
        ([&bytes[..], &[0; 3]].concat(), "3 bytes follow the end of the filter"),
        (with(8, &[2]), "unknown format version 2; known: 1. A newer version may read it"),
        (with(10, &[2]), "the bytes hold a filter with variant 2, this type has 1, standard"),
        (with(12, &[99]), "unknown scheme 99; known: 1 independent, 2 double, "),
        (with(12, &[9, 9]), "unknown reduction 9; known: 1 modulo, "),
        (
            with(12, &[2, 1]),
            "the bytes hold a filter with derivation double modulo, this type has multiplicative multiply-shift",
        ),
        (with(14, &[99, 1]), "unknown hash family 99; known: 1 xxh3, "),
        (with(14, &[16, 16]), "unknown hash family of bytes 16; known: 1 xxh3, "),
        (word(16, 5), "the bytes of the key seed, without a hash family, are not 0"),
        (word(48, 14), "cut off: 98 bytes are needed, 97 are there"),
        (word(48, u64::MAX), "payload bytes = 18446744073709551615 does not fit the other 97 bytes"),
        (with(56, &[99]), "parameters = 99 does not fit the other 97 bytes"),
        (with(60, &[1]), "bytes 60 to 63 are not 0"),
        (word(64, 0), "the parameters say a payload of 0 bytes, 13 are there"),
        (word(64, 64 << 31), "the parameters say a payload of 17179869184 bytes, 13 are there"),
        (word(72, 65), "k = 65 is out of range: 1 to 64 probes"),
        (word(32, 0), "no filter has set bits = "),
        (with(92, &[0xf0]), "the bits beyond the end of an array are not 0"),
    ] {
        let said = text(&damaged);
        assert!(said.starts_with(message), "`{said}` is not `{message}`");
    }
    let mut changed = bytes.clone();
    changed[85] ^= 4;
    assert!(text(&changed).starts_with("damaged: checksum "));
    assert!(saved::load_keyed::<StandardBloom>(&bytes).unwrap_err().to_string().contains("hash of its keys unknown"));
    let other = saved::load::<CountingBloom<4>>(
        &saved::save(&CountingBloom::<5>::empty(&counting::Params { m: 9, k: 1 }, 1).unwrap()).unwrap(),
    );
    assert_eq!(other.unwrap_err().to_string(), "the bytes hold a filter with counter_bits 5, this type has 4");
}

#[test]
fn families_that_do_not_last_are_refused() {
    let filter = <StandardBloom>::empty(&standard::Params { m: 100, k: 3 }, 42).unwrap();
    let hashed = |integers, bytes| saved::save_hashed(&filter, Some(KeyHash { integers, bytes, seed: 1 })).map(|_| ());
    assert_eq!(hashed(Family::Mixer, Family::AHash), Err(SaveError::Unstable { family: Family::AHash }));
    assert!(matches!(hashed(Family::Mixer, Family::Mixer), Err(SaveError::IntegerOnly(_))));
    assert_eq!(hashed(Family::Xxh3, Family::Xxh64), Ok(()));
}
