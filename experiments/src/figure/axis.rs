//! Axes: what a value is called, and where it lies between the ends.

/// How values are spread along an axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Scale {
    /// Equal differences, equal distances.
    #[default]
    Linear,
    /// Equal ratios, equal distances; labels at powers of ten.
    Log10,
    /// Equal ratios, equal distances; labels at powers of two.
    Log2,
    /// Named places; a value is the index of its category.
    Categories(Vec<String>),
}

impl Scale {
    /// Whether only positive values have a place.
    pub fn is_log(&self) -> bool {
        matches!(self, Self::Log10 | Self::Log2)
    }

    /// Whether the axis names categories.
    pub fn is_categorical(&self) -> bool {
        matches!(self, Self::Categories(_))
    }

    /// Where a value lies, in a unit in which distances are proportional to lengths on paper.
    pub fn place(&self, value: f64) -> f64 {
        match self {
            Self::Linear | Self::Categories(_) => value,
            Self::Log10 => value.log10(),
            Self::Log2 => value.log2(),
        }
    }

    /// The value at a place: the inverse of [`Scale::place`].
    pub fn value(&self, place: f64) -> f64 {
        match self {
            Self::Linear | Self::Categories(_) => place,
            Self::Log10 => 10f64.powf(place),
            Self::Log2 => place.exp2(),
        }
    }
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What is shown.
    pub label: String,
    /// Its unit, in brackets after the label; empty for a pure number.
    pub unit: String,
    /// How values are spread.
    pub scale: Scale,
    /// The ends of the axis; without, they follow the data. Points outside are an error, lines are cut.
    pub range: Option<(f64, f64)>,
    /// Whether a value of 1 is written as 100 %.
    pub percent: bool,
    /// Whether only whole numbers are labelled.
    pub integers: bool,
    /// Whether a linear axis starts at zero.
    pub from_zero: bool,
}

impl Axis {
    /// An axis of a scale.
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self {
            label: label.into(),
            unit: String::new(),
            scale,
            range: None,
            percent: false,
            integers: false,
            from_zero: false,
        }
    }

    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Linear)
    }

    /// A logarithmic axis with labels at powers of ten.
    pub fn log10(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Log10)
    }

    /// A logarithmic axis with labels at powers of two.
    pub fn log2(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Log2)
    }

    /// An axis of named places.
    pub fn categories<S: Into<String>>(label: impl Into<String>, names: impl IntoIterator<Item = S>) -> Self {
        Self::new(label, Scale::Categories(names.into_iter().map(Into::into).collect()))
    }

    /// Sets the unit.
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// Sets the ends.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Writes 1 as 100 %.
    pub fn percent(mut self) -> Self {
        self.percent = true;
        self
    }

    /// Labels whole numbers only.
    pub fn integers(mut self) -> Self {
        self.integers = true;
        self
    }

    /// Starts a linear axis at zero.
    pub fn from_zero(mut self) -> Self {
        self.from_zero = true;
        self
    }

    /// Label and unit as written beside the axis.
    pub fn heading(&self) -> String {
        if self.unit.is_empty() { self.label.clone() } else { format!("{} ({})", self.label, self.unit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_and_value_are_inverse() {
        for scale in [Scale::Linear, Scale::Log10, Scale::Log2] {
            for value in [1e-9, 0.3, 2.0, 12345.0] {
                let back = scale.value(scale.place(value));
                assert!((back / value - 1.0).abs() < 1e-12, "{scale:?} {value} {back}");
            }
        }
    }

    #[test]
    fn the_unit_follows_the_label() {
        assert_eq!(Axis::linear("memory").unit("bits/key").heading(), "memory (bits/key)");
        assert_eq!(Axis::linear("k").heading(), "k");
    }
}
