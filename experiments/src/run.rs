//! Runs: tasks in parallel, rows as they come, resumed where an earlier run ended.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use crate::error::HarnessError;
use crate::files::{self, clear_parts};
use crate::keep::Keep;
use crate::manifest::{Manifest, definition_hash};
use crate::model::Point;
use crate::progress::Progress;
use crate::record::{Appender, Record};
use crate::registry::Registry;
use crate::shard::{self, Shard};
use crate::spec::{Definition, Scale, expand};

/// What to run, and where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How much.
    pub scale: Scale,
    /// The root of all random choices.
    pub seed: u64,
    /// The results folder.
    pub out: PathBuf,
    /// Measure anew what is there already.
    pub again: bool,
    /// In place of the definitions' contenders.
    pub contenders: Option<Vec<String>>,
    /// One part of the points, for runs on many machines.
    pub shard: Option<Shard>,
}

/// The points of one definition, planned.
#[derive(Debug)]
pub struct Plan {
    /// The definition.
    pub definition: Definition,
    /// Its points, in the order of the definition.
    pub points: Vec<Point>,
    /// The folder of the run.
    pub folder: PathBuf,
    /// The name of the run.
    pub run: String,
    /// The part of the run that these points are.
    pub shard: Option<Shard>,
}

/// What came of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Rows measured now.
    pub measured: u64,
    /// Rows that were there before.
    pub resumed: u64,
    /// Rows in which a law was broken.
    pub violations: u64,
    /// The contenders that broke it, by id.
    pub violators: Vec<String>,
}

/// Plans a definition.
///
/// # Errors
/// [`HarnessError::Definition`] for unknown names.
pub fn plan(definition: Definition, registry: &Registry, options: &Options) -> Result<Plan, HarnessError> {
    let specs = expand(&definition, registry, options.scale, options.contenders.as_deref())?;
    // Some points that cannot be are rows with their outcome; a definition of nothing else is a mistake.
    let refused: Vec<&String> = specs.iter().filter_map(|spec| spec.params.as_ref().err()).collect();
    if let Some(why) = refused.first().filter(|_| refused.len() == specs.len()) {
        // The message begins with the parameter; where the definition does not give it, any sweep is the place.
        let word = why.split(' ').next().filter(|word| specs.iter().any(|spec| spec.factors.contains_key(*word)));
        let place = word.map_or_else(|| "sweep".to_owned(), |word| format!("sweep.{word}"));
        return Err(definition.fault(&place, &format!("no point of this definition can be measured: {why}")));
    }
    if let Some(why) = refused.first() {
        crate::note!("{}: {} of {} points cannot be: {why}", definition.id, refused.len(), specs.len());
    }
    let points: Vec<Point> = specs.into_par_iter().map(|spec| Point::new(spec, options.seed)).collect();
    // The run's name says what was measured; other points are another run.
    let identities: String = points.iter().map(|point| point.identity.as_str()).collect();
    let digest = crate::seeds::hash_text(options.seed, &identities);
    let run = format!("{}-s{}-{:08x}", options.scale.name(), options.seed, digest >> 32);
    let folder = options.out.join("raw").join(&definition.id).join(&run);
    Ok(Plan { definition, points, folder, run, shard: None })
}

impl Plan {
    /// The same with the points of one shard only, in a folder of its own.
    #[must_use]
    pub fn of_shard(mut self, shard: Shard) -> Self {
        let mut mine = shard::assign(&self.definition.id, &self.points, shard.of()).into_iter();
        self.points.retain(|_| mine.next() == Some(shard.number()));
        self.folder.set_file_name(format!("{}{}", self.run, shard.suffix()));
        self.shard = Some(shard);
        self
    }

    /// A rough cost in seconds of what is left to measure: timed rows one after the other, others on `threads` threads.
    #[must_use]
    pub fn cost_seconds(&self, threads: usize) -> f64 {
        let of = |point: &Point| {
            let at_once = if point.is_timed() { 1 } else { threads };
            point.cost_ns() * point.rows() as f64 / at_once as f64
        };
        self.points.iter().map(of).sum::<f64>() / 1e9
    }
}

