//! `theory`: what a contender's formulas say, without measuring.

use amq::{Claim, Number};
use clap::Args;

use crate::cli::output::{Cell, Format, Table, shortest};
use crate::cli::sizing::{Target, resolve};
use crate::cli::{note, values};
use crate::error::HarnessError;
use crate::registry::Registry;

/// Options of `theory`.
#[derive(Clone, Debug, Args)]
pub struct TheoryArgs {
    /// The contender's id
    pub contender: String,
    /// Keys: 1000000, 1e6, 10_000, 2^20
    #[arg(long, value_name = "N", value_parser = values::keys, allow_hyphen_values = true)]
    pub keys: u64,
    /// A parameter by name, such as m=9600; may be repeated. `k` goes with --bits-per-key
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = values::param, allow_hyphen_values = true)]
    pub params: Vec<(String, Number)>,
    /// What it is sized for.
    #[command(flatten)]
    pub target: Target,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The columns.
pub const COLUMNS: &[&str] = &["name", "value", "claim", "source"];

/// The claim in tables; an approximate one with its largest relative distance.
#[must_use]
pub fn claim_text(claim: Claim) -> String {
    match claim {
        Claim::Approximate { rel } => format!("{} {}", claim.name(), shortest(rel)),
        _ => claim.name().to_owned(),
    }
}

/// Prints the sizing and every formula.
///
/// # Errors
/// [`HarnessError::Usage`] for an unknown contender or parameters it refuses.
pub fn theory(registry: &Registry, args: &TheoryArgs) -> Result<(), HarnessError> {
    let contender = registry.find(&args.contender).map_err(HarnessError::Usage)?;
    let params = resolve(contender, args.keys, &args.params, &args.target)?;
    if contender.params.is_empty() && !args.target.is_empty() {
        note(&format!("note: {} has no parameters: --fpr and --bits-per-key change nothing", contender.id));
    }
    if let Some(sizing) = contender.sizing.filter(|_| !args.target.is_empty()) {
        note(&format!("note: {}: {sizing}", contender.id));
    }
    let refused = |error: amq::InvalidParams| HarnessError::Usage(format!("{}: {error}", contender.id));
    let mut table = Table::new(COLUMNS);
    for row in contender.named_values(&params, args.keys).map_err(refused)? {
        table.push(vec![
            Cell::text(row.name),
            Cell::Real(row.value),
            Cell::text(claim_text(row.claim)),
            Cell::text(row.source),
        ]);
    }
    table.print(args.format, None)
}
