//! `tables.toml`: the tables of the paper, for its pages and as booktabs for authors who write LaTeX.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Result, anyhow};
use experiments::numbers::{CellOf, Tables, Take};
use experiments::spec::Factors;
use serde::{Deserialize, Serialize};

use crate::shown::{As, Digits, Shown};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Plan {
    /// The heading of the labels.
    of: String,
    columns: Vec<Column>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Column {
    title: String,
    experiment: String,
    #[serde(default)]
    only: Factors,
    column: String,
    #[serde(default)]
    take: Take,
    #[serde(default, rename = "as")]
    style: As,
    decimals: usize,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    label: String,
    only: Factors,
    /// Titles of columns that this row has no cell in, for a reason that the text gives.
    #[serde(default)]
    without: Vec<String>,
}

/// A table as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Its name.
    pub id: String,
    /// Headings: of the labels, then of each column.
    pub titles: Vec<String>,
    /// Labels.
    pub labels: Vec<String>,
    /// Cells by row; none where there is nothing to be said.
    pub cells: Vec<Vec<Option<Shown>>>,
}

/// All tables, from this results folder.
///
/// # Errors
/// All cells that cannot be, or were not measured, each with its table and row.
pub fn all(results: &Path) -> Result<Vec<Written>> {
    parsed(&crate::file("tables.toml")?, results)
}

fn parsed(text: &str, results: &Path) -> Result<Vec<Written>> {
    let plans: BTreeMap<String, Plan> = toml::from_str(text).map_err(|error| anyhow!("tables.toml: {error}"))?;
    let mut tables = Tables::new(results)?;
    crate::all_or_errors(plans.into_iter().map(|(id, plan)| {
        let rows = plan.rows.iter().map(|row| {
            let cells = plan.columns.iter().map(|column| {
                if row.without.contains(&column.title) {
                    return Ok(None);
                }
                let wrong =
                    |why: String| anyhow!("tables.toml: `{id}`, row {}, column {}: {why}", row.label, column.title);
                let mut only = row.only.clone();
                only.extend(column.only.clone());
                let of = CellOf {
                    experiment: column.experiment.clone(),
                    only,
                    column: column.column.clone(),
                    take: column.take,
                };
                let number = tables.cell(&of).map_err(wrong)?.map_err(wrong)?;
                Ok(Some(Shown::new(number.value, column.style, Digits::Decimals(column.decimals))))
            });
            crate::all_or_errors(cells.collect::<Vec<_>>())
        });
        let cells = crate::all_or_errors(rows.collect::<Vec<_>>())?;
        let titles =
            [plan.of.clone()].into_iter().chain(plan.columns.iter().map(|column| column.title.clone())).collect();
        let labels = plan.rows.iter().map(|row| row.label.clone()).collect();
        Ok(Written { id, titles, labels, cells })
    }))
}

impl Written {
    /// The table as LaTeX with the rules of `booktabs`.
    #[must_use]
    pub fn latex(&self) -> String {
        let mut out = format!("\\begin{{tabular}}{{l{}}}\n\\toprule\n", "r".repeat(self.titles.len() - 1));
        let line = |cells: &[String]| format!("{} \\\\\n", cells.join(" & "));
        out += &line(&self.titles.iter().map(|title| escaped(title)).collect::<Vec<_>>());
        out += "\\midrule\n";
        for (label, cells) in self.labels.iter().zip(&self.cells) {
            let cells = cells.iter().map(|cell| cell.as_ref().map_or_else(|| "--".to_owned(), Shown::latex));
            out += &line(&[escaped(label)].into_iter().chain(cells).collect::<Vec<_>>());
        }
        let _ = write!(out, "\\bottomrule\n\\end{{tabular}}\n");
        out
    }
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, next| {
        if matches!(next, '%' | '&' | '_' | '#' | '$' | '{' | '}') {
            out.push('\\');
        }
        out.push(next);
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latex_has_its_rules_and_escapes() {
        let one = Shown::new(0.012, As::Percent, Digits::Decimals(1));
        let table = Written {
            id: "t".to_owned(),
            titles: vec!["filter".to_owned(), "at 1 %".to_owned()],
            labels: vec!["a_b".to_owned(), "c".to_owned()],
            cells: vec![vec![Some(one)], vec![None]],
        };
        let expected = "\\begin{tabular}{lr}\n\\toprule\nfilter & at 1 \\% \\\\\n\\midrule\na\\_b & $1.2\\,\\%$ \\\\\nc & -- \\\\\n\
                        \\bottomrule\n\\end{tabular}\n";
        assert_eq!(table.latex(), expected);
    }

    #[test]
    fn a_cell_that_was_not_measured_is_named() {
        let text = "[t]\nof = \"filter\"\ncolumns = [{ title = \"x\", experiment = \"overhead\", column = \"overhead\", decimals = 2 }]\n\
                    rows = [{ label = \"Bloom\", only = { contender = \"standard\" } }]\n";
        let error = parsed(text, Path::new("no-such-folder")).unwrap_err().to_string();
        assert_eq!(error, "tables.toml: `t`, row Bloom, column x: not measured: experiments run overhead");
    }
}
