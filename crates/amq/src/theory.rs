//! What a variant's paper predicts, and how strongly.

use serde::{Deserialize, Serialize};

use crate::bound::Class;
use crate::error::InvalidParams;
use crate::filter::{Filter, IncrementalFilter};
use crate::params::{Given, Number, ParamInfo};

/// How strong a prediction is. It chooses the statistical test that the measured rate must pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Claim {
    /// Equal to the expectation over keys and seeds: tested on both sides.
    Exact,
    /// Within a relative distance `rel` of the expectation: tested on both sides of that interval.
    Approximate {
        /// Largest relative distance, for example 0.01.
        rel: f64,
    },
    /// An upper bound: tested from above.
    AtMost,
    /// A lower bound: tested from below.
    AtLeast,
    /// Reached only as the size grows: shown, not tested.
    Limit,
}

impl Claim {
    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Claim::Exact => "exact",
            Claim::Approximate { .. } => "approximate",
            Claim::AtMost => "at-most",
            Claim::AtLeast => "at-least",
            Claim::Limit => "limit",
        }
    }
}

/// A predicted rate: of false positives, or of false negatives where a filter has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// A probability.
    pub rate: f64,
    /// What is claimed of it.
    pub claim: Claim,
    /// Where the formula comes from.
    pub source: &'static str,
}

/// A filter that takes keys without end and forgets old ones by design: it may not claim
/// [`NoFalseNegatives`](crate::NoFalseNegatives), and says instead how fast it forgets.
pub trait Decaying: IncrementalFilter {
    /// The false-negative rate by age: the probability, over keys and seeds, that a key is denied after `gap` inserts
    /// of other keys, none of its own between. At `gap = 0` it is 0, and it does not fall as the gap grows.
    fn predicted_fnr(params: &Self::Params, gap: u64) -> Prediction;
}

/// One formula's value, as `experiments theory` prints it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedValue {
    /// The name, in the field's terms (`fpr_exact`).
    pub name: &'static str,
    /// The value; units are those of the name.
    pub value: f64,
    /// What is claimed of it.
    pub claim: Claim,
    /// Where the formula comes from.
    pub source: &'static str,
}

/// Cache lines (64 bytes) that a lookup must read, in expectation over keys and seeds, if it stops as soon as its answer is
/// known. They are the memory's share in its time: no lookup is faster than so many independent random reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lines {
    /// Of a lookup of a member.
    pub hit: f64,
    /// Of a lookup of an absent key.
    pub miss: f64,
}

impl Lines {
    /// The same number for both.
    #[must_use]
    pub fn all(lines: f64) -> Self {
        Self { hit: lines, miss: lines }
    }

    /// Of `probes` independent probes, each on a line of its own, where a miss ends at the first probe that fails and each
    /// one holds with probability `holds` for an absent key: a miss reads `(1 - holds^probes) / (1 - holds)` lines.
    #[must_use]
    pub fn of_probes(probes: f64, holds: f64) -> Self {
        let miss = if holds < 1.0 { (1.0 - holds.powf(probes)) / (1.0 - holds) } else { probes };
        Self { hit: probes, miss }
    }
}

/// What a filter is sized for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// At most so many allocated bits for each key.
    BitsPerKey(f64),
    /// At most this false-positive rate, a probability.
    Fpr(f64),
}

impl Goal {
    /// The word in messages and definitions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Goal::BitsPerKey(_) => "bits_per_key",
            Goal::Fpr(_) => "fpr",
        }
    }
}

/// The theory of a variant: sizing and prediction, without building anything.
pub trait Theory: Filter {
    /// The parameters by name, in the order they are shown.
    const PARAMS: &'static [ParamInfo];

    /// The lower bound on space this variant is held to.
    const CLASS: Class;

    /// What sizing means or decides where that is not plain from the parameters, one sentence; told to whoever gives a
    /// [`Goal`].
    const SIZING: Option<&'static str> = None;

    /// The parameters for `keys` keys with at most `bits_per_key` allocated bits for each.
    ///
    /// # Errors
    /// [`InvalidParams`] for a budget that is not finite, not positive, or out of reach.
    fn size_for(keys: u64, bits_per_key: f64) -> Result<Self::Params, InvalidParams>;

    /// The smallest parameters for `keys` keys at false-positive rate `fpr`.
    ///
    /// # Errors
    /// [`InvalidParams`] for a rate outside `(0, 1)` or out of reach.
    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Self::Params, InvalidParams>;

    /// The parameters from those given by name; what is left open is chosen for `keys` keys.
    ///
    /// # Errors
    /// [`InvalidParams`] for unknown names, missing ones and values out of range.
    fn params_from(given: &Given, keys: u64) -> Result<Self::Params, InvalidParams>;

    /// The parameters for a goal where some are given by name, such as `k`. Unless a variant knows better, a budget is
    /// spent on `m` bits in whole words of 64, and a rate goes with no parameter.
    ///
    /// # Errors
    /// [`InvalidParams::Contradiction`] where the names given decide the size already, and as
    /// [`size_for`](Self::size_for) and [`params_from`](Self::params_from).
    fn size_with(given: &Given, keys: u64, goal: Goal) -> Result<Self::Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        match goal {
            Goal::BitsPerKey(bits_per_key)
                if given.get("m").is_none() && Self::PARAMS.iter().any(|info| info.name == "m") =>
            {
                let bits = (keys.max(1) as f64 * bits_per_key) as u64 / 64 * 64;
                if bits == 0 {
                    let why = "memory comes in words of 64 bits: give at least 64 bits in all";
                    return Err(InvalidParams::Unreachable { what: goal.name(), target: bits_per_key.into(), why });
                }
                Self::params_from(&given.with("m", Number::Integer(bits)), keys)
            }
            _ => Err(given.contradicts(goal)),
        }
    }

    /// The false-positive rate expected with `keys` distinct keys, averaged over keys and seeds.
    fn predicted_fpr(params: &Self::Params, keys: u64) -> Prediction;

    /// Standard deviation, over independent filters, of a filter's own rate (a probability); 0 where
    /// all filters of these parameters have the same one.
    fn rate_spread(params: &Self::Params, keys: u64) -> f64;

    /// The false-positive rate of this very filter, computed from its contents; `None` where the
    /// contents do not tell. It tests the code, where [`predicted_fpr`](Self::predicted_fpr) tests
    /// the theory.
    fn rate_given_contents(&self) -> Option<f64>;

    /// Cache lines that a lookup must read with `keys` keys in, for a filter much larger than a line; `None` where nobody
    /// worked it out, and the memory's limit is then not known.
    fn lines_touched(params: &Self::Params, keys: u64) -> Option<Lines> {
        let _ = (params, keys);
        None
    }

    /// Every formula of the variant at these parameters.
    fn named_values(params: &Self::Params, keys: u64) -> Vec<NamedValue>;
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn a_miss_reads_a_geometric_number_of_lines() {
        // 1 + 1/2 + 1/4 + ... + 1/64.
        assert_eq!(Lines::of_probes(7.0, 0.5), Lines { hit: 7.0, miss: 127.0 / 64.0 });
        assert_eq!(Lines::of_probes(3.0, 0.0), Lines { hit: 3.0, miss: 1.0 });
        assert_eq!(Lines::of_probes(3.0, 1.0), Lines::all(3.0));
    }
}
