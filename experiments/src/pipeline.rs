//! Measure, aggregate, draw, report: what the commands do with a results folder.
//!
//! ```text
//! raw/<experiment>/<run>/{rows.csv, run.toml}  --aggregate-->  derived/*.csv  --draw-->  figures/*.{svg,png}, index.html
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use crate::aggregate::aggregate;
use crate::differences;
use crate::draw;
use crate::error::{HarnessError, nearest};
use crate::figure::{Figure, StyleBook, Width, to_png};
pub(crate) use crate::files::write;
use crate::files::{entries, folders};
use crate::manifest::Manifest;
use crate::progress::Progress;
use crate::record::Record;
use crate::registry::Registry;
use crate::run::{self, Options, Summary};
use crate::spec::{Definition, Scale};
use crate::table::Table;
use crate::verdict::Verdict;

/// Dots per inch of the PNG files.
const DPI: f64 = 200.0;

/// One experiment's derived data with their provenance.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The definition.
    pub definition: Definition,
    /// The run they come from.
    pub manifest: Manifest,
    /// A row for each point.
    pub table: Table,
}

/// How many points have which verdict.
pub type Counts = BTreeMap<Verdict, u64>;

impl Derived {
    /// The verdicts of all points.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for row in &self.table.rows {
            let name = self.table.cell(row, "verdict");
            if let Some(verdict) = Verdict::ALL.into_iter().find(|verdict| verdict.name() == name) {
                *counts.entry(verdict).or_default() += 1;
            }
        }
        counts
    }

    /// Disagreements that the definition explains.
    #[must_use]
    pub fn explained(&self) -> u64 {
        self.table.rows.iter().filter(|row| !self.table.cell(row, "explanation").is_empty()).count() as u64
    }
}

/// The definitions that `words` name (ids, tags, or files ending in `.toml`); all of `definitions` for none.
///
/// # Errors
/// [`HarnessError::Usage`] for a word that is none of these, with the nearest that is.
pub fn select(mut definitions: Vec<Definition>, words: &[String]) -> Result<Vec<Definition>, HarnessError> {
    let mut words = words.to_vec();
    for word in &mut words {
        if word.ends_with(".toml") {
            let text = std::fs::read_to_string(&*word)
                .map_err(|error| HarnessError::Usage(format!("{word}: cannot read the definition: {error}")))?;
            let own = Definition::parse(word, &text)?;
            word.clone_from(&own.id);
            definitions.retain(|definition| definition.id != own.id);
            definitions.push(own);
        }
    }
    let known = |definition: &Definition, word: &String| definition.id == *word || definition.tags.contains(word);
    for word in &words {
        if !definitions.iter().any(|definition| known(definition, word)) {
            let names = definitions.iter().flat_map(|definition| definition.tags.iter().chain([&definition.id]));
            let near = nearest(word, names.map(String::as_str)).unwrap_or("none");
            let ids: Vec<&str> = definitions.iter().map(|definition| definition.id.as_str()).collect();
            return Err(HarnessError::Usage(format!(
                "unknown experiment or tag `{word}`, nearest is `{near}`; experiments: {}",
                ids.join(", ")
            )));
        }
    }
    let chosen = definitions.into_iter();
    Ok(chosen.filter(|definition| words.is_empty() || words.iter().any(|word| known(definition, word))).collect())
}

/// Measures, aggregates and draws the definitions.
///
/// # Errors
/// What stopped it. A broken law does not: see [`Ended::broken`].
pub fn run(
    registry: &Registry,
    definitions: Vec<Definition>,
    options: &Options,
    stop: &AtomicBool,
) -> Result<Ended, HarnessError> {
    let plans: Vec<run::Plan> =
        definitions.into_iter().map(|definition| run::plan(definition, registry, options)).collect::<Result<_, _>>()?;
    plans.iter().try_for_each(|plan| check_panels(plan, options.contenders.is_none()))?;
    let plans: Vec<run::Plan> = match options.shard {
        Some(shard) => plans.into_iter().map(|plan| plan.of_shard(shard)).collect(),
        None => plans,
    };
    let threads = rayon::current_num_threads();
    let cost: f64 = plans.iter().map(|plan| plan.cost_seconds(threads)).sum();
    crate::note!(
        "{} experiments, {} points at {} scale: about {cost:.0} s on {threads} threads if nothing is there yet",
        plans.len(),
        plans.iter().map(|plan| plan.points.len()).sum::<usize>(),
        options.scale.name(),
    );
    let progress = Progress::new();
    let mut summary = Summary::default();
    let mut broken = Vec::new();
    for plan in &plans {
        let one = run::measure(plan, options, &progress, stop)?;
        summary.measured += one.measured;
        summary.resumed += one.resumed;
        if one.violations > 0 {
            broken.push(format!("{} ({})", plan.definition.id, one.violators.join(", ")));
        }
    }
    crate::note!("{} rows measured, {} were there", summary.measured, summary.resumed);
    // A shard has only a part of each figure.
    let whole = if options.shard.is_some() { &[] } else { &plans[..] };
    let derived: Vec<Derived> = whole.iter().map(|plan| derive_plan(plan, &options.out)).collect::<Result<_, _>>()?;
    let book = style_book()?;
    derived.par_iter().try_for_each(|derived| write_figure(derived, &book, &options.out, Width::PAGE))?;
    let broken = (!broken.is_empty()).then(|| format!("law-violated: members were denied in {}", broken.join(", ")));
    Ok(Ended { derived, broken })
}

