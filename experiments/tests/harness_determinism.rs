//! Equal seeds give equal bytes, on any number of threads and however often the run was stopped.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::{builtin, folder, rows, rows_file, run, small, small_with, smoke};
use experiments::progress::Progress;
use experiments::run::Options;
use experiments::spec::Definition;
use experiments::{HarnessError, Registry, pipeline};

/// Definitions with rows of every model that is not timed.
fn definitions() -> Vec<Definition> {
    let evenness = small_with(&[
        ("[\"standard\"]", "[\"standard\", \"partitioned\"]\nsweep.workload = [\"random\", \"text\"]"),
        (
            "[[panel]]",
            "[[measure]]\nname = \"evenness\"\nmodel = \"uniformity\"\nsweep.family = [\"xxh3\", \"fnv1a\"]\nsweep.keys = 5000\nscale.smoke = { filters = 1, most-probes = 1 }\nscale.quick = { filters = 1, most-probes = 1 }\nscale.full = { filters = 1, most-probes = 1 }\n\n[[panel]]",
        ),
        ("sweep.m = 640\n", "sweep.bits_per_key = 10\n"),
    ]);
    let mut definitions: Vec<Definition> = ["fpr-vs-k", "partitioned-vs-standard", "four-designs"].map(builtin).into();
    definitions.push(Definition::parse("small.toml", &evenness).unwrap());
    definitions
}

