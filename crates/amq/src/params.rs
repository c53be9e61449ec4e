//! Parameters by name, as they come from a definition or a command line.

use std::fmt;

use crate::error::InvalidParams;
use crate::theory::Goal;

/// A parameter's value: a count or a real number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A count.
    Integer(u64),
    /// A real number, possibly not finite.
    Real(f64),
}

impl Number {
    /// As a real number (counts beyond 2^53 are rounded).
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Real(value) => value,
        }
    }

    /// As a count, when it is one (`10`, `1e6`).
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        match self {
            Number::Integer(value) => Some(value),
            // 2^53: beyond it a real number no longer names one integer.
            Number::Real(value) if (0.0..=9_007_199_254_740_992.0).contains(&value) && value.fract() == 0.0 => {
                Some(value as u64)
            }
            Number::Real(_) => None,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Integer(value) => value.fmt(f),
            Number::Real(value) if *value != 0.0 && !(1e-4..1e15).contains(&value.abs()) => write!(f, "{value:e}"),
            Number::Real(value) => value.fmt(f),
        }
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Number::Integer(value)
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Number::Integer(u64::from(value))
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Number::Real(value)
    }
}

/// One parameter of a variant, for `--help`, error messages and docs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Its name on the command line and in tables (`m`, `counter_bits`).
    pub name: &'static str,
    /// What it is, with its unit.
    pub meaning: &'static str,
    /// Its range.
    pub range: &'static str,
}

/// The parameters somebody gave by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given(Vec<(String, Number)>);

impl Given {
    /// From pairs of name and value; a later pair replaces an earlier one of the same name.
    pub fn new(pairs: impl IntoIterator<Item = (String, Number)>) -> Self {
        let mut given = Given::default();
        for (name, value) in pairs {
            match given.0.iter_mut().find(|(known, _)| *known == name) {
                Some(slot) => slot.1 = value,
                None => given.0.push((name, value)),
            }
        }
        given
    }

    /// Whether nothing was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pairs in the order given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Number)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// The value of `name`, if given.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Number> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// The value of `name` as a count, if given.
    ///
    /// # Errors
    /// [`InvalidParams::OutOfRange`] when it is no whole number from 0 to 2^53.
    pub fn count(&self, name: &'static str) -> Result<Option<u64>, InvalidParams> {
        self.get(name)
            .map(|value| {
                value.as_u64().ok_or(InvalidParams::OutOfRange {
                    name,
                    value,
                    allowed: "a whole number from 0 to 2^53",
                })
            })
            .transpose()
    }

    /// The value of `name` as a count that must be given.
    ///
    /// # Errors
    /// [`InvalidParams::Missing`], or as [`count`](Self::count).
    pub fn require_count(&self, name: &'static str, known: &[ParamInfo]) -> Result<u64, InvalidParams> {
        self.count(name)?.ok_or_else(|| InvalidParams::Missing { name, known: list(known) })
    }

    /// These and one more, which replaces one of the same name.
    #[must_use]
    pub fn with(&self, name: &str, value: Number) -> Self {
        Self::new(self.0.iter().cloned().chain([(name.to_owned(), value)]))
    }

    /// That these and `goal` both decide the size.
    #[must_use]
    pub fn contradicts(&self, goal: Goal) -> InvalidParams {
        let given = self.0.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        InvalidParams::Contradiction { given, goal: goal.name() }
    }

    /// Refuses names that are not in `known`.
    ///
    /// # Errors
    /// [`InvalidParams::Unknown`] for the first one.
    pub fn only(&self, known: &[ParamInfo]) -> Result<(), InvalidParams> {
        match self.0.iter().find(|(name, _)| !known.iter().any(|info| info.name == name)) {
            Some((name, _)) => Err(InvalidParams::Unknown { name: name.clone(), known: list(known) }),
            None => Ok(()),
        }
    }
}

fn list(known: &[ParamInfo]) -> String {
    if known.is_empty() {
        return "no parameters".to_owned();
    }
    known.iter().map(|info| format!("`{}`", info.name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [ParamInfo; 2] = [
        ParamInfo { name: "m", meaning: "bits", range: "1..=2^48" },
        ParamInfo { name: "k", meaning: "probes", range: "1..=64" },
    ];

    fn given(pairs: &[(&str, f64)]) -> Given {
        Given::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Number::Real(*value))))
    }

    #[test]
    fn counts_may_be_written_as_reals() {
        assert_eq!(given(&[("m", 1e6)]).count("m"), Ok(Some(1_000_000)));
        assert_eq!(given(&[]).count("m"), Ok(None));
    }

    #[test]
    fn what_is_no_count_is_refused_by_value() {
        for bad in [1.5, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            let error = given(&[("m", bad)]).count("m").unwrap_err();
            assert!(error.to_string().starts_with("m = "), "{error}");
        }
    }

    #[test]
    fn unknown_and_missing_names_list_the_known_ones() {
        assert_eq!(
            given(&[("q", 1.0)]).only(&KNOWN).unwrap_err().to_string(),
            "unknown parameter `q`; this filter takes `m`, `k`"
        );
        assert_eq!(
            given(&[]).require_count("m", &KNOWN).unwrap_err().to_string(),
            "parameter `m` is missing; this filter takes `m`, `k`"
        );
    }

    #[test]
    fn the_later_of_two_values_counts() {
        assert_eq!(given(&[("k", 1.0), ("k", 2.0)]).count("k"), Ok(Some(2)));
    }
}
