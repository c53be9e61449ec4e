//! Studies of the deletable Bloom filter.

mod fraction;
mod removal;

use amq::{Digest, Removal};
use deletable::{DeletableBloom, Params};

pub use fraction::{FRACTION, OVERHEAD, REPEATS};
pub use removal::REMOVAL;

use super::Case;
use crate::error::HarnessError;

fn geometry(case: &Case<'_>) -> Result<Params, HarnessError> {
    case.params::<DeletableBloom>()
}

fn empty(case: &Case<'_>) -> Result<DeletableBloom, HarnessError> {
    amq::IncrementalFilter::empty(&geometry(case)?, case.seed("filter")).map_err(|error| case.unfit(&error.to_string()))
}

/// How many of these members can be removed.
fn removable(filter: &DeletableBloom, members: &[Digest]) -> u64 {
    members.iter().filter(|key| filter.removal(**key) == Removal::Removed).count() as u64
}
