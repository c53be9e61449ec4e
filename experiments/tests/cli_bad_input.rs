//! What cannot be: one clear message, exit code 2, no table, no panic.

use crate::cli::{folder, run, run_args};

/// HAND-12: a rate out of range is named with its range.
#[test]
fn hand_12_rates_out_of_range() {
    for bad in ["0", "1", "-0.1", "2", "10.1", "NaN", "inf", "infinity"] {
        let words = [&format!("fpr = {bad} is out of range"), "above 0 and below 1"];
        run(&format!("theory standard --keys 1000 --fpr {bad}")).is_refused(2, &words);
        run(&format!("compare standard exact --keys 1000 --fpr {bad}")).is_refused(2, &words);
    }
    run("compare standard partitioned --keys 1e9 --fpr 1e-300").is_refused(2, &["standard: fpr = 1e-300", "1e-15"]);
    run("theory standard --keys 1000 --fpr=-inf").is_refused(2, &["fpr = -inf"]);
}

#[test]
fn budgets_out_of_range() {
    for bad in ["0", "-1", "NaN", "inf"] {
        let words = [&format!("bits-per-key = {bad} is out of range"), "above 0"];
        run(&format!("theory standard --keys 1000 --bits-per-key {bad}")).is_refused(2, &words);
        run(&format!("compare standard --keys 1000 --bits-per-key {bad}")).is_refused(2, &words);
    }
    run("compare standard --keys 1 --bits-per-key 1").is_refused(2, &["64 bits"]);
}

/// HAND-13: absurd numbers of keys are an error value, and memory is tried, not assumed.
#[test]
fn hand_13_absurd_numbers_of_keys() {
    for absurd in ["1000000000000000000", "1e18", "1_000_000_000_000_000_000", "18446744073709551616"] {
        let words = [&format!("keys = {absurd} is out of range"), "2^56"];
        run(&format!("theory standard --keys {absurd} --fpr 0.01")).is_refused(2, &words);
        run(&format!("compare standard exact --keys {absurd} --fpr 0.01")).is_refused(2, &words);
    }
    run("compare standard partitioned --keys 1e15 --fpr 0.01").is_refused(2, &["cannot allocate", "fewer keys"]);
    let huge = run("compare standard --keys 1e13 --bits-per-key 10 --filters 1 --probes 10 --format csv");
    assert_eq!(huge.code, 0, "{}", huge.stderr);
    assert_eq!(huge.row()["outcome"], "out-of-memory");
    for bad in ["-1", "1.5", "many", "nan", ""] {
        let ran = run_args(&["theory", "standard", "--keys", bad, "--fpr", "0.01"]);
        ran.is_refused(2, &["--keys"]);
    }
}

#[test]
fn parameters_out_of_range_and_unknown() {
    for (params, words) in [
        ("--param k=0 --param m=640", &["standard: k = 0", "1 to 64"][..]),
        ("--param k=65 --param m=640", &["k = 65"]),
        ("--param m=0", &["m = 0", "1 to 2^48"]),
        ("--param m=1.5", &["m = 1.5", "whole number"]),
        ("--param m=-1", &["m = -1"]),
        ("--param q=3 --param m=64", &["unknown parameter `q`", "`m`, `k`"]),
        ("--param k=3", &["parameter `m` is missing"]),
        ("--param m", &["NAME=VALUE"]),
        ("--param m=x", &["`x` is no number"]),
        ("--param m=64 --param m=128", &["`m` was given twice"]),
        ("", &["--fpr P, --bits-per-key B or --param m=VALUE"]),
        ("--fpr 0.01 --bits-per-key 10", &["cannot be used with"]),
        ("--fpr 0.01 --param k=3", &["give one of them"]),
        ("--bits-per-key 10 --param m=64", &["give one of them"]),
    ] {
        run(&format!("theory standard --keys 1000 {params}")).is_refused(2, words);
    }
    run("theory coin --keys 1000 --param m=64").is_refused(2, &["unknown parameter `m`", "no parameters"]);
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    let words = ["unknown contender `standart`, nearest is `standard`"];
    run("theory standart --keys 10 --fpr 0.1").is_refused(2, &words);
    run("compare exact standart --keys 10 --fpr 0.1").is_refused(2, &words);
    run("compare standard --keys 10 --fpr 0.1 --workload rondom").is_refused(2, &["nearest is `random`"]);
    run("compare standard --keys 10 --fpr 0.1 --family xxh4").is_refused(2, &["unknown hash family `xxh4`", "xxh3"]);
    run("compare standard --keys 10 --fpr 0.1 --format cvs").is_refused(2, &["csv"]);
    run("comparr standard").is_refused(2, &["compare"]);
    run("list contender").is_refused(2, &["contenders"]);
}

