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

/// A fault at a word of the file, which is looked for after the words before it in `path`.
pub(super) fn at_path(name: &str, text: &str, path: &[&str], why: &str) -> HarnessError {
    let span = path.iter().fold(0..0, |before, word| find(text, before.end, word).unwrap_or(before));
    render(name, text, span, why, None)
}

/// The first place from `start` on that holds the word as a value or as a key, else as a word of a text.
fn find(text: &str, start: usize, word: &str) -> Option<Range<usize>> {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let whole = || {
        let all = text[start..].match_indices(word).map(|(at, _)| start + at..start + at + word.len());
        all.filter(|span| !text[..span.start].ends_with(inside) && !text[span.end..].starts_with(inside))
    };
    let value = |span: &Range<usize>| text[..span.start].ends_with('"') && text[span.end..].starts_with('"');
    let key = |span: &Range<usize>| text[span.end..].trim_start().starts_with('=');
    whole().find(|span| value(span) || key(span)).or_else(|| whole().next())
}

fn render(name: &str, text: &str, span: Range<usize>, message: &str, hint: Option<&str>) -> HarnessError {
    let label = hint.unwrap_or("here");
    let snippet = Snippet::source(text).path(name).annotation(AnnotationKind::Primary.span(span).label(label));
    let group = Level::ERROR.primary_title(message).element(snippet);
    HarnessError::Definition(Renderer::plain().render(&[group]).to_string())
}
