//! `index.html`: figures with their readings, verdicts, provenance, in one file that needs nothing else.

mod tables;

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::error::HarnessError;
use crate::figure::{StyleBook, Width};
use crate::pipeline::{Counts, Derived, read_derived, svg};
use crate::verdict::Verdict;

const CSS: &str = "
:root{color-scheme:light dark;--ink:#1a1a1a;--dim:#5a5a5a;--line:#d0d0d0;--page:#fff;--bad:#a33b00}
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--dim:#a8a8a8;--line:#444;--page:#161616;--bad:#ff9a5c}}
body{font:16px/1.5 'Source Sans 3',system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:60rem;margin:2rem auto;padding:0 1rem}
h1,h2{line-height:1.2}h2{margin-top:3rem;border-top:1px solid var(--line);padding-top:1.5rem}
figure{margin:1rem 0;background:#fff;padding:.5rem;border-radius:4px;overflow-x:auto}
figure svg{width:100%;height:auto;display:block;min-width:32rem}
.question{font-style:italic}.dim{color:var(--dim)}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}
th,td{text-align:right;padding:.15rem .6rem;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child,.text{text-align:left}
td.wide{white-space:normal;min-width:16rem;text-align:left}
td.off{color:var(--bad);font-weight:600}
details{margin:1rem 0}summary{cursor:pointer}
@media print{details{display:none}body{max-width:none}}
";

/// The columns of a verdict table, as far as the experiment has them.
const COLUMNS: [(&str, &str); 15] = [
    ("contender", "contender"),
    ("family", "family"),
    ("workload", "workload"),
    ("scheme", "scheme"),
    ("reduction", "reduction"),
    ("keys", "n"),
    ("m", "m"),
    ("k", "k"),
    ("probes", "probes"),
    ("fpr", "rate"),
    ("predicted_fpr", "theory"),
    ("detectable", "effect seen"),
    ("min_ns", "ns"),
    ("verdict", "verdict"),
    ("explanation", "explained by"),
];

/// The figures' font, so that labels are as wide as they were planned on a machine that does not have it.
fn font_face() -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(crate::figure::FONT);
    format!("@font-face{{font-family:'Source Sans 3';src:url(data:font/ttf;base64,{data}) format('truetype')}}")
}

/// Writes `index.html` into the results folder.
///
/// # Errors
/// [`HarnessError`] for a folder that cannot be written or a figure that cannot be drawn.
pub fn write(all: &[Derived], book: &StyleBook, out: &Path) -> Result<(), HarnessError> {
    let mut sections = Vec::new();
    for derived in all {
        sections.push(section(derived, &svg(derived, book, Width::PAGE)?));
    }
    let (claims, features) = (read_derived(out, crate::claims::ID)?, read_derived(out, crate::features::ID)?);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Bloomery: results" }
                style { (PreEscaped(font_face())) (PreEscaped(CSS)) }
            }
            body {
                h1 { "Bloomery: results" }
                p { "Approximate-membership filters against their theory. A point " i { "agrees" } " when its rate cannot be told
                    from the theory although a difference of the planned size would have been seen; with too few probes it is "
                    i { "not tested" } ". Intervals are 95 %, verdicts at a level of 10" sup { "-7" } "." }
                (totals(all))
                @for section in &sections { (section) }
                @if let Some(claims) = &claims { (tables::claims(claims)) }
                @if let Some(features) = &features { (tables::features(features)) }
                h2 { "Provenance" }
                (provenance(all))
            }
        }
    };
    std::fs::create_dir_all(out).map_err(HarnessError::io(out, "cannot create"))?;
    let (path, temporary) = (out.join("index.html"), out.join("index.html.part"));
    std::fs::write(&temporary, page.into_string()).map_err(HarnessError::io(&temporary, "cannot write"))?;
    std::fs::rename(&temporary, &path).map_err(HarnessError::io(&path, "cannot replace"))
}

