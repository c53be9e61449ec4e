//! What a panel shows: measured points, theory lines, bands and histograms.

use super::style::{Dash, StyleKey};

/// What was measured at one x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reading {
    /// A value and its interval; `low == high == value` draws no bar.
    Value {
        /// The estimate.
        value: f64,
        /// The lower end of the interval. Zero is allowed on a log axis: the bar then leaves at the bottom.
        low: f64,
        /// The upper end of the interval.
        high: f64,
    },
    /// Nothing was counted: only an upper limit is known. Drawn as an arrow that hangs from the limit.
    AtMost(f64),
}

/// One measured point.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The x value, or the index of a category.
    pub x: f64,
    /// What was measured there.
    pub reading: Reading,
    /// Shown when a pointer rests on the point. May be empty.
    pub tooltip: String,
    /// Draws a ring around the point.
    pub highlight: bool,
    /// The row of the table it comes from: see [`Figure::naming_rows`](super::Figure::naming_rows).
    pub row: Option<usize>,
}

impl Point {
    /// A value with its interval.
    pub fn new(x: f64, value: f64, low: f64, high: f64) -> Self {
        Self { x, reading: Reading::Value { value, low, high }, tooltip: String::new(), highlight: false, row: None }
    }

    /// A value without an interval.
    pub fn exact(x: f64, value: f64) -> Self {
        Self::new(x, value, value, value)
    }

    /// A zero count.
    pub fn at_most(x: f64, limit: f64) -> Self {
        Self { reading: Reading::AtMost(limit), ..Self::exact(x, limit) }
    }

    /// Sets the tooltip.
    pub fn tooltip(mut self, tooltip: impl Into<String>) -> Self {
        self.tooltip = tooltip.into();
        self
    }

    /// Draws a ring around the point if `highlight`.
    pub fn ringed(mut self, highlight: bool) -> Self {
        self.highlight = highlight;
        self
    }
}

/// The shapes a series can have.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Measurements: marks with interval bars.
    Points {
        /// The points.
        points: Vec<Point>,
        /// Whether a thin line leads from point to point.
        joined: bool,
    },
    /// Theory, a bound or a floor: a line without marks.
    Line {
        /// The vertices, in drawing order.
        points: Vec<(f64, f64)>,
        /// The pattern; the style's own without.
        dash: Option<Dash>,
    },
    /// An area between two curves.
    Band {
        /// x, lower and upper value.
        points: Vec<(f64, f64, f64)>,
    },
    /// Counts over bins of x.
    Histogram {
        /// Lower edge, upper edge, count or density.
        bins: Vec<(f64, f64, f64)>,
    },
}

/// One series.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend; the style's label when empty. Series of one name share one legend entry.
    pub label: String,
    /// Colour, mark and dash.
    pub key: StyleKey,
    /// The data.
    pub kind: Kind,
    /// Whether the legend names it.
    pub in_legend: bool,
    /// Whether its name stands at its right end, outside of the axes.
    pub label_at_end: bool,
}

impl Series {
    fn new(key: impl Into<StyleKey>, kind: Kind) -> Self {
        Self { label: String::new(), key: key.into(), kind, in_legend: true, label_at_end: false }
    }

    /// Measured points.
    pub fn points(key: impl Into<StyleKey>, points: Vec<Point>) -> Self {
        Self::new(key, Kind::Points { points, joined: false })
    }

    /// Measured points that a thin line joins.
    pub fn joined(key: impl Into<StyleKey>, points: Vec<Point>) -> Self {
        Self::new(key, Kind::Points { points, joined: true })
    }

    /// A line with the style's own dash.
    pub fn line(key: impl Into<StyleKey>, points: Vec<(f64, f64)>) -> Self {
        Self::new(key, Kind::Line { points, dash: None })
    }

    /// An area between two curves.
    pub fn band(key: impl Into<StyleKey>, points: Vec<(f64, f64, f64)>) -> Self {
        Self::new(key, Kind::Band { points })
    }

    /// Counts over bins.
    pub fn histogram(key: impl Into<StyleKey>, bins: Vec<(f64, f64, f64)>) -> Self {
        Self::new(key, Kind::Histogram { bins })
    }

    /// Sets the name.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the dash of a line; other kinds have none.
    pub fn dash(mut self, pattern: Dash) -> Self {
        if let Kind::Line { dash, .. } = &mut self.kind {
            *dash = Some(pattern);
        }
        self
    }

    /// Names the series at its right end instead of in the legend.
    pub fn label_at_end(mut self) -> Self {
        self.label_at_end = true;
        self.in_legend = false;
        self
    }

    /// Leaves the series out of the legend.
    pub fn unlisted(mut self) -> Self {
        self.in_legend = false;
        self
    }
}
