//! What one sees first: what ran and what came of it, three figures, contents.

use maud::{Markup, html};

use super::Drawn;
use crate::error::HarnessError;
use crate::gaps::Holdings;
use crate::pipeline::{Counts, Derived};
use crate::spec::Definition;
use crate::verdict::Verdict;

/// The figures that answer most questions, each with what it answers and the command that measures it.
const FIRST: [(&str, &str, &str); 3] = [
    ("fpr-vs-bits", "How low is the rate for the bits spent?", "cargo run -p experiments -- run fpr-vs-bits"),
    ("overhead", "How much space is that over the least possible?", "cargo run -p experiments -- run overhead"),
    ("pareto", "What does a lookup cost for that space?", "cargo run -p experiments --features peers -- run speed"),
];

/// A count that may be long.
fn short(count: f64) -> String {
    match count {
        _ if count >= 1e9 => format!("{:.1} billion", count / 1e9),
        _ if count >= 1e6 => format!("{:.1} million", count / 1e6),
        _ => format!("{count:.0}"),
    }
}

/// What ran, in two sentences, and the verdicts.
pub(super) fn summary(held: &Holdings) -> Result<Markup, HarnessError> {
    let all = &held.derived;
    let sum = |column: &str| -> f64 {
        let numbers = all
            .iter()
            .flat_map(|derived| derived.table.rows.iter().filter_map(|row| derived.table.number(row, column)));
        numbers.sum()
    };
    let distinct = |of: fn(&Derived) -> &str| {
        let mut names: Vec<&str> = all.iter().map(of).collect();
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    };
    let points: usize = all.iter().map(|derived| derived.table.rows.len()).sum();
    let seconds: f64 = all.iter().map(|derived| derived.manifest.measured_seconds).sum();
    let newest = all.iter().map(|derived| derived.manifest.started_utc_seconds).max().unwrap_or(0);
    let absent: Vec<(String, bool)> = Definition::builtin()?
        .into_iter()
        .filter(|definition| {
            let known = |id: &str| definition.id == id;
            !all.iter().any(|derived| known(&derived.definition.id))
                && !held.gaps.iter().any(|gap| known(&gap.experiment))
        })
        .map(|definition| (definition.id.clone(), definition.is_plain()))
        .collect();
    let named = |plain: bool| {
        let ids: Vec<&str> = absent.iter().filter(|(_, of)| *of == plain).map(|(id, _)| id.as_str()).collect();
        ids.join(", ")
    };
    Ok(html! {
        h1 { "Bloomery: results" }
        p { "Approximate-membership filters against their theory: " (all.len()) " experiments with " (points) " points, "
            (short(sum("filters"))) " filters, " (short(sum("probes"))) " absent keys asked, measured in "
            (short(seconds.round())) " s; scale " (distinct(|derived| derived.manifest.scale.as_str())) "; last run "
            (super::provenance::utc(newest)) " UTC on " (distinct(|derived| derived.manifest.cpu.as_str())) ", commit "
            code { (distinct(|derived| derived.manifest.commit.get(..10).unwrap_or(&derived.manifest.commit))) } "." }
        (tiles(&counts(all), all.iter().map(Derived::explained).sum()))
        p { "A point " i { "agrees" } " when its rate cannot be told from the theory although a difference of the planned size would
            have been seen; with too few probes it is " i { "not tested" } ". Intervals are 95 %, verdicts at a level of 10" sup { "-7" } ".
            Point at a mark of a figure, or go to it with the Tab and arrow keys, and it shows its numbers." }
        @if !named(true).is_empty() { p.dim { "Not run here: " (named(true)) ". " code { "cargo run -p experiments" } " runs all of them." } }
        @if !named(false).is_empty() {
            p.dim { "Not run here, by name alone because times need a machine that does nothing else: " (named(false)) ". "
                code { "cargo run -p experiments --features peers -- run speed" } }
        }
        @if !held.gaps.is_empty() {
            div.gap { p { b { "Gaps. " } "What cannot be read is not here, or marked where it belongs:" }
                ul { @for gap in &held.gaps { li { a href={ "#" (gap.experiment) } { (gap.experiment) } ": " (gap.why) } } } }
        }
    })
}

fn counts(all: &[Derived]) -> Counts {
    let mut sum = Counts::new();
    for derived in all {
        for (verdict, count) in derived.counts() {
            *sum.entry(verdict).or_default() += count;
        }
    }
    sum
}

fn tiles(counts: &Counts, explained: u64) -> Markup {
    let class = |verdict: Verdict, count: u64| match verdict {
        Verdict::Agrees => "good",
        Verdict::LawViolated if count > 0 => "bad",
        _ => "",
    };
    html! { ul.tiles {
        @for verdict in Verdict::ALL {
            @let count = counts.get(&verdict).copied().unwrap_or(0);
            li class=(class(verdict, count)) { b { (count) } (verdict.name()) }
        }
        li { b { (explained) } "of these explained" }
    } }
}

/// The three figures, or how to get one that is missing.
pub(super) fn figures(drawn: &[Drawn<'_>]) -> Markup {
    html! {
        section {
            h2 id="first" { "Three figures" }
            @for (id, question, command) in FIRST {
                h3 { (question) }
                @match drawn.iter().find(|one| one.derived.definition.id == id) {
                    Some(one) => { (one.figure()) p.dim { a href={ "#" (id) } { "Reading, table and definition" } } }
                    None => { p.gap { "Not run here: " code { (command) } } }
                }
            }
        }
    }
}

/// Links to all sections, and the verdicts of each experiment.
pub(super) fn contents(held: &Holdings, missing: &[&str], claims: bool, features: bool) -> Markup {
    let mut head = vec![("experiment".to_owned(), "experiment".to_owned()), ("points".to_owned(), "points".to_owned())];
    head.extend(Verdict::ALL.map(|verdict| (verdict.name().to_owned(), verdict.name().to_owned())));
    head.push(("explained".to_owned(), "explained".to_owned()));
    let rows = held.derived.iter().map(|derived| {
        let (id, counts) = (&derived.definition.id, derived.counts());
        html! { tr {
            td { a href={ "#" (id) } { (id) } } td { (derived.table.rows.len()) }
            @for verdict in Verdict::ALL { td { (counts.get(&verdict).copied().unwrap_or(0)) } }
            td { (derived.explained()) }
        } }
    });
    html! {
        nav aria-labelledby="contents" {
            h2 id="contents" { "Contents" }
            ul.jump {
                li { a href="#chooser" { "Which filter should I take?" } } li { a href="#calculator" { "Calculator" } }
                li { a href="#curve-section" { "The rate as keys come in" } } li { a href="#demo" { "See false positives arise" } }
            }
            ul.columns {
                @for derived in &held.derived { li { a href={ "#" (derived.definition.id) } { (derived.definition.title) } } }
                @for id in missing { li { a href={ "#" (id) } { (id) } " (gap)" } }
                @if claims { li { a href="#claims-checked" { "Popular claims" } } }
                @if features { li { a href="#feature-matrix" { "What each filter can do" } } }
                li { a href="#provenance" { "Provenance" } }
            }
            details { summary { "Verdicts of each experiment" } (super::table("experiments", &head, rows)) }
        }
    }
}