/// What a run leaves: derived data of all its experiments (of none for a shard), and the laws it found broken.
#[derive(Clone, Debug)]
pub struct Ended {
    /// In the order of the definitions.
    pub derived: Vec<Derived>,
    /// Which experiments and contenders denied members, in words; `None` if all laws held.
    pub broken: Option<String>,
}

impl Ended {
    /// The derived data, unless a law was broken.
    ///
    /// # Errors
    /// [`HarnessError::LawViolated`].
    pub fn lawful(self) -> Result<Vec<Derived>, HarnessError> {
        match self.broken {
            Some(broken) => Err(HarnessError::LawViolated(broken)),
            None => Ok(self.derived),
        }
    }
}

/// Refuses a panel that names a column there is not before anything is measured: one point of each kind, without
/// rows, has all the columns.
fn check_panels(plan: &run::Plan, strict: bool) -> Result<(), HarnessError> {
    let mut seen = std::collections::BTreeSet::new();
    let points = plan.points.iter().filter(|point| {
        let spec = &point.spec;
        let factors: Vec<&String> = spec.factors.keys().collect();
        seen.insert((&spec.measure, &spec.id, factors, spec.params.is_ok(), point.has_spread()))
    });
    let (points, definition) = (points.cloned().collect(), plan.definition.clone());
    let kinds = run::Plan { definition, points, folder: plan.folder.clone(), run: plan.run.clone(), shard: None };
    draw::check(&kinds.definition, &aggregate(&kinds, &[])?, strict)
}

fn derive_plan(plan: &run::Plan, out: &Path) -> Result<Derived, HarnessError> {
    let rows = Record::read_all(&plan.folder.join("rows.csv"))?;
    let derived = Derived {
        definition: plan.definition.clone(),
        manifest: Manifest::read(&plan.folder)?,
        table: aggregate(plan, &rows)?,
    };
    write(&derived_path(out, &derived.definition.id), &derived.table.to_csv()?)?;
    Ok(derived)
}

/// Writes a derived table that is of no single experiment.
///
/// # Errors
/// [`HarnessError::Io`] when it cannot be written.
pub fn write_derived(out: &Path, id: &str, table: &Table) -> Result<(), HarnessError> {
    write(&derived_path(out, id), &table.to_csv()?)
}

/// A derived table by id; `None` where there is no such file.
///
/// # Errors
/// [`HarnessError::Record`] for what is no table.
pub fn read_derived(out: &Path, id: &str) -> Result<Option<Table>, HarnessError> {
    let path = derived_path(out, id);
    if path.exists() { Table::read(&path).map(Some) } else { Ok(None) }
}

fn derived_path(out: &Path, id: &str) -> PathBuf {
    out.join("derived").join(format!("{id}.csv"))
}

/// The committed styles.
///
/// # Errors
/// [`HarnessError::Failed`] for a style file that is not valid.
pub fn style_book() -> Result<StyleBook, HarnessError> {
    StyleBook::committed().map_err(|error| HarnessError::Failed(format!("style.toml: {error}")))
}

/// The figure as SVG.
///
/// # Errors
/// [`HarnessError::Definition`] for a panel that does not fit the table, [`HarnessError::Failed`] for a figure
/// that cannot be drawn.
pub fn svg(derived: &Derived, book: &StyleBook, width: Width) -> Result<String, HarnessError> {
    draw_at(figure_of(derived, book)?, book, width)
}

