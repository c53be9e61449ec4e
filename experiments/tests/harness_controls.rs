//! Filters that the pipeline must judge right, and a filter of somebody else's that joins without a line of ours.

use std::sync::atomic::AtomicBool;

use crate::common::{builtin, column, folder, rows, run, small, smoke};
use crate::toy::Fingerprints;
use experiments::compare::{Asked, Comparison, default_family};
use experiments::keys::Workload;
use experiments::pipeline::{self, Derived};
use experiments::run::Options;
use experiments::{Contender, HarnessError, Registry, Role};

/// The verdicts of a contender at the points of a run.
fn verdicts(derived: &Derived, id: &str) -> Vec<String> {
    let cells = column(derived, "contender").into_iter().zip(column(derived, "verdict"));
    cells.filter(|(contender, _)| contender == id).map(|(_, verdict)| verdict).collect()
}

/// The definition of the controls: enough probes that 15 % show.
fn loads(contenders: &str) -> experiments::spec::Definition {
    small(&[
        ("[\"standard\"]", contenders),
        ("sweep.m = 640\n", "sweep.fpr = 0.01\n"),
        ("sweep.k = [1, 2, 3, 4]\n", "sweep.load = [0.5, 1, 2]\n"),
        ("sweep.keys = 64", "sweep.keys = 10_000"),
        ("filters = 4, most-probes = 40_000", "filters = 8, most-probes = 3_000_000"),
        ("x = \"k\"", "x = \"load\""),
    ])
}

