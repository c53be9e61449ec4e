//! The one error type: what was asked for that has no answer.

use thiserror::Error;

/// Why a statistical question has no answer. Every variant carries the value at fault.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum StatsError {
    /// A proportion of nothing.
    #[error("0 trials carry no information; at least 1 is needed")]
    NoTrials,
    /// More successes than trials.
    #[error("{successes} successes are more than the {trials} trials; allowed: 0 to {trials}")]
    TooManySuccesses {
        /// Successes claimed.
        successes: u64,
        /// Trials claimed.
        trials: u64,
    },
    /// A probability outside `[0, 1]`, or NaN.
    #[error("{name} = {value} is not a probability; allowed: 0 to 1")]
    NotAProbability {
        /// Which argument.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A level (confidence, alpha, power) that must lie strictly between 0 and 1.
    #[error("{name} = {value} is out of range; allowed: strictly between 0 and 1")]
    NotInsideUnit {
        /// Which argument.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number that must be finite and not negative.
    #[error("{name} = {value} is out of range; allowed: finite and at least 0")]
    Negative {
        /// Which argument.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number that must be finite and positive.
    #[error("{name} = {value} is out of range; allowed: finite and greater than 0")]
    NotPositive {
        /// Which argument.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A relative effect that would carry the rate above 1.
    #[error("an effect of {effect} on a rate of {p} is a rate above 1; allowed: p (1 + effect) <= 1")]
    RateAboveOne {
        /// The rate without the effect.
        p: f64,
        /// The relative effect.
        effect: f64,
    },
    /// A relative effect on a rate of zero is no effect at all.
    #[error("a relative effect on a rate of 0 is undefined; the rate must be greater than 0")]
    ZeroRate,
    /// No upward effect that keeps the rate at or below 1 would be seen.
    #[error("{trials} trials cannot show any upward effect on a rate of {p} at this level and power")]
    CannotBeSeen {
        /// Trials available.
        trials: u64,
        /// The rate without an effect.
        p: f64,
    },
    /// The plan needs more trials than a 64-bit counter holds.
    #[error("the plan needs more trials than the allowed {max}")]
    PlanTooLarge {
        /// Largest number a plan may ask for.
        max: u64,
    },
    /// A table or sample that is too short.
    #[error("{len} values are too few; at least {needed} are needed")]
    TooFewValues {
        /// Values given.
        len: usize,
        /// Values needed.
        needed: usize,
    },
    /// Observed and expected tables of different length.
    #[error("{observed} observed counts against {expected} expected ones; the lengths must agree")]
    LengthMismatch {
        /// Length of the observed table.
        observed: usize,
        /// Length of the expected table.
        expected: usize,
    },
    /// An expected count below 5: the chi-square law would not apply.
    #[error("expected count {value} in cell {index} is too small; allowed: finite and at least 5")]
    SmallExpectation {
        /// Cell at fault, from 0.
        index: usize,
        /// Its expected count.
        value: f64,
    },
    /// The expected counts do not add up to the observed total.
    #[error("expected counts add up to {expected}, observed ones to {observed}; the totals must agree")]
    TotalMismatch {
        /// Sum of the observed counts.
        observed: f64,
        /// Sum of the expected counts.
        expected: f64,
    },
    /// NaN or infinity in a sample.
    #[error("value {value} at position {index} is not allowed; every value must be finite")]
    NotFinite {
        /// Position, from 0.
        index: usize,
        /// The value.
        value: f64,
    },
}

/// `value` if it is a probability.
pub(crate) fn probability(name: &'static str, value: f64) -> Result<f64, StatsError> {
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(StatsError::NotAProbability { name, value }) }
}

/// `value` if it lies strictly between 0 and 1.
pub(crate) fn inside_unit(name: &'static str, value: f64) -> Result<f64, StatsError> {
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err(StatsError::NotInsideUnit { name, value }) }
}

/// `value` if it is finite and at least 0.
pub(crate) fn not_negative(name: &'static str, value: f64) -> Result<f64, StatsError> {
    if value >= 0.0 && value.is_finite() { Ok(value) } else { Err(StatsError::Negative { name, value }) }
}

/// `value` if it is finite and greater than 0.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64, StatsError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(StatsError::NotPositive { name, value }) }
}

/// Checks `successes` out of `trials`.
pub(crate) fn counts(successes: u64, trials: u64) -> Result<(), StatsError> {
    if trials == 0 {
        Err(StatsError::NoTrials)
    } else if successes > trials {
        Err(StatsError::TooManySuccesses { successes, trials })
    } else {
        Ok(())
    }
}
