//! The feature matrix: what each contender can do, by the traits of its type and by the laws that it keeps when it is
//! tried. Nothing of it is typed: a type without the trait, or a filter that breaks the law, changes the cell.

use std::panic::{AssertUnwindSafe, catch_unwind};

use amq::{BuildError, Digest, InvalidParams};
use conformance::Finding;
use conformance::keys::{digest, digests};
use rayon::prelude::*;

use crate::capabilities::Capabilities;
use crate::registry::{Contender, Params};
use crate::table::Table;

/// The name of the derived table.
pub const ID: &str = "feature-matrix";

/// Keys that filters are sized for; the laws put in half as many, so that none that could be refused is.
const KEYS: u64 = 1000;
/// The rate that filters are sized for: high enough for the laws to see false positives.
const FPR: f64 = 0.05;
/// Copies of one key that a filter must take to take duplicates.
const COPIES: usize = 1000;
/// Times the planned keys that are put in to see whether a filter refuses.
const OVERFILL: u64 = 20;

/// Laws by name.
pub type Laws = &'static [&'static str];
/// Looks at what was tried; `Err` is why the answer is no.
type Trial = fn(&Tried) -> Result<(), String>;

/// A column of the matrix.
pub struct Feature {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Whether a type offers it, and the laws that it then must keep.
    laws: fn(&Capabilities) -> Option<Laws>,
    /// What is tried beyond the laws: `Err` says why the answer is no all the same.
    tried: Option<Trial>,
}

impl Feature {
    /// The laws that a type with these capabilities must keep to have it; none where the type does not offer it.
    #[must_use]
    pub fn laws(&self, can: &Capabilities) -> Laws {
        (self.laws)(can).unwrap_or_default()
    }
}

/// The columns, in order.
pub const FEATURES: [Feature; 8] = [
    Feature {
        name: "insert",
        meaning: "keys are taken one by one",
        laws: |can| {
            can.incremental.then_some(&[
                "insert_then_contains",
                "insert_batch_is_inserts",
                "failed_insert_changes_nothing",
                "clear_is_new",
            ])
        },
        tried: None,
    },
    Feature {
        name: "delete",
        meaning: "keys are taken out again",
        laws: |can| {
            can.deletable.then_some(&[
                "removing_the_absent_changes_nothing",
                "removing_some_keeps_the_others",
                "removing_twice_removes_once",
                "a_lone_key_leaves_nothing",
                "copies_outlive_fewer_removals",
                "remove_batch_is_removals",
            ])
        },
        tried: None,
    },
    Feature {
        name: "duplicates",
        meaning: "a thousand copies of a key are taken",
        laws: |can| Some(if can.incremental { &["insert_then_contains"] } else { &["duplicates_count_once"] }),
        tried: Some(|tried| match &tried.copies {
            Built::Ok => Ok(()),
            Built::Full { inserted } => Err(format!("refuses copy {} of a key", inserted + 1)),
            Built::Failed(why) => Err(why.clone()),
        }),
    },
    Feature {
        name: "merge",
        meaning: "two filters of equal parameters and seed become one",
        laws: |can| match (can.union, can.deletable) {
            (false, _) => None,
            (true, false) => Some(&["union_is_both", "union_refuses_another_seed"]),
            (true, true) => Some(&["union_is_both", "union_refuses_another_seed", "union_survives_removals"]),
        },
        tried: None,
    },
    Feature {
        name: "no_false_negatives",
        meaning: "every member is found",
        laws: |can| can.no_false_negatives.then_some(&["no_false_negatives"]),
        tried: None,
    },
    Feature {
        name: "deterministic",
        meaning: "equal parameters, seed and keys build equal filters",
        laws: |_| Some(&["same_seed_same_answers"]),
        tried: None,
    },
    Feature {
        name: "serialise",
        meaning: "a saved form, and the same filter from it with the same future; coded for the wire, where there is one",
        laws: |can| match (can.saved, can.wire) {
            (false, false) => None,
            (false, true) => Some(&["decoding_undoes_encoding", "damage_is_refused"]),
            (true, false) => Some(SAVED),
            (true, true) => Some(SAVED_AND_WIRE),
        },
        tried: None,
    },
    Feature {
        name: "fixed_capacity",
        meaning: "keys beyond a limit are refused, without harm to the others",
        laws: |can| Some(if can.incremental { &["failed_insert_changes_nothing"] } else { &["few_keys_build"] }),
        tried: Some(|tried| match &tried.overfilled {
            Built::Full { .. } => Ok(()),
            Built::Failed(why) => Err(why.clone()),
            Built::Ok if tried.fixed => Ok(()),
            Built::Ok => Err(format!("takes {OVERFILL} times the planned keys")),
        }),
    },
];

