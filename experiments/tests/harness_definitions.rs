//! All built-in definitions, once, at smoke scale: what a results folder holds, and what `check` makes of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::common::{self, builtin, column, files_with, folder, root, rows, rows_file, run, smoke, text};
use experiments::pipeline::{self, Derived};
use experiments::record::Record;
use experiments::spec::{Definition, Model};
use experiments::studies::Study;
use experiments::verdict::Verdict;
use experiments::{HarnessError, Registry};

/// The folder of the run and what was derived.
static RUN: LazyLock<(PathBuf, Vec<Derived>)> = LazyLock::new(|| {
    let out = folder("all-at-smoke");
    let derived = run(Definition::builtin().unwrap(), &smoke(&out)).unwrap();
    (out, derived)
});

/// A copy of one experiment's results, to be damaged.
fn copy_of(id: &str, name: &str) -> PathBuf {
    let (from, to) = (&RUN.0, folder(name));
    let raw = rows_file(from, id).parent().unwrap().to_owned();
    for file in [raw.join("rows.csv"), raw.join("run.toml"), from.join(format!("derived/{id}.csv"))]
        .into_iter()
        .chain(["svg", "png"].map(|ending| from.join(format!("figures/{id}.{ending}"))))
    {
        let copy = to.join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(file, copy).unwrap();
    }
    to
}

fn check(out: &Path) -> Result<usize, HarnessError> {
    common::check(&Registry::workspace(), Definition::builtin().unwrap(), out)
}

#[test]
fn every_file_is_a_definition_and_is_known() {
    let known: BTreeSet<String> = Definition::builtin().unwrap().into_iter().map(|one| one.id).collect();
    let folder = Path::new("experiments/defs");
    let files: BTreeSet<String> = files_with("toml")
        .into_iter()
        .filter(|file| file.parent() == Some(folder))
        .map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(known, files);
    for id in &known {
        assert_eq!(builtin(id).text, text(folder.join(format!("{id}.toml"))), "{id}: compiled in from another text");
    }
    assert!(known.len() >= 10 && root().join(folder).is_dir());
}

#[test]
fn every_point_is_a_row_with_a_verdict_and_none_breaks_a_law() {
    let words: Vec<&str> = Verdict::ALL.map(Verdict::name).to_vec();
    for derived in &RUN.1 {
        let id = &derived.definition.id;
        assert!(!derived.table.rows.is_empty(), "{id}");
        for row in &derived.table.rows {
            let cell = |name| derived.table.cell(row, name);
            // A study may show what no theory speaks of.
            let silent = cell("verdict").is_empty() && cell("claim").is_empty() && Study::find(cell("model")).is_ok();
            assert!(words.contains(&cell("verdict")) || silent, "{id}: {row:?}");
            assert_ne!(cell("verdict"), "law-violated", "{id}: {row:?}");
            assert!(["ok", "not-timed"].contains(&cell("outcome")), "{id}: {row:?}");
            assert!(!cell("measure").is_empty() && !cell("model").is_empty() && !cell("keys").is_empty(), "{id}");
        }
        let read = experiments::table::Table::read(&RUN.0.join(format!("derived/{id}.csv"))).unwrap();
        assert_eq!(read, derived.table, "{id}");
        assert_eq!(column(derived, "verdict").len(), read.rows.len());
    }
    assert_eq!(RUN.1.len(), Definition::builtin().unwrap().len());
}

