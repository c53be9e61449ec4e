//! What the tests of the harness share: the repository, folders of their own, definitions, runs in this process.
#![allow(dead_code, reason = "every test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that fails is a test that panics")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use experiments::pipeline::{self, Derived, Ended};
use experiments::record::Record;
use experiments::run::Options;
use experiments::spec::{Definition, Scale};
use experiments::{HarnessError, Registry};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The text of a file of the repository.
pub fn text(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files of the repository, relative to its root: what git knows or would take, and without git all but the
/// folders that are built.
pub fn files() -> Vec<PathBuf> {
    let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = Command::new("git").args(args).current_dir(root()).output();
    let mut files = match listed {
        Ok(output) if output.status.success() => {
            let names = String::from_utf8(output.stdout).unwrap();
            names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect()
        }
        _ => walk(Path::new("")),
    };
    files.retain(|file| root().join(file).is_file());
    files.sort();
    assert!(files.len() > 100, "{} files in {}", files.len(), root().display());
    files
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let skipped = |path: &Path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("target") || name == ".git" || path == Path::new("results/local")
    };
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| folder.join(entry.unwrap().file_name()));
    let inside = |path: PathBuf| if root().join(&path).is_dir() { walk(&path) } else { vec![path] };
    paths.filter(|path| !skipped(path)).flat_map(inside).collect()
}

/// The files of the repository that end so.
pub fn files_with(extension: &str) -> Vec<PathBuf> {
    files().into_iter().filter(|file| file.extension().is_some_and(|ending| ending == extension)).collect()
}

/// An empty folder for a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The definition of an id that comes with the harness.
pub fn builtin(id: &str) -> Definition {
    Definition::builtin().unwrap().into_iter().find(|definition| definition.id == id).unwrap()
}

/// Smoke scale, seed 1, into `out`.
pub fn smoke(out: &Path) -> Options {
    Options { scale: Scale::Smoke, seed: 1, out: out.to_owned(), again: false, contenders: None, shard: None }
}

/// Runs definitions as the command does, with the contenders of the workspace.
pub fn run(definitions: Vec<Definition>, options: &Options) -> Result<Vec<Derived>, HarnessError> {
    pipeline::run(&Registry::workspace(), definitions, options, &AtomicBool::new(false)).and_then(Ended::lawful)
}

/// Holds derived data and figures against the raw rows, as the command does.
pub fn check(registry: &Registry, definitions: Vec<Definition>, out: &Path) -> Result<usize, HarnessError> {
    pipeline::check(&pipeline::load(registry, definitions, out)?, out)
}

/// The file of raw rows of the only run of a definition.
pub fn rows_file(out: &Path, id: &str) -> PathBuf {
    let runs: Vec<_> = std::fs::read_dir(out.join("raw").join(id)).unwrap().map(|run| run.unwrap().path()).collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs[0].join("rows.csv")
}

/// Its rows.
pub fn rows(out: &Path, id: &str) -> Vec<Record> {
    Record::read_all(&rows_file(out, id)).unwrap()
}

/// The cells of a column of derived data.
pub fn column(derived: &Derived, name: &str) -> Vec<String> {
    derived.table.rows.iter().map(|row| derived.table.cell(row, name).to_owned()).collect()
}

/// A definition of four points that takes a moment.
pub const SMALL: &str = r#"id = "small"
title = "A small one"
question = "Does it run?"
reading = "It does."

[[measure]]
name = "main"
model = "rate"
contenders = ["standard"]
sweep.m = 640
sweep.k = [1, 2, 3, 4]
sweep.keys = 64
scale.smoke = { filters = 4, most-probes = 40_000 }
scale.quick = { filters = 5, most-probes = 50_000 }
scale.full = { filters = 6, most-probes = 60_000 }

[[panel]]
measure = "main"
x = "k"
x-axis = { label = "probes" }
y = "fpr"
y-axis = { label = "rate", scale = "log" }
series = ["contender"]
"#;

/// [`SMALL`] with each `from` replaced by its `to`, once.
pub fn small_with(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(SMALL.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

/// The same, parsed.
pub fn small(changes: &[(&str, &str)]) -> Definition {
    Definition::parse("small.toml", &small_with(changes)).unwrap()
}
