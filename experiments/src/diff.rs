//! What changed between two runs, from their raw rows alone: a code change may have changed definitions and filters.
//!
//! Points are the same where measure, contender and all factors are. Where their identities are equal too (seed,
//! parameters and amounts), so must be all counts. Rates and other quantities are tested on two levels: filters
//! (repetitions) are the unit, and the trials within them.

mod quantity;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::error::HarnessError;
use crate::files::folders;
use crate::manifest::Manifest;
use crate::record::Record;
use crate::spec::Definition;
use crate::table::{Table, text};
use crate::verdict::ALPHA;
use quantity::{Quantity, compare};

/// The columns.
pub const COLUMNS: [&str; 15] = [
    "experiment",
    "change",
    "measure",
    "contender",
    "keys",
    "workload",
    "family",
    "factors",
    "quantity",
    "before",
    "after",
    "ratio",
    "ratio_low",
    "ratio_high",
    "p_value",
];

/// What was compared and what differs.
#[derive(Clone, Debug, Default)]
pub struct Diff {
    /// A row for each change, with [`COLUMNS`].
    pub changes: Table,
    /// Points on both sides.
    pub points: usize,
    /// Quantities of them, without times.
    pub quantities: usize,
    /// Of these, how many had too few filters for a test.
    pub untested: usize,
    /// Changes that are no times.
    pub counted: usize,
}

/// One run.
struct Run {
    definition: Definition,
    rows: Vec<Record>,
}

/// What a point is, whatever measured it.
type Name = (String, String, u64, String, String, String);

/// Compares two folders: each a run, or results of which the newest finished run of each experiment counts. With `all`
/// what is the same is a row too.
///
/// # Errors
/// [`HarnessError::Usage`] for a folder without runs, and those of reading them.
pub fn diff(before: &Path, after: &Path, all: bool) -> Result<Diff, HarnessError> {
    let mut diff =
        Diff { changes: Table { columns: COLUMNS.map(str::to_owned).into(), rows: Vec::new() }, ..Diff::default() };
    let (before, after) = (runs(before)?, runs(after)?);
    let ids: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for id in ids {
        match (before.get(id), after.get(id)) {
            (Some(before), Some(after)) => {
                let (points_before, points_after) = (points(&before.rows), points(&after.rows));
                let names: BTreeSet<&Name> = points_before.keys().chain(points_after.keys()).collect();
                for name in names {
                    match (points_before.get(name), points_after.get(name)) {
                        (Some(rows_before), Some(rows_after)) => {
                            diff.points += 1;
                            let sides = [(&before.definition, &rows_before[..]), (&after.definition, &rows_after[..])];
                            diff.point(id, name, sides, all)?;
                        }
                        (known, _) => diff.push(id, if known.is_some() { "missing" } else { "new" }, Some(name), &[]),
                    }
                }
            }
            (known, _) => diff.push(id, if known.is_some() { "missing" } else { "new" }, None, &[]),
        }
    }
    Ok(diff)
}

/// The rows of each point, in order.
fn points(rows: &[Record]) -> BTreeMap<Name, Vec<&Record>> {
    let mut points: BTreeMap<Name, Vec<&Record>> = BTreeMap::new();
    for row in rows {
        let name = (
            row.measure.clone(),
            row.contender.clone(),
            row.keys,
            row.workload.clone(),
            row.family.clone(),
            row.factors.clone(),
        );
        points.entry(name).or_default().push(row);
    }
    points
}

impl Diff {
    fn push(&mut self, id: &str, change: &str, name: Option<&Name>, cells: &[(&str, String)]) {
        let mut pairs = vec![("experiment", id.to_owned()), ("change", change.to_owned())];
        if let Some((measure, contender, keys, workload, family, factors)) = name {
            let cells = [
                measure.clone(),
                contender.clone(),
                keys.to_string(),
                workload.clone(),
                family.clone(),
                factors.clone(),
            ];
            pairs.extend(COLUMNS[2..].iter().copied().zip(cells));
        }
        pairs.extend(cells.iter().cloned());
        self.changes.push(pairs.into_iter().map(|(column, cell)| (column.to_owned(), cell)));
        self.counted += usize::from(!["time", "same"].contains(&change));
    }

