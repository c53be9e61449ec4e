//! Popular claims beside what is right and what was measured. `claims.toml` says where each number comes from; none of
//! them but the claimed one is written there.

mod formula;

use std::collections::BTreeMap;
use std::path::Path;

use amq::Given;
use serde::Deserialize;

pub use formula::{FormulaError, evaluate};

use crate::error::HarnessError;
use crate::pipeline::read_derived;
use crate::registry::Registry;
use crate::spec::{Definition, Factors, Scalar};
use crate::table::{Table, text};

/// The name of the derived table.
pub const ID: &str = "claims-checked";
/// The file of the claims.
const FILE: &str = include_str!("../../claims.toml");

/// A claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// Its name: a number of the topic and what is asked.
    pub id: String,
    /// What is claimed, in our words.
    pub says: String,
    /// The number claimed, or `A to B`.
    pub claimed: String,
    /// The right one.
    pub right: Formula,
    /// The measured one, or why there is none.
    pub measured: Measured,
}

/// A number made of others.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Formula {
    /// The formula in the names of `of`; without it, the only one of them.
    #[serde(default)]
    pub formula: Option<String>,
    /// The numbers it is made of.
    #[serde(default)]
    pub of: BTreeMap<String, Source>,
}

/// What is measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Measured {
    /// Nothing: the claim is about a formula, or no run of sane length shows it.
    TheoryOnly(TheoryOnly),
    /// A number made of cells of derived tables.
    Cells(Formula),
}

/// Why nothing is measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TheoryOnly {
    /// The reason.
    pub theory_only: String,
}

/// Where a number comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Source {
    /// A number of the claim itself.
    Number(f64),
    /// A cell of a derived table.
    Cell(CellOf),
    /// A formula of a contender.
    Theory(TheoryOf),
}

/// A cell of a derived table: the only row with these factors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CellOf {
    /// The experiment's id.
    pub experiment: String,
    /// Columns with the values that the row has.
    pub only: Factors,
    /// The column.
    pub column: String,
}

/// A value that `experiments theory` prints, or `predicted_fpr`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TheoryOf {
    /// The contender's id.
    pub contender: String,
    /// Keys it is sized for.
    pub keys: u64,
    /// Keys inserted; as many as it is sized for if not given.
    #[serde(default)]
    pub inserted: Option<u64>,
    /// Sized for this rate.
    #[serde(default)]
    pub fpr: Option<f64>,
    /// Sized for these bits per key.
    #[serde(default)]
    pub bits_per_key: Option<f64>,
    /// With these parameters.
    #[serde(default)]
    pub params: BTreeMap<String, u64>,
    /// With positions by this scheme and `reduction`.
    #[serde(default)]
    pub scheme: Option<String>,
    /// See `scheme`.
    #[serde(default)]
    pub reduction: Option<String>,
    /// The value's name.
    pub value: String,
}

/// A number with the interval it lies in, and where it is from.
#[derive(Clone, Debug, Default, PartialEq)]
struct Found {
    value: f64,
    low: f64,
    high: f64,
    /// Verdict of the row, where it is one of a table.
    verdict: String,
    from: String,
}

/// The claims of this workspace.
///
/// # Errors
/// [`HarnessError::Definition`] for a file that is none.
pub fn builtin() -> Result<Vec<Claim>, HarnessError> {
    parse(FILE)
}

/// Reads claims.
///
/// # Errors
/// [`HarnessError::Definition`] with the place.
pub fn parse(file: &str) -> Result<Vec<Claim>, HarnessError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        claim: Vec<Claim>,
    }
    let file: File = toml::from_str(file).map_err(|error| HarnessError::Definition(format!("claims.toml: {error}")))?;
    Ok(file.claim)
}

