//! Nanoseconds a key for inserts, hits and misses.
use criterion::{Criterion, criterion_group, criterion_main};

#[path = "../../conformance/benches/lookup/mod.rs"]
mod lookup;

fn all(bench: &mut Criterion) {
    lookup::lookup::<compressed::CompressedBloom>(bench, "compressed");
}

criterion_group!(benches, all);
criterion_main!(benches);