#[test]
fn exact_agrees_and_false_claims_are_caught() {
    let out = folder("controls");
    let derived = run(vec![loads(r#"["exact", "coin", "inflated", "standard"]"#)], &smoke(&out)).unwrap().remove(0);
    assert_eq!(verdicts(&derived, "exact"), ["agrees"; 3]);
    assert_eq!(verdicts(&derived, "coin"), ["above-theory"; 3]);
    let inflated = verdicts(&derived, "inflated");
    assert_eq!(inflated[1..], ["above-theory"; 2]);
    let standard = verdicts(&derived, "standard");
    assert_eq!(standard[1..], ["agrees"; 2]);
    let exact = rows(&out, "small").into_iter().filter(|row| row.contender == "exact");
    for row in exact {
        assert_eq!((row.false_positives, row.false_negatives), (Some(0), Some(0)));
        assert!(row.probes > Some(0));
    }
    // Rate 0 and prediction 0 on a log axis: an upper limit and no line.
    assert!(out.join("figures/small.svg").is_file());
}

#[test]
fn a_leaky_filter_ends_the_run_with_everything_written() {
    let out = folder("leaky");
    let error = run(vec![loads(r#"["standard", "leaky"]"#)], &smoke(&out)).unwrap_err();
    assert!(matches!(error, HarnessError::LawViolated(_)), "{error}");
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().contains("small"), "{error}");
    for file in ["derived/small.csv", "figures/small.svg", "figures/small.png"] {
        assert!(out.join(file).metadata().unwrap().len() > 0, "{file}");
    }
    let (leaky, standard): (Vec<_>, Vec<_>) = rows(&out, "small").into_iter().partition(|row| row.contender == "leaky");
    assert!(standard.iter().all(|row| row.outcome == "ok" && row.false_negatives == Some(0)));
    assert!(leaky.iter().any(|row| row.outcome == "law-violated" && row.false_negatives > Some(0)));
    let table = experiments::table::Table::read(&out.join("derived/small.csv")).unwrap();
    let broken = table.rows.iter().filter(|row| table.cell(row, "verdict") == "law-violated");
    assert!(broken.clone().count() > 0 && broken.into_iter().all(|row| table.cell(row, "contender") == "leaky"));
    // Nothing is measured again, and the law stays broken.
    let again = run(vec![loads(r#"["standard", "leaky"]"#)], &smoke(&out)).unwrap_err();
    assert!(matches!(again, HarnessError::LawViolated(_)), "{again}");
}

#[test]
fn the_command_runs_controls_by_name_only() {
    let out = folder("controls-by-name");
    let at = out.to_str().unwrap();
    let ran =
        crate::cli::run(&format!("run fpr-vs-load --scale smoke --contenders exact,coin,inflated,leaky --out {at}"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("law-violated") && ran.stderr.contains("fpr-vs-load"), "{}", ran.stderr);
    for file in ["index.html", "derived/fpr-vs-load.csv", "figures/fpr-vs-load.svg"] {
        assert!(out.join(file).is_file(), "{file}");
    }
    for file in ["index.html", "derived/fpr-vs-load.csv"] {
        assert!(std::fs::read_to_string(out.join(file)).unwrap().contains("law-violated"), "{file}");
    }
    let checked = crate::cli::run(&format!("check --out {at}"));
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    let ran = crate::cli::run(&format!("run fpr-vs-load --contenders exakt --out {at}"));
    ran.is_refused(2, &["unknown contender `exakt`", "nearest is `exact`"]);
    let controls: Vec<&str> =
        Registry::workspace().iter().filter(|one| one.role == Role::Control).map(|one| one.id).collect();
    assert_eq!(controls, ["exact", "coin", "inflated", "leaky"]);
    for definition in experiments::spec::Definition::builtin().unwrap() {
        for id in definition.measure.iter().flat_map(|measure| &measure.contenders) {
            assert!(!controls.contains(&id.as_str()), "{}: `{id}` is a control", definition.id);
        }
    }
}

/// The registry of another repository.
fn theirs() -> Registry {
    Registry::workspace().with(Contender::incremental::<Fingerprints>("fingerprints"))
}

#[test]
fn a_filter_of_another_repository_runs_in_a_definition() {
    let out = folder("theirs");
    let definition = loads(r#"["fingerprints", "standard"]"#);
    let stop = AtomicBool::new(false);
    let derived = pipeline::run(&theirs(), vec![definition], &smoke(&out), &stop).unwrap().derived.remove(0);
    let verdicts = verdicts(&derived, "fingerprints");
    assert_eq!(verdicts[1..], ["agrees"; 2]);
    assert!(out.join("figures/small.svg").is_file());
    // In place of the contenders of a definition that comes with the harness, too.
    let out = folder("theirs-instead");
    let options = Options { contenders: Some(vec!["fingerprints".to_owned()]), ..smoke(&out) };
    let derived = pipeline::run(&theirs(), vec![builtin("fpr-vs-load")], &options, &stop).unwrap().derived.remove(0);
    assert!(column(&derived, "contender").iter().all(|id| id == "fingerprints"));
    crate::common::check(&theirs(), vec![builtin("fpr-vs-load")], &out).unwrap();
    // And without its registration the folder cannot be derived again.
    let error = crate::common::check(&Registry::workspace(), vec![builtin("fpr-vs-load")], &out).unwrap_err();
    assert!(error.to_string().contains("unknown contender `fingerprints`"), "{error}");
}

#[test]
fn a_filter_of_another_repository_is_compared() {
    let workload = Workload::Random;
    let asked = Asked {
        family: default_family(workload.kind()),
        workload,
        keys: 5_000,
        seed: 1,
        filters: Some(8),
        probes: Some(200_000),
        hit_share: 0.5,
    };
    let contenders = ["standard", "fingerprints"].map(|id| {
        let contender = *theirs().find(id).unwrap();
        (contender, contender.size_for_fpr(5_000, 0.01))
    });
    let comparison = Comparison::measure(&asked, contenders.to_vec(), &|_| {}).unwrap();
    comparison.laws().unwrap();
    let csv = comparison.table();
    assert_eq!(comparison.rows().len(), 2);
    let text = format!("{csv:?}");
    assert!(text.contains("fingerprints") && text.contains("agrees"), "{text}");
}

#[test]
fn a_filter_of_another_repository_gets_the_command_line() {
    let words = ["theirs", "theory", "fingerprints", "--keys", "1000", "--fpr", "0.01"];
    let code = experiments::cli::run_args(&theirs(), words.map(Into::into));
    assert_eq!(format!("{code:?}"), format!("{:?}", std::process::ExitCode::SUCCESS));
    let words = ["theirs", "theory", "fingerprintz", "--keys", "1000", "--fpr", "0.01"];
    let code = experiments::cli::run_args(&theirs(), words.map(Into::into));
    assert_eq!(format!("{code:?}"), format!("{:?}", std::process::ExitCode::from(2)));
    let mut command = experiments::cli::command(&theirs());
    let help = command.find_subcommand_mut("compare").unwrap().render_long_help().to_string();
    assert!(help.contains("fingerprints"), "{help}");
}
