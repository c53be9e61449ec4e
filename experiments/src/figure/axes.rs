//! One pair of axes with everything around it: title, ticks, headings, labels and notes.

use super::axis::{Axis, Scale};
use super::clip::Rect;
use super::draw;
use super::error::FigureError;
use super::extent::{self, Places};
use super::font::Ruler;
use super::frame::Frame;
use super::labels::{Labels, lines_height};
use super::model::Panel;
use super::page::{LABEL, LEADING, SMALL, TICK};
use super::style::StyleBook;
use super::svg::{Anchor, Canvas, INK, Stroke};
use super::ticks::{self, Ticks};

const MAJOR: f64 = 3.0;
const MINOR: f64 = 1.7;
/// Space between a tick and its label.
const TICK_GAP: f64 = 2.0;
/// Space between tick labels and the axis' heading.
const HEADING_GAP: f64 = 3.0;
const GRID: &str = "#E4E4E4";
/// No axes are higher than this.
const HIGHEST: f64 = 216.0;
/// The height that a category on the vertical axis needs.
const CATEGORY: f64 = 15.0;
/// The least distance of labels on the vertical axis.
const PITCH: f64 = 15.5;
/// The part of a column that labels beside the axes may take.
const LABEL_SHARE: f64 = 0.3;

/// A panel's axes, measured but not yet placed.
pub struct Plate<'a> {
    panel: &'a Panel,
    places: (Places, Places),
    labels: Labels,
    title: Vec<String>,
    notes: Vec<String>,
    vertical: Ticks,
    vertical_heading: Vec<String>,
    /// Whether another panel beneath carries the horizontal axis' labels.
    shared: bool,
    /// The height of the axes.
    pub height: f64,
    /// The room needed to the left of the axes.
    pub left: f64,
    /// The room needed to the right of the axes.
    pub right: f64,
}

/// The horizontal axis, once the width of the axes is known.
pub struct Horizontal {
    ticks: Ticks,
    heading: Vec<String>,
    upright: bool,
    /// The height of tick labels and heading.
    pub height: f64,
    /// How far the last label reaches beyond the axes.
    pub overhang: f64,
}