/// The raw rows of [`definitions`] at a seed on so many threads.
fn bytes(name: &str, seed: u64, threads: usize) -> Vec<Vec<u8>> {
    let out = folder(name);
    let options = Options { seed, ..smoke(&out) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let one = |definition: Definition| {
        let plan = experiments::run::plan(definition, &Registry::workspace(), &options).unwrap();
        experiments::run::measure(&plan, &options, &Progress::new(), &AtomicBool::new(false)).unwrap();
        std::fs::read(plan.folder.join("rows.csv")).unwrap()
    };
    pool.install(|| definitions().into_iter().map(one).collect())
}

#[test]
fn threads_change_no_byte_and_seeds_change_all() {
    let one = bytes("on-one-thread", 1, 1);
    assert!(one.iter().all(|rows| rows.iter().filter(|byte| **byte == b'\n').count() > 4));
    assert!(one == bytes("on-two-threads", 1, 2), "two threads gave other rows than one");
    assert!(one == bytes("on-seven-threads", 1, 7), "seven threads gave other rows than one");
    for (one, other) in one.iter().zip(bytes("seed-two", 2, 2)) {
        assert!(*one != other, "another seed gave the same rows");
        let counts = |bytes: &[u8]| {
            let mut reader = csv::Reader::from_reader(bytes);
            let all: Vec<experiments::record::Record> = reader.deserialize().collect::<Result<_, _>>().unwrap();
            all.into_iter().map(|row| (row.false_positives, row.bucket_counts_squared)).collect::<Vec<_>>()
        };
        assert!(counts(one) != counts(&other), "another seed gave the same counts");
    }
}

/// Ends the run when the file of rows has grown to `most` lines.
fn stop_at(file: &Path, most: usize, stop: &AtomicBool) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) && !stop.load(Ordering::Relaxed) {
        let lines = std::fs::read(file).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count();
        stop.store(lines > most, Ordering::Relaxed);
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Slow enough to be stopped in the middle: some 600 rows in about a second.
pub fn slow() -> String {
    small_with(&[
        ("sweep.k = [1, 2, 3, 4]", "sweep.k = { from = 1, to = 12, step = 1 }"),
        ("filters = 4, most-probes = 40_000", "filters = 50, most-probes = 10, probes-per-filter = 60_000"),
    ])
}

#[test]
fn a_stopped_run_is_taken_up_where_it_ended() {
    let whole = folder("not-stopped");
    let definition = || vec![Definition::parse("small.toml", &slow()).unwrap()];
    run(definition(), &smoke(&whole)).unwrap();
    let (whole, all) = (std::fs::read(rows_file(&whole, "small")).unwrap(), rows(&whole, "small").len());
    let out = folder("stopped");
    let file = experiments::run::plan(definition().remove(0), &Registry::workspace(), &smoke(&out)).unwrap().folder;
    let file = file.join("rows.csv");
    let mut before = 0;
    for most in [1, all / 4, all / 2] {
        let stop = AtomicBool::new(false);
        let ended = std::thread::scope(|scope| {
            scope.spawn(|| stop_at(&file, most, &stop));
            let ended = pipeline::run(&Registry::workspace(), definition(), &smoke(&out), &stop);
            stop.store(true, Ordering::Relaxed);
            ended
        });
        let error = ended.unwrap_err();
        assert!(matches!(error, HarnessError::Interrupted(_)) && error.exit_code() == 130, "{error}");
        assert!(error.to_string().contains("run the same command again"), "{error}");
        let kept = rows(&out, "small").len();
        assert!(kept >= before.max(most) && kept < all, "{kept} rows of {all} after {before}");
        assert!(!out.join("derived").exists() && !out.join("figures").exists());
        before = kept;
    }
    run(definition(), &smoke(&out)).unwrap();
    assert!(std::fs::read(&file).unwrap() == whole, "other rows than in one go");
}

/// The program running a definition of a test's own.
pub fn start(definition: &Path, out: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_experiments"));
    command.args(["run", "--scale", "smoke", "--out"]).arg(out).arg(definition);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

pub fn write(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("small.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// The file of rows that a run is going to write, once it is there.
pub fn wait_for_rows(out: &Path, lines: usize) -> PathBuf {
    let start = Instant::now();
    loop {
        let runs = std::fs::read_dir(out.join("raw/small")).into_iter().flatten();
        let mut files = runs.map(|run| run.unwrap().path().join("rows.csv"));
        if let Some(file) = files.next() {
            let held = std::fs::read(&file).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count();
            if held > lines {
                return file;
            }
        }
        assert!(start.elapsed() < Duration::from_secs(20), "no rows");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_killed_run_is_taken_up_where_it_ended() {
    let whole = folder("not-killed");
    let definition = write(&whole, &slow());
    assert!(start(&definition, &whole.join("out")).wait().unwrap().success());
    let whole = std::fs::read(rows_file(&whole.join("out"), "small")).unwrap();
    let out = folder("killed").join("out");
    let mut kills = 0;
    for lines in [0, 20, 100, 250, 400] {
        let mut child = start(&definition, &out);
        let file = wait_for_rows(&out, lines);
        child.kill().unwrap();
        kills += usize::from(!child.wait().unwrap().success());
        // Whatever the moment, what is there can be read.
        let text = std::fs::read(&file).unwrap();
        assert!(text.is_empty() || text.starts_with(b"measure,"));
        experiments::record::Record::read_all(&file).unwrap();
    }
    assert!(kills >= 3, "only {kills} runs of 5 were killed in the middle");
    assert!(start(&definition, &out).wait().unwrap().success());
    assert!(std::fs::read(rows_file(&out, "small")).unwrap() == whole, "other rows than in one go");
    let left = std::fs::read_dir(rows_file(&out, "small").parent().unwrap()).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).filter(|name| name != ".lock").collect();
    // Rows, provenance, and the definition they were measured by.
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_second_run_keeps_out_of_the_folder() {
    let here = folder("two-at-once");
    let (definition, out) = (write(&here, &slow()), here.join("out"));
    let mut first = start(&definition, &out);
    let file = wait_for_rows(&out, 1);
    let second = start(&definition, &out).wait_with_output().unwrap();
    let message = String::from_utf8(second.stderr).unwrap();
    let running = first.try_wait().unwrap().is_none();
    assert!(first.wait().unwrap().success());
    assert!(running, "the first run was over too early to tell");
    assert_eq!(second.status.code(), Some(1), "{message}");
    assert!(message.contains("another run is writing here") && message.contains("--out"), "{message}");
    let alone = folder("alone");
    run(vec![Definition::parse("small.toml", &slow()).unwrap()], &smoke(&alone)).unwrap();
    let alone = std::fs::read(rows_file(&alone, "small")).unwrap();
    assert!(std::fs::read(&file).unwrap() == alone, "the second run damaged the rows of the first");
}

#[test]
fn again_measures_anew_and_finds_the_same() {
    let out = folder("again");
    run(vec![small(&[])], &smoke(&out)).unwrap();
    let (file, before) = (rows_file(&out, "small"), rows(&out, "small"));
    let bytes = std::fs::read(&file).unwrap();
    // A row that no run would give shows whether it is measured again.
    let mut changed = before.clone();
    changed[3].false_positives = changed[3].false_positives.map(|count| count + 1);
    experiments::record::Record::write_all(&file, &changed).unwrap();
    run(vec![small(&[])], &smoke(&out)).unwrap();
    assert_eq!(rows(&out, "small"), changed, "a finished run was measured again");
    run(vec![small(&[])], &Options { again: true, ..smoke(&out) }).unwrap();
    assert!(std::fs::read(&file).unwrap() == bytes, "measured anew, with other rows");
}

#[test]
fn more_of_a_definition_is_another_run() {
    let out = folder("more");
    run(vec![small(&[])], &smoke(&out)).unwrap();
    let before = std::fs::read(rows_file(&out, "small")).unwrap();
    run(vec![small(&[("[1, 2, 3, 4]", "[1, 2, 3, 4, 5]")])], &smoke(&out)).unwrap();
    let runs: Vec<_> = std::fs::read_dir(out.join("raw/small")).unwrap().collect();
    assert_eq!(runs.len(), 2, "rows of two definitions in one file");
    let held = runs.into_iter().map(|run| std::fs::read(run.unwrap().path().join("rows.csv")).unwrap());
    assert!(held.into_iter().any(|rows| rows == before), "the first run was touched");
}

#[test]
fn a_folder_that_cannot_be_written_is_one_message() {
    let here = folder("unwritable");
    let (definition, file) = (write(&here, crate::common::SMALL), here.join("file"));
    std::fs::write(&file, "in the way").unwrap();
    for out in [file.clone(), file.join("below")] {
        let ran = start(&definition, &out).wait_with_output().unwrap();
        let message = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{message}");
        assert_eq!(message.matches("error: ").count(), 1, "{message}");
        assert!(message.contains("file") && message.contains("cannot create"), "{message}");
        assert!(!message.contains("panicked"), "{message}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"in the way");
    assert_eq!(std::fs::read_dir(&here).unwrap().count(), 2, "something was left behind");
}
