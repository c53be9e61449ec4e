//! Popular claims beside what is right and what was measured. `claims.toml` says where each number comes from; none of
//! them but the claimed one is written there.

use std::path::Path;

use serde::Deserialize;

use crate::error::HarnessError;
use crate::numbers::{Formula, Number, Source, Tables};
use crate::registry::Registry;
use crate::table::{Table, text};

/// The name of the derived table.
pub const ID: &str = "claims-checked";
/// The file of the claims.
const FILE: &str = include_str!("../claims.toml");

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
    let mut derived = Tables::new(out)?;
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
        let number = |of: fn(&Number) -> f64| text(found.map(of));
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

impl Claim {
    /// The contenders whose theory it asks.
    fn contenders(&self) -> impl Iterator<Item = &str> {
        let measured = if let Measured::Cells(formula) = &self.measured { Some(formula) } else { None };
        let sources = [&self.right].into_iter().chain(measured).flat_map(|formula| formula.of.values());
        sources.filter_map(|source| if let Source::Theory(of) = source { Some(of.contender.as_str()) } else { None })
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
