//! Shards of runs put together: what one run would have left, count for count.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::{HarnessError, Unlike};
use crate::files::{self, folders};
use crate::manifest::{Manifest, definition_hash};
use crate::record::Record;
use crate::registry::Registry;
use crate::run::{self, Options, Plan};
use crate::shard::Shard;
use crate::spec::{Definition, Scale};

/// What came of one run.
#[derive(Clone, Debug)]
pub struct Merged {
    /// Its definition.
    pub definition: Definition,
    /// How it was measured, and into which folder it was put.
    pub options: Options,
    /// The shards that took part, as `I/N`.
    pub shards: Vec<String>,
    /// Rows that are there now.
    pub rows: usize,
    /// Rows that more than one input had, equal in all of them.
    pub twice: usize,
    /// What is missing, in words; empty for a whole run.
    pub gaps: Vec<String>,
}

/// One run of an input folder.
struct Part {
    folder: PathBuf,
    manifest: Manifest,
    rows: Vec<Record>,
}

/// Puts the runs of shards found in the results folders `inputs` together in the results folder `out`. What is there of
/// a run that lacks shards is put together too, as a run that was not finished.
///
/// # Errors
/// [`HarnessError::Unlike`] for inputs of two definitions or commits, or rows that differ; [`HarnessError::Usage`] where there
/// are no shards; [`HarnessError::Record`] for damaged files.
pub fn merge(registry: &Registry, out: &Path, inputs: &[PathBuf]) -> Result<Vec<Merged>, HarnessError> {
    let mut runs: BTreeMap<(String, String), Vec<Part>> = BTreeMap::new();
    let mut seen = Vec::new();
    for input in inputs {
        for folder in folders(&input.join("raw"))?.iter().map(|id| folders(id)).collect::<Result<Vec<_>, _>>()?.concat()
        {
            let place = folder.canonicalize().map_err(HarnessError::io(&folder, "cannot find"))?;
            if !Manifest::path(&folder).exists() || seen.contains(&place) {
                continue;
            }
            seen.push(place);
            let manifest = Manifest::read(&folder)?;
            let name = (manifest.experiment.clone(), manifest.run.clone());
            runs.entry(name).or_default().push(Part { folder, manifest, rows: Vec::new() });
        }
    }
    // Whole runs take part beside shards of them, which are then filled up; alone they are not touched.
    runs.retain(|_, parts| parts.iter().any(|part| !part.manifest.shard.is_empty()));
    if runs.is_empty() {
        let names: Vec<String> = inputs.iter().map(|input| input.display().to_string()).collect();
        return Err(HarnessError::Usage(format!(
            "{}: no run of a shard there; `experiments run --shard 1/4` measures one",
            names.join(", ")
        )));
    }
    // Everything is looked at before anything is written.
    let mut ready = Vec::new();
    for parts in runs.values_mut() {
        for part in parts.iter_mut() {
            let rows = part.folder.join("rows.csv");
            part.rows = if rows.exists() { Record::read_all(&rows)? } else { Vec::new() };
        }
        let parts: &[Part] = parts;
        let (plan, options) = plan_of(registry, out, parts)?;
        let (rows, twice) = union(&plan, parts)?;
        keeps_what_is_there(&plan, parts, &rows)?;
        ready.push((plan, options, rows, twice, parts));
    }
    ready.into_iter().map(|(plan, options, rows, twice, parts)| write(plan, options, rows, twice, parts)).collect()
}

