//! The report: its script against the formulas, the page in a browser, gaps in the folder it is made of.

mod browser;
mod gaps;
mod script;

use std::path::PathBuf;

/// The first of these programs that the path has.
#[allow(dead_code, reason = "tests that need none are ignored")]
fn program(names: &[&str]) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    let mut found = found.filter(|file| file.is_file());
    found.next().unwrap_or_else(|| panic!("none of {names:?} is in PATH, though one was when the tests were compiled"))
}