impl<'a> Plate<'a> {
    /// Measures a panel for a column of a width. The title comes with its letter. `shared` says that a panel
    /// beneath carries the x axis; `y` replaces the ends that follow from the panel's own data.
    pub fn new(
        (panel, title): (&'a Panel, &str),
        (shared, y): (bool, Option<Places>),
        (book, ruler): (&StyleBook, &Ruler),
        column: f64,
    ) -> Result<Self, FigureError> {
        let mut places = extent::places(panel)?;
        places.1 = y.unwrap_or(places.1);
        if panel.transpose && shared {
            return Err(FigureError::Transposed { panel: panel.title.clone() });
        }
        let labels = Labels::new(panel, book, ruler, column * LABEL_SHARE)?;
        let axis = vertical(panel);
        let mut height = (panel.aspect * (column - 40.0)).min(HIGHEST).max(labels.height());
        if let Scale::Categories(names) = &axis.scale {
            height = height.max(names.len() as f64 * CATEGORY);
        }
        let ends = if panel.transpose { places.0 } else { places.1 };
        let vertical = ticks::ticks(axis, ends, (height / PITCH).floor() as usize);
        let texts: Vec<&str> = vertical.major.iter().map(|t| t.label.as_str()).collect();
        let vertical_heading = ruler.wrap(&axis.heading(), LABEL, height)?;
        let heading_room = if vertical_heading.is_empty() { 0.0 } else { HEADING_GAP };
        let left = MAJOR + TICK_GAP + ruler.widest(&texts, TICK)? + heading_room + lines_height(vertical_heading.len());
        let mut notes = Vec::new();
        for note in &panel.notes {
            notes.extend(ruler.wrap(note, SMALL, column)?);
        }
        Ok(Self {
            panel,
            places,
            title: ruler.wrap(title, LABEL, column)?,
            notes,
            vertical,
            vertical_heading,
            shared,
            height,
            left,
            right: labels.width(ruler)?.max(3.0),
            labels,
        })
    }

    /// The ends of the x axis.
    pub fn x(&self) -> Places {
        self.places.0
    }

    /// Sets the ends of the x axis, for panels that share it.
    pub fn set_x(&mut self, ends: Places) {
        self.places.0 = ends;
    }

    /// Lays out the horizontal axis for a width of the axes: as many ticks as have room, upright names if need be.
    pub fn horizontal(&self, width: f64, ruler: &Ruler) -> Result<Horizontal, FigureError> {
        let axis = horizontal(self.panel);
        let ends = if self.panel.transpose { self.places.1 } else { self.places.0 };
        let position = |place: f64| (place - ends.0) / (ends.1 - ends.0) * width;
        let mut wanted = ((width / 24.0).floor() as usize).max(2);
        loop {
            let ticks = ticks::ticks(axis, ends, wanted);
            let mut end = f64::NEG_INFINITY;
            let (mut fits, mut overhang) = (true, 0.0f64);
            for tick in &ticks.major {
                let half = ruler.width(&tick.label, TICK)? / 2.0;
                fits &= position(tick.place) - half >= end + 4.0;
                end = position(tick.place) + half;
                overhang = overhang.max(end - width);
            }
            let last_try = wanted <= 2 || axis.scale.is_categorical();
            if !fits && !last_try {
                wanted -= 1;
                continue;
            }
            if self.shared {
                return Ok(Horizontal { ticks, heading: Vec::new(), upright: false, height: MAJOR, overhang: 0.0 });
            }
            let upright = !fits && axis.scale.is_categorical();
            let count = ticks.major.len();
            if upright && width < count as f64 * TICK {
                return Err(FigureError::Crowded { panel: self.panel.title.clone(), count, room: width });
            }
            let texts: Vec<&str> = ticks.major.iter().map(|t| t.label.as_str()).collect();
            let deep = if upright { ruler.widest(&texts, TICK)? } else { TICK * 0.8 };
            let heading = ruler.wrap(&axis.heading(), LABEL, width + self.left)?;
            let height = MAJOR + TICK_GAP + deep + HEADING_GAP + lines_height(heading.len());
            let overhang = if upright { 0.0 } else { overhang };
            return Ok(Horizontal { ticks, heading, upright, height, overhang });
        }
    }

    /// The height of the title above the axes.
    pub fn title_height(&self) -> f64 {
        if self.title.is_empty() { 2.0 } else { lines_height(self.title.len()) + 2.0 }
    }

    /// The height of the notes under the axes.
    pub fn notes_height(&self) -> f64 {
        if self.notes.is_empty() { 0.0 } else { self.notes.len() as f64 * SMALL * LEADING + 2.0 }
    }

    /// Puts the axes into a rectangle.
    pub fn frame(&self, rect: Rect, axis: &Horizontal) -> Frame {
        let on_top = vertical(self.panel).scale.is_categorical();
        Frame::new(rect, self.places, (self.panel.transpose, on_top), (&axis.ticks, &self.vertical))
    }

    /// The height of the labels above the axes.
    pub fn rise(&self, frame: &Frame, right: f64) -> f64 {
        self.labels.rise(frame, self.panel, right)
    }

    /// Draws everything. `column` is the left and the right end of the panel's column, `title_top` where the title begins.
    pub fn draw(
        &self,
        canvas: &mut Canvas,
        (frame, axis): (&Frame, &Horizontal),
        book: &StyleBook,
        (column, title_top): ((f64, f64), f64),
    ) -> Result<(), FigureError> {
        let rect = frame.rect;
        for (row, line) in self.title.iter().enumerate() {
            let y = title_top + (row as f64 * LEADING + 0.85) * LABEL;
            canvas.text((column.0, y), LABEL, Anchor::Start, INK, line);
        }
        canvas.open("axes", "");
        for line in frame.grid() {
            canvas.polyline(&line, Stroke::solid(GRID, 0.5));
        }
        canvas.close();
        draw::series(canvas, frame, self.panel, book)?;
        canvas.open("axes", "");
        canvas.polyline(
            &[(rect.left, rect.top), (rect.left, rect.bottom), (rect.right, rect.bottom)],
            Stroke::solid(INK, 0.6),
        );
        self.draw_vertical(canvas, frame);
        self.draw_horizontal(canvas, frame, axis);
        canvas.close();
        self.labels.draw(canvas, frame, self.panel, column.1);
        Ok(())
    }

    /// Writes the notes from a position downwards.
    pub fn draw_notes(&self, canvas: &mut Canvas, (left, top): (f64, f64)) {
        for (row, line) in self.notes.iter().enumerate() {
            let y = top + 2.0 + (row as f64 * LEADING + 0.9) * SMALL;
            canvas.text((left, y), SMALL, Anchor::Start, INK, line);
        }
    }

    fn draw_vertical(&self, canvas: &mut Canvas, frame: &Frame) {
        let rect = frame.rect;
        let at = |place: f64| if frame.transposed { frame.at(place, 0.0).1 } else { frame.at(0.0, place).1 };
        for tick in &self.vertical.major {
            let y = at(tick.place);
            canvas.polyline(&[(rect.left - MAJOR, y), (rect.left, y)], Stroke::solid(INK, 0.6));
            let corner = (rect.left - MAJOR - TICK_GAP, y + 0.33 * TICK);
            canvas.text(corner, TICK, Anchor::End, INK, &tick.label);
        }
        for &place in &self.vertical.minor {
            let y = at(place);
            canvas.polyline(&[(rect.left - MINOR, y), (rect.left, y)], Stroke::solid(INK, 0.4));
        }
        let middle = f64::midpoint(rect.top, rect.bottom);
        // The heading stands at the left end of the room that all panels of a figure keep for it.
        for (row, line) in self.vertical_heading.iter().enumerate() {
            let x = rect.left - self.left + (row as f64 * LEADING + 0.85) * LABEL;
            canvas.text_upwards((x, middle), LABEL, Anchor::Middle, line);
        }
    }

    fn draw_horizontal(&self, canvas: &mut Canvas, frame: &Frame, axis: &Horizontal) {
        let rect = frame.rect;
        let at = |place: f64| if frame.transposed { frame.at(0.0, place).0 } else { frame.at(place, 0.0).0 };
        for tick in &axis.ticks.major {
            let x = at(tick.place);
            canvas.polyline(&[(x, rect.bottom), (x, rect.bottom + MAJOR)], Stroke::solid(INK, 0.6));
            if self.shared {
                continue;
            }
            let below = rect.bottom + MAJOR + TICK_GAP;
            if axis.upright {
                canvas.text_upwards((x + 0.33 * TICK, below), TICK, Anchor::End, &tick.label);
            } else {
                canvas.text((x, below + 0.75 * TICK), TICK, Anchor::Middle, INK, &tick.label);
            }
        }
        for &place in &axis.ticks.minor {
            let x = at(place);
            canvas.polyline(&[(x, rect.bottom), (x, rect.bottom + MINOR)], Stroke::solid(INK, 0.4));
        }
        let middle = f64::midpoint(rect.left, rect.right);
        let first = rect.bottom + axis.height - lines_height(axis.heading.len());
        for (row, line) in axis.heading.iter().enumerate() {
            let y = first + (row as f64 * LEADING + 0.85) * LABEL;
            canvas.text((middle, y), LABEL, Anchor::Middle, INK, line);
        }
    }
}

fn horizontal(panel: &Panel) -> &Axis {
    if panel.transpose { &panel.y } else { &panel.x }
}

fn vertical(panel: &Panel) -> &Axis {
    if panel.transpose { &panel.x } else { &panel.y }
}
