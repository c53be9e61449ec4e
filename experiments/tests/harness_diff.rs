//! What changed between two runs, and what hangs on one count.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::common::{builtin, check, folder, rows, rows_file, run, small, smoke};
use experiments::diff::{COLUMNS, Diff, diff};
use experiments::record::Record;
use experiments::run::Options;
use experiments::spec::Definition;
use experiments::{Registry, pipeline, sample};

fn definitions() -> Vec<Definition> {
    ["fpr-vs-k", "partitioned-vs-standard"].map(builtin).into_iter().chain([small(&[])]).collect()
}

/// A run of [`definitions`] with a seed.
fn results(name: &str, seed: u64) -> PathBuf {
    let out = folder(name);
    run(definitions(), &Options { seed, ..smoke(&out) }).unwrap();
    out
}

/// Changes one count of one row of an experiment; its point and contender.
fn doctor(out: &Path, id: &str) -> (String, String) {
    let mut all = rows(out, id);
    let row = all.iter_mut().find(|row| row.false_positives > Some(0)).unwrap();
    row.false_positives = row.false_positives.map(|count| count + 1);
    let named = (row.point.clone(), row.contender.clone());
    Record::write_all(&rows_file(out, id), &all).unwrap();
    named
}

fn cells(diff: &Diff, column: &str) -> BTreeSet<String> {
    diff.changes.rows.iter().map(|row| diff.changes.cell(row, column).to_owned()).collect()
}

#[test]
fn equal_runs_have_no_difference_and_another_seed_no_significant_one() {
    let [one, same, other] =
        [("diff-one", 1), ("diff-same", 1), ("diff-seed", 2)].map(|(name, seed)| results(name, seed));
    let none = diff(&one, &same, false).unwrap();
    assert!(none.changes.rows.is_empty() && none.counted == 0, "{:?}", none.changes);
    assert_eq!(none.changes.columns, COLUMNS);
    assert!(none.points > 20 && none.quantities > none.points, "{none:?}");
    let seed = diff(&one, &other, false).unwrap();
    assert_eq!((seed.counted, seed.points, seed.quantities), (0, none.points, none.quantities), "{:?}", seed.changes);
    // Every rate over independent filters was tested (weak spots, and bits and denied members of a point with a single row, are
    // not), and nothing but chance was seen: among so many the least is not far below one over their number.
    let all = diff(&one, &other, true).unwrap();
    let p: Vec<f64> = all.changes.rows.iter().filter_map(|row| all.changes.number(row, "p_value")).collect();
    for row in &all.changes.rows {
        let is_rate = all.changes.cell(row, "quantity") == "fpr" && all.changes.cell(row, "measure") != "weak-spots";
        assert!(!is_rate || all.changes.number(row, "p_value").is_some(), "{row:?}");
    }
    assert!(p.len() + all.untested == all.quantities && 4 * all.untested < all.quantities, "{}", all.untested);
    let least = p.iter().copied().fold(1.0, f64::min);
    assert!(least > 1e-6 && p.iter().any(|p| *p < 0.5), "{least}");
    // A run stands for itself as its results do.
    let [run_one, run_other] = [&one, &other].map(|out| rows_file(out, "fpr-vs-k").parent().unwrap().to_owned());
    assert_eq!(diff(&run_one, &run_other, false).unwrap().counted, 0);
}

#[test]
fn a_doctored_count_is_named_and_nothing_else() {
    let (one, other) = (results("doctored-before", 1), results("doctored-after", 1));
    let (_, contender) = doctor(&other, "fpr-vs-k");
    let found = diff(&one, &other, false).unwrap();
    assert_eq!((found.changes.rows.len(), found.counted), (1, 1), "{:?}", found.changes);
    let row = &found.changes.rows[0];
    let cell = |column| found.changes.cell(row, column);
    assert_eq!((cell("experiment"), cell("change"), cell("quantity")), ("fpr-vs-k", "counts", "fpr"));
    assert_eq!(cell("contender"), contender);
    assert!(found.changes.number(row, "ratio").unwrap() > 1.0 && found.changes.number(row, "p_value").unwrap() > 0.01);
}

