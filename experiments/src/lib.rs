//! The harness: definitions, runs, verdicts, figures, report.
#![forbid(unsafe_code)]

/// A line on stderr; nothing happens when nobody reads it.
macro_rules! note {
    ($($part:tt)*) => { $crate::cli::note(&format!($($part)*)) };
}
pub(crate) use note;

pub mod aggregate;
pub mod capabilities;
pub mod claims;
pub mod cli;
pub mod compare;
pub mod controls;
pub mod designs;
pub mod diff;
pub mod differences;
pub mod draw;
pub mod erased;
pub mod error;
pub mod features;
pub mod figure;
pub mod files;
pub mod gaps;
pub mod keep;
pub mod key_file;
pub mod keys;
pub mod manifest;
pub mod merge;
pub mod model;
pub mod numbers;
#[cfg(feature = "peers")]
pub mod peers;
pub mod pipeline;
pub mod plan;
pub mod progress;
pub mod record;
pub mod registry;
pub mod report;
pub mod run;
pub mod sample;
pub mod scaffold;
pub mod seeds;
pub mod shard;
pub mod snippet;
pub mod spec;
pub mod studies;
pub mod table;
pub mod targets;
pub mod verdict;

pub use cli::run_with;
pub use error::HarnessError;
pub use registry::{Contender, Registry, Role};
