//! Published filters: made again from their items, and read and written, byte for byte.
mod common;

use common::{BIP37, BLOCKS, GUAVA, PARQUET_BITSET, PARQUET_HEADER, hex, items, parquet};
use formats::guava::utf16;
use formats::{Bip37Bloom, GolombSet, GuavaBloom, ParquetBloom, Strategy, Wire};

/// Bitcoin Core, `src/test/bloom_tests.cpp`: three items at 1 %, without and with a tweak; the first item with a changed bit is
/// not in.
#[test]
fn bip37_filters_of_bitcoin_core() {
    let members = [
        "99108ad8ed9bb6274d3980bab5a85c048f0950c8",
        "b5a2c786d9ef4658287ced5914b37a1b4aa32eee",
        "b9300670b4c5366e95b2699e8b18bc75e5f729c5",
    ];
    for (tweak, expected) in [(0, BIP37[0]), (2_147_483_649, BIP37[1])] {
        let mut filter = Bip37Bloom::for_items(3, 0.01, tweak, 1).unwrap();
        for member in members {
            filter.insert(&hex(member));
            assert!(filter.contains(&hex(member)));
        }
        assert!(!filter.contains(&hex("19108ad8ed9bb6274d3980bab5a85c048f0950c8")));
        assert_eq!(filter.encode(), hex(expected));
        assert_eq!((filter.bits().len(), filter.functions(), filter.tweak(), filter.flags()), (3, 5, tweak, 1));
    }
}

/// The same file: a public key, then its hash.
#[test]
fn bip37_filter_of_a_key_of_bitcoin_core() {
    let mut filter = Bip37Bloom::for_items(2, 0.001, 0, 1).unwrap();
    filter.insert(&hex(
        "045b81f0017e2091e2edcd5eecf10d5bdd120a5514cb3ee65b8447ec18bfc4575c6d5bf415e54e03b1067934a0f0ba76b01c6b9ab227142ee1d543764b69d901e0",
    ));
    assert_eq!(filter.encode(), hex(BIP37[2]));
    filter.insert(&hex("477abbacd4113f2e6b100526222eedd953c26a64"));
    assert_eq!(filter.encode(), hex(BIP37[3]));
}

/// BIP 158, `bip-0158/testnet-19.json`: all ten blocks.
#[test]
fn bip158_filters_of_the_specification() {
    for block in &BLOCKS {
        let (key, items) = (block.key(), block.items());
        let set = GolombSet::build(&key, &items).unwrap();
        assert_eq!(set.encode(), hex(block.filter), "{}", block.hash);
        let read = GolombSet::decode(&hex(block.filter)).unwrap();
        assert_eq!(read, set);
        assert!(items.iter().all(|item| read.contains(&key, item)));
        assert_eq!(read.contains_any(&key, &items), !items.is_empty());
        assert!(!read.contains(&key, b"absent"));
        assert!(!read.contains_any(&key, &[b"absent", b"nor he"]) && !read.contains_any(&key, &[[0u8; 1]; 0]));
    }
    let total: u64 = BLOCKS.iter().map(|block| GolombSet::decode(&hex(block.filter)).unwrap().count()).sum();
    assert_eq!(total, 1 + 1 + 1 + 1 + 10 + 13 + 9 + 1 + 3);
}

#[test]
fn parquet_filter_of_the_java_implementation() {
    let mut filter = ParquetBloom::new(32).unwrap();
    (0..10).for_each(|index| filter.insert(format!("a{index}").as_bytes()));
    assert_eq!(filter.bitset(), PARQUET_BITSET);
    assert_eq!(filter.encode(), parquet());
    assert_eq!(ParquetBloom::decode(&parquet()), Ok(filter.clone()));
    assert_eq!(ParquetBloom::from_bitset(&PARQUET_BITSET), Ok(filter));
    assert_eq!(ParquetBloom::new(32).unwrap().encode()[..15], PARQUET_HEADER);
}

