//! The frames of what answers while one asks: the script fills them.

use maud::{Markup, html};

fn needs_script() -> Markup {
    html! { noscript { p.dim { "This needs JavaScript; figures, readings and tables do not. " code { "cargo run -p experiments -- theory" } " has the same numbers." } } }
}

/// Two of n, p, m and k give the others.
pub(super) fn calculator() -> Markup {
    let field = |name: &str, id: &str, label: Markup, value: &str| {
        html! { label { span id=[(!id.is_empty()).then_some(id)] { (label) }
        input type="text" name=(name) value=(value) inputmode="text" autocomplete="off" spellcheck="false"; } }
    };
    html! {
        section {
            h2 id="calculator" { "Calculator" }
            p { "Fill in two or three of the four and leave the others empty: they are worked out by the formulas that the figures are
                held to, with whole probes and allocated bits." }
            (needs_script())
            form.needs-script id="calculator-form" autocomplete="off" {
                div.fields {
                    label { "filter" select name="filter" {} }
                    (field("n", "", html! { "n, keys" }, "1e6"))
                    (field("p", "", html! { "p, false-positive rate" }, "1%"))
                    (field("m", "", html! { "m, bits" }, ""))
                    (field("k", "calculator-k", html! { "k, probes of a key" }, ""))
                }
            }
            div.needs-script id="calculator-out" aria-live="polite" {}
            p.dim { "Blocked, stable and compressed filters, whose sizes are searched for, are in the chooser above and in "
                code { "cargo run -p experiments -- theory" } "." }
        }
    }
}

/// Sliders for n, m and k over the rate.
pub(super) fn curve() -> Markup {
    let slider = |name: &str, least: &str, most: &str, step: &str, value: &str| {
        html! { label { i { (name) }
        input type="range" name=(name) min=(least) max=(most) step=(step) value=(value); output name={ (name) "-out" } {} } }
    };
    html! {
        section {
            h2 id="curve-section" { "The rate as keys come in" }
            p { "An array is sized once and then fills. Move the number of keys along the curve, or change the array and the probes beneath it." }
            (needs_script())
            form.needs-script.sliders id="curve-form" autocomplete="off" {
                (slider("n", "1", "9", "0.01", "6")) (slider("m", "2", "10.5", "0.01", "7")) (slider("k", "1", "24", "1", "7"))
            }
            div.needs-script id="curve" {}
            ul.needs-script id="curve-legend" {}
            p.needs-script id="curve-out" aria-live="polite" {}
        }
    }
}

/// Four filters of 64 bits to add words to.
pub(super) fn demo() -> Markup {
    html! {
        section {
            h2 id="demo" { "See false positives arise" }
            p { "Four filters of 64 bits each. Add words and watch bits, counters and fingerprints fill up; then ask for words that were never added." }
            (needs_script())
            form.needs-script id="demo-form" autocomplete="off" {
                div.fields {
                    label { "word" input type="text" name="word" value="" maxlength="40" autocomplete="off" spellcheck="false"; }
                    button type="submit" { "Add" }
                    button type="button" data-act="ask" { "Ask" }
                    button type="button" data-act="remove" { "Remove" }
                    button type="button" data-act="next" { "Add the next of a list" }
                    button type="button" data-act="clear" { "Empty" }
                    button type="button" data-act="seed" { "Another hash" }
                }
            }
            p.needs-script id="demo-said" role="status" { "Five words are in." }
            div.needs-script id="demo-out" {}
            p.dim.needs-script { "Never added by itself: " span id="demo-list" {} "." }
        }
    }
}
