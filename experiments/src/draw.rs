//! From a derived table to a figure, as the definition's panels say. No formula here: lines are columns.

mod overlay;

use crate::error::HarnessError;
use crate::figure::{Axis, Dash, Figure, Panel, Point, Reference, Series, StyleBook, StyleKey};
use crate::manifest::Manifest;
use crate::spec::{AxisSpec, Definition, LineSpec, PanelKind, PanelSpec, ScaleSpec};
use crate::table::Table;

/// The figure of a definition from its derived table.
///
/// # Errors
/// [`HarnessError::Definition`] for a panel that names a column there is not.
pub fn figure(
    definition: &Definition,
    table: &Table,
    manifest: &Manifest,
    book: &StyleBook,
) -> Result<Figure, HarnessError> {
    let mut figure = Figure::new(&definition.id, &definition.title)
        .columns(definition.columns)
        .caption(caption(definition, table, manifest));
    if let Some(ring) = &definition.ring {
        figure = figure.ring(ring);
    }
    figure = figure.limit("none seen: upper limit");
    for (name, value) in [
        ("experiment", definition.id.clone()),
        ("run", manifest.run.clone()),
        ("seed", manifest.seed.to_string()),
        ("commit", manifest.commit.clone()),
        ("command", manifest.command.join(" ")),
    ] {
        figure = figure.metadata(name, value);
    }
    let mut missing = Vec::new();
    for spec in &definition.panel {
        let rows = Rows::new(definition, table, spec, manifest.contenders.is_empty())?;
        // Times are not measured by every build; the other panels stand for themselves.
        if rows.is_empty() {
            missing.push(if spec.title.is_empty() { spec.y.as_str() } else { spec.title.as_str() });
            continue;
        }
        figure = figure.panel(match spec.kind {
            PanelKind::Histogram => histogram(&rows, book),
            PanelKind::Curve | PanelKind::Dots => overlay::cache_marks(curve(&rows, book), &rows, &manifest.caches),
        });
    }
    if figure.panels.is_empty()
        && let Some(spec) = definition.panel.first()
    {
        // An empty frame says so; nothing stands in for what was not measured.
        let frame = |axis: &AxisSpec| Axis::linear(&axis.label).range(0.0, 1.0);
        let panel = Panel::new(frame(&spec.x_axis), frame(&spec.y_axis)).title(&spec.title);
        figure = figure.panel(panel.note("Not measured: builds with debug assertions have no times."));
    }
    if !missing.is_empty() {
        figure =
            figure.caption(format!("{}; not measured: {}", caption(definition, table, manifest), missing.join("; ")));
    }
    Ok(figure)
}

/// Refuses a panel that names a column there is not. Contenders in place of the definition's own need not have its
/// theory's columns (`strict` is false).
///
/// # Errors
/// [`HarnessError::Definition`] with the nearest column.
pub fn check(definition: &Definition, table: &Table, strict: bool) -> Result<(), HarnessError> {
    definition.panel.iter().try_for_each(|spec| Rows::new(definition, table, spec, strict).map(|_| ()))
}

/// What was measured, in one line: keys, filters, probes, run.
fn caption(definition: &Definition, table: &Table, manifest: &Manifest) -> String {
    let range = |column: &str| {
        let values: Vec<f64> =
            table.rows.iter().filter_map(|row| table.number(row, column)).filter(|value| *value > 0.0).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        match values.is_empty() {
            true => None,
            false if least == most => Some(short(least)),
            false => Some(format!("{} to {}", short(least), short(most))),
        }
    };
    let mut parts = Vec::new();
    let studied = table.rows.iter().all(|row| crate::studies::Study::find(table.cell(row, "model")).is_ok());
    let repeated = if studied { "repetitions" } else { "filters" };
    for (column, what) in [("keys", "n"), ("filters", repeated), ("probes", "probes")] {
        if let Some(range) = range(column) {
            parts.push(if what == "n" { format!("n = {range} keys") } else { format!("{range} {what}") });
        }
    }
    let shown = |spec: &PanelSpec| {
        let low = format!("{}_low", spec.y);
        spec.kind != PanelKind::Histogram && table.rows.iter().any(|row| !table.cell(row, &low).is_empty())
    };
    let intervals = if definition.panel.iter().any(shown) { " 95 % intervals;" } else { "" };
    let parts = parts.join(", ").replace("1 repetitions", "1 repetition");
    format!("{parts} a point;{intervals} run {}", manifest.run)
}