/// Verdicts of each experiment and in all.
fn totals(all: &[Derived]) -> Markup {
    let row = |name: Markup, counts: &Counts, explained: u64| {
        let points: u64 = counts.values().sum();
        html! { tr {
            td { (name) } td { (points) }
            @for verdict in Verdict::ALL { td { (counts.get(&verdict).copied().unwrap_or(0)) } }
            td { (explained) }
        } }
    };
    let mut sum = Counts::new();
    for derived in all {
        for (verdict, count) in derived.counts() {
            *sum.entry(verdict).or_default() += count;
        }
    }
    html! {
        div.scroll { table {
            tr { th { "experiment" } th { "points" } @for verdict in Verdict::ALL { th { (verdict.name()) } } th { "explained" } }
            @for derived in all {
                @let id = &derived.definition.id;
                (row(html! { a href={ "#" (id) } { (id) } }, &derived.counts(), derived.explained()))
            }
            (row(html! { b { "all" } }, &sum, all.iter().map(Derived::explained).sum()))
        } }
    }
}

fn section(derived: &Derived, svg: &str) -> Markup {
    let definition = &derived.definition;
    let table = &derived.table;
    let columns: Vec<_> = COLUMNS
        .iter()
        .filter(|(column, _)| {
            let mut cells = table.rows.iter().map(|row| table.cell(row, column));
            cells.any(|cell| !cell.is_empty())
        })
        .collect();
    let body = svg.find("<svg").map_or(svg, |start| &svg[start..]);
    html! {
        h2 id=(definition.id) { (definition.title) }
        p.question { (definition.question) }
        figure { (PreEscaped(body)) }
        p { (definition.reading.trim()) }
        @if derived.manifest.scale != "quick" {
            p.dim { "The reading is that of a run at quick scale; this one is at " (derived.manifest.scale) " scale." }
        }
        @if !definition.explained.is_empty() {
            p { "Disagreements that are understood:" }
            ul { @for known in &definition.explained {
                li { @for (name, value) in &known.only { (name) " " b { (value) } " " } ": " (known.why) "." }
            } }
        }
        details {
            summary { "Points and verdicts (" (table.rows.len()) ")" }
            div.scroll { table {
                tr { @for (_, title) in &columns { th { (title) } } }
                @for row in &table.rows {
                    tr { @for (column, _) in &columns {
                        @let cell = table.cell(row, column);
                        @let off = *column == "verdict" && cell != "agrees";
                        td.off[off] { (readable(cell)) }
                    } }
                }
            } }
        }
        p.dim {
            "Derived data: " code { "derived/" (definition.id) ".csv" } "; raw rows: "
            code { "raw/" (definition.id) "/" (derived.manifest.run) "/rows.csv" } "; definition: "
            code { "experiments/defs/" (definition.id) ".toml" }
        }
    }
}

/// A cell with few digits, where it is a long number.
fn readable(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(value) if cell.len() > 9 && value != 0.0 && value.abs() < 1e-3 => format!("{value:.3e}"),
        Ok(value) if cell.len() > 9 && value.fract() != 0.0 => format!("{value:.5}"),
        _ => cell.to_owned(),
    }
}

fn provenance(all: &[Derived]) -> Markup {
    let mut hosts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for derived in all {
        let manifest = &derived.manifest;
        let text = format!(
            "commit {}{}; {}; {}; {} with {} processors; {}; {}",
            manifest.commit,
            if manifest.dirty { " with changes" } else { "" },
            manifest.rustc,
            manifest.build,
            manifest.cpu,
            manifest.cpus,
            manifest.caches.join(", "),
            manifest.system,
        );
        hosts.entry(text).or_default().push(&derived.definition.id);
    }
    html! {
        @for (text, ids) in &hosts { p { (ids.join(", ")) ": " (text) "." } }
        div.scroll { table {
            tr { th { "experiment" } th { "run" } th { "scale" } th { "seed" } th { "rows" } th { "seconds" } th { "started (UTC, s)" } }
            @for derived in all {
                @let manifest = &derived.manifest;
                tr {
                    td { (derived.definition.id) } td { (manifest.run) } td { (manifest.scale) } td { (manifest.seed) }
                    td { (manifest.rows) } td { (manifest.measured_seconds) } td { (manifest.started_utc_seconds) }
                }
            }
        } }
    }
}
