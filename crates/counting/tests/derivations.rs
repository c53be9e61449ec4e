//! The laws of prediction for every derivation: what it claims is what it keeps.
use counting::{CountingBloom, Params};

// Known not to keep its claim: worm hashing in small even ranges, where positions 0 and 1 agree for two keys in `m + 1` instead
// of one in `m`, is taken for faithful. It shows given the contents, by 5 % at m = 64.
conformance::derivations! {
    filter<D>: CountingBloom<4, D>,
    cases: [Params { m: 9600, k: 7 } => 1000, Params { m: 1021, k: 5 } => 150, Params { m: 64, k: 3 } => 10],
    known: ["worm/multiply-shift 10 keys in Params { m: 64, k: 3 }: contents"],
}
