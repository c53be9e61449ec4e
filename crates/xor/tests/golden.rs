//! Fixed seed, fixed bits: what is saved today is read in ten years.
use amq::{Digest, Filter, StaticFilter, Theory};
use hashing::{Family, Hasher};
use xor::{FuseFilter, FuseParams, Layout, Peeled, Segments, Thirds, XorFilter, XorParams};

/// Keys 1..=10, seed 42, fingerprints of 8 bits: the cells, and the keys up to 2,000 that the filter says yes to.
const XOR: [u32; 42] = [
    241, 0, 0, 0, 3, 0, 0, 0, 0, 103, 0, 0, 60, 0, 0, 0, 211, 0, 145, 116, 0, 0, 0, 63, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 66, 0, 0, 0, 0, 89, 0,
];
const XOR_FOUND: [u64; 19] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 54, 123, 196, 560, 939, 1268, 1562, 1936, 1988];
const FUSE: [u32; 48] = [
    133, 0, 200, 0, 0, 194, 0, 0, 0, 0, 44, 0, 0, 0, 239, 0, 0, 0, 0, 116, 0, 0, 0, 0, 0, 0, 0, 211, 0, 0, 0, 0, 75, 0,
    0, 0, 0, 0, 138, 211, 0, 0, 0, 0, 0, 0, 0, 0,
];
const FUSE_FOUND: [u64; 18] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 54, 173, 196, 204, 560, 1030, 1268, 1411];
const FUSE4: [u32; 26] =
    [106, 217, 0, 0, 0, 0, 131, 0, 0, 118, 0, 0, 211, 103, 158, 131, 0, 0, 242, 0, 47, 0, 0, 0, 0, 0];
const FUSE4_FOUND: [u64; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 62, 1146, 1162, 1291, 1818, 1980, 1989];

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

conformance::frozen! {
    xor_8: XorFilter<8>, XorParams { fingerprint_bits: 8 } => 10, static_build;
    xor_9: XorFilter<9>, XorParams { fingerprint_bits: 9 } => 10, static_build;
    xor_16: XorFilter<16>, XorParams { fingerprint_bits: 16 } => 10, static_build;
    xor_32: XorFilter<32>, XorParams { fingerprint_bits: 32 } => 10, static_build;
    fuse_8: FuseFilter<3, 8>, FuseParams { fingerprint_bits: 8, arity: 3, growth: 8 } => 10, static_build;
    fuse_16: FuseFilter<3, 16>, FuseParams { fingerprint_bits: 16, arity: 3, growth: 8 } => 10, static_build;
    fuse4_8: FuseFilter<4, 8>, FuseParams { fingerprint_bits: 8, arity: 4, growth: 8 } => 10, static_build;
    fuse4_16: FuseFilter<4, 16>, FuseParams { fingerprint_bits: 16, arity: 4, growth: 8 } => 10, static_build;
}
