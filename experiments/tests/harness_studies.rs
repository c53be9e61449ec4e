//! Studies: how a definition names one, what its rows are, and that changed rows are found.

use crate::common::{builtin, folder, rows, rows_file, run, smoke};
use experiments::Registry;
use experiments::record::Record;
use experiments::spec::Definition;
use experiments::studies::{STUDIES, Study};

const ID: &str = "counter-histogram";

/// The message with which the definition is refused after `from` became `to`.
fn refusal(from: &str, to: &str) -> String {
    let text = &builtin(ID).text;
    assert!(text.contains(from), "{from}");
    let definition = Definition::parse(&format!("{ID}.toml"), &text.replace(from, to));
    let error = definition.and_then(|one| run(vec![one], &smoke(&folder("refused-study"))).map(|_| ())).unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
    error.to_string()
}

#[test]
fn a_study_that_is_none_is_answered_with_the_nearest() {
    let message = refusal("study = \"counter-histogram\"", "study = \"counter-histogran\"");
    assert!(
        message.contains("nearest is `counter-histogram`") && message.contains("counter-histogram.toml:"),
        "{message}"
    );
    let message = refusal("study = \"counter-histogram\"\n", "");
    assert!(message.contains("needs `study = "), "{message}");
    let message = refusal("model = \"study\"", "model = \"rate\"");
    assert!(message.contains("`study` belongs to"), "{message}");
    let message = refusal("sweep.batch", "sweep.bach");
    assert!(message.contains("unknown factor `bach`, nearest is `batch`"), "{message}");
    let message = refusal("most = 6", "most = 0");
    assert!(message.contains("factor `most`, at least 1; got 0"), "{message}");
}

#[test]
fn a_contender_of_another_kind_is_refused_by_name() {
    let message = refusal("contenders = [\"counting-16\"]", "contenders = [\"deletable\"]");
    assert!(message.contains("study `counter-histogram`") && message.contains("`deletable`"), "{message}");
}

/// Factors that would run for ever, or on nothing, are one message.
#[test]
fn factors_out_of_all_measure_are_refused() {
    let message = refusal("most = 6", "most = 1_000_000_000");
    assert!(message.contains("most = 1000000000 is out of range: 1 to 10000 steps"), "{message}");
    let text = &builtin("xor-build").text;
    let start = text.find("sweep.keys").unwrap();
    let end = start + text[start..].find('\n').unwrap();
    let text = text.replace(&text[start..end], "sweep.keys = 0");
    let definition = Definition::parse("xor-build.toml", &text).unwrap();
    let error = run(vec![definition], &smoke(&folder("no-keys-timed"))).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("keys = 0"), "{error}");
}

#[test]
fn names_are_unique_and_found() {
    for study in STUDIES {
        assert_eq!(Study::find(study.name).unwrap().about, study.about, "{}: two of one name", study.name);
        assert!(!study.about.is_empty() && !study.quantities.is_empty(), "{}", study.name);
    }
}

#[test]
fn a_changed_row_is_found_and_a_damaged_one_is_named() {
    let out = folder("changed-study");
    run(vec![builtin(ID)], &smoke(&out)).unwrap();
    let check = || crate::common::check(&Registry::workspace(), vec![builtin(ID)], &out);
    assert_eq!(check().unwrap(), 3);
    let mut all = rows(&out, ID);
    let before = all[0].observed.clone().unwrap();
    let (sum, rest) = before.split_once('/').unwrap();
    all[0].observed = Some(format!("{}/{rest}", sum.parse::<u64>().unwrap() + 1));
    Record::write_all(&rows_file(&out, ID), &all).unwrap();
    assert!(check().unwrap_err().to_string().contains("counter-histogram.csv differs"));
    all[0].observed = Some(before.replacen(';', " ", 1).replacen('/', "", 1));
    Record::write_all(&rows_file(&out, ID), &all).unwrap();
    let message = check().unwrap_err().to_string();
    assert!(message.contains("the raw rows were changed"), "{message}");
}
