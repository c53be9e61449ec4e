//! The harness with the filters of this workspace.

use std::process::ExitCode;

fn main() -> ExitCode {
    experiments::run_with(&experiments::Registry::workspace())
}
