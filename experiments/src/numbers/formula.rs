//! Formulas as text: `-n * ln(p) / ln(2)^2`.

use std::collections::BTreeMap;

use thiserror::Error;

/// A formula that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormulaError {
    /// Something else stands where this was expected.
    #[error("`{formula}`: {expected} expected at `{rest}`")]
    Expected {
        /// The formula.
        formula: String,
        /// What would fit.
        expected: &'static str,
        /// From where on it does not.
        rest: String,
    },
    /// A name without a value.
    #[error("`{formula}`: no value for `{name}`; there are {known}")]
    Unknown {
        /// The formula.
        formula: String,
        /// The name.
        name: String,
        /// The names that have one.
        known: String,
    },
}

/// The value of `formula` where names have `values`. Operators: `+ - * / ^` and brackets; functions: `ln`, `lg` (base 2),
/// `exp`, `sqrt`, `floor`, `ceil`.
///
/// # Errors
/// [`FormulaError`] with the place.
pub fn evaluate(formula: &str, values: &BTreeMap<String, f64>) -> Result<f64, FormulaError> {
    let mut reader = Reader { formula, rest: formula.trim_start(), values };
    let value = reader.sum()?;
    if reader.rest.is_empty() { Ok(value) } else { Err(reader.expected("an operator")) }
}

struct Reader<'a> {
    formula: &'a str,
    rest: &'a str,
    values: &'a BTreeMap<String, f64>,
}

impl Reader<'_> {
    fn expected(&self, expected: &'static str) -> FormulaError {
        FormulaError::Expected { formula: self.formula.to_owned(), expected, rest: self.rest.to_owned() }
    }

    /// The next character, if it is one of these.
    fn take(&mut self, any: &[char]) -> Option<char> {
        let next = self.rest.chars().next().filter(|next| any.contains(next))?;
        self.rest = self.rest[next.len_utf8()..].trim_start();
        Some(next)
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &str {
        let end = self.rest.find(|next: char| !belongs(next)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn sum(&mut self) -> Result<f64, FormulaError> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let next = self.product()?;
            value += if sign == '+' { next } else { -next };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, FormulaError> {
        let mut value = self.signed()?;
        while let Some(sign) = self.take(&['*', '/']) {
            let next = self.signed()?;
            value = if sign == '*' { value * next } else { value / next };
        }
        Ok(value)
    }

    fn signed(&mut self) -> Result<f64, FormulaError> {
        if self.take(&['-']).is_some() { Ok(-self.signed()?) } else { self.power() }
    }

    /// To the right first; a sign may follow.
    fn power(&mut self) -> Result<f64, FormulaError> {
        let base = self.atom()?;
        if self.take(&['^']).is_some() { Ok(base.powf(self.signed()?)) } else { Ok(base) }
    }

    fn atom(&mut self) -> Result<f64, FormulaError> {
        if self.take(&['(']).is_some() {
            return self.bracket();
        }
        if self.rest.starts_with(|next: char| next.is_ascii_digit()) {
            let start = self.rest;
            let number = self.word(|next| next.is_ascii_digit() || matches!(next, '.' | '_' | 'e'));
            return number.replace('_', "").parse().map_err(|_| {
                self.rest = start;
                self.expected("a number")
            });
        }
        let name = self.word(|next| next.is_ascii_alphanumeric() || next == '_').to_owned();
        if name.is_empty() {
            return Err(self.expected("a number, a name or a bracket"));
        }
        if self.take(&['(']).is_some() {
            let value = self.bracket()?;
            return match name.as_str() {
                "ln" => Ok(value.ln()),
                "lg" => Ok(value.log2()),
                "exp" => Ok(value.exp()),
                "sqrt" => Ok(value.sqrt()),
                "floor" => Ok(value.floor()),
                "ceil" => Ok(value.ceil()),
                _ => Err(self.unknown(name, "the functions ln, lg, exp, sqrt, floor, ceil".to_owned())),
            };
        }
        match self.values.get(&name) {
            Some(value) => Ok(*value),
            None => {
                let known = self.values.keys().cloned().collect::<Vec<_>>().join(", ");
                Err(self.unknown(name, known))
            }
        }
    }

    fn unknown(&self, name: String, known: String) -> FormulaError {
        FormulaError::Unknown { formula: self.formula.to_owned(), name, known }
    }

    fn bracket(&mut self) -> Result<f64, FormulaError> {
        let value = self.sum()?;
        if self.take(&[')']).is_some() { Ok(value) } else { Err(self.expected("`)`")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(formula: &str) -> Result<f64, FormulaError> {
        evaluate(formula, &BTreeMap::from([("n".to_owned(), 1e6), ("p".to_owned(), 0.01)]))
    }

    #[test]
    fn arithmetic_as_it_is_written() {
        for (formula, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("2 - 3 - 4", -5.0),
            ("8 / 4 / 2", 1.0),
            ("2 ^ 3 ^ 2", 512.0),
            ("-2 ^ 2", -4.0),
            ("2 ^ -1", 0.5),
            ("1e3 + 1_000", 2000.0),
            ("floor(2.9) + ceil(2.1) + lg(8) + sqrt(4)", 10.0),
            ("ceil(-n * ln(p) / ln(2)^2)", 9_585_059.0),
        ] {
            assert_eq!(value(formula), Ok(expected), "{formula}");
        }
        assert!((value("exp(-ln(2)^2)").unwrap() - 0.618_503_1).abs() < 1e-7);
    }

    #[test]
    fn what_is_none_is_refused_with_its_place() {
        for (formula, words) in [
            ("1 +", "a number, a name or a bracket expected at ``"),
            ("(1", "`)` expected"),
            ("1 2", "an operator expected at `2`"),
            ("1.2.3", "a number expected at `1.2.3`"),
            ("q", "no value for `q`; there are n, p"),
            ("sin(1)", "no value for `sin`"),
        ] {
            let message = value(formula).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
