//! What can go wrong between a figure's description and its drawing.

use super::style::StyleError;

/// Which of a panel's two axes an error speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisName {
    /// The axis of the independent variable.
    X,
    /// The axis of the measured value.
    Y,
}

impl std::fmt::Display for AxisName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::X => "x",
            Self::Y => "y",
        })
    }
}

/// A figure that cannot be drawn, and the value that forbids it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FigureError {
    /// The figure has no panels.
    #[error("figure `{figure}` has no panels")]
    NoPanels {
        /// The figure's id.
        figure: String,
    },
    /// A panel has nothing to show.
    #[error("panel `{panel}` holds no data")]
    EmptyPanel {
        /// The panel's title.
        panel: String,
    },
    /// A value is NaN or infinite.
    #[error("panel `{panel}`, series `{series}`: {axis} value {value} is not finite")]
    NotFinite {
        /// The panel's title.
        panel: String,
        /// The series' label or key.
        series: String,
        /// The axis the value belongs to.
        axis: AxisName,
        /// The value.
        value: f64,
    },
    /// A value at or below zero on a logarithmic axis.
    #[error("panel `{panel}`, series `{series}`: {axis} value {value} has no place on a log axis")]
    NotPositive {
        /// The panel's title.
        panel: String,
        /// The series' label or key.
        series: String,
        /// The axis the value belongs to.
        axis: AxisName,
        /// The value.
        value: f64,
    },
    /// An interval whose ends are reversed or which leaves out its own value.
    #[error("panel `{panel}`, series `{series}`: [{low}, {high}] is no interval around {value}")]
    Interval {
        /// The panel's title.
        panel: String,
        /// The series' label or key.
        series: String,
        /// The lower end.
        low: f64,
        /// The value, or the lower end again for a band or a bin.
        value: f64,
        /// The upper end.
        high: f64,
    },
    /// A measured point lies outside the range demanded for its axis: it would vanish silently.
    #[error("panel `{panel}`, series `{series}`: {axis} value {value} is outside [{low}, {high}]")]
    OutOfRange {
        /// The panel's title.
        panel: String,
        /// The series' label or key.
        series: String,
        /// The axis the value belongs to.
        axis: AxisName,
        /// The value.
        value: f64,
        /// The lower end of the range.
        low: f64,
        /// The upper end of the range.
        high: f64,
    },
    /// A range that is empty, reversed, not finite, or not positive on a log axis.
    #[error("panel `{panel}`: [{low}, {high}] is no range for the {axis} axis")]
    BadRange {
        /// The panel's title.
        panel: String,
        /// The axis.
        axis: AxisName,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// The labels leave too little of the page for the data.
    #[error("panel `{panel}`: labels leave {left:.0} pt of {width:.0} pt for the data")]
    NoRoom {
        /// The panel's title.
        panel: String,
        /// Points left for the data.
        left: f64,
        /// Points of the page or of the column.
        width: f64,
    },
    /// More categories along the width than can be named there, even upright. Transpose the panel.
    #[error("panel `{panel}`: {count} categories in {room:.0} pt cannot be named; transpose the panel")]
    Crowded {
        /// The panel's title.
        panel: String,
        /// How many categories.
        count: usize,
        /// Points along the axis.
        room: f64,
    },
    /// A panel whose x axis runs upwards cannot share it with one beneath.
    #[error("panel `{panel}` is transposed and has a panel beneath")]
    Transposed {
        /// The panel's title.
        panel: String,
    },
    /// The figure's font has no glyph for a character, which would print as a box.
    #[error("the figure font has no glyph for {character:?} (in {text:?})")]
    MissingGlyph {
        /// The character.
        character: char,
        /// The text that holds it.
        text: String,
    },
    /// A text could not be measured.
    #[error("text {text:?} cannot be laid out")]
    Unmeasurable {
        /// The text.
        text: String,
    },
    /// A series asks for a style that does not exist.
    #[error(transparent)]
    Style(#[from] StyleError),
    /// A drawn figure could not be read back.
    #[error("the drawing cannot be read: {reason}")]
    Unreadable {
        /// What the reader said.
        reason: String,
    },
    /// The bitmap could not be made.
    #[error("no bitmap of {width} x {height} pixels")]
    Bitmap {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
}
