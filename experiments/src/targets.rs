//! Times against each other and against what was aimed at: ratios of rounds of one run. `speed-targets.toml` says which.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::HarnessError;
use crate::model::Point;
use crate::record::Record;
use crate::run::Plan;
use crate::spec::{Factors, Scalar};
use crate::studies::{Case, Observations};
use crate::table::{Table, text};

/// The name of the derived table.
pub const ID: &str = "speed-ratios";
/// The definition whose run is looked at.
pub const EXPERIMENT: &str = "performance";
/// The file of the targets.
const FILE: &str = include_str!("../speed-targets.toml");
/// Of the resamples behind the interval of a median.
const BOOTSTRAP_SEED: u64 = 1;

/// Several ratios of one contender, each with the most it should be.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Target {
    /// The class, as tables show it.
    pub class: String,
    /// The contender by id.
    pub contender: String,
    /// Those it is held against, of which the best one counts; itself where there are none.
    #[serde(default)]
    pub against: Vec<String>,
    /// Numbers of keys.
    pub keys: Vec<u64>,
    /// Factors that tell its point from others of its own.
    #[serde(default)]
    pub only: Factors,
    /// The same of those it is held against; by default those of `only`.
    #[serde(default)]
    pub against_only: Option<Factors>,
    /// The quantity of the others, if it is not the same one.
    #[serde(default)]
    pub other: Option<String>,
    /// The most that each quantity (without `_ns`) should be over that of the others.
    #[serde(default)]
    pub most: BTreeMap<String, f64>,
    /// The most that each quantity should be by itself.
    #[serde(default)]
    pub at_most: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    target: Vec<Target>,
}

/// The committed targets.
///
/// # Errors
/// [`HarnessError::Failed`] for a file that is none.
pub fn builtin() -> Result<Vec<Target>, HarnessError> {
    let file: File =
        toml::from_str(FILE).map_err(|error| HarnessError::Failed(format!("speed-targets.toml: {error}")))?;
    Ok(file.target)
}

/// A quantity in the rounds of a point, by the number of the round.
type Rounds = BTreeMap<u64, f64>;

/// A run's rounds.
pub struct Runs<'a> {
    plan: &'a Plan,
    rows: BTreeMap<&'a str, Vec<&'a Record>>,
}

impl<'a> Runs<'a> {
    /// Of the rows of a plan.
    #[must_use]
    pub fn new(plan: &'a Plan, records: &'a [Record]) -> Self {
        let mut rows: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
        for record in records {
            rows.entry(&record.point).or_default().push(record);
        }
        Self { plan, rows }
    }

    /// The rounds of a quantity (with or without `_ns`) of the first point of a measure with this contender, keys and factors
    /// that has it.
    fn rounds(&self, measure: &str, contender: &str, keys: u64, only: &Factors, quantity: &str) -> Option<Rounds> {
        let fits = |point: &&Point| {
            let factors = &point.spec.factors;
            (point.spec.measure.as_str(), point.spec.id.as_str()) == (measure, contender)
                && factors.get("keys") == Some(&Scalar::Integer(keys))
                && only
                    .iter()
                    .all(|(name, value)| factors.get(name).is_some_and(|of| of.to_string() == value.to_string()))
        };
        self.plan.points.iter().filter(fits).find_map(|point| self.of_point(point, quantity))
    }

    fn of_point(&self, point: &Point, quantity: &str) -> Option<Rounds> {
        let study = point.spec.study.filter(|study| study.axis.is_none())?;
        let named = |name: &str| name == quantity || name.strip_suffix("_ns") == Some(quantity);
        let index = study.quantities.iter().position(|of| named(of.name))?;
        let positions = study.positions(&Case::new(point, study, 0)).ok()?.len();
        let rows = self.rows.get(point.identity.as_str())?;
        let value = |record: &&Record| {
            let seen = Observations::from_text(record.observed.as_deref()?, study, positions).ok()?;
            let (sum, trials) = seen.get(0, index);
            let unit = if study.quantities[index].name.ends_with("_ns") { 1000.0 } else { 1.0 };
            (trials > 0).then(|| (record.row, sum as f64 / trials as f64 / unit))
        };
        let rounds: Rounds = rows.iter().filter_map(value).collect();
        (!rounds.is_empty()).then_some(rounds)
    }
}

fn least(rounds: &Rounds) -> f64 {
    rounds.values().copied().fold(f64::INFINITY, f64::min)
}

