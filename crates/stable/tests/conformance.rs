//! The laws of `amq`, held by the stable filter: all but the one that members are found.
use stable::{Params, StableBloom};

conformance::suite! {
    filter: StableBloom,
    cases: [
        Params::new(4096, 3, 10, 1) => 1000, Params::new(1000, 2, 7, 3) => 2000, Params::new(64, 1, 1, 1) => 30,
        Params::new(4001, 4, 30, 7) => 1500, Params::new(300, 3, 9, 2) => 900, Params::new(128, 6, 20, 3) => 100,
    ],
    capabilities: [incremental, decaying, saved, theory],
}
