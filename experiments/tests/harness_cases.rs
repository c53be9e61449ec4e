//! The list of known failures (docs/RELIABILITY.md) and the tests named after them stay together.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{files_with, text};

/// Cases of everything that is built.
const CASES: [u32; 42] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31, 32,
    33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 44,
];

/// `file::name` of each test named after a case: only functions that stand under `#[test]`.
fn tests() -> BTreeMap<u32, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    for file in files_with("rs") {
        let mut is_test = false;
        for line in text(&file).lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("fn hand_").filter(|_| is_test) {
                let name = format!("hand_{}", rest.split('(').next().unwrap());
                let test = format!("{}::{name}", file.display());
                // A name may begin with several cases: hand_12_hand_13_...
                for case in name.split("hand_").skip(1).map(|part| &part[..2]) {
                    let cases: &mut BTreeSet<String> = found.entry(case.parse().unwrap()).or_default();
                    cases.insert(test.clone());
                }
            }
            is_test = line == "#[test]" || is_test && (line.starts_with("#[") || line.starts_with("//"));
        }
    }
    found
}

#[test]
fn every_case_of_what_is_built_is_a_test() {
    let tests = tests();
    let missing: Vec<u32> = CASES.into_iter().filter(|case| !tests.contains_key(case)).collect();
    assert!(missing.is_empty(), "no test begins with hand_NN_ for {missing:?}");
}

#[test]
fn the_table_of_cases_names_tests_that_exist() {
    let (tests, page) = (tests(), text("docs/RELIABILITY.md"));
    let mut listed = BTreeSet::new();
    for line in page.lines().filter(|line| line.starts_with("| HAND-")) {
        let case: u32 = line["| HAND-".len()..].split(' ').next().unwrap().parse().unwrap();
        listed.insert(case);
        let names: Vec<&str> = line.split('`').skip(1).step_by(2).filter(|word| word.contains("::")).collect();
        assert!(!names.is_empty(), "HAND-{case:02} has no test in the table");
        for name in names {
            let known = tests.get(&case).is_some_and(|known| known.contains(name));
            assert!(known, "HAND-{case:02}: no test `{name}`; there are {:?}", tests.get(&case));
        }
    }
    for case in CASES {
        assert!(listed.contains(&case), "HAND-{case:02} is not in docs/RELIABILITY.md");
    }
}
