//! Nanoseconds a key for building, hits and misses, in a filter within the cache and one beyond.
use std::hint::black_box;

use amq::{Digest, StaticFilter, Theory};
use conformance::keys::digests;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use xor::{FuseFilter, XorFilter};

/// Keys asked for in one round.
const ROUND: u64 = 1 << 14;

fn lookup<F: StaticFilter + Theory>(bench: &mut Criterion, name: &str) {
    for keys in [100_000, 1_000_000] {
        let Ok(params) = F::size_for_fpr(keys, 0.01) else { panic!("{name}: {keys} keys cannot be planned for") };
        let members = digests(1, 0..keys);
        let build = || F::build(&params, 1, black_box(&members)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let filter = build();
        let id = BenchmarkId::from_parameter(keys);

        let mut group = bench.benchmark_group(format!("{name}/build"));
        group.throughput(Throughput::Elements(keys)).sample_size(20);
        group.bench_function(id.clone(), |timer| timer.iter(build));
        group.finish();

        let hits: Vec<Digest> =
            members.iter().copied().step_by((keys / ROUND).max(1) as usize).take(ROUND as usize).collect();
        for (what, asked) in [("hit", hits), ("miss", digests(2, 0..ROUND))] {
            let mut group = bench.benchmark_group(format!("{name}/{what}"));
            group.throughput(Throughput::Elements(asked.len() as u64));
            group.bench_function(id.clone(), |timer| {
                timer.iter(|| black_box(filter.count_contained(black_box(&asked))))
            });
            group.finish();
        }
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
