//! The harness: definitions, runs, verdicts, figures, report.
#![forbid(unsafe_code)]

pub mod controls;
pub mod erased;
pub mod error;
pub mod figure;
pub mod key_file;
pub mod keys;
pub mod registry;
pub mod verdict;

pub use error::HarnessError;
pub use registry::{Contender, Registry, Role};
