//! `speed-table`: how times stand to each other and to what was aimed at.

use std::path::PathBuf;

use clap::Args;

use crate::cli::note;
use crate::cli::output::{Cell, Format, Table};
use crate::error::HarnessError;
use crate::pipeline;
use crate::record::Record;
use crate::registry::Registry;
use crate::spec::Definition;
use crate::targets::{self, EXPERIMENT, Runs};

/// Options of `speed-table`.
#[derive(Clone, Debug, Args)]
pub struct SpeedTableArgs {
    /// Where the run of `performance` is, and where the derived table goes
    #[arg(long, default_value = "results/local")]
    pub out: PathBuf,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The columns.
const COLUMNS: &[&str] = &[
    "class",
    "contender",
    "keys",
    "quantity",
    "value",
    "against",
    "their_value",
    "ratio",
    "ratio_median",
    "ratio_median_low",
    "ratio_median_high",
    "rounds",
    "target",
    "met",
];

/// Prints the table of the newest run and writes `derived/speed-ratios.csv`.
///
/// # Errors
/// [`HarnessError::Usage`] where there is no finished run.
pub fn speed_table(registry: &Registry, args: &SpeedTableArgs) -> Result<(), HarnessError> {
    let derived = table(registry, &args.out)?;
    pipeline::write_derived(&args.out, targets::ID, &derived)?;
    let mut table = Table::new(COLUMNS);
    for row in &derived.rows {
        let cell = |column: &&str| {
            let text = derived.cell(row, column);
            match (text.parse::<u64>(), text.parse::<f64>()) {
                (Ok(count), _) => Cell::Integer(count),
                (_, Ok(real)) => Cell::Real(real),
                _ if text.is_empty() => Cell::Empty,
                _ => Cell::text(text),
            }
        };
        table.push(COLUMNS.iter().map(cell).collect());
    }
    table.print(args.format, Some(3))?;
    let count = |word: &str| derived.rows.iter().filter(|row| derived.cell(row, "met") == word).count();
    let (met, missed) = (count("yes"), count("no"));
    let open = derived.rows.len() - met - missed;
    note(&format!("{met} of {} ratios are met, {open} were not measured", derived.rows.len()));
    Ok(())
}

/// The table of the newest finished run in a folder.
///
/// # Errors
/// [`HarnessError::Usage`] where there is none.
pub fn table(registry: &Registry, out: &std::path::Path) -> Result<crate::table::Table, HarnessError> {
    let definitions = pipeline::select(Definition::builtin()?, &[EXPERIMENT.to_owned()])?;
    let loaded = pipeline::load(registry, definitions, out)?;
    let Some((plan, _)) = loaded.first() else {
        return Err(HarnessError::Usage(format!(
            "{}: no finished run of {EXPERIMENT}: `experiments run {EXPERIMENT}` makes one",
            out.display()
        )));
    };
    let records = Record::read_all(&plan.folder.join("rows.csv"))?;
    Ok(targets::table(&targets::builtin()?, &Runs::new(plan, &records)))
}
