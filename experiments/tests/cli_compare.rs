//! `compare`: the columns, the judgement of the controls, the same counts on any number of threads, key files.

use crate::cli::{folder, run, run_args, run_on};
use amq::Digest;
use experiments::Registry;

const COLUMNS: &str = "contender,published,params,keys,bits,bits_per_key,filters,probes,false_positives,false_negatives,fpr,\
    fpr_low,fpr_high,predicted_fpr,claim,verdict,bound_bits_per_key,overhead,build_ns_per_key,hit_ns,miss_ns,outcome";

/// A parameter goes to each contender that has it; one that nobody has is answered with the nearest.
#[test]
fn parameters_by_name() {
    let ran = run("compare standard cuckoo xor-8 --keys 500 --fpr 0.05 --param buckets=200 --filters 2 --format csv");
    let params: Vec<String> = ran.rows().iter().map(|row| row["params"].clone()).collect();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(params[0].contains("\"k\":4") && params[2].contains("\"fingerprint_bits\":8"), "{params:?}");
    let ran = run("compare cuckoo --keys 500 --param buckets=200 --param fingerprint_bits=9 --filters 2 --format csv");
    assert_eq!((ran.code, ran.rows()[0]["params"].as_str()), (0, "{\"buckets\":200,\"fingerprint_bits\":9}"));
    let ran = run("compare standard --keys 500 --fpr 0.05 --param bucket=200");
    assert!(ran.code == 2 && ran.stderr.contains("--param bucket: no contender has it"), "{}", ran.stderr);
}

#[test]
fn all_columns_in_order_and_what_they_mean() {
    let ran = run("compare standard partitioned --keys 10000 --fpr 0.01 --format csv");
    assert_eq!((ran.code, ran.stdout.lines().next()), (0, Some(COLUMNS)));
    for row in ran.rows() {
        let number = |name: &str| row[name].parse::<f64>().unwrap();
        let params: serde_json::Value = serde_json::from_str(&row["params"]).unwrap();
        assert_eq!(params["k"], 7);
        assert_eq!((number("keys"), number("filters"), number("false_negatives")), (10_000.0, 16.0, 0.0));
        assert!(number("probes") > 7e5 && number("probes") % 16.0 == 0.0, "{row:?}");
        // HAND-37: positives of absent keys over absent keys.
        assert!((number("fpr") - number("false_positives") / number("probes")).abs() < 1e-15);
        assert!(number("fpr_low") < number("fpr") && number("fpr") < number("fpr_high"));
        assert!((number("bits_per_key") - number("bits") / 1e4).abs() < 1e-12);
        assert!((number("bound_bits_per_key") + number("predicted_fpr").log2()).abs() < 1e-12);
        assert!((number("overhead") - number("bits_per_key") / number("bound_bits_per_key")).abs() < 1e-12);
        assert_eq!(
            (row["claim"].as_str(), row["verdict"].as_str(), row["outcome"].as_str()),
            ("exact", "agrees", "ok")
        );
    }
    assert!(
        ran.stderr.contains("16 filters (default)") && ran.stderr.contains("would have been seen"),
        "{}",
        ran.stderr
    );
}

/// This build has debug assertions, so there are no times: empty cells, and a line that says so.
#[test]
fn an_unoptimised_build_is_not_timed() {
    let ran = run("compare standard --keys 1000 --fpr 0.01 --filters 2 --probes 100 --format csv");
    let row = ran.row();
    if cfg!(debug_assertions) {
        assert_eq!([&row["build_ns_per_key"], &row["hit_ns"], &row["miss_ns"]], ["", "", ""]);
        assert!(ran.stderr.contains("not timed"), "{}", ran.stderr);
    }
    assert_eq!((row["verdict"].as_str(), row["outcome"].as_str()), ("not-tested", "ok"));
    assert!(ran.stderr.contains("give more --probes"), "{}", ran.stderr);
}

#[test]
fn controls_are_judged_right() {
    let ran = run("compare exact coin inflated --keys 10000 --fpr 0.01 --format csv");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows = ran.rows();
    let cells = |row: usize| ["fpr", "verdict", "outcome"].map(|name| rows[row][name].as_str());
    assert_eq!(cells(0), ["0", "agrees", "ok"]);
    assert_eq!(cells(1)[1..], ["above-theory", "ok"]);
    assert_eq!(cells(2)[1..], ["above-theory", "ok"]);
    assert_eq!(rows[0]["params"], "{}");
    // No finite bound at rate 0.
    assert_eq!([&rows[0]["bound_bits_per_key"], &rows[0]["overhead"]], ["", ""]);
    assert!((rows[1]["fpr"].parse::<f64>().unwrap() - 0.5).abs() < 0.01);
}

