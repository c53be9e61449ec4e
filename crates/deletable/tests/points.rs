//! The rate at many points: three numbers of keys, three decades of rate, k from 1 to 10, regions of 1 to 100 bits; while
//! nothing is removed.
use conformance::{Case, laws::rate};
use deletable::{DeletableBloom, Params};

/// Bits for each key, probes, and bits of a region; rates from 0.4 to 2e-4.
const POINTS: [(f64, u32, u64); 11] = [
    (2.0, 1, 1),
    (4.0, 2, 2),
    (4.0, 3, 4),
    (6.0, 4, 8),
    (8.0, 3, 16),
    (8.0, 6, 100),
    (10.0, 7, 10),
    (12.0, 5, 3),
    (12.0, 8, 5),
    (14.0, 10, 4),
    (17.0, 10, 1),
];

/// Null, statistic, alpha and effect as for [`rate::rate_follows_theory`].
fn rates(keys: u64) {
    for (bits, k, region) in POINTS {
        let m = (bits * keys as f64) as u64 + 1;
        let case = Case::<DeletableBloom>::incremental(Params { m, k, regions: m.div_ceil(region) }, keys);
        rate::rate_follows_theory(&case).unwrap_or_else(|violation| panic!("{case:?}: {violation}"));
    }
}

#[test]
fn a_hundred_keys() {
    rates(100);
}

#[test]
fn a_thousand_keys() {
    rates(1000);
}

#[test]
fn ten_thousand_keys() {
    rates(10_000);
}
