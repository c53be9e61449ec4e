//! Nanoseconds a key of filters for 1 % with counters of 4 bits, within the second cache, beyond it and in memory: filling,
//! one by one and in batches, hits and misses, both ways too, removals.
use std::hint::black_box;

use amq::{DeletableFilter, Digest, Filter, IncrementalFilter, Theory};
use conformance::keys::digests;
use counting::CountingBloom;
use criterion::{BatchSize, Bencher, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Keys asked for in one round.
const ROUND: usize = 1 << 19;

fn counters(bench: &mut Criterion) {
    for keys in [100_000u64, 1_000_000, 30_000_000] {
        let Ok(params) = CountingBloom::<4>::size_for_fpr(keys, 0.01) else {
            panic!("{keys} keys cannot be planned for")
        };
        let Ok(empty) = CountingBloom::<4>::empty(&params, 1) else { panic!("{params:?} are out of range") };
        let members = digests(1, 0..keys);
        let mut full = empty.clone();
        assert_eq!(full.insert_batch(&members), Ok(()));
        let hits: Vec<Digest> = members.iter().copied().step_by(members.len().div_ceil(ROUND)).collect();
        let misses = digests(2, 0..ROUND as u64);

        let mut measure = |what: &str, elements: usize, run: &mut dyn FnMut(&mut Bencher)| {
            let mut group = bench.benchmark_group(format!("counting-4-bit/{what}"));
            group.throughput(Throughput::Elements(elements as u64)).sample_size(10);
            group.bench_function(BenchmarkId::from_parameter(keys), |timer| run(timer));
            group.finish();
        };
        let mut fresh = empty.clone();
        measure("fill", members.len(), &mut |timer| {
            timer.iter(|| {
                fresh.clear();
                black_box(&members).iter().for_each(|key| assert_eq!(fresh.insert(*key), Ok(())));
            });
        });
        measure("fill-batch", members.len(), &mut |timer| {
            timer.iter(|| {
                fresh.clear();
                black_box(fresh.insert_batch(black_box(&members)))
            });
        });
        for (what, asked) in [("hit", &hits), ("miss", &misses)] {
            measure(what, asked.len(), &mut |timer| {
                timer.iter(|| black_box(asked).iter().filter(|key| full.contains(**key)).count());
            });
            let mut answers = vec![false; asked.len()];
            measure(&format!("{what}-batch"), asked.len(), &mut |timer| {
                timer.iter(|| {
                    full.contains_batch(black_box(asked), &mut answers);
                    black_box(&answers);
                });
            });
        }
        measure("remove", hits.len(), &mut |timer| {
            let emptied = |mut filter: CountingBloom<4>| {
                black_box(&hits).iter().for_each(|key| {
                    black_box(filter.remove(*key));
                });
                filter
            };
            timer.iter_batched(|| full.clone(), emptied, BatchSize::PerIteration);
        });
    }
}

criterion_group!(benches, counters);
criterion_main!(benches);
