//! The laws of `amq`, held by counting filters of four widths.
use counting::{CountingBloom, Params};

macro_rules! held {
    ($($width:ident $bits:literal)+) => { $(mod $width { use super::*; conformance::suite! {
        filter: CountingBloom<$bits>,
        cases: [
            Params { m: 9600, k: 7 } => 1000, Params { m: 1021, k: 3 } => 200, Params { m: 64, k: 2 } => 12,
            Params { m: 4096, k: 4 } => 512,
        ],
        capabilities: [incremental, no_false_negatives, union, deletable, saved, theory],
    } })+ };
}
held!(two 2 three 3 four 4 eight 8 sixteen 16);
