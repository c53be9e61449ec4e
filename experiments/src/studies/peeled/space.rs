//! Bits per key against the number of keys: the staircase of sizes.

use amq::{Claim, NamedValue};

use super::Form;
use crate::error::HarnessError;
use crate::studies::{AlongAxis, Case, EXACT, Formula, Observations, Quantity, Study};

/// The number of keys of the papers' claims on fuse.
const MILLION: f64 = 1e6;

/// Bits per key of filters that were built.
pub const SPACE: Study = Study {
    name: "peeled-space",
    about: "allocated bits per key of xor and fuse filters against their keys, from `least` to the point's",
    factors: &["least"],
    quantities: &[Quantity::mean("bits_per_key")],
    axis: Some(AlongAxis {
        name: "n",
        positions: |case| {
            let (least, most) = (case.count("least", 2)?, case.keys());
            // Both ends of most steps of the staircase; fewer of large filters, which cost more and differ less.
            let apart = |keys: u64| 1.0 + (0.3 * (keys as f64 / most as f64).sqrt()).max(0.12);
            Ok(Form::of(case)?.steps(least.min(most), most, apart).into_iter().map(|keys| keys as f64).collect())
        },
    }),
    observe: |case| {
        let positions = SPACE.positions(case)?;
        let spec = case.spec();
        let (Some(contender), Ok(params)) = (&spec.contender, &spec.params) else {
            return Err(case.unfit("a contender is needed"));
        };
        let mut seen = Observations::new(&SPACE, positions.len());
        let keys = case.digests(0, case.keys())?;
        for (position, count) in positions.into_iter().map(|count| count as usize).enumerate() {
            let built = contender.build_from(params, case.seed("filter"), &keys[..count]);
            let filter = built.map_err(|error| case.unfit(&format!("{count} keys: {error}")))?;
            seen.add(position, 0, filter.space().total_bits(), count as u64);
        }
        Ok(seen)
    },
    formulas: |case, positions| positions.iter().map(|keys| formulas(case, *keys)).collect(),
    cost_ns: |spec| spec.keys as f64 * 14.0 * 80.0,
};

fn formulas(case: &Case<'_>, keys: f64) -> Result<Vec<Formula>, HarnessError> {
    let (form, spec) = (Form::of(case)?, case.spec());
    let values = match (&spec.contender, &spec.params) {
        (Some(contender), Ok(params)) => contender.named_values(params, keys as u64).unwrap_or_default(),
        _ => Vec::new(),
    };
    let value = |name: &str| values.iter().find(|row: &&NamedValue| row.name == name).map_or(f64::NAN, |row| row.value);
    let (published, step) = (value("bits_per_key"), value("bits_per_key_of_growth"));
    let width = value("fingerprint_bits");
    let mut all = vec![
        Formula::line("bits_limit", form.limit * width, "published size as n grows"),
        Formula::line("bits_threshold", width / form.threshold, "peeling threshold"),
        Formula::line("bits_bound", width, "lg(1/eps): Carter et al., STOC 1978"),
    ];
    if (form.step_cells)(keys as u64) == 0 {
        all.push(Formula::of(
            "bits_per_key",
            "bits_published",
            published,
            EXACT,
            "Graf and Lemire 2020: (1.23 n + 32) W",
        ));
        return Ok(all);
    }
    let (name, grown) = ("bits_published", "a segment more where the published size fails");
    all.push(Formula::of("bits_per_key", name, published, Claim::AtLeast, "Graf and Lemire 2022"));
    all.push(Formula::of("bits_per_key", "bits_grown", published + step, Claim::AtMost, grown));
    if keys == MILLION {
        // Of 1.125 and 1.075, a per cent or less above the limit.
        let most = if form.family == "fuse" { 1.135 } else { 1.08 };
        all.push(Formula::of("bits_per_key", "bits_claimed", most * width, Claim::AtMost, "claimed at 10^6 keys"));
    }
    Ok(all)
}