/// A row for each target: both values, their ratio, and whether it is met.
#[must_use]
pub fn table(targets: &[Target], runs: &Runs<'_>) -> Table {
    let mut table = Table::default();
    for target in targets {
        for keys in &target.keys {
            for (quantity, most) in &target.most {
                table.push(row(target, *keys, quantity, *most, runs));
            }
            for (quantity, most) in &target.at_most {
                table.push(absolute(target, *keys, quantity, *most, runs));
            }
        }
    }
    table
}

/// A pair to be held against each other: ours, the id of the best of the others, theirs.
type Pair<'a> = (Rounds, Option<(&'a str, Rounds)>);

/// Both in one measure, whose rounds are neighbours in time; of several measures the one with the fastest other.
fn pair<'a>(target: &'a Target, keys: u64, quantity: &str, runs: &Runs<'_>) -> Option<Pair<'a>> {
    let only = target.against_only.as_ref().unwrap_or(&target.only);
    let other = target.other.as_deref().unwrap_or(quantity);
    let in_measure = |measure: &str| -> Option<Pair<'a>> {
        let ours = runs.rounds(measure, &target.contender, keys, &target.only, quantity)?;
        let theirs = against(target).filter_map(|id| Some((id, runs.rounds(measure, id, keys, only, other)?)));
        Some((ours, theirs.min_by(|left, right| least(&left.1).total_cmp(&least(&right.1)))))
    };
    let time = |pair: &Pair<'_>| pair.1.as_ref().map_or(f64::INFINITY, |(_, rounds)| least(rounds));
    let measures = runs.plan.definition.measure.iter().filter_map(|measure| in_measure(&measure.name));
    measures.min_by(|left, right| time(left).total_cmp(&time(right)))
}

/// Those a contender is held against: itself where there are none.
fn against(target: &Target) -> impl Iterator<Item = &str> {
    let itself = target.against.is_empty().then_some(target.contender.as_str());
    target.against.iter().map(String::as_str).chain(itself)
}

fn row(target: &Target, keys: u64, quantity: &str, most: f64, runs: &Runs<'_>) -> Vec<(String, String)> {
    let (ours, best) = pair(target, keys, quantity, runs).unzip();
    let best = best.flatten();
    let (mut ratio, mut median, mut met) = (None, None, "");
    if let (Some(ours), Some((_, theirs))) = (&ours, &best) {
        let of_least = least(ours) / least(theirs);
        let pairs = ours.iter().filter_map(|(round, value)| Some((*value, *theirs.get(round)?)));
        let (above, below): (Vec<f64>, Vec<f64>) = pairs.unzip();
        (ratio, median) = (Some(of_least), stats::median_ratio(&above, &below, 0.95, BOOTSTRAP_SEED).ok());
        met = if of_least <= most { "yes" } else { "no" };
    }
    let named =
        best.as_ref().map_or_else(|| against(target).collect::<Vec<_>>().join(" or "), |(id, _)| (*id).to_owned());
    let named = target.other.as_ref().map_or_else(|| named.clone(), |other| format!("{named}: {other}"));
    cells(
        (target, keys, quantity, most),
        ours.as_ref(),
        (named, best.as_ref().map(|(_, rounds)| least(rounds))),
        (ratio, median),
        met,
    )
}

/// A quantity against its own limit.
fn absolute(target: &Target, keys: u64, quantity: &str, most: f64, runs: &Runs<'_>) -> Vec<(String, String)> {
    let mut measures = runs.plan.definition.measure.iter();
    let ours = measures.find_map(|of| runs.rounds(&of.name, &target.contender, keys, &target.only, quantity));
    let met = ours.as_ref().map_or("", |ours| if least(ours) <= most { "yes" } else { "no" });
    cells((target, keys, quantity, most), ours.as_ref(), (String::new(), None), (None, None), met)
}

/// A ratio of least values; the median of the ratios of rounds with its interval.
type Ratio = (Option<f64>, Option<(f64, stats::Interval)>);