#[test]
fn every_raw_row_has_all_columns_and_what_was_not_measured_is_empty() {
    let header = String::from_utf8(Record::header().unwrap()).unwrap();
    let columns: Vec<&str> = header.trim().split(',').collect();
    let timed = [Model::HashTime, Model::LookupTime, Model::HashSetTime].map(Model::name);
    for derived in &RUN.1 {
        let id = &derived.definition.id;
        let mut reader = csv::Reader::from_path(rows_file(&RUN.0, id)).unwrap();
        assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), columns, "{id}");
        assert!(reader.records().all(|row| row.unwrap().len() == columns.len()), "{id}");
        let all = rows(&RUN.0, id);
        let points: BTreeSet<&String> = all.iter().map(|row| &row.point).collect();
        let shown: BTreeSet<String> = column(derived, "point").into_iter().collect();
        assert_eq!(points.into_iter().cloned().collect::<BTreeSet<_>>(), shown, "{id}: points in raw and derived data");
        assert!(derived.manifest.complete && derived.manifest.rows == all.len() as u64, "{id}");
        for row in &all {
            let measure = derived.definition.measure.iter().find(|measure| measure.name == row.measure).unwrap();
            let is_timed = timed.contains(&measure.model.name());
            assert_eq!(row.min_ps.is_some(), is_timed && row.outcome == "ok", "{id}: {row:?}");
            assert_eq!(row.observed.is_some(), measure.study.is_some(), "{id}: {row:?}");
            assert_eq!(row.min_ps.is_some(), row.median_ps.is_some() && row.check.is_some(), "{id}: {row:?}");
            assert!(row.min_ps != Some(0) && row.filters != Some(0), "{id}: {row:?}");
            if row.outcome == "not-timed" {
                // Debug assertions: no time, no answers.
                assert!(is_timed && cfg!(debug_assertions), "{id}: {row:?}");
                assert_eq!((row.false_positives, row.false_negatives), (None, None), "{id}: {row:?}");
            }
        }
    }
}

/// HAND-39: a slow-down with n is the cache, and the bytes beside each time show it.
#[test]
fn hand_39_the_bytes_stand_beside_each_time() {
    let derived = RUN.1.iter().find(|derived| derived.definition.id == "memory-vs-hash-set").unwrap();
    let columns = ["min_ns", "median_ns", "bits", "bytes_per_key"];
    assert!(columns.iter().all(|name| derived.table.columns.iter().any(|column| column == name)));
    for row in &derived.table.rows {
        let bits = derived.table.number(row, "bits").unwrap();
        assert!(bits > derived.table.number(row, "keys").unwrap(), "{row:?}");
    }
    for row in rows(&RUN.0, "memory-vs-hash-set") {
        assert!(row.payload_bits > Some(0) && row.overhead_bits.is_some(), "{row:?}");
    }
}

#[test]
fn every_figure_is_a_picture() {
    for derived in &RUN.1 {
        let id = &derived.definition.id;
        let file = |ending: &str| RUN.0.join(format!("figures/{id}.{ending}"));
        let svg = std::fs::read_to_string(file("svg")).unwrap();
        assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"), "{id}");
        assert!(svg.contains(&derived.manifest.run), "{id}: the caption does not name the run");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{id}: a coordinate that is no number");
        let png = std::fs::read(file("png")).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000, "{id}: {} bytes", png.len());
        assert!(!RUN.0.join(format!("figures/{id}.svg.part")).exists());
    }
}

#[test]
fn check_passes_and_finds_a_changed_count() {
    // Derived table, SVG and PNG.
    assert_eq!(check(&RUN.0).unwrap(), 3 * RUN.1.len());
    for id in ["fpr-vs-k", "partitioned-vs-standard", "fpr-vs-load"] {
        let out = copy_of(id, &format!("changed-{id}"));
        assert_eq!(check(&out).unwrap(), 3);
        let file = rows_file(&out, id);
        let mut all = rows(&out, id);
        let row = all.iter_mut().find(|row| row.false_positives > Some(0)).unwrap();
        row.false_positives = row.false_positives.map(|count| count + 1);
        Record::write_all(&file, &all).unwrap();
        let error = check(&out).unwrap_err();
        assert_eq!(error.exit_code(), 1);
        let name = format!("{id}.csv");
        assert!(error.to_string().contains(&name) && error.to_string().contains("differs"), "{error}");
    }
}

