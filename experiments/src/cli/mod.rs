//! The command line. Everything it knows of filters comes from a [`Registry`], so that a filter of another
//! repository gets the same commands, help and messages through [`run_with`].

pub mod claims;
pub mod compare;
pub mod diff;
pub mod features;
pub mod list;
pub mod merge;
pub mod output;
pub mod plan;
pub mod run;
pub mod saved;
pub mod sizing;
pub mod speed_table;
pub mod theory;
pub mod values;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use crate::error::HarnessError;
use crate::registry::{Registry, Role};

/// Measures approximate-membership filters and holds them against their theory.
///
/// Without a command: every experiment at quick scale into results/local, figures, report and the table of
/// verdicts. Tables go to stdout, everything else to stderr. Exit code 2: the request cannot be; 1: it failed,
/// or a law of a filter was broken; 130: Ctrl-C, and the same command goes on where it was.
#[derive(Debug, Parser)]
#[command(name = "experiments", version, max_term_width = 100)]
pub struct Cli {
    /// What to do; everything at quick scale if not given.
    #[command(subcommand)]
    pub command: Option<Commands>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Commands {
    /// Measure, aggregate and draw experiments, all of them or those of the ids and tags given
    Run(run::RunArgs),
    /// Draw figures again from what was measured
    Figure(run::FigureArgs),
    /// Write the report again from what was measured
    Report(run::ReportArgs),
    /// Regenerate derived data and figures from the raw rows and measure a sample again; any difference is an error
    Check(run::CheckArgs),
    /// Put the shards of runs together that many machines measured
    Merge(merge::MergeArgs),
    /// Tell what changed between two runs: rates, times, points
    Diff(diff::DiffArgs),
    /// Measure contenders side by side, one row each
    Compare(compare::CompareArgs),
    /// Rank the variants that can hold so many keys at a rate or in a space
    Plan(plan::PlanArgs),
    /// Print sizing and every formula of a contender, without measuring
    Theory(theory::TheoryArgs),
    /// Try what each filter can do: insert, delete, merge and so on, each by the laws behind it
    Features(features::FeaturesArgs),
    /// Hold popular claims against what is right and what was measured
    Claims(claims::ClaimsArgs),
    /// Hold the times of `performance` against each other and against what was aimed at
    SpeedTable(speed_table::SpeedTableArgs),
    /// Build a filter of keys from a file and save it
    Save(saved::SaveArgs),
    /// Ask a saved filter for the keys of a file
    Query(saved::QueryArgs),
    /// Tell what a saved filter is: variant, parameters, hash, keys, fill, rate; damage is an error
    Inspect(saved::InspectArgs),
    /// List what there is
    List(list::ListArgs),
    /// Write the skeleton of a variant crate, with its registry, manifest and style lines
    New(NewArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
}

/// Options of `new`.
#[derive(Clone, Debug, Args)]
pub struct NewArgs {
    /// The variant's name in kebab-case: directory, registry id and style key alike
    pub name: String,
}

/// Options of `completions`.
#[derive(Clone, Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Runs the command line of the process with these contenders; what `main` of a harness returns.
///
/// ```no_run
/// use experiments::Registry;
///
/// fn main() -> std::process::ExitCode {
///     // A filter of your own: .with(Contender::incremental::<MyFilter>("mine"))
///     experiments::run_with(&Registry::workspace())
/// }
/// ```
#[must_use]
pub fn run_with(registry: &Registry) -> ExitCode {
    run_args(registry, std::env::args_os())
}

/// [`run_with`] for these arguments, the first of which names the program.
pub fn run_args(registry: &Registry, args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = command(registry).try_get_matches_from(args).and_then(|matches| Cli::from_arg_matches(&matches));
    match cli {
        Ok(cli) => match dispatch(registry, cli) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                // A rendered diagnostic begins with the word itself.
                let rendered = matches!(error, HarnessError::Definition(_));
                note(&format!("{}{error}", if rendered { "" } else { "error: " }));
                ExitCode::from(error.exit_code())
            }
        },
        Err(error) => {
            // Printing can fail only on a closed pipe, where nobody reads it.
            let _ = error.print();
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
                _ => ExitCode::from(2),
            }
        }
    }
}

