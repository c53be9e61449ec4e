//! Shards of a run: measured apart, merged into what one run gives, count for count.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::common::{builtin, check, folder, rows_file, run, small, small_with, smoke};
use experiments::manifest::Manifest;
use experiments::merge::{Merged, merge};
use experiments::record::Record;
use experiments::run::Options;
use experiments::shard::Shard;
use experiments::spec::Definition;
use experiments::{HarnessError, Registry, pipeline};

/// Definitions with counts, studies and times.
fn definitions() -> Vec<Definition> {
    ["fpr-vs-k", "partitioned-vs-standard", "memory-vs-hash-set", "counting-churn"]
        .into_iter()
        .map(builtin)
        .chain([small(&[])])
        .collect()
}

fn shard(text: &str, definitions: Vec<Definition>, out: &Path) {
    let options = Options { shard: Some(text.parse().unwrap()), ..smoke(out) };
    let ended = pipeline::run(&Registry::workspace(), definitions, &options, &AtomicBool::new(false)).unwrap();
    assert!(ended.derived.is_empty() && !out.join("derived").exists() && !out.join("figures").exists());
}

fn merged(out: &Path, inputs: &[&Path]) -> Result<Vec<Merged>, HarnessError> {
    let inputs: Vec<PathBuf> = inputs.iter().map(|input| input.to_path_buf()).collect();
    merge(&Registry::workspace(), out, &inputs)
}

/// The folder of one shard's run of `small`.
fn of_shard(out: &Path, shard: &str) -> PathBuf {
    let suffix = shard.parse::<Shard>().unwrap().suffix();
    let runs = std::fs::read_dir(out.join("raw/small")).unwrap().map(|run| run.unwrap().path());
    runs.into_iter().find(|run| run.to_str().unwrap().ends_with(&suffix)).unwrap()
}

/// The rows of a file without their times.
fn counts(file: &Path) -> Vec<Record> {
    let rows = Record::read_all(file).unwrap();
    rows.into_iter().map(|row| Record { min_ps: None, median_ps: None, ..row }).collect()
}

/// What does not go together.
fn unlike(error: &HarnessError) -> Option<&'static str> {
    if let HarnessError::Unlike(unlike) = error { Some(unlike.what) } else { None }
}

#[test]
fn four_shards_merged_are_one_run_count_for_count() {
    let (whole, apart, together) = (folder("one-run"), folder("four-shards"), folder("four-merged"));
    run(definitions(), &smoke(&whole)).unwrap();
    let mut inputs = Vec::new();
    for number in 1..=4 {
        // The first two into one folder, as on a file system that is shared, the others each into its own.
        let out = apart.join(if number < 3 { "shared".to_owned() } else { number.to_string() });
        shard(&format!("{number}/4"), definitions(), &out);
        inputs.push(out);
    }
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let done = merged(&together, &inputs).unwrap();
    assert_eq!(done.len(), definitions().len());
    for one in &done {
        let id = &one.definition.id;
        assert_eq!((one.gaps.len(), one.twice, one.shards.len()), (0, 0, 4), "{id}: {one:?}");
        let [here, there] = [&whole, &together].map(|out| rows_file(out, id));
        assert_eq!(here.parent().unwrap().file_name(), there.parent().unwrap().file_name(), "{id}");
        assert!(counts(&here) == counts(&there), "{id}: other rows than in one run");
    }
    run(definitions(), &smoke(&together)).unwrap();
    // One of them holds times, which this build may have measured.
    for id in done.iter().map(|one| &one.definition.id).filter(|id| *id != "memory-vs-hash-set") {
        let file = format!("derived/{id}.csv");
        assert!(std::fs::read(whole.join(&file)).unwrap() == std::fs::read(together.join(&file)).unwrap(), "{id}");
    }
    check(&Registry::workspace(), definitions(), &together).unwrap();
    // Once more changes nothing: what was merged is what the inputs have.
    let before = std::fs::read(rows_file(&together, "small")).unwrap();
    merged(&together, &inputs).unwrap();
    assert!(std::fs::read(rows_file(&together, "small")).unwrap() == before);
}

