//! Nanoseconds a key for inserts, hits and misses.
use criterion::{Criterion, criterion_group, criterion_main};

#[path = "../../conformance/benches/lookup/mod.rs"]
mod lookup;

fn all(bench: &mut Criterion) {
    lookup::lookup::<cuckoo::CuckooFilter>(bench, "cuckoo");
    lookup::lookup::<cuckoo::CuckooFilter<8>>(bench, "cuckoo-8");
    lookup::lookup::<cuckoo::SemiSortedCuckoo>(bench, "cuckoo-semisorted");
}

criterion_group!(benches, all);
criterion_main!(benches);
