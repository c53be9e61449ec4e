//! Nanoseconds a key for inserts, hits and misses.
use amq::{Digest, IncrementalFilter, Theory};
use bits::memory::with_huge_pages;
use conformance::keys::digests;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use hashing::DefaultDerivation;
use standard::StandardBloom;

#[path = "../../conformance/benches/lookup/mod.rs"]
mod lookup;

fn all(bench: &mut Criterion) {
    lookup::lookup::<StandardBloom>(bench, "standard");
    pages(bench);
}

/// Small pages against large ones in one run, in an array of 36 MB.
fn pages(bench: &mut Criterion) {
    let keys = 30_000_000;
    let members = digests(1, 0..keys);
    let make = || {
        let params = StandardBloom::<DefaultDerivation>::size_for_fpr(keys, 0.01).expect("in range");
        let mut filter = StandardBloom::<DefaultDerivation>::empty(&params, 1).expect("there is memory");
        filter.insert_batch(&members).expect("never full");
        filter
    };
    let (small, large) = (make(), with_huge_pages(make));
    let hits: Vec<Digest> = members.iter().copied().step_by(57).collect();
    for (name, filter) in [("small-pages", &small), ("large-pages", &large)] {
        lookup::ask(bench, name, &BenchmarkId::from_parameter(keys), filter, [&hits, &digests(2, 0..1 << 19)]);
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
