//! The page: title, legend, panels in a grid, caption.

use super::axes::{Horizontal, Plate};
use super::clip::Rect;
use super::error::FigureError;
use super::extent::{self, Places};
use super::font::Ruler;
use super::legend::Legend as Entries;
use super::model::{Figure, Legend, Panel};
use super::style::StyleBook;
use super::svg::{Anchor, Canvas, INK};
use super::width::Width;

/// Font size of the figure's title.
const TITLE: f64 = 9.0;
/// Font size of axis headings, panel titles and the legend.
pub const LABEL: f64 = 8.0;
/// Font size of tick labels.
pub const TICK: f64 = 7.5;
/// Font size of everything smaller.
pub const SMALL: f64 = 7.5;
/// Distance of baselines, in font sizes.
pub const LEADING: f64 = 1.22;

const MARGIN: f64 = 3.0;
/// Space between columns and between rows of panels.
const GUTTER: f64 = 12.0;
/// Space between a panel and the one that shares its x axis.
const SHARED_GUTTER: f64 = 6.0;
/// No column of panels is narrower.
const NARROWEST: f64 = 145.0;
/// No axes are narrower.
const NARROWEST_AXES: f64 = 60.0;

/// A panel and those beneath it that share its x axis.
struct Stack<'a> {
    plates: Vec<(Plate<'a>, Horizontal)>,
}

impl Figure {
    /// Draws the figure at a printed width. The height follows from the panels.
    pub fn to_svg(&self, book: &StyleBook, width: Width) -> Result<String, FigureError> {
        if self.panels.is_empty() {
            return Err(FigureError::NoPanels { figure: self.id.clone() });
        }
        let ruler = Ruler::new();
        let inner = width.points() - 2.0 * MARGIN;
        let most = ((inner + GUTTER) / (NARROWEST + GUTTER)).floor() as usize;
        let columns = self.columns.clamp(1, most.max(1)).min(self.panels.len());
        let column = (inner - GUTTER * (columns as f64 - 1.0)) / columns as f64;
        let stacks = self.stacks(book, &ruler, column)?;
        let (stacks, left, right) = fit(self, stacks, &ruler, column)?;

        let mut canvas = Canvas::new(self.names_rows);
        let mut y = MARGIN;
        text(&mut canvas, &ruler.wrap(&self.title, TITLE, inner)?, TITLE, &mut y);
        let entries = Entries::new(self, book, &ruler, inner)?;
        let listed = entries.height() > 0.0;
        if self.legend == Legend::Top && listed {
            entries.draw(&mut canvas, (MARGIN, y));
            y += entries.height() + 3.0;
        }
        for (index, row) in stacks.chunks(columns).enumerate() {
            if index > 0 {
                y += GUTTER;
            }
            y = draw_row(&mut canvas, row, book, (column, left, right), y)?;
        }
        if self.legend == Legend::Bottom && listed {
            y += 4.0;
            entries.draw(&mut canvas, (MARGIN, y));
            y += entries.height();
        }
        let caption = ruler.wrap(&self.caption, SMALL, inner)?;
        if !caption.is_empty() {
            y += 4.0;
            text(&mut canvas, &caption, SMALL, &mut y);
        }
        let size = (width.points(), (y + MARGIN).ceil());
        Ok(canvas.finish(size, (&self.title, &self.caption), &self.metadata))
    }

    /// The ends of a y axis that several panels share.
    fn y_ends(&self, panel: &Panel) -> Result<Option<Places>, FigureError> {
        if !self.shared_y {
            return Ok(None);
        }
        let mut ends: Option<Places> = None;
        for other in self.panels.iter().flat_map(Panel::chain).filter(|other| other.y == panel.y) {
            let (_, (low, high)) = extent::places(other)?;
            ends = Some(ends.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
        }
        Ok(ends)
    }

    fn stacks<'a>(&'a self, book: &StyleBook, ruler: &Ruler, column: f64) -> Result<Vec<Vec<Plate<'a>>>, FigureError> {
        let mut stacks = Vec::new();
        for (index, panel) in self.panels.iter().enumerate() {
            let letter = match u8::try_from(index) {
                Ok(index) if self.panels.len() > 1 && index < 26 => format!("({}) ", char::from(b'a' + index)),
                _ => String::new(),
            };
            let mut plates: Vec<Plate<'_>> = Vec::new();
            let mut next = Some(panel);
            while let Some(one) = next {
                next = one.below.as_deref();
                let title = if plates.is_empty() { format!("{letter}{}", one.title) } else { one.title.clone() };
                let plate = Plate::new((one, &title), (next.is_some(), self.y_ends(one)?), (book, ruler), column)?;
                plates.push(plate);
            }
            let (low, high) = plates.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), plate| {
                (low.min(plate.x().0), high.max(plate.x().1))
            });
            plates.iter_mut().for_each(|plate| plate.set_x((low, high)));
            stacks.push(plates);
        }
        Ok(stacks)
    }
}

