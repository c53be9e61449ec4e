//! The house keeps its order: arrows between crates, one spelling everywhere, nothing of a machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use crate::common::{files, files_with, root, text};
use experiments::Registry;
use experiments::figure::StyleBook;
use serde_json::Value;

/// Crates that are no variants, with all that they may depend on of ours.
const SHARED: [(&str, &[&str]); 11] = [
    ("amq", &[]),
    ("stats", &[]),
    ("hashing", &["amq", "bits"]),
    ("bits", &["amq"]),
    ("bloom-theory", &["amq", "stats"]),
    ("saved", &["amq", "bits", "hashing"]),
    ("bloom-array", &["amq", "bits", "bloom-theory", "hashing", "saved"]),
    ("conformance", &["amq", "hashing", "saved", "stats"]),
    // Where a published filter has the construction of a variant, it is held to that variant's theory.
    ("peers", &["amq", "bloom-theory", "stats", "blocked", "cuckoo", "xor"]),
    // The shared forms of two variants.
    ("atomic", &["amq", "bits", "blocked", "standard"]),
    // Parquet's filter is sized by the theory of split blocks.
    ("formats", &["amq", "bits", "blocked", "hashing"]),
];

/// What a variant may build on; its tests may use `conformance` too.
const BENEATH_VARIANTS: [&str; 7] = ["amq", "hashing", "bits", "saved", "bloom-array", "bloom-theory", "stats"];

/// Directory of a crate -> directories of the crates of ours that it depends on, each with whether it does so in
/// tests only.
type Arrows = BTreeMap<String, BTreeSet<(String, bool)>>;

static ARROWS: LazyLock<Arrows> = LazyLock::new(|| {
    let cargo = std::env::var_os("CARGO").unwrap();
    let args = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = Command::new(cargo).args(args).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |path: &str| Path::new(path).file_name().unwrap().to_str().unwrap().to_owned();
    let packages = metadata["packages"].as_array().unwrap().iter().map(|package| {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let ours = dependencies.filter_map(|one| Some((name(one["path"].as_str()?), one["kind"] == "dev")));
        (name(manifest.to_str().unwrap()), ours.collect())
    });
    packages.collect()
});

/// What stands above all crates, in a folder of its own.
const ABOVE: [&str; 2] = ["experiments", "paper"];

fn variants() -> Vec<&'static str> {
    let shared = |name: &str| ABOVE.contains(&name) || SHARED.iter().any(|(shared, _)| *shared == name);
    let variants: Vec<&str> = ARROWS.keys().map(String::as_str).filter(|name| !shared(name)).collect();
    assert!(variants.contains(&"standard") && variants.contains(&"partitioned"), "{variants:?}");
    variants
}

#[test]
fn arrows_point_one_way() {
    for (from, allowed) in SHARED {
        for (to, tests_only) in &ARROWS[from] {
            assert!(*tests_only || allowed.contains(&to.as_str()), "{from} depends on {to}");
        }
    }
    let variants = variants();
    for from in &variants {
        for (to, tests_only) in &ARROWS[*from] {
            let to = to.as_str();
            assert!(!variants.contains(&to) && to != "experiments", "{from} depends on {to}");
            assert!(BENEATH_VARIANTS.contains(&to) || *tests_only && to == "conformance", "{from} depends on {to}");
        }
    }
    for (from, arrows) in ARROWS.iter() {
        let harness = arrows.iter().any(|(to, _)| to == "experiments");
        assert!(!harness || from == "paper", "{from} depends on experiments");
        assert!(arrows.iter().all(|(to, _)| to != "paper"), "{from} depends on paper");
    }
}

#[test]
fn the_metadata_know_every_crate() {
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap());
    for folder in folders.filter(|entry| entry.path().join("Cargo.toml").is_file()) {
        let name = folder.file_name().into_string().unwrap();
        assert!(ARROWS.contains_key(&name), "crates/{name} is no member of the workspace");
    }
}

