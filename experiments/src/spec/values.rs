//! The values a factor takes.

use std::collections::BTreeMap;
use std::fmt;

use amq::Number;
use serde::{Deserialize, Serialize};

/// One value of a factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A count.
    Integer(u64),
    /// A number.
    Real(f64),
    /// A name.
    Name(String),
}

impl Scalar {
    /// As a number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<Number> {
        match self {
            Scalar::Integer(value) => Some(Number::Integer(*value)),
            Scalar::Real(value) => Some(Number::Real(*value)),
            Scalar::Name(_) => None,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Integer(value) => value.fmt(f),
            Scalar::Real(value) => value.fmt(f),
            Scalar::Name(value) => value.fmt(f),
        }
    }
}

/// Factors and their values, in the order of their names.
pub type Factors = BTreeMap<String, Scalar>;

/// The values of a swept factor.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Values {
    /// One by one.
    List(Vec<Scalar>),
    /// From, to (included) in equal steps.
    Steps(Steps),
    /// From, to (included) in equal ratios, rounded to whole numbers.
    Ratios(Ratios),
    /// A single value.
    One(Scalar),
}

/// An arithmetic progression.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// The first value.
    pub from: f64,
    /// The last value.
    pub to: f64,
    /// The difference, above 0.
    pub step: f64,
}

/// A geometric progression.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratios {
    /// The first value.
    pub from: f64,
    /// The last value.
    pub to: f64,
    /// The ratio, above 1.
    pub factor: f64,
}

/// More values than anybody wants of one factor.
const MOST: usize = 10_000;

impl Values {
    /// All values, in order; every `thin`-th of a list of numbers.
    ///
    /// # Errors
    /// A message for a progression that does not end.
    pub fn all(&self, thin: usize) -> Result<Vec<Scalar>, String> {
        let all = match self {
            Values::One(value) => vec![value.clone()],
            Values::List(list) => list.clone(),
            Values::Steps(Steps { from, to, step }) => {
                if !(*step > 0.0 && from.is_finite() && to.is_finite() && from <= to) {
                    return Err(format!("from {from} to {to} in steps of {step} is no rising progression"));
                }
                let count = ((to - from) / step + 1e-9).floor() as usize + 1;
                if count > MOST {
                    return Err(format!("from {from} to {to} in steps of {step} are {count} values; at most {MOST}"));
                }
                (0..count).map(|index| tidy(from + step * index as f64)).collect()
            }
            Values::Ratios(Ratios { from, to, factor }) => {
                if !(*factor > 1.0 && *from > 0.0 && to.is_finite() && from <= to) {
                    return Err(format!("from {from} to {to} by a factor of {factor} is no rising progression"));
                }
                let count = ((to / from).ln() / factor.ln() + 1e-9).floor() as usize + 1;
                if count > MOST {
                    return Err(format!(
                        "from {from} to {to} by a factor of {factor} are {count} values; at most {MOST}"
                    ));
                }
                let mut values: Vec<Scalar> =
                    (0..count).map(|index| tidy((from * factor.powi(index as i32)).round())).collect();
                values.dedup();
                values
            }
        };
        let numbers = all.iter().all(|value| value.number().is_some());
        Ok(if numbers { all.into_iter().step_by(thin.max(1)).collect() } else { all })
    }
}

/// A whole number as a count, others rounded to nine digits so that steps of 0.1 read as such.
fn tidy(value: f64) -> Scalar {
    let value = (value * 1e9).round() / 1e9;
    if value >= 0.0 && value.fract() == 0.0 && value < 9e15 {
        Scalar::Integer(value as u64)
    } else {
        Scalar::Real(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str, thin: usize) -> Result<Vec<String>, String> {
        #[derive(Deserialize)]
        struct Holder {
            v: Values,
        }
        let holder: Holder = toml::from_str(&format!("v = {text}")).unwrap();
        holder.v.all(thin).map(|all| all.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn progressions_hold_both_ends() {
        assert_eq!(values("{ from = 4, to = 6, step = 1 }", 1).unwrap(), ["4", "5", "6"]);
        assert_eq!(values("{ from = 0.1, to = 0.5, step = 0.2 }", 1).unwrap(), ["0.1", "0.3", "0.5"]);
        assert_eq!(values("{ from = 32, to = 256, factor = 2 }", 1).unwrap(), ["32", "64", "128", "256"]);
        assert_eq!(values("[1, 2, 3, 4, 5]", 2).unwrap(), ["1", "3", "5"]);
        assert_eq!(values("[\"a\", \"b\", \"c\"]", 2).unwrap(), ["a", "b", "c"]);
        assert_eq!(values("7", 1).unwrap(), ["7"]);
    }

    #[test]
    fn endless_progressions_are_refused() {
        for bad in [
            "{ from = 1, to = 2, step = 0 }",
            "{ from = 2, to = 1, step = 1 }",
            "{ from = 1, to = 2, factor = 1 }",
            "{ from = 1, to = 1e9, step = 1 }",
            "{ from = 0, to = 1, factor = 2 }",
            "{ from = nan, to = 1, step = 1 }",
        ] {
            assert!(values(bad, 1).is_err(), "{bad}");
        }
    }
}
