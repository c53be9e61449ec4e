//! How a number is written: so many digits, and as what.

use serde::{Deserialize, Serialize};

/// As what a number is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum As {
    /// As it is.
    #[default]
    Plain,
    /// Whole, with all its digits.
    Count,
    /// A hundred times as much, with `%`.
    Percent,
    /// What it is above 1, a hundred times as much, with `%`: 1.44 is 44 %.
    Above,
    /// What it is below 1, likewise: 0.82 is 18 %.
    Below,
    /// Mantissa and power of ten.
    Power,
    /// One over it: a share of 0.0056 is 1 in 180.
    OneIn,
}

/// How many digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Digits {
    /// Significant ones.
    Significant(usize),
    /// Behind the point.
    Decimals(usize),
}

/// A number as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// The digits.
    pub text: String,
    /// The power of ten that they are times of.
    pub exponent: Option<i32>,
    /// `%` or nothing.
    pub unit: &'static str,
}

impl Shown {
    /// Writes a number.
    #[must_use]
    pub fn new(value: f64, style: As, digits: Digits) -> Self {
        let (value, unit) = match style {
            As::Plain | As::Count | As::Power => (value, ""),
            As::Percent => (100.0 * value, "%"),
            As::Above => (100.0 * (value - 1.0), "%"),
            As::Below => (100.0 * (1.0 - value), "%"),
            As::OneIn => (1.0 / value, ""),
        };
        if style == As::Power && value != 0.0 {
            let decimals = match digits {
                Digits::Significant(digits) => digits.saturating_sub(1),
                Digits::Decimals(digits) => digits,
            };
            let scientific = format!("{value:.decimals$e}");
            let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
            return Self { text: minus(mantissa), exponent: exponent.parse().ok(), unit };
        }
        let digits = if style == As::Count { Digits::Decimals(0) } else { digits };
        let text = match digits {
            Digits::Decimals(decimals) => format!("{value:.decimals$}"),
            Digits::Significant(digits) => significant(value, digits),
        };
        Self { text: minus(&grouped(&text)), exponent: None, unit }
    }

    /// As LaTeX writes it.
    #[must_use]
    pub fn latex(&self) -> String {
        let power = self.exponent.map_or_else(String::new, |exponent| format!(" \\times 10^{{{exponent}}}"));
        let unit = if self.unit.is_empty() { "" } else { "\\,\\%" };
        format!("${}{power}{unit}$", self.text.replace('\u{2212}', "-").replace('\u{2009}', "\\,"))
    }
}

/// Rounded to so many significant digits, without an exponent.
fn significant(value: f64, digits: usize) -> String {
    let rounded: f64 = format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value);
    let magnitude = if rounded == 0.0 { 0 } else { rounded.abs().log10().floor() as i32 };
    let decimals = (digits as i32 - 1 - magnitude).max(0) as usize;
    format!("{rounded:.decimals$}")
}

/// Thin spaces between groups of three digits, from five digits before the point on.
fn grouped(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = digits.find('.').map_or((digits, ""), |point| digits.split_at(point));
    if whole.len() < 5 {
        return text.to_owned();
    }
    let mut out = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out + fraction
}

/// With the sign that is as wide as a digit.
fn minus(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_asked_for() {
        let shown = |value, style, digits| {
            let Shown { text, exponent, unit } = Shown::new(value, style, Digits::Significant(digits));
            (text, exponent, unit)
        };
        for (value, style, digits, text, exponent, unit) in [
            (1.4384, As::Plain, 3, "1.44", None, ""),
            (0.0996, As::Plain, 2, "0.10", None, ""),
            (9.996, As::Plain, 3, "10.0", None, ""),
            (96.0, As::Count, 1, "96", None, ""),
            (32_210.0, As::Count, 3, "32\u{2009}210", None, ""),
            (0.0289, As::Percent, 2, "2.9", None, "%"),
            (1.4391, As::Above, 2, "44", None, "%"),
            (0.82, As::Below, 2, "18", None, "%"),
            (7.1e-17, As::Power, 2, "7.1", Some(-17), ""),
            (9.96e-5, As::Power, 2, "1.0", Some(-4), ""),
            (1.0 / 180.0, As::OneIn, 2, "180", None, ""),
            (1_234_567.0, As::Plain, 7, "1\u{2009}234\u{2009}567", None, ""),
            (-0.5, As::Plain, 1, "\u{2212}0.5", None, ""),
            (0.0, As::Plain, 2, "0.0", None, ""),
        ] {
            assert_eq!(shown(value, style, digits), (text.to_owned(), exponent, unit), "{value}");
        }
        assert_eq!(Shown::new(7.1e-17, As::Power, Digits::Significant(2)).latex(), "$7.1 \\times 10^{-17}$");
        assert_eq!(Shown::new(2.0, As::Plain, Digits::Decimals(2)).text, "2.00");
    }
}