/// A filter that is worse by a half, as a code change would make it: the rate is named, with its point, even at another seed.
#[test]
fn a_rate_that_moved_is_named() {
    let text = |bits: &str| {
        small(&[("sweep.m = 640", bits), ("filters = 4, most-probes = 40_000", "filters = 40, most-probes = 400_000")])
    };
    let (one, other) = (folder("moved-before"), folder("moved-after"));
    run(vec![text("sweep.m = 640")], &smoke(&one)).unwrap();
    // The same factor in words, another size in truth.
    run(vec![text("sweep.m = 560")], &Options { seed: 2, ..smoke(&other) }).unwrap();
    let file = rows_file(&other, "small");
    let mut all = rows(&other, "small");
    all.iter_mut().for_each(|row| row.factors = row.factors.replace("560", "640"));
    Record::write_all(&file, &all).unwrap();
    let found = diff(&one, &other, false).unwrap();
    assert_eq!(cells(&found, "change"), ["params", "rate"].map(str::to_owned).into());
    let rates: Vec<_> = found.changes.rows.iter().filter(|row| found.changes.cell(row, "change") == "rate").collect();
    for row in &rates {
        let cell = |column| found.changes.number(row, column).unwrap_or(f64::NAN);
        if found.changes.cell(row, "quantity") == "fpr" {
            assert!(cell("ratio_low") > 1.0 && cell("ratio_low") < cell("ratio") && cell("ratio") < cell("ratio_high"));
            assert!(cell("p_value") < 1e-7 && cell("ratio") > 1.1, "{row:?}");
        }
    }
    assert!(
        rates.iter().filter(|row| found.changes.cell(row, "quantity") == "fpr").count() >= 3,
        "{:?}",
        found.changes
    );
}

#[test]
fn new_and_missing_points_and_experiments_are_named() {
    let (one, other) = (folder("points-before"), folder("points-after"));
    run(vec![small(&[]), builtin("fpr-vs-k")], &smoke(&one)).unwrap();
    run(vec![small(&[("[1, 2, 3, 4]", "[2, 3, 4, 5]")]), builtin("partitioned-vs-standard")], &smoke(&other)).unwrap();
    let found = diff(&one, &other, false).unwrap();
    let named: Vec<(&str, &str, &str)> = found
        .changes
        .rows
        .iter()
        .map(|row| ["experiment", "change", "factors"].map(|column| found.changes.cell(row, column)))
        .map(|[experiment, change, factors]| (experiment, change, factors))
        .collect();
    assert!(
        named.contains(&("fpr-vs-k", "missing", "")) && named.contains(&("partitioned-vs-standard", "new", "")),
        "{named:?}"
    );
    let of_small: Vec<_> = named.iter().filter(|(experiment, ..)| *experiment == "small").collect();
    assert_eq!((found.points, of_small.len()), (3, 2), "{named:?}");
    assert!(
        of_small.iter().any(|(_, change, factors)| *change == "missing" && factors.contains("\"k\":1")),
        "{named:?}"
    );
    assert!(of_small.iter().any(|(_, change, factors)| *change == "new" && factors.contains("\"k\":5")), "{named:?}");
}

#[test]
fn the_command_prints_every_format_and_ends_as_it_says() {
    let (one, other) = (results("diff-command-before", 1), results("diff-command-after", 1));
    let words = [one.to_str().unwrap(), other.to_str().unwrap()];
    let ran = |more: &[&str]| crate::cli::run_args(&[&["diff"], &words[..], more].concat());
    let none = ran(&["--format", "csv"]);
    assert_eq!((none.code, none.stdout.trim()), (0, COLUMNS.join(",").as_str()), "{}", none.stderr);
    assert!(none.stderr.contains("quantities compared"), "{}", none.stderr);
    doctor(&other, "partitioned-vs-standard");
    for format in ["table", "markdown", "csv", "json"] {
        let some = ran(&["--format", format]);
        assert_eq!(some.code, 1, "{}", some.stderr);
        assert!(some.stderr.contains("1 change that is no time"), "{}", some.stderr);
        assert!(some.stdout.contains("counts") && some.stdout.contains("partitioned-vs-standard"), "{}", some.stdout);
    }
    let json: serde_json::Value = serde_json::from_str(&ran(&["--format", "json"]).stdout).unwrap();
    assert!(json[0]["factors"].is_object() && json[0]["p_value"].is_number(), "{json}");
    let empty = folder("diff-empty");
    crate::cli::run_args(&["diff", words[0], empty.to_str().unwrap()]).is_refused(2, &["diff-empty", "neither a run"]);
}

