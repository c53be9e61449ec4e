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
        [0x0000_0400_0000_0808, 0x05c9_1200_0400_0490, 0x2501_0810_0581_a202]
    );
    assert_eq!(found(&filter), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
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
        [0x2934_4410_0ac3_8046, 0xc030_6a02_6581_80c0, 0x4959_0060_882d_0091, 0x204c_104a_1182_4270]
    );
    assert_eq!(found(&filter), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
}

#[test]
fn hand_30_wide_lanes_are_frozen() {
    let filter: SplitBlock<64> = frozen(&SplitParams { blocks: 1 });
    assert_eq!(
        filter.lines().words().collect::<Vec<_>>(),
        [
            0x0082_8006_0a41_0040,
            0x1610_0404_2100_0001,
            0x4826_0800_0080_0600,
            0x1010_a050_0200_4003,
            0x0182_0070_1000_4200,
            0x0480_8104_0046_0300,
            0x0006_0808_8206_0042,
            0x2080_812c_0000_0804
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
