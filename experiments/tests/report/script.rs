//! The script's formulas, sizes, rankings and little filters, value for value what Rust says. Needs `node`.

use std::process::Command;

use amq::{Given, Number};
use experiments::figure::StyleBook;
use experiments::plan::{Ranking, Wish};
use experiments::registry::{Contender, Params, Registry};
use experiments::report::{FORMULAS, grid, packed};
use experiments::table::Table;
use serde_json::{Value, json};

use super::program;
use crate::common::{folder, root};

/// Variants that the calculator leaves to the chooser: their sizes are searched for.
const SEARCHED: [&str; 6] = ["blocked", "blocked-64", "split-block", "split-block-64", "stable", "compressed"];

const KEYS: [u64; 10] = [1, 2, 3, 10, 100, 1000, 12_345, 1_000_000, 100_000_000, 1_000_000_000];

/// What Rust says of a size: parameters where the script names them alike, bits, rate.
fn sized(contender: &Contender, params: &Params, keys: u64) -> Value {
    let values = contender.named_values(params, keys).unwrap();
    let per_key = values.iter().find(|value| value.name == "bits_per_key").unwrap().value;
    let rate = contender.predicted_fpr(params, keys).unwrap().rate;
    // Peeled tables have their keys for parameters.
    let alike = (!contender.id.contains("xor") && !contender.id.contains("fuse")).then_some(params);
    json!({ "params": alike, "bits": (per_key * keys as f64).round(), "rate": rate })
}

fn sizes(contender: &Contender) -> Vec<Value> {
    let mut all = Vec::new();
    for keys in KEYS {
        let mut put = |by: Value, params: Option<Params>| {
            let sized = params.map_or(Value::Null, |params| sized(contender, &params, keys));
            all.push(json!({ "id": contender.id, "n": keys, "by": by, "sized": sized }));
        };
        for fpr in [0.9, 0.5, 0.1, 0.01, 0.003, 0.001, 1e-6, 1e-9] {
            put(json!({ "p": fpr }), contender.size_for_fpr(keys, fpr).ok());
        }
        for bits_per_key in [1.5, 3.0, 8.0, 10.0, 12.5, 20.0, 40.0] {
            let bits = (keys as f64 * bits_per_key).floor();
            put(json!({ "bits": bits }), contender.size_for(keys, bits_per_key).ok());
        }
        let named = |pairs: &[(&str, u64)]| {
            let given = Given::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Number::Integer(*value))));
            contender.params_from(&given, keys).ok()
        };
        let bits = (10 * keys).next_multiple_of(64);
        match contender.id {
            "standard" | "partitioned" => [1, 3, 7, 20]
                .into_iter()
                .for_each(|k| put(json!({ "bits": bits, "k": k }), named(&[("m", bits), ("k", k)]))),
            id if id.starts_with("cuckoo") => {
                [4, 8, 13, 32].into_iter().for_each(|f| put(json!({ "k": f }), named(&[("fingerprint_bits", f)])));
            }
            _ => {}
        }
    }
    all
}

fn formulas() -> Vec<Value> {
    let mut all = Vec::new();
    let mut put = |name: &str, args: Value, value: f64| all.push(json!({ "name": name, "args": args, "value": value }));
    for m in [1, 2, 5, 64, 100, 1000, 4096, 1 << 20, 1 << 33] {
        for k in [1, 2, 3, 7, 16, 40] {
            for keys in [0, 1, 2, 10, 64, 1000, 1_000_000, 1_000_000_000] {
                let args = json!([m, k, keys]);
                put("fill", args.clone(), bloom_theory::fpr::fill(m, k, keys));
                put("fprClassic", args.clone(), bloom_theory::fpr::fpr_classic(m, k, keys));
                put("fprExact", args.clone(), bloom_theory::fpr::fpr_exact(m, k, keys));
                put("fprSlices", args, partitioned::theory::fpr_exact(m, k, keys));
            }
        }
        for keys in [1, 2, 4, 10, 100, 3000, 1_000_000] {
            // In an array that is full for any k all rates are 1 but for rounding, which is not the same everywhere.
            if bloom_theory::fpr::fpr_exact(m, 1, keys) < 1.0 - 1e-9 {
                put("bestK", json!([m, keys]), f64::from(bloom_theory::sizing::best_k(m, keys)));
            }
            put("bestSlices", json!([m, keys]), f64::from(partitioned::theory::best_k(m, keys)));
        }
    }
    for rate in [1e-9, 0.01, 0.5, 1.0] {
        put("bound", json!([rate]), amq::Class::Static.bits_per_key(rate));
    }
    for bits in [0.5, 8.0, 20.0] {
        put("boundRate", json!([bits]), amq::Class::static_rate(bits));
    }
    all
}

