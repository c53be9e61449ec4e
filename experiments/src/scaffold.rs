//! `new NAME`: the skeleton of a variant crate.

use std::path::Path;

use crate::error::HarnessError;

/// Writes the skeleton.
///
/// # Errors
/// Always, for now.
pub fn new_variant(_here: &Path, _name: &str) -> Result<Vec<String>, HarnessError> {
    Err(HarnessError::Failed("not built yet".to_owned()))
}
