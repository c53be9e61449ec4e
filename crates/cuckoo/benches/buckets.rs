//! Nanoseconds a key at a load of 95 %, with fingerprints of 8 and 12 bits, in tables within the second cache, at its edge
//! and in memory: filling, hits, misses, both in batches too, removals.
use std::hint::black_box;

use amq::{DeletableFilter, Digest, Filter, IncrementalFilter};
use conformance::keys::digests;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cuckoo::table::Table;
use cuckoo::{Cuckoo, Params};

/// Keys asked for in one round.
const ROUND: usize = 1 << 19;

fn buckets<T: Table>(bench: &mut Criterion, name: &str, fingerprint_bits: u32) {
    for slots in [105_264u64, 1_052_632, 31_578_948] {
        let keys = slots / 100 * 95;
        let params = Params { buckets: slots / 4, fingerprint_bits };
        let Ok(empty) = Cuckoo::<T>::empty(&params, 1) else { panic!("{name}: {params:?} are out of range") };
        let members = digests(1, 0..keys);
        let mut full = empty.clone();
        assert_eq!(full.insert_batch(&members), Ok(()), "{name}: {keys} keys do not fit");
        let step = members.len().div_ceil(ROUND).max(1);
        let hits: Vec<Digest> = members.iter().copied().step_by(step).collect();
        let misses = digests(2, 0..ROUND as u64);

        let mut measure = |what: &str, elements: usize, run: &mut dyn FnMut(&mut criterion::Bencher)| {
            let mut group = bench.benchmark_group(format!("{name}/{what}"));
            group.throughput(Throughput::Elements(elements as u64)).sample_size(10);
            group.bench_function(BenchmarkId::from_parameter(keys), |timer| run(timer));
            group.finish();
        };
        let mut fresh = empty.clone();
        measure("fill", members.len(), &mut |timer| {
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
            let emptied = |mut filter: Cuckoo<T>| {
                black_box(&hits).iter().for_each(|key| {
                    black_box(filter.remove(*key));
                });
                filter
            };
            timer.iter_batched(|| full.clone(), emptied, BatchSize::PerIteration);
        });
    }
}

fn all(bench: &mut Criterion) {
    buckets::<cuckoo::table::Slots<4>>(bench, "cuckoo-8-bit", 8);
    buckets::<cuckoo::table::Slots<4>>(bench, "cuckoo-12-bit", 12);
    buckets::<cuckoo::semisorted::SemiSorted>(bench, "cuckoo-semisorted-8-bit", 8);
}

criterion_group!(benches, all);
criterion_main!(benches);
