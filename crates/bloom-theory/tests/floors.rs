//! The floors against simulation: every scheme with every reduction.
//!
//! `BLOOMERY_LONG=1 cargo test --release -p amq-bloom-theory --test floors -- --nocapture` measures all cells, most to
//! about 4 %, in about an hour, and prints a table; without it the small filters are measured with few probes.
//! `BLOOMERY_RANGE=256,1428` chooses cases by their ranges.
//!
//! Null: the rate lies within the floor's own relative error of the prediction. Statistic: the distance from that
//! interval in standard errors, from the variance between filters. A cell fails at 5.5 (alpha = 4e-8).

use amq::Digest;
use bloom_theory::floors::{self, Floor};
use bloom_theory::fpr;
use hashing::mix::mix64;
use hashing::{Derivation, DerivationVisitor, REDUCTIONS, SCHEMES, SeedWords, with_derivation};

#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Shared,
    Slices,
}

#[derive(Clone, Copy)]
struct Case {
    layout: Layout,
    /// Bits of the array, or of one slice.
    range: u64,
    k: u32,
    keys: u64,
    queries: u64,
}

struct Measured {
    rate: f64,
    error: f64,
    trials: u64,
}

struct Simulate {
    case: Case,
    hits: u64,
    trials: u64,
}

impl DerivationVisitor for Simulate {
    type Out = Measured;
    fn visit<D: Derivation>(self) -> Measured {
        let Case { layout, range, k, keys, queries } = self.case;
        let stride = if layout == Layout::Slices { range } else { 0 };
        let bits = range + stride * u64::from(k - 1);
        let (mut hits, mut squares, mut filters, mut next) = (0u64, 0f64, 0u64, 0u64);
        while hits < self.hits && filters * queries < self.trials || filters < 200 {
            let seed = SeedWords::new(filters);
            let mut digest = || {
                next += 1;
                Digest(mix64(next))
            };
            let mut words = vec![0u64; bits.div_ceil(64) as usize];
            for _ in 0..keys {
                let mut base = 0;
                for position in D::positions(digest(), &seed, range).take(k as usize) {
                    let bit = base + position;
                    words[(bit / 64) as usize] |= 1 << (bit % 64);
                    base += stride;
                }
            }
            let mut found = 0;
            for _ in 0..queries {
                let mut base = 0;
                found += u64::from(D::positions(digest(), &seed, range).take(k as usize).all(|position| {
                    let bit = base + position;
                    base += stride;
                    words[(bit / 64) as usize] >> (bit % 64) & 1 == 1
                }));
            }
            hits += found;
            squares += (found as f64).powi(2);
            filters += 1;
        }
        let (t, q) = (filters as f64, queries as f64);
        let mean = hits as f64 / t;
        let variance = ((squares - t * mean * mean) / (t - 1.0)).max(mean);
        Measured { rate: mean / q, error: (variance / t).sqrt() / q, trials: filters * queries }
    }
}

/// The rate of independent positions, and what is added.
fn predicted(case: Case, scheme: &str, reduction: &str) -> (f64, Floor) {
    let Case { layout, range, k, keys, .. } = case;
    match layout {
        Layout::Shared => (fpr::fpr_exact(range, k, keys), floors::shared_array(scheme, reduction, range, k, keys)),
        Layout::Slices => (fpr::fill(range, 1, keys).powi(k as i32), floors::slices(scheme, reduction, range, k, keys)),
    }
}

const fn case(layout: Layout, range: u64, k: u32, keys: u64, queries: u64) -> Case {
    Case { layout, range, k, keys, queries }
}

/// Primes, odd ranges, powers of two, ranges with many divisors, small odd parts; hardly and well filled.
const CASES: [Case; 23] = [
    case(Layout::Shared, 64, 23, 1, 200),
    case(Layout::Shared, 100, 7, 10, 500),
    case(Layout::Shared, 240, 12, 10, 500),
    case(Layout::Shared, 256, 12, 10, 2000),
    case(Layout::Shared, 512, 4, 50, 500),
    case(Layout::Shared, 999, 16, 20, 2000),
    case(Layout::Shared, 1000, 8, 100, 1000),
    case(Layout::Shared, 1024, 16, 20, 10_000),
    case(Layout::Shared, 1536, 16, 40, 2000),
    case(Layout::Slices, 21, 12, 10, 2000),
    case(Layout::Slices, 64, 16, 20, 10_000),
    case(Layout::Slices, 96, 12, 20, 1000),
    case(Layout::Slices, 100, 7, 70, 500),
    case(Layout::Slices, 1001, 12, 600, 20_000),
    case(Layout::Slices, 1428, 21, 1000, 100_000),
    case(Layout::Slices, 2048, 21, 1000, 100_000),
    case(Layout::Shared, 1920, 24, 60, 4000),
    case(Layout::Shared, 2310, 14, 100, 4000),
    case(Layout::Shared, 4096, 18, 150, 20_000),
    case(Layout::Shared, 29_988, 21, 1000, 200_000),
    case(Layout::Shared, 29_989, 21, 1000, 200_000),
    case(Layout::Shared, 30_000, 21, 1000, 200_000),
    case(Layout::Shared, 32_768, 21, 1000, 200_000),
];