#[test]
fn arguments_that_are_wrong_for_every_contender() {
    for (args, words) in [
        ("standard --keys 1000", &["give --fpr P, --bits-per-key B or --param"][..]),
        ("standard --fpr 0.01", &["give --keys N"]),
        ("--keys 1000 --fpr 0.01", &["CONTENDER"]),
        ("standard --keys 1000 --fpr 0.01 --hit-share 1.1", &["hit-share = 1.1", "from 0 to 1"]),
        ("standard --keys 1000 --fpr 0.01 --hit-share -0.1", &["hit-share = -0.1"]),
        ("standard --keys 1000 --fpr 0.01 --hit-share nan", &["hit-share = nan"]),
        ("standard --keys 1000 --fpr 0.01 --filters 0", &["filters = 0", "from 1"]),
        ("standard --keys 1000 --fpr 0.01 --probes -1", &["probes = -1"]),
        ("standard --keys 1000 --fpr 0.01 --absent-file x", &["--key-file"]),
        ("standard --keys 1000 --fpr 0.01 --workload text --family tabulation", &["tabulation", "bytes"]),
    ] {
        run(&format!("compare {args}")).is_refused(2, words);
    }
}

#[test]
fn key_files_that_are_none() {
    let folder = folder("bad-key-files");
    let write = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let compare = |options: &[&str]| {
        let common = ["compare", "standard", "--fpr", "0.01", "--filters", "2", "--probes", "10"];
        run_args(&[&common[..], options].concat())
    };
    let missing = folder.join("missing.txt").to_str().unwrap().to_owned();
    compare(&["--key-file", &missing]).is_refused(2, &["missing.txt", "cannot read"]);
    compare(&["--key-file", folder.to_str().unwrap()]).is_refused(2, &["bad-key-files", "cannot read"]);
    let empty = write("empty.txt", b"");
    compare(&["--key-file", &empty]).is_refused(2, &["empty.txt", "no key in the file"]);
    let blank = write("blank.txt", b"\n\n");
    compare(&["--key-file", &blank]).is_refused(2, &["blank.txt", "no key in the file"]);
    let odd = write("odd.u64", &[1, 2, 3]);
    compare(&["--key-file", &odd]).is_refused(2, &["odd.u64", "3 bytes", "8-byte keys"]);
    let (keys, raw) = (write("keys.txt", b"a\nb\n"), write("raw.u64", &[1, 0, 0, 0, 0, 0, 0, 0]));
    compare(&["--key-file", &keys, "--absent-file", &raw]).is_refused(2, &["two files of one kind"]);
    compare(&["--key-file", &keys, "--absent-file", &keys]).is_refused(2, &["no key that is not a member"]);
    compare(&["--key-file", &keys, "--keys", "3"]).is_refused(2, &["keys.txt", "2 distinct keys", "at most 2"]);
    compare(&["--key-file", &keys, "--family", "mixer"]).is_refused(2, &["mixer", "u64"]);
}

#[test]
fn a_closed_pipe_is_no_panic() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_experiments"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.success());
}

#[test]
fn help_and_lists_come_from_the_registry() {
    let help = run("--help");
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    for command in ["run", "figure", "report", "check", "compare", "theory", "list", "new", "completions"] {
        assert!(help.stdout.contains(&format!("  {command} ")), "{}", help.stdout);
    }
    for id in ["standard", "partitioned", "leaky"] {
        assert!(run("compare --help").stdout.contains(id));
        assert!(run("list contenders --format csv").rows().iter().any(|row| row["contender"] == id));
    }
    assert!(run("completions zsh").stdout.contains("#compdef experiments"));
    assert_eq!(run("--version").code, 0);
}