/// The table of the claims: claimed, right, and measured as far as the derived data of `out` go. Claims about contenders
/// that the registry does not have are left out.
///
/// # Errors
/// [`HarnessError::Definition`] for a claim that names what there is not, or of whose rows there are several.
pub fn table(registry: &Registry, claims: &[Claim], out: &Path) -> Result<Table, HarnessError> {
    let known: Vec<String> = Definition::builtin()?.into_iter().map(|definition| definition.id).collect();
    let mut derived = Derived { out, known, tables: BTreeMap::new() };
    let mut table = Table::default();
    for claim in claims.iter().filter(|claim| claim.contenders().all(|id| registry.get(id).is_some())) {
        let wrong = |why: String| HarnessError::Definition(format!("claims.toml: claim `{}`: {why}", claim.id));
        let right = claim.right.value(registry, &mut derived).map_err(wrong)?;
        let measured = match &claim.measured {
            Measured::TheoryOnly(why) => Err(format!("theory only: {}", why.theory_only)),
            Measured::Cells(formula) => formula.value(registry, &mut derived).map_err(wrong)?,
        };
        let right = right.map_err(|missing| wrong(format!("the right value needs a measured one: {missing}")))?;
        let holds = holds(&claim.claimed, right.value)
            .ok_or_else(|| wrong(format!("claimed = `{}` is no number and no `A to B`", claim.claimed)))?;
        let found = measured.as_ref().ok();
        let number = |of: fn(&Found) -> f64| text(found.map(of));
        let interval = found.filter(|found| found.low < found.high);
        table.push(
            [
                ("claim", claim.id.clone()),
                ("claimed", claim.claimed.clone()),
                ("right", text(Some(right.value))),
                ("measured", number(|found| found.value)),
                ("low", text(interval.map(|found| found.low))),
                ("high", text(interval.map(|found| found.high))),
                ("claim_is", if holds { "right" } else { "wrong" }.to_owned()),
                ("verdict", found.map_or_else(String::new, |found| found.verdict.clone())),
                ("says", claim.says.clone()),
                ("right_from", right.from),
                ("measured_from", measured.map_or_else(|why| why, |found| found.from)),
            ]
            .map(|(name, cell)| (name.to_owned(), cell)),
        );
    }
    Ok(table)
}

/// Whether `right` is the number claimed, to as many digits as are claimed; `None` where none is.
fn holds(claimed: &str, right: f64) -> Option<bool> {
    if let Some((low, high)) = claimed.split_once(" to ") {
        return Some((low.parse().ok()?..=high.parse::<f64>().ok()?).contains(&right));
    }
    let value: f64 = claimed.parse().ok()?;
    let digits = claimed.split(['e', 'E']).next()?;
    let significant = digits.trim_start_matches(['0', '.', '-']).chars().filter(char::is_ascii_digit).count().max(1);
    let rounded: f64 = format!("{right:.*e}", significant - 1).parse().ok()?;
    Some((rounded - value).abs() <= 1e-12 * value.abs())
}

/// Derived tables of a folder, read when they are needed.
struct Derived<'a> {
    out: &'a Path,
    known: Vec<String>,
    tables: BTreeMap<String, Option<Table>>,
}

impl Derived<'_> {
    /// The cell, or which command makes it; `Err` for what cannot be.
    fn cell(&mut self, of: &CellOf) -> Result<Result<Found, String>, String> {
        if !self.known.contains(&of.experiment) {
            return Err(format!("unknown experiment `{}`; known: {}", of.experiment, self.known.join(", ")));
        }
        if !self.tables.contains_key(&of.experiment) {
            let table = read_derived(self.out, &of.experiment).map_err(|error| error.to_string())?;
            self.tables.insert(of.experiment.clone(), table);
        }
        let only = of.only.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ");
        let missing = format!("not measured: experiments run {}", of.experiment);
        let Some(Some(table)) = self.tables.get(&of.experiment) else { return Ok(Err(missing)) };
        let fits = |row: &&Vec<String>| of.only.iter().all(|(name, value)| equal(table.cell(row, name), value));
        let rows: Vec<&Vec<String>> = table.rows.iter().filter(fits).collect();
        let row = match rows[..] {
            [] => return Ok(Err(missing)),
            [row] => row,
            _ => return Err(format!("{} rows of {} have {only}: name more columns", rows.len(), of.experiment)),
        };
        let Some(value) = table.number(row, &of.column) else { return Ok(Err(missing)) };
        let end = |name: &str| table.number(row, &format!("{}_{name}", of.column)).unwrap_or(value);
        Ok(Ok(Found {
            value,
            low: end("low"),
            high: end("high"),
            verdict: table.cell(row, "verdict").to_owned(),
            from: format!("{}.csv, {only}: {}", of.experiment, of.column),
        }))
    }
}

/// Whether a cell has this value; numbers are compared as numbers.
fn equal(cell: &str, value: &Scalar) -> bool {
    let wanted = value.to_string();
    cell == wanted
        || cell.parse::<f64>().ok().zip(wanted.parse::<f64>().ok()).is_some_and(|(left, right)| left == right)
}

impl Claim {
    /// The contenders whose theory it asks.
    fn contenders(&self) -> impl Iterator<Item = &str> {
        let measured = if let Measured::Cells(formula) = &self.measured { Some(formula) } else { None };
        let sources = [&self.right].into_iter().chain(measured).flat_map(|formula| formula.of.values());
        sources.filter_map(|source| if let Source::Theory(of) = source { Some(of.contender.as_str()) } else { None })
    }
}

