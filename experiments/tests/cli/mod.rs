//! Runs the program as a user does.
#![allow(dead_code, reason = "every test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that fails is a test that panics")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of the program gave.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs it with these arguments, separated by spaces.
pub fn run(args: &str) -> Ran {
    run_args(&args.split_whitespace().collect::<Vec<_>>())
}

/// The same with arguments as they are.
pub fn run_args(args: &[&str]) -> Ran {
    finish(Command::new(env!("CARGO_BIN_EXE_experiments")).args(args))
}

/// Runs it in a folder.
pub fn run_in(folder: &Path, args: &str) -> Ran {
    finish(Command::new(env!("CARGO_BIN_EXE_experiments")).args(args.split_whitespace()).current_dir(folder))
}

/// Runs it on so many threads.
pub fn run_on(threads: u32, args: &str) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_experiments"));
    finish(command.args(args.split_whitespace()).env("RAYON_NUM_THREADS", threads.to_string()))
}

fn finish(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let ran =
        Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) };
    for sign in ["panicked", "RUST_BACKTRACE"] {
        assert!(!ran.stderr.contains(sign), "{}", ran.stderr);
    }
    ran
}

impl Ran {
    /// The rows of a table in CSV, each from column to cell.
    pub fn rows(&self) -> Vec<BTreeMap<String, String>> {
        assert!(!self.stdout.is_empty(), "no table: {}", self.stderr);
        let mut reader = csv::Reader::from_reader(self.stdout.as_bytes());
        reader.deserialize().collect::<Result<_, _>>().unwrap()
    }

    /// The only row.
    pub fn row(&self) -> BTreeMap<String, String> {
        let mut rows = self.rows();
        assert_eq!(rows.len(), 1, "{}", self.stdout);
        rows.remove(0)
    }

    /// Asserts a refusal: no table, this exit code, and these words in the message.
    pub fn is_refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is missing: {}", self.stderr);
        }
    }
}

/// An empty folder for a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
