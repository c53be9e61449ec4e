//! Tables on stdout: for reading, as CSV, as JSON.

use std::io::IsTerminal;

use clap::ValueEnum;
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, ContentArrangement};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::cli::emit;
use crate::error::HarnessError;

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading
    #[default]
    Table,
    /// The same in one piece however wide, for a Markdown page
    Markdown,
    /// Comma-separated, full precision; an empty cell was not measured
    Csv,
    /// An array of objects, full precision; null was not measured
    Json,
}

/// A value in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Not measured, or without a value.
    Empty,
    /// A word.
    Text(String),
    /// A count.
    Integer(u64),
    /// A real number; not finite is the same as empty.
    Real(f64),
    /// JSON: text in CSV, nested in JSON.
    Json(Value),
}

impl Format {
    /// Whether it is for reading, with rounded numbers.
    #[must_use]
    pub fn is_for_reading(self) -> bool {
        matches!(self, Format::Table | Format::Markdown)
    }
}

impl Cell {
    /// A word.
    pub fn text(text: impl Into<String>) -> Self {
        Cell::Text(text.into())
    }

    /// A number that may be missing.
    pub fn maybe(value: Option<f64>) -> Self {
        value.map_or(Cell::Empty, Cell::Real)
    }

    /// A count that may be missing.
    pub fn maybe_count(value: Option<u64>) -> Self {
        value.map_or(Cell::Empty, Cell::Integer)
    }

    fn is_number(&self) -> bool {
        matches!(self, Cell::Integer(_) | Cell::Real(_))
    }

    /// With every digit: what is read back is the same number.
    fn full(&self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Text(text) => text.clone(),
            Cell::Integer(count) => count.to_string(),
            Cell::Real(real) => shortest(*real),
            Cell::Json(value) => value.to_string(),
        }
    }

    /// For reading, with so many significant digits.
    fn short(&self, digits: usize) -> String {
        match self {
            Cell::Real(real) => rounded(*real, digits),
            Cell::Json(Value::Object(map)) => {
                map.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
            }
            other => other.full(),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Empty => serializer.serialize_none(),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Integer(count) => serializer.serialize_u64(*count),
            Cell::Real(real) if !real.is_finite() => serializer.serialize_none(),
            Cell::Real(real) => match whole(*real) {
                Some(count) => serializer.serialize_i64(count),
                None => serializer.serialize_f64(*real),
            },
            Cell::Json(value) => value.serialize(serializer),
        }
    }
}

/// The number as an integer, where it is one that a real number names without doubt.
fn whole(real: f64) -> Option<i64> {
    (real.fract() == 0.0 && real.abs() <= 9_007_199_254_740_992.0).then_some(real as i64)
}

/// The shortest text that reads back as the same number; empty for what is not finite.
#[must_use]
pub fn shortest(real: f64) -> String {
    if !real.is_finite() {
        return String::new();
    }
    match whole(real) {
        Some(count) => count.to_string(),
        None if (1e-5..1e17).contains(&real.abs()) => real.to_string(),
        None => format!("{real:e}"),
    }
}

/// At most `digits` significant digits, for reading.
#[must_use]
pub fn rounded(real: f64, digits: usize) -> String {
    if !real.is_finite() {
        return String::new();
    }
    let text = format!("{real:.*e}", digits.saturating_sub(1));
    shortest(text.parse().unwrap_or(real))
}

/// Rows under named columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: &'static [&'static str],
    rows: Vec<Vec<Cell>>,
}

struct Row<'a>(&'a [&'static str], &'a [Cell]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, cell) in self.0.iter().zip(self.1) {
            map.serialize_entry(name, cell)?;
        }
        map.end()
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.rows.len()))?;
        for row in &self.rows {
            sequence.serialize_element(&Row(self.columns, row))?;
        }
        sequence.end()
    }
}

