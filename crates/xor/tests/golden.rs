//! Fixed seed, fixed bits: what is saved today is read in ten years.
use amq::{Digest, Filter, StaticFilter, Theory};
use hashing::{Family, Hasher};
use xor::{FuseFilter, Layout, Peeled, XorFilter};

/// Keys 1..=10, seed 42, by the default hash of `u64` of the same seed.
fn digest(key: u64) -> Digest {
    Hasher::new(Family::Mixer, 42).u64(key)
}

/// The cells of the filter, and the keys up to 2,000 that it says yes to.
fn frozen<L: Layout>() -> (Vec<u32>, Vec<u64>) {
    let keys: Vec<Digest> = (1..=10).map(digest).collect();
    let params = <Peeled<L, 8>>::size_for_fpr(10, 0.01).expect("8 bits are enough");
    let filter = <Peeled<L, 8>>::build(&params, 42, &keys).expect("ten keys build");
    let found = (0..=2000).filter(|key| filter.contains(digest(*key))).collect();
    ((0..).map_while(|cell| filter.cell(cell)).collect(), found)
}

#[test]
fn hand_30_xor_is_frozen() {
    let _: XorFilter<8>;
    assert_eq!(frozen::<xor::Thirds>(), (vec![], vec![]));
}

#[test]
fn hand_30_fuse_is_frozen() {
    let _: (FuseFilter<3, 8>, FuseFilter<4, 8>);
    assert_eq!(frozen::<xor::Segments<3>>(), (vec![], vec![]));
    assert_eq!(frozen::<xor::Segments<4>>(), (vec![], vec![]));
}
