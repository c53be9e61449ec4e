//! `claims`: popular claims beside what is right and what was measured.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::claims;
use crate::cli::output::{Cell, Format, Table};
use crate::error::HarnessError;
use crate::pipeline;
use crate::registry::Registry;

/// What the columns mean; part of the help.
pub const MEANING: &str = "\
A claim is right when the right value, rounded to as many digits as are claimed, is the claimed one. The right value is \
computed by a formula or by the theory of a filter, the measured one from cells of the derived tables of runs; nothing \
but the claimed number is typed. `low` and `high` enclose the measured value where it comes from counts (95 %); verdict \
is that of the row measured. A value that is not there yet names the command that measures it.";

/// Options of `claims`.
#[derive(Clone, Debug, Args)]
pub struct ClaimsArgs {
    /// Where the results are
    #[arg(long, default_value = "results/local")]
    pub out: PathBuf,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The columns.
pub const COLUMNS: &[&str] = &[
    "claim",
    "claimed",
    "right",
    "measured",
    "low",
    "high",
    "claim_is",
    "verdict",
    "says",
    "right_from",
    "measured_from",
];

/// Prints the table and writes `derived/claims-checked.csv`.
///
/// # Errors
/// [`HarnessError`] for a folder that cannot be read or written.
pub fn claims(registry: &Registry, args: &ClaimsArgs) -> Result<(), HarnessError> {
    let derived = write(registry, &args.out)?;
    let mut table = Table::new(COLUMNS);
    for row in &derived.rows {
        let number = |name: &str| match derived.number(row, name) {
            Some(value) if name != "claimed" => Cell::Real(value),
            _ => Cell::text(derived.cell(row, name)),
        };
        table.push(COLUMNS.iter().map(|name| number(name)).collect());
    }
    table.print(args.format, Some(5))
}

/// Writes the table beside the derived data of the experiments.
///
/// # Errors
/// As [`claims`].
pub fn write(registry: &Registry, out: &Path) -> Result<crate::table::Table, HarnessError> {
    let table = claims::table(registry, &claims::builtin()?, out)?;
    pipeline::write_derived(out, claims::ID, &table)?;
    Ok(table)
}
