//! The commands over definitions: `run`, `figure`, `report`, `check`, and no command at all.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;

use crate::error::HarnessError;
use crate::figure::Width;
use crate::gaps::{Gap, Holdings};
use crate::pipeline::{self, Derived, Ended, select};
use crate::registry::Registry;
use crate::run::Options;
use crate::sample;
use crate::shard::Shard;
use crate::spec::{Definition, Scale};
use crate::table::Table;
use crate::verdict::Verdict;
use crate::{claims, features, targets};

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Options of `run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Experiments by id or tag, or files of your own (*.toml); if none is given all built-in ones but those of tag `speed`
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
    /// Measure one part of the points only, for many machines; `merge` puts the parts together
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
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
    /// Points without times to measure again; their counts must be equal
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub sample: usize,
    /// Chooses the points
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub sample_seed: u64,
}

/// No command: everything at quick scale.
///
/// # Errors
/// As [`run`].
pub fn plain(registry: &Registry) -> Result<(), HarnessError> {
    run(
        registry,
        &RunArgs {
            ids: Vec::new(),
            scale: Scale::Quick,
            seed: 1,
            threads: None,
            out: PathBuf::from("results/local"),
            again: false,
            contenders: Vec::new(),
            shard: None,
        },
    )
}

/// `run`: measure, aggregate, draw, report, and the verdicts on stdout.
///
/// # Errors
/// What stopped it.
pub fn run(registry: &Registry, args: &RunArgs) -> Result<(), HarnessError> {
    for id in &args.contenders {
        registry.find(id).map_err(HarnessError::Usage)?;
    }
    let mut definitions = select(Definition::builtin()?, &args.ids)?;
    if args.ids.is_empty() {
        definitions.retain(Definition::is_plain);
    }
    let options = Options {
        scale: args.scale,
        seed: args.seed,
        out: args.out.clone(),
        again: args.again,
        contenders: (!args.contenders.is_empty()).then(|| args.contenders.clone()),
        shard: args.shard,
    };
    let threads = args.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| HarnessError::Failed(format!("cannot start threads: {error}")))?;
    // The first Ctrl-C ends the run after the rows being measured, the second at once. Without a handler (the
    // harness is called twice in one process) Ctrl-C ends it at once, and no complete row is lost either.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        super::note("stopping after the rows being measured; Ctrl-C again to stop at once");
    });
    let ended = pool.install(|| pipeline::run(registry, definitions, &options, &STOP));
    let ended = ended?;
    if let Some(shard) = args.shard {
        let out = args.out.display();
        super::note(&format!("shard {shard} is measured; when all are: experiments merge {out} {out}"));
        return ended.lawful().map(|_| ());
    }
    if args.ids.is_empty() {
        let variants: Vec<_> = registry.variants().copied().collect();
        super::features::write(&features::matrix(&variants), &args.out)?;
    }
    show(registry, &args.out, ended)
}

/// The report, and the verdicts on stdout.
///
/// # Errors
/// What cannot be written, and a broken law.
pub(super) fn show(registry: &Registry, out: &Path, ended: Ended) -> Result<(), HarnessError> {
    let written = write_report(registry, out, ended.derived.clone());
    print_verdicts(&ended.derived)?;
    written?;
    ended.lawful().map(|_| ())
}

/// A line for each experiment: points by verdict.
fn print_verdicts(all: &[Derived]) -> Result<(), HarnessError> {
    let mut table = comfy_table::Table::new();
    let titles = ["experiment", "points"].into_iter().chain(Verdict::ALL.map(Verdict::name)).chain(["explained"]);
    table.set_header(titles.collect::<Vec<_>>());
    for derived in all {
        let counts = derived.counts();
        let mut row = vec![derived.definition.id.clone(), counts.values().sum::<u64>().to_string()];
        row.extend(Verdict::ALL.map(|verdict| counts.get(&verdict).copied().unwrap_or(0).to_string()));
        row.push(derived.explained().to_string());
        table.add_row(row);
    }
    super::emit(format!("{table}\n").as_bytes())
}

/// The built-in definitions and those of the user's own that were measured into the folder.
fn all_definitions(out: &Path) -> Result<Vec<Definition>, HarnessError> {
    let mut all = Definition::builtin()?;
    all.extend(pipeline::own_definitions(&all, out)?);
    Ok(all)
}

/// `figure`: draws again what was measured.
///
/// # Errors
/// What stopped it.
pub fn figure(registry: &Registry, args: &FigureArgs) -> Result<(), HarnessError> {
    let width: Width = args.width.parse().map_err(|error| HarnessError::Usage(format!("--width: {error}")))?;
    let drawn = pipeline::redraw(registry, select(all_definitions(&args.out)?, &args.ids)?, &args.out, width)?;
    super::note(&format!("{drawn} figures in {}", args.out.join("figures").display()));
    Ok(())
}

/// `report`: writes `index.html`.
///
/// # Errors
/// What stopped it.
pub fn report(registry: &Registry, args: &ReportArgs) -> Result<(), HarnessError> {
    write_report(registry, &args.out, Vec::new())
}

/// The report of all that the folder holds; `fresh` need not be derived again. What cannot be read is named, there and in it.
fn write_report(registry: &Registry, out: &Path, fresh: Vec<Derived>) -> Result<(), HarnessError> {
    let builtin = Definition::builtin()?;
    let order: Vec<String> = builtin.iter().map(|definition| definition.id.clone()).collect();
    let is_fresh = |id: &str| fresh.iter().any(|derived| derived.definition.id == id);
    let others = builtin.into_iter().filter(|definition| !is_fresh(&definition.id)).collect();
    let mut held = Holdings::read(registry, others, out)?;
    // A definition of the user's own that was measured just now was found in the folder too.
    held.derived.retain(|derived| !is_fresh(&derived.definition.id));
    held.gaps.retain(|gap| !is_fresh(&gap.experiment));
    held.derived.extend(fresh.iter().cloned());
    if held.derived.is_empty() && held.gaps.is_empty() {
        let out = out.display();
        return Err(HarnessError::Usage(format!(
            "{out}: nothing measured yet: `experiments run` measures what is missing"
        )));
    }
    // Definitions of the user's own stand after the built-in ones.
    held.derived.sort_by_key(|derived| order.iter().position(|id| *id == derived.definition.id).unwrap_or(usize::MAX));
    for Gap { experiment, why } in &held.gaps {
        super::note(&format!("gap in the report: {experiment}: {why}"));
    }
    super::claims::write(registry, out)?;
    crate::report::write(registry, &held, &pipeline::style_book()?, out)?;
    super::note(&format!("report: {}", out.join("index.html").display()));
    Ok(())
}

/// `check`: derives and draws again, and measures a sample of points again; any difference is an error.
///
/// # Errors
/// What stopped it.
pub fn check(registry: &Registry, args: &CheckArgs) -> Result<(), HarnessError> {
    let loaded = pipeline::load(registry, all_definitions(&args.out)?, &args.out)?;
    let mut files = pipeline::check(&loaded, &args.out)?;
    for (id, table) in
        [(claims::ID, of_claims as TableOf), (features::ID, of_features), (targets::ID, super::speed_table::table)]
    {
        let Some(written) = pipeline::read_derived(&args.out, id)? else { continue };
        if written != table(registry, &args.out)? {
            return Err(HarnessError::Failed(format!("derived/{id}.csv differs from what is derived now")));
        }
        files += 1;
    }
    super::note(&format!("{files} files are what the raw rows give"));
    let again = sample::measure(&loaded, args.sample, args.sample_seed)?;
    super::note(&format!(
        "{} of {} points without times were measured again: {} rows with equal counts",
        again.points, again.of, again.rows
    ));
    Ok(())
}

type TableOf = fn(&Registry, &Path) -> Result<Table, HarnessError>;

fn of_claims(registry: &Registry, out: &Path) -> Result<Table, HarnessError> {
    claims::table(registry, &claims::builtin()?, out)
}

fn of_features(registry: &Registry, _out: &Path) -> Result<Table, HarnessError> {
    let variants: Vec<_> = registry.variants().copied().collect();
    Ok(features::table(&features::matrix(&variants)))
}
