//! The section of an experiment: question, figure, reading, definition, table, verdicts, files.

use maud::{Markup, PreEscaped, html};

use super::Drawn;
use crate::gaps::Gap;
use crate::pipeline::Derived;
use crate::spec::PanelKind;
use crate::table::Table;
use crate::verdict::Verdict;

/// What tables call columns; others are called by their name.
const TITLES: [(&str, &str); 13] = [
    ("keys", "n"),
    ("fpr", "rate"),
    ("fpr_low", "from"),
    ("fpr_high", "to"),
    ("predicted_fpr", "theory"),
    ("false_positives", "false pos."),
    ("detectable", "effect seen"),
    ("min_ns", "ns"),
    ("median_ns", "median ns"),
    ("bits_per_key", "bits/key"),
    ("fingerprint_bits", "f"),
    ("target_fpr", "rate asked"),
    ("explanation", "explained by"),
];
/// Columns that name a point, before its numbers.
const NAMES: [&str; 6] = ["measure", "contender", "family", "workload", "scheme", "reduction"];
/// Sizes.
const SIZES: [&str; 6] = ["keys", "m", "k", "fingerprint_bits", "bits_per_key", "target_fpr"];
/// Rates, times and what is said of them, after what the axes show.
const RESULTS: [&str; 11] = [
    "fpr",
    "fpr_low",
    "fpr_high",
    "predicted_fpr",
    "probes",
    "false_positives",
    "detectable",
    "min_ns",
    "median_ns",
    "verdict",
    "explanation",
];
/// Columns that stay though all their cells are equal.
const ALWAYS: [&str; 3] = ["contender", "fpr", "verdict"];
/// Cells that are longer are read in the derived table.
const LONGEST: usize = 200;

/// The title of a column.
fn title(column: &str) -> String {
    let known = TITLES.iter().find(|(name, _)| *name == column).map(|(_, title)| (*title).to_owned());
    known.unwrap_or_else(|| column.replace('_', " "))
}

/// The columns that a table shows: what names a point, its size, what the axes show, its rate, its verdict.
fn columns(derived: &Derived) -> Vec<String> {
    let panels = &derived.definition.panel;
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let mut all = owned(&NAMES);
    all.extend(panels.iter().flat_map(|panel| panel.series.iter().cloned()));
    all.extend(owned(&SIZES));
    for panel in panels.iter().filter(|panel| panel.kind != PanelKind::Histogram) {
        all.push(panel.x.clone());
        all.extend([panel.y.clone(), format!("{}_low", panel.y), format!("{}_high", panel.y)]);
        all.extend(panel.lines.iter().map(|line| line.column.clone()));
    }
    all.extend(owned(&RESULTS));
    let mut seen = std::collections::BTreeSet::new();
    // Of a column named twice the last place counts for results, the first one for all others.
    all.retain(|name| !RESULTS.contains(&name.as_str()) && seen.insert(name.clone()));
    all.extend(owned(&RESULTS));
    let table = &derived.table;
    all.retain(|name| {
        let mut cells = table.rows.iter().map(|row| table.cell(row, name));
        cells.clone().any(|cell| !cell.is_empty()) && cells.all(|cell| cell.len() <= LONGEST)
    });
    all
}

/// The one cell of a column whose cells are all equal.
fn constant<'a>(table: &'a Table, column: &str) -> Option<&'a str> {
    let mut cells = table.rows.iter().map(|row| table.cell(row, column));
    let first = cells.next()?;
    (table.rows.len() > 1 && !ALWAYS.contains(&column) && cells.all(|cell| cell == first)).then_some(first)
}

/// How the numbers of a column are written, so that they stand under each other.
enum Digits {
    /// Texts, or whole numbers: as they are.
    AsIs,
    /// With so many decimals.
    Fixed(usize),
    /// With an exponent.
    Power,
}

impl Digits {
    fn of(table: &Table, column: &str) -> Self {
        let cells = table.rows.iter().map(|row| table.cell(row, column)).filter(|cell| !cell.is_empty());
        let Some(values) = cells.map(|cell| cell.parse::<f64>().ok()).collect::<Option<Vec<f64>>>() else {
            return Digits::AsIs;
        };
        if values.iter().all(|value| value.fract() == 0.0 && value.abs() < 1e15) {
            return Digits::AsIs;
        }
        let sizes = || values.iter().map(|value| value.abs()).filter(|value| *value > 0.0);
        let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
        if least < 1e-3 || most >= 1e7 {
            return Digits::Power;
        }
        // Four digits of the smallest.
        Digits::Fixed((3.0 - least.log10().floor()).clamp(0.0, 6.0) as usize)
    }

    fn write(&self, cell: &str) -> String {
        match (self, cell.parse::<f64>()) {
            (Digits::Fixed(decimals), Ok(value)) => format!("{value:.decimals$}"),
            (Digits::Power, Ok(value)) if value != 0.0 => format!("{value:.3e}"),
            _ => cell.to_owned(),
        }
    }
}

