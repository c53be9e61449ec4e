//! `diff`: what a change of the code did to the results.

use std::path::PathBuf;

use clap::Args;

use crate::cli::note;
use crate::cli::output::{Cell, Format, Table};
use crate::diff::{self, COLUMNS};
use crate::error::HarnessError;

/// How it is read and how it ends; part of the help.
pub const MEANING: &str = "\
Each side is the folder of one run (with run.toml) or a results folder, of which the newest finished run of each experiment counts. \
Points are the same where measure, contender and factors are.

Changes: `rate`, a quantity that is not the same at a level of 1e-7, with filters (repetitions) as the unit and the trials in them; \
`counts`, other counts although seed, parameters and amounts are the same; `time`, a ratio of the second to the first whose 95 % \
interval over rounds leaves out 1, as one in twenty does by chance, or a single time that is another one; `outcome`; `params`; \
`new`; `missing`.

Exit code 0: nothing changed but times, if anything; 1: something did, or a file cannot be read; 2: there is nothing to compare.";

/// Options of `diff`.
#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// The run or the results before
    #[arg(value_name = "RUN_A")]
    pub before: PathBuf,
    /// The run or the results after
    #[arg(value_name = "RUN_B")]
    pub after: PathBuf,
    /// Show what is the same, too
    #[arg(long)]
    pub all: bool,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Prints the table of changes.
///
/// # Errors
/// [`HarnessError::Failed`] where something other than a time changed, and what cannot be compared.
pub fn diff(args: &DiffArgs) -> Result<(), HarnessError> {
    let diff = diff::diff(&args.before, &args.after, args.all)?;
    let mut table = Table::new(&COLUMNS);
    for row in &diff.changes.rows {
        let cell = |column: &&str| {
            let text = diff.changes.cell(row, column);
            match (text.parse::<u64>(), text.parse::<f64>()) {
                (Ok(count), _) => Cell::Integer(count),
                (_, Ok(real)) => Cell::Real(real),
                _ if text.is_empty() => Cell::Empty,
                _ => match serde_json::from_str(text) {
                    Ok(factors @ serde_json::Value::Object(_)) => Cell::Json(factors),
                    _ => Cell::text(text),
                },
            }
        };
        table.push(COLUMNS.iter().map(cell).collect());
    }
    table.print(args.format, Some(4))?;
    note(&format!(
        "{} points on both sides, {} quantities compared, {} of them without a test for want of filters",
        diff.points, diff.quantities, diff.untested
    ));
    match diff.counted {
        0 => Ok(()),
        1 => Err(HarnessError::Failed("1 change that is no time".to_owned())),
        many => Err(HarnessError::Failed(format!("{many} changes that are no times"))),
    }
}
