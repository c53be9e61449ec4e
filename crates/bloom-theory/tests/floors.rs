//! The floors against simulation: every scheme with every reduction.
//!
//! `BLOOMERY_LONG=1 cargo test --release -p amq-bloom-theory --test floors -- --nocapture` measures all cells to
//! about 5 % and prints the table; without it a few cells are measured. `BLOOMERY_CASE` and
//! `BLOOMERY_SCHEME` choose cells, `BLOOMERY_HITS` sets the number of hits that end a cell.

use amq::Digest;
use bloom_theory::{floors, fpr};
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
        while hits < self.hits && filters * queries < self.trials || filters < 20 {
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

fn predicted(case: Case, scheme: &str, reduction: &str) -> (f64, floors::Floor) {
    let Case { layout, range, k, keys, .. } = case;
    match layout {
        Layout::Shared => (fpr::fpr_exact(range, k, keys), floors::shared_array(scheme, reduction, range, k, keys)),
        Layout::Slices => (fpr::fill(range, 1, keys).powi(k as i32), floors::slices(scheme, reduction, range, k, keys)),
    }
}

const fn case(layout: Layout, range: u64, k: u32, keys: u64, queries: u64) -> Case {
    Case { layout, range, k, keys, queries }
}

const CASES: [Case; 13] = [
    case(Layout::Shared, 256, 12, 10, 2_000),
    case(Layout::Shared, 1024, 16, 20, 10_000),
    case(Layout::Shared, 4096, 18, 150, 50_000),
    case(Layout::Shared, 29_989, 21, 1000, 200_000),
    case(Layout::Shared, 29_988, 21, 1000, 200_000),
    case(Layout::Shared, 30_000, 21, 1000, 200_000),
    case(Layout::Shared, 32_768, 21, 1000, 200_000),
    case(Layout::Slices, 21, 12, 10, 2_000),
    case(Layout::Slices, 64, 16, 20, 10_000),
    case(Layout::Slices, 1428, 21, 1000, 200_000),
    case(Layout::Slices, 1427, 21, 1000, 200_000),
    case(Layout::Slices, 2048, 21, 1000, 200_000),
    case(Layout::Shared, 1000, 8, 100, 10_000),
];

#[test]
fn measured_rates_are_the_predicted_ones() {
    let var = |name: &str| std::env::var(name).ok();
    let long = var("BLOOMERY_LONG").is_some();
    let number = |name: &str, default: u64| var(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let hits = number("BLOOMERY_HITS", 600);
    for case in CASES {
        let Case { layout, range, k, keys, .. } = case;
        if !long || var("BLOOMERY_CASE").is_some_and(|text| !text.split(',').any(|t| t == range.to_string())) {
            continue;
        }
        for scheme in SCHEMES {
            for reduction in REDUCTIONS {
                if var("BLOOMERY_SCHEME").is_some_and(|text| !text.split(',').any(|t| t == *scheme)) {
                    continue;
                }
                let (base, floor) = predicted(case, scheme, reduction);
                let sum = base + floor.rate;
                let trials = number("BLOOMERY_TRIALS", 1_000_000_000);
                let measured =
                    with_derivation(scheme, reduction, Simulate { case, hits, trials }).expect("a known derivation");
                let name = if layout == Layout::Shared { "shared" } else { "slices" };
                println!(
                    "{name},{range},{k},{keys},{scheme},{reduction},{base:.3e},{:.3e},{:.3e},{:.1e},{:.3},{:.3},{}",
                    floor.rate,
                    measured.rate,
                    measured.error,
                    measured.rate / sum,
                    measured.error / sum,
                    measured.trials,
                );
            }
        }
    }
}
