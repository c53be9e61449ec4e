//! Fixed seed, fixed bits: what is saved today is read in ten years.
use amq::{Digest, Filter, IncrementalFilter};
use blocked::{BlockedBloom, Params, SplitBlock, SplitParams};
use hashing::{Family, Hasher};

/// Keys 1..=10 with seed 42, by the default hash of `u64` of the same seed.
fn digest(key: u64) -> Digest {
    Hasher::new(Family::Mixer, 42).u64(key)
}

fn frozen<F: IncrementalFilter>(params: &F::Params) -> F {
    let mut filter = F::empty(params, 42).expect("parameters in range");
    (1..=10).for_each(|key| filter.insert(digest(key)).expect("never full"));
    filter
}

/// The keys up to 200 that the filter says yes to.
fn found<F: Filter>(filter: &F) -> Vec<u64> {
    (0..=200).filter(|key| filter.contains(digest(*key))).collect()
}

#[test]
fn hand_30_words_are_frozen() {
    let filter: BlockedBloom<64> = frozen(&Params { blocks: 3, k: 3 });
    assert_eq!(
        filter.lines().words().take(3).collect::<Vec<_>>(),
        [0x0549_0200_0500_8092, 0x2001_0c10_0080_2808, 0x0180_1000_0001_0600]
    );
    assert_eq!(found(&filter), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 30]);
}

#[test]
fn hand_30_lines_are_frozen() {
    let filter: BlockedBloom<512> = frozen(&Params { blocks: 1, k: 4 });
    assert_eq!(
        filter.lines().words().collect::<Vec<_>>(),
        [
            0x0800_0010_0480_2000,
            0x8000_4000_4080_1000,
            0x0100_0000_0000_0001,
            0x0400_0000_0014_0020,
            0x0000_8040_0000_0000,
            0x0000_0004_8080_4440,
            0x8080_0000_8840_0028,
            0x0000_0100_0588_0018
        ]
    );
    assert_eq!(found(&filter), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
}

#[test]
fn hand_30_narrow_lanes_are_frozen() {
    let filter: SplitBlock<32> = frozen(&SplitParams { blocks: 1 });
    assert_eq!(
        filter.lines().words().take(4).collect::<Vec<_>>(),
        [0x1361_5020_15c0_8204, 0x0320_410c_5008_0a21, 0x28d1_8051_6885_0b08, 0xa086_0083_c928_0088]
    );
    assert_eq!(found(&filter), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
}

#[test]
fn hand_30_wide_lanes_are_frozen() {
    let filter: SplitBlock<64> = frozen(&SplitParams { blocks: 1 });
    assert_eq!(
        filter.lines().words().collect::<Vec<_>>(),
        [
            0x1100_8000_05c0_0204,
            0x0101_c030_0030_2001,
            0x80c4_0410_0014_0009,
            0x1480_8124_0040_1400,
            0x0108_0088_c920_0000,
            0x0203_0024_0850_0002,
            0x1110_8008_2020_0009,
            0x0020_0005_0040_0941
        ]
    );
    assert_eq!(found(&filter), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
}

conformance::frozen! {
    blocked: BlockedBloom<512>, Params { blocks: 1, k: 4 } => 10, incremental;
    blocked_64: BlockedBloom<64>, Params { blocks: 3, k: 3 } => 10, incremental;
    split_block: SplitBlock<32>, SplitParams { blocks: 1 } => 10, incremental;
    split_block_64: SplitBlock<64>, SplitParams { blocks: 1 } => 10, incremental;
}