/// One count of one row changed: exactly the cells and points that hang on it differ, and `check` names them.
#[test]
fn check_names_the_cells_and_points_that_hang_on_one_count() {
    let out = folder("one-count");
    let id = "fpr-vs-k";
    run(vec![builtin(id)], &smoke(&out)).unwrap();
    let before = pipeline::load(&Registry::workspace(), vec![builtin(id)], &out).unwrap().remove(0).1;
    let (point, contender) = doctor(&out, id);
    let after = pipeline::load(&Registry::workspace(), vec![builtin(id)], &out).unwrap().remove(0).1;
    assert_eq!(before.table.columns, after.table.columns);
    let mut changed = BTreeSet::new();
    for (one, other) in before.table.rows.iter().zip(&after.table.rows) {
        for (column, (one, other)) in before.table.columns.iter().zip(one.iter().zip(other)) {
            if one != other {
                changed.insert(column.clone());
            }
        }
        if one != other {
            assert_eq!(before.table.cell(one, "point"), point, "a cell of another point differs");
        }
    }
    let hang_on_it = [
        "false_positives",
        "fpr",
        "fpr_low",
        "fpr_high",
        "p_value",
        "contents_p_value",
        "spread",
        "spread_p_value",
        "relative_rates",
    ];
    assert!(
        changed.contains("fpr") && changed.iter().all(|column| hang_on_it.contains(&column.as_str())),
        "{changed:?}"
    );
    let message = check(&Registry::workspace(), vec![builtin(id)], &out).unwrap_err().to_string();
    for column in &changed {
        assert!(message.contains(&format!("({contender} {point}), column {column}: `")), "{column}: {message}");
    }
    let cells = message.lines().filter(|line| line.contains(", column ")).count();
    assert_eq!(cells, changed.len(), "{message}");
    // One point of the figure, as it is drawn and as it would be.
    let drawn: Vec<&str> = message.lines().filter(|line| line.trim_start().starts_with("drawn: ")).collect();
    let given: Vec<&str> =
        message.lines().filter(|line| line.trim_start().starts_with("the raw rows give: ")).collect();
    let row = before.table.rows.iter().find(|row| before.table.cell(row, "point") == point).unwrap();
    assert!(drawn.len() == given.len() && !drawn.is_empty(), "{message}");
    for line in drawn {
        assert!(line.contains(&format!("fpr {}", before.table.cell(row, "fpr"))), "{line}");
    }
    assert!(message.contains("fpr-vs-k.svg differs") && message.contains("fpr-vs-k.csv differs"), "{message}");
}

/// A count that was changed before anything was derived from it agrees with all that hangs on it; only to measure again tells.
#[test]
fn a_sample_measured_again_finds_a_count_that_no_run_gives() {
    let out = folder("sampled");
    run(definitions(), &smoke(&out)).unwrap();
    let load = || pipeline::load(&Registry::workspace(), definitions(), &out).unwrap();
    let all = sample::measure(&load(), usize::MAX, 1).unwrap();
    assert!(all.points == all.of && all.points > 20 && all.rows >= all.points, "{all:?}");
    let few = sample::measure(&load(), 5, 1).unwrap();
    assert_eq!((few.points, few.of), (5, all.of));
    let (point, contender) = doctor(&out, "partitioned-vs-standard");
    run(definitions(), &smoke(&out)).unwrap();
    check(&Registry::workspace(), definitions(), &out).unwrap();
    let error = sample::measure(&load(), usize::MAX, 1).unwrap_err();
    let message = error.to_string();
    assert_eq!((error.exit_code(), message.lines().count()), (1, 1), "{message}");
    for words in
        [point.as_str(), contender.as_str(), "column false_positives", "measured again", "partitioned-vs-standard"]
    {
        assert!(message.contains(words), "{words}: {message}");
    }
    // The choice hangs on the seed, and on nothing else.
    let loaded = load();
    let hit = |seed| sample::measure(&loaded, 4, seed).is_err();
    let hits: Vec<bool> = (0..20).map(hit).collect();
    assert_eq!(hits, (0..20).map(hit).collect::<Vec<_>>());
    assert!(hits.iter().any(|hit| *hit) && hits.iter().any(|hit| !hit), "{hits:?}");
    let ran = crate::cli::run_args(&["check", "--out", out.to_str().unwrap(), "--sample", "100000"]);
    ran.is_refused(1, &["column false_positives", "measured again"]);
}

/// Times are shown as ratios and never end the command: they belong to a machine and its hour.
#[test]
fn other_times_are_no_failure() {
    let (one, other) = (folder("times-before"), folder("times-after"));
    for (out, ps) in [(&one, 1000), (&other, 1500)] {
        run(vec![small(&[])], &smoke(out)).unwrap();
        let mut all = rows(out, "small");
        all.iter_mut().for_each(|row| row.min_ps = Some(ps + row.row));
        Record::write_all(&rows_file(out, "small"), &all).unwrap();
    }
    let found = diff(&one, &other, false).unwrap();
    assert_eq!((found.changes.rows.len(), found.counted), (4, 0), "{:?}", found.changes);
    for row in &found.changes.rows {
        let cell = |column| found.changes.cell(row, column);
        assert_eq!((cell("change"), cell("quantity"), cell("p_value")), ("time", "min_ns", ""));
        let [low, ratio, high] =
            ["ratio_low", "ratio", "ratio_high"].map(|name| found.changes.number(row, name).unwrap());
        assert!(1.49 < low && low <= ratio && ratio <= high && high <= 1.5, "{row:?}");
    }
    let ran = crate::cli::run_args(&["diff", one.to_str().unwrap(), other.to_str().unwrap(), "--format", "csv"]);
    assert_eq!((ran.code, ran.rows().len()), (0, 4), "{}", ran.stderr);
}
