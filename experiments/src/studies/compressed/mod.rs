//! Studies of the compressed Bloom filter: what the wire costs beside the entropy, and what an update costs.

mod delta;
mod wire;

pub use delta::DELTA;
pub use wire::{SIZE, WIRE};

use amq::{Digest, IncrementalFilter};
use compressed::CompressedBloom;

use super::Case;
use crate::error::HarnessError;

/// The filter of these keys; all of a repetition have one seed, so that they can be compared.
fn filled(case: &Case<'_>, keys: &[Digest]) -> Result<CompressedBloom, HarnessError> {
    let params = case.params::<CompressedBloom>()?;
    let mut filter =
        CompressedBloom::empty(&params, case.seed("filter")).map_err(|error| case.unfit(&error.to_string()))?;
    filter.insert_batch(keys).map_err(|error| case.unfit(&error.to_string()))?;
    Ok(filter)
}
