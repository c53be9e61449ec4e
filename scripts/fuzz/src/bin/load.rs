//! The reader of saved filters: any bytes after the first one, which says what is repaired before they are read.
//!
//! With bit 0 the checksum is made right, or every input would die there; with bit 1 the length of the payload too, with bit 2
//! magic and version. What is read as a filter must be saved as the very bytes it was read from.
#![no_main]

use amq::Digest;
use fuzz::held;
use libfuzzer_sys::fuzz_target;
use saved::{CHECKSUM_BYTES, HEAD_BYTES, Head, MAGIC, Save, VERSION};

#[global_allocator]
static HEAP: bits::heap::Counting = bits::heap::Counting;

fn one<F: Save>(head: &Head, bytes: &[u8]) {
    if !saved::is_type::<F>(head) {
        return;
    }
    let Ok(filter) = held(bytes, 0, || saved::load::<F>(bytes)) else { return };
    let again = match head.key_hash {
        None => saved::save(&filter),
        Some(_) => saved::save_hashed(&filter, head.key_hash),
    };
    assert_eq!(again.as_deref(), Ok(bytes), "saved again it is something else");
    for key in 0..64u64 {
        let _ = filter.contains(Digest(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    }
    assert!((0.0..=1.0).contains(&filter.fill()));
}

macro_rules! each {
    ($head:ident, $bytes:ident: $($filter:ty),+ $(,)?) => { $(one::<$filter>($head, $bytes);)+ };
}

fn all(head: &Head, bytes: &[u8]) {
    each!(head, bytes:
        standard::StandardBloom,
        standard::StandardBloom<hashing::Derive<hashing::derive::Double, hashing::derive::Modulo>>,
        partitioned::PartitionedBloom,
        counting::CountingBloom<1>, counting::CountingBloom<2>, counting::CountingBloom<3>,
        counting::CountingBloom<4>, counting::CountingBloom<8>, counting::CountingBloom<16>,
        deletable::DeletableBloom,
        stable::StableBloom, stable::StableBloom<stable::Independent>,
        compressed::CompressedBloom,
        blocked::BlockedBloom<64>, blocked::BlockedBloom<512>, blocked::SplitBlock<32>, blocked::SplitBlock<64>,
        cuckoo::CuckooFilter<1>, cuckoo::CuckooFilter<2>, cuckoo::CuckooFilter, cuckoo::CuckooFilter<8>,
        cuckoo::CuckooFilter<4, cuckoo::Xor>, cuckoo::SemiSortedCuckoo,
        xor::XorFilter<8>, xor::XorFilter<9>, xor::XorFilter<16>, xor::XorFilter<32>,
        xor::FuseFilter<3, 8>, xor::FuseFilter<3, 16>, xor::FuseFilter<4, 8>, xor::FuseFilter<4, 16>,
    );
}

fuzz_target!(|data: &[u8]| {
    let Some((repair, bytes)) = data.split_first() else { return };
    let mut bytes = bytes.to_vec();
    if repair & 4 != 0 && bytes.len() >= 10 {
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    }
    if repair & 2 != 0 && bytes.len() >= HEAD_BYTES {
        let count = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let before = HEAD_BYTES + 8 * (count(56) + count(58)) + CHECKSUM_BYTES;
        let payload = bytes.len().saturating_sub(before) as u64;
        bytes[48..56].copy_from_slice(&payload.to_le_bytes());
    }
    if repair & 1 != 0 && bytes.len() >= CHECKSUM_BYTES {
        let body = bytes.len() - CHECKSUM_BYTES;
        let checksum = crc32fast::hash(&bytes[..body]);
        bytes[body..].copy_from_slice(&checksum.to_le_bytes());
    }
    if let Ok((head, _)) = held(&bytes, 0, || Head::read(&bytes)) {
        all(&head, &bytes);
    }
});
