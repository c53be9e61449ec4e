//! The harness under fire: killed, interrupted, without room, without rights, beside another run, with a clock that jumps.
//! Afterwards every whole row is there, no half row is read as a whole one, and the run goes on to the counts of one that
//! nothing happened to.

use std::collections::HashMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{SMALL, check, folder, rows, rows_file, run, small, smoke};
use crate::harness_determinism::{slow, start, wait_for_rows, write};
use experiments::record::Record;
use experiments::run::Options;
use experiments::spec::Scale;
use experiments::{Registry, pipeline};

/// A run in one go: its file of rows and how long it took.
fn in_one_go(name: &str, text: &str) -> (PathBuf, Vec<u8>, Duration) {
    let here = folder(name);
    let definition = write(&here, text);
    let began = Instant::now();
    assert!(start(&definition, &here.join("out")).wait().unwrap().success());
    (definition, std::fs::read(rows_file(&here.join("out"), "small")).unwrap(), began.elapsed())
}

/// Sends a signal by the command for it: there is no safe call.
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
    // A child that is over already takes none.
    let _ = sent;
}

/// What is there of a run can be read, and each row of it is one of the whole run.
fn part_of(whole: &[u8], file: &Path) -> usize {
    let held = Record::read_all(file).unwrap();
    let mut reader = csv::Reader::from_reader(whole);
    let all: Vec<Record> = reader.deserialize().collect::<Result<_, _>>().unwrap();
    let all: HashMap<(&str, u64), &Record> = all.iter().map(|row| ((row.point.as_str(), row.row), row)).collect();
    for row in &held {
        assert!(all[&(row.point.as_str(), row.row)] == row, "a row that no run gives: {row:?}");
    }
    held.len()
}

/// The finished run is the same as in one go, and says so.
fn is_whole(whole: &[u8], out: &Path) {
    let file = rows_file(out, "small");
    assert!(std::fs::read(&file).unwrap() == whole, "other rows than in one go");
    let manifest = experiments::manifest::Manifest::read(file.parent().unwrap()).unwrap();
    assert!(manifest.complete && manifest.rows == Record::read_all(&file).unwrap().len() as u64);
    let mut left: Vec<_> =
        std::fs::read_dir(file.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".lock", "definition.toml", "rows.csv", "run.toml"]);
}

/// A small generator, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most.max(1)
    }
}

/// What the interruptions met.
#[derive(Debug, Default)]
struct Met {
    before_the_first_row: u32,
    between_rows: u32,
    after_the_last_row: u32,
    finished: u32,
    torn: u32,
}