#[test]
fn a_broken_law_is_shown_and_then_fails() {
    let ran = run("compare standard leaky --keys 100000 --fpr 0.01 --filters 4 --probes 1000 --format csv");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let rows = ran.rows();
    assert_eq!((rows[0]["outcome"].as_str(), rows[0]["false_negatives"].as_str()), ("ok", "0"));
    assert_eq!((rows[1]["outcome"].as_str(), rows[1]["verdict"].as_str()), ("law-violated", "law-violated"));
    // One key in 10^4 is dropped, of all 4 x 100,000; one in a hundred of them is a false positive then.
    let denied: f64 = rows[1]["false_negatives"].parse().unwrap();
    assert!((10.0..90.0).contains(&denied), "{denied}");
    assert!(ran.stderr.contains("leaky: law violated: ") && ran.stderr.contains("of 400000 members"), "{}", ran.stderr);
}

#[test]
fn counts_depend_on_the_seed_and_not_on_threads() {
    let args = "compare standard coin --keys 3000 --fpr 0.02 --filters 9 --probes 20000 --format csv";
    let (one, two) = (run_on(1, args), run_on(2, args));
    assert_eq!(one.code, 0, "{}", one.stderr);
    // Without times (debug assertions) the tables are equal byte by byte; with them the counts are.
    let counts = |ran: &crate::cli::Ran| -> Vec<Vec<String>> {
        let names = ["bits", "probes", "false_positives", "false_negatives", "fpr_low", "verdict"];
        ran.rows().iter().map(|row| names.iter().map(|name| row[*name].clone()).collect()).collect()
    };
    assert_eq!(counts(&one), counts(&two));
    assert_eq!(counts(&one), counts(&run(&format!("{args} --seed 1"))));
    assert_ne!(counts(&one), counts(&run(&format!("{args} --seed 2"))));
}

/// Contenders are paired: same keys, same hash, same seeds. What stands beside a contender changes nothing.
#[test]
fn contenders_are_measured_on_the_same_keys() {
    let args = "--keys 3000 --fpr 0.02 --filters 4 --probes 20000 --format csv";
    let rows = run(&format!("compare inflated partitioned standard {args}")).rows();
    assert_eq!(rows[0]["false_positives"], rows[2]["false_positives"]);
    assert_eq!(rows[2], run(&format!("compare standard {args}")).row());
}

/// HAND-13: what cannot be had is a row, and the command goes on.
#[test]
fn hand_13_too_large_for_one_is_a_row() {
    let ran = run("compare exact standard --keys 1000 --bits-per-key 1e12 --filters 2 --probes 100 --format csv");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows = ran.rows();
    assert_eq!((rows[0]["outcome"].as_str(), rows[1]["outcome"].as_str()), ("ok", "out-of-memory"));
    assert_eq!((rows[1]["false_positives"].as_str(), rows[1]["verdict"].as_str()), ("", "not-tested"));
    assert!(ran.stderr.contains("standard: cannot allocate"), "{}", ran.stderr);
}

/// HAND-14: nothing inserted, nothing answered with yes; few keys at 99 %.
#[test]
fn hand_14_nothing_planned_and_tiny_filters() {
    for id in ["standard", "partitioned"] {
        let row = run(&format!("compare {id} --keys 0 --fpr 0.01 --format csv")).row();
        let cells = ["fpr", "verdict", "bits_per_key", "outcome"].map(|name| row[name].as_str());
        assert_eq!(cells, ["0", "agrees", "", "ok"], "{row:?}");
        for keys in [1, 3] {
            let ran = run(&format!("compare {id} --keys {keys} --fpr 0.99 --filters 200 --probes 50 --format csv"));
            let row = ran.row();
            assert_eq!((row["outcome"].as_str(), row["false_negatives"].as_str()), ("ok", "0"), "{row:?}");
            assert!(row["fpr"].parse::<f64>().unwrap() <= 0.99);
        }
    }
}

