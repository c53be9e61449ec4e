//! The commands over definitions: `run`, `figure`, `report`, `check`, and no command at all.

use std::path::PathBuf;

use clap::Args;

use crate::error::HarnessError;
use crate::registry::Registry;
use crate::spec::Scale;

/// Options of `run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Experiments by id or tag; all of them if none is given
    #[arg(value_name = "ID_OR_TAG")]
    pub ids: Vec<String>,
    /// How much is measured
    #[arg(long, value_enum, default_value_t = Scale::Quick)]
    pub scale: Scale,
    /// The root of every random choice; equal seeds give equal counts
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads; as many as there are cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Where rows, derived data and figures are written
    #[arg(long, default_value = "results/local")]
    pub out: PathBuf,
    /// Measure finished points again
    #[arg(long)]
    pub again: bool,
    /// Contenders in place of those of the definitions, for example controls
    #[arg(long, value_delimiter = ',', value_name = "ID,...")]
    pub contenders: Vec<String>,
}

/// Options of `figure`.
#[derive(Clone, Debug, Args)]
pub struct FigureArgs {
    /// Experiments by id; all that were measured if none is given
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Printed width, such as 3.33in (a column) or 7in (a page)
    #[arg(long, default_value = "7in")]
    pub width: String,
    /// Where the derived data are and the figures go
    #[arg(long, default_value = "results/local")]
    pub out: PathBuf,
}

/// Options of `report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// Where the results are
    #[arg(long, default_value = "results/local")]
    pub out: PathBuf,
}

/// Options of `check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Where the results are
    #[arg(long, default_value = "results/local")]
    pub out: PathBuf,
}

fn not_built_yet() -> Result<(), HarnessError> {
    Err(HarnessError::Failed("not built yet".to_owned()))
}

/// No command: everything at quick scale.
///
/// # Errors
/// As [`run`].
pub fn plain(_registry: &Registry) -> Result<(), HarnessError> {
    not_built_yet()
}

/// `run`.
///
/// # Errors
/// What stopped it.
pub fn run(_registry: &Registry, _args: &RunArgs) -> Result<(), HarnessError> {
    not_built_yet()
}

/// `figure`.
///
/// # Errors
/// What stopped it.
pub fn figure(_registry: &Registry, _args: &FigureArgs) -> Result<(), HarnessError> {
    not_built_yet()
}

/// `report`.
///
/// # Errors
/// What stopped it.
pub fn report(_registry: &Registry, _args: &ReportArgs) -> Result<(), HarnessError> {
    not_built_yet()
}

/// `check`.
///
/// # Errors
/// What stopped it.
pub fn check(_registry: &Registry, _args: &CheckArgs) -> Result<(), HarnessError> {
    not_built_yet()
}

/// `list experiments`.
///
/// # Errors
/// What stopped it.
pub fn list_experiments(_registry: &Registry) -> Result<(), HarnessError> {
    not_built_yet()
}
