//! Which formats some bytes are.
mod common;

use common::{BIP37, BLOCKS, GUAVA, hex, items, larger, parquet};
use formats::{Evidence, Format, recognise};

/// Published and larger filters are recognised as what they are, first and alone.
#[test]
fn filters_are_recognised() {
    let [bip37, parquet_larger, guava, mitz32, bip158] = larger(&items(0..500));
    let mut cases: Vec<(Format, Vec<u8>)> = BIP37.iter().map(|filter| (Format::Bip37, hex(filter))).collect();
    cases.extend(BLOCKS.iter().map(|block| (Format::Bip158, hex(block.filter))));
    cases.extend(GUAVA.iter().map(|(_, filter)| (Format::Guava, hex(filter))));
    cases.extend([(Format::Parquet, parquet()), (Format::Parquet, parquet_larger), (Format::Bip37, bip37)]);
    cases.extend([(Format::Guava, guava), (Format::Guava, mitz32), (Format::Bip158, bip158)]);
    for (format, bytes) in cases {
        let found = recognise(&bytes);
        assert_eq!(found.len(), 1, "{format}: {found:?}");
        assert_eq!(found[0].format, format);
        let evidence = if format == Format::Bip158 { Evidence::Lengths } else { Evidence::Header };
        assert_eq!(found[0].evidence, evidence);
        assert_eq!(found[0].summary.contains("may still be something else"), evidence == Evidence::Lengths);
        assert!(!found[0].summary.contains("mbiguous") && !found[0].summary.contains('\n'));
    }
}

#[test]
fn summaries_have_the_numbers() {
    let summary = |bytes: &str| recognise(&hex(bytes)).remove(0).summary;
    assert_eq!(
        summary(BIP37[1]),
        "Bitcoin BIP 37 filter (filterload payload): 3 bytes, 5 hash functions, tweak 2147483649, flags 1 (update: all), \
         11 of 24 bits set (45.8 %)."
    );
    assert_eq!(
        summary(BLOCKS[4].filter),
        "Bitcoin BIP 158 filter (Golomb-coded set, P = 19, M = 784931): 10 items in 27 bytes of codes, 21.6 bits an item. To \
         ask it takes the key, the first 16 bytes of the block's hash, which is not in the bytes. The format has no mark of \
         its own: these bytes fit it, and may still be something else."
    );
    assert_eq!(
        summary(GUAVA[1].1),
        "Guava BloomFilter, strategy MURMUR128_MITZ_64: 128 bits in 2 longs, 7 hash functions, 50 of 128 bits set (39.1 %). \
         Which funnel made bytes of its items is not in the bytes."
    );
    assert_eq!(
        recognise(&parquet()).remove(0).summary,
        "Apache Parquet split-block Bloom filter (XXH64, uncompressed): 32 bytes in 1 blocks of 256 bits, 65 of 256 bits set \
         (25.4 %)."
    );
    let always = summary("00000000000000000000");
    assert!(always.ends_with("0 of 0 bits set (0.0 %). It says yes to everything."), "{always}");
}

#[test]
fn what_is_no_filter_is_not_recognised() {
    for bytes in [&b""[..], b"\x01", b"a text that is no filter", &[0xff; 100], &parquet()[1..], &hex(BIP37[0])[1..]] {
        assert_eq!(recognise(bytes), [], "{bytes:?}");
    }
}

/// Bytes that are two things at once are said to be: 14 bytes that hold a BIP 37 filter of 5 bytes and a set of 5 items.
#[test]
fn ambiguous_bytes_are_said_to_be() {
    let both = (0..100_000u64).find_map(|index| {
        let free = (index.wrapping_mul(0x9e37_79b9_7f4a_7c15)).to_be_bytes();
        let bytes = [&[5][..], &free[..5], &[free[5] % 51, 0, 0, 0], &free[3..7], &[0]].concat();
        Some(recognise(&bytes)).filter(|found| found.len() == 2)
    });
    let both = both.expect("one in a few hundred fits");
    assert_eq!((both[0].format, both[1].format), (Format::Bip37, Format::Bip158));
    assert!(both[0].summary.ends_with("Ambiguous: the same bytes are a BIP 158 filter; only their source tells."));
    assert!(both[1].summary.ends_with("Ambiguous: the same bytes are a BIP 37 filter; only their source tells."));
}
