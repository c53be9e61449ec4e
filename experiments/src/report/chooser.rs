//! "Which filter should I take?": sizes of all variants over a grid of keys and rates, by the ranking of `plan`, and the measured
//! rows behind them. The script only looks up, filters and sorts.

use maud::{Markup, html};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::data;
use crate::cli::output::rounded;
use crate::cli::theory::claim_text;
use crate::compare::default_family;
use crate::figure::StyleBook;
use crate::keys::Workload;
use crate::pipeline::Derived;
use crate::plan::{Candidate, MORE_ROOM, NOT_BOTH, Ranking, Reason, Wish};
use crate::registry::{Contender, Params, Registry};

/// Keys to choose from.
const KEYS: [u64; 8] = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
/// Rates to choose from.
const RATES: [f64; 11] = [0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0001, 0.00001, 0.000_001];
/// Where the choice begins.
const FIRST: (u64, f64) = (1_000_000, 0.01);

/// The answer for one number of keys and one rate.
fn wish(keys: u64, fpr: f64) -> Wish {
    Wish { keys, fpr: Some(fpr), budget: None, delete: false, stream: false, fixed: false, transmit: false }
}

fn label(book: &StyleBook, id: &str) -> String {
    book.get(id).map_or_else(|_| id.to_owned(), |style| style.label.clone())
}