/// How many standard errors the measured rate is outside of the predicted interval.
fn outside(measured: &Measured, base: f64, floor: Floor) -> f64 {
    let sum = base + floor.rate;
    let (low, high) = match floor.rel {
        Some(rel) => (sum - rel * floor.rate, sum + rel * floor.rate),
        None => (sum, 1.0),
    };
    // With few hits the spread between filters says little: at least the binomial one at the predicted rate.
    let error = |rate: f64| measured.error.max((rate / measured.trials as f64).sqrt());
    if measured.rate > high {
        (measured.rate - high) / error(high)
    } else if measured.rate < low {
        (low - measured.rate) / error(low)
    } else {
        0.0
    }
}

#[test]
fn measured_rates_are_the_predicted_ones() {
    let long = std::env::var_os("BLOOMERY_LONG").is_some();
    let ranges = std::env::var("BLOOMERY_RANGE").ok();
    let chosen = |case: &Case| match &ranges {
        Some(ranges) => ranges.split(',').any(|range| range == case.range.to_string()),
        None => long || case.keys <= 100 && case.range <= 1024,
    };
    let (hits, trials) = if long { (800, 300_000_000) } else { (800, 3_000_000) };
    if long {
        println!(
            "layout range k keys scheme reduction independent floor rel measured error measured/predicted outside"
        );
    }
    let mut failed = Vec::new();
    for case in CASES.into_iter().filter(chosen) {
        let Case { layout, range, k, keys, .. } = case;
        for scheme in SCHEMES {
            for reduction in REDUCTIONS {
                let (base, floor) = predicted(case, scheme, reduction);
                let measured =
                    with_derivation(scheme, reduction, Simulate { case, hits, trials }).expect("a known derivation");
                let outside = outside(&measured, base, floor);
                let layout = if layout == Layout::Shared { "shared" } else { "slices" };
                let row = format!(
                    "{layout} {range} {k} {keys} {scheme} {reduction} {base:.3e} {:.3e} {} {:.3e} {:.1e} {:.3} {outside:.1}",
                    floor.rate,
                    floor.rel.map_or("-".to_owned(), |rel| rel.to_string()),
                    measured.rate,
                    measured.error,
                    measured.rate / (base + floor.rate),
                );
                if long {
                    println!("{row}");
                }
                if outside > 5.5 {
                    failed.push(row);
                }
            }
        }
    }
    assert!(failed.is_empty(), "outside of the prediction:\n{}", failed.join("\n"));
}

/// The exact rate after one key: all words of the query and the key modulo `m`, the query's first word 0. The second
/// words go in steps of `odd + 1` from `odd`.
fn enumerate(m: u64, k: u64, odd: bool, q: impl Fn(u64) -> u64) -> f64 {
    let increments = || (u64::from(odd)..m).step_by(1 + usize::from(odd));
    let positions = |a: u64, b: u64| (0..k).fold(0u128, |set, i| set | 1 << ((a + i * b + q(i)) % m));
    let queries: Vec<u128> = increments().map(|b| positions(0, b)).collect();
    let hits_of = |key: u128| queries.iter().filter(|query| **query & key == **query).count() as u64;
    let hits: u64 = (0..m).flat_map(|a| increments().map(move |b| (a, b))).map(|(a, b)| hits_of(positions(a, b))).sum();
    hits as f64 / (m * queries.len() as u64 * queries.len() as u64) as f64
}

#[test]
fn floors_of_one_key_are_those_of_all_words() {
    for m in [97, 120, 126, 128] {
        for k in [5, 7, 11] {
            for (scheme, exact) in [
                ("double", enumerate(m, k, false, |_| 0)),
                ("double-odd", enumerate(m, k, m % 2 == 0, |_| 0)),
                ("extended", enumerate(m, k, false, |i| i * i)),
                ("enhanced", enumerate(m, k, false, |i| (i * i * i - i) / 6)),
            ] {
                let (base, floor) = predicted(case(Layout::Shared, m, k as u32, 1, 0), scheme, "modulo");
                let rel = floor.rel.expect("more bits than pairs of probes");
                assert!((base + floor.rate - exact).abs() < rel * floor.rate, "{m} {k} {scheme}: {exact} {floor:?}");
            }
        }
    }
}

/// HAND-06: 20 filters, 100,000 absent keys each.
#[test]
fn hand_06_the_formula_and_double_hashing() {
    for (case, independent, double) in [
        (case(Layout::Shared, 256, 12, 10, 100_000), 15.0, 7000.0),
        (case(Layout::Shared, 1024, 16, 20, 100_000), 0.0, 1000.0),
    ] {
        let hits = |(base, floor): (f64, Floor)| 2e6 * (base + floor.rate);
        assert!((hits(predicted(case, "independent", "modulo")) - independent).abs() < 3.0);
        let predicted = hits(predicted(case, "double", "modulo"));
        assert!((predicted / double - 1.0).abs() < 0.2, "{predicted}");
    }
}
