//! The laws of `amq`, held by the shared filters when one thread uses them.
mod standard_bloom {
    conformance::suite! {
        filter: atomic::AtomicStandard,
        cases: [standard::Params { m: 9600, k: 7 } => 1000, standard::Params { m: 100, k: 3 } => 20, standard::Params { m: 1, k: 1 } => 1],
        capabilities: [incremental, no_false_negatives],
    }
}
mod lines {
    conformance::suite! {
        filter: atomic::AtomicBlocked<512>,
        cases: [blocked::Params { blocks: 20, k: 7 } => 1000, blocked::Params { blocks: 1, k: 3 } => 100],
        capabilities: [incremental, no_false_negatives],
    }
}
mod words {
    conformance::suite! {
        filter: atomic::AtomicBlocked<64>,
        cases: [blocked::Params { blocks: 150, k: 4 } => 1000, blocked::Params { blocks: 1, k: 1 } => 5],
        capabilities: [incremental, no_false_negatives],
    }
}
mod split {
    conformance::suite! {
        filter: atomic::AtomicSplit<32>,
        cases: [blocked::SplitParams { blocks: 41 } => 1000, blocked::SplitParams { blocks: 1 } => 30],
        capabilities: [incremental, no_false_negatives],
    }
}
mod split_64 {
    conformance::suite! {
        filter: atomic::AtomicSplit<64>,
        cases: [blocked::SplitParams { blocks: 21 } => 1000, blocked::SplitParams { blocks: 1 } => 30],
        capabilities: [incremental, no_false_negatives],
    }
}