#[test]
fn a_shard_has_its_own_points_and_goes_on_by_itself() {
    let out = folder("one-shard");
    for _ in 0..2 {
        shard("2/3", vec![small(&[])], &out);
        shard("3/3", vec![small(&[])], &out);
    }
    assert!(pipeline::load(&Registry::workspace(), vec![small(&[])], &out).unwrap().is_empty(), "a shard is no run");
    let all: Vec<_> = ["2/3", "3/3"]
        .iter()
        .flat_map(|name| Record::read_all(&of_shard(&out, name).join("rows.csv")).unwrap())
        .map(|row| (row.point, row.row))
        .collect();
    let mut distinct = all.clone();
    distinct.sort();
    distinct.dedup();
    assert!(!all.is_empty() && distinct.len() == all.len());
    assert_eq!(Manifest::read(&of_shard(&out, "2/3")).unwrap().shard, "2/3");
}

#[test]
fn gaps_are_named_and_filled_by_a_plain_run() {
    let (out, together) = (folder("gaps"), folder("gaps-merged"));
    shard("1/4", vec![small(&[])], &out);
    shard("2/4", vec![small(&[])], &out);
    let mut manifest = Manifest::read(&of_shard(&out, "2/4")).unwrap();
    manifest.complete = false;
    manifest.write(&of_shard(&out, "2/4")).unwrap();
    let rows = of_shard(&out, "2/4").join("rows.csv");
    let held = Record::read_all(&rows).unwrap();
    Record::write_all(&rows, &held[1..]).unwrap();
    let done = merged(&together, &[&out]).unwrap().remove(0);
    let gaps = done.gaps.join("\n");
    for words in ["rows are missing", "shard 2/4 was not finished", "shard 3/4 is not there", "shard 4/4 is not there"]
    {
        assert!(gaps.contains(words), "{words}: {gaps}");
    }
    assert!(!gaps.contains("1/4"), "{gaps}");
    assert!(!Manifest::read(rows_file(&together, "small").parent().unwrap()).unwrap().complete);
    // The command says the same, with exit code 1.
    let ran = crate::cli::run_args(&["merge", folder("gaps-again").to_str().unwrap(), out.to_str().unwrap()]);
    ran.is_refused(1, &["shard 3/4 is not there", "measure these shards and merge again"]);
    let whole = folder("gaps-whole");
    run(vec![small(&[])], &smoke(&whole)).unwrap();
    run(vec![small(&[])], &smoke(&together)).unwrap();
    let [here, there] = [&whole, &together].map(|out| std::fs::read(rows_file(out, "small")).unwrap());
    assert!(here == there, "other rows than in one run");
}