/// HAND-14: a filter planned for no keys takes a later one and finds it.
#[test]
fn hand_14_a_later_insert_is_found() {
    let registry = Registry::workspace();
    for contender in registry.variants() {
        let params = contender.size_for_fpr(0, 0.01).unwrap();
        let empty = contender.build_from(&params, 7, &[]).unwrap();
        assert_eq!(empty.count_contained(&[Digest(1), Digest(2)]), 0, "{}", contender.id);
        let one = contender.build_from(&params, 7, &[Digest(1)]).unwrap();
        assert_eq!(one.count_contained(&[Digest(1)]), 1, "{}", contender.id);
    }
}

/// HAND-38: integers 0..99,999 in, the next ones asked at 1 %: about 1,000 hits, not none and not all.
#[test]
fn hand_38_consecutive_integers_reach_the_hash() {
    let row =
        run("compare standard --keys 100000 --fpr 0.01 --filters 1 --probes 100000 --workload sequential --format csv");
    let hits: f64 = row.row()["false_positives"].parse().unwrap();
    assert!((800.0..1200.0).contains(&hits), "{hits}");
}

#[test]
fn key_files_are_read_with_their_faults() {
    let folder = folder("key-files");
    let write = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // Bytes that are no UTF-8, a duplicate, an empty line, an end of line of Windows.
    let keys = write("keys.txt", b"one\ntwo\r\n\n\xff\xfe\none\nfour");
    let absent = write("absent.txt", b"five\ntwo\nsix\nfive\n");
    let common = ["compare", "standard", "--fpr", "0.01", "--filters", "3", "--format", "csv", "--key-file", &keys];
    let ran = run_args(&[&common[..], &["--absent-file", &absent, "--probes", "1000"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let row = ran.row();
    let cells = ["keys", "filters", "probes", "false_negatives", "outcome"].map(|name| row[name].as_str());
    assert_eq!(cells, ["4", "3", "6", "0", "ok"]);
    for line in
        ["keys.txt: 1 duplicates", "keys.txt: 1 empty", "absent.txt: 1 duplicates", "absent.txt: 1 keys that are"]
    {
        assert!(ran.stderr.contains(line), "{line}: {}", ran.stderr);
    }
    assert!(ran.stderr.contains("all absent keys of the file"), "{}", ran.stderr);
    let made_up = run_args(&[&common[..], &["--keys", "2", "--probes", "500"]].concat()).row();
    assert_eq!((made_up["keys"].as_str(), made_up["probes"].as_str()), ("2", "1500"));
    let raw = write("raw.u64", &(0..1000u64).flat_map(u64::to_le_bytes).collect::<Vec<_>>());
    let row = run_args(&[&common[..8], &["--key-file", &raw, "--probes", "10000"]].concat()).row();
    assert_eq!((row["keys"].as_str(), row["outcome"].as_str()), ("1000", "ok"));
}

#[test]
fn formats_hold_the_same_table() {
    let args = "compare standard exact --keys 500 --fpr 0.05 --filters 2 --probes 100";
    let csv = run(&format!("{args} --format csv")).rows();
    let json: Vec<serde_json::Value> = serde_json::from_str(&run(&format!("{args} --format json")).stdout).unwrap();
    assert_eq!(json.len(), 2);
    assert_eq!(json[0]["params"]["k"], csv[0]["params"].chars().nth(5).and_then(|digit| digit.to_digit(10)).unwrap());
    assert_eq!(json[0]["false_positives"].to_string(), csv[0]["false_positives"]);
    assert_eq!(json[1]["overhead"], serde_json::Value::Null);
    let keys: Vec<&String> = json[0].as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 22);
    let table = run(args).stdout;
    assert_eq!(table.lines().count(), 4, "{table}");
}

/// Without published crates in the build the option names the command that has them; with them they stand beside their class,
/// each with its version.
#[test]
fn published_crates_are_shown_where_they_are_built() {
    let ran = run("compare standard --peers --keys 2000 --fpr 0.01 --filters 2 --probes 1000 --format csv");
    if !cfg!(feature = "peers") {
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("cargo run -p experiments --features peers -- compare standard"), "{}", ran.stderr);
        return;
    }
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows = ran.rows();
    let version = |id: &str| rows.iter().find(|row| row["contender"] == id).map(|row| row["published"].clone());
    assert_eq!(version("standard").as_deref(), Some(""));
    assert_eq!(version("peer-fastbloom-foldhash").as_deref(), Some("fastbloom 0.17.0, foldhash 0.2.0"));
    assert_eq!(version("peer-sux-vfilter"), None);
}
