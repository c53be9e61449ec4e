//! Tables of the report that belong to no single experiment: popular claims, and what each filter can do.

use maud::{Markup, html};

use super::readable;
use crate::features::FEATURES;
use crate::table::Table;

/// Claimed, right and measured numbers; each measured one with its row.
pub(super) fn claims(table: &Table) -> Markup {
    let wrong = table.rows.iter().filter(|row| table.cell(row, "claim_is") == "wrong").count();
    html! {
        h2 id="claims-checked" { "Popular claims" }
        p { "Of " (table.rows.len()) " numbers that are often quoted " (wrong) " are wrong: the right value, rounded to the digits claimed, is
            another. Right values are computed, measured ones are cells of the tables named beside them, with their 95 % interval." }
        div.scroll { table {
            tr { th { "claim" } th { "claimed" } th { "right" } th { "measured" } th { "between" } th { "claim is" } th.text { "from" } }
            @for row in &table.rows {
                @let cell = |name| table.cell(row, name);
                tr {
                    td.wide { (cell("says")) }
                    td { (cell("claimed")) } td { (digits(cell("right"))) } td { (digits(cell("measured"))) }
                    td { @if !cell("low").is_empty() { (digits(cell("low"))) " to " (digits(cell("high"))) } }
                    td.off[cell("claim_is") == "wrong"] { (cell("claim_is")) }
                    td.text.wide { (cell("measured_from")) }
                }
            }
        } }
        p.dim { "Derived data: " code { "derived/claims-checked.csv" } "; claims: " code { "experiments/claims.toml" } }
    }
}

/// Yes and no, with the laws behind each feature beneath; a no of a law that was tried says what it found.
pub(super) fn features(table: &Table) -> Markup {
    let answer = |cell: &str| if cell.starts_with("yes") { "yes" } else { "no" };
    html! {
        h2 id="feature-matrix" { "What each filter can do" }
        p { "An answer comes from the traits of the filter's type and from laws that it was held to; point at a cell for them." }
        div.scroll { table {
            tr { th { "contender" } @for feature in FEATURES { th title=(feature.meaning) { (feature.name.replace('_', " ")) } } }
            @for row in &table.rows {
                tr {
                    td { (table.cell(row, "contender")) }
                    @for feature in FEATURES {
                        @let cell = table.cell(row, feature.name);
                        td.off[cell.contains(" broken: ")] title=(cell) { (answer(cell)) }
                    }
                }
            }
        } }
        ul { @for feature in FEATURES { li {
            b { (feature.name.replace('_', " ")) } ": " (feature.meaning) ". "
            @for found in distinct(table, feature.name) { (found) ". " }
        } } }
        p.dim { "Derived data: " code { "derived/feature-matrix.csv" } }
    }
}

/// The cells of a column, each once.
fn distinct<'a>(table: &'a Table, column: &str) -> Vec<&'a str> {
    let mut cells: Vec<&str> = table.rows.iter().map(|row| table.cell(row, column)).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Six significant digits of a long number; whole ones as they are.
fn digits(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(value) if cell.len() > 7 && value.fract() != 0.0 => crate::cli::output::rounded(value, 6),
        _ => readable(cell),
    }
}