/// Measures what is missing of a plan. `stop` ends the run after the rows that are being measured.
///
/// # Errors
/// [`HarnessError`] for a folder that cannot be written, another run in the same folder, or a failure in the
/// middle; complete rows stay.
pub fn measure(
    plan: &Plan,
    options: &Options,
    progress: &Progress,
    stop: &AtomicBool,
) -> Result<Summary, HarnessError> {
    std::fs::create_dir_all(&plan.folder).map_err(HarnessError::io(&plan.folder, "cannot create"))?;
    let _lock = lock(&plan.folder)?;
    clear_parts(&plan.folder)?;
    let path = plan.folder.join("rows.csv");
    let (mut rows, earlier) = if options.again { (Vec::new(), None) } else { held(plan, &path)? };
    let mut summary = Summary { resumed: rows.len() as u64, ..Summary::default() };
    let done: HashSet<(String, u64)> = rows.iter().map(|row| (row.point.clone(), row.row)).collect();
    let missing: Vec<(&Point, u64)> = plan
        .points
        .iter()
        .flat_map(|point| (0..point.rows()).map(move |row| (point, row)))
        .filter(|(point, row)| !done.contains(&(point.identity.clone(), *row)))
        .collect();
    let hash = definition_hash(&plan.definition.text);
    // Killed after its last row, the run is still to be ended; with its texts edited, its provenance is.
    if missing.is_empty() && earlier.as_ref().is_some_and(|earlier| earlier.complete && earlier.definition_hash == hash)
    {
        (summary.violations, summary.violators) = violations(&rows);
        return Ok(summary);
    }
    let mut manifest = match earlier {
        // Nothing is measured now: what was measured stays as it was.
        Some(earlier) if missing.is_empty() => Manifest { definition_hash: hash, complete: false, ..earlier },
        earlier => Manifest::start(plan, options, earlier.as_ref().filter(|_| !rows.is_empty())),
    };
    if let Some(other) = manifest.earlier_commits.last().filter(|_| !missing.is_empty()) {
        let (id, kept) = (&plan.definition.id, rows.len());
        crate::note!("{id}: {kept} rows that other sources measured ({other}) are kept; --again measures them anew");
    }
    manifest.write(&plan.folder)?;
    files::write(&plan.folder.join("definition.toml"), plan.definition.text.as_bytes())?;
    let appender = Mutex::new((Appender::create(&path, &rows)?, Vec::new()));
    let (timed, untimed): (Vec<_>, Vec<_>) = missing.into_iter().partition(|(point, _)| point.is_timed());
    let timed = alternating(timed);
    let keep = Keep::new();
    progress.begin(&plan.definition.id, timed.iter().chain(&untimed).map(|(point, _)| point.cost_ns()).sum());
    let started = Instant::now();
    let one = |(point, row): &(&Point, u64)| -> Result<(), HarnessError> {
        if stop.load(Ordering::Relaxed) {
            return Err(interrupted(&plan.definition.id, options.again));
        }
        if point.is_timed() {
            keep.enter(&point.group());
        }
        let record = point.measure(*row, &keep)?;
        let mut held = appender.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        held.0.append(&record)?;
        held.1.push(record);
        drop(held);
        progress.advance(point.cost_ns());
        Ok(())
    };
    // Times first, alone, in rounds over all points of a group; then all the rest in parallel, the longest rows first.
    let mut outcome = timed.iter().try_for_each(one);
    if outcome.is_ok() {
        let mut untimed = untimed;
        untimed.sort_by(|left, right| right.0.cost_ns().total_cmp(&left.0.cost_ns()));
        outcome = untimed.par_iter().with_max_len(1).try_for_each(one);
    }
    progress.end();
    let (_, fresh) = appender.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    summary.measured = fresh.len() as u64;
    rows.extend(fresh);
    sort(&mut rows, &plan.points);
    let sorted = Record::write_all(&path, &rows);
    outcome?;
    sorted?;
    (summary.violations, summary.violators) = violations(&rows);
    // Looking at rows that are there is no measuring.
    let measuring = if summary.measured == 0 { std::time::Duration::ZERO } else { started.elapsed() };
    manifest.finish(measuring, &rows);
    manifest.write(&plan.folder)?;
    Ok(summary)
}

/// Timed rows in rounds: row 0 of all points of a group, then row 1 of them, and so on, so that a slow minute of the machine
/// meets all of them alike; groups in the order of the definition.
fn alternating(mut rows: Vec<(&Point, u64)>) -> Vec<(&Point, u64)> {
    let mut groups: Vec<String> = Vec::new();
    let keys: Vec<(usize, u64)> = rows
        .iter()
        .map(|(point, row)| {
            let group = point.group();
            let index = groups.iter().position(|known| *known == group).unwrap_or_else(|| {
                groups.push(group);
                groups.len() - 1
            });
            (index, *row)
        })
        .collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    // Stable: within a round the order is the definition's.
    order.sort_by_key(|index| keys[*index]);
    rows = order.into_iter().map(|index| rows[index]).collect();
    rows
}

/// Rows in the order of the definition, whatever thread came first: equal runs give equal bytes.
pub(crate) fn sort(rows: &mut [Record], points: &[Point]) {
    let order: std::collections::HashMap<&str, usize> =
        points.iter().enumerate().map(|(index, point)| (point.identity.as_str(), index)).collect();
    rows.sort_by_key(|row| (order.get(row.point.as_str()).copied().unwrap_or(usize::MAX), row.row));
}

