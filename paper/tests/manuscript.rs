//! The manuscript itself: no number typed, nothing shown that is not spoken of, every number and cell to be had from the
//! committed results.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::path::Path;

use experiments::record::Record;
use experiments::spec::Definition;

fn file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn names(file: &str) -> BTreeSet<String> {
    toml::from_str::<toml::Table>(file).unwrap().keys().cloned().collect()
}

#[test]
fn no_number_is_typed_and_all_that_is_shown_is_spoken_of() {
    let text = file("main.typ").replace("#wide-fig(", "#fig(");
    let findings = paper::prose::findings(&text, &names(&file("values.toml")), &names(&file("tables.toml")));
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

#[test]
fn every_number_and_cell_is_in_the_committed_results() {
    let data = paper::data(&paper::reference()).unwrap();
    let data: serde_json::Value = serde_json::from_str(&data).unwrap();
    assert_eq!(data["numbers"].as_object().unwrap().len(), names(&file("values.toml")).len());
    assert_eq!(data["tables"].as_object().unwrap().len(), names(&file("tables.toml")).len());
}

#[test]
fn the_committed_tables_and_numbers_are_those_of_the_committed_results() {
    let reference = paper::reference();
    let folder = paper::workspace().join("results/tables");
    let values = paper::values::all(&experiments::Registry::workspace(), &reference).unwrap();
    let committed = std::fs::read(folder.join("numbers.csv")).unwrap();
    assert!(
        committed == paper::values::to_csv(&values).unwrap(),
        "results/tables/numbers.csv: run `cargo run -p paper`"
    );
    for table in paper::tables::all(&reference).unwrap() {
        let name = format!("{}.tex", table.id);
        let committed = std::fs::read_to_string(folder.join(&name)).unwrap();
        assert_eq!(committed, table.latex(), "results/tables/{name}: run `cargo run -p paper`");
    }
}

#[test]
fn what_is_claimed_holds_in_the_committed_results() {
    let values = paper::values::all(&experiments::Registry::workspace(), &paper::reference()).unwrap();
    let broken: Vec<&str> =
        values.iter().filter(|value| value.holds() == Some(false)).map(|value| value.id.as_str()).collect();
    assert_eq!(broken, [""; 0]);
}

/// From the raw count on: in a copy of the committed results one count of one row is another one, the experiment's table is derived
/// again, and of all numbers of the text the one of that point changes and no other.
#[test]
fn one_changed_count_changes_the_numbers_that_depend_on_it_and_no_other() {
    let registry = experiments::Registry::workspace();
    let id = "exact-vs-classic";
    let out = std::env::temp_dir().join(format!("bloomery-paper-{}", std::process::id()));
    copy(&paper::reference().join("derived"), &out.join("derived"));
    copy(&paper::reference().join("raw").join(id), &out.join("raw").join(id));
    let numbers = || -> Vec<(String, f64)> {
        let values = paper::values::all(&registry, &out).unwrap();
        values.into_iter().map(|value| (value.id, value.number.value)).collect()
    };
    let before = numbers();
    let run = std::fs::read_dir(out.join("raw").join(id)).unwrap().next().unwrap().unwrap().path();
    let mut rows = Record::read_all(&run.join("rows.csv")).unwrap();
    let row = rows.iter_mut().find(|row| row.params.contains("\"k\":8,\"m\":32")).unwrap();
    let (point, count) = (row.point.clone(), row.false_positives.unwrap());
    row.false_positives = Some(count + 1);
    Record::write_all(&run.join("rows.csv"), &rows).unwrap();
    let definition = Definition::builtin().unwrap().into_iter().find(|definition| definition.id == id).unwrap();
    let derived = experiments::pipeline::load(&registry, vec![definition], &out).unwrap().remove(0).1;
    let path = out.join("derived").join(format!("{id}.csv"));
    let table = experiments::table::Table::read(&path).unwrap();
    for (old, new) in table.rows.iter().zip(&derived.table.rows) {
        assert_eq!(old != new, table.cell(old, "point") == point, "{old:?} and {new:?}");
    }
    std::fs::write(&path, derived.table.to_csv().unwrap()).unwrap();
    let after = numbers();
    std::fs::remove_dir_all(&out).unwrap();
    let changed: Vec<_> =
        before.iter().zip(&after).filter(|(left, right)| left != right).map(|(_, right)| right.0.as_str()).collect();
    assert_eq!(changed, ["classic-low-eight-32"]);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
        if path.is_dir() { copy(&path, &to.join(name)) } else { std::fs::copy(&path, to.join(name)).map(drop).unwrap() }
    }
}
