//! The feature matrix: every cell follows from the type or from a trial, and breaking what it says flips it.

use std::collections::BTreeMap;

use crate::cli::{folder, run, run_args};
use crate::toys::{Fault, Kind, Sound, Toy};
use experiments::capabilities::Capabilities;
use experiments::features::{self, FEATURES};
use experiments::{Contender, Registry, contender};

/// The cells of a contender, by feature.
fn cells(contender: Contender) -> BTreeMap<&'static str, features::Cell> {
    let row = features::matrix(&[contender]).remove(0);
    FEATURES.iter().map(|feature| feature.name).zip(row.cells).collect()
}

#[test]
fn a_sound_filter_that_can_do_all_has_a_row_of_yes() {
    for (name, cell) in cells(contender!(incremental::<Toy<Sound>>("toy"))) {
        assert!(cell.yes && !cell.broken && !cell.laws.is_empty(), "{name}: {cell:?}");
    }
}

/// A law that is renamed in `conformance` must be renamed where a feature names it.
#[test]
fn every_law_named_is_a_law() {
    let can = [true, false].map(|incremental| Capabilities {
        incremental,
        fixed: !incremental,
        no_false_negatives: true,
        decaying: false,
        deletable: true,
        union: true,
        wire: true,
        saved: true,
    });
    let registry = Registry::workspace();
    let known = |law: &str| {
        registry.variants().any(|contender| {
            let params = contender.size_for_fpr(1000, 0.05).unwrap();
            // No keys: only the names matter.
            !contender.findings(&params, 0, &|name| name == law).unwrap().is_empty()
        })
    };
    for feature in FEATURES {
        for law in can.iter().flat_map(|can| feature.laws(can)) {
            assert!(known(law), "{}: {law}", feature.name);
        }
    }
}

/// Nothing is found of a type where it is only a letter: a contender without the macro has what its bounds prove.
#[test]
fn without_the_macro_only_the_bounds_count() {
    let row = cells(Contender::incremental::<Toy<Sound>>("toy"));
    let yes: Vec<&str> = row.iter().filter(|(_, cell)| cell.yes).map(|(name, _)| *name).collect();
    assert_eq!(yes, ["deterministic", "duplicates", "fixed_capacity", "insert", "no_false_negatives"]);
    assert_eq!(row["merge"].full(), "no: its type does not offer it");
}

macro_rules! flips {
    ($($fault:ident: $feature:literal by $law:literal,)+) => {
        $(
            #[allow(non_snake_case, reason = "named as the fault")]
            #[test]
            fn $fault() {
                #[derive(Clone, Copy, Debug)]
                struct This;
                impl Fault for This {
                    const KIND: Kind = Kind::$fault;
                }
                let row = cells(contender!(incremental::<Toy<This>>("toy")));
                let cell = &row[$feature];
                assert!(!cell.yes && cell.broken, "{cell:?}");
                assert!(cell.why.starts_with(concat!($law, " broken: ")), "{cell:?}");
                assert!(cell.laws.contains(&$law) && cell.short() == "BROKEN", "{cell:?}");
            }
        )+
        const FLIPPED: &[(&str, &str)] = &[$(($feature, $law)),+];
    };
}

flips! {
    ForgetsRepeatOnCount: "duplicates" by "insert_then_contains",
    ClearKeepsOneKey: "insert" by "clear_is_new",
    BatchInsertSkipsLast: "insert" by "insert_batch_is_inserts",
    FailedInsertEvicts: "fixed_capacity" by "failed_insert_changes_nothing",
    RemoveDoesNothing: "delete" by "removing_twice_removes_once",
    RemoveMissesMember: "delete" by "removing_some_keeps_the_others",
    RemoveAbsentTakesNext: "delete" by "removing_the_absent_changes_nothing",
    RemoveRefusesAll: "delete" by "a_lone_key_leaves_nothing",
    RemoveLowersStuckAt15: "delete" by "copies_outlive_fewer_removals",
    UnionLosesKey: "merge" by "union_is_both",
    UnionTakesMost: "merge" by "union_survives_removals",
    UnionTakesAnySeed: "merge" by "union_refuses_another_seed",
    DropsOneIn10000: "no_false_negatives" by "no_false_negatives",
    TakesAnotherSeedEachTime: "deterministic" by "same_seed_same_answers",
    WireLosesLastKey: "serialise" by "decoding_undoes_encoding",
    WireTakesDamage: "serialise" by "damage_is_refused",
}

/// Of a filter that is built once.
#[test]
fn a_build_that_panics_on_duplicates() {
    #[derive(Clone, Copy, Debug)]
    struct This;
    impl Fault for This {
        const KIND: Kind = Kind::BuildPanicsOnDuplicates;
    }
    let sound = cells(Contender::fixed::<Toy<Sound>>("toy"));
    assert!(sound["duplicates"].yes && sound["fixed_capacity"].yes && !sound["insert"].yes, "{sound:?}");
    let row = cells(Contender::fixed::<Toy<This>>("toy"));
    assert!(row["duplicates"].why.starts_with("duplicates_count_once broken: "), "{:?}", row["duplicates"]);
}

#[test]
fn every_feature_was_flipped() {
    for feature in FEATURES {
        assert!(FLIPPED.iter().any(|(flipped, _)| *flipped == feature.name), "{}", feature.name);
    }
}

/// The rows of this workspace; the table is written beside the derived data.
#[test]
fn the_matrix_of_the_workspace() {
    let out = folder("features");
    let ran = run_args(&["features", "--format", "csv", "--out", out.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(out.join("derived/feature-matrix.csv")).unwrap(), ran.stdout);
    let rows = ran.rows();
    assert_eq!(rows.len(), Registry::workspace().variants().count());
    let cell = |id: &str, feature: &str| rows.iter().find(|row| row["contender"] == id).unwrap()[feature].clone();
    assert_eq!(cell("standard", "merge"), "yes (union_is_both, union_refuses_another_seed)");
    assert_eq!(cell("standard", "delete"), "no: its type does not offer it");
    assert_eq!(cell("cuckoo", "duplicates"), "no: refuses copy 9 of a key (insert_then_contains)");
    assert!(
        cell("counting-4", "delete").starts_with("yes (") && cell("stable", "no_false_negatives").starts_with("no")
    );
    assert!(cell("xor-8", "insert").starts_with("no") && cell("xor-8", "duplicates").starts_with("yes"));
    for contender in Registry::workspace().variants() {
        let serialise = cell(contender.id, "serialise");
        assert!(serialise.starts_with("yes (") && serialise.contains("damaged_files_are_refused"), "{serialise}");
    }
    assert!(
        cell("compressed", "serialise").contains("decoding_undoes_encoding")
            && cell("cuckoo", "fixed_capacity").starts_with("yes")
    );
}

#[test]
fn a_broken_law_fails_the_command() {
    let ran = run("features standard leaky");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("BROKEN"), "{}", ran.stdout);
    assert!(ran.stderr.contains("leaky, no_false_negatives: no_false_negatives broken: member"), "{}", ran.stderr);
    run("features standart").is_refused(2, &["nearest is `standard`"]);
}