/// Until the rows of `out` have so many bytes, or the child has ended.
fn wait_for_bytes(child: &mut Child, out: &Path, bytes: u64) {
    let length = || {
        let runs = std::fs::read_dir(out.join("raw/small")).into_iter().flatten();
        let lengths = runs.filter_map(|run| std::fs::metadata(run.ok()?.path().join("rows.csv")).ok());
        lengths.map(|rows| rows.len()).max().unwrap_or(0)
    };
    while length() < bytes && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// So many runs of about a second, each ended once to three times at a random moment, by SIGKILL or one in four by Ctrl-C,
/// and then let go on.
fn interrupted_and_resumed(name: &str, runs: u64, seed: u64) -> Met {
    let (definition, whole, took) = in_one_go(&format!("{name}-whole"), &slow());
    let all = whole.iter().filter(|byte| **byte == b'\n').count() - 1;
    let mut met = Met::default();
    let mut random = Random(seed);
    for number in 0..runs {
        let out = folder(&format!("{name}-out"));
        for _ in 0..=random.below(3) {
            let mut child = start(&definition, &out);
            // A moment of time, or one of what is written: the time a run takes is another when the machine is busy.
            let (time, bytes) = (random.below(took.as_micros() as u64), random.below(whole.len() as u64));
            if random.below(2) == 0 {
                std::thread::sleep(Duration::from_micros(time));
            } else {
                wait_for_bytes(&mut child, &out, bytes);
            }
            let interrupted = random.below(4) == 0;
            signal(&child, if interrupted { "-INT" } else { "-KILL" });
            let ended = child.wait().unwrap();
            // Before the handler is there Ctrl-C ends the program as any other.
            let right =
                ended.success() || ended.signal() == Some(9) || ended.signal() == Some(2) || ended.code() == Some(130);
            assert!(right, "run {number} of seed {seed} ended with {ended:?}");
            let runs = std::fs::read_dir(out.join("raw/small")).into_iter().flatten();
            let files: Vec<PathBuf> = runs.map(|run| run.unwrap().path().join("rows.csv")).collect();
            let file = files.first().filter(|file| file.exists());
            let kept = file.map_or(0, |file| part_of(&whole, file));
            met.torn += u32::from(file.is_some_and(|file| !std::fs::read(file).unwrap().ends_with(b"\n")));
            *match kept {
                _ if ended.success() => &mut met.finished,
                0 => &mut met.before_the_first_row,
                kept if kept < all => &mut met.between_rows,
                _ => &mut met.after_the_last_row,
            } += 1;
        }
        let output = start(&definition, &out).wait_with_output().unwrap();
        assert!(output.status.success(), "run {number} of seed {seed}: {}", String::from_utf8_lossy(&output.stderr));
        is_whole(&whole, &out);
    }
    met
}

#[test]
fn twenty_interrupted_runs_end_with_the_counts_of_one_in_one_go() {
    let met = interrupted_and_resumed("twenty", 20, 1);
    assert!(met.between_rows >= 5, "hardly any were ended in the middle: {met:?}");
}

/// docs/RELIABILITY.md has the command and what was seen.
#[test]
#[ignore = "takes half an hour: cargo test -p experiments --test all -- --ignored --nocapture interrupted_in_earnest"]
fn a_thousand_interrupted_in_earnest() {
    let runs = std::env::var("BLOOMERY_INTERRUPTED").map_or(1000, |runs| runs.parse().unwrap());
    let seed = std::env::var("BLOOMERY_SEED").map_or(7, |seed| seed.parse().unwrap());
    let met = interrupted_and_resumed(&format!("earnest-{seed}"), runs, seed);
    println!("{runs} runs, seed {seed}: {met:?}");
}

/// Killed between its last row and its end, a run must be ended by the next one: its rows in order, itself marked whole.
#[test]
fn a_run_killed_after_its_last_row_is_ended_by_the_next() {
    let out = folder("killed-at-the-end");
    run(vec![small(&[])], &smoke(&out)).unwrap();
    let (file, whole) = (rows_file(&out, "small"), std::fs::read(rows_file(&out, "small")).unwrap());
    let place = file.parent().unwrap();
    let mut unsorted = rows(&out, "small");
    unsorted.reverse();
    Record::write_all(&file, &unsorted).unwrap();
    let mut manifest = experiments::manifest::Manifest::read(place).unwrap();
    (manifest.complete, manifest.rows) = (false, 0);
    manifest.write(place).unwrap();
    assert!(pipeline::load(&Registry::workspace(), vec![small(&[])], &out).unwrap().is_empty());
    run(vec![small(&[])], &smoke(&out)).unwrap();
    assert_eq!(pipeline::load(&Registry::workspace(), vec![small(&[])], &out).unwrap().len(), 1);
    is_whole(&whole, &out);
}

/// Texts of a definition are no part of its points: with another reading the rows stay, and the run is that of the new text.
#[test]
fn an_edited_text_keeps_the_rows_and_their_provenance() {
    let out = folder("edited-text");
    run(vec![small(&[])], &smoke(&out)).unwrap();
    let (file, whole) = (rows_file(&out, "small"), std::fs::read(rows_file(&out, "small")).unwrap());
    let before = experiments::manifest::Manifest::read(file.parent().unwrap()).unwrap();
    let edited = || vec![small(&[("It does.", "It does, and well.")])];
    run(edited(), &smoke(&out)).unwrap();
    is_whole(&whole, &out);
    let after = experiments::manifest::Manifest::read(file.parent().unwrap()).unwrap();
    assert_ne!(after.definition_hash, before.definition_hash);
    assert_eq!(
        (after.started_utc_seconds, after.measured_seconds),
        (before.started_utc_seconds, before.measured_seconds)
    );
    assert_eq!(pipeline::load(&Registry::workspace(), edited(), &out).unwrap().len(), 1);
}

#[test]
fn ctrl_c_finishes_the_rows_and_says_how_to_go_on() {
    let (definition, whole, _) = in_one_go("ctrl-c-whole", &slow());
    let out = folder("ctrl-c").join("out");
    let child = start(&definition, &out);
    let file = wait_for_rows(&out, 30);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    for words in
        ["stopping after the rows being measured", "interrupted in small", "run the same command again to go on"]
    {
        assert!(message.contains(words), "{words}: {message}");
    }
    assert!(!message.contains("panicked"), "{message}");
    let kept = part_of(&whole, &file);
    let all = whole.iter().filter(|byte| **byte == b'\n').count() - 1;
    assert!((30..all).contains(&kept), "{kept} rows of {all}");
    // Nothing is torn: the rows being measured were finished.
    assert!(std::fs::read(&file).unwrap().ends_with(b"\n"));
    let resumed = start(&definition, &out).wait_with_output().unwrap();
    assert!(resumed.status.success());
    let words = format!("{kept} were there");
    let message = String::from_utf8(resumed.stderr).unwrap();
    assert!(message.contains(&words), "{words}: {message}");
    is_whole(&whole, &out);
}

/// A row of minutes: the first Ctrl-C waits for it, the second does not.
#[test]
fn a_second_ctrl_c_ends_the_run_at_once() {
    let here = folder("twice-ctrl-c");
    let long = SMALL.replace(
        "filters = 4, most-probes = 40_000",
        "filters = 4, most-probes = 1, probes-per-filter = 20_000_000_000",
    );
    let definition = write(&here, &long);
    let mut child = start(&definition, &here.join("out"));
    wait_for_header(&here.join("out"));
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "-INT");
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "the first one did not wait for the rows");
    let began = Instant::now();
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// Waits until the run has begun to measure.
fn wait_for_header(out: &Path) {
    let began = Instant::now();
    while !std::fs::read_dir(out.join("raw/small"))
        .into_iter()
        .flatten()
        .any(|run| run.unwrap().path().join("rows.csv").exists())
    {
        assert!(began.elapsed() < Duration::from_secs(60), "no file of rows");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// `--again` does not go on from what it measured: the message must not say so.
#[test]
fn an_interrupted_again_is_told_how_to_go_on() {
    let out = folder("again-interrupted");
    let options = Options { again: true, ..smoke(&out) };
    let stop = std::sync::atomic::AtomicBool::new(true);
    let error = pipeline::run(&Registry::workspace(), vec![small(&[])], &options, &stop).unwrap_err();
    assert!(error.to_string().contains("run the same command again without --again to go on"), "{error}");
}

/// The program under a shell's limits; a signal that a limit sends is ignored, so that the write fails as on a full disk.
fn limited(blocks: u32, definition: &Path, out: &Path) -> std::process::Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_experiments"), "run", "--scale", "smoke", "--out"]);
    command.arg(out).arg(definition).stdout(Stdio::null()).output().unwrap()
}

/// No file may grow beyond a few blocks: the file of rows fills up in the middle of a row.
#[test]
fn a_disk_that_is_full_keeps_whole_rows_and_the_run_goes_on_with_room() {
    let (definition, whole, _) = in_one_go("full-whole", &slow());
    let out = folder("full-disk").join("out");
    let mut before = 0;
    for blocks in [0, 4, 16, 64] {
        let output = limited(blocks, &definition, &out);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert_eq!(message.matches("error: ").count(), 1, "{message}");
        assert!(message.contains("make room, then run the same command again"), "{message}");
        assert!(!message.contains("panicked"), "{message}");
        if blocks > 0 {
            let file = rows_file(&out, "small");
            let kept = part_of(&whole, &file);
            assert!(kept >= before, "{kept} rows where {before} were there");
            assert!(blocks < 16 || kept > 0, "no row in {blocks} blocks");
            assert!(std::fs::read(&file).unwrap().ends_with(b"\n"), "half a row was left");
            before = kept;
        }
    }
    assert!(start(&definition, &out).wait().unwrap().success());
    is_whole(&whole, &out);
}

/// A real file system without room, of which there is one where a mount is allowed.
#[test]
#[ignore = "mounts a file system of its own (Linux, root): cargo test -p experiments --test all -- --ignored full_file_system"]
fn a_full_file_system_keeps_whole_rows() {
    let (definition, whole, _) = in_one_go("tmpfs-whole", &slow());
    let here = folder("tmpfs");
    let kilobytes = whole.len() / 1024 / 2;
    // The mount is in a name space of its own and goes with it; what was written is copied out before.
    let script = "mount -t tmpfs -o size=${1}k none \"$2\" || exit 77; shift; place=$1; shift; \"$@\"; code=$?; \
        cp -r \"$place/out\" \"$place.kept\"; exit $code";
    let (place, kept) = (here.join("disk"), here.join("disk.kept"));
    std::fs::create_dir_all(&place).unwrap();
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh", &kilobytes.to_string()]).arg(&place);
    command
        .args([env!("CARGO_BIN_EXE_experiments"), "run", "--scale", "smoke", "--out"])
        .arg(place.join("out"))
        .arg(&definition);
    let output = command.stdout(Stdio::null()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "77 says that no mount is allowed here: {message}");
    assert!(message.contains("make room"), "{message}");
    let rows = part_of(&whole, &rows_file(&kept, "small"));
    assert!(rows > 0, "{message}");
    assert!(start(&definition, &kept).wait().unwrap().success());
    is_whole(&whole, &kept);
}

/// The first thing that is written is the folder: what cannot be made is one message, and nothing is touched.
#[test]
fn a_folder_without_rights_is_one_message() {
    use std::os::unix::fs::PermissionsExt;
    let here = folder("read-only");
    let definition = write(&here, SMALL);
    let out = here.join("out");
    std::fs::create_dir_all(&out).unwrap();
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o555)).unwrap();
    // Rights do not bind everybody (root): there the run must succeed, and this test says what it could not tell.
    let bound = std::fs::create_dir(out.join("probe")).is_err();
    let output = start(&definition, &out).wait_with_output().unwrap();
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o755)).unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    if bound {
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("cannot create") && message.matches("error: ").count() == 1, "{message}");
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0, "something was written");
    } else {
        assert!(output.status.success(), "{message}");
        println!("rights do not bind this user: that a folder without them is refused was not tested here");
    }
}

