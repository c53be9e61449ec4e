//! Figures: a small description of panels, drawn as SVG and PNG at their printed size.
//!
//! [`Figure`], [`Panel`], [`Axis`] and [`Series`] say what is shown; the [`StyleBook`] says how each thing looks in every
//! figure; [`Figure::to_svg`] draws it at a [`Width`] and [`to_png`] makes a bitmap of the drawing. Measurements are marks
//! with interval bars and theory is lines, so that they are told apart at a glance. Texts stand outside of the axes and
//! have 7.5 to 9 pt in print. The same description gives the same bytes.
//!
//! ```
//! use experiments::figure::{Axis, Figure, Panel, Point, Series, StyleBook, Width, to_png};
//!
//! let panel = Panel::new(Axis::linear("memory").unit("bits/key"), Axis::log10("false-positive rate"))
//!     .series(Series::points("standard", vec![
//!         Point::new(8.0, 0.0216, 0.0213, 0.0219),
//!         Point::new(12.0, 0.00314, 0.00303, 0.00325),
//!         Point::at_most(40.0, 3.7e-8),
//!     ]))
//!     .series(Series::line("bloom-formula", vec![(8.0, 0.0216), (12.0, 0.00314), (40.0, 4.5e-9)]));
//! let figure = Figure::new("sample", "").panel(panel);
//! let svg = figure.to_svg(&StyleBook::committed()?, Width::COLUMN)?;
//! assert!(to_png(&svg, 150.0)?.starts_with(b"\x89PNG"));
//! # Ok::<(), experiments::figure::FigureError>(())
//! ```

mod axes;
mod axis;
mod clip;
mod draw;
mod error;
mod extent;
mod flags;
mod font;
mod frame;
mod labels;
mod legend;
mod marks;
mod model;
mod page;
mod png;
mod series;
mod spread;
mod style;
mod svg;
mod ticks;
mod width;

pub use axis::{Axis, Scale};
pub use error::{AxisName, FigureError};
pub use font::FONT;
pub use model::{Figure, Legend, Panel, Reference};
pub use png::to_png;
pub use series::{Kind, Point, Reading, Series};
pub use style::{Dash, Mark, Style, StyleBook, StyleError, StyleKey};
pub use width::{Width, WidthError};
