//! `new`: what it writes, and what it refuses. That the skeleton compiles and keeps the laws takes a build of its
//! own and is a step of the continuous checks.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::{folder, run_in};

const EDITED: [&str; 4] =
    ["Cargo.toml", "experiments/Cargo.toml", "experiments/src/registry.rs", "experiments/style.toml"];

/// The files that `new` looks at, in a folder of the test's own.
fn workspace(name: &str) -> std::path::PathBuf {
    let (root, copy) = (Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap(), folder(name));
    for file in EDITED {
        let to = copy.join(file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(root.join(file), to).unwrap();
    }
    std::fs::create_dir_all(copy.join("crates/standard")).unwrap();
    copy
}

fn texts(root: &Path) -> BTreeMap<&'static str, String> {
    EDITED.iter().map(|file| (*file, std::fs::read_to_string(root.join(file)).unwrap())).collect()
}

#[test]
fn a_crate_and_at_most_six_lines() {
    let root = workspace("new");
    let before = texts(&root);
    let ran = run_in(&root.join("experiments/src"), "new toy-bits");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let mut added = 0;
    for (file, after) in texts(&root) {
        let before: Vec<&str> = before[file].lines().collect();
        let (more, same): (Vec<&str>, Vec<&str>) = after.lines().partition(|line| line.contains("toy-bits"));
        assert_eq!(same, before, "{file}");
        added += more.len();
    }
    assert_eq!(added, 4);
    let sources = ["Cargo.toml", "src/lib.rs", "src/filter.rs", "src/filter/saved.rs", "src/theory.rs"];
    for file in sources.into_iter().chain(["tests/conformance.rs", "tests/golden.rs"]) {
        let text = std::fs::read_to_string(root.join("crates/toy-bits").join(file)).unwrap();
        assert!(!text.contains("{{") && !text.contains("todo!"), "{file}");
    }
    let registry = std::fs::read_to_string(root.join("experiments/src/registry.rs")).unwrap();
    assert!(registry.contains(r#"    Contender::incremental::<toy_bits::ToyBitsFilter>("toy-bits"),"#));
    run_in(&root, "new toy-bits").is_refused(2, &["`toy-bits` is taken"]);
}

#[test]
fn names_that_cannot_be() {
    let root = workspace("new-names");
    let before = texts(&root);
    for (name, words) in [
        ("standard", &["`standard` is taken", "crates/standard"][..]),
        ("serde", &["`serde` is taken"]),
        ("stats", &["`stats` is taken"]),
        ("coin", &["`coin` is taken"]),
        ("Toy", &["kebab-case"]),
        ("toy_bits", &["kebab-case"]),
        ("-toy", &["unexpected argument"]),
        ("toy-", &["kebab-case"]),
        ("4th", &["kebab-case"]),
        ("../toy", &["kebab-case"]),
        ("match", &["`match` is not allowed"]),
        ("core", &["`core` is not allowed"]),
        ("a-name-that-goes-on-and-on", &["at most 24"]),
    ] {
        run_in(&root, &format!("new {name}")).is_refused(2, words);
    }
    assert_eq!(texts(&root), before);
    assert_eq!(std::fs::read_dir(root.join("crates")).unwrap().count(), 1);
}

#[test]
fn nothing_is_left_half_written() {
    let root = workspace("new-failure");
    // No place for the style entry: found before anything is written.
    std::fs::write(root.join("experiments/style.toml"), "[contender]\n").unwrap();
    let before = texts(&root);
    run_in(&root, "new toy-bits").is_refused(1, &["experiments/style.toml"]);
    assert_eq!(texts(&root), before);
    assert!(!root.join("crates/toy-bits").exists());
}

#[test]
fn outside_of_the_workspace() {
    run_in(&std::env::temp_dir(), "new toy-bits").is_refused(2, &["no workspace with crates and experiments"]);
}