/// [`svg`] at the width of a page, with the row of the table that each point comes from.
///
/// # Errors
/// As there.
pub fn svg_with_rows(derived: &Derived, book: &StyleBook) -> Result<String, HarnessError> {
    draw_at(figure_of(derived, book)?.naming_rows(), book, Width::PAGE)
}

fn figure_of(derived: &Derived, book: &StyleBook) -> Result<Figure, HarnessError> {
    draw::figure(&derived.definition, &derived.table, &derived.manifest, book)
}

fn draw_at(figure: Figure, book: &StyleBook, width: Width) -> Result<String, HarnessError> {
    figure.to_svg(book, width).map_err(|error| HarnessError::Failed(format!("{}: {error}", figure.id)))
}

fn write_figure(derived: &Derived, book: &StyleBook, out: &Path, width: Width) -> Result<(), HarnessError> {
    for (path, content) in figure_files(derived, book, out, width)? {
        write(&path, &content)?;
    }
    Ok(())
}

/// The files of a figure. Those of another width than a page's are named after it and stand beside.
fn figure_files(
    derived: &Derived,
    book: &StyleBook,
    out: &Path,
    width: Width,
) -> Result<[(PathBuf, Vec<u8>); 2], HarnessError> {
    let id = &derived.definition.id;
    let name = if width == Width::PAGE { id.clone() } else { format!("{id}-{:.0}pt", width.points()) };
    let svg = svg(derived, book, width)?;
    let png = to_png(&svg, DPI).map_err(|error| HarnessError::Failed(format!("{id}: {error}")))?;
    let folder = out.join("figures");
    Ok([(folder.join(format!("{name}.svg")), svg.into_bytes()), (folder.join(format!("{name}.png")), png)])
}

/// Definitions of the user's own that were measured into the folder: those of a run beside which `known` has none.
///
/// # Errors
/// [`HarnessError`] for a folder or a definition that cannot be read.
pub fn own_definitions(known: &[Definition], out: &Path) -> Result<Vec<Definition>, HarnessError> {
    let (own, refused) = own_of_each_run(known, out)?;
    match refused.into_iter().next() {
        Some((_, error)) => Err(error),
        None => Ok(own),
    }
}

/// [`own_definitions`] as far as they can be read, and by experiment why others cannot.
pub(crate) fn own_of_each_run(known: &[Definition], out: &Path) -> Result<(Vec<Definition>, Refused), HarnessError> {
    let (mut own, mut refused): (Vec<(Manifest, Definition)>, Refused) = (Vec::new(), Vec::new());
    for folder in folders(&out.join("raw"))? {
        let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if known.iter().any(|definition| definition.id == id) {
            continue;
        }
        for run in folders(&folder)? {
            let Ok(text) = std::fs::read_to_string(run.join("definition.toml")) else { continue };
            let read = Manifest::read(&run)
                .and_then(|manifest| Ok((manifest, Definition::parse(&format!("{id}.toml"), &text)?)));
            match read {
                Ok(one) => own.push(one),
                Err(error) => refused.push((id.clone(), error)),
            }
        }
    }
    // The newest of each id.
    own.sort_by(|left, right| (&left.1.id, right.0.age()).cmp(&(&right.1.id, left.0.age())));
    own.dedup_by(|left, right| left.1.id == right.1.id);
    Ok((own.into_iter().map(|(_, definition)| definition).collect(), refused))
}

/// Experiments with what is wrong with a run of theirs.
pub(crate) type Refused = Vec<(String, HarnessError)>;

/// A run of a results folder with what was derived from it.
pub type Loaded = (run::Plan, Derived);

/// What a results folder holds: for each definition the newest finished run.
///
/// # Errors
/// [`HarnessError`] for raw files that cannot be read; where there are several, all are named.
pub fn load(registry: &Registry, definitions: Vec<Definition>, out: &Path) -> Result<Vec<Loaded>, HarnessError> {
    let (mut all, mut faults) = (Vec::new(), Vec::new());
    for definition in definitions {
        match load_one(registry, definition, out) {
            Ok(loaded) => all.extend(loaded),
            Err(error) => faults.push(error),
        }
    }
    match faults.len() {
        0 => Ok(all),
        1 => Err(faults.remove(0)),
        _ => Err(HarnessError::Failed(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))),
    }
}