/// The hash of nothing, from the same tests: 17241709254077376921.
#[test]
fn parquet_hash_of_nothing() {
    let (mut by_item, mut by_hash) = (ParquetBloom::new(1 << 10).unwrap(), ParquetBloom::new(1 << 10).unwrap());
    by_item.insert(b"");
    by_hash.insert_hash(17_241_709_254_077_376_921);
    assert_eq!(by_item, by_hash);
    assert!(by_item.contains_hash(17_241_709_254_077_376_921) && by_hash.contains(b""));
}

#[test]
fn guava_filters_of_guava() {
    let texts = ["", "a", "\u{e9}t\u{e9}", "\u{1f600}"];
    let ints = (-2..3).map(|index: i32| (index * 1_000_003).to_le_bytes().to_vec()).collect();
    let longs = (-2..3).map(|index: i64| (index * 1_000_000_007).to_le_bytes().to_vec()).collect();
    let made: [(GuavaBloom, Vec<Vec<u8>>); 7] = [
        (GuavaBloom::for_items(10, 0.01).unwrap(), vec![]),
        (GuavaBloom::for_items(10, 0.01).unwrap(), items(0..10)),
        (GuavaBloom::for_items(5, 0.03).unwrap(), ints),
        (GuavaBloom::for_items(5, 0.001).unwrap(), longs),
        (GuavaBloom::for_items(4, 0.05).unwrap(), texts.map(utf16).to_vec()),
        (GuavaBloom::for_items(4, 0.05).unwrap(), texts.map(|text| text.as_bytes().to_vec()).to_vec()),
        (GuavaBloom::new(Strategy::Mitz32, 128, 7).unwrap(), items(0..10)),
    ];
    for ((mut filter, members), (name, expected)) in made.into_iter().zip(GUAVA) {
        members.iter().for_each(|member| filter.insert(member));
        assert_eq!(filter.encode(), hex(expected), "{name}");
        let read = GuavaBloom::decode(&hex(expected)).unwrap();
        assert_eq!(read, filter, "{name}");
        assert!(members.iter().all(|member| read.contains(member)), "{name}");
    }
}

/// Guava, `BloomFilterTest`: a million even numbers as text at 3 %. Listed there are all odd numbers below 900 that are found,
/// and how many odd numbers below 2,000,000 are.
#[test]
fn guava_false_positives_of_its_own_tests() {
    let utf8: fn(&str) -> Vec<u8> = |text| text.as_bytes().to_vec();
    let wide: fn(&str) -> Vec<u8> = utf16;
    type Case = (Strategy, fn(&str) -> Vec<u8>, u32, &'static [u32]);
    let cases: [Case; 3] = [
        (
            Strategy::Mitz32,
            wide,
            29_824,
            &[49, 51, 59, 163, 199, 321, 325, 363, 367, 469, 545, 561, 727, 769, 773, 781],
        ),
        (Strategy::Mitz64, wide, 30_104, &[15, 25, 287, 319, 381, 399, 421, 465, 529, 697, 767, 857]),
        (Strategy::Mitz64, utf8, 29_763, &[89, 129, 471, 723, 751, 835, 871]),
    ];
    for (strategy, bytes, count, below_900) in cases {
        let sized = GuavaBloom::for_items(1_000_000, 0.03).unwrap();
        let mut filter = GuavaBloom::new(strategy, sized.bits(), sized.functions().into()).unwrap();
        (0..1_000_000u32).for_each(|index| filter.insert(&bytes(&(2 * index).to_string())));
        let found = |number: &u32| filter.contains(&bytes(&number.to_string()));
        assert!((0..2_000_000).step_by(2).all(|number| found(&number)));
        let hits: Vec<u32> = (1..2_000_000).step_by(2).filter(found).collect();
        let below: Vec<u32> = hits.iter().copied().take_while(|number| *number < 900).collect();
        assert_eq!((hits.len() as u32, &below[..]), (count, below_900), "{}", strategy.name());
    }
}
