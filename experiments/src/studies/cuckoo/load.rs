//! The load at which a table first refuses a key, against the bits of a fingerprint and the slots of a bucket.

use ::cuckoo::formulas::{load_threshold, rule_of_crowding};
use ::cuckoo::sizing::CROWDED_FOR_RATE;
use amq::Claim;

use super::Geometry;
use crate::error::HarnessError;
use crate::studies::{Case, Formula, Observations, Quantity, Study};

/// Load at first refusal.
pub const LOAD: Study = Study {
    name: "cuckoo-load",
    about: "load at which a cuckoo filter first refuses a key",
    factors: &[],
    quantities: &[Quantity::share("load")],
    axis: None,
    observe: |case| {
        let geometry = Geometry::of(case)?;
        let mut seen = Observations::new(&LOAD, 1);
        seen.add(0, 0, geometry.filled(case)?.stored(), geometry.slots());
        Ok(seen)
    },
    formulas: |case, _| Ok(vec![bounds(&Geometry::of(case)?)]),
    cost_ns: fill_ns,
};

/// From above what no table can hold, from below what sizing plans for where fingerprints are long enough.
fn bounds(geometry: &Geometry) -> Vec<Formula> {
    let (slots, limit) = (geometry.form.slots, geometry.limit());
    let holds = geometry.classes().keys_before_crowded(2 * slots, geometry.slots()) / geometry.slots() as f64;
    let threshold = load_threshold(slots);
    let (bound, source) = (holds.min(threshold), "load threshold; first class of more than 2b members");
    let mut formulas = vec![
        // One slot: the first component of two cycles comes at the threshold give or take the cube root of the size.
        if slots == 1 && threshold < holds {
            Formula::line("load_bound", bound, source)
        } else {
            Formula::of("load", "load_bound", bound, Claim::AtMost, source)
        },
        Formula::line("load_crowded", holds, "first class of more than 2b members"),
    ];
    let planned = (geometry.slots() as f64 * limit) as u64;
    if geometry.classes().crowded(planned, 2 * slots) <= CROWDED_FOR_RATE {
        formulas.push(Formula::of("load", "load_planned", limit, Claim::AtLeast, "planned for by sizing"));
    }
    formulas
}

/// The fewest bits of a fingerprint with which tables fill up.
pub const LEAST_BITS: Study = Study {
    name: "cuckoo-least-bits",
    about: "fewest fingerprint bits, up to the point's, with which a table takes `part` of the load planned for",
    factors: &["part"],
    quantities: &[Quantity::mean("least_bits")],
    axis: None,
    observe: |case| {
        let (geometry, least) = (Geometry::of(case)?, least_keys(case)?);
        let mut seen = Observations::new(&LEAST_BITS, 1);
        for bits in 2..=geometry.params.fingerprint_bits {
            if geometry.with_bits(bits).filled(case)?.stored() as f64 >= least {
                seen.add(0, 0, bits.into(), 1);
                return Ok(seen);
            }
        }
        Err(case.unfit("no fingerprint of up to `fingerprint_bits` bits is long enough: give more, up to 32"))
    },
    formulas: |case, _| {
        let (geometry, least) = (Geometry::of(case)?, least_keys(case)?);
        let room = 2 * geometry.form.slots;
        let holds =
            |bits: &u32| geometry.with_bits(*bits).classes().keys_before_crowded(room, geometry.slots()) >= least;
        Ok(vec![vec![
            Formula::line(
                "bits_crowded",
                f64::from((2..=32).find(holds).unwrap_or(33)),
                "no class of more than 2b members up to this load",
            ),
            Formula::line(
                "bits_rule",
                rule_of_crowding(geometry.form.slots, least),
                "lg(n) / (2b): Fan et al. 2014, section 4.2",
            ),
        ]])
    },
    cost_ns: |spec| 5.0 * fill_ns(spec),
};

/// The keys that are to find room.
fn least_keys(case: &Case<'_>) -> Result<f64, HarnessError> {
    let geometry = Geometry::of(case)?;
    Ok(case.number("part", 0.0)? * geometry.limit() * geometry.slots() as f64)
}

pub(super) fn fill_ns(spec: &crate::spec::PointSpec) -> f64 {
    // Eight slots at the most.
    crate::studies::number(spec, "buckets").map_or(0.0, |buckets| buckets.as_f64() * 8.0 * 60.0)
}

#[cfg(test)]
mod tests {
    use super::super::FORMS;
    use super::*;
    use ::cuckoo::Params;

    fn bounds_of(id: &str, buckets: u64, fingerprint_bits: u32) -> Vec<f64> {
        let form = FORMS.into_iter().find(|form| form.id == id).unwrap();
        bounds(&Geometry { form, params: Params { buckets, fingerprint_bits } }).iter().map(|one| one.value).collect()
    }

    /// Long fingerprints: the threshold from above, the plan from below. Short ones: crowds alone, and no plan.
    #[test]
    fn bounds_of_known_tables() {
        let long = bounds_of("cuckoo", 1 << 15, 16);
        assert!((long[0] - 0.980_369_774_286).abs() < 1e-9 && long[1] == 1.0 && long[2] == 0.95, "{long:?}");
        let short = bounds_of("cuckoo", 1 << 15, 3);
        assert!(short.len() == 2 && short[0] == short[1] && short[0] > 0.5, "{short:?}");
        assert_eq!(bounds_of("cuckoo-2", 1 << 15, 16)[2], 0.84);
    }
}