fn load_one(registry: &Registry, definition: Definition, out: &Path) -> Result<Option<Loaded>, HarnessError> {
    let mut newest = None;
    for (folder, manifest) in Manifest::of_runs(&out.join("raw").join(&definition.id))? {
        let manifest = manifest?;
        if newest.is_none() && manifest.is_current(&definition.text) {
            newest = Some((folder, manifest));
        }
    }
    let Some((folder, manifest)) = newest else { return Ok(None) };
    let counted = manifest.rows;
    let (plan, derived, rows) = load_run(registry, definition, out, folder, manifest)?;
    if rows.len() as u64 != counted {
        let (path, held) = (plan.folder.join("rows.csv"), rows.len());
        let why = format!("{held} rows where run.toml counts {counted}: `experiments run` measures what is missing");
        return Err(HarnessError::Record { path, why });
    }
    Ok(Some((plan, derived)))
}

/// A run from its files, and its rows.
pub(crate) fn load_run(
    registry: &Registry,
    definition: Definition,
    out: &Path,
    folder: PathBuf,
    manifest: Manifest,
) -> Result<(run::Plan, Derived, Vec<Record>), HarnessError> {
    let Some(scale) = Scale::named(&manifest.scale) else {
        let why = format!("unknown scale `{}`", manifest.scale);
        return Err(HarnessError::Record { path: Manifest::path(&folder), why });
    };
    let contenders = (!manifest.contenders.is_empty()).then(|| manifest.contenders.clone());
    let options = Options { scale, seed: manifest.seed, out: out.to_owned(), again: false, contenders, shard: None };
    let mut plan = run::plan(definition.clone(), registry, &options)?;
    plan.folder = folder;
    let rows = Record::read_all(&plan.folder.join("rows.csv"))?;
    let table = aggregate(&plan, &rows)?;
    Ok((plan, Derived { definition, manifest, table }, rows))
}

/// Draws the figures of what was measured again.
///
/// # Errors
/// [`HarnessError::Usage`] when nothing of it was measured.
pub fn redraw(
    registry: &Registry,
    definitions: Vec<Definition>,
    out: &Path,
    width: Width,
) -> Result<usize, HarnessError> {
    let loaded = load(registry, definitions, out)?;
    if loaded.is_empty() {
        return Err(HarnessError::Usage(format!(
            "{}: nothing measured yet, or a run that was not finished: `experiments run` measures what is missing",
            out.display()
        )));
    }
    let book = style_book()?;
    loaded.par_iter().try_for_each(|(_, derived)| write_figure(derived, &book, out, width))?;
    Ok(loaded.len())
}

/// Derived tables that no single run gives; the command checks them itself.
pub(crate) const OF_NO_RUN: [&str; 3] = [crate::claims::ID, crate::features::ID, crate::targets::ID];

/// Compares derived data and figures with what the raw rows give; `loaded` is what [`load`] found in the folder.
///
/// # Errors
/// [`HarnessError::Failed`] that names every file, cell and point of a figure that differs; [`HarnessError::Usage`] where
/// there is nothing to check.
pub fn check(loaded: &[Loaded], out: &Path) -> Result<usize, HarnessError> {
    if loaded.is_empty() {
        return Err(HarnessError::Usage(format!(
            "{}: nothing measured yet, or a run that was not finished: `experiments run` measures what is missing",
            out.display()
        )));
    }
    let book = style_book()?;
    let mut differ = Vec::new();
    let mut files = 0;
    for (_, derived) in loaded {
        let derived_file = (derived_path(out, &derived.definition.id), derived.table.to_csv()?);
        for (path, content) in figure_files(derived, &book, out, Width::PAGE)?.into_iter().chain([derived_file]) {
            files += 1;
            match std::fs::read(&path) {
                Ok(found) if found == content => {}
                Ok(found) => {
                    differ.push(format!("{} differs from what the raw rows give", path.display()));
                    differ.extend(differences::of(&path, &found, &content));
                }
                Err(error) => differ.push(format!("{}: {error}", path.display())),
            }
        }
    }
    // A derived file without a finished run behind it was not checked, and that is no pass.
    for path in entries(&out.join("derived"))? {
        // What a killed run left half written is no table.
        if path.extension().is_none_or(|ending| ending != "csv") {
            continue;
        }
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        let of_a_run = loaded.iter().any(|(_, derived)| derived.definition.id == id);
        if !of_a_run && !OF_NO_RUN.contains(&&*id) {
            differ.push(format!("{}: no finished run of its definition as it is now", path.display()));
        }
    }
    if differ.is_empty() { Ok(files) } else { Err(HarnessError::Failed(differ.join("\n"))) }
}
