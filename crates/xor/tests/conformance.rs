//! The laws of `amq`, held by each layout, in bytes and packed.
use xor::{FuseFilter, FuseParams, XorFilter, XorParams};

macro_rules! held { ($($name:ident: $filter:ty, $params:expr;)+) => { $(mod $name {
    use super::*;
    conformance::suite! {
        filter: $filter, cases: [$params => 1000, $params => 100, $params => 30],
        capabilities: [static_build, no_false_negatives, saved, theory],
    }
})+ } }

held! { xor8: XorFilter<8>, XorParams { fingerprint_bits: 8 }; xor10: XorFilter<10>, XorParams { fingerprint_bits: 10 };
fuse8: FuseFilter<3, 8>, FuseParams { fingerprint_bits: 8, arity: 3, growth: 8 };
fuse4_10: FuseFilter<4, 10>, FuseParams { fingerprint_bits: 10, arity: 4, growth: 8 }; }