/// Every wish that the form can say, at some keys and rates of the grid.
fn rankings(registry: &Registry) -> Vec<Value> {
    let mut all = Vec::new();
    for (keys, fpr) in [(1000, 0.05), (1_000_000, 0.01), (1_000_000, 0.0001), (100_000_000, 0.002), (100, 0.000_001)] {
        for bits in 0..16 {
            let [delete, stream, fixed, transmit] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
            let wish = Wish { keys, fpr: Some(fpr), budget: None, delete, stream, fixed, transmit };
            if stream && fixed {
                continue;
            }
            let (candidates, left_out) = match Ranking::new(registry, &wish) {
                Ok(Ranking { candidates, left_out }) => (candidates, left_out),
                Err(experiments::plan::PlanError::NoVariant { left_out, .. }) => (Vec::new(), left_out),
                Err(error) => panic!("{error}"),
            };
            let candidates: Vec<Value> =
                candidates.iter().map(|one| json!([one.contender.id, one.bits_per_key, one.prediction.rate])).collect();
            let left_out: Vec<Value> = left_out.iter().map(|(id, reason)| json!([id, reason.to_string()])).collect();
            let wish = json!({ "keys": keys, "fpr": fpr, "delete": delete, "stream": stream, "fixed": fixed, "transmit": transmit });
            all.push(json!({ "wish": wish, "candidates": candidates, "left_out": left_out }));
        }
    }
    all
}

/// A table with all that a cell can be.
fn odd_table() -> Table {
    let mut table = Table::default();
    for index in 0..90 {
        let cells = [
            ("one", "the same".to_owned()),
            ("few", ["a,b", "say \"no\"", ""][index % 3].to_owned()),
            ("many", format!("{}\n</script>", index as f64 / 7.0)),
        ];
        table.push(cells.map(|(name, cell)| (name.to_owned(), cell)));
    }
    table
}

fn cases() -> Value {
    let registry = Registry::workspace();
    let calculated: Vec<&Contender> =
        registry.variants().filter(|contender| !SEARCHED.contains(&contender.id)).collect();
    let cuckoo = registry.get("cuckoo").unwrap();
    let cuckoo = |keys| cuckoo.predicted_fpr(&json!({ "buckets": 4, "fingerprint_bits": 4 }), keys).unwrap().rate;
    let toys: Vec<Value> = [1, 3, 6, 8]
        .into_iter()
        .flat_map(|n| {
            [
                ("standard", bloom_theory::fpr::fpr_exact(64, 4, n)),
                ("partitioned", partitioned::theory::fpr_exact(16, 4, n)),
                ("counting", bloom_theory::fpr::fpr_exact(16, 2, n)),
                ("cuckoo", cuckoo(n)),
            ]
            .map(|(id, rate)| json!({ "id": id, "n": n, "rate": rate }))
        })
        .collect();
    let table = odd_table();
    json!({
        "ids": calculated.iter().map(|contender| contender.id).collect::<Vec<_>>(),
        "formulas": formulas(),
        "sizes": calculated.iter().flat_map(|contender| sizes(contender)).collect::<Vec<_>>(),
        "rankings": rankings(&registry),
        "grid": grid(&registry, &[], &StyleBook::committed().unwrap()),
        "tables": [{ "packed": packed(&table), "csv": String::from_utf8(table.to_csv().unwrap()).unwrap() }],
        "numbers": [["1e6", 1e6], ["2^20", 1_048_576], ["10_000", 10_000], ["1,000,000", 1_000_000], ["1 %", 0.01], ["0.5%", 0.005]],
        "refused": [
            [{ "n": 1 }, "give two"], [{ "n": 1.5, "p": 0.1 }, "n = 1.5 is out of range"], [{ "n": 10, "p": 1 }, "p = 1 is out of range"],
            [{ "n": 10, "k": 65 }, "k = 65 is out of range"], [{ "n": 10, "m": 63 }, "m = 63 is out of range"],
            [{ "n": 1, "p": 0.1, "m": 64, "k": 1 }, "clear one"], [{ "n": 1_000_000, "p": 0.01, "m": 64_000 }, "does not reach"],
        ],
        "toys": toys,
    })
}

#[test]
#[cfg_attr(
    not(has_node),
    ignore = "node was not in PATH when this was compiled; with it: touch experiments/build.rs, and again"
)]
fn the_script_says_what_rust_says() {
    let out = folder("report-script");
    let cases = cases();
    let (file, script) = (out.join("cases.json"), out.join("script.js"));
    std::fs::write(&file, cases.to_string()).unwrap();
    std::fs::write(&script, FORMULAS.map(|(_, text)| text).join("\n")).unwrap();
    let check = root().join("experiments/tests/report/check.mjs");
    let output = Command::new(program(&["node"])).arg(check).arg(&file).arg(&script).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["count"], 0, "{said:#}");
    // All were looked at.
    let length = |name: &str| cases[name].as_array().unwrap().len();
    for (kind, count) in [
        ("formula", length("formulas")),
        ("reachable", length("sizes")),
        ("ranking", length("rankings")),
        ("left out", length("rankings")),
        ("toy", length("toys")),
        ("refused", length("refused")),
        ("number", length("numbers")),
        ("csv", 1),
    ] {
        assert_eq!(said["looked"][kind], count, "{kind}: {said:#}");
    }
    assert!(said["looked"]["rate"].as_u64().unwrap() > 1500, "{said:#}");
}
