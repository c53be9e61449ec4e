//! `list`: the contenders and the experiments there are.

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::cli::output::{Cell, Format, Table};
use crate::error::HarnessError;
use crate::registry::{Contender, Registry, Role};
use crate::spec::Definition;
use crate::studies::STUDIES;

/// Options of `list`.
#[derive(Clone, Debug, Args)]
pub struct ListArgs {
    /// What is listed
    #[arg(value_enum)]
    pub what: What,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Filters and controls, with their parameters
    Contenders,
    /// Definitions
    Experiments,
    /// What definitions can run with `model = "study"`
    Studies,
}

/// The columns of `list contenders`.
pub const COLUMNS: &[&str] = &["contender", "role", "bound", "params", "about"];
/// The columns of `list studies`.
pub const STUDY_COLUMNS: &[&str] = &["study", "factors", "axis", "quantities", "about"];

/// Prints the list.
///
/// # Errors
/// [`HarnessError`] when it cannot be written.
pub fn list(registry: &Registry, args: &ListArgs) -> Result<(), HarnessError> {
    match args.what {
        What::Experiments => list_experiments(args.format),
        What::Studies => {
            let mut table = Table::new(STUDY_COLUMNS);
            for study in STUDIES {
                let quantities: Vec<&str> = study.quantities.iter().map(|quantity| quantity.name).collect();
                table.push(vec![
                    Cell::text(study.name),
                    Cell::text(study.factors.join(", ")),
                    Cell::text(study.axis.map_or("", |axis| axis.name)),
                    Cell::text(quantities.join(", ")),
                    Cell::text(study.about),
                ]);
            }
            table.print(args.format, Some(8))
        }
        What::Contenders => {
            let mut table = Table::new(COLUMNS);
            for contender in registry.iter() {
                table.push(row(contender, args.format));
            }
            table.print(args.format, Some(6))
        }
    }
}

/// `list experiments`.
///
/// # Errors
/// What stopped it.
fn list_experiments(format: Format) -> Result<(), HarnessError> {
    let mut table = Table::new(EXPERIMENT_COLUMNS);
    for definition in Definition::builtin()? {
        let tags = definition.tags.join(", ");
        table.push(vec![Cell::text(definition.id), Cell::text(tags), Cell::text(definition.question)]);
    }
    table.print(format, None)
}

/// The columns of `list experiments`.
pub const EXPERIMENT_COLUMNS: &[&str] = &["experiment", "tags", "question"];

fn row(contender: &Contender, format: Format) -> Vec<Cell> {
    let role = match contender.role {
        Role::Variant => "variant",
        Role::Baseline => "baseline",
        Role::Control => "control",
        Role::Published => "published",
    };
    let params = match (format, contender.params) {
        (Format::Json, params) => Cell::Json(
            params
                .iter()
                .map(|info| json!({"name": info.name, "meaning": info.meaning, "range": info.range}))
                .collect(),
        ),
        (_, []) => Cell::text("none"),
        (_, params) => Cell::text(
            params
                .iter()
                .map(|info| format!("{} = {} ({})", info.name, info.meaning, info.range))
                .collect::<Vec<_>>()
                .join("; "),
        ),
    };
    vec![
        Cell::text(contender.id),
        Cell::text(role),
        Cell::text(contender.class.name()),
        params,
        Cell::text(about(contender)),
    ]
}

/// A sentence of what the registry knows.
fn about(contender: &Contender) -> String {
    let kind = match contender.role {
        Role::Variant => "a filter to be measured",
        Role::Baseline => "a plain design that filters are held against",
        Role::Control => "to be judged in a known way, only run by name",
        Role::Published => "a published crate, only run by name or with --peers",
    };
    let version = contender.published.map(|version| format!("{version}: ")).unwrap_or_default();
    let promise = if contender.no_false_negatives { "promises no false negatives" } else { "may deny members" };
    format!("{version}{kind}; {promise}")
}
