//! Studies of the counting Bloom filter.

mod churn;
mod histogram;
mod overflow;
mod removals;

use amq::IncrementalFilter;
use counting::{CountingBloom, Params};

pub use churn::CHURN;
pub use histogram::HISTOGRAM;
pub use overflow::{COUNTERS, FILTERS, MAXIMUM};
pub use removals::WRONG;

use super::Case;
use crate::error::HarnessError;

/// Counters and probes; they do not depend on the width.
fn geometry(case: &Case<'_>) -> Result<Params, HarnessError> {
    case.params::<CountingBloom<16>>()
}

/// An empty filter with counters of `W` bits.
fn empty<const W: u32>(case: &Case<'_>) -> Result<CountingBloom<W>, HarnessError> {
    CountingBloom::empty(&geometry(case)?, case.seed("filter")).map_err(|error| case.unfit(&error.to_string()))
}

/// The width of the contender's counters.
fn width(case: &Case<'_>) -> Result<u32, HarnessError> {
    let width = case.spec().id.strip_prefix("counting-").and_then(|width| width.parse().ok());
    width.ok_or_else(|| case.unfit("a counting filter is needed, such as `counting-4`"))
}

/// Calls a function of the contender's width.
macro_rules! at_width {
    ($case:expr, $call:ident) => {
        match super::width($case)? {
            2 => $call::<2>($case),
            3 => $call::<3>($case),
            4 => $call::<4>($case),
            8 => $call::<8>($case),
            16 => $call::<16>($case),
            other => Err($case.unfit(&format!("no counters of {other} bits are compiled in"))),
        }
    };
}
use at_width;
