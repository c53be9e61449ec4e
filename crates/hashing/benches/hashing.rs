//! Nanoseconds a key: every hash family at several key lengths, every scheme for seven positions.
use std::hint::black_box;

use amq::Digest;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use hashing::{Derivation, DerivationVisitor, Family, Hasher, KeyKind, Mixer, SCHEMES, SeedWords, with_derivation};

/// Keys in a batch: few enough that the longest (200 bytes) stay in the second-level cache.
const KEYS: u64 = 1024;

fn families(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("u64");
    group.throughput(Throughput::Elements(KEYS));
    let keys: Vec<u64> = (0..KEYS).map(|key| Mixer::new(1).hash(key)).collect();
    let mut digests = Vec::with_capacity(KEYS as usize);
    for family in Family::ALL {
        let hasher = Hasher::new(*family, 42);
        group.bench_function(family.name(), |timer| {
            timer.iter(|| {
                digests.clear();
                hasher.u64_batch(black_box(&keys).iter().copied(), &mut digests);
                black_box(digests.last().copied())
            });
        });
    }
    group.finish();
}

fn bytes(bench: &mut Criterion) {
    for length in [8, 40, 200] {
        let mut group = bench.benchmark_group(format!("bytes-{length}"));
        group.throughput(Throughput::Elements(KEYS));
        let words = Mixer::new(length as u64);
        let keys: Vec<Vec<u8>> = (0..KEYS)
            .map(|key| (0..length as u64).map(|index| words.hash(key << 32 | index) as u8).collect())
            .collect();
        let mut digests = Vec::with_capacity(KEYS as usize);
        for family in Family::ALL.iter().filter(|family| family.takes() == KeyKind::Bytes) {
            let hasher = Hasher::new(*family, 42);
            group.bench_function(family.name(), |timer| {
                timer.iter(|| {
                    digests.clear();
                    let done = hasher.bytes_batch(black_box(&keys), &mut digests);
                    black_box((done, digests.last().copied()))
                });
            });
        }
        group.finish();
    }
}

/// Times the sum of seven positions of every key.
struct Seven<'a, 'b> {
    group: &'a mut BenchmarkGroup<'b, WallTime>,
    digests: &'a [Digest],
    range: u64,
}

impl DerivationVisitor for Seven<'_, '_> {
    type Out = ();
    fn visit<D: Derivation>(self) {
        let seed = SeedWords::new(42);
        self.group.bench_function(D::SCHEME, |timer| {
            timer.iter(|| {
                let range = black_box(self.range);
                let positions = |digest: &Digest| D::positions(*digest, &seed, range).take(7).sum::<u64>();
                black_box(self.digests).iter().map(positions).fold(0, u64::wrapping_add)
            });
        });
    }
}

fn schemes(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("seven-positions/multiply-shift");
    group.throughput(Throughput::Elements(KEYS));
    let digests: Vec<Digest> = (0..KEYS).map(|key| Digest(Mixer::new(1).hash(key))).collect();
    for scheme in SCHEMES {
        let seven = Seven { group: &mut group, digests: &digests, range: 1_000_003 };
        with_derivation(scheme, "multiply-shift", seven).expect("every pair of names is known");
    }
    group.finish();
}

criterion_group!(benches, families, bytes, schemes);
criterion_main!(benches);
