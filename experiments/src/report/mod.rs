//! `index.html`: one page that needs nothing else, with figures and their readings, tables, verdicts, provenance, and the tools that
//! answer from the same numbers. docs/REPORT.md says what is on it.

mod chooser;
mod data;
mod provenance;
mod section;
mod tables;
mod tools;
mod top;

use std::path::Path;

use base64::Engine as _;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use rayon::prelude::*;

use crate::error::HarnessError;
use crate::figure::StyleBook;
use crate::gaps::Holdings;
use crate::pipeline::{Derived, read_derived, svg_with_rows};
use crate::registry::Registry;

pub use chooser::grid;
pub use data::packed;

const CSS: &str = include_str!("../../assets/report/report.css");

/// The formulas and the ranking: what needs no page, in the order in which it is loaded.
pub const FORMULAS: [(&str, &str); 4] = [
    ("theory.js", include_str!("../../assets/report/theory.js")),
    ("toys.js", include_str!("../../assets/report/toys.js")),
    ("data.js", include_str!("../../assets/report/data.js")),
    ("chooser.js", include_str!("../../assets/report/chooser.js")),
];

/// The rest of the script.
const PAGE: [&str; 5] = [
    include_str!("../../assets/report/tables.js"),
    include_str!("../../assets/report/points.js"),
    include_str!("../../assets/report/calculator.js"),
    include_str!("../../assets/report/demo.js"),
    include_str!("../../assets/report/main.js"),
];

/// Nothing leaves the page: a browser refuses every request, whatever data says.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; font-src data:; img-src data:; form-action 'none'; base-uri 'none'";

/// The figures' font, so that labels are as wide as they were planned on a machine that does not have it.
fn font_face() -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(crate::figure::FONT);
    format!("@font-face{{font-family:'Source Sans 3';src:url(data:font/ttf;base64,{data}) format('truetype')}}")
}

/// A figure that can be pointed at: the drawing, and what its axes show.
struct Drawn<'a> {
    derived: &'a Derived,
    svg: String,
}

impl<'a> Drawn<'a> {
    fn new(derived: &'a Derived, book: &StyleBook) -> Result<Self, HarnessError> {
        Ok(Self { derived, svg: svg_with_rows(derived, book)? })
    }

    fn figure(&self) -> Markup {
        let definition = &self.derived.definition;
        let mut axes: Vec<&str> =
            definition.panel.iter().flat_map(|panel| [panel.x.as_str(), panel.y.as_str()]).collect();
        axes.sort_unstable();
        axes.dedup();
        let body = self.svg.find("<svg").map_or(self.svg.as_str(), |start| &self.svg[start..]);
        html! { figure data-experiment=(definition.id) data-axes=(axes.join(" ")) { (PreEscaped(body)) } }
    }
}

/// Writes `index.html` into the results folder.
///
/// # Errors
/// [`HarnessError`] for a folder that cannot be written or a figure that cannot be drawn.
pub fn write(registry: &Registry, held: &Holdings, book: &StyleBook, out: &Path) -> Result<(), HarnessError> {
    let drawn: Vec<Drawn<'_>> =
        held.derived.par_iter().map(|derived| Drawn::new(derived, book)).collect::<Result<_, _>>()?;
    let (claims, features) = (read_derived(out, crate::claims::ID)?, read_derived(out, crate::features::ID)?);
    let missing: Vec<&str> = {
        let shown = |id: &str| held.derived.iter().any(|derived| derived.definition.id == id);
        let mut ids: Vec<&str> = held.gaps.iter().map(|gap| gap.experiment.as_str()).filter(|id| !shown(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "Bloomery: results" }
                style { (PreEscaped(font_face())) (PreEscaped(CSS)) }
            }
            body {
                (top::summary(held)?)
                (top::figures(&drawn))
                (top::contents(held, &missing, claims.is_some(), features.is_some()))
                (chooser::section(registry, &held.derived, book))
                (tools::calculator()) (tools::curve()) (tools::demo())
                @for one in &drawn { (section::section(one, &held.gaps)) }
                @for id in &missing { (section::missing(id, &held.gaps)) }
                @if let Some(claims) = &claims { (tables::claims(claims)) }
                @if let Some(features) = &features { (tables::features(features)) }
                (provenance::section(&held.derived))
                @for one in &drawn { (data::embedded(&one.derived.definition.id, &one.derived.table)) }
                script { (PreEscaped(script())) }
            }
        }
    };
    std::fs::create_dir_all(out).map_err(HarnessError::io(out, "cannot create"))?;
    crate::pipeline::write(&out.join("index.html"), page.into_string().as_bytes())
}

/// The script in one piece; each part is strict by itself, and so is the whole.
fn script() -> String {
    let formulas = FORMULAS.iter().map(|(_, text)| *text);
    let mut parts: Vec<&str> = formulas.chain(PAGE).collect();
    parts.insert(0, "\"use strict\";\n");
    parts.join("\n")
}

/// Columns of sentences, which begin at the left.
const TEXTS: [&str; 3] = ["measured_from", "explanation", "command"];

/// A table that sorts, filters and is taken along as CSV where there is a script.
fn table(id: &str, head: &[(String, String)], rows: impl Iterator<Item = Markup>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Table of " (id) } { table data-table=(id) {
            thead { tr { @for (column, title) in head {
                th.text[TEXTS.contains(&column.as_str())] scope="col" data-column=(column) { (title) }
            } } }
            tbody { @for row in rows { (row) } }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Script stands in the page as it is: nothing in it may end it.
    #[test]
    fn the_script_cannot_end_its_element() {
        let script = script().to_lowercase();
        assert!(!script.contains("</script") && !script.contains("<!--"));
        assert!(!CSS.contains("</style") && !CSS.contains("http"), "no other file is asked for");
    }
}