/// Rights taken away in the middle: the file that is open is still written, what comes after fails, and the rows are there.
#[test]
fn a_run_whose_folder_is_replaced_by_a_file_keeps_its_rows() {
    let out = folder("in-the-way");
    run(vec![small(&[])], &smoke(&out)).unwrap();
    let whole = std::fs::read(rows_file(&out, "small")).unwrap();
    std::fs::remove_dir_all(out.join("derived")).unwrap();
    std::fs::write(out.join("derived"), "in the way").unwrap();
    let error = run(vec![small(&[])], &smoke(&out)).unwrap_err();
    assert!(error.exit_code() == 1 && error.to_string().contains("derived"), "{error}");
    is_whole(&whole, &out);
    std::fs::remove_file(out.join("derived")).unwrap();
    run(vec![small(&[])], &smoke(&out)).unwrap();
}

/// Two runs of different experiments into one results folder at once: both are whole, and so are the files they share.
#[test]
fn two_experiments_into_one_folder_at_once() {
    let here = folder("side-by-side");
    let out = here.join("out");
    let other = here.join("other.toml");
    std::fs::write(&other, slow().replace("id = \"small\"", "id = \"other\"")).unwrap();
    let children = [start(&write(&here, &slow()), &out), start(&other, &out)];
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let left: Vec<PathBuf> = ["", "derived", "figures"]
        .iter()
        .flat_map(|name| std::fs::read_dir(out.join(name)).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let ran = crate::cli::run_args(&["check", "--out", out.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// What a killed run left half written beside a table is no table.
#[test]
fn half_a_derived_table_does_not_fail_the_check() {
    let out = folder("half-a-table");
    run(vec![small(&[])], &smoke(&out)).unwrap();
    std::fs::write(out.join("derived/small.csv.7.part"), "measure,poi").unwrap();
    assert_eq!(check(&Registry::workspace(), vec![small(&[])], &out).unwrap(), 3);
}

/// A clock that stood in the next century, or before 1970: which run is the newest, and what it counts, does not hang on it.
#[test]
fn a_clock_that_jumps_changes_nothing() {
    let out = folder("clock");
    run(vec![small(&[])], &smoke(&out)).unwrap();
    let place = rows_file(&out, "small").parent().unwrap().to_owned();
    let whole = std::fs::read(place.join("rows.csv")).unwrap();
    for seconds in [4_102_444_800, u64::MAX >> 1, 0] {
        let mut manifest = experiments::manifest::Manifest::read(&place).unwrap();
        manifest.started_utc_seconds = seconds;
        manifest.write(&place).unwrap();
        // The same run goes on to the same rows ...
        let held = rows_of(&place);
        Record::write_all(&place.join("rows.csv"), &held[..held.len() / 2]).unwrap();
        run(vec![small(&[])], &smoke(&out)).unwrap();
        assert!(std::fs::read(place.join("rows.csv")).unwrap() == whole);
    }
    let mut manifest = experiments::manifest::Manifest::read(&place).unwrap();
    manifest.started_utc_seconds = 4_102_444_800;
    manifest.write(&place).unwrap();
    // ... and a later run is the newer one, whatever the clock said.
    run(vec![small(&[])], &Options { scale: Scale::Quick, ..smoke(&out) }).unwrap();
    let loaded = pipeline::load(&Registry::workspace(), vec![small(&[])], &out).unwrap();
    assert_eq!(loaded[0].1.manifest.scale, "quick");
}

fn rows_of(place: &Path) -> Vec<Record> {
    Record::read_all(&place.join("rows.csv")).unwrap()
}

/// Rows that other sources measured are kept, and the run says whose they are.
#[test]
fn rows_of_an_earlier_commit_are_kept_and_named() {
    let out = folder("earlier-commit");
    run(vec![small(&[])], &smoke(&out)).unwrap();
    let place = rows_file(&out, "small").parent().unwrap().to_owned();
    let mut manifest = experiments::manifest::Manifest::read(&place).unwrap();
    (manifest.commit, manifest.complete) = ("0123456".to_owned(), false);
    manifest.write(&place).unwrap();
    let held = rows_of(&place);
    Record::write_all(&place.join("rows.csv"), &held[..3]).unwrap();
    run(vec![small(&[])], &smoke(&out)).unwrap();
    let manifest = experiments::manifest::Manifest::read(&place).unwrap();
    assert_eq!(manifest.earlier_commits, ["0123456"]);
    assert_eq!(manifest.commits().len(), 2);
    // Measured anew, they are of one commit again.
    run(vec![small(&[])], &Options { again: true, ..smoke(&out) }).unwrap();
    assert!(experiments::manifest::Manifest::read(&place).unwrap().earlier_commits.is_empty());
}

#[test]
fn damaged_raw_files_are_named() {
    let out = folder("damaged-raw");
    run(vec![small(&[])], &smoke(&out)).unwrap();
    let place = rows_file(&out, "small").parent().unwrap().to_owned();
    let (csv, toml) = (place.join("rows.csv"), place.join("run.toml"));
    let (rows, manifest) = (std::fs::read_to_string(&csv).unwrap(), std::fs::read_to_string(&toml).unwrap());
    let lines: Vec<&str> = rows.lines().collect();
    let cells = lines[3].split(',').count();
    let cases: [(&str, &Path, String, &[&str]); 6] = [
        (
            "a row without its end",
            &csv,
            rows.replace(lines[3], &lines[3][..lines[3].len() / 2]),
            &["damaged row", "line: 4"],
        ),
        (
            "a cell that is no number",
            &csv,
            rows.replace(",ok,1,", ",ok,one,"),
            &["damaged row", "line: 2", "invalid digit"],
        ),
        ("two rows on one line", &csv, rows.replace(&format!("{}\n", lines[3]), lines[3]), &["damaged row", "line: 4"]),
        ("a row twice", &csv, format!("{rows}{}\n", lines[3]), &["a second time"]),
        ("older columns", &csv, rows.replacen("observed", "seen", 1), &["columns are not those of schema"]),
        ("an older manifest", &toml, manifest.replace("schema = 2", "schema = 1"), &["schema 1 where 2 is read"]),
    ];
    assert!(cells > 20);
    for (what, path, content, words) in cases {
        let before = std::fs::read_to_string(path).unwrap();
        assert_ne!(before, content, "{what}");
        std::fs::write(path, &content).unwrap();
        for error in [
            run(vec![small(&[])], &smoke(&out)).unwrap_err(),
            pipeline::load(&Registry::workspace(), vec![small(&[])], &out).unwrap_err(),
        ] {
            let message = error.to_string();
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(error.exit_code() == 1 && message.contains(name), "{what}: {message}");
            assert!(words.iter().all(|word| message.contains(word)), "{what}: {message}");
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), content, "{what}: the file was touched");
        std::fs::write(path, before).unwrap();
    }
    run(vec![small(&[])], &smoke(&out)).unwrap();
}
