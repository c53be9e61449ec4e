//! How many members can be removed: against the load, the length of the map, and inserts repeated.

use amq::{Claim, IncrementalFilter};
use deletable::Params;
use deletable::theory::{deletable_after_repeats, deletable_corrected, deletable_quoted};

use super::super::{AlongAxis, Case, Formula, Observations, Quantity, Study};
use super::{empty, geometry, removable};
use crate::error::HarnessError;

const QUOTED: &str = "Rothenberg et al. 2010: 1 - (1 - (1 - p_c)^s)^k, biased";
const PALM: &str = "1 - E[(1 - b)^J], b seen from a bit of the key (Palm)";
/// What the Palm form leaves out is of the order of 1/m.
const NEAR: Claim = Claim::Approximate { rel: 0.002 };

/// As it is quoted, and as it is.
fn deletable(params: &Params, keys: u64) -> Vec<Formula> {
    vec![
        Formula::of("deletable", "deletable_palm", deletable_corrected(params, keys), NEAR, PALM),
        Formula::line("deletable_as_quoted", deletable_quoted(params, keys), QUOTED),
    ]
}

/// The share of the members that can be removed, as the filter fills.
pub const FRACTION: Study = Study {
    name: "deletable-fraction",
    about: "share of the members that can be removed, at `steps` loads up to `most`",
    factors: &["most", "steps"],
    quantities: &[Quantity::share("deletable")],
    axis: Some(AlongAxis {
        name: "l",
        positions: |case| {
            let (most, steps) = (case.number("most", 0.0)?, case.steps("steps")?);
            Ok((1..=steps).map(|step| (most * step as f64 / steps as f64 * 1e6).round() / 1e6).collect())
        },
    }),
    observe: |case| {
        let (params, loads) = (geometry(case)?, FRACTION.positions(case)?);
        let members = case.digests(0, loads.last().map_or(0, |load| keys_at(*load, &params)))?;
        let (mut filter, mut seen) = (empty(case)?, Observations::new(&FRACTION, loads.len()));
        for (position, load) in loads.iter().enumerate() {
            let (before, now) = (filter.inserted() as usize, keys_at(*load, &params));
            filter.insert_batch(&members[before..now as usize]).map_err(|error| case.unfit(&error.to_string()))?;
            seen.add(position, 0, removable(&filter, &members[..now as usize]), now);
        }
        Ok(seen)
    },
    formulas: |case, loads| {
        let params = geometry(case)?;
        Ok(loads.iter().map(|load| deletable(&params, keys_at(*load, &params))).collect())
    },
    cost_ns: |_| 50e6,
};

/// Keys that make the load `l = kn/m`.
fn keys_at(load: f64, params: &Params) -> u64 {
    (load * params.m as f64 / f64::from(params.k)).round() as u64
}

/// What the map buys: members that can be removed, as a share and for each of its bits.
pub const OVERHEAD: Study = Study {
    name: "deletable-overhead",
    about: "members that can be removed, as a share and for each bit of the map",
    factors: &[],
    quantities: &[Quantity::share("deletable"), Quantity::mean("bought")],
    axis: None,
    observe: |case| {
        let (params, members) = (geometry(case)?, case.digests(0, case.keys())?);
        let mut filter = empty(case)?;
        filter.insert_batch(&members).map_err(|error| case.unfit(&error.to_string()))?;
        let (removable, mut seen) = (removable(&filter, &members), Observations::new(&OVERHEAD, 1));
        seen.add(0, 0, removable, case.keys());
        seen.add(0, 1, removable, params.regions);
        Ok(seen)
    },
    formulas: |case, _| {
        let (params, keys) = (geometry(case)?, case.keys());
        let mut formulas = deletable(&params, keys);
        let for_each_bit = |share: f64| share * keys as f64 / params.regions as f64;
        let (palm, quoted) = (for_each_bit(formulas[0].value), for_each_bit(formulas[1].value));
        // What they are a multiple of is tested already.
        formulas.push(Formula::line("bought_palm", palm, PALM));
        formulas.push(Formula::line("bought_as_quoted", quoted, QUOTED));
        Ok(vec![formulas])
    },
    cost_ns: |spec| spec.keys as f64 * 200.0,
};

/// The share of the members inserted once that can still be removed when others were inserted again.
pub const REPEATS: Study = Study {
    name: "deletable-repeats",
    about: "share of the members inserted once that can be removed, when up to a share `most` was inserted twice",
    factors: &["most", "steps"],
    quantities: &[Quantity::share("deletable")],
    axis: Some(AlongAxis {
        name: "repeated",
        positions: |case| {
            let (most, steps) = (case.number("most", 0.0)?, case.steps("steps")?);
            Ok((0..=steps).map(|step| (most * step as f64 / steps as f64 * 1e6).round() / 1e6).collect())
        },
    }),
    observe: |case| {
        let (members, shares) = (case.digests(0, case.keys())?, REPEATS.positions(case)?);
        let (mut filter, mut seen) = (empty(case)?, Observations::new(&REPEATS, shares.len()));
        let unfit = |error: amq::Full| case.unfit(&error.to_string());
        filter.insert_batch(&members).map_err(unfit)?;
        let mut again = 0;
        for (position, share) in shares.iter().enumerate() {
            let now = repeated(case, *share)? as usize;
            filter.insert_batch(&members[again..now]).map_err(unfit)?;
            again = now;
            seen.add(position, 0, removable(&filter, &members[now..]), (members.len() - now) as u64);
        }
        Ok(seen)
    },
    formulas: |case, shares| {
        let params = geometry(case)?;
        let once = deletable_corrected(&params, case.keys());
        let at = |share: &f64| {
            let value = deletable_after_repeats(&params, case.keys(), repeated(case, *share)?);
            let source = "Palm form, a repeated key marks all its regions";
            Ok(vec![
                Formula::of("deletable", "deletable_repeats", value, NEAR, source),
                Formula::line("deletable_once", once, PALM),
            ])
        };
        shares.iter().map(at).collect()
    },
    cost_ns: |spec| spec.keys as f64 * 3000.0,
};

/// Members inserted twice.
fn repeated(case: &Case<'_>, share: f64) -> Result<u64, HarnessError> {
    if (0.0..=1.0).contains(&share) {
        return Ok((share * case.keys() as f64).round() as u64);
    }
    Err(case.unfit(&format!("{share} of the members cannot be inserted twice: a share is at most 1")))
}
