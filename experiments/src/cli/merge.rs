//! `merge`: shards of runs become runs.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Args;

use crate::cli::{note, run};
use crate::error::HarnessError;
use crate::merge;
use crate::pipeline::{self, Ended};
use crate::registry::Registry;
use crate::run::Options;
use crate::spec::Definition;

/// How it ends; part of the help.
pub const MEANING: &str = "\
Inputs are results folders with runs of `run --shard I/N`; the output may be one of them. Shards of another definition or commit \
are refused. Rows that two inputs have must be equal, and are counted. With a gap the rows are put together all the same, the gap \
is named and the exit code is 1: measure the shards that are missing and merge again, or let `run` without --shard into the \
output folder measure the rest.";

/// Options of `merge`.
#[derive(Clone, Debug, Args)]
pub struct MergeArgs {
    /// The results folder to write
    pub out: PathBuf,
    /// Results folders with runs of shards
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

/// Merges, then derives, draws and reports the runs that are whole, as `run` does.
///
/// # Errors
/// What stopped it, and gaps.
pub fn merge(registry: &Registry, args: &MergeArgs) -> Result<(), HarnessError> {
    let merged = merge::merge(registry, &args.out, &args.inputs)?;
    let mut gaps = Vec::new();
    let mut whole: Vec<(Options, Vec<Definition>)> = Vec::new();
    for one in merged {
        let (id, shards) = (&one.definition.id, one.shards.join(", "));
        note(&format!("{id}: {} rows of shards {shards}; {} rows were there more than once", one.rows, one.twice));
        if !one.gaps.is_empty() {
            gaps.extend(one.gaps);
        } else if let Some((_, same)) = whole.iter_mut().find(|(options, _)| *options == one.options) {
            same.push(one.definition);
        } else {
            whole.push((one.options, vec![one.definition]));
        }
    }
    let mut all = Ended { derived: Vec::new(), broken: None };
    for (options, definitions) in whole {
        let ended = pipeline::run(registry, definitions, &options, &AtomicBool::new(false))?;
        all.derived.extend(ended.derived);
        all.broken = all.broken.or(ended.broken);
    }
    if !all.derived.is_empty() {
        run::show(registry, &args.out, all)?;
    }
    if gaps.is_empty() {
        return Ok(());
    }
    let advice =
        "measure these shards and merge again, or measure the rest with `experiments run` into the output folder";
    Err(HarnessError::Failed(format!("{}\n{advice}", gaps.join("\n"))))
}