impl Table {
    /// No rows yet.
    #[must_use]
    pub fn new(columns: &'static [&'static str]) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub fn push(&mut self, mut row: Vec<Cell>) {
        row.resize(self.columns.len(), Cell::Empty);
        self.rows.push(row);
    }

    /// Writes to stdout, in one piece unless a terminal is too narrow. `digits` are the significant ones of the form for reading, all if not given.
    ///
    /// # Errors
    /// [`HarnessError`] when it cannot be written.
    pub fn print(&self, format: Format, digits: Option<usize>) -> Result<(), HarnessError> {
        match format {
            Format::Table => emit(self.for_reading(digits, width()).as_bytes()),
            Format::Markdown => emit(self.for_reading(digits, usize::MAX).as_bytes()),
            Format::Csv => emit(&self.csv().map_err(|error| HarnessError::Failed(format!("CSV: {error}")))?),
            Format::Json => {
                let json = serde_json::to_string_pretty(self);
                let text = json.map_err(|error| HarnessError::Failed(format!("JSON: {error}")))?;
                emit(format!("{text}\n").as_bytes())
            }
        }
    }

    fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns)?;
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::full))?;
        }
        writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
    }

    /// One line for each row. A table wider than `width` goes on below, each part with the first column.
    fn for_reading(&self, digits: Option<usize>, width: usize) -> String {
        let text = |cell: &Cell| digits.map_or_else(|| cell.full(), |digits| cell.short(digits));
        let texts: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(text).collect()).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let longest = texts.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
                longest.max(self.columns[column].len()) + 3
            })
            .collect();
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut used = 0;
        for column in 1..self.columns.len() {
            if parts.is_empty() || used + widths[column] > width {
                parts.push(vec![0]);
                used = 1 + widths[0];
            }
            if let Some(part) = parts.last_mut() {
                part.push(column);
            }
            used += widths[column];
        }
        let shown: Vec<String> = parts.iter().map(|part| self.part(part, &texts)).collect();
        shown.join("\n")
    }

    fn part(&self, columns: &[usize], texts: &[Vec<String>]) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(columns.iter().map(|column| self.columns[*column]));
        for row in texts {
            table.add_row(columns.iter().map(|column| row[*column].as_str()));
        }
        for (shown, column) in columns.iter().enumerate() {
            if self.rows.iter().any(|row| row[*column].is_number())
                && let Some(column) = table.column_mut(shown)
            {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{}\n", table.trim_fmt())
    }
}

/// Columns of the terminal, as the shell says, or 120; without limit where there is no terminal.
fn width() -> usize {
    if !std::io::stdout().is_terminal() {
        return usize::MAX;
    }
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|width| *width >= 40).unwrap_or(120)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(&["name", "rate", "count", "params"]);
        let params = serde_json::json!({"m": 64, "k": 3});
        table.push(vec![Cell::text("a, b"), Cell::Real(1.0 / 3.0), Cell::Integer(7), Cell::Json(params)]);
        table.push(vec![Cell::text("c"), Cell::Real(f64::INFINITY)]);
        table
    }

    #[test]
    fn csv_keeps_every_digit_and_leaves_missing_cells_empty() {
        let csv = String::from_utf8(sample().csv().unwrap()).unwrap();
        let expected = "name,rate,count,params\n\"a, b\",0.3333333333333333,7,\"{\"\"k\"\":3,\"\"m\"\":64}\"\nc,,,\n";
        assert_eq!(csv, expected);
    }

    #[test]
    fn json_keeps_the_order_of_columns_and_writes_null() {
        let json = serde_json::to_string(&sample()).unwrap();
        let first = r#"[{"name":"a, b","rate":0.3333333333333333,"count":7,"params":{"k":3,"m":64}},"#;
        assert_eq!(json, format!("{first}{}", r#"{"name":"c","rate":null,"count":null,"params":null}]"#));
    }

    #[test]
    fn a_wide_table_goes_on_below() {
        let wide = sample().for_reading(Some(3), 200);
        assert_eq!(wide.lines().count(), 4, "{wide}");
        assert!(wide.contains("0.333") && wide.contains("k=3 m=64"), "{wide}");
        let narrow = sample().for_reading(Some(3), 20);
        assert_eq!(narrow.matches("| name |").count(), 3, "{narrow}");
    }

    #[test]
    fn numbers_read_back_as_themselves() {
        for value in [0.0, 1.0, 0.1, 1e-300, 1.0 / 3.0, 9_585_088.0, 1e22, f64::MAX, 2f64.powi(60)] {
            assert_eq!(shortest(value).parse::<f64>().unwrap(), value);
        }
        assert_eq!(shortest(9_585_088.0), "9585088");
        assert_eq!(shortest(f64::NAN), "");
        assert_eq!(rounded(0.010_039_28, 4), "0.01004");
        assert_eq!(rounded(123_456.7, 4), "123500");
    }
}
