//! The rate at many points: three numbers of keys, three decades of rate, k from 1 to 10, four widths.
use conformance::{Case, laws::rate};
use counting::{CountingBloom, Params};

/// Counters for each key, and probes; rates from 0.4 to 2e-4.
const POINTS: [(f64, u32); 11] = [
    (2.0, 1),
    (4.0, 2),
    (4.0, 3),
    (6.0, 4),
    (8.0, 3),
    (8.0, 6),
    (10.0, 7),
    (12.0, 5),
    (12.0, 8),
    (14.0, 10),
    (17.0, 10),
];

/// Null, statistic, alpha and effect as for [`rate::rate_follows_theory`].
fn rates<const W: u32>(keys: u64) {
    for (counters, k) in POINTS {
        let case = Case::<CountingBloom<W>>::incremental(Params { m: (counters * keys as f64) as u64 + 1, k }, keys);
        rate::rate_follows_theory(&case).unwrap_or_else(|violation| panic!("{case:?}, {W} bits: {violation}"));
    }
}

#[test]
fn a_hundred_keys() {
    rates::<2>(100);
}

#[test]
fn a_thousand_keys() {
    rates::<4>(1000);
}

#[test]
fn ten_thousand_keys() {
    rates::<8>(10_000);
}
