//! The wire form of the compressed filter, and its updates: any bytes after the first one. With bit 0 of that the checksum is
//! made right; with bit 1 they are an update of a filter, else a filter.
#![no_main]

use amq::{Digest, Encode, Filter, IncrementalFilter};
use compressed::{CompressedBloom, Params};
use fuzz::held;
use libfuzzer_sys::fuzz_target;

#[global_allocator]
static HEAP: bits::heap::Counting = bits::heap::Counting;

/// Bits of array that are allowed.
const MOST: u64 = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let Some((repair, bytes)) = data.split_first() else { return };
    let mut bytes = bytes.to_vec();
    if repair & 1 != 0 && bytes.len() >= 4 {
        let body = bytes.len() - 4;
        let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..body]) as u32;
        bytes[body..].copy_from_slice(&checksum.to_le_bytes());
    }
    let allowed = MOST / 8 + 10 * bytes.len() as u64;
    if repair & 2 != 0 {
        // The filter that the update of the frozen example is for.
        let mut filter = CompressedBloom::empty(&Params { m: 100, k: 3 }, 42).expect("parameters in range");
        let hasher = hashing::KeyHasher::new(42);
        (1..=5u64).for_each(|key| filter.insert(hasher.u64(key)).expect("never full"));
        let before = filter.clone();
        let changed = held(&bytes, allowed, || filter.clone().apply(&bytes).is_ok());
        assert!(filter.apply(&bytes).is_ok() == changed && (changed || filter == before));
        assert!(filter.ones() <= 100);
        return;
    }
    let Ok(filter) = held(&bytes, allowed, || CompressedBloom::decode(&bytes, MOST)) else { return };
    assert!(filter.memory_bits() <= MOST + 64);
    let again = CompressedBloom::decode(&filter.encode(), MOST);
    assert_eq!(again.as_ref(), Ok(&filter));
    let _ = filter.contains(Digest(1));
});