const SAVED: &[&str] = &[
    "loading_undoes_saving",
    "equal_filters_save_alike",
    "a_loaded_filter_has_the_same_future",
    "damaged_files_are_refused",
];
const SAVED_AND_WIRE: &[&str] = &[
    "loading_undoes_saving",
    "equal_filters_save_alike",
    "a_loaded_filter_has_the_same_future",
    "damaged_files_are_refused",
    "decoding_undoes_encoding",
    "damage_is_refused",
];

/// What was tried beyond the laws.
struct Tried {
    /// Only ever holds the keys it was built from.
    fixed: bool,
    copies: Built,
    overfilled: Built,
}

/// What came of building a filter.
enum Built {
    Ok,
    Full { inserted: u64 },
    Failed(String),
}

impl Built {
    fn of(contender: &Contender, params: &Params, keys: &[Digest]) -> Self {
        // A filter that panics is a finding, not the end of the table.
        match catch_unwind(AssertUnwindSafe(|| contender.build_from(params, 1, keys).map(drop))) {
            Ok(Ok(())) => Built::Ok,
            Ok(Err(BuildError::Full(full))) => Built::Full { inserted: full.inserted },
            Ok(Err(error)) => Built::Failed(error.to_string()),
            Err(_) => Built::Failed("building it panicked".to_owned()),
        }
    }
}

/// A cell: the answer and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The answer.
    pub yes: bool,
    /// Why it is no; empty for a yes.
    pub why: String,
    /// A law was broken that the type must keep.
    pub broken: bool,
    /// The laws that were tried.
    pub laws: Laws,
}

impl Cell {
    /// With everything: `yes (laws)`, `no: why (laws)`.
    #[must_use]
    pub fn full(&self) -> String {
        let laws = if self.laws.is_empty() { String::new() } else { format!(" ({})", self.laws.join(", ")) };
        if self.yes { format!("yes{laws}") } else { format!("no: {}{laws}", self.why) }
    }

    /// The answer alone; a broken law stands out.
    #[must_use]
    pub fn short(&self) -> &'static str {
        match (self.yes, self.broken) {
            (true, _) => "yes",
            (false, true) => "BROKEN",
            (false, false) => "no",
        }
    }
}

/// A row of the matrix: a cell for each of [`FEATURES`].
#[derive(Clone, Debug)]
pub struct Row {
    /// The contender.
    pub contender: &'static str,
    /// The cells.
    pub cells: Vec<Cell>,
}

/// Tries what each contender can do; some seconds for all of a registry. A contender that cannot be sized for the trial
/// has a row that says so.
#[must_use]
pub fn matrix(contenders: &[Contender]) -> Vec<Row> {
    contenders
        .par_iter()
        .map(|contender| {
            let cells = cells(contender).unwrap_or_else(|error| {
                let why = format!("cannot be tried with {KEYS} keys at {FPR}: {error}");
                vec![Cell { yes: false, why, broken: false, laws: &[] }; FEATURES.len()]
            });
            Row { contender: contender.id, cells }
        })
        .collect()
}

fn cells(contender: &Contender) -> Result<Vec<Cell>, InvalidParams> {
    let can = contender.traits.capabilities;
    let params = contender.size_for_fpr(KEYS, FPR)?;
    let wanted: Vec<&str> = FEATURES.iter().filter_map(|feature| (feature.laws)(&can)).flatten().copied().collect();
    let findings = contender.findings(&params, KEYS / 2, &|law| wanted.contains(&law))?;
    let tried = Tried {
        fixed: !can.incremental,
        copies: Built::of(contender, &params, &[digest(0, 0); COPIES]),
        overfilled: Built::of(contender, &params, &digests(0, 0..OVERFILL * KEYS)),
    };
    Ok(FEATURES.iter().map(|feature| cell(feature, &can, &findings, &tried)).collect())
}

fn cell(feature: &Feature, can: &Capabilities, findings: &[Finding], tried: &Tried) -> Cell {
    let no = |why: String, broken, laws| Cell { yes: false, why, broken, laws };
    let Some(laws) = (feature.laws)(can) else { return no("its type does not offer it".to_owned(), false, &[]) };
    for law in laws {
        let Some(finding) = findings.iter().find(|finding| finding.law == *law) else {
            return no(format!("{law} is no law of its type"), false, laws);
        };
        if let Err(violation) = &finding.result {
            let word = if violation.is_broken() { "broken" } else { "not tested" };
            return no(format!("{law} {word}: {violation}"), violation.is_broken(), laws);
        }
    }
    match feature.tried.map_or(Ok(()), |look| look(tried)) {
        Ok(()) => Cell { yes: true, why: String::new(), broken: false, laws },
        Err(why) => no(why, false, laws),
    }
}

/// The matrix as derived data: contenders down, features across, each cell with its laws.
#[must_use]
pub fn table(rows: &[Row]) -> Table {
    let mut table = Table::default();
    for row in rows {
        let cells = FEATURES.iter().zip(&row.cells).map(|(feature, cell)| (feature.name.to_owned(), cell.full()));
        table.push([("contender".to_owned(), row.contender.to_owned())].into_iter().chain(cells));
    }
    table
}
