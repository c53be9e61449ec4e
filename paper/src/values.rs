//! `values.toml`: the numbers of the prose, by name.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow};
use experiments::Registry;
use experiments::numbers::{Formula, Number, Source, Tables};
use serde::Deserialize;

use crate::shown::{As, Digits, Shown};

/// A named number of the prose.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Named {
    #[serde(default)]
    formula: Option<String>,
    of: BTreeMap<String, Source>,
    #[serde(default, rename = "as")]
    style: As,
    /// Significant ones; a count is written whole and has none.
    #[serde(default)]
    digits: Option<usize>,
    #[serde(default)]
    claim: Option<Claim>,
}

/// What the paper claims of a number, and where it must lie for that to hold on another machine and at another scale.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// The claim, in a few words.
    pub says: String,
    /// The ends of the interval that the number must lie in; the ends belong to it.
    pub within: [f64; 2],
}

/// A number with how it is written and where it is from.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its name.
    pub id: String,
    /// The number, its interval and its source.
    pub number: Number,
    /// As it is written.
    pub shown: Shown,
    /// What is claimed of it.
    pub claim: Option<Claim>,
}

impl Value {
    /// Whether what is claimed of it holds; `None` where nothing is claimed.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        self.claim.as_ref().map(|claim| (claim.within[0]..=claim.within[1]).contains(&self.number.value))
    }
}

/// All numbers of the prose, from this results folder.
///
/// # Errors
/// All that cannot be, or were not measured, each with its name.
pub fn all(registry: &Registry, results: &Path) -> Result<Vec<Value>> {
    parsed(&crate::file("values.toml")?, registry, results)
}

fn parsed(text: &str, registry: &Registry, results: &Path) -> Result<Vec<Value>> {
    let named: BTreeMap<String, Named> = toml::from_str(text).map_err(|error| anyhow!("values.toml: {error}"))?;
    let mut tables = Tables::new(results)?;
    crate::all_or_errors(named.into_iter().map(|(id, named)| {
        let wrong = |why: String| anyhow!("values.toml: `{id}`: {why}");
        let formula = Formula { formula: named.formula, of: named.of };
        let number = formula.value(registry, &mut tables).map_err(wrong)?.map_err(wrong)?;
        if !number.value.is_finite() {
            return Err(wrong(format!("{} is no number", number.value)));
        }
        let digits = match (named.digits, named.style) {
            (None, As::Count) => Digits::Decimals(0),
            (Some(digits), style) if style != As::Count => Digits::Significant(digits),
            (Some(_), _) => return Err(wrong("a count is written whole: take `digits` away".to_owned())),
            (None, _) => return Err(wrong("it needs `digits`, how many significant ones are written".to_owned())),
        };
        let shown = Shown::new(number.value, named.style, digits);
        Ok(Value { id, number, shown, claim: named.claim })
    }))
}

/// The numbers as CSV: name, as written, value, interval, source.
///
/// # Errors
/// What CSV cannot hold.
pub fn to_csv(values: &[Value]) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["name", "written", "value", "low", "high", "verdict", "from"])?;
    for Value { id, number, shown, .. } in values {
        let exponent = shown.exponent.map_or_else(String::new, |exponent| format!("e{exponent}"));
        let written = format!("{}{exponent}{}", shown.text, shown.unit);
        let Number { value, low, high, verdict, from } = number;
        let numbers = [value, low, high].map(|number| format!("{number}"));
        writer.write_record([id, &written, &numbers[0], &numbers[1], &numbers[2], verdict, from])?;
    }
    Ok(writer.into_inner()?)
}

/// The claims as a table: what is claimed, where the number must lie, what it is, whether it holds.
#[must_use]
pub fn claims(values: &[Value]) -> String {
    let head = ["claim", "expected", "measured", "holds"].map(ToOwned::to_owned);
    let mut rows = vec![head];
    for value in values {
        let (Some(claim), Some(holds)) = (&value.claim, value.holds()) else { continue };
        let [low, high] = claim.within;
        let measured = format!("{:.4e}", value.number.value);
        let measured = measured.parse::<f64>().map_or(measured, |rounded| rounded.to_string());
        let holds = if holds { "yes" } else { "NO" };
        rows.push([claim.says.clone(), format!("{low} to {high}"), measured, holds.to_owned()]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    let line = |row: &[String; 4]| {
        let [claim, expected, measured, holds] = row;
        format!("{claim:0$}  {expected:1$}  {measured:>2$}  {holds}\n", widths[0], widths[1], widths[2])
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_that_cannot_be_is_named() {
        let text = "[a]\nof.x = { experiment = \"overhead\", column = \"overhead\" }\ndigits = 2\n[b]\nof.x = 2\ndigits = 1\n\
                    [c]\nformula = \"x / y\"\nof.x = 1\nof.y = 0\ndigits = 2\n";
        let error = parsed(text, &Registry::workspace(), Path::new("no-such-folder")).unwrap_err().to_string();
        assert!(error.contains("`a`: not measured: experiments run overhead"), "{error}");
        assert!(error.contains("`c`: inf is no number") && !error.contains("`b`"), "{error}");
    }

    #[test]
    fn a_number_says_where_it_is_from() {
        let text = "[double]\nformula = \"2 * x\"\nof.x = 2.25\ndigits = 2\n";
        let values = parsed(text, &Registry::workspace(), Path::new("no-such-folder")).unwrap();
        let csv = String::from_utf8(to_csv(&values).unwrap()).unwrap();
        assert_eq!(csv.lines().nth(1), Some("double,4.5,4.5,4.5,4.5,,2 * x; x = 2.25"));
    }

    #[test]
    fn a_claim_holds_within_its_interval_alone() {
        let text = "[in]\nof.x = 0.5\ndigits = 1\nclaim = { says = \"half\", within = [0.4, 0.5] }\n\
                    [out]\nof.x = 0.51\ndigits = 1\nclaim = { says = \"more\", within = [0.4, 0.5] }\n";
        let values = parsed(text, &Registry::workspace(), Path::new("no-such-folder")).unwrap();
        assert_eq!(values.iter().map(Value::holds).collect::<Vec<_>>(), [Some(true), Some(false)]);
        assert_eq!(
            claims(&values),
            "claim  expected    measured  holds\nhalf   0.4 to 0.5       0.5  yes\nmore   0.4 to 0.5      0.51  NO\n"
        );
    }
}
