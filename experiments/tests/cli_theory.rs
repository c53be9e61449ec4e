//! `theory` against numbers that were computed outside of this program.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::cli::run;

fn values(args: &str) -> BTreeMap<String, f64> {
    let rows = run(&format!("theory {args} --format csv")).rows();
    let number = |cell: &str| if cell.is_empty() { f64::NAN } else { cell.parse().unwrap() };
    rows.iter().map(|row| (row["name"].clone(), number(&row["value"]))).collect()
}

fn close(left: f64, right: f64, relative: f64) {
    assert!((left / right - 1.0).abs() < relative, "{left} and {right}");
}

/// One million keys at 1 %: m = 9,585,059 rounded up to words, k = 7, 9.585058 bits per key at best real k.
#[test]
fn the_textbook_size() {
    let values = values("standard --keys 1e6 --fpr 0.01");
    assert_eq!((values["m"], values["k"], values["best_k"]), (9_585_088.0, 7.0, 7.0));
    close(values["bits_per_key"], 9.585_058, 4e-6);
    // Computed with 50 digits.
    close(values["fpr_classic"], 0.010_039_072_701_7, 1e-9);
    close(values["bound_static_bits_per_key"], -values["fpr_exact"].log2(), 1e-14);
    close(values["overhead"], values["bits_per_key"] / values["bound_static_bits_per_key"], 1e-14);
}

/// Occupancy distributions in rational arithmetic.
#[test]
fn the_exact_rate_of_small_filters() {
    close(values("standard --keys 5 --param m=64 --param k=3")["fpr_exact"], 0.009_488_314_588_894_932, 1e-12);
    close(values("standard --keys 6 --param m=32 --param k=4")["fpr_exact"], 0.085_251_579_792_037_72, 1e-12);
    close(values("standard --keys 64 --param m=640 --param k=7")["fpr_exact"], 0.008_307_211_294_095_809, 1e-12);
    let partitioned = values("partitioned --keys 100 --param m=640 --param k=5");
    assert_eq!(partitioned["slice_bits"], 128.0);
    close(partitioned["fpr_exact"], 0.047_454_064_265_244_82, 1e-12);
}

/// Relative gaps of the classic formula, FIELD section 1.
#[test]
fn the_gap_of_the_classic_formula() {
    for (m, n, k, gap) in [(16, 3, 2, 0.0212), (64, 8, 5, 0.0476), (256, 32, 6, 0.0170), (1000, 100, 7, 0.00637)] {
        let values = values(&format!("standard --keys {n} --param m={m} --param k={k}"));
        close(1.0 - values["fpr_classic"] / values["fpr_exact"], gap, 0.01);
    }
}

#[test]
fn the_best_integer_k_where_none_is_given() {
    assert_eq!(values("standard --keys 2 --param m=16")["k"], 5.0);
    assert_eq!(values("standard --keys 1000 --param m=2100")["k"], 2.0);
    assert_eq!(values("standard --keys 4 --param m=64")["k"], 10.0);
}

#[test]
fn the_rows_of_the_issue_are_there_and_integers_are_integers() {
    let standard = run("theory standard --keys 10_000 --bits-per-key 10 --format csv");
    let names: Vec<String> = standard.rows().into_iter().map(|row| row["name"].clone()).collect();
    let expected = "m k bits_per_key best_k fill fpr_classic fpr_asymptotic fpr_exact fpr_distinct \
        bound_static_bits_per_key bound_dynamic_bits_per_key overhead";
    assert_eq!(names.join(" "), expected);
    assert!(standard.stdout.starts_with("name,value,claim,source\nm,99968,exact,"), "{}", standard.stdout);
    assert!(standard.stdout.contains("\nk,7,exact,"), "{}", standard.stdout);
    let partitioned = values("partitioned --keys 10_000 --bits-per-key 10");
    assert!(partitioned.contains_key("slice_bits") && partitioned.contains_key("fpr_exact"));
    assert!(partitioned["bits_per_key"] <= 10.0);
}

#[test]
fn a_budget_with_k_and_an_id_that_fixes_everything() {
    let values = values("standard --keys 1000 --param k=3 --bits-per-key 10");
    assert_eq!((values["m"], values["k"]), (9984.0, 3.0));
    let coin = run("theory coin --keys 1000 --format csv");
    assert_eq!((coin.code, coin.row()["value"].as_str()), (0, "0.01"));
}

#[test]
fn json_is_an_array_with_numbers_and_null() {
    let json = run("theory standard --keys 0 --fpr 0.01 --format json");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json.stdout).unwrap();
    let value = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap()["value"].clone();
    assert_eq!(value("m"), serde_json::json!(64));
    assert_eq!(value("bound_static_bits_per_key"), serde_json::Value::Null);
    let csv = run("theory standard --keys 0 --fpr 0.01 --format csv");
    assert!(csv.stdout.contains("\nbound_static_bits_per_key,,at-least,"), "{}", csv.stdout);
}

/// "Well under a second" is about the release build; this one has overflow checks.
#[test]
fn large_filters_take_no_time() {
    let start = Instant::now();
    for args in ["--param m=2^40", "--param m=2^40 --param k=64", "--param m=2^48 --param k=1"] {
        let values = values(&format!("standard --keys 1e11 {args}"));
        assert!(values["fpr_exact"] > 0.0);
    }
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
}

/// HAND-14: nothing planned, and next to nothing.
#[test]
fn hand_14_tiny_plans_have_a_size() {
    for keys in [0, 1, 3] {
        for fpr in ["0.01", "0.99"] {
            for id in ["standard", "partitioned"] {
                let values = values(&format!("{id} --keys {keys} --fpr {fpr}"));
                assert!(values["m"] >= 1.0 && (1.0..=64.0).contains(&values["k"]), "{id} {keys} {fpr}");
                assert!(values["fpr_exact"] <= 0.99 && values["fill"].is_finite());
            }
        }
    }
}
