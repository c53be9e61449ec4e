//! `features`: what each contender can do.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::note;
use crate::cli::output::{Cell, Format, Table};
use crate::error::HarnessError;
use crate::features::{self, FEATURES, Row};
use crate::pipeline;
use crate::registry::{Contender, Registry};

/// What the cells mean; part of the help.
pub const MEANING: &str = "\
A cell is yes when the type of the filter offers the feature and a filter of it, sized for a thousand keys at 5 %, keeps \
the laws that go with it; no when the type does not offer it or a trial says otherwise; BROKEN when a law fails. Each \
`no` with its reason is said on stderr; --format csv and the file in derived/ have the laws in every cell.";

/// Options of `features`.
#[derive(Clone, Debug, Args)]
pub struct FeaturesArgs {
    /// Contenders by id; all variants if not given
    #[arg(value_name = "CONTENDER")]
    pub contenders: Vec<String>,
    /// Where the derived table goes, for all variants
    #[arg(long, default_value = "results/local")]
    pub out: PathBuf,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The columns: the contender and [`FEATURES`].
const COLUMNS: [&str; FEATURES.len() + 1] = {
    let mut columns = ["contender"; FEATURES.len() + 1];
    let mut index = 0;
    while index < FEATURES.len() {
        columns[index + 1] = FEATURES[index].name;
        index += 1;
    }
    columns
};

/// Tries, prints and, where all variants were asked for, writes `derived/feature-matrix.csv`.
///
/// # Errors
/// [`HarnessError::Usage`] for an unknown contender, [`HarnessError::LawViolated`] after the table when a law is broken.
pub fn features(registry: &Registry, args: &FeaturesArgs) -> Result<(), HarnessError> {
    let named = args.contenders.iter().map(|id| registry.find(id).copied().map_err(HarnessError::Usage));
    let mut contenders: Vec<Contender> = named.collect::<Result<_, _>>()?;
    if contenders.is_empty() {
        contenders = registry.variants().copied().collect();
    }
    let rows = features::matrix(&contenders);
    if args.contenders.is_empty() {
        write(&rows, &args.out)?;
    }
    let mut table = Table::new(&COLUMNS);
    for row in &rows {
        let text = |cell: &features::Cell| match args.format {
            Format::Table | Format::Markdown => Cell::text(cell.short()),
            Format::Csv | Format::Json => Cell::text(cell.full()),
        };
        table.push([Cell::text(row.contender)].into_iter().chain(row.cells.iter().map(text)).collect());
    }
    table.print(args.format, None)?;
    if args.format.is_for_reading() {
        explain(&rows);
    }
    lawful(&rows)
}

/// What the features mean, and each no with its reason, contenders of one reason together.
fn explain(rows: &[Row]) {
    for (column, feature) in FEATURES.iter().enumerate() {
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for row in rows {
            let full = row.cells[column].full();
            match groups.iter_mut().find(|(known, _)| *known == full) {
                Some((_, ids)) => ids.push(row.contender),
                None => groups.push((full, vec![row.contender])),
            }
        }
        note(&format!("{}: {}", feature.name, feature.meaning));
        for (reason, ids) in groups {
            note(&format!("  {reason}: {}", ids.join(", ")));
        }
    }
}

/// Writes the matrix beside the derived data of the experiments.
///
/// # Errors
/// [`HarnessError::Io`] when it cannot be written.
pub fn write(rows: &[Row], out: &Path) -> Result<(), HarnessError> {
    pipeline::write_derived(out, features::ID, &features::table(rows))
}

fn lawful(rows: &[Row]) -> Result<(), HarnessError> {
    let broken = rows.iter().flat_map(|row| {
        let cells = FEATURES.iter().zip(&row.cells).filter(|(_, cell)| cell.broken);
        cells.map(|(feature, cell)| format!("{}, {}: {}", row.contender, feature.name, cell.why))
    });
    let broken: Vec<String> = broken.collect();
    if broken.is_empty() { Ok(()) } else { Err(HarnessError::LawViolated(broken.join("\n"))) }
}
