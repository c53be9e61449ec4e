//! A folder with damage in it: the report names each file, shows the rest, and marks the gap.

use experiments::gaps::Holdings;
use experiments::registry::Registry;
use experiments::spec::Definition;

use crate::cli::run as cli;
use crate::common::{folder, root, rows_file};

/// Each kind of damage in an experiment of its own, beside one that is whole.
#[test]
fn damaged_raw_files_are_named_and_the_rest_is_shown() {
    let out = folder("report-gaps");
    let at = out.display().to_string();
    let ids = ["fpr-vs-k", "fpr-vs-load", "exact-vs-classic", "overhead", "cuckoo-rates", "four-designs"];
    let ran = cli(&format!("run {} --scale smoke --out {at}", ids.join(" ")));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let change = |id: &str, with: &dyn Fn(&str) -> String| {
        let file = rows_file(&out, id);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, with(&text)).unwrap();
    };
    let [missing, damaged, older, truncated, strange, whole] = ids;
    std::fs::remove_file(rows_file(&out, missing)).unwrap();
    change(damaged, &|text| text.replacen(",ok,", ",ok,many", 1));
    change(older, &|text| text.replacen("measure,", "metric,", 1));
    change(truncated, &|text| text[..text.len() / 2].to_owned());
    // A point of a filter that is not compiled in.
    change(strange, &|text| {
        let row = text.lines().nth(1).unwrap();
        let cells: Vec<&str> = row.split(',').collect();
        format!("{text}{}\n", row.replacen(cells[1], "another-point", 1).replacen(cells[3], "peer-of-someone", 1))
    });

    let ran = cli(&format!("report --out {at}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    for (id, word) in [
        (missing, "cannot read"),
        (damaged, "damaged row"),
        (older, "schema"),
        (truncated, "truncated, "),
        (strange, "1 rows are of points"),
    ] {
        let line = ran.stderr.lines().find(|line| line.starts_with(&format!("gap in the report: {id}: "))).unwrap();
        assert!(line.contains(&format!("raw/{id}/")) && line.contains("rows.csv") && line.contains(word), "{line}");
        let why = line.split_once(&format!("{id}: ")).unwrap().1;
        // At the top and in its section, with no folder of this machine.
        assert_eq!(page.matches(&maud::html! { (why) }.into_string()).count(), 2, "{why}");
        assert!(page.contains(&format!("<h2 id=\"{id}\">")), "{id} has no section");
    }
    assert!(!page.contains(root().to_str().unwrap()) && !page.contains(&at));
    // A figure for what is whole and for what is left, none for what cannot be read.
    for (id, figures) in [(missing, 0), (damaged, 0), (older, 0), (truncated, 2), (strange, 1), (whole, 1)] {
        assert_eq!(page.matches(&format!("<figure data-experiment=\"{id}\"")).count(), figures, "{id}");
    }
    let held = Holdings::read(&Registry::workspace(), Definition::builtin().unwrap(), &out).unwrap();
    let of = |id: &str| held.derived.iter().find(|derived| derived.definition.id == id);
    let short = of(truncated).unwrap();
    assert!(short.table.rows.iter().any(|row| short.table.cell(row, "outcome") == "incomplete"));
    assert!(of(whole).unwrap().table.rows.iter().all(|row| of(whole).unwrap().table.cell(row, "outcome") == "ok"));

    // The advice holds: the same run measures what is missing, and there is no gap left.
    let ran = cli(&format!("run {missing} {truncated} --scale smoke --out {at}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let held = Holdings::read(&Registry::workspace(), Definition::builtin().unwrap(), &out).unwrap();
    let mut left: Vec<&str> = held.gaps.iter().map(|gap| gap.experiment.as_str()).collect();
    left.sort_unstable();
    assert_eq!(left, [strange, older, damaged]);
}

/// A run that did not end, one of an earlier definition, a manifest that is none, a shard.
#[test]
fn runs_that_are_not_shown_are_gaps() {
    let out = folder("report-runs");
    let at = out.display().to_string();
    let ids = ["fpr-vs-k", "overhead", "four-designs"];
    assert_eq!(cli(&format!("run {} --scale smoke --out {at}", ids.join(" "))).code, 0);
    for (id, from, to) in [
        (ids[0], "complete = true", "complete = false"),
        (ids[1], "definition_hash = \"", "definition_hash = \"0"),
        (ids[2], "schema = ", "schema = 1"),
    ] {
        let manifest = rows_file(&out, id).with_file_name("run.toml");
        let text = std::fs::read_to_string(&manifest).unwrap();
        assert!(text.contains(from));
        std::fs::write(&manifest, text.replacen(from, to, 1)).unwrap();
    }
    let shard = "partitioned-vs-standard";
    assert_eq!(cli(&format!("run {shard} --shard 1/2 --scale smoke --out {at}")).code, 0);
    let ran = cli(&format!("report --out {at}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (id, word) in [
        (ids[0], "did not end"),
        (ids[1], "as it was then"),
        (ids[2], "schema 12 where"),
        (shard, "one shard of a run"),
    ] {
        let named = |line: &&str| line.starts_with(&format!("gap in the report: {id}: raw/{id}/"));
        let line = ran.stderr.lines().find(named).unwrap_or_else(|| panic!("{id}: {}", ran.stderr));
        assert!(line.contains(word), "{line}");
    }
    assert_eq!(cli(&format!("report --out {}", folder("report-nothing").display())).code, 2);
}

/// Titles, readings and cells are text, whatever they say.
#[test]
fn nothing_from_data_is_markup() {
    let out = folder("report-markup");
    let file = out.join("small.toml");
    let text = crate::common::small_with(&[
        ("A small one", "<script>alert(1)</script>"),
        ("Does it run?", "<img src=x onerror=alert(2)>"),
        ("It does.", "</body></html>"),
    ]);
    std::fs::write(&file, text).unwrap();
    let ran = cli(&format!("run {} --scale smoke --out {}", file.display(), out.display()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    for markup in ["<script>alert", "<img", "<IMG"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert_eq!((page.matches("</body>").count(), page.matches("&lt;script&gt;alert(1)").count() > 1), (1, true));
}