/// A count with few digits.
fn short(value: f64) -> String {
    match value {
        _ if value >= 1e6 => format!("{:.3e}", value)
            .replace(".000e", "e")
            .replace('e', " × 10^")
            .replace("10^6", "10⁶")
            .replace("10^7", "10⁷")
            .replace("10^8", "10⁸")
            .replace("10^9", "10⁹")
            .replace("10^10", "10¹⁰"),
        _ => format!("{value}"),
    }
}

/// Between the cells that name a series: cells have commas of their own.
const BETWEEN: &str = "\u{1f}";

/// The rows of a panel and its series.
struct Rows<'a> {
    spec: &'a PanelSpec,
    table: &'a Table,
    rows: Vec<&'a [String]>,
    /// The series' names, in the order of their first row.
    series: Vec<String>,
    /// The names along x, for dots.
    names: Vec<String>,
}

impl<'a> Rows<'a> {
    fn new(definition: &Definition, table: &'a Table, spec: &'a PanelSpec, strict: bool) -> Result<Self, HarnessError> {
        let rows: Vec<&[String]> = table
            .rows
            .iter()
            .map(Vec::as_slice)
            .filter(|row| {
                let measure = table.cell(row, "measure");
                let shown = measure == spec.measure || spec.also.iter().any(|also| also == measure);
                shown && spec.only.iter().all(|(name, value)| table.cell(row, name) == value.to_string())
            })
            .collect();
        let computed = ["rate", "share", "realised_rate", "filters"];
        let theory = spec.lines.iter().map(|line| &line.column).chain(&spec.over).chain(&spec.ring_at);
        let columns = [&spec.x, &spec.y].into_iter().chain(&spec.series).chain(&spec.ratio_to);
        for column in columns.chain(theory.filter(|_| strict)) {
            let known = table.columns.iter().any(|name| name == column);
            let known = known || (spec.kind == PanelKind::Histogram && computed.contains(&column.as_str()));
            if !known {
                let near = crate::error::nearest(column, table.columns.iter().map(String::as_str)).unwrap_or("none");
                return Err(definition.fault(column, &format!("no column `{column}`, nearest is `{near}`")));
            }
        }
        let mut held = Self { spec, table, rows, series: Vec::new(), names: Vec::new() };
        for row in &held.rows {
            let name = held.name_of(row);
            if !held.series.contains(&name) {
                held.series.push(name);
            }
            let x = table.cell(row, &spec.x).to_owned();
            if spec.kind == PanelKind::Dots && !held.names.contains(&x) {
                held.names.push(x);
            }
        }
        Ok(held)
    }

    /// Whether no point was measured.
    fn is_empty(&self) -> bool {
        match self.spec.kind {
            PanelKind::Histogram => self.rows.iter().all(|row| values(self, row).is_empty()),
            PanelKind::Curve | PanelKind::Dots => self.rows.iter().all(|row| self.point(row, None).is_none()),
        }
    }

    fn name_of(&self, row: &[String]) -> String {
        let cells: Vec<&str> = self.spec.series.iter().map(|column| self.table.cell(row, column)).collect();
        cells.join(BETWEEN)
    }

