//! What studies find, in small runs: the exact formula agrees, a plausible wrong one does not.

use crate::common::{folder, run, smoke};
use experiments::pipeline::Derived;
use experiments::spec::Definition;

/// Runs one measure at smoke scale.
fn study(id: &str, measure: &str, x: &str, y: &str) -> Derived {
    let text = format!(
        "id = \"{id}\"\ntitle = \"t\"\nquestion = \"q\"\nreading = \"r\"\n[[measure]]\nname = \"main\"\nmodel = \"study\"\n\
         {measure}\nscale.quick = {{ filters = 1, most-probes = 0 }}\nscale.full = {{ filters = 1, most-probes = 0 }}\n\
         [[panel]]\nmeasure = \"main\"\nx = \"{x}\"\nx-axis = {{ label = \"x\" }}\ny = \"{y}\"\ny-axis = {{ label = \"y\" }}\n\
         series = [\"contender\"]\n"
    );
    let definition = Definition::parse(&format!("{id}.toml"), &text).unwrap();
    run(vec![definition], &smoke(&folder(id))).unwrap().remove(0)
}

fn number(derived: &Derived, row: usize, column: &str) -> f64 {
    derived.table.number(&derived.table.rows[row], column).unwrap_or_else(|| panic!("{column} of row {row}"))
}

/// The paper's rate at the stable point, taken for a bound, is broken by a small filter; the exact one holds.
#[test]
fn the_stable_rate_of_the_paper_is_no_bound() {
    let derived = study(
        "stable-small",
        "study = \"stable-point\"\ncontenders = [\"stable\"]\nsweep.cells = 64\nsweep.k = 3\nsweep.p = 10\nsweep.max = 1\n\
         sweep.decrement = \"independent\"\nsweep.snapshots = 64\n\
         scale.smoke = { filters = 256, most-probes = 4_915_200 }",
        "cells",
        "fpr",
    );
    assert_eq!(derived.table.cell(&derived.table.rows[0], "verdict"), "agrees", "{:?}", derived.table);
    let (low, high) = (number(&derived, 0, "rate_by_cells_low"), number(&derived, 0, "rate_by_cells_high"));
    let (paper, exact) = (number(&derived, 0, "fps"), number(&derived, 0, "rate_at_stable_point"));
    assert!(low > 1.1 * paper, "{low} and {paper}");
    // 95 % interval, twice as wide: an error of a few per cent of the formula would show.
    let middle = f64::midpoint(low, high);
    assert!((middle - exact).abs() < high - low && high - low < 0.06 * exact, "{low} to {high}: {exact}");
}

/// A key that was inserted just now is known; after so many arrivals that the filter has turned over, it is known with
/// the rate of false positives and no more.
#[test]
fn a_key_is_forgotten_up_to_the_false_positives() {
    let derived = study(
        "stable-forgets",
        "study = \"stable-gap\"\ncontenders = [\"stable\"]\nsweep.cells = 500\nsweep.k = 2\nsweep.p = 4\nsweep.max = 1\n\
         sweep.gap_from = 1\nsweep.gap_to = 2000\nsweep.keys = 6000\nscale.smoke = { filters = 32, most-probes = 0 }",
        "returns_after",
        "fnr",
    );
    let last = derived.table.rows.len() - 1;
    assert!(number(&derived, 0, "fnr") < 0.05 && number(&derived, 0, "returns_after") == 1.0);
    // Z* = 4 (1/2 - 1/500) / (1 + 4 (1/2 - 1/500)), both cells: 1 - (1 - Z*)^2.
    let odds = 4.0 * (0.5 - 0.002);
    let above: f64 = 1.0 / (1.0 + odds);
    let forgotten = 1.0 - above * above;
    assert!((number(&derived, last, "fnr") - forgotten).abs() < 0.005, "{forgotten}");
    assert!(derived.table.rows.iter().all(|row| !derived.table.cell(row, "verdict").ends_with("theory")));
}

/// Done when: the wire is within 1 % of the entropy from a hundred thousand keys on, above it, and within 0.1 % of what is
/// predicted; entropy alone, without the frame, is refused at a thousand keys.
#[test]
fn coded_sizes_are_predicted_with_their_frame() {
    let derived = study(
        "coded",
        "study = \"compressed-size\"\ncontenders = [\"compressed\"]\n\
         cases = [{ m = 14_000, keys = 1000, k = 2 }, { m = 1_400_000, keys = 100_000, k = 2 }]\n\
         scale.smoke = { filters = 16, most-probes = 0 }",
        "keys",
        "coded_bits_per_key",
    );
    for (row, most) in [(0, 0.03), (1, 0.01)] {
        let (coded, entropy) =
            (number(&derived, row, "coded_bits_per_key"), number(&derived, row, "entropy_bits_per_key"));
        assert!(coded > entropy && coded < entropy * (1.0 + most), "{coded} and {entropy}");
        assert_eq!(derived.table.cell(&derived.table.rows[row], "verdict"), "agrees");
    }
    assert!(number(&derived, 0, "coded_bits_per_key_low") > 1.01 * number(&derived, 0, "entropy_bits_per_key"));
}

/// Both update models are told apart by the sizes.
#[test]
fn updates_by_added_and_by_replaced_keys_differ() {
    let of = |update: &str| {
        study(
            &format!("update-{update}"),
            &format!(
                "study = \"compressed-delta\"\ncontenders = [\"compressed\"]\nsweep.m = 28_000\nsweep.k = 2\nsweep.keys = 2000\n\
                 sweep.update = \"{update}\"\nscale.smoke = {{ filters = 8, most-probes = 0 }}"
            ),
            "new_share",
            "delta_bits_per_key",
        )
    };
    let (grown, replaced) = (of("grown"), of("replaced"));
    for derived in [&grown, &replaced] {
        assert!(derived.table.rows.iter().all(|row| !derived.table.cell(row, "verdict").ends_with("theory")));
    }
    let last = grown.table.rows.len() - 1;
    let ratio = number(&replaced, last, "delta_bits_per_key") / number(&grown, last, "delta_bits_per_key");
    assert!((1.4..1.6).contains(&ratio), "{ratio}");
}
