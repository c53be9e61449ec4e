//! The tests of the harness from outside, in one program: it is linked once, which takes longer than most of them.
#![allow(clippy::unwrap_used, reason = "a test that fails is a test that panics")]

mod cli;
mod common;
mod figure;
mod toy;
#[allow(dead_code, reason = "a part of it is used")]
#[path = "../../crates/conformance/tests/toys/mod.rs"]
mod toys;

mod cli_bad_input;
mod cli_claims;
mod cli_compare;
mod cli_new;
mod cli_plan;
mod cli_saved;
mod cli_theory;
mod harness_cases;
mod harness_controls;
mod harness_definitions;
mod harness_determinism;
mod harness_diff;
mod harness_faults;
mod harness_features;
mod harness_figures;
#[cfg(unix)]
mod harness_fire;
mod harness_large;
mod harness_shards;
mod harness_studies;
mod harness_workspace;
mod report;
mod studies;
