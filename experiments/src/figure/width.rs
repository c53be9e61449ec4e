//! How wide a figure is when it is printed.

use std::str::FromStr;

/// Points in an inch.
const POINTS_PER_INCH: f64 = 72.0;
/// Millimetres in an inch.
const MILLIMETRES_PER_INCH: f64 = 25.4;

/// The printed width of a figure, between 2 and 20 inches.
///
/// ```
/// use experiments::figure::Width;
/// assert_eq!("7in".parse(), Ok(Width::PAGE));
/// assert_eq!("3.33in".parse(), Ok(Width::COLUMN));
/// assert!("3.33".parse::<Width>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Width(f64);

/// A text that names no printable width.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WidthError {
    /// The unit is missing or unknown.
    #[error("width `{text}` needs a unit: in, mm or pt, as in `3.33in`")]
    Unit {
        /// The text as given.
        text: String,
    },
    /// What stands before the unit is no number.
    #[error("width `{text}`: `{number}` is no number")]
    Number {
        /// The text as given.
        text: String,
        /// The part that should have been a number.
        number: String,
    },
    /// No page is that wide, or the labels would not fit.
    #[error("width of {points} pt: expected {min} to {max} pt (2 to 20 in)")]
    Range {
        /// The width asked for.
        points: f64,
        /// The smallest.
        min: f64,
        /// The largest.
        max: f64,
    },
}

impl Width {
    /// One column of a two-column page: 3.33 in.
    pub const COLUMN: Self = Self(3.33 * POINTS_PER_INCH);
    /// The full width of a two-column page: 7 in.
    pub const PAGE: Self = Self(7.0 * POINTS_PER_INCH);

    const MIN: f64 = 2.0 * POINTS_PER_INCH;
    const MAX: f64 = 20.0 * POINTS_PER_INCH;

    /// A width in points (1/72 in).
    pub fn from_points(points: f64) -> Result<Self, WidthError> {
        if (Self::MIN..=Self::MAX).contains(&points) {
            Ok(Self(points))
        } else {
            Err(WidthError::Range { points, min: Self::MIN, max: Self::MAX })
        }
    }

    /// The width in points.
    pub fn points(self) -> f64 {
        self.0
    }
}

impl FromStr for Width {
    type Err = WidthError;

    fn from_str(text: &str) -> Result<Self, WidthError> {
        let trimmed = text.trim();
        let (number, unit) = [("in", POINTS_PER_INCH), ("mm", POINTS_PER_INCH / MILLIMETRES_PER_INCH), ("pt", 1.0)]
            .into_iter()
            .find_map(|(name, points)| trimmed.strip_suffix(name).map(|number| (number.trim(), points)))
            .ok_or_else(|| WidthError::Unit { text: text.to_owned() })?;
        let value: f64 =
            number.parse().map_err(|_| WidthError::Number { text: text.to_owned(), number: number.to_owned() })?;
        Self::from_points(value * unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_agree() {
        let points = |text: &str| text.parse::<Width>().unwrap().points();
        assert_eq!(points("240pt"), 240.0);
        assert!((points("84.582mm") - points("3.33in")).abs() < 1e-9);
        assert_eq!(points(" 7 in "), Width::PAGE.points());
    }

    #[test]
    fn each_mistake_has_its_own_error() {
        let error = |text: &str| text.parse::<Width>().unwrap_err();
        assert_eq!(error("7"), WidthError::Unit { text: "7".into() });
        assert_eq!(error("wide mm"), WidthError::Number { text: "wide mm".into(), number: "wide".into() });
        assert_eq!(error("1in"), WidthError::Range { points: 72.0, min: 144.0, max: 1440.0 });
        assert!(matches!(error("NaNin"), WidthError::Range { .. }));
    }
}
