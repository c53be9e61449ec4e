//! Definitions that cannot be: one message with file, line and the nearest valid name, exit code 2, nothing written.

use crate::common::{SMALL, folder, rows, run, small, small_with, smoke};
use experiments::HarnessError;
use experiments::spec::Definition;

/// Replaces `from` by `to` in the small definition and says what is wrong with how its run is refused: it must be at
/// the line of `to`, with these words.
fn fault(from: &str, to: &str, words: &[&str]) -> Option<String> {
    let text = small_with(&[(from, to)]);
    let out = folder(&format!("faults-{:?}", std::thread::current().id()).replace(['(', ')'], ""));
    let parsed = Definition::parse("small.toml", &text);
    let error = match parsed.and_then(|definition| run(vec![definition], &smoke(&out))) {
        Ok(_) => return Some(format!("`{to}` was accepted")),
        Err(error) => error,
    };
    let message = error.to_string();
    if !matches!(error, HarnessError::Definition(_)) || error.exit_code() != 2 {
        return Some(format!("`{to}` is no fault of the definition: {message}"));
    }
    let line = text[..text.find(to).unwrap()].matches('\n').count() + 1;
    let place = format!("small.toml:{line}:");
    let missing = words.iter().copied().chain([place.as_str()]).find(|word| !message.contains(word));
    let missing = missing.map(|word| format!("`{to}`: `{word}` is missing:\n{message}"));
    let left = std::fs::read_dir(&out).unwrap().count();
    missing.or((left > 0).then(|| format!("`{to}` left something behind")))
}

