//! The harness with the filters of this workspace, and with published ones where they are compiled in.

use std::process::ExitCode;

fn main() -> ExitCode {
    experiments::run_with(&experiments::Registry::workspace().with_peers())
}