impl Formula {
    /// The number, or which command makes what it needs; `Err` for what cannot be.
    fn value(&self, registry: &Registry, derived: &mut Derived<'_>) -> Result<Result<Found, String>, String> {
        let mut all: Vec<(&String, Found)> = Vec::new();
        for (name, source) in &self.of {
            let found = match source {
                Source::Number(value) => Found {
                    value: *value,
                    low: *value,
                    high: *value,
                    from: format!("{name} = {value}"),
                    ..Found::default()
                },
                Source::Theory(of) => of.value(registry)?,
                Source::Cell(of) => match derived.cell(of)? {
                    Ok(found) => found,
                    Err(missing) => return Ok(Err(missing)),
                },
            };
            all.push((name, found));
        }
        let formula = match (&self.formula, &all[..]) {
            (Some(formula), _) => formula,
            (None, [(name, _)]) => *name,
            (None, _) => return Err("several numbers need a formula".to_owned()),
        };
        let at = |pick: &dyn Fn(usize, &Found) -> f64| {
            let values = all.iter().enumerate().map(|(index, (name, found))| ((*name).clone(), pick(index, found)));
            evaluate(formula, &values.collect()).map_err(|error| error.to_string())
        };
        let value = at(&|_, found| found.value)?;
        // Every corner of the intervals: wider than needed where there are several, never narrower.
        let mut corners = vec![value];
        for corner in 0..1_usize << all.len() {
            corners.push(at(&|index, found| if corner >> index & 1 == 0 { found.low } else { found.high })?);
        }
        let mut from: Vec<String> = all.iter().map(|(_, found)| found.from.clone()).collect();
        if let Some(formula) = &self.formula {
            from.insert(0, formula.clone());
        }
        let verdicts = all.iter().map(|(_, found)| found.verdict.as_str()).filter(|verdict| !verdict.is_empty());
        let verdicts: Vec<&str> = verdicts.collect();
        let verdict = verdicts.iter().find(|verdict| **verdict != "agrees").or(verdicts.first()).copied();
        Ok(Ok(Found {
            value,
            low: corners.iter().copied().fold(f64::INFINITY, f64::min),
            high: corners.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            verdict: verdict.unwrap_or_default().to_owned(),
            from: from.join("; "),
        }))
    }
}

impl TheoryOf {
    fn value(&self, registry: &Registry) -> Result<Found, String> {
        let mut contender = *registry.find(&self.contender)?;
        if let (Some(scheme), Some(reduction)) = (&self.scheme, &self.reduction) {
            let derived = contender.derived(scheme, reduction);
            let derived = derived.ok_or_else(|| format!("{} has no scheme to choose", self.contender))?;
            contender = derived.map_err(|error| error.to_string())?;
        }
        let refused = |error: amq::InvalidParams| format!("{}: {error}", self.contender);
        let params = match (self.fpr, self.bits_per_key) {
            (Some(fpr), None) if self.params.is_empty() => contender.size_for_fpr(self.keys, fpr),
            (None, Some(bits)) if self.params.is_empty() => contender.size_for(self.keys, bits),
            (None, None) => {
                let given = self.params.iter().map(|(name, value)| (name.clone(), (*value).into()));
                contender.params_from(&Given::new(given), self.keys)
            }
            _ => return Err(format!("{}: give fpr, bits-per-key or params", self.contender)),
        };
        let params = params.map_err(refused)?;
        let keys = self.inserted.unwrap_or(self.keys);
        let values = contender.named_values(&params, keys).map_err(refused)?;
        let value = match values.iter().find(|value| value.name == self.value) {
            Some(value) => value.value,
            None if self.value == "predicted_fpr" => contender.predicted_fpr(&params, keys).map_err(refused)?.rate,
            None => return Err(format!("{} has no value `{}`", self.contender, self.value)),
        };
        let size = match (self.fpr, self.bits_per_key) {
            (Some(fpr), _) => format!("--fpr {fpr}"),
            (_, Some(bits)) => format!("--bits-per-key {bits}"),
            _ => {
                self.params.iter().map(|(name, value)| format!("--param {name}={value}")).collect::<Vec<_>>().join(" ")
            }
        };
        let mut with = self.inserted.map_or_else(String::new, |inserted| format!(" with {inserted} keys in"));
        if let (Some(scheme), Some(reduction)) = (&self.scheme, &self.reduction) {
            with += &format!(" with {scheme}, {reduction}");
        }
        let from = format!("theory {} --keys {} {size}{with}: {}", self.contender, self.keys, self.value);
        Ok(Found { value, low: value, high: value, from, ..Found::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_holds_to_its_own_digits() {
        for (claimed, right, expected) in [
            ("0.05", 0.0579, false),
            ("0.06", 0.0579, true),
            ("9.585", 9.585_058, true),
            ("9.59", 9.585_058, true),
            ("0.0100", 0.010_143, false),
            ("0.010", 0.010_143, true),
            ("1e-42", 1.57e-16, false),
            ("7", 7.0, true),
            ("2 to 5", 1.001, false),
            ("0 to 1", 0.9, true),
        ] {
            assert_eq!(holds(claimed, right), Some(expected), "{claimed}, {right}");
        }
        assert_eq!(holds("some", 1.0), None);
    }
}
