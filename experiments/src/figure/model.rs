//! A figure as data: panels, axes, references and notes. Nothing here knows how it is drawn.

use super::axis::Axis;
use super::series::Series;
use super::style::{Dash, StyleKey};

/// Where the legend stands; never inside the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Legend {
    /// Above the panels.
    #[default]
    Top,
    /// Below the panels.
    Bottom,
    /// Nowhere: the series carry labels at their ends.
    Hidden,
}

/// One figure: panels in a grid under one title, with one legend and one caption.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Short name, also the file's name.
    pub id: String,
    /// One line above everything. May be empty.
    pub title: String,
    /// Below everything: n, filters, probes, run. Wrapped when longer than a line. May be empty.
    pub caption: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// Panels in a row, as far as the width has room for them.
    pub columns: usize,
    /// Whether panels with the same y axis have the same ends, so that heights compare across them.
    pub shared_y: bool,
    /// Where the legend stands.
    pub legend: Legend,
    /// What a ring around a point means; empty when no point is highlighted.
    pub ring: String,
    /// What the arrow of a zero count means.
    pub limit: String,
    /// Seed, commit, command, ...: written into the file, not drawn.
    pub metadata: Vec<(String, String)>,
    /// Whether points name the rows that they come from, for a page that has the table too. Nothing looks different.
    pub names_rows: bool,
}

impl Figure {
    /// A figure without panels.
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            caption: String::new(),
            panels: Vec::new(),
            columns: 1,
            shared_y: false,
            legend: Legend::default(),
            ring: String::new(),
            limit: "none seen: upper limit".to_owned(),
            metadata: Vec::new(),
            names_rows: false,
        }
    }

    /// Adds a panel.
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// Sets the caption.
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// Lets points name the rows that they come from.
    pub fn naming_rows(mut self) -> Self {
        self.names_rows = true;
        self
    }

    /// Sets the number of panels in a row.
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns;
        self
    }

    /// Gives panels with the same y axis the same ends.
    pub fn shared_y(mut self) -> Self {
        self.shared_y = true;
        self
    }

    /// Places the legend.
    pub fn legend(mut self, legend: Legend) -> Self {
        self.legend = legend;
        self
    }

    /// Says what a ring around a point means.
    pub fn ring(mut self, meaning: impl Into<String>) -> Self {
        self.ring = meaning.into();
        self
    }

    /// Says what the arrow of a zero count means.
    pub fn limit(mut self, meaning: impl Into<String>) -> Self {
        self.limit = meaning.into();
        self
    }

    /// Adds one entry of metadata.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
    }
}

/// One pair of axes and what is drawn between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// One line above the axes. May be empty.
    pub title: String,
    /// The independent variable.
    pub x: Axis,
    /// The measured value.
    pub y: Axis,
    /// What is drawn, later over earlier within a kind.
    pub series: Vec<Series>,
    /// Straight lines across the panel, each with its label outside of the axes.
    pub references: Vec<Reference>,
    /// Small print under the axes.
    pub notes: Vec<String>,
    /// Height of the axes for a width of one.
    pub aspect: f64,
    /// Whether the series' points stand side by side where they share an x. Categories always do so.
    pub dodge: bool,
    /// Whether x runs upwards and y to the right: for categories with long names.
    pub transpose: bool,
    /// A smaller panel under this one that shares its x axis, such as measured / formula. Its own `x` is not looked at.
    pub below: Option<Box<Panel>>,
}

impl Panel {
    /// A panel without series.
    pub fn new(x: Axis, y: Axis) -> Self {
        Self {
            title: String::new(),
            x,
            y,
            series: Vec::new(),
            references: Vec::new(),
            notes: Vec::new(),
            aspect: 0.66,
            dodge: false,
            transpose: false,
            below: None,
        }
    }

    /// This panel and those beneath it.
    pub fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |panel| panel.below.as_deref())
    }

    /// Sets the title.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Adds a series.
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Adds a reference line.
    pub fn reference(mut self, reference: Reference) -> Self {
        self.references.push(reference);
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the height of the axes for a width of one.
    pub fn aspect(mut self, aspect: f64) -> Self {
        self.aspect = aspect;
        self
    }

    /// Lets the points of different series stand side by side.
    pub fn dodged(mut self) -> Self {
        self.dodge = true;
        self
    }

    /// Lets x run upwards and y to the right.
    pub fn transposed(mut self) -> Self {
        self.transpose = true;
        self
    }

    /// Puts a smaller panel with the same x axis beneath: `y` and its series; the x axis is taken from this panel.
    pub fn beneath(mut self, y: Axis, fill: impl FnOnce(Panel) -> Panel) -> Self {
        let lower = Panel::new(self.x.clone(), y).aspect(0.26);
        self.below = Some(Box::new(fill(lower)));
        self
    }
}

/// A straight line at one value of one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// The axis that the value belongs to.
    pub axis: super::error::AxisName,
    /// The value.
    pub at: f64,
    /// The label beside the line, outside of the axes. May be empty.
    pub label: String,
    /// Whose colour the line has; grey without.
    pub key: Option<StyleKey>,
    /// How it is drawn.
    pub dash: Dash,
}

impl Reference {
    /// A dashed grey line at a value of x.
    pub fn x(at: f64, label: impl Into<String>) -> Self {
        Self { axis: super::error::AxisName::X, at, label: label.into(), key: None, dash: Dash::Dashed }
    }

    /// A dashed grey line at a value of y.
    pub fn y(at: f64, label: impl Into<String>) -> Self {
        Self { axis: super::error::AxisName::Y, ..Self::x(at, label) }
    }

    /// Takes the colour of a style.
    pub fn styled(mut self, key: impl Into<StyleKey>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Takes another dash pattern.
    pub fn dashed(mut self, dash: Dash) -> Self {
        self.dash = dash;
        self
    }
}
