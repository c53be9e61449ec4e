//! The laws of `amq`, held by blocks of both sizes and lanes of both widths.
use blocked::{BlockedBloom, Params, SplitBlock, SplitParams};

macro_rules! held { ($($name:ident: $filter:ty, [$($params:expr => $keys:expr),+];)+) => { $(mod $name { use super::*;
    conformance::suite! { filter: $filter, cases: [$($params => $keys),+],
        capabilities: [incremental, no_false_negatives, union, saved, theory] }
})+ } }

held! {
    words: BlockedBloom<64>, [Params { blocks: 150, k: 4 } => 1000, Params { blocks: 8, k: 2 } => 60];
    lines: BlockedBloom<512>, [Params { blocks: 19, k: 7 } => 1000, Params { blocks: 1, k: 3 } => 60];
    narrow: SplitBlock<32>, [SplitParams { blocks: 40 } => 1000, SplitParams { blocks: 7 } => 150];
    wide: SplitBlock<64>, [SplitParams { blocks: 20 } => 1000, SplitParams { blocks: 1 } => 60];
}
