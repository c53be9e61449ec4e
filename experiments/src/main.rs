//! The command line of the harness.
fn main() {}
