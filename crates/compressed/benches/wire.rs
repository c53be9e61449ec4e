//! Nanoseconds a key to code and to decode, at some rows of Mitzenmacher's tables: a million keys, m/n and k.
use std::hint::black_box;

use amq::{Encode, IncrementalFilter};
use compressed::{CompressedBloom, Params};
use conformance::keys::digests;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const KEYS: u64 = 1_000_000;

fn all(bench: &mut Criterion) {
    for (c, k) in [(8, 6), (14, 2), (92, 1), (48, 3)] {
        let params = Params { m: c * KEYS, k };
        let mut filter = CompressedBloom::empty(&params, 1).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(filter.insert_batch(&digests(1, 0..KEYS)), Ok(()));
        let bytes = filter.encode();
        let mut group = bench.benchmark_group("compressed/wire");
        group.throughput(Throughput::Elements(KEYS)).sample_size(20);
        let row = format!("{c},{k}");
        group.bench_function(BenchmarkId::new("encode", &row), |timer| timer.iter(|| black_box(filter.encode())));
        group.bench_function(BenchmarkId::new("decode", &row), |timer| {
            timer.iter(|| CompressedBloom::decode(black_box(&bytes), u64::MAX));
        });
        group.finish();
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