fn dispatch(registry: &Registry, cli: Cli) -> Result<(), HarnessError> {
    match cli.command {
        None => run::plain(registry),
        Some(Commands::Run(args)) => run::run(registry, &args),
        Some(Commands::Figure(args)) => run::figure(registry, &args),
        Some(Commands::Report(args)) => run::report(registry, &args),
        Some(Commands::Check(args)) => run::check(registry, &args),
        Some(Commands::Merge(args)) => merge::merge(registry, &args),
        Some(Commands::Diff(args)) => diff::diff(&args),
        Some(Commands::Compare(args)) => compare::compare(registry, &args),
        Some(Commands::Plan(args)) => plan::plan(registry, &args),
        Some(Commands::Theory(args)) => theory::theory(registry, &args),
        Some(Commands::Features(args)) => features::features(registry, &args),
        Some(Commands::Claims(args)) => claims::claims(registry, &args),
        Some(Commands::SpeedTable(args)) => speed_table::speed_table(registry, &args),
        Some(Commands::Save(args)) => saved::save(registry, &args),
        Some(Commands::Query(args)) => saved::query(registry, &args),
        Some(Commands::Inspect(args)) => saved::inspect(registry, &args),
        Some(Commands::List(args)) => list::list(registry, &args),
        Some(Commands::New(args)) => new_variant(&args),
        Some(Commands::Completions(args)) => completions(registry, args.shell),
    }
}

fn new_variant(args: &NewArgs) -> Result<(), HarnessError> {
    let here = std::env::current_dir().map_err(HarnessError::io(".", "find the current folder"))?;
    for line in crate::scaffold::new_variant(&here, &args.name)? {
        note(&line);
    }
    Ok(())
}

fn completions(registry: &Registry, shell: Shell) -> Result<(), HarnessError> {
    let program = std::env::args_os().next();
    let name = program.as_deref().map(Path::new).and_then(Path::file_stem).and_then(|name| name.to_str());
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(registry), name.unwrap_or("experiments"), &mut text);
    emit(&text)
}

/// The commands with what the registry knows in their help.
#[must_use]
pub fn command(registry: &Registry) -> Command {
    let contenders = contenders_help(registry);
    let with_contenders = |command: Command| command.after_long_help(contenders.clone());
    Cli::command()
        .mut_subcommand("theory", with_contenders)
        .mut_subcommand("save", with_contenders)
        .mut_subcommand("features", |command| command.after_long_help(features::MEANING))
        .mut_subcommand("claims", |command| command.after_long_help(claims::MEANING))
        .mut_subcommand("merge", |command| command.after_long_help(merge::MEANING))
        .mut_subcommand("diff", |command| command.after_long_help(diff::MEANING))
        .mut_subcommand("plan", |command| command.after_long_help(plan::MEANING))
        .mut_subcommand("compare", |command| command.after_long_help(format!("{}\n\n{contenders}", compare::DEFAULTS)))
}

fn contenders_help(registry: &Registry) -> String {
    let mut help = "Contenders:\n".to_owned();
    for contender in registry.iter() {
        let control = match contender.role {
            Role::Variant => "",
            Role::Baseline => " (baseline)",
            Role::Control => " (control)",
            Role::Published => " (published)",
        };
        let params = match contender.params {
            [] => "no parameters".to_owned(),
            params => params
                .iter()
                .map(|info| format!("{} = {} ({})", info.name, info.meaning, info.range))
                .collect::<Vec<_>>()
                .join("; "),
        };
        // Writing to a string does not fail.
        let _ = writeln!(help, "  {}{control}: {params}", contender.id);
    }
    help
}

/// Writes to stdout. A reader that has gone away (`| head`) ends the output quietly.
///
/// # Errors
/// [`HarnessError::Io`] for any other failure.
pub fn emit(text: &[u8]) -> Result<(), HarnessError> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(HarnessError::Io { path: "stdout".into(), action: "write", source: error })
        }
        _ => Ok(()),
    }
}

/// A line on stderr; nothing happens when nobody reads it.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_well_formed_and_help_names_the_contenders() {
        let mut command = command(&Registry::workspace());
        command.clone().debug_assert();
        let theory = command.find_subcommand_mut("theory").unwrap();
        let help = theory.render_long_help().to_string();
        assert!(help.contains("standard: m = bits of the array (1 to 2^48)"), "{help}");
        assert!(help.contains("coin (control): no parameters"), "{help}");
    }
}
