//! Filters of more than 2^33 bits, of every variant whose positions go that far, held to their theory.

use crate::common::{folder, run, smoke};
use experiments::spec::Definition;

/// With one probe the rate is the share of the array that is taken. Positions of 32 bits would double it; the planned effect of
/// 10 % is seen with the 20,000,000 probes.
#[test]
#[ignore = "takes 8 GB and a few minutes: cargo test --release -p experiments --test all -- --ignored more_than_2_to_the_33"]
fn filters_of_more_than_2_to_the_33_bits_keep_their_rate() {
    let definition = Definition::parse("large.toml", include_str!("large.toml")).unwrap();
    let derived = run(vec![definition], &smoke(&folder("large"))).unwrap();
    let table = &derived[0].table;
    assert_eq!(table.rows.len(), 8);
    for row in &table.rows {
        let name = table.cell(row, "contender");
        assert_eq!(table.cell(row, "verdict"), "agrees", "{name}");
        let bits: f64 = table.cell(row, "bits").parse().unwrap();
        assert!(name == "compressed" || bits > (1u64 << 33) as f64, "{name} has {bits} bits");
    }
}
