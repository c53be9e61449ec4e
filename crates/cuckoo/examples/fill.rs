//! The load at which filters first refuse a key, from which the limits of `sizing` were read.
//!
//! ```text
//! cargo run --release -p amq-cuckoo --example fill -- SLOTS FINGERPRINT_BITS BUCKETS FILTERS [xor|semisorted]
//! ```
//! prints mean, smallest and some quantiles of the load at first refusal over filters of seeds 0, 1, 2, ..., then the
//! inserted keys, bits per key, the moves of each key and the rate of the last one.

use amq::{Filter, IncrementalFilter};
use conformance::keys::digest;
use cuckoo::semisorted::SemiSorted;
use cuckoo::table::{Slots, Table};
use cuckoo::{Cuckoo, Pairing, Params, Subtract, Xor};

fn fill<T: Table, P: Pairing>(params: Params, filters: u64) {
    let mut loads = Vec::new();
    let mut last = None;
    for seed in 0..filters {
        let Ok(mut filter) = Cuckoo::<T, P>::empty(&params, seed) else { panic!("{params:?} is out of range") };
        let keys = (0..).map(|index| digest(seed, index));
        let refused = keys.into_iter().find_map(|key| filter.insert(key).err());
        assert_eq!(refused.map(|full| full.inserted), Some(filter.inserted()));
        loads.push(filter.load());
        last = Some(filter);
    }
    loads.sort_by(f64::total_cmp);
    let at = |part: f64| loads[((loads.len() as f64 * part) as usize).min(loads.len() - 1)];
    let mean = loads.iter().sum::<f64>() / loads.len() as f64;
    let Params { buckets, fingerprint_bits } = params;
    print!("b={} f={fingerprint_bits} buckets={buckets} {} filters={filters} mean={mean:.4}", T::SLOTS, P::NAME);
    print!(" min={:.4} 1/10000={:.4} 1/1000={:.4} 1/100={:.4}", at(0.0), at(1e-4), at(1e-3), at(1e-2));
    if let Some(filter) = last {
        let keys = filter.inserted();
        let bits = filter.space().total_bits() as f64 / keys as f64;
        println!(
            " | keys={keys} bits={bits:.4} kicks={:.3} rate={:.6e}",
            filter.kicks() as f64 / keys as f64,
            filter.rate_by_contents()
        );
    }
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| given.get(at).and_then(|text| text.parse::<u64>().ok());
    let (Some(slots), Some(bits), Some(buckets), Some(filters)) = (number(0), number(1), number(2), number(3)) else {
        println!("SLOTS (1, 2, 3, 4, 6, 8, 12 or 16) FINGERPRINT_BITS BUCKETS FILTERS [xor|semisorted]");
        return;
    };
    let params = Params { buckets, fingerprint_bits: bits as u32 };
    fn slots_of<const SLOTS: u32>(params: Params, filters: u64, xor: bool) {
        if xor { fill::<Slots<SLOTS>, Xor>(params, filters) } else { fill::<Slots<SLOTS>, Subtract>(params, filters) }
    }
    let kind = given.get(4).map_or("subtract", String::as_str);
    match (slots, kind) {
        (4, "semisorted") => fill::<SemiSorted, Subtract>(params, filters),
        (1, _) => slots_of::<1>(params, filters, kind == "xor"),
        (2, _) => slots_of::<2>(params, filters, kind == "xor"),
        (3, _) => slots_of::<3>(params, filters, kind == "xor"),
        (4, _) => slots_of::<4>(params, filters, kind == "xor"),
        (6, _) => slots_of::<6>(params, filters, kind == "xor"),
        (8, _) => slots_of::<8>(params, filters, kind == "xor"),
        (12, _) => slots_of::<12>(params, filters, kind == "xor"),
        (16, _) => slots_of::<16>(params, filters, kind == "xor"),
        _ => println!("no such filter"),
    }
}