/// The plan of the whole run, which all parts must be of.
fn plan_of(registry: &Registry, out: &Path, parts: &[Part]) -> Result<(Plan, Options), HarnessError> {
    let first = &parts[0];
    for other in &parts[1..] {
        alike(first, other, "definition hash", "measure one of them again", |manifest| {
            manifest.definition_hash.clone()
        })?;
        alike(first, other, "commit", "measure one of them again", |manifest| manifest.commits().join(" and "))?;
        alike(first, other, "list of contenders", "merge each by itself", |manifest| manifest.contenders.join(","))?;
    }
    if first.manifest.commits().len() > 1 {
        let (path, commits) = (Manifest::path(&first.folder), first.manifest.commits().join(" and "));
        return Err(HarnessError::Record {
            path,
            why: format!("rows of several commits, {commits}: measure it again"),
        });
    }
    if parts.iter().any(|part| part.manifest.dirty) {
        let Manifest { experiment, commit, .. } = &first.manifest;
        crate::note!("{experiment}: some rows were measured by sources that differ from commit {commit}");
    }
    let path = first.folder.join("definition.toml");
    let text = std::fs::read_to_string(&path).map_err(HarnessError::io(&path, "cannot read"))?;
    if definition_hash(&text) != first.manifest.definition_hash {
        let why = "this is not the definition that run.toml beside it speaks of: measure it again".to_owned();
        return Err(HarnessError::Record { path, why });
    }
    let Manifest { experiment, run, scale, seed, contenders, .. } = &first.manifest;
    let scale = Scale::named(scale).ok_or_else(|| HarnessError::Record {
        path: Manifest::path(&first.folder),
        why: format!("unknown scale `{scale}`"),
    })?;
    let contenders = (!contenders.is_empty()).then(|| contenders.clone());
    let options = Options { scale, seed: *seed, out: out.to_owned(), again: false, contenders, shard: None };
    let plan = run::plan(Definition::parse(&format!("{experiment}.toml"), &text)?, registry, &options)?;
    if plan.run != *run {
        let (path, of) = (Manifest::path(&first.folder), &plan.run);
        let why = format!("{run} where this build plans {of}: merge with the build that measured the shards");
        return Err(HarnessError::Record { path, why });
    }
    Ok((plan, options))
}

fn alike(
    first: &Part,
    other: &Part,
    what: &'static str,
    advice: &'static str,
    of: impl Fn(&Manifest) -> String,
) -> Result<(), HarnessError> {
    let (mine, theirs) = (of(&first.manifest), of(&other.manifest));
    if mine == theirs {
        return Ok(());
    }
    let (of_first, of_second) = (first.folder.clone(), other.folder.clone());
    Err(Unlike { what, of_first, first: mine, of_second, second: theirs, advice }.into())
}

/// All rows in the order of the definition, and how many of them more than one part had.
fn union(plan: &Plan, parts: &[Part]) -> Result<(Vec<Record>, usize), HarnessError> {
    let points: HashMap<&str, (bool, u64)> =
        plan.points.iter().map(|point| (point.identity.as_str(), (point.is_timed(), point.rows()))).collect();
    let mut rows: HashMap<(&str, u64), (&Record, &Part)> = HashMap::new();
    let mut twice = 0;
    for part in parts {
        for row in &part.rows {
            if points.get(row.point.as_str()).is_none_or(|(_, rows)| row.row >= *rows) {
                let why =
                    format!("row {} of point {}, which the run does not have: measure it again", row.row, row.point);
                return Err(HarnessError::Record { path: part.folder.join("rows.csv"), why });
            }
            let (known, of) = *rows.entry((&row.point, row.row)).or_insert((row, part));
            if std::ptr::eq(known, row) {
                continue;
            }
            twice += 1;
            if let Some((column, first, second)) = known.differences(row)?.into_iter().next() {
                let named = |cell: &str| format!("`{cell}` ({column}, point {}, row {})", row.point, row.row);
                return Err(Unlike {
                    what: "a row",
                    of_first: of.folder.clone(),
                    first: named(&first),
                    of_second: part.folder.clone(),
                    second: named(&second),
                    advice: "leave one of them out",
                }
                .into());
            }
        }
    }
    // One part must have all times there are: those of two machines do not go together.
    let timed =
        |part: &Part| part.rows.iter().filter(|row| points.get(row.point.as_str()).is_some_and(|of| of.0)).count();
    let all = rows.keys().filter(|(point, _)| points.get(point).is_some_and(|of| of.0)).count();
    let mut with_times: Vec<&Part> = parts.iter().filter(|part| timed(part) > 0).collect();
    with_times.sort_by_key(|part| std::cmp::Reverse(timed(part)));
    if let [most, next, ..] = with_times[..]
        && timed(most) < all
    {
        return Err(Unlike {
            what: "a part of the times",
            of_first: most.folder.clone(),
            first: format!("{} rows", timed(most)),
            of_second: next.folder.clone(),
            second: format!("{} rows", timed(next)),
            advice: "times of two runs do not go together; leave one of them out",
        }
        .into());
    }
    let mut rows: Vec<Record> = rows.into_values().map(|(row, _)| row.clone()).collect();
    run::sort(&mut rows, &plan.points);
    Ok((rows, twice))
}