/// Finds the room that all panels leave on either side of their axes, so that the axes line up.
fn fit<'a>(
    figure: &Figure,
    stacks: Vec<Vec<Plate<'a>>>,
    ruler: &Ruler,
    column: f64,
) -> Result<(Vec<Stack<'a>>, f64, f64), FigureError> {
    let all = || stacks.iter().flatten();
    let left = all().map(|p| p.left).fold(0.0, f64::max);
    let mut right = all().map(|p| p.right).fold(0.0, f64::max);
    let first: Vec<&Panel> = figure.panels.iter().collect();
    let check = |right: f64| {
        let axes = column - left - right;
        if axes >= NARROWEST_AXES {
            return Ok(axes);
        }
        let panel = first.first().map(|p| p.title.clone()).unwrap_or_default();
        Err(FigureError::NoRoom { panel, left: axes, width: column })
    };
    let trial = check(right)?;
    for plate in all() {
        right = right.max(plate.horizontal(trial, ruler)?.overhang);
    }
    let axes = check(right)?;
    let mut placed = Vec::new();
    for stack in stacks {
        let mut plates = Vec::new();
        for plate in stack {
            let horizontal = plate.horizontal(axes, ruler)?;
            plates.push((plate, horizontal));
        }
        placed.push(Stack { plates });
    }
    Ok((placed, left, right))
}

/// Draws one row of the grid from `top` and returns where it ends.
fn draw_row(
    canvas: &mut Canvas,
    row: &[Stack<'_>],
    book: &StyleBook,
    (column, left, right): (f64, f64, f64),
    top: f64,
) -> Result<f64, FigureError> {
    let edges = |index: usize| {
        let start = MARGIN + index as f64 * (column + GUTTER);
        (start, start + column)
    };
    let deepest = row.iter().map(|s| s.plates.len()).max().unwrap_or(0);
    let mut y = top;
    for level in 0..deepest {
        let plates: Vec<_> =
            row.iter().enumerate().filter_map(|(i, s)| s.plates.get(level).map(|(p, h)| (edges(i), p, h))).collect();
        let most = |f: &dyn Fn(&Plate<'_>) -> f64| plates.iter().map(|(_, p, _)| f(p)).fold(0.0, f64::max);
        let rect = |(start, end): (f64, f64), top: f64, height: f64| Rect {
            left: start + left,
            top,
            right: end - right,
            bottom: top + height,
        };
        let gutter = if level == 0 { 0.0 } else { SHARED_GUTTER };
        let title = gutter + most(&|p| p.title_height());
        let height = most(&|p| p.height);
        let mut rise = 0.0f64;
        for &(ends, plate, axis) in &plates {
            let frame = plate.frame(rect(ends, 0.0, height), axis);
            rise = rise.max(plate.rise(&frame, ends.1));
        }
        let axes_top = y + title + rise;
        let mut bottom = axes_top;
        for &(ends, plate, axis) in &plates {
            let frame = plate.frame(rect(ends, axes_top, height), axis);
            plate.draw(canvas, (&frame, axis), book, (ends, y))?;
            bottom = bottom.max(axes_top + height + axis.height);
        }
        y = bottom;
    }
    let mut bottom = y;
    for (index, stack) in row.iter().enumerate() {
        let mut below = y;
        for (plate, _) in &stack.plates {
            plate.draw_notes(canvas, (edges(index).0, below));
            below += plate.notes_height();
        }
        bottom = bottom.max(below);
    }
    Ok(bottom)
}

/// Writes lines from the left margin and moves `y` below them.
fn text(canvas: &mut Canvas, lines: &[String], size: f64, y: &mut f64) {
    for line in lines {
        canvas.text((MARGIN, *y + 0.85 * size), size, Anchor::Start, INK, line);
        *y += size * LEADING;
    }
    if !lines.is_empty() {
        *y += 2.0;
    }
}