fn cells(
    (target, keys, quantity, most): (&Target, u64, &str, f64),
    ours: Option<&Rounds>,
    (against, theirs): (String, Option<f64>),
    (ratio, median): Ratio,
    met: &str,
) -> Vec<(String, String)> {
    [
        ("class", target.class.clone()),
        ("contender", target.contender.clone()),
        ("keys", keys.to_string()),
        ("quantity", quantity.to_owned()),
        ("value", text(ours.map(least))),
        ("against", against),
        ("their_value", text(theirs)),
        ("ratio", text(ratio)),
        ("ratio_median", text(median.map(|of| of.0))),
        ("ratio_median_low", text(median.map(|of| of.1.low))),
        ("ratio_median_high", text(median.map(|of| of.1.high))),
        ("rounds", ours.map_or_else(String::new, |rounds| rounds.len().to_string())),
        ("target", text(Some(most))),
        ("met", met.to_owned()),
    ]
    .map(|(name, cell)| (name.to_owned(), cell))
    .into()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::registry::Registry;
    use crate::run::{self, Options};
    use crate::spec::{Definition, Scale};
    use crate::studies::STUDIES;

    fn plan() -> Plan {
        let mut all = Definition::builtin().unwrap();
        all.retain(|definition| definition.id == EXPERIMENT);
        let out = PathBuf::from("nowhere");
        let options = Options { scale: Scale::Full, seed: 1, out, again: false, contenders: None, shard: None };
        run::plan(all.remove(0), &Registry::workspace(), &options).unwrap()
    }

    /// A row of a point in which one quantity has a value.
    fn record(point: &Point, row: u64, quantity: &str, value: u64) -> Record {
        let study = point.spec.study.unwrap();
        let mut seen = Observations::new(study, 1);
        seen.add(0, study.quantities.iter().position(|of| of.name == quantity).unwrap(), value, 1000);
        let (point, observed) = (point.identity.clone(), Some(seen.to_text()));
        Record { point, row, observed, outcome: "ok".to_owned(), ..Record::default() }
    }

    #[test]
    fn ratios_are_of_least_values_and_of_rounds() {
        let plan = plan();
        let point = |id: &str, keys: u64| {
            let fits =
                |point: &&Point| point.spec.id == id && point.spec.keys == keys && point.spec.measure == "bloom-lookup";
            plan.points.iter().find(fits).unwrap()
        };
        let mut records = Vec::new();
        for (row, (ours, theirs)) in
            [(30_000_000, 20_000_000), (22_000_000, 10_000_000), (36_000_000, 20_000_000)].into_iter().enumerate()
        {
            records.push(record(point("partitioned", 100_000), row as u64, "hit_ns", ours));
            records.push(record(point("standard", 100_000), row as u64, "hit_ns", theirs));
        }
        let table = table(&builtin().unwrap(), &Runs::new(&plan, &records));
        let row = table.rows.iter().find(|row| {
            table.cell(row, "contender") == "partitioned"
                && table.cell(row, "quantity") == "hit"
                && table.cell(row, "keys") == "100000"
        });
        let row = row.unwrap();
        let number = |column: &str| table.number(row, column).unwrap();
        assert_eq!((number("value"), number("their_value"), number("ratio")), (22.0, 10.0, 2.2));
        // Of 1.5, 2.2 and 1.8.
        assert_eq!((number("ratio_median"), number("ratio_median_low"), number("ratio_median_high")), (1.8, 1.5, 2.2));
        assert_eq!((table.cell(row, "against"), table.cell(row, "met")), ("standard", "no"));
        let open = |row: &&Vec<String>| table.cell(row, "met").is_empty();
        assert_eq!(table.rows.iter().filter(open).count(), table.rows.len() - 1);
    }

    /// Each contender is one of the workspace, each quantity one of a study, and `performance` measures both.
    #[test]
    fn targets_name_what_is_measured() {
        let (plan, registry) = (plan(), Registry::workspace());
        let quantity = |name: &str| {
            STUDIES.iter().any(|study| study.quantities.iter().any(|of| of.name.trim_end_matches("_ns") == name))
        };
        for target in builtin().unwrap() {
            assert!(registry.get(&target.contender).is_some(), "{target:?}");
            let listed = |id: &String| {
                plan.definition.measure.iter().any(|of| of.contenders.contains(id) || of.peers.contains(id))
            };
            assert!(target.against.iter().all(listed), "{target:?}");
            assert!(
                target.most.keys().chain(target.at_most.keys()).chain(&target.other).all(|name| quantity(name)),
                "{target:?}"
            );
            for keys in &target.keys {
                let at = |point: &Point| {
                    let factors = &point.spec.factors;
                    let only = target
                        .only
                        .iter()
                        .all(|(name, value)| factors.get(name).map(ToString::to_string) == Some(value.to_string()));
                    point.spec.id == target.contender && point.spec.keys == *keys && only
                };
                assert!(plan.points.iter().any(at), "{target:?}");
            }
        }
    }
}