#[test]
fn every_variant_is_registered_styled_and_tested() {
    let (registry, book) = (Registry::workspace(), StyleBook::committed().unwrap());
    // A crate may have several contenders (`counting-2`, `counting-4`), so the lines tell which crate an id is of.
    let source = text("experiments/src/registry.rs");
    let table: Vec<&str> = source.split("const CONTENDERS").nth(1).unwrap().lines().collect();
    let ids_of = |id: &str| -> Vec<&str> {
        let lines = table.iter().filter(|line| line.contains(&format!("{}::", id.replace('-', "_"))));
        lines.filter_map(|line| line.split('"').nth(1)).collect()
    };
    for id in variants() {
        let ids = ids_of(id);
        assert!(!ids.is_empty(), "{id}: no line in registry.rs");
        for id in ids {
            assert!(registry.variants().any(|contender| contender.id == id), "{id}: no variant of the registry");
            assert!(book.ids().any(|styled| styled == id), "{id}: no entry in style.toml");
        }
        let conformance = text(format!("crates/{id}/tests/conformance.rs"));
        assert!(conformance.contains("conformance::suite!"), "{id}: tests/conformance.rs runs no suite");
        let lines = conformance.lines().count();
        assert!(lines <= 15, "{id}: tests/conformance.rs has {lines} lines, at most 15");
        let golden = text(format!("crates/{id}/tests/golden.rs"));
        assert!(golden.contains("#[test]"), "{id}: tests/golden.rs tests nothing");
        assert!(conformance.contains("saved"), "{id}: the suite does not name the capability `saved`");
        assert!(golden.contains("conformance::frozen!"), "{id}: tests/golden.rs has no line in conformance::frozen!");
    }
    for contender in registry.variants() {
        let known = variants().iter().any(|id| ids_of(id).contains(&contender.id));
        assert!(known, "{}: not a type of a crate of crates/", contender.id);
    }
}

#[test]
fn every_contender_has_a_style_and_an_id_of_its_own() {
    let (registry, book) = (Registry::workspace(), StyleBook::committed().unwrap());
    let mut seen = BTreeSet::new();
    for contender in registry.iter() {
        assert!(book.ids().any(|styled| styled == contender.id), "{}: no style", contender.id);
        assert!(seen.insert(contender.id), "{}: registered twice", contender.id);
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(contender.id.chars().all(kebab), "{}: not in kebab-case", contender.id);
    }
    // The registry keeps the later of two equal ids, so the lines themselves are counted too.
    let source = text("experiments/src/registry.rs");
    let table = source.split("const CONTENDERS").nth(1).unwrap().split("];").next().unwrap();
    let lines = table.lines().filter(|line| line.trim_start().starts_with(['C', 'd'])).count();
    assert_eq!(lines, seen.len(), "{table}");
}

#[test]
fn unsafe_code_has_one_home() {
    let libraries: Vec<_> = files_with("rs").into_iter().filter(|file| file.ends_with("src/lib.rs")).collect();
    assert_eq!(libraries.len(), ARROWS.len());
    for library in libraries {
        let forbids = text(&library).contains("#![forbid(unsafe_code)]");
        assert!(forbids || library == Path::new("crates/bits/src/lib.rs"), "{}", library.display());
    }
}

#[test]
fn no_file_of_code_is_longer_than_600_lines() {
    for file in files_with("rs") {
        let lines = text(&file).lines().count();
        assert!(lines <= 600, "{}: {lines} lines", file.display());
    }
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    for name in ARROWS.keys() {
        let folder = if ABOVE.contains(&name.as_str()) { name.clone() } else { format!("crates/{name}") };
        let manifest: toml::Table = text(format!("{folder}/Cargo.toml")).parse().unwrap();
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
        assert_eq!(lints, Some(true), "{name}");
    }
}

#[test]
fn no_file_knows_a_machine() {
    // Put together here, so that this file does not find itself.
    let folders = ["home", "root", "work", "tmp", "Users"].map(|name| format!("/{name}/"));
    let hosts = ["index", "static"].map(|name| format!("{name}.crates{}", ".io"));
    let sources = [format!("sparse{}", "+http"), format!("replace{}", "-with")];
    let words: Vec<&String> = folders.iter().chain(&hosts).chain(&sources).collect();
    let mut found = Vec::new();
    for file in files() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("LICENSE") || file.starts_with("LICENSES") || name == "Cargo.lock" {
            continue;
        }
        // What is no text (fonts, pictures) cannot be read by lines.
        let Ok(text) = String::from_utf8(std::fs::read(root().join(&file)).unwrap()) else { continue };
        for (index, line) in text.lines().enumerate() {
            let hit = words.iter().find(|word| line.contains(word.as_str()));
            found.extend(hit.map(|word| format!("{}:{}: `{word}` in {line}", file.display(), index + 1)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
