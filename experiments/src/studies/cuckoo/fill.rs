//! Tables filled until they refuse a key: load, bits per key, rate, moves.

use ::cuckoo::formulas::load_threshold;
use amq::{Claim, NamedValue};

use super::{FORMS, Geometry};
use crate::error::HarnessError;
use crate::studies::{Case, EXACT, Formula, Observations, Quantity, Study};

/// What is left of a ratio after rounding.
const DIGITS: f64 = 1e9;

/// Slots up to which the rate is read from all of them: in larger tables that takes longer than filling them.
const MOST_READ: u64 = 1 << 21;

/// A row of the table.
pub const FILL: Study = Study {
    name: "cuckoo-fill",
    about: "load, bits per key, rate and moves of a cuckoo filter filled until it refuses a key",
    factors: &[],
    quantities: &[
        Quantity::share("load"),
        Quantity::mean("bits_per_key"),
        Quantity::mean("saved_bits"),
        Quantity::share("fpr"),
        Quantity::mean("rate_over_exact"),
        Quantity::mean("moves"),
    ],
    axis: None,
    observe: |case| {
        let geometry = Geometry::of(case)?;
        let table = geometry.filled(case)?;
        let (keys, slots) = (table.stored(), geometry.slots());
        let mut seen = Observations::new(&FILL, 1);
        seen.add(0, 0, keys, slots);
        seen.add(0, 1, table.bits(), keys);
        if let Some(plain) = plain(&geometry) {
            seen.add(0, 2, plain.empty(case)?.bits().saturating_sub(table.bits()), keys);
        }
        // Of the absent ones those that come after all members.
        let probes = case.probes();
        let (mut hits, mut at) = (0, slots);
        while at < slots + probes {
            let end = (at + crate::keys::CHUNK).min(slots + probes);
            hits += table.hits(&case.digests(at, end)?);
            at = end;
        }
        seen.add(0, 3, hits, probes);
        if slots <= MOST_READ {
            let ratio = table.rate() / geometry.classes().rate(keys);
            seen.add(0, 4, (ratio * DIGITS).round() as u64, DIGITS as u64);
        }
        seen.add(0, 5, table.kicks(), keys);
        Ok(seen)
    },
    formulas: |case, _| formulas(case),
    cost_ns: |spec| super::load::fill_ns(spec),
};

/// The plain table of a semi-sorted one.
fn plain(geometry: &Geometry) -> Option<Geometry> {
    let form = FORMS.into_iter().find(|form| form.id == "cuckoo")?;
    (geometry.form.id == "cuckoo-semisorted").then_some(Geometry { form, params: geometry.params })
}

fn formulas(case: &Case<'_>) -> Result<Vec<Vec<Formula>>, HarnessError> {
    let geometry = Geometry::of(case)?;
    let (slots, limit) = (geometry.form.slots, geometry.limit());
    let planned = (geometry.slots() as f64 * limit) as u64;
    let long = geometry.classes().crowded(planned, 2 * slots) <= ::cuckoo::sizing::CROWDED_FOR_RATE;
    let threshold = load_threshold(slots);
    let mut all = vec![Formula::of("load", "load_bound", threshold, Claim::AtMost, "load threshold")];
    if geometry.slots() <= MOST_READ {
        let source = "1 - (1 - 2/(M F))^n at the n that went in";
        all.push(Formula::of("rate_over_exact", "exact", 1.0, EXACT, source));
    }
    if long {
        all.push(Formula::of("load", "load_planned", limit, Claim::AtLeast, "planned for by sizing"));
        let most = bits_at(case, planned)?;
        all.push(Formula::of("bits_per_key", "bits_planned", most, Claim::AtMost, "allocated at the planned load"));
        let exact = geometry.classes().rate(planned);
        all.push(Formula::line("fpr_planned", exact, "exact at the planned load"));
    }
    if plain(&geometry).is_some() {
        all.push(Formula::of("saved_bits", "saved", 1.0, Claim::AtLeast, "one bit for each slot, 1/a for each key"));
    }
    Ok(vec![all])
}

/// What theory says of the bits per key, with so many keys.
fn bits_at(case: &Case<'_>, keys: u64) -> Result<f64, HarnessError> {
    let spec = case.spec();
    let values = match (&spec.contender, &spec.params) {
        (Some(contender), Ok(params)) => contender.named_values(params, keys).unwrap_or_default(),
        _ => Vec::new(),
    };
    let bits = values.iter().find(|NamedValue { name, .. }| *name == "bits_per_key");
    bits.map(|row| row.value).ok_or_else(|| case.unfit("no bits per key"))
}
