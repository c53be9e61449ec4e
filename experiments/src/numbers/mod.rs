//! Numbers by where they come from: cells of derived tables, formulas of contenders, counts of verdicts, and formulas of
//! these. What a text quotes is read through them, so that none of its numbers is typed.

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
use crate::table::Table;

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

/// Where a number comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Source {
    /// A number of the text itself.
    Number(f64),
    /// A cell of a derived table.
    Cell(CellOf),
    /// A formula of a contender.
    Theory(TheoryOf),
    /// A count of verdicts.
    Verdicts(VerdictsOf),
}

/// A cell of a derived table: that of the only row with these factors, or one taken of all such rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CellOf {
    /// The experiment's id, or that of a table that no run makes (`claims-checked`).
    pub experiment: String,
    /// Columns with the values that the row has.
    #[serde(default)]
    pub only: Factors,
    /// The column.
    pub column: String,
    /// What is taken where there are several rows.
    #[serde(default)]
    pub take: Take,
}

/// What is taken of several rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// There is one row; several are an error.
    #[default]
    Only,
    /// The least value, with its interval.
    Least,
    /// The greatest value, with its interval.
    Most,
    /// The value of the last row, with its interval: swept numbers rise, so that it is the one of most keys.
    Last,
    /// How many rows there are that have a value.
    Count,
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

/// How many points have a verdict, over all experiments that were run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VerdictsOf {
    /// The verdict; `judged` for any, `explained` for those with an explanation.
    pub verdicts: String,
    /// Of these experiments only.
    #[serde(default)]
    pub experiments: Vec<String>,
}

/// A number with the interval it lies in, and where it is from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Number {
    /// The number.
    pub value: f64,
    /// The lower end of its interval; the number itself where there is none.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Verdict of the row, where it is one of a table.
    pub verdict: String,
    /// The table, row and column, or the command, that it can be found by.
    pub from: String,
}

impl Number {
    fn exact(value: f64, from: String) -> Self {
        Self { value, low: value, high: value, from, ..Self::default() }
    }
}

/// Derived tables of a folder, read when they are needed.
pub struct Tables<'a> {
    out: &'a Path,
    known: Vec<String>,
    tables: BTreeMap<String, Option<Table>>,
}

impl<'a> Tables<'a> {
    /// Of this results folder.
    ///
    /// # Errors
    /// [`HarnessError::Definition`] if a built-in definition is none.
    pub fn new(out: &'a Path) -> Result<Self, HarnessError> {
        let built_in = Definition::builtin()?.into_iter().map(|definition| definition.id);
        let known = built_in.chain(crate::pipeline::OF_NO_RUN.map(ToOwned::to_owned)).collect();
        Ok(Self { out, known, tables: BTreeMap::new() })
    }

    /// The derived table of an experiment; `None` where it was not run.
    ///
    /// # Errors
    /// A sentence for an experiment there is not and a file that is no table.
    pub fn table(&mut self, experiment: &str) -> Result<Option<&Table>, String> {
        if !self.known.iter().any(|known| known == experiment) {
            return Err(format!("unknown experiment `{experiment}`; known: {}", self.known.join(", ")));
        }
        if !self.tables.contains_key(experiment) {
            let table = read_derived(self.out, experiment).map_err(|error| error.to_string())?;
            self.tables.insert(experiment.to_owned(), table);
        }
        Ok(self.tables.get(experiment).and_then(Option::as_ref))
    }

    /// The cell, or which command makes it.
    ///
    /// # Errors
    /// A sentence for what cannot be: an unknown experiment, several rows.
    pub fn cell(&mut self, of: &CellOf) -> Result<Result<Number, String>, String> {
        let only = of.only.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ");
        let missing = format!("not measured: experiments run {}", of.experiment);
        let Some(table) = self.table(&of.experiment)? else { return Ok(Err(missing)) };
        let rows = rows(table, &of.only);
        let found = |row: &[String]| {
            let value = table.number(row, &of.column)?;
            let end = |name: &str| table.number(row, &format!("{}_{name}", of.column)).unwrap_or(value);
            let verdict = table.cell(row, "verdict").to_owned();
            Some(Number { value, low: end("low"), high: end("high"), verdict, from: String::new() })
        };
        let mut all: Vec<Number> = rows.iter().filter_map(|row| found(row)).collect();
        let last = all.last().cloned();
        all.sort_by(|left, right| left.value.total_cmp(&right.value));
        let (number, what) = match of.take {
            Take::Only if rows.len() > 1 => {
                return Err(format!("{} rows of {} have {only}: name more columns", rows.len(), of.experiment));
            }
            Take::Only => (all.pop(), ""),
            Take::Least => (all.into_iter().next(), "least "),
            Take::Most => (all.pop(), "greatest "),
            Take::Last => (last, "last "),
            Take::Count => (Some(Number::exact(all.len() as f64, String::new())), "rows with "),
        };
        let Some(number) = number else { return Ok(Err(missing)) };
        Ok(Ok(Number { from: format!("{}.csv, {only}: {what}{}", of.experiment, of.column), ..number }))
    }