/// Refuses to put fewer or other rows in the place of those that a run left in the output folder.
fn keeps_what_is_there(plan: &Plan, parts: &[Part], rows: &[Record]) -> Result<(), HarnessError> {
    let path = plan.folder.join("rows.csv");
    if !path.exists() || parts.iter().any(|part| part.folder == plan.folder) {
        return Ok(());
    }
    let merged: HashMap<(&str, u64), &Record> = rows.iter().map(|row| ((row.point.as_str(), row.row), row)).collect();
    for row in Record::read_all(&path)? {
        let other = merged.get(&(row.point.as_str(), row.row)).filter(|other| ***other == row);
        if other.is_none() {
            let why = format!(
                "row {} of point {} is not so in the inputs and would be lost: give this folder as an input too, or another one as output",
                row.row, row.point
            );
            return Err(HarnessError::Record { path, why });
        }
    }
    Ok(())
}

fn write(
    plan: Plan,
    options: Options,
    rows: Vec<Record>,
    twice: usize,
    parts: &[Part],
) -> Result<Merged, HarnessError> {
    std::fs::create_dir_all(&plan.folder).map_err(HarnessError::io(&plan.folder, "cannot create"))?;
    let _lock = run::lock(&plan.folder)?;
    let gaps = gaps(&plan, &rows, parts);
    let manifests: Vec<&Manifest> = parts.iter().map(|part| &part.manifest).collect();
    Record::write_all(&plan.folder.join("rows.csv"), &rows)?;
    files::write(&plan.folder.join("definition.toml"), plan.definition.text.as_bytes())?;
    if let Some(manifest) = Manifest::merged(&manifests, &plan, &rows, gaps.is_empty()) {
        manifest.write(&plan.folder)?;
    }
    let shards = manifests.iter().map(|manifest| manifest.shard.clone()).filter(|shard| !shard.is_empty()).collect();
    Ok(Merged { definition: plan.definition, options, shards, rows: rows.len(), twice, gaps })
}

/// What is missing: how many rows, and which shards have them.
fn gaps(plan: &Plan, rows: &[Record], parts: &[Part]) -> Vec<String> {
    let wanted: u64 = plan.points.iter().map(crate::model::Point::rows).sum();
    let missing = wanted - rows.len() as u64;
    if missing == 0 {
        return Vec::new();
    }
    let id = &plan.definition.id;
    let mut gaps = vec![format!("{id}: {missing} of {wanted} rows are missing")];
    let known: Vec<(Shard, &Part)> =
        parts.iter().filter_map(|part| Some((Shard::from_str(&part.manifest.shard).ok()?, part))).collect();
    let mut counts: Vec<u32> = known.iter().map(|(shard, _)| shard.of()).collect();
    counts.sort_unstable();
    counts.dedup();
    for shard in counts.into_iter().flat_map(Shard::all) {
        let mut of_shard = known.iter().filter(|(of, _)| *of == shard).map(|(_, part)| part).peekable();
        match of_shard.peek().copied() {
            None => gaps.push(format!("{id}: shard {shard} is not there")),
            Some(part) if !of_shard.any(|part| part.manifest.complete) => {
                gaps.push(format!("{id}: shard {shard} was not finished: {}", part.folder.display()));
            }
            Some(_) => {}
        }
    }
    gaps
}
