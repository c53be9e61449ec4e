//! Faults of a definition, shown at their place in the file.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::error::{HarnessError, nearest};

/// An error of the TOML parser, with the nearest valid key where a key is unknown.
pub(super) fn toml_error(name: &str, text: &str, error: &toml::de::Error) -> HarnessError {
    let message = error.message();
    // serde words it so: unknown field `a`, expected one of `b`, `c`; the nearest of those is what was meant.
    let mut quoted = message.split('`').skip(1).step_by(2);
    let hint = match (message.starts_with("unknown"), quoted.next()) {
        (true, Some(given)) => nearest(given, quoted).map(|near| format!("nearest is `{near}`")),
        _ => None,
    };
    render(name, text, error.span().unwrap_or(0..0), message, hint.as_deref())
}

/// A fault at the first place that mentions `word`.
pub(super) fn at_word(name: &str, text: &str, word: &str, why: &str) -> HarnessError {
    let quoted = format!("\"{word}\"");
    let start = text.find(&quoted).map(|start| start..start + quoted.len());
    let start = start.or_else(|| text.find(word).map(|start| start..start + word.len()));
    render(name, text, start.unwrap_or(0..0), why, None)
}

fn render(name: &str, text: &str, span: Range<usize>, message: &str, hint: Option<&str>) -> HarnessError {
    let label = hint.unwrap_or("here");
    let snippet = Snippet::source(text).path(name).annotation(AnnotationKind::Primary.span(span).label(label));
    let group = Level::ERROR.primary_title(message).element(snippet);
    HarnessError::Definition(Renderer::plain().render(&[group]).to_string())
}