    fn verdicts(&mut self, of: &VerdictsOf) -> Result<Result<Number, String>, String> {
        let experiments = if of.experiments.is_empty() { self.known.clone() } else { of.experiments.clone() };
        let column = if of.verdicts == "explained" { "explanation" } else { "verdict" };
        let mut count = 0_u64;
        for experiment in &experiments {
            // Tables of no run repeat the verdicts of others.
            if crate::pipeline::OF_NO_RUN.contains(&experiment.as_str()) {
                continue;
            }
            let Some(table) = self.table(experiment)? else { continue };
            let counts = |row: &&Vec<String>| match of.verdicts.as_str() {
                "judged" | "explained" => !table.cell(row, column).is_empty(),
                verdict => table.cell(row, column) == verdict,
            };
            count += table.rows.iter().filter(counts).count() as u64;
        }
        let of_which = if of.experiments.is_empty() { "all tables".to_owned() } else { of.experiments.join(", ") };
        Ok(Ok(Number::exact(count as f64, format!("{of_which}: rows {}", of.verdicts))))
    }
}

/// The rows that have these values.
#[must_use]
pub fn rows<'a>(table: &'a Table, only: &Factors) -> Vec<&'a Vec<String>> {
    let fits = |row: &&Vec<String>| only.iter().all(|(name, value)| equal(table.cell(row, name), value));
    table.rows.iter().filter(fits).collect()
}

/// Whether a cell has this value; numbers are compared as numbers.
fn equal(cell: &str, value: &Scalar) -> bool {
    let wanted = value.to_string();
    cell == wanted
        || cell.parse::<f64>().ok().zip(wanted.parse::<f64>().ok()).is_some_and(|(left, right)| left == right)
}

impl Formula {
    /// The number, or which command makes what it needs.
    ///
    /// # Errors
    /// A sentence for what cannot be: an unknown experiment or contender, several rows, a formula that is none.
    pub fn value(&self, registry: &Registry, tables: &mut Tables<'_>) -> Result<Result<Number, String>, String> {
        let mut all: Vec<(&String, Number)> = Vec::new();
        for (name, source) in &self.of {
            let found = match source {
                Source::Number(value) => Ok(Number::exact(*value, format!("{name} = {value}"))),
                Source::Theory(of) => Ok(of.value(registry)?),
                Source::Cell(of) => tables.cell(of)?,
                Source::Verdicts(of) => tables.verdicts(of)?,
            };
            match found {
                Ok(found) => all.push((name, found)),
                Err(missing) => return Ok(Err(missing)),
            }
        }
        let formula = match (&self.formula, &all[..]) {
            (Some(formula), _) => formula,
            (None, [(name, _)]) => *name,
            (None, _) => return Err("several numbers need a formula".to_owned()),
        };
        let at = |pick: &dyn Fn(usize, &Number) -> f64| {
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
        Ok(Ok(Number {
            value,
            low: corners.iter().copied().fold(f64::INFINITY, f64::min),
            high: corners.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            verdict: verdict.unwrap_or_default().to_owned(),
            from: from.join("; "),
        }))
    }
}

impl TheoryOf {
    fn value(&self, registry: &Registry) -> Result<Number, String> {
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
        Ok(Number::exact(value, from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with one derived table.
    fn folder(name: &str) -> std::path::PathBuf {
        let out = std::env::temp_dir().join(format!("bloomery-numbers-{name}-{}", std::process::id()));
        let mut table = Table::default();
        let rows =
            [("a", "1", "3", "agrees"), ("a", "2", "1", "not-tested"), ("b", "2", "", ""), ("a", "4", "2", "agrees")];
        for (contender, keys, fpr, verdict) in rows {
            let row = [("contender", contender), ("keys", keys), ("fpr", fpr), ("verdict", verdict)];
            table.push(row.map(|(name, cell)| (name.to_owned(), cell.to_owned())));
        }
        crate::pipeline::write_derived(&out, "fpr-vs-k", &table).unwrap();
        out
    }

    fn value(out: &Path, text: &str) -> Result<Result<Number, String>, String> {
        let formula: Formula = toml::from_str(text).unwrap();
        formula.value(&Registry::workspace(), &mut Tables::new(out).unwrap())
    }

    #[test]
    fn one_of_several_rows_is_taken_only_when_it_is_said_which() {
        let out = folder("take");
        let cell = |rest: &str| {
            value(
                &out,
                &format!(
                    "of.x = {{ experiment = \"fpr-vs-k\", only = {{ contender = \"a\" }}, column = \"fpr\"{rest} }}"
                ),
            )
        };
        assert!(cell("").unwrap_err().contains("3 rows of fpr-vs-k"));
        for (take, expected) in [("least", 1.0), ("most", 3.0), ("last", 2.0), ("count", 3.0)] {
            assert_eq!(cell(&format!(", take = \"{take}\"")).unwrap().unwrap().value, expected, "{take}");
        }
        std::fs::remove_dir_all(out).unwrap();
    }

    #[test]
    fn verdicts_are_counted_over_what_was_run() {
        let out = folder("verdicts");
        for (verdict, expected) in [("agrees", 2.0), ("judged", 3.0), ("law-violated", 0.0)] {
            let found = value(&out, &format!("of.x = {{ verdicts = \"{verdict}\" }}")).unwrap().unwrap();
            assert_eq!(found.value, expected, "{verdict}");
        }
        std::fs::remove_dir_all(out).unwrap();
    }

    #[test]
    fn what_was_not_run_names_the_command() {
        let out = folder("missing");
        let missing = value(&out, "of.x = { experiment = \"overhead\", column = \"fpr\" }").unwrap().unwrap_err();
        assert_eq!(missing, "not measured: experiments run overhead");
        let unknown = value(&out, "of.x = { experiment = \"no-such\", column = \"fpr\" }").unwrap_err();
        assert!(unknown.contains("unknown experiment `no-such`"), "{unknown}");
        std::fs::remove_dir_all(out).unwrap();
    }
}
