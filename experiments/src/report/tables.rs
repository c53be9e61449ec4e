//! Tables of the report that belong to no single experiment: popular claims, and what each filter can do.

use maud::{Markup, html};

use super::data;
use crate::features::FEATURES;
use crate::table::Table;

fn head(columns: &[(&str, &str)]) -> Vec<(String, String)> {
    columns.iter().map(|(column, title)| ((*column).to_owned(), (*title).to_owned())).collect()
}

/// Claimed, right and measured numbers; each measured one with its row.
pub(super) fn claims(table: &Table) -> Markup {
    let id = crate::claims::ID;
    let wrong = table.rows.iter().filter(|row| table.cell(row, "claim_is") == "wrong").count();
    let head = head(&[
        ("says", "claim"),
        ("claimed", "claimed"),
        ("right", "right"),
        ("measured", "measured"),
        ("low", "between"),
        ("claim_is", "claim is"),
        ("measured_from", "from"),
    ]);
    let rows = table.rows.iter().map(|row| {
        let cell = |name| table.cell(row, name);
        html! { tr {
            td.wide { (cell("says")) }
            td { (cell("claimed")) } td { (digits(cell("right"))) } td { (digits(cell("measured"))) }
            td { @if !cell("low").is_empty() { (digits(cell("low"))) " to " (digits(cell("high"))) } }
            td.off[cell("claim_is") == "wrong"] { (cell("claim_is")) }
            td.text.wide { (cell("measured_from")) }
        } }
    });
    html! {
        section {
            h2 id=(id) { "Popular claims" }
            p { "Of " (table.rows.len()) " numbers that are often quoted " (wrong) " are wrong: the right value, rounded to the digits
                claimed, is another. Right values are computed, measured ones are cells of the tables named beside them, with their 95 %
                interval." }
            (super::table(id, &head, rows))
            (data::embedded(id, table))
            p.dim { "Derived data: " a href={ "derived/" (id) ".csv" } { "derived/" (id) ".csv" } "; claims: " code { "experiments/claims.toml" } }
        }
    }
}

/// Yes and no, with the laws behind each feature beneath; a no of a law that was tried says what it found.
pub(super) fn features(table: &Table) -> Markup {
    let id = crate::features::ID;
    let answer = |cell: &str| if cell.starts_with("yes") { "yes" } else { "no" };
    let mut head = head(&[("contender", "contender")]);
    head.extend(FEATURES.map(|feature| (feature.name.to_owned(), feature.name.replace('_', " "))));
    let rows = table.rows.iter().map(|row| {
        html! { tr {
            td { (table.cell(row, "contender")) }
            @for feature in FEATURES {
                @let cell = table.cell(row, feature.name);
                td.off[cell.contains(" broken: ")] title=(cell) { (answer(cell)) }
            }
        } }
    });
    html! {
        section {
            h2 id=(id) { "What each filter can do" }
            p { "An answer comes from the traits of the filter's type and from laws that it was held to; point at a cell for them." }
            (super::table(id, &head, rows))
            ul { @for feature in FEATURES { li {
                b { (feature.name.replace('_', " ")) } ": " (feature.meaning) ". "
                @for found in distinct(table, feature.name) { (found) ". " }
            } } }
            (data::embedded(id, table))
            p.dim { "Derived data: " a href={ "derived/" (id) ".csv" } { "derived/" (id) ".csv" } }
        }
    }
}

/// The cells of a column, each once.
fn distinct<'a>(table: &'a Table, column: &str) -> Vec<&'a str> {
    let mut cells: Vec<&str> = table.rows.iter().map(|row| table.cell(row, column)).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Six significant digits of a long number; others as they are.
fn digits(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(value) if cell.len() > 7 && value.fract() != 0.0 => crate::cli::output::rounded(value, 6),
        Ok(value) if cell.len() > 9 && value != 0.0 && value.abs() < 1e-3 => format!("{value:.3e}"),
        _ => cell.to_owned(),
    }
}
