//! Fixed seed, fixed bits: what is saved today is read in ten years.
use amq::{Digest, Filter, IncrementalFilter};
use cuckoo::table::Table;
use cuckoo::{CuckooFilter, Params, SemiSortedCuckoo, Xor};
use hashing::{Family, Hasher};

/// Keys 1..=36 in 11 buckets (xor: 58 in 16) of 4 slots with 8 bits, seed 42 (HAND-30): the words of the table.
const PLAIN: &[u64] = &[
    0x0000_e06a_0000_007e,
    0x0019_92fb_dff8_8c98,
    0x0000_ad0c_b536_2b49,
    0x0f31_965e_3b7f_2503,
    0x8cb8_1672_f1b5_fa41,
    0x0000_0000_6367_ce8b,
];
const SEMI_SORTED: &[u64] = &[
    0x0c6e_002c_b700_094c,
    0x74b4_f1f9_4b4d_a80e,
    0x3b24_3500_0055_5249,
    0xafbf_42f0_7593_e3a3,
    0x000c_866a_8908_b1d8,
];
const XOR: &[u64] = &[
    0x166b_ffe0_0000_307e,
    0xf1f8_b5df_8ce0_986a,
    0x1963_3692_0000_dffb,
    0x7cc3_b572_aa0f_2b49,
    0xfa75_3b03_0c2a_ad8b,
    0x5e60_c825_003d_de31,
    0x002f_a874_7f0c_6341,
    0x9767_8cce_9681_b824,
];
/// The keys from 37 to 100 that the plain filter says yes to.
const FOUND: &[u64] = &[38, 43, 51];

fn frozen<F: IncrementalFilter<Params = Params>>(buckets: u64, keys: u64) -> F {
    let mut filter = F::empty(&Params { buckets, fingerprint_bits: 8 }, 42).expect("parameters in range");
    (1..=keys).for_each(|key| filter.insert(digest(key)).expect("room for all"));
    filter
}

/// By the default hash of `u64`, of the same seed.
fn digest(key: u64) -> Digest {
    Hasher::new(Family::Mixer, 42).u64(key)
}

#[test]
fn hand_30_the_words_are_frozen() {
    let plain: CuckooFilter = frozen(11, 36);
    assert_eq!(plain.table().bits().words(), PLAIN);
    assert!(plain.kicks() > 0, "moves are part of what is frozen");
    assert_eq!(frozen::<SemiSortedCuckoo>(11, 36).table().bits().words(), SEMI_SORTED);
    assert_eq!(frozen::<CuckooFilter<4, Xor>>(16, 58).table().bits().words(), XOR);
}

#[test]
fn hand_30_the_answers_are_frozen() {
    let filter: CuckooFilter = frozen(11, 36);
    let found: Vec<u64> = (37..=100).filter(|key| filter.contains(digest(*key))).collect();
    assert_eq!(found, FOUND);
    assert!((1..=36).all(|key| filter.contains(digest(key))));
}

conformance::frozen! {
    cuckoo_1: CuckooFilter<1>, Params { buckets: 61, fingerprint_bits: 12 } => 10, incremental;
    cuckoo_2: CuckooFilter<2>, Params { buckets: 21, fingerprint_bits: 9 } => 30, incremental;
    cuckoo: CuckooFilter, Params { buckets: 11, fingerprint_bits: 8 } => 36, incremental;
    cuckoo_8: CuckooFilter<8>, Params { buckets: 5, fingerprint_bits: 11 } => 36, incremental;
    cuckoo_pow2: CuckooFilter<4, Xor>, Params { buckets: 16, fingerprint_bits: 8 } => 58, incremental;
    cuckoo_semisorted: SemiSortedCuckoo, Params { buckets: 11, fingerprint_bits: 8 } => 36, incremental;
}
