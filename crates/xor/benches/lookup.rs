//! Nanoseconds a key for building, hits, misses and batches, from the second cache to beyond it.
//!
//! Groups are `<filter>/<what>` with the number of keys: `build` from digests, `hit` and `miss` one lookup after the other,
//! `batch` answers into a slice. What is asked is a sample of the whole array, in no order.
use std::hint::black_box;

use amq::{Digest, StaticFilter, Theory};
use conformance::keys::digests;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use xor::{FuseFilter, XorFilter};

/// Keys asked for in one round.
const ROUND: u64 = 1 << 16;

fn lookup<F: StaticFilter + Theory>(bench: &mut Criterion, name: &str) {
    for keys in [100_000, 1_000_000, 10_000_000] {
        let Ok(params) = F::size_for_fpr(keys, 0.01) else { panic!("{name}: {keys} keys cannot be planned for") };
        let members = digests(1, 0..keys);
        let build = || F::build(&params, 1, black_box(&members)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let filter = build();
        let id = BenchmarkId::from_parameter(keys);

        let mut group = bench.benchmark_group(format!("{name}/build"));
        group.throughput(Throughput::Elements(keys)).sample_size(if keys < 10_000_000 { 20 } else { 10 });
        group.bench_function(id.clone(), |timer| timer.iter(build));
        group.finish();

        let hits: Vec<Digest> =
            members.iter().copied().step_by((keys / ROUND).max(1) as usize).take(ROUND as usize).collect();
        let misses = digests(2, 0..ROUND);
        for (what, asked) in [("hit", &hits), ("miss", &misses)] {
            let mut group = bench.benchmark_group(format!("{name}/{what}"));
            group.throughput(Throughput::Elements(asked.len() as u64));
            group.bench_function(id.clone(), |timer| {
                timer.iter(|| black_box(asked).iter().map(|key| u64::from(filter.contains(*key))).sum::<u64>())
            });
            group.finish();
        }

        let mut answers = vec![false; hits.len()];
        let mut group = bench.benchmark_group(format!("{name}/batch"));
        group.throughput(Throughput::Elements(hits.len() as u64));
        group.bench_function(id.clone(), |timer| {
            timer.iter(|| {
                filter.contains_batch(black_box(&hits), black_box(&mut answers));
                black_box(&answers);
            })
        });
        group.finish();
    }
}

fn all(bench: &mut Criterion) {
    lookup::<XorFilter<8>>(bench, "xor-8");
    lookup::<FuseFilter<3, 8>>(bench, "fuse-8");
    lookup::<FuseFilter<4, 8>>(bench, "fuse4-8");
    lookup::<FuseFilter<3, 12>>(bench, "fuse-12");
}

criterion_group!(benches, all);
criterion_main!(benches);
