//! The harness: definitions, runs, verdicts, figures, report.
#![forbid(unsafe_code)]
pub mod figure;
