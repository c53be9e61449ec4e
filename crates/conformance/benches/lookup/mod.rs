//! Nanoseconds a key for inserts, hits and misses, one by one and in batches, in filters within the caches and one in memory:
//! shared by the benches of the variants.
use std::hint::black_box;

use amq::{Digest, Filter, IncrementalFilter, Theory};
use conformance::keys::digests;
use criterion::{BenchmarkId, Criterion, Throughput};

/// Keys asked for in one round; fresh ones would be hashed within the loop. Their lines are more than the first caches hold.
const ROUND: u64 = 1 << 19;
/// The rate filters are sized for.
const RATE: f64 = 0.01;

/// Benches the type `F` under `name`.
pub fn lookup<F: IncrementalFilter + Theory>(bench: &mut Criterion, name: &str) {
    for keys in [100_000, 1_000_000, 3_000_000, 30_000_000] {
        let Ok(params) = F::size_for_fpr(keys, RATE) else { panic!("{name}: {keys} keys cannot be planned for") };
        let empty = || F::empty(&params, 1).unwrap_or_else(|error| panic!("{name}: {error}"));
        let members = digests(1, 0..keys);
        let mut filter = empty();
        assert_eq!(filter.insert_batch(&members), Ok(()), "{name}: {keys} keys do not fit");
        let id = BenchmarkId::from_parameter(keys);

        let mut group = bench.benchmark_group(format!("{name}/insert"));
        group.throughput(Throughput::Elements(keys));
        group.bench_function(id.clone(), |timer| {
            let mut fresh = empty();
            timer.iter(|| {
                fresh.clear();
                black_box(fresh.insert_batch(black_box(&members)))
            });
        });
        group.finish();

        // Hits are drawn from all over the members, so that no part of the array stays in the first cache.
        let hits: Vec<Digest> =
            members.iter().copied().step_by((keys / ROUND).max(1) as usize).take(ROUND as usize).collect();
        ask(bench, name, &id, &filter, [&hits, &digests(2, 0..ROUND)]);
    }
}

/// Benches members and absent keys, one by one and in batches.
pub fn ask<F: Filter>(bench: &mut Criterion, name: &str, id: &BenchmarkId, filter: &F, asked: [&[Digest]; 2]) {
    for (what, asked) in ["hit", "miss"].into_iter().zip(asked) {
        let mut group = bench.benchmark_group(format!("{name}/{what}"));
        group.throughput(Throughput::Elements(asked.len() as u64));
        group.bench_function(id.clone(), |timer| timer.iter(|| black_box(filter.count_contained(black_box(asked)))));
        group.finish();

        let mut group = bench.benchmark_group(format!("{name}/{what}-batch"));
        group.throughput(Throughput::Elements(asked.len() as u64));
        let mut answers = vec![false; asked.len()];
        group.bench_function(id.clone(), |timer| {
            timer.iter(|| {
                filter.contains_batch(black_box(asked), &mut answers);
                black_box(&answers);
            });
        });
        group.finish();
    }
}
