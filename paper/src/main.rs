//! `cargo run -p paper`: compiles `paper/main.typ` to `paper/bloomery.pdf` from the results of a run, and says which claims hold.

mod world;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use experiments::figure::Width;
use experiments::files::write;
use experiments::pipeline::{Derived, load, style_book, svg};
use experiments::spec::{Definition, Scale};
use experiments::{HarnessError, Registry};
use rayon::prelude::*;

/// Compiles the paper: prose by hand, every figure, table and number from derived results.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Args {
    /// The results folder that numbers, tables and figures are read from.
    #[arg(long, default_value = "results/reference")]
    results: PathBuf,
    /// Where the paper is written [default: paper/bloomery.pdf, or RESULTS/paper/bloomery.pdf of results of your own].
    #[arg(long)]
    out: Option<PathBuf>,
    /// Where tables (LaTeX, booktabs) and the numbers with their sources (CSV) are written [default: results/tables, or
    /// RESULTS/paper/tables of results of your own].
    #[arg(long)]
    tables: Option<PathBuf>,
    /// Write each figure of the results as a PDF into this folder too, for authors who write LaTeX.
    #[arg(long)]
    figures: Option<PathBuf>,
}

fn main() -> ExitCode {
    match set(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn set(args: &Args) -> Result<()> {
    if !args.results.join("derived").is_dir() {
        bail!("{} has no derived tables: run `experiments run --out {0}` first", args.results.display());
    }
    let (out, tables) = targets(args);
    let text = std::fs::read_to_string(paper_folder().join("main.typ")).context("paper/main.typ cannot be read")?;
    let shown = shown(&text, &args.results)?;
    if shown.iter().any(|derived| derived.manifest.scale == Scale::Smoke.name()) {
        bail!(
            "{} was measured at smoke scale, which leaves out points that the paper shows: take --scale quick or full",
            args.results.display()
        );
    }
    let mut made: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    made.insert("data.json".to_owned(), paper::data(&args.results)?.into_bytes());
    for (name, svg) in figures(&text, &shown)? {
        made.insert(format!("figures/{name}.svg"), svg.into_bytes());
    }
    let pdf = world::World::new(paper_folder(), "main.typ", made)?.paper()?;
    write(&out, &pdf)?;

    let values = paper::values::all(&Registry::workspace(), &args.results)?;
    for table in paper::tables::all(&args.results)? {
        write(&tables.join(format!("{}.tex", table.id)), table.latex().as_bytes())?;
    }
    write(&tables.join("numbers.csv"), &paper::values::to_csv(&values)?)?;
    if let Some(folder) = &args.figures {
        for (name, svg) in all_figures(&args.results)? {
            write(&folder.join(format!("{name}.pdf")), &world::World::of_figure(svg)?.pdf()?)?;
        }
    }
    eprintln!("{}, {} bytes; tables and numbers in {}", out.display(), pdf.len(), tables.display());
    print!("{}", paper::values::claims(&values));
    let broken: Vec<&str> =
        values.iter().filter(|value| value.holds() == Some(false)).map(|value| value.id.as_str()).collect();
    if !broken.is_empty() {
        bail!(
            "{} of the paper's claims do not hold with {}: {}",
            broken.len(),
            args.results.display(),
            broken.join(", ")
        );
    }
    Ok(())
}

/// Paper and tables of results of one's own go into their folder: the committed ones are those of the reference.
fn targets(args: &Args) -> (PathBuf, PathBuf) {
    let same = |a: &Path, b: &Path| a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    let (out, tables) = if same(&args.results, &paper::reference()) {
        (paper_folder().join("bloomery.pdf"), paper::workspace().join("results/tables"))
    } else {
        (args.results.join("paper/bloomery.pdf"), args.results.join("paper/tables"))
    };
    (args.out.clone().unwrap_or(out), args.tables.clone().unwrap_or(tables))
}

fn paper_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What the figures that the text shows are drawn from.
fn shown(text: &str, results: &Path) -> Result<Vec<Derived>> {
    let (narrow, wide) = (paper::prose::arguments(text, "fig"), paper::prose::arguments(text, "wide-fig"));
    let mut measured = measured(results, |id| narrow.contains(id) || wide.contains(id))?;
    for id in narrow.union(&wide) {
        if !measured.iter().any(|derived| derived.definition.id == *id) {
            bail!("figure `{id}` is shown, but {} has no finished run of it: experiments run {id}", results.display());
        }
    }
    for derived in &mut measured {
        choose(derived, text)?;
    }
    Ok(measured)
}

/// These figures, each as wide as it is shown.
fn figures(text: &str, shown: &[Derived]) -> Result<Vec<(String, String)>> {
    let wide = paper::prose::arguments(text, "wide-fig");
    let width = |id: &str| if wide.contains(id) { Width::PAGE } else { Width::COLUMN };
    drawn(shown, width)
}

/// Keeps the panels that the text shows, `panels: "abd"`, `columns: 3` of them side by side.
fn choose(derived: &mut Derived, text: &str) -> Result<()> {
    let id = derived.definition.id.clone();
    if let Some(letters) = paper::prose::option(text, &id, "panels") {
        let all = std::mem::take(&mut derived.definition.panel);
        for letter in letters.bytes() {
            let panel = letter.checked_sub(b'a').and_then(|index| all.get(usize::from(index)));
            let panel = panel.with_context(|| {
                format!(
                    "figure `{id}`: `panels: {letters:?}`, but its panels are a to {}",
                    char::from(b'a' + all.len() as u8 - 1)
                )
            })?;
            derived.definition.panel.push(panel.clone());
        }
    }
    if let Some(columns) = paper::prose::option(text, &id, "columns") {
        derived.definition.columns = columns.parse().with_context(|| format!("figure `{id}`: `columns: {columns}`"))?;
    }
    Ok(())
}

/// Every figure of the results, as wide as a page.
fn all_figures(results: &Path) -> Result<Vec<(String, String)>> {
    drawn(&measured(results, |_| true)?, |_| Width::PAGE)
}

fn drawn(measured: &[Derived], width: impl Fn(&str) -> Width + Sync) -> Result<Vec<(String, String)>> {
    let book = style_book()?;
    let drawn: Result<Vec<_>, HarnessError> = measured
        .par_iter()
        .map(|derived| {
            let id = &derived.definition.id;
            Ok((id.clone(), svg(derived, &book, width(id))?))
        })
        .collect();
    Ok(drawn?)
}

fn measured(results: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<Derived>> {
    let mut definitions = Definition::builtin()?;
    definitions.retain(|definition| wanted(&definition.id));
    Ok(load(&Registry::workspace().with_peers(), definitions, results)?
        .into_iter()
        .map(|(_, derived)| derived)
        .collect())
}