    /// One point on both sides.
    fn point(
        &mut self,
        id: &str,
        name: &Name,
        sides: [(&Definition, &[&Record]); 2],
        all: bool,
    ) -> Result<(), HarnessError> {
        let [before, after] = sides.map(|(_, rows)| rows);
        let words = |of: fn(&Record) -> &String| {
            [before, after].map(|rows| {
                rows.iter()
                    .map(|row| of(row).as_str())
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .collect::<Vec<_>>()
                    .join(" ")
            })
        };
        for (quantity, [before, after]) in
            [("outcome", words(|row| &row.outcome)), ("params", words(|row| &row.params))]
        {
            if before != after {
                let cells = [("quantity", quantity.to_owned()), ("before", before), ("after", after)];
                self.push(id, quantity, Some(name), &cells);
            }
        }
        let [quantities_before, quantities_after] =
            [quantity::of(sides[0].0, before)?, quantity::of(sides[1].0, after)?];
        // The same experiment twice: whatever is counted must be the same number.
        let same = before.iter().map(|row| (&row.point, row.row)).eq(after.iter().map(|row| (&row.point, row.row)));
        let mut named = BTreeSet::new();
        for one in &quantities_before {
            let Some(other) = quantities_after.iter().find(|other| other.name == one.name) else { continue };
            self.quantity(id, name, [one, other], same, all, &mut named)?;
        }
        if same {
            self.other_counts(id, name, before, after, &named)?;
        }
        Ok(())
    }

    /// One quantity on both sides; `named` gathers the columns whose differences it tells.
    fn quantity(
        &mut self,
        id: &str,
        name: &Name,
        [one, other]: [&Quantity; 2],
        same: bool,
        all: bool,
        named: &mut BTreeSet<&'static str>,
    ) -> Result<(), HarnessError> {
        let found = compare(one, other)?;
        let is_time = one.is_time();
        if !is_time {
            self.quantities += 1;
            self.untested += usize::from(found.p_value.is_none());
        }
        let differs = !is_time && one.counts() != other.counts();
        let beyond = |(low, high): (f64, f64)| low > 1.0 || high < 1.0;
        let change = if is_time {
            let seen = match found.interval {
                Some(interval) => beyond(interval),
                // A single number on each side: it is shown where it is another one.
                None => found.ratio.is_some_and(|ratio| ratio != 1.0),
            };
            if seen { "time" } else { "same" }
        } else if found.p_value.is_some_and(|p| p < ALPHA) {
            "rate"
        } else if same && differs {
            "counts"
        } else {
            "same"
        };
        if differs {
            named.extend(one.columns);
        }
        if change == "same" && !all {
            return Ok(());
        }
        let cells = [
            ("quantity", one.name.clone()),
            ("before", text(one.value())),
            ("after", text(other.value())),
            ("ratio", text(found.ratio)),
            ("ratio_low", text(found.interval.map(|of| of.0))),
            ("ratio_high", text(found.interval.map(|of| of.1))),
            ("p_value", text(found.p_value)),
        ];
        self.push(id, change, Some(name), &cells);
        Ok(())
    }

    /// Counts of the same rows that no quantity spoke of: the first row that differs of each column.
    fn other_counts(
        &mut self,
        id: &str,
        name: &Name,
        before: &[&Record],
        after: &[&Record],
        named: &BTreeSet<&'static str>,
    ) -> Result<(), HarnessError> {
        let mut told: BTreeSet<String> =
            ["min_ps", "median_ps", "observed", "outcome", "params"].map(str::to_owned).into();
        told.extend(named.iter().map(|column| (*column).to_owned()));
        for (one, other) in before.iter().zip(after) {
            for (column, before, after) in one.differences(other)? {
                if told.insert(column.clone()) {
                    let cells =
                        [("quantity", format!("{column}, row {}", one.row)), ("before", before), ("after", after)];
                    self.push(id, "counts", Some(name), &cells);
                }
            }
        }
        Ok(())
    }
}

/// The runs of a folder, by experiment.
fn runs(folder: &Path) -> Result<BTreeMap<String, Run>, HarnessError> {
    let known = Definition::builtin()?;
    let mut runs = BTreeMap::new();
    if Manifest::path(folder).exists() {
        let manifest = Manifest::read(folder)?;
        runs.insert(manifest.experiment.clone(), read(folder, &manifest, &known)?);
        return Ok(runs);
    }
    for experiment in folders(&folder.join("raw"))? {
        let mut newest = None;
        for (run, manifest) in Manifest::of_runs(&experiment)? {
            let manifest = manifest?;
            if newest.is_none() && manifest.is_whole() {
                newest = Some((run, manifest));
            }
        }
        if let Some((run, manifest)) = newest {
            runs.insert(manifest.experiment.clone(), read(&run, &manifest, &known)?);
        }
    }
    if runs.is_empty() {
        return Err(HarnessError::Usage(format!(
            "{}: neither a run (a folder with run.toml) nor results with a finished run: `experiments run` makes some",
            folder.display()
        )));
    }
    Ok(runs)
}

fn read(folder: &Path, manifest: &Manifest, known: &[Definition]) -> Result<Run, HarnessError> {
    let path = folder.join("definition.toml");
    let id = &manifest.experiment;
    let definition = match std::fs::read_to_string(&path) {
        Ok(text) => Definition::parse(&format!("{id}.toml"), &text)?,
        Err(error) => match known.iter().find(|definition| definition.id == *id) {
            Some(known) => known.clone(),
            None => return Err(HarnessError::io(&path, "cannot read")(error)),
        },
    };
    Ok(Run { definition, rows: Record::read_all(&folder.join("rows.csv"))? })
}
