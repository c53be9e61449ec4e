//! Fixed seed, fixed bits: what is saved today is read in ten years.
use amq::{Digest, Filter, StaticFilter, Theory};
use hashing::{Family, Hasher};
use xor::{Layout, Peeled, Segments, Thirds};

/// Keys 1..=10, seed 42, fingerprints of 8 bits: the cells, and the keys up to 2,000 that the filter says yes to.
const XOR: [u32; 42] = [
    0, 0, 0, 94, 0, 0, 0, 0, 120, 0, 0, 77, 222, 0, 14, 126, 0, 252, 183, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 251, 0, 0, 175, 0, 0,
];
const XOR_FOUND: [u64; 18] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 411, 610, 820, 903, 1342, 1575, 1874, 1984];
const FUSE: [u32; 48] = [
    0, 0, 0, 165, 0, 0, 0, 0, 0, 120, 0, 175, 67, 0, 0, 0, 0, 0, 0, 0, 77, 0, 183, 208, 0, 0, 0, 0, 0, 252, 251, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 174, 0, 0,
];
const FUSE_FOUND: [u64; 19] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 51, 204, 882, 1206, 1342, 1470, 1575, 1787, 1874];
const FUSE4: [u32; 26] =
    [0, 0, 251, 252, 0, 0, 0, 0, 0, 38, 126, 120, 102, 0, 175, 0, 0, 0, 0, 14, 0, 0, 208, 77, 0, 0];
const FUSE4_FOUND: [u64; 19] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 49, 61, 430, 778, 1206, 1536, 1715, 1904, 1984];

/// By the default hash of `u64`, of the same seed.
fn digest(key: u64) -> Digest {
    Hasher::new(Family::Mixer, 42).u64(key)
}

fn frozen<L: Layout>() -> (Vec<u32>, Vec<u64>) {
    let keys: Vec<Digest> = (1..=10).map(digest).collect();
    let params = <Peeled<L, 8>>::size_for_fpr(10, 0.01).expect("8 bits are enough");
    let filter = <Peeled<L, 8>>::build(&params, 42, &keys).expect("ten keys build");
    let found = (0..=2000).filter(|key| filter.contains(digest(*key))).collect();
    ((0..).map_while(|cell| filter.cell(cell)).collect(), found)
}

#[test]
fn hand_30_xor_is_frozen() {
    assert_eq!(frozen::<Thirds>(), (XOR.to_vec(), XOR_FOUND.to_vec()));
}

#[test]
fn hand_30_fuse_is_frozen() {
    assert_eq!(frozen::<Segments<3>>(), (FUSE.to_vec(), FUSE_FOUND.to_vec()));
    assert_eq!(frozen::<Segments<4>>(), (FUSE4.to_vec(), FUSE4_FOUND.to_vec()));
}
