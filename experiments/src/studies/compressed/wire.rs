//! Coded size, coding times and rate: Mitzenmacher's tables with a real coder.

use std::hint::black_box;
use std::time::Instant;

use amq::{Claim, Encode, Filter, Theory};
use compressed::CompressedBloom;
use compressed::sizing::{most_wire_bits, wire_bits};

use super::filled;
use crate::error::HarnessError;
use crate::model::picoseconds;
use crate::studies::{Case, Formula, Observations, Quantity, Study};

/// Filters that are coded and decoded. The rate is that of the decoded filter.
pub const WIRE: Study = Study {
    name: "compressed-wire",
    about: "coded size beside the entropy, times of coding and decoding, rate of the decoded filter",
    factors: &["published_wire", "published_fpr"],
    quantities: &[
        Quantity::mean("coded_bits_per_key"),
        Quantity::share("fpr"),
        Quantity::time("encode_ns"),
        Quantity::time("decode_ns"),
    ],
    axis: None,
    observe,
    formulas: |case, _| {
        let prediction = CompressedBloom::predicted_fpr(&case.params::<CompressedBloom>()?, case.keys());
        let mut all = vec![
            coded(case)?,
            Formula::of("fpr", "rate_of_decoded", prediction.rate, prediction.claim, prediction.source),
        ];
        for (factor, name) in [("published_wire", "wire_of_paper"), ("published_fpr", "fpr_of_paper")] {
            if case.name(factor).is_some() {
                all.push(Formula::line(name, case.number(factor, 0.0)?, "Mitzenmacher, ToN 10(5), 2002, tables"));
            }
        }
        Ok(vec![all])
    },
    cost_ns: |spec| spec.keys as f64 * 400.0,
};

/// Filters that are coded, and nothing else.
pub const SIZE: Study = Study {
    name: "compressed-size",
    about: "coded size beside the entropy",
    factors: &[],
    quantities: &[Quantity::mean("coded_bits_per_key")],
    axis: None,
    observe: |case| {
        let filter = filled(case, &case.digests(0, case.keys())?)?;
        let mut seen = Observations::new(&SIZE, 1);
        seen.add(0, 0, filter.coded_bits(), case.keys());
        Ok(seen)
    },
    formulas: |case, _| Ok(vec![vec![coded(case)?]]),
    cost_ns: |spec| spec.keys as f64 * 200.0,
};

/// The expected size of the wire form, for each key.
fn coded(case: &Case<'_>) -> Result<Formula, HarnessError> {
    let (params, keys) = (case.params::<CompressedBloom>()?, case.keys());
    let (expected, most) = (wire_bits(params.m, params.k, keys), most_wire_bits(params.m, params.k, keys));
    let claim = Claim::Approximate { rel: most / expected - 1.0 };
    let per_key = expected / keys.max(1) as f64;
    Ok(Formula::of("coded_bits_per_key", "wire_bits_per_key", per_key, claim, "m H(p), header, checksum, coder"))
}

fn observe(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let keys = case.keys();
    let filter = filled(case, &case.digests(0, keys)?)?;
    let start = Instant::now();
    let bytes = black_box(black_box(&filter).encode());
    let encoding = start.elapsed();
    let start = Instant::now();
    let decoded = black_box(CompressedBloom::decode(black_box(&bytes), filter.params().m));
    let decoding = start.elapsed();
    let decoded = decoded.map_err(|error| case.unfit(&error.to_string()))?;
    if decoded != filter {
        return Err(HarnessError::Failed("a decoded filter is not the one that was coded".to_owned()));
    }
    let mut seen = Observations::new(&WIRE, 1);
    seen.add(0, 0, 8 * bytes.len() as u64, keys);
    seen.add(0, 1, decoded.count_contained(&case.digests(keys, keys + case.probes())?), case.probes());
    // With debug assertions times mean nothing: their cells stay empty.
    if !cfg!(debug_assertions) {
        for (quantity, elapsed) in [(2, encoding), (3, decoding)] {
            seen.add(0, quantity, picoseconds(elapsed), keys);
        }
    }
    Ok(seen)
}
