//! The harness with the filters of this workspace, and with published ones where they are compiled in.

use std::process::ExitCode;

/// Counts, so that studies can tell the peak of memory while a filter is built.
#[global_allocator]
static HEAP: bits::heap::Counting = bits::heap::Counting;

fn main() -> ExitCode {
    experiments::run_with(&experiments::Registry::workspace().with_peers())
}