/// The rows, each cell escaped. Ends of cells and rows are left out, as HTML allows: there are many of them.
fn rows(table: &Table, shown: &[String]) -> Markup {
    let digits: Vec<Digits> = shown.iter().map(|column| Digits::of(table, column)).collect();
    let mut text = String::new();
    for row in &table.rows {
        text.push_str("<tr>");
        for (column, digits) in shown.iter().zip(&digits) {
            let cell = table.cell(row, column);
            let class = match column.as_str() {
                "verdict" if cell != Verdict::Agrees.name() => " class=off",
                "explanation" => " class=wide",
                _ => "",
            };
            text.push_str("<td");
            text.push_str(class);
            text.push('>');
            let shown = digits.write(cell);
            text.push_str(&html! { (shown) }.into_string());
        }
        text.push('\n');
    }
    PreEscaped(text)
}

fn points(derived: &Derived) -> Markup {
    let table = &derived.table;
    let id = &derived.definition.id;
    let (constants, shown): (Vec<String>, Vec<String>) =
        columns(derived).into_iter().partition(|column| constant(table, column).is_some());
    let said: Vec<String> = constants
        .iter()
        .map(|column| format!("{} {}", title(column), constant(table, column).unwrap_or_default()))
        .collect();
    let head: Vec<(String, String)> = shown.iter().map(|column| (column.clone(), title(column))).collect();
    html! {
        details id={ (id) "-points" } {
            summary { "Points and verdicts (" (table.rows.len()) ")" }
            @if !said.is_empty() { p.dim { "All rows: " (said.join(", ")) "." } }
            (super::table(id, &head, std::iter::once(rows(table, &shown))))
        }
    }
}

/// The verdicts of an experiment in words.
fn verdicts(derived: &Derived) -> String {
    let counts = derived.counts();
    let words: Vec<String> = Verdict::ALL
        .iter()
        .filter_map(|verdict| counts.get(verdict).map(|count| format!("{count} {}", verdict.name())))
        .collect();
    match (words.is_empty(), derived.explained()) {
        (true, _) => format!("{} points without a verdict", derived.table.rows.len()),
        (false, 0) => words.join(", "),
        (false, explained) => format!("{}; {explained} explained", words.join(", ")),
    }
}

/// What is wrong with an experiment's files.
fn gaps_of(id: &str, gaps: &[Gap]) -> Markup {
    html! { @for gap in gaps.iter().filter(|gap| gap.experiment == id) { p.gap { b { "Gap: " } (gap.why) } } }
}

fn heading(id: &str, title: &str) -> Markup {
    html! { h2 id=(id) { (title) a.anchor href={ "#" (id) } aria-label={ "Link to " (title) } { "#" } } }
}

/// An experiment of which nothing can be shown.
pub(super) fn missing(id: &str, gaps: &[Gap]) -> Markup {
    html! { section { (heading(id, id)) (gaps_of(id, gaps)) p.dim { "Nothing of it is shown." } } }
}

pub(super) fn section(drawn: &Drawn<'_>, gaps: &[Gap]) -> Markup {
    let derived = drawn.derived;
    let definition = &derived.definition;
    let (id, run) = (&definition.id, format!("raw/{}/{}", definition.id, derived.manifest.run));
    html! {
        section {
            (heading(id, &definition.title))
            p.question { (definition.question) }
            (gaps_of(id, gaps))
            (drawn.figure())
            p { (definition.reading.trim()) }
            @if derived.manifest.scale != "quick" {
                p.dim { "The reading is that of a run at quick scale; this one is at " (derived.manifest.scale) " scale." }
            }
            p { b { "Verdicts: " } (verdicts(derived)) "." }
            @if !definition.explained.is_empty() {
                p { "Disagreements that are understood:" }
                ul { @for known in &definition.explained {
                    li { @for (name, value) in &known.only { (name) " " b { (value) } " " } ": " (known.why) "." }
                } }
            }
            (points(derived))
            details { summary { "Definition" } pre { (definition.text) } }
            p.dim {
                "Files beside this page: " a href={ "derived/" (id) ".csv" } { "derived table" } ", "
                a href={ (run) "/rows.csv" } { "raw rows" } ", " a href={ (run) "/run.toml" } { "run" } ", "
                a href={ (run) "/definition.toml" } { "definition" } ", " a href={ "figures/" (id) ".svg" } { "figure" } "."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: &[&str]) -> Table {
        let mut table = Table::default();
        for cell in cells {
            table.push([("x".to_owned(), (*cell).to_owned())]);
        }
        table
    }

    #[test]
    fn numbers_of_a_column_have_one_form() {
        let written = |cells: &[&str]| {
            let table = table(cells);
            let digits = Digits::of(&table, "x");
            cells.iter().map(|cell| digits.write(cell)).collect::<Vec<_>>()
        };
        assert_eq!(written(&["0.25", "12.5", ""]), ["0.2500", "12.5000", ""]);
        assert_eq!(written(&["1e-6", "0.5", "0"]), ["1.000e-6", "5.000e-1", "0"]);
        assert_eq!(written(&["12", "9600"]), ["12", "9600"]);
        assert_eq!(written(&["0.5", "none"]), ["0.5", "none"]);
    }

    #[test]
    fn cells_are_escaped() {
        let text = rows(&table(&["<img src=x onerror=alert(1)>"]), &["x".to_owned()]).into_string();
        assert_eq!(text, "<tr><td>&lt;img src=x onerror=alert(1)&gt;\n");
    }
}
