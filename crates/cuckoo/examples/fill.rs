//! Load at first refusal.
use amq::*;
use cuckoo::*;
fn run<const B: u32, P: Pairing>(f: u32, m: u64, trials: u64) {
    let params = Params { buckets: m, fingerprint_bits: f };
    let Ok(mut filter) = CuckooFilter::<B, P>::empty(&params, 0) else { return };
    let mut loads: Vec<u64> = Vec::new();
    for t in 0..trials {
        if t > 0 { filter = CuckooFilter::<B, P>::empty(&params, t).unwrap(); }
        let mut i = 0;
        while filter.insert(conformance::keys::digest(t, i)).is_ok() { i += 1 }
        loads.push(i);
    }
    loads.sort();
    let q = |x: f64| loads[((trials as f64 * x) as usize).min(trials as usize - 1)] as f64 / (m as f64 * B as f64);
    let mean = loads.iter().sum::<u64>() as f64 / trials as f64 / (m as f64 * B as f64);
    println!("b {B} {} f {f} M {m} T {trials} mean {mean:.4} min {:.4} q1e-4 {:.4} q1e-3 {:.4} q1e-2 {:.4} q.5 {:.4}", P::NAME, q(0.0), q(1e-4), q(1e-3), q(1e-2), q(0.5));
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    match a[1].as_str() {
        "f" => for f in [2, 3, 4, 5, 6, 8, 10, 12, 16] {
            for m in [1 << 12, 1 << 15, 1 << 18] {
                let t = ((1u64 << 20) / m).max(2);
                run::<4, Subtract>(f, m, t); run::<4, Xor>(f, m, t);
            }
            let m = 1 << 15;
            run::<1, Subtract>(f, m, 20); run::<2, Subtract>(f, m, 20); run::<3, Subtract>(f, m, 20); run::<8, Subtract>(f, m, 20); run::<16, Subtract>(f, m, 20);
            run::<1, Xor>(f, m, 20); run::<2, Xor>(f, m, 20); run::<8, Xor>(f, m, 20);
        },
        "m" => for f in [8, 16] { for m in [1u64, 2, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536] {
            let t = ((1u64 << 24) / m).clamp(200, 40000);
            run::<1, Subtract>(f, m, t); run::<2, Subtract>(f, m, t);run::<3, Subtract>(f, m, t);
            run::<4, Subtract>(f, m, t); run::<8, Subtract>(f, m, t / 2);run::<16, Subtract>(f, m, t / 4);
        } },
        _ => {}
    }
}