/// Asserts that each of these changes is refused.
fn refused(cases: &[(&str, &str, &[&str])]) {
    let faults: Vec<String> = cases.iter().filter_map(|(from, to, words)| fault(from, to, words)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn unknown_keys_are_answered_with_the_nearest() {
    refused(&[
        ("title =", "titel =", &["unknown field `titel`", "nearest is `title`"]),
        ("model =", "modell =", &["unknown field `modell`", "nearest is `model`"]),
        ("scale.quick = { filters", "scale.quick = { filterz", &["unknown field `filterz`", "nearest is `filters`"]),
        ("x-axis = { label", "x-axis = { lable", &["unknown field `lable`", "nearest is `label`"]),
        ("scale.quick", "scale.quik", &["unknown field `quik`", "nearest is `quick`"]),
        ("[[panel]]", "[[panels]]", &["unknown field `panels`", "nearest is `panel`"]),
    ]);
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    refused(&[
        (r#"["standard"]"#, r#"["standart"]"#, &["unknown contender `standart`", "nearest is `standard`"]),
        ("sweep.keys", "sweep.kees = 3\nsweep.keys", &["unknown factor `kees`", "nearest is `keys`"]),
        ("sweep.keys", "sweep.q = 3\nsweep.keys", &["unknown factor `q`"]),
        ("sweep.keys", "sweep.run = 3\nsweep.keys", &["unknown factor `run`"]),
        (
            "sweep.keys",
            "sweep.workload = \"rondom\"\nsweep.keys",
            &["unknown workload `rondom`", "nearest is `random`"],
        ),
        ("sweep.keys", "sweep.family = \"mixr\"\nsweep.keys", &["unknown hash family `mixr`", "mixer"]),
        ("sweep.keys", "sweep.scheme = \"dubble\"\nsweep.keys", &["dubble", "double"]),
        ("sweep.keys", "sweep.reduction = \"modullo\"\nsweep.keys", &["modullo", "modulo"]),
        ("model = \"rate\"", "model = \"rat\"", &["unknown variant `rat`", "nearest is `rate`"]),
        ("scale = \"log\"", "scale = \"lug\"", &["unknown variant `lug`", "nearest is `log`"]),
    ]);
}

#[test]
fn panels_that_show_what_there_is_not() {
    refused(&[
        ("measure = \"main\"\nx =", "measure = \"mein\"\nx =", &["unknown measure `mein`", "nearest is `main`"]),
        ("x = \"k\"", "x = \"kk\"", &["no column `kk`", "nearest is `k`"]),
        ("y = \"fpr\"", "y = \"fbr\"", &["no column `fbr`", "nearest is `fpr`"]),
        ("series = [\"contender\"]", "series = [\"contander\"]", &["no column `contander`", "nearest is `contender`"]),
    ]);
}

#[test]
fn amounts_that_are_none() {
    for scale in ["smoke", "quick", "full"] {
        let before = SMALL.lines().find(|line| line.starts_with(&format!("scale.{scale}"))).unwrap();
        let none =
            before.replace("filters = ", "filters = 0 #").split('#').next().unwrap().to_owned() + ", most-probes = 1 }";
        refused(&[(before, &none, &["filters = 0", "at least 1"])]);
        for effect in ["-1.0", "nan", "inf", "0.0"] {
            let bad = before.replace(" }", &format!(", effect = {effect} }}"));
            refused(&[(before, &bad, &["effect", "finite number above 0"])]);
        }
    }
    refused(&[
        ("sweep.k = [1, 2, 3, 4]", "sweep.k = { from = 1, to = 1e9, step = 1 }", &["at most 10000"]),
        ("sweep.k = [1, 2, 3, 4]", "sweep.k = { from = 1, to = 9, step = 0 }", &["no rising progression"]),
        ("sweep.k = [1, 2, 3, 4]", "sweep.k = { from = 9, to = 1, step = 1 }", &["no rising progression"]),
        ("sweep.k = [1, 2, 3, 4]", "sweep.k = { from = 1, to = inf, factor = 2 }", &["no rising progression"]),
        ("sweep.keys = 64", "sweep.keys = 6.5", &["keys = 6.5", "whole number"]),
        ("sweep.keys = 64", "sweep.load = -1.0\nsweep.keys = 64", &["load = -1"]),
        ("sweep.keys = 64", "sweep.load = nan\nsweep.keys = 64", &["load = NaN"]),
    ]);
}

#[test]
fn missing_fields_and_wrong_types() {
    refused(&[
        ("id = \"small\"", "id = 7", &["invalid type", "string"]),
        ("id = \"small\"", "id = \"other\"", &["id `other` is not the file's name `small`"]),
        ("filters = 4", "filters = \"many\"", &["invalid type", "u64"]),
        ("filters = 4", "filters = -4", &["invalid value", "u64"]),
        ("contenders = [\"standard\"]", "contenders = \"standard\"", &["invalid type", "sequence"]),
        ("sweep.k = [1, 2, 3, 4]", "sweep.k = { from = 1, to = 4 }", &[]),
        ("title = \"A small one\"", "title = ", &[]),
    ]);
    let text = small_with(&[("title = \"A small one\"\n", "")]);
    let error = Definition::parse("small.toml", &text).unwrap_err();
    assert!(error.exit_code() == 2 && error.to_string().contains("missing field `title`"), "{error}");
    let error = Definition::parse("small.toml", &small_with(&[("model = \"rate\"\n", "")])).unwrap_err();
    assert!(error.exit_code() == 2 && error.to_string().contains("missing field `model`"), "{error}");
    assert!(error.to_string().contains("small.toml:6:"), "{error}");
    let error = Definition::parse("small.toml", "").unwrap_err();
    assert!(error.exit_code() == 2 && error.to_string().contains("small.toml"), "{error}");
}

/// A definition must measure what it says: two sizes, or a name where a number belongs, are no choice to be made in silence.
#[test]
fn contradictions_and_names_for_numbers() {
    refused(&[
        ("sweep.k = [1, 2, 3, 4]", "sweep.k = \"three\"", &["k = \"three\" is no number"]),
        ("sweep.k = [1, 2, 3, 4]", "sweep.fpr = 0.01", &["`fpr` sizes the filter", "`m`"]),
        ("sweep.k = [1, 2, 3, 4]", "sweep.k = 0", &["no point of this definition can be measured", "k = 0"]),
    ]);
}

/// HAND-40: a point that fails is a row with all columns, an outcome and empty metrics; the others go on.
#[test]
fn hand_40_a_failed_point_is_a_row() {
    for (name, swept, good) in [("k", "sweep.k = [0, 2, 3, 65]", 2), ("m", "sweep.k = 2\nsweep.m = [0, 640]", 1)] {
        let definition = match name {
            "k" => small(&[("sweep.k = [1, 2, 3, 4]", swept)]),
            _ => small(&[("sweep.m = 640\n", ""), ("sweep.k = [1, 2, 3, 4]", swept)]),
        };
        let out = folder(&format!("failed-{name}"));
        let derived = run(vec![definition], &smoke(&out)).unwrap().remove(0);
        let (failed, fine): (Vec<_>, Vec<_>) =
            rows(&out, "small").into_iter().partition(|row| row.outcome == "invalid-params");
        assert!(!failed.is_empty() && fine.iter().all(|row| row.outcome == "ok"));
        for row in &failed {
            assert_eq!((row.filters, row.probes, row.false_positives, row.false_negatives), (None, None, None, None));
            assert_eq!((row.payload_bits, row.expected_by_contents, row.min_ps), (None, None, None));
            assert!(!row.point.is_empty() && row.contender == "standard" && row.factors.contains(name));
            let cells = String::from_utf8(row.line().unwrap()).unwrap();
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(cells.as_bytes());
            let columns = String::from_utf8(experiments::record::Record::header().unwrap()).unwrap();
            assert_eq!(reader.records().next().unwrap().unwrap().len(), columns.split(',').count());
        }
        let outcomes = crate::common::column(&derived, "outcome");
        assert_eq!(outcomes.iter().filter(|outcome| *outcome == "ok").count(), good);
        for row in &derived.table.rows {
            let cell = |name| derived.table.cell(row, name);
            assert!(cell("outcome") == "ok" || cell("verdict") == "not-tested", "{row:?}");
            assert_eq!(cell("fpr").is_empty(), cell("outcome") != "ok");
        }
        assert!(out.join("figures/small.svg").is_file());
    }
}

#[test]
fn the_command_takes_a_file_and_refuses_it_alike() {
    let folder = folder("own-file");
    let file = folder.join("small.toml");
    let out = folder.join("out");
    let run = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let words = ["run", file.to_str().unwrap(), "--scale", "smoke", "--out", out.to_str().unwrap()];
        crate::cli::run_args(&words)
    };
    run(&small_with(&[("title =", "titel =")])).is_refused(2, &["small.toml:2:", "nearest is `title`"]);
    run(&small_with(&[("standard", "standart")])).is_refused(2, &["small.toml:9:", "nearest is `standard`"]);
    assert!(!out.exists());
    let ran = run(SMALL);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("small") && out.join("figures/small.png").is_file());
    let missing = crate::cli::run_args(&["run", "missing.toml", "--out", out.to_str().unwrap()]);
    missing.is_refused(2, &["missing.toml", "cannot read the definition"]);
}

/// Built-in definitions with pieces cut, doubled, swapped and put in: each is read or refused in one message that names the
/// file, and none ends the program. `scripts/fuzz.sh` looks for more.
#[test]
fn mangled_definitions_are_read_or_refused() {
    let pieces = [
        "\"",
        "=",
        "[[",
        "]",
        "{",
        "\t",
        "\r\n",
        "\0",
        "\u{e9}",
        "\u{202e}",
        "\u{1d11e}",
        "nan",
        "-1",
        "1e999",
        "'''",
        "#",
        ".",
        "\n\n",
    ];
    let mut state = 5u64;
    let mut below = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most.max(1)
    };
    let (mut read, mut refused) = (0, 0);
    for definition in Definition::builtin().unwrap() {
        for _ in 0..40 {
            let mut text: Vec<char> = definition.text.chars().collect();
            for _ in 0..=below(3) {
                let at = below(text.len());
                let until = (at + below(40)).min(text.len());
                match below(4) {
                    0 => drop(text.drain(at..until)),
                    1 => text.splice(at..at, text[at..until].to_vec()).for_each(drop),
                    2 => text[at..until].reverse(),
                    _ => text.splice(at..at, pieces[below(pieces.len())].chars()).for_each(drop),
                }
            }
            let text: String = text.into_iter().collect();
            match Definition::parse(&format!("{}.toml", definition.id), &text) {
                Ok(parsed) => {
                    assert_eq!(parsed.text, text);
                    read += 1;
                }
                Err(error) => {
                    assert!(matches!(error, HarnessError::Definition(_)) && error.exit_code() == 2, "{error}");
                    assert!(error.to_string().contains(&format!("{}.toml", definition.id)), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(read > 100 && refused > 500, "{read} read, {refused} refused");
}
