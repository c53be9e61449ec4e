//! How often counters of a width overflow, and how high the highest counts.
//!
//! A counter of `W` bits overflows when `2^W` keys have it. Counters of sixteen bits count them, so that what a narrow
//! counter no longer knows is seen.

use amq::{Claim, Filter, IncrementalFilter};
use counting::theory::counts;
use counting::{CountingBloom, Params};

use super::super::{AlongAxis, Case, EXACT, Formula, Observations, Quantity, Study};
use crate::error::HarnessError;

const FACTORS: &[&str] = &["width", "least", "most", "steps", "from", "batch"];

/// The mean number of draws of a counter, `l = kn/m`: from `least` to `most` in so many equal ratios.
const LOADS: AlongAxis = AlongAxis {
    name: "l",
    positions: |case| {
        let (least, most, steps) = (case.number("least", 1e-3)?, case.number("most", 1e-3)?, case.steps("steps")?);
        let at = |step: u64| least * (most / least).powf(step as f64 / steps as f64);
        Ok((0..=steps).map(|step| (at(step) * 1e4).round() / 1e4).collect())
    },
};

/// The share of counters that overflow; read from the load `from` on, below it only computed.
pub const COUNTERS: Study = Study {
    name: "counter-overflow",
    about: "share of counters that 2^width keys or more have, against the load; read from load `from` on",
    factors: FACTORS,
    quantities: &[Quantity::share("overflow")],
    axis: Some(LOADS),
    observe: |case| {
        observe(case, &COUNTERS, |filter, full| {
            (filter.counters().iter().filter(|count| *count >= full).count() as u64, filter.params().m)
        })
    },
    formulas: |case, loads| {
        formulas(case, loads, |Params { m, k }, n, width| {
            let exact = counts::at_least(m, k, n, 1 << width);
            let bound = counts::overflow_bound(m, k, n, width) / m as f64;
            [
                Formula::of("overflow", "overflow_exact", exact, EXACT, "P[Bin(n, 1 - (1 - 1/m)^k) >= 2^W]"),
                Formula::line("overflow_counter_bound", bound, "Fan et al. 2000: (e l / 2^W)^(2^W)"),
            ]
        })
    },
    cost_ns: |_| 5e6,
};

/// The share of filters in which any counter overflows.
pub const FILTERS: Study = Study {
    name: "filter-overflow",
    about: "share of filters with a counter that 2^width keys or more have, against the load; read from load `from` on",
    factors: FACTORS,
    quantities: &[Quantity::share("any")],
    axis: Some(LOADS),
    observe: |case| observe(case, &FILTERS, |filter, full| (u64::from(filter.max_count() >= full), 1)),
    formulas: |case, loads| {
        formulas(case, loads, |Params { m, k }, n, width| {
            let exact = counts::any_of(m, counts::at_least(m, k, n, 1 << width));
            // Counters hinder each other a little, at most by the order of k/m.
            let claim = Claim::Approximate { rel: 0.01 };
            let bound = counts::overflow_bound(m, k, n, width).min(1.0);
            [
                Formula::of("any", "any_exact", exact, claim, "1 - (1 - p)^m, p of a counter, taken as independent"),
                Formula::line("overflow_filter_bound", bound, "Fan et al. 2000: m (e l / 2^W)^(2^W)"),
            ]
        })
    },
    cost_ns: |_| 5e6,
};

/// The highest count of a filter.
pub const MAXIMUM: Study = Study {
    name: "counter-maximum",
    about: "mean of the highest count of a filter",
    factors: &[],
    quantities: &[Quantity::mean("highest")],
    axis: None,
    observe: |case| {
        let mut filter = super::empty::<16>(case)?;
        filter.insert_batch(&case.digests(0, case.keys())?).map_err(|error| case.unfit(&error.to_string()))?;
        let mut seen = Observations::new(&MAXIMUM, 1);
        seen.add(0, 0, filter.max_count(), 1);
        Ok(seen)
    },
    formulas: |case, _| {
        let Params { m, k } = super::geometry(case)?;
        let (value, claim) = (counts::expected_max(m, k, case.keys()), Claim::Approximate { rel: 0.01 });
        let source = "sum over j of 1 - (1 - P[count >= j])^m: counters taken as independent";
        Ok(vec![vec![Formula::of("highest", "highest_expected", value, claim, source)]])
    },
    cost_ns: |spec| spec.keys as f64 * 300.0,
};

/// The width of the counters that overflow.
fn width(case: &Case<'_>) -> Result<u32, HarnessError> {
    match case.count("width", 1)? {
        width @ 1..=15 => Ok(width as u32),
        other => Err(case.unfit(&format!("width = {other}: counters of sixteen bits show overflows of 1 to 15 bits"))),
    }
}

/// Keys that make this load.
fn keys_at(load: f64, Params { m, k }: Params) -> u64 {
    (load * m as f64 / f64::from(k)).round() as u64
}

/// Formulas at each load; those below `from` are not tested, as nothing is read there.
fn formulas(
    case: &Case<'_>,
    loads: &[f64],
    at: impl Fn(Params, u64, u32) -> [Formula; 2],
) -> Result<Vec<Vec<Formula>>, HarnessError> {
    let (params, width, from) = (super::geometry(case)?, width(case)?, case.number("from", 0.0)?);
    let read = |load: f64, formula: Formula| Formula { tests: formula.tests.filter(|_| load >= from), ..formula };
    Ok(loads
        .iter()
        .map(|load| at(params, keys_at(*load, params), width).map(|formula| read(*load, formula)).to_vec())
        .collect())
}

/// Fills `batch` filters step by step and reads each at each load.
fn observe(
    case: &Case<'_>,
    study: &Study,
    read: impl Fn(&CountingBloom<16>, u64) -> (u64, u64),
) -> Result<Observations, HarnessError> {
    let (params, full, from) = (super::geometry(case)?, 1 << width(case)?, case.number("from", 0.0)?);
    let loads = (LOADS.positions)(case)?;
    let mut seen = Observations::new(study, loads.len());
    let most = loads.last().map_or(0, |load| keys_at(*load, params));
    for number in 0..case.count("batch", 1)? {
        let seed = case.seed("filter").wrapping_add(number);
        let mut filter = CountingBloom::empty(&params, seed).map_err(|error| case.unfit(&error.to_string()))?;
        let keys = case.digests(number * most, (number + 1) * most)?;
        for (position, load) in loads.iter().enumerate() {
            let new = &keys[filter.inserted() as usize..keys_at(*load, params) as usize];
            filter.insert_batch(new).map_err(|error| case.unfit(&error.to_string()))?;
            if *load >= from {
                let (sum, trials) = read(&filter, full);
                seen.add(position, 0, sum, trials);
            }
        }
    }
    Ok(seen)
}