fn params_text(params: &Params) -> String {
    let Value::Object(all) = params else { return params.to_string() };
    let given = all.iter().filter(|(_, value)| !value.is_null());
    given.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// Bits for each key in memory and as sent, rate, claim, parameters; or why there is no such size.
fn cell(contender: Contender, keys: u64, fpr: f64) -> Value {
    match Candidate::sized(contender, &wish(keys, fpr)) {
        Ok(candidate) => json!([
            candidate.space(false),
            candidate.space(true),
            candidate.prediction.rate,
            claim_text(candidate.prediction.claim),
            params_text(&candidate.params),
        ]),
        Err(reason) => json!(reason.to_string()),
    }
}

/// All that the script chooses from.
#[must_use]
pub fn grid(registry: &Registry, all: &[Derived], book: &StyleBook) -> Value {
    let variants: Vec<Contender> = registry.variants().copied().collect();
    let filters: Vec<Value> = variants
        .par_iter()
        .map(|contender| {
            let can = contender.traits.capabilities;
            let cells: Vec<Value> = KEYS
                .par_iter()
                .flat_map(|keys| RATES.par_iter().map(move |fpr| (*keys, *fpr)))
                .map(|(keys, fpr)| cell(*contender, keys, fpr))
                .collect();
            let can = json!({ "incremental": can.incremental, "deletable": can.deletable, "decaying": can.decaying });
            json!({ "id": contender.id, "label": label(book, contender.id), "can": can, "cells": cells })
        })
        .collect();
    let reasons = json!({
        "keeps_all": Reason::KeepsAll.to_string(), "needs_all_keys": Reason::NeedsAllKeys.to_string(),
        "cannot_delete": Reason::CannotDelete.to_string(), "forgets": Reason::Forgets.to_string(),
        "not_both": NOT_BOTH, "higher": MORE_ROOM,
    });
    json!({ "keys": KEYS, "rates": RATES, "filters": filters, "reasons": reasons, "measured": measured(&variants, all) })
}

/// Rows of rates with the default hash, by contender: experiment, row, n, bits per key, rate with its interval, theory, verdict. Of
/// those that are alike in rate and size the first.
fn measured(variants: &[Contender], all: &[Derived]) -> Value {
    let family = default_family(hashing::KeyKind::Integer).name();
    let workload = Workload::Random.to_string();
    let mut by_id: Map<String, Value> = Map::new();
    for contender in variants {
        let mut seen = std::collections::BTreeSet::new();
        let mut rows = Vec::new();
        for derived in all {
            let table = &derived.table;
            for (index, row) in table.rows.iter().enumerate() {
                let cell = |name| table.cell(row, name);
                let plain = cell("workload") == workload && cell("family") == family && cell("scheme").is_empty();
                if cell("contender") != contender.id || !plain || cell("verdict").is_empty() {
                    continue;
                }
                let names = ["keys", "bits_per_key", "fpr", "fpr_low", "fpr_high", "predicted_fpr"];
                let Some(numbers) = names.map(|name| table.number(row, name)).into_iter().collect::<Option<Vec<f64>>>()
                else {
                    continue;
                };
                let (n, bits, predicted) = (numbers[0], numbers[1], numbers[5]);
                if !(predicted > 0.0 && bits > 0.0) {
                    continue;
                }
                // Alike within a tenth of a bit of rate and memory and a factor of two in keys.
                let tenths = |value: f64| (10.0 * value).round() as i64;
                if seen.insert((tenths(predicted.log2()), tenths(bits), n.log2().round() as i64)) {
                    let mut found = vec![json!(derived.definition.id), json!(index)];
                    found.extend(numbers.iter().map(|number| json!(number)));
                    found.push(json!(cell("verdict")));
                    rows.push(Value::Array(found));
                }
            }
        }
        if !rows.is_empty() {
            by_id.insert(contender.id.to_owned(), Value::Array(rows));
        }
    }
    Value::Object(by_id)
}

/// The best candidate for usual wishes: what stands there without a script.
fn short_answers(registry: &Registry, book: &StyleBook) -> Markup {
    let base = wish(FIRST.0, FIRST.1);
    let asked = [
        ("keys come one by one", base),
        ("and are taken out again", Wish { delete: true, ..base }),
        ("keys arrive without end", Wish { stream: true, ..base }),
        ("all keys are known beforehand", Wish { fixed: true, ..base }),
        ("the filter is sent", Wish { transmit: true, ..base }),
    ];
    let rows = asked.into_iter().map(|(words, wish)| {
        // A registry of someone's own may have nothing for a wish.
        let best = Ranking::new(registry, &wish).ok().and_then(|ranking| ranking.candidates.into_iter().next());
        html! { tr {
            td { (words) }
            @match best {
                Some(best) => {
                    td.text { (label(book, best.contender.id)) } td { (format!("{:.3}", best.bits_per_key)) }
                    td { (percent(best.prediction.rate)) }
                }
                None => { td.text colspan="3" { "no variant can do it" } }
            }
        } }
    });
    html! {
        p { "For a million keys at 1 % the variant of the fewest bits is, when" }
        div.scroll { table {
            thead { tr { th { "" } th.text { "take" } th { "bits/key" } th { "predicted rate" } } }
            tbody { @for row in rows { (row) } }
        } }
    }
}

/// The section.
pub(super) fn section(registry: &Registry, all: &[Derived], book: &StyleBook) -> Markup {
    let choice = |name: &str, value: &str, words: &str, chosen: bool| {
        html! { label.row { input type="radio" name=(name) value=(value) checked[chosen]; (words) } }
    };
    html! {
        section {
            h2 id="chooser" { "Which filter should I take?" }
            (short_answers(registry, book))
            noscript { p.dim { "Other wishes need JavaScript here, or " code { "cargo run -p experiments -- plan --keys N --fpr P" } "." } }
            form.needs-script id="chooser-form" autocomplete="off" {
                div.fields {
                    fieldset { legend { "keys" }
                        (choice("arrival", "insert", "come one by one (insert)", true))
                        (choice("arrival", "static", "are all known beforehand (static)", false))
                        (choice("arrival", "stream", "arrive without end (stream)", false))
                    }
                    fieldset { legend { "and" }
                        label.row { input type="checkbox" name="delete"; "keys are taken out again (delete)" }
                        label.row { input type="checkbox" name="transmit"; "the filter is sent (transmit)" }
                    }
                    label { "n, keys" select name="keys" { @for (index, keys) in KEYS.iter().enumerate() {
                        option value=(index) selected[*keys == FIRST.0] { (format!("{:e}", *keys as f64)) } } } }
                    label { "rate" select name="rate" { @for (index, rate) in RATES.iter().enumerate() {
                        option value=(index) selected[*rate == FIRST.1] { (percent(*rate)) } } } }
                }
            }
            div.needs-script id="chooser-out" aria-live="polite" {}
            (data::json_element("chooser-data", &grid(registry, all, book)))
        }
    }
}

fn percent(rate: f64) -> String {
    if rate >= 1e-4 { format!("{} %", rounded(rate * 100.0, 3)) } else { format!("{rate:e}") }
}
