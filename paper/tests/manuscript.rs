//! The manuscript itself: no number typed, nothing shown that is not spoken of, every number and cell to be had from the
//! committed results.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::path::Path;

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

#[test]
fn one_changed_cell_changes_the_numbers_that_depend_on_it_and_no_other() {
    let out = std::env::temp_dir().join(format!("bloomery-paper-{}", std::process::id()));
    std::fs::create_dir_all(out.join("derived")).unwrap();
    for entry in std::fs::read_dir(paper::reference().join("derived")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, out.join("derived").join(path.file_name().unwrap())).unwrap();
    }
    let numbers = || -> Vec<(String, String)> {
        let values = paper::values::all(&experiments::Registry::workspace(), &out).unwrap();
        values.into_iter().map(|value| (value.id, value.shown.text)).collect()
    };
    let before = numbers();
    let path = out.join("derived/deletable-fraction.csv");
    let mut table = experiments::table::Table::read(&path).unwrap();
    let column = |name: &str| table.columns.iter().position(|column| column == name).unwrap();
    let (regions, load, cell) = (column("regions"), column("l"), column("deletable"));
    let row = table.rows.iter_mut().find(|row| row[regions] == "10000" && row[load] == "0.7").unwrap();
    row[cell] = "0.25".to_owned();
    std::fs::write(&path, table.to_csv().unwrap()).unwrap();
    let after = numbers();
    let changed: Vec<_> =
        before.iter().zip(&after).filter(|(left, right)| left != right).map(|(_, right)| right.clone()).collect();
    std::fs::remove_dir_all(&out).unwrap();
    assert_eq!(changed, [("deletable-measured".to_owned(), "25".to_owned())]);
}
