//! Fixed seed, fixed cells: what is saved today is read in ten years.
use amq::{Digest, Filter, IncrementalFilter};
use hashing::{DefaultDerivation, Family, Hasher};
use stable::decrement::Decrement;
use stable::{Independent, Params, Run, StableBloom};

/// Keys 1..=60 in 100 cells of 2 bits, k = 3, p = 10, max = 3, seed 42: cell `i` is bits `2i` and `2i + 1`.
const RUN: [u64; 4] = [0xc71ae32c0c0e1140, 0xc12052112823033e, 0x9c8035992f10c420, 0x0000000000000043];
const INDEPENDENT: [u64; 4] = [0xc300d30c0caf202c, 0xc20060d73c33002c, 0xac40378c2f10c8f0, 0x00000000000000a2];
/// The keys up to 200 that the filter of runs says yes to.
const FOUND: &[u64] = &[
    11, 13, 16, 19, 27, 32, 34, 35, 38, 40, 41, 42, 43, 46, 47, 48, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 63, 66,
    69, 71, 72, 74, 78, 92, 124, 129, 132, 153, 157, 166, 185, 188, 190, 195, 196, 199,
];

/// By the default hash of `u64`, of the same seed.
fn digest(key: u64) -> Digest {
    Hasher::new(Family::Mixer, 42).u64(key)
}

fn frozen<C: Decrement>() -> StableBloom<C, DefaultDerivation> {
    let mut filter = StableBloom::empty(&Params::new(100, 3, 10, 3), 42).expect("parameters in range");
    (1..=60).for_each(|key| filter.insert(digest(key)).expect("never full"));
    filter
}

#[test]
fn hand_30_the_cells_are_frozen() {
    assert_eq!(frozen::<Run>().cells().words(), RUN);
    assert_eq!(frozen::<Independent>().cells().words(), INDEPENDENT);
}

#[test]
fn hand_30_the_answers_are_frozen() {
    let filter = frozen::<Run>();
    let found: Vec<u64> = (0..=200).filter(|key| filter.contains(digest(*key))).collect();
    assert_eq!(found, FOUND);
}

conformance::frozen! {
    stable: StableBloom, Params::new(100, 3, 10, 3) => 60, incremental;
    stable_independent: StableBloom<Independent>, Params { fps: Some(0.01), gap: Some(7), ..Params::new(100, 3, 10, 5) } => 60,
        incremental;
}