#[test]
fn rows_that_two_shards_have_are_counted_and_must_be_equal() {
    let (out, together) = (folder("twice-in-shards"), folder("twice-merged"));
    // Halves and thirds of the same run overlap.
    for name in ["1/2", "2/2", "1/3"] {
        shard(name, vec![small(&[])], &out);
    }
    let third = of_shard(&out, "1/3").join("rows.csv");
    let held = Record::read_all(&third).unwrap();
    let done = merged(&together, &[&out]).unwrap().remove(0);
    assert_eq!((done.twice, done.gaps.len()), (held.len(), 0));
    let mut changed = held.clone();
    changed[0].false_positives = changed[0].false_positives.map(|count| count + 1);
    Record::write_all(&third, &changed).unwrap();
    let error = merged(&folder("twice-differ"), &[&out]).unwrap_err();
    assert!(unlike(&error) == Some("a row") && error.exit_code() == 1, "{error}");
    let message = error.to_string();
    for words in ["false_positives", "1-of-3", "of-2", &held[0].point] {
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn shards_of_another_definition_or_commit_are_refused_by_name() {
    let fresh = |name: &str| {
        let out = folder(name);
        shard("1/2", vec![small(&[])], &out);
        shard("2/2", vec![small(&[])], &out);
        out
    };
    let out = fresh("other-commit");
    let place = of_shard(&out, "2/2");
    let mut manifest = Manifest::read(&place).unwrap();
    let mine = manifest.commit.clone();
    manifest.commit = "fedcba9".to_owned();
    manifest.write(&place).unwrap();
    let error = merged(&folder("refused"), &[&out]).unwrap_err();
    assert!(unlike(&error) == Some("commit") && error.exit_code() == 1, "{error}");
    for words in ["fedcba9", &mine, "1-of-2", "2-of-2", "measure one of them again"] {
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    // Rows of two commits in one shard, too.
    manifest.commit.clone_from(&mine);
    manifest.earlier_commits = vec!["fedcba9".to_owned()];
    manifest.write(&place).unwrap();
    assert!(merged(&folder("refused"), &[&out]).unwrap_err().to_string().contains("fedcba9"));
    // Another reading is another text, although the points are the same.
    let out = fresh("other-definition");
    let edited = Definition::parse("small.toml", &small_with(&[("It does.", "It does not.")])).unwrap();
    shard("2/2", vec![edited], &out);
    let error = merged(&folder("refused"), &[&out]).unwrap_err();
    assert!(unlike(&error) == Some("definition hash"), "{error}");
    // And a definition that was changed under its manifest is no definition of it.
    let out = fresh("changed-definition");
    for name in ["1/2", "2/2"] {
        let path = of_shard(&out, name).join("definition.toml");
        let text = std::fs::read_to_string(&path).unwrap().replace("It does.", "It does not.");
        std::fs::write(path, text).unwrap();
    }
    let error = merged(&folder("refused"), &[&out]).unwrap_err();
    assert!(error.to_string().contains("definition.toml: this is not the definition"), "{error}");
    assert!(!Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused/raw").exists(), "something was written");
}

#[test]
fn nothing_that_is_there_is_lost_by_a_merge() {
    let (out, half) = (folder("kept"), folder("kept-half"));
    run(vec![small(&[])], &smoke(&out)).unwrap();
    let whole = std::fs::read(rows_file(&out, "small")).unwrap();
    shard("1/2", vec![small(&[])], &half);
    let error = merged(&out, &[&half]).unwrap_err();
    assert!(error.to_string().contains("would be lost"), "{error}");
    assert!(std::fs::read(rows_file(&out, "small")).unwrap() == whole);
    // As an input too, it is filled up with what the shard has, which is nothing new.
    let done = merged(&out, &[&out, &half]).unwrap().remove(0);
    assert!(done.gaps.is_empty() && done.twice > 0);
    assert!(std::fs::read(rows_file(&out, "small")).unwrap() == whole);
    let error = merged(&folder("kept-none"), &[&folder("kept-empty")]).unwrap_err();
    assert!(error.exit_code() == 2 && error.to_string().contains("no run of a shard"), "{error}");
}

#[test]
fn the_commands_measure_shards_and_merge_them() {
    let here = folder("shard-commands");
    let definition = crate::harness_determinism::write(&here, crate::common::SMALL);
    let (out, definition) = (here.join("out"), definition.to_str().unwrap().to_owned());
    let out = out.to_str().unwrap();
    for number in 1..=2 {
        let name = format!("{number}/2");
        let ran = crate::cli::run_args(&["run", &definition, "--scale", "smoke", "--out", out, "--shard", &name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("shard {name} is measured")), "{}", ran.stderr);
    }
    let ran = crate::cli::run_args(&["merge", out, out]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("small") && Path::new(out).join("figures/small.svg").is_file());
    assert!(Path::new(out).join("index.html").is_file());
    let ran = crate::cli::run_args(&["check", "--out", out]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for bad in ["0/4", "5/4", "4", "x/y"] {
        let ran = crate::cli::run_args(&["run", &definition, "--out", out, "--shard", bad]);
        ran.is_refused(2, &[&format!("`{bad}`"), "I from 1 to N"]);
    }
}
