//! `claims`: popular claims beside what is right and what was measured.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::claims;
use crate::cli::emit;
use crate::cli::output::{Cell, Format, Table, rounded};
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
    "claim_is",
    "verdict",
    "low",
    "high",
    "says",
    "right_from",
    "measured_from",
];
/// Those of the form for reading; the rest stands beneath, a few lines for each claim.
const NUMBERS: usize = 6;

/// Prints the table and writes `derived/claims-checked.csv`.
///
/// # Errors
/// [`HarnessError`] for a folder that cannot be read or written.
pub fn claims(registry: &Registry, args: &ClaimsArgs) -> Result<(), HarnessError> {
    let derived = write(registry, &args.out)?;
    let reading = args.format.is_for_reading();
    let columns = if reading { &COLUMNS[..NUMBERS] } else { COLUMNS };
    let mut table = Table::new(columns);
    for row in &derived.rows {
        let cell = |name: &&str| match derived.number(row, name) {
            // As it was claimed, to the last zero.
            Some(_) if *name == "claimed" => Cell::text(derived.cell(row, name)),
            Some(value) if value.fract() == 0.0 && (0.0..1e15).contains(&value) => Cell::Integer(value as u64),
            Some(value) => Cell::Real(value),
            None => Cell::text(derived.cell(row, name)),
        };
        table.push(columns.iter().map(cell).collect());
    }
    table.print(args.format, Some(6))?;
    if !reading {
        return Ok(());
    }
    let mut text = String::new();
    for row in &derived.rows {
        let cell = |name| derived.cell(row, name);
        let short = |name| derived.number(row, name).map_or_else(String::new, |value| rounded(value, 6));
        let between =
            if cell("low").is_empty() { String::new() } else { format!("{} to {} by ", short("low"), short("high")) };
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\n{}: {}\n  right: {}\n  measured: {between}{}\n",
            cell("claim"),
            cell("says"),
            cell("right_from"),
            cell("measured_from")
        );
    }
    emit(text.as_bytes())
}

/// Writes the table beside the derived data of the experiments.
///
/// # Errors
/// As [`claims()`].
pub fn write(registry: &Registry, out: &Path) -> Result<crate::table::Table, HarnessError> {
    let table = claims::table(registry, &claims::builtin()?, out)?;
    pipeline::write_derived(out, claims::ID, &table)?;
    Ok(table)
}