    fn of<'b>(&'b self, series: &'b str) -> impl Iterator<Item = &'b [String]> + 'b {
        self.rows.iter().copied().filter(move |row| self.name_of(row) == series)
    }

    fn x(&self, row: &[String]) -> Option<f64> {
        if self.spec.kind == PanelKind::Dots {
            let name = self.table.cell(row, &self.spec.x);
            return self.names.iter().position(|known| known == name).map(|index| index as f64);
        }
        self.table.number(row, &self.spec.x)
    }

    /// A column's value as the panel shows it: over another column, as an excess.
    fn scaled(&self, row: &[String], value: f64) -> Option<f64> {
        let over = match &self.spec.over {
            Some(column) => value / self.table.number(row, column)?,
            None => value,
        };
        Some(if self.spec.excess { over - 1.0 } else { over }).filter(|value| value.is_finite())
    }

    /// The style of a series: its id where it has one, a number otherwise.
    fn key(&self, series: &str, book: &StyleBook) -> StyleKey {
        if self.has_style(series, book) {
            return StyleKey::from(series);
        }
        StyleKey::from(self.spec.first_style + self.series.iter().position(|known| known == series).unwrap_or(0))
    }

    /// Reductions and workloads have names that are also those of hash families, but no styles.
    fn has_style(&self, series: &str, book: &StyleBook) -> bool {
        let styled = matches!(self.spec.series.as_slice(), [column] if ["contender", "family", "scheme"].contains(&column.as_str()));
        styled && book.get(series).is_ok()
    }

    /// What the legend calls a series.
    fn label(&self, series: &str, book: &StyleBook) -> String {
        if let (true, Ok(style)) = (self.has_style(series, book), book.get(series)) {
            return style.label.clone();
        }
        match self.spec.series.as_slice() {
            [_, second] if second == "workload" => {
                let (first, workload) = series.split_once(BETWEEN).unwrap_or((series, ""));
                let first = book.get(first).map_or_else(|_| first.to_owned(), |style| style.label.clone());
                match workload {
                    "random" => format!("{first}, integers"),
                    "bytes-40" => format!("{first}, 40-byte keys"),
                    other => format!("{first}, {other}"),
                }
            }
            columns => {
                let cells = series.split(BETWEEN);
                let named = columns.iter().zip(cells).map(|(column, cell)| with_name(column, cell));
                named.collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn tooltip(&self, row: &[String]) -> String {
        let mut words = vec![self.name_of(row).replace(BETWEEN, ", ")];
        for column in ["keys", "m", "k", "fpr", "fpr_low", "fpr_high", "predicted_fpr", "probes", "min_ns", "verdict"] {
            let cell = self.table.cell(row, column);
            if !cell.is_empty() {
                words.push(format!("{column} {cell}"));
            }
        }
        words.join(", ")
    }

    /// An interval that reaches 0 has no end on an axis of ratios: as good as nothing seen.
    fn reaches_zero(&self, row: &[String]) -> bool {
        let cell = |column: &str| self.table.number(row, column);
        let low = cell(&format!("{}_low", self.spec.y)).is_some_and(|low| low <= 0.0);
        low && cell(&self.spec.y).is_some_and(|y| y > 0.0) && self.spec.y_axis.scale != ScaleSpec::Linear
    }

    fn point(&self, row: &[String], denominator: Option<&str>) -> Option<Point> {
        let (x, y) = (self.x(row)?, self.table.number(row, &self.spec.y)?);
        let ends = ["low", "high"].map(|end| format!("{}_{end}", self.spec.y));
        let interval = ends.iter().all(|column| !self.table.cell(row, column).is_empty());
        let bound = |column: &str| if interval { self.table.number(row, column) } else { Some(y) };
        let shown = |value: f64| match denominator {
            Some(column) => self.table.number(row, column).map(|under| value / under).filter(|value| value.is_finite()),
            None => self.scaled(row, value),
        };
        let (low, high) = (shown(bound(&ends[0])?)?, shown(bound(&ends[1])?)?);
        if denominator.is_none() && self.reaches_zero(row) {
            return None;
        }
        let ring = self.spec.ring_at.as_ref().and_then(|column| self.table.number(row, column)) == Some(x)
            && self.spec.ring_at.is_some();
        // Nothing seen is an upper limit, where zero has no place on the axis.
        let zero_shows = self.spec.y_axis.scale == ScaleSpec::Linear && self.spec.y != "fpr";
        let point = match y > 0.0 || !interval || self.spec.excess || zero_shows {
            true => Point::new(x, shown(y)?, low, high),
            // A mean of nothing but zeros has no upper limit either.
            false if high <= 0.0 => return None,
            false => Point::at_most(x, high),
        };
        let index = self.table.rows.iter().position(|known| std::ptr::eq(known.as_slice(), row));
        let point = Point { row: index, ..point };
        Some(point.tooltip(self.tooltip(row)).ringed(ring))
    }
}

/// A number with the name of its column; names stand for themselves.
fn with_name(column: &str, cell: &str) -> String {
    match column {
        _ if cell.parse::<f64>().is_err() => cell.to_owned(),
        "bits_per_key" => format!("{cell} bits/key"),
        "key_bytes" => format!("{cell} bytes"),
        "counter_bits" | "width" => format!("{cell}-bit counters"),
        "regions" => format!("{cell} regions"),
        name => format!("{name} = {cell}"),
    }
}

fn axis(spec: &AxisSpec) -> Axis {
    let mut axis = match spec.scale {
        ScaleSpec::Linear => Axis::linear(&spec.label),
        ScaleSpec::Log => Axis::log10(&spec.label),
        ScaleSpec::Log2 => Axis::log2(&spec.label),
    };
    if let Some(unit) = &spec.unit {
        axis = axis.unit(unit);
    }
    if let Some((low, high)) = spec.range {
        axis = axis.range(low, high);
    }
    if spec.percent {
        axis = axis.percent();
    }
    if spec.integers {
        axis = axis.integers();
    }
    axis
}

fn curve(rows: &Rows<'_>, book: &StyleBook) -> Panel {
    let spec = rows.spec;
    let x = match spec.kind {
        PanelKind::Dots => Axis::categories(&spec.x_axis.label, rows.names.clone()),
        _ => axis(&spec.x_axis),
    };
    let mut panel = Panel::new(x, axis(&spec.y_axis)).title(&spec.title);
    if spec.dodged || spec.kind == PanelKind::Dots {
        panel = panel.dodged();
    }
    if spec.transposed {
        panel = panel.transposed();
    }
    for note in &spec.notes {
        panel = panel.note(note);
    }
    let labels_at_end = spec.lines.iter().any(|line| line.per_series && line.at_end);
    for line in &spec.lines {
        for series in lines(rows, line, book) {
            panel = panel.series(series);
        }
    }
    for name in &rows.series {
        let points: Vec<Point> = rows.of(name).filter_map(|row| rows.point(row, None)).collect();
        if points.is_empty() {
            // Nothing disappears without a word.
            panel = panel.note(format!("No data to draw: {}.", rows.label(name, book)));
            continue;
        }
        let key = rows.key(name, book);
        let series = if spec.joined { Series::joined(key, points) } else { Series::points(key, points) };
        let series = series.label(rows.label(name, book));
        panel = panel.series(if labels_at_end { series.unlisted() } else { series });
    }
    if spec.frontier {
        panel = panel.series(overlay::frontier_line(rows));
    }
    let at_zero = rows.rows.iter().filter(|row| rows.reaches_zero(row)).count();
    if at_zero > 0 {
        panel = panel.note(format!("Not drawn: {at_zero} points seen too rarely, their intervals reach 0."));
    }
    let Some(column) = &spec.ratio_to else { return panel };
    // A ratio of a handful of events says nothing that fits an axis around 1.
    let few = |row: &&[String]| rows.table.number(row, "false_positives").is_some_and(|hits| hits < 20.0);
    let shown: Vec<(&String, Vec<Point>)> = rows
        .series
        .iter()
        .map(|name| {
            (name, rows.of(name).filter(|row| !few(row)).filter_map(|row| rows.point(row, Some(column))).collect())
        })
        .filter(|(_, points): &(&String, Vec<Point>)| !points.is_empty())
        .collect();
    if shown.is_empty() {
        return panel;
    }
    let left_out = rows.rows.iter().filter(|row| few(row)).count();
    if left_out > 0 {
        panel = panel.note(format!("Ratio: {left_out} points with fewer than 20 false positives are left out."));
    }
    panel.beneath(Axis::linear("measured / theory"), |lower| {
        let lower = if spec.dodged { lower.dodged() } else { lower };
        let mut lower = lower.reference(Reference::y(1.0, "").styled("bloom-formula").dashed(Dash::Solid));
        for (name, points) in shown {
            lower = lower.series(Series::points(rows.key(name, book), points).label(rows.label(name, book)));
        }
        lower
    })
}

/// The lines of a column: one for each series, or one for the panel.
fn lines(rows: &Rows<'_>, line: &LineSpec, book: &StyleBook) -> Vec<Series> {
    let value = |row: &[String]| {
        let value = rows.table.number(row, &line.column)?;
        // A rate of 0 has no place on a log axis: there is no line to draw.
        let log = rows.spec.y_axis.scale != ScaleSpec::Linear;
        Some((rows.x(row)?, rows.scaled(row, value).filter(|y| *y > 0.0 || !log)?))
    };
    if rows.spec.kind == PanelKind::Dots {
        return floors(rows, line);
    }
    if !line.per_series {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for row in &rows.rows {
            if let Some((x, y)) = value(row)
                && !points.iter().any(|(known, _)| *known == x)
            {
                points.push((x, y));
            }
        }
        points.sort_by(|left, right| left.0.total_cmp(&right.0));
        let key = line.style.as_deref().unwrap_or("bloom-formula");
        let series = Series::line(key, points);
        let series = if let Some(label) = &line.label { series.label(label) } else { series };
        let series = if line.dashed { series.dash(Dash::Dashed) } else { series };
        return vec![if line.at_end { series.label_at_end() } else { series }];
    }
    rows.series
        .iter()
        .filter_map(|name| {
            let mut points: Vec<(f64, f64)> = rows.of(name).filter_map(value).collect();
            points.sort_by(|left, right| left.0.total_cmp(&right.0));
            (!points.is_empty()).then(|| {
                let series = Series::line(rows.key(name, book), points).label(rows.label(name, book));
                // Of two lines of one series, the pattern tells which is which; the panel's notes name the dashed one.
                let series = match (line.dashed, rows.spec.lines.iter().any(|line| line.per_series && line.dashed)) {
                    (true, _) => series.dash(Dash::ShortDash).unlisted(),
                    (false, true) => series.dash(Dash::Solid),
                    (false, false) => series,
                };
                if line.at_end { series.label_at_end().unlisted() } else { series }
            })
        })
        .collect()
}

/// Theory over names: a short line across each name's place.
fn floors(rows: &Rows<'_>, line: &LineSpec) -> Vec<Series> {
    let label = line.label.clone().unwrap_or_else(|| line.column.clone());
    let (count, mut all) = (rows.series.len().max(1) as f64, Vec::new());
    for (index, name) in rows.series.iter().enumerate() {
        for row in rows.of(name) {
            let value = rows.table.number(row, &line.column).and_then(|value| rows.scaled(row, value));
            let (Some(x), Some(y)) = (rows.x(row), value) else { continue };
            // Where the dodged point of this series stands.
            let middle = x + ((index as f64 + 0.5) / count - 0.5) * 0.6;
            let half = 0.45 / count;
            let series = Series::line("bloom-formula", vec![(middle - half, y), (middle + half, y)]).dash(Dash::Solid);
            all.push(series.label(label.clone()));
        }
    }
    all
}

/// A value and its weight.
type Weighted = (f64, f64);

/// The values of a histogram's row: rates of single keys, or of single filters relative to the expectation.
fn values(rows: &Rows<'_>, row: &[String]) -> Vec<Weighted> {
    let table = rows.table;
    if table.cell(row, "histogram").is_empty() {
        let rates = table.cell(row, "relative_rates").split(' ').filter_map(|rate| rate.parse().ok());
        return rates.map(|rate| (rate, 1.0)).collect();
    }
    let filters = table.number(row, "filters").unwrap_or(1.0);
    let pairs = table.cell(row, "histogram").split(' ').filter_map(|pair| pair.split_once(':'));
    let pairs = pairs.filter_map(|(hits, keys)| Some((hits.parse::<f64>().ok()? / filters, keys.parse::<f64>().ok()?)));
    let pairs: Vec<Weighted> = pairs.collect();
    let keys: f64 = pairs.iter().map(|(_, keys)| keys).sum();
    pairs.into_iter().map(|(rate, count)| (rate, count / keys)).collect()
}

/// Bins of a histogram.
const BINS: usize = 40;

fn histogram(rows: &Rows<'_>, book: &StyleBook) -> Panel {
    let spec = rows.spec;
    let mut panel = Panel::new(axis(&spec.x_axis), axis(&spec.y_axis)).title(&spec.title);
    let all: Vec<(&String, &[String], Vec<Weighted>)> = rows
        .series
        .iter()
        .flat_map(|name| rows.of(name).map(move |row| (name, row)))
        .map(|(name, row)| (name, row, values(rows, row)))
        .filter(|(_, _, values)| !values.is_empty())
        .collect();
    // One grid for all series, or their heights could not be compared.
    let inside = all.iter().flat_map(|(_, _, values)| values).map(|(value, _)| *value);
    let (low, high) = match spec.x_axis.range {
        Some(range) => range,
        None => inside.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value))),
    };
    let width = ((high - low) / BINS as f64).max(low.abs().max(1e-9) * 1e-9);
    for (name, row, values) in all {
        let mut counts = vec![0.0; BINS];
        for (value, weight) in values {
            if (low..=low + width * BINS as f64).contains(&value) {
                counts[(((value - low) / width) as usize).min(BINS - 1)] += weight;
            }
        }
        let edge = |index: usize| low + width * index as f64;
        let bins = counts.into_iter().enumerate().map(|(index, count)| (edge(index), edge(index + 1), count)).collect();
        panel = panel.series(Series::histogram(rows.key(name, book), bins).label(rows.label(name, book)));
        for line in &spec.lines {
            // The line's column holds pairs of x and expected density; a bin's height is density times width.
            let pairs = rows.table.cell(row, &line.column).split(' ').filter_map(|pair| pair.split_once(':'));
            let curve = pairs.filter_map(|(x, density)| Some((x.parse().ok()?, density.parse::<f64>().ok()? * width)));
            let curve: Vec<(f64, f64)> = curve.filter(|(x, _)| (low..=high).contains(x)).collect();
            if !curve.is_empty() {
                panel = panel.series(Series::line(rows.key(name, book), curve).label(rows.label(name, book)));
            }
        }
    }
    panel
}
