//! Nanoseconds a key for inserts, hits and misses.
use criterion::{Criterion, criterion_group, criterion_main};

#[path = "../../conformance/benches/lookup/mod.rs"]
mod lookup;

fn all(bench: &mut Criterion) {
    lookup::lookup::<blocked::SplitBlock<64>>(bench, "split-block-64");
    lookup::lookup::<blocked::SplitBlock<32>>(bench, "split-block");
    lookup::lookup::<blocked::BlockedBloom<512>>(bench, "blocked");
    lookup::lookup::<blocked::BlockedBloom<64>>(bench, "blocked-64");
}

criterion_group!(benches, all);
criterion_main!(benches);
