//! A sample of points that is measured again: counts must be equal, on any machine.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::error::HarnessError;
use crate::keep::Keep;
use crate::model::Point;
use crate::pipeline::Loaded;
use crate::record::Record;
use crate::run::Plan;
use crate::seeds;

/// What was measured again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Points.
    pub points: usize,
    /// Of so many without times.
    pub of: usize,
    /// Rows of these points.
    pub rows: usize,
}

/// Measures `sample` points of what a folder holds again, all their rows, and holds them against the raw rows. The choice
/// hangs on `seed` and the points alone. Points with times are left out: their rows belong to one machine and one build.
///
/// # Errors
/// [`HarnessError::Failed`] that names every row and column that differs.
pub fn measure(loaded: &[Loaded], sample: usize, seed: u64) -> Result<Again, HarnessError> {
    let mut chosen: Vec<(&Plan, &Point)> = loaded
        .iter()
        .flat_map(|(plan, _)| plan.points.iter().map(move |point| (plan, point)))
        .filter(|(_, point)| !point.is_timed())
        .collect();
    let of = chosen.len();
    chosen.sort_by_key(|(plan, point)| seeds::hash_text(seed, &format!("{} {}", plan.definition.id, point.identity)));
    chosen.truncate(sample);
    let mut tasks: Vec<(&Plan, &Point, u64)> =
        chosen.iter().flat_map(|(plan, point)| (0..point.rows()).map(move |row| (*plan, *point, row))).collect();
    // The longest first.
    tasks.sort_by(|left, right| right.1.cost_ns().total_cmp(&left.1.cost_ns()));
    let held = loaded
        .iter()
        .filter(|(plan, _)| chosen.iter().any(|(of, _)| std::ptr::eq(*of, plan)))
        .map(|(plan, _)| Ok((plan.folder.as_path(), Record::read_all(&plan.folder.join("rows.csv"))?)))
        .collect::<Result<HashMap<_, _>, HarnessError>>()?;
    let mut differ: Vec<String> = tasks
        .par_iter()
        .with_max_len(1)
        .map(|(plan, point, row)| {
            let fresh = point.measure(*row, &Keep::new())?;
            let mut known = held.get(plan.folder.as_path()).into_iter().flatten();
            let known = known.find(|known| known.point == point.identity && known.row == *row);
            let place = || {
                let (file, contender) = (plan.folder.join("rows.csv"), &point.spec.id);
                format!("{}: {contender}, point {}, row {row}", file.display(), point.identity)
            };
            let Some(known) = known else { return Ok(vec![format!("{} is not there", place())]) };
            let differ = known.differences(&fresh)?;
            let named = |(column, before, now): (String, String, String)| {
                format!("{}, column {column}: `{before}`, measured again `{now}`", place())
            };
            Ok(differ.into_iter().map(named).collect())
        })
        .collect::<Result<Vec<Vec<String>>, HarnessError>>()?
        .concat();
    if differ.is_empty() {
        return Ok(Again { points: chosen.len(), of, rows: tasks.len() });
    }
    differ.sort();
    Err(HarnessError::Failed(differ.join("\n")))
}
