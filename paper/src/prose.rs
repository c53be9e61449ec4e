//! What the prose may not do: type a number that results give, and show what it never speaks of.
//!
//! A number may stand in a formula (`$...$`), in code, or in `#given[...]`, which is for what is chosen or published: a parameter, a
//! year, a width. All others must be `#v("name")`.

use std::collections::BTreeSet;

/// Words for numbers that are typed where a factor or a share was measured.
const WORDS: [&str; 14] = [
    "twice", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty",
    "hundred",
];
/// What makes such a word a measured number.
const MEASURES: [&str; 5] = ["times", "per cent", "percent", "%", "fold"];

/// What is wrong in the prose: line and words.
#[must_use]
pub fn findings(text: &str, values: &BTreeSet<String>, tables: &BTreeSet<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (number, line) in bare(text).lines().enumerate() {
        let number = number + 1;
        if let Some(at) = line.find(|next: char| next.is_ascii_digit()) {
            let typed: String = line[at..].chars().take_while(|next| next.is_ascii_digit() || *next == '.').collect();
            found.push(format!("line {number}: `{typed}` is typed; name it in values.toml, or write #given[{typed}] if no result gives it"));
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            let plain =
                |word: &str| word.trim_matches(|next: char| !next.is_alphanumeric() && next != '%').to_lowercase();
            let (first, second) = (plain(pair[0]), plain(pair[1]));
            if WORDS.contains(&first.as_str()) && MEASURES.iter().any(|measure| second.starts_with(measure)) {
                found.push(format!("line {number}: `{first} {second}` is typed; name it in values.toml"));
            }
        }
    }
    for (number, line) in text.lines().enumerate().filter(|(_, line)| swallowed(line)) {
        found.push(format!(
            "line {}: a semicolon right behind `#...` ends the call and is not set; write `\\;`: {line:.60}",
            number + 1
        ));
    }
    let used = arguments(text, "v");
    found.extend(used.difference(values).map(|id| format!("#v(\"{id}\"): values.toml has no such number")));
    found.extend(values.difference(&used).map(|id| format!("values.toml: `{id}` is used nowhere")));
    let shown = arguments(text, "tab");
    found.extend(shown.difference(tables).map(|id| format!("#tab(\"{id}\"): tables.toml has no such table")));
    found.extend(tables.difference(&shown).map(|id| format!("tables.toml: `{id}` is used nowhere")));
    for (kind, call) in [("fig", "fig"), ("tab", "tab")] {
        let spoken_of = |id: &String| {
            let reference = format!("@{kind}-{id}");
            text.match_indices(&reference).any(|(at, _)| {
                // `@fig-a` is no reference to `fig-a-b`.
                !text[at + reference.len()..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '-')
            })
        };
        for id in arguments(text, call).iter().filter(|id| !spoken_of(id)) {
            found.push(format!("#{call}(\"{id}\") is shown, but the text never refers to @{kind}-{id}"));
        }
    }
    found
}

/// Whether a semicolon stands right behind a number in the text.
fn swallowed(line: &str) -> bool {
    [("#v(", '(', ')'), ("#given[", '[', ']')].into_iter().any(|(call, open, close)| {
        line.match_indices(call).any(|(at, _)| {
            let rest = &line[at + call.len() - 1..];
            rest[balanced(rest, open, close)..].starts_with(';')
        })
    })
}

/// The names in `#call("name"`.
#[must_use]
pub fn arguments(text: &str, call: &str) -> BTreeSet<String> {
    let start = format!("#{call}(\"");
    text.match_indices(&start)
        .filter_map(|(at, _)| text[at + start.len()..].split_once('"').map(|(name, _)| name.to_owned()))
        .collect()
}

/// What `#fig` or `#wide-fig` of this name is given as `option:`, without quotes.
#[must_use]
pub fn option<'t>(text: &'t str, id: &str, option: &str) -> Option<&'t str> {
    let start = text.find(&format!("fig(\"{id}\""))? + 3;
    let arguments = &text[start..start + balanced(&text[start..], '(', ')')];
    let (_, value) = arguments.split_once(&format!("{option}: "))?;
    Some(value.split([',', ')']).next().unwrap_or_default().trim_matches('"'))
}