fn violations(rows: &[Record]) -> (u64, Vec<String>) {
    let broken = rows.iter().filter(|row| row.outcome == "law-violated");
    let mut ids: Vec<String> = broken.clone().map(|row| row.contender.clone()).collect();
    ids.sort();
    ids.dedup();
    (broken.count() as u64, ids)
}

/// The rows that are there of a plan, and where they come from.
fn held(plan: &Plan, path: &Path) -> Result<(Vec<Record>, Option<Manifest>), HarnessError> {
    let mut rows = if path.exists() { Record::read_all(path)? } else { Vec::new() };
    let wanted: HashSet<(&str, u64)> =
        plan.points.iter().flat_map(|point| (0..point.rows()).map(|row| (point.identity.as_str(), row))).collect();
    rows.retain(|row| wanted.contains(&(row.point.as_str(), row.row)));
    let earlier = Manifest::path(&plan.folder).exists().then(|| Manifest::read(&plan.folder)).transpose()?;
    Ok((rows, earlier))
}

fn interrupted(id: &str, again: bool) -> HarnessError {
    let again = if again { " without --again" } else { "" };
    HarnessError::Interrupted(format!(
        "interrupted in {id}: complete rows are kept; run the same command again{again} to go on"
    ))
}

/// Keeps a second run out of the folder for as long as the file is held.
pub(crate) fn lock(folder: &Path) -> Result<File, HarnessError> {
    let path = folder.join(".lock");
    let file = File::create(&path).map_err(HarnessError::io(&path, "cannot write"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(HarnessError::Failed(format!(
            "{}: another run is writing here; wait for it, or choose another folder with --out",
            folder.display()
        ))),
        Err(std::fs::TryLockError::Error(error)) => Err(HarnessError::io(&path, "cannot lock")(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round by round over the points of a group; another number of keys is another group.
    #[test]
    fn timed_rows_alternate_within_their_group() {
        let text = "id = 't'\ntitle = 't'\nquestion = 't'\nreading = 't'\npanel = []\n[[measure]]\nname = 'main'\n\
            model = 'study'\nstudy = 'speed-build'\ncontenders = ['standard', 'xor-8']\nsweep.copy = [1, 2]\n\
            sweep.keys = [10, 20]\nsweep.fpr = 0.01\nscale.smoke = { filters = 2, most-probes = 0 }\n\
            scale.quick = { filters = 1, most-probes = 0 }\nscale.full = { filters = 1, most-probes = 0 }\n";
        let definition = Definition::parse("t.toml", text).unwrap();
        let specs = expand(&definition, &Registry::workspace(), Scale::Smoke, None).unwrap();
        let points: Vec<Point> = specs.into_iter().map(|spec| Point::new(spec, 1)).collect();
        let rows = points.iter().flat_map(|point| (0..point.rows()).map(move |row| (point, row))).collect();
        let order: Vec<(u64, u64, String, String)> = alternating(rows)
            .into_iter()
            .map(|(point, row)| (point.spec.keys, row, point.spec.factor("copy").unwrap(), point.spec.id.clone()))
            .collect();
        let mut expected = Vec::new();
        for keys in [10, 20] {
            for row in [0, 1] {
                for copy in ["1", "2"] {
                    expected.extend(["standard", "xor-8"].map(|id| (keys, row, copy.to_owned(), id.to_owned())));
                }
            }
        }
        assert_eq!(order, expected);
    }

    /// At 10^8 keys a repetition takes half a minute.
    #[test]
    fn points_of_many_keys_are_repeated_less_often_where_all_keys_are_bounded() {
        let text = "id = 't'\ntitle = 't'\nquestion = 't'\nreading = 't'\npanel = []\n[[measure]]\nname = 'main'\n\
            model = 'study'\nstudy = 'speed-build'\ncontenders = ['standard']\nsweep.keys = [10, 20, 30, 1000]\n\
            sweep.fpr = 0.01\nscale.smoke = { filters = 5, most-probes = 0, keys-in-all = 60 }\n\
            scale.quick = { filters = 5, most-probes = 0 }\nscale.full = { filters = 5, most-probes = 0 }\n";
        let definition = Definition::parse("t.toml", text).unwrap();
        let rows = |scale| -> Vec<u64> {
            let specs = expand(&definition, &Registry::workspace(), scale, None).unwrap();
            specs.into_iter().map(|spec| Point::new(spec, 1).rows()).collect()
        };
        assert_eq!((rows(Scale::Smoke), rows(Scale::Quick)), (vec![5, 3, 2, 1], vec![5; 4]));
    }
}
