//! A table of text cells with named columns: derived data, written and read as CSV.

use std::path::Path;

use crate::error::HarnessError;

/// Columns by name, rows of cells; an empty cell is a value that there is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds a row given as pairs; columns that are new are added at the end, missing ones are empty.
    pub fn push(&mut self, pairs: impl IntoIterator<Item = (String, String)>) {
        let mut row = vec![String::new(); self.columns.len()];
        for (name, cell) in pairs {
            let index = self.columns.iter().position(|column| *column == name).unwrap_or_else(|| {
                self.columns.push(name);
                self.columns.len() - 1
            });
            row.resize(self.columns.len(), String::new());
            row[index] = cell;
        }
        for row in &mut self.rows {
            row.resize(self.columns.len(), String::new());
        }
        self.rows.push(row);
    }

    /// The cell of a row; empty for a column there is not.
    #[must_use]
    pub fn cell<'a>(&self, row: &'a [String], column: &str) -> &'a str {
        self.columns.iter().position(|name| name == column).and_then(|index| row.get(index)).map_or("", String::as_str)
    }

    /// The cell as a number, if it is one.
    #[must_use]
    pub fn number(&self, row: &[String], column: &str) -> Option<f64> {
        self.cell(row, column).parse().ok()
    }

    /// The table as CSV.
    ///
    /// # Errors
    /// [`HarnessError::Failed`] for what CSV cannot hold.
    pub fn to_csv(&self) -> Result<Vec<u8>, HarnessError> {
        let failed = |error: csv::Error| HarnessError::Failed(error.to_string());
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.columns).map_err(failed)?;
        for row in &self.rows {
            writer.write_record(row).map_err(failed)?;
        }
        writer.into_inner().map_err(|error| HarnessError::Failed(error.to_string()))
    }

    /// Reads a table.
    ///
    /// # Errors
    /// [`HarnessError::Io`], or [`HarnessError::Record`] for what is no table.
    pub fn read(path: &Path) -> Result<Self, HarnessError> {
        let content = std::fs::read(path).map_err(HarnessError::io(path, "cannot read"))?;
        Self::parse(&content).map_err(|error| HarnessError::Record { path: path.to_owned(), why: error.to_string() })
    }

    /// The table that is written so as CSV.
    ///
    /// # Errors
    /// [`csv::Error`] for what is no table.
    pub fn parse(content: &[u8]) -> Result<Self, csv::Error> {
        let mut reader = csv::Reader::from_reader(content);
        let columns = reader.headers()?.iter().map(ToOwned::to_owned).collect();
        let rows = reader
            .records()
            .map(|record| Ok(record?.iter().map(ToOwned::to_owned).collect()))
            .collect::<Result<_, csv::Error>>()?;
        Ok(Self { columns, rows })
    }
}

/// A number in its shortest exact form; empty for what is none.
#[must_use]
pub fn text(value: Option<f64>) -> String {
    match value {
        Some(value) if value.is_finite() && value != 0.0 && !(1e-4..1e15).contains(&value.abs()) => {
            format!("{value:e}")
        }
        Some(value) if value.is_finite() => format!("{value}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_other_columns_leave_cells_empty() {
        let mut table = Table::default();
        let pair = |name: &str, cell: &str| (name.to_owned(), cell.to_owned());
        table.push([pair("a", "1")]);
        table.push([pair("b", "2"), pair("a", "3")]);
        assert_eq!(table.to_csv().unwrap(), b"a,b\n1,\n3,2\n");
        assert_eq!(table.number(&table.rows[1], "b"), Some(2.0));
        assert_eq!(table.cell(&table.rows[0], "c"), "");
    }

    #[test]
    fn numbers_are_exact_and_nothing_is_not_zero() {
        assert_eq!(text(Some(1e-9)), "1e-9");
        assert_eq!(text(Some(0.1)), "0.1");
        assert_eq!(text(Some(0.0)), "0");
        assert_eq!(text(Some(f64::NAN)), "");
        assert_eq!(text(None), "");
    }
}