/// The prose with marks in place of comments, formulas, code, labels, references, arguments and `#given[...]`: words on both sides of one
/// are no neighbours. Lines stay lines.
fn bare(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let blank =
        |out: &mut String, part: &str| out.extend(part.chars().map(|next| if next == '\n' { '\n' } else { '_' }));
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '/' if rest.starts_with("//") && !out.ends_with(':') => rest.find('\n').unwrap_or(rest.len()),
            '$' | '`' => rest[1..].find(next).map_or(rest.len(), |end| end + 2),
            '<' => rest.find('>').map_or(1, |end| end + 1),
            '@' => {
                1 + rest[1..].find(|next: char| !next.is_ascii_alphanumeric() && next != '-').unwrap_or(rest.len() - 1)
            }
            '#' => {
                let name = 1 + rest[1..]
                    .find(|next: char| !next.is_ascii_alphanumeric() && next != '-')
                    .unwrap_or(rest.len() - 1);
                let bracketed = if rest[name..].starts_with('(') { balanced(&rest[name..], '(', ')') } else { 0 };
                let given = if rest.starts_with("#given[") { balanced(&rest[name..], '[', ']') } else { 0 };
                name + bracketed + given
            }
            _ => {
                out.push(next);
                rest = &rest[next.len_utf8()..];
                continue;
            }
        };
        blank(&mut out, &rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// The length of what stands between these brackets, with them.
fn balanced(text: &str, open: char, close: char) -> usize {
    let mut depth = 0_usize;
    let mut quoted = false;
    for (at, next) in text.char_indices() {
        match next {
            '"' => quoted = !quoted,
            _ if quoted => {}
            _ if next == open => depth += 1,
            _ if next == close => {
                depth -= 1;
                if depth == 0 {
                    return at + next.len_utf8();
                }
            }
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_figure_are_read_from_its_call() {
        let text = r#"#fig("a")[A (panels: "z").] #wide-fig("b", panels: "ac", columns: 3)[B.]"#;
        assert_eq!((option(text, "b", "panels"), option(text, "b", "columns")), (Some("ac"), Some("3")));
        assert_eq!((option(text, "a", "panels"), option(text, "c", "panels")), (None, None));
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_typed_number_is_found() {
        for (text, found) in [
            ("The rate is 1.44 times the bound.", "line 1: `1.44` is typed"),
            ("It takes\nthree times as long.", "line 2: `three times` is typed"),
            ("#emph[half of 12]", "`12` is typed"),
            ("at #given[32 bits]; with", "line 1: a semicolon right behind"),
        ] {
            let findings = findings(text, &set(&[]), &set(&[]));
            assert!(findings.len() == 1 && findings[0].contains(found), "{text}: {findings:?}");
        }
    }

    #[test]
    fn formulas_code_references_and_given_numbers_are_none() {
        let text = "At $1 - 2^(-8)$ of `xor-8` @bloom70 #given[(1970)] and with three #v(\"a\") times <sec-1> // 44\n= Two ways";
        assert_eq!(findings(text, &set(&["a"]), &set(&[])), [""; 0]);
    }

    #[test]
    fn what_is_shown_must_be_spoken_of_and_what_is_named_used() {
        let text = "#fig(\"a\")[x] #tab(\"b\")[y] see @fig-a-b and @tab-b #v(\"c\")";
        let findings = findings(text, &set(&["d"]), &set(&["b", "e"])).join("; ");
        for words in [
            "#fig(\"a\") is shown, but the text never refers to @fig-a",
            "#v(\"c\"): values.toml has no such number",
            "values.toml: `d` is used nowhere",
            "tables.toml: `e` is used nowhere",
        ] {
            assert!(findings.contains(words), "{findings}");
        }
        assert!(!findings.contains("@tab-b;"), "{findings}");
    }
}
