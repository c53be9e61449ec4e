//! The paper is prose by hand in `main.typ`. Its numbers are named in `values.toml`, its tables in `tables.toml`, its
//! figures are those of experiments; all of them are read from a results folder, none is typed. [`prose`] finds a number that is.

#![forbid(unsafe_code)]

pub mod prose;
pub mod shown;
pub mod tables;
pub mod values;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use experiments::Registry;

/// The committed results that the paper is about.
#[must_use]
pub fn reference() -> PathBuf {
    workspace().join("results/reference")
}

/// The top of the workspace.
#[must_use]
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1).take(1).collect()
}

/// What the prose reads: `numbers` and `tables`, as JSON.
///
/// # Errors
/// A number or a table that the results folder does not give, with the command that measures it.
pub fn data(results: &Path) -> Result<String> {
    let registry = Registry::workspace();
    let values = values::all(&registry, results)?;
    let tables = tables::all(results)?;
    let numbers: serde_json::Map<String, serde_json::Value> = values
        .iter()
        .map(|value| Ok((value.id.clone(), serde_json::to_value(&value.shown)?)))
        .collect::<Result<_>>()?;
    let tables: serde_json::Map<String, serde_json::Value> =
        tables.iter().map(|table| Ok((table.id.clone(), serde_json::to_value(table)?))).collect::<Result<_>>()?;
    Ok(serde_json::to_string_pretty(&serde_json::json!({ "numbers": numbers, "tables": tables }))?)
}

/// Reads a file of the paper.
fn file(name: &str) -> Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).with_context(|| format!("paper/{name} cannot be read"))
}

/// All of these or the errors of all that are none, each on a line.
fn all_or_errors<T>(results: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => good.push(value),
            Err(error) => bad.push(format!("{error:#}")),
        }
    }
    if bad.is_empty() { Ok(good) } else { bail!("{}", bad.join("\n")) }
}