/// A swept rate is the one asked for; the column `fpr` holds the measured one.
#[test]
fn the_rate_asked_for_has_a_column_of_its_own() {
    let derived = RUN.1.iter().find(|derived| derived.definition.id == "fpr-vs-load").unwrap();
    let table = &derived.table;
    assert!(table.rows.iter().all(|row| table.cell(row, "target_fpr") == "0.01"));
    assert!(table.rows.iter().any(|row| table.number(row, "fpr").is_some_and(|rate| rate != 0.01)));
}

/// A derived file whose run is gone is no pass, and a definition of one's own is found again beside its rows.
#[test]
fn check_knows_what_it_did_not_check_and_ones_own_definitions() {
    let id = "fpr-vs-k";
    let out = copy_of(id, "no-run");
    std::fs::copy(out.join(format!("derived/{id}.csv")), out.join("derived/another.csv")).unwrap();
    let error = check(&out).unwrap_err().to_string();
    assert!(error.contains("another.csv: no finished run"), "{error}");
    let own = "own-question";
    let text = builtin(id).text.replace(id, own);
    let out = folder("own-definition");
    run(vec![Definition::parse("own-question.toml", &text).unwrap()], &smoke(&out)).unwrap();
    let known = Definition::builtin().unwrap();
    let found = pipeline::own_definitions(&known, &out).unwrap();
    assert_eq!(found.iter().map(|definition| definition.id.as_str()).collect::<Vec<_>>(), [own]);
    assert_eq!(common::check(&Registry::workspace(), found, &out).unwrap(), 3);
}

#[test]
fn check_finds_edited_and_missing_files() {
    let id = "fpr-vs-load";
    let out = copy_of(id, "edited");
    let (derived, figure) = (out.join(format!("derived/{id}.csv")), out.join(format!("figures/{id}.svg")));
    let before = std::fs::read_to_string(&derived).unwrap();
    std::fs::write(&derived, before.replacen("agrees", "not-tested", 1)).unwrap();
    std::fs::remove_file(&figure).unwrap();
    let message = check(&out).unwrap_err().to_string();
    assert!(message.contains("fpr-vs-load.csv differs") && message.contains("fpr-vs-load.svg: "), "{message}");
    let empty = check(&folder("nothing")).unwrap_err();
    assert!(empty.exit_code() == 2 && empty.to_string().contains("nothing measured yet"), "{empty}");
}

/// HAND-40: never cells under the wrong header.
#[test]
fn hand_40_a_raw_file_with_another_header_is_refused_by_name() {
    let id = "exact-vs-classic";
    let out = copy_of(id, "other-header");
    let file = rows_file(&out, id);
    let before = std::fs::read_to_string(&file).unwrap();
    let other = before.replacen("measure,", "metric,", 1);
    std::fs::write(&file, &other).unwrap();
    for error in [check(&out).unwrap_err(), run(vec![builtin(id)], &smoke(&out)).unwrap_err()] {
        assert_eq!(error.exit_code(), 1, "{error}");
        assert!(error.to_string().contains("rows.csv") && error.to_string().contains("schema"), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), other, "the file was touched");
    // The message's advice holds.
    let again = experiments::run::Options { again: true, ..smoke(&out) };
    run(vec![builtin(id)], &again).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn a_torn_last_row_is_measured_again() {
    for id in ["fpr-vs-bits", "four-designs"] {
        let out = copy_of(id, &format!("torn-{id}"));
        let file = rows_file(&out, id);
        let whole = std::fs::read(&file).unwrap();
        let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        std::fs::write(&file, &whole[..last + (whole.len() - last) / 2]).unwrap();
        run(vec![builtin(id)], &smoke(&out)).unwrap();
        assert!(std::fs::read(&file).unwrap() == whole, "{id}: other bytes after the repair");
        check(&out).unwrap();
    }
}
