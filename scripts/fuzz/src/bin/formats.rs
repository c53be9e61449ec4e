//! The filters of other systems: the first byte chooses one of the four readers, the rest are its bytes. What is read is written as
//! it was, and what recognises a format is the reader of that format.
#![no_main]

use formats::{Bip37Bloom, GolombSet, GuavaBloom, ParquetBloom, Wire, recognise};
use fuzz::held;
use libfuzzer_sys::fuzz_target;

#[global_allocator]
static HEAP: bits::heap::Counting = bits::heap::Counting;

fn read<W: Wire>(bytes: &[u8]) {
    let Ok(filter) = held(bytes, 0, || W::decode(bytes)) else { return };
    assert_eq!(filter.encode(), bytes);
    assert!(!filter.summary().is_empty());
    assert!(recognise(bytes).iter().any(|found| found.format == W::FORMAT));
}

fuzz_target!(|data: &[u8]| {
    let Some((which, bytes)) = data.split_first() else { return };
    match which % 4 {
        0 => read::<Bip37Bloom>(bytes),
        1 => read::<GolombSet>(bytes),
        2 => read::<GuavaBloom>(bytes),
        _ => read::<ParquetBloom>(bytes),
    }
});
