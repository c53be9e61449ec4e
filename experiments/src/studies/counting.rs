//! Studies of the counting Bloom filter.

use amq::{IncrementalFilter, Theory};
use counting::CountingBloom;
use counting::theory::counts;

use super::{AlongAxis, Case, EXACT, Formula, Observations, Quantity, Study};
use crate::error::HarnessError;

/// How many counters hold each count, against the exact binomial law and Poisson's.
pub const HISTOGRAM: Study = Study {
    name: "counter-histogram",
    about: "share of counters with each count, in counters that none of them fills",
    factors: &["most"],
    quantities: &[Quantity::share("share")],
    axis: Some(AlongAxis {
        name: "count",
        positions: |case| Ok((0..=case.count("most", 1)?).map(|j| j as f64).collect()),
    }),
    observe: |case| {
        let params = case.params::<CountingBloom<16>>()?;
        let mut filter =
            CountingBloom::<16>::empty(&params, case.seed("filter")).map_err(|error| case.unfit(&error.to_string()))?;
        filter.insert_batch(&case.digests(0, case.keys())?).map_err(|error| case.unfit(&error.to_string()))?;
        let histogram = filter.histogram();
        let most = case.count("most", 1)? as usize;
        let counters: u64 = histogram.iter().sum();
        let mut seen = Observations::new(&HISTOGRAM, most + 1);
        for position in 0..=most {
            seen.add(position, 0, histogram.get(position).copied().unwrap_or(0), counters);
        }
        Ok(seen)
    },
    formulas: |case, positions| {
        let (m, k) = bloom(case)?;
        let mean = counts::mean_draws(m, k, case.keys());
        Ok(positions
            .iter()
            .map(|j| {
                let j = *j as u64;
                let exactly = |tail: &dyn Fn(u64) -> f64| tail(j) - tail(j + 1);
                vec![
                    Formula::of(
                        "share",
                        "exact_share",
                        exactly(&|j| counts::at_least(m, k, case.keys(), j)),
                        EXACT,
                        "binomial, distinct positions of a key",
                    ),
                    Formula::line("poisson_share", exactly(&|j| counts::poisson_at_least(mean, j)), "Fan et al. 2000"),
                ]
            })
            .collect())
    },
    cost_ns: |spec| spec.keys as f64 * 60.0,
};

/// Counters and probes.
fn bloom(case: &Case<'_>) -> Result<(u64, u32), HarnessError> {
    let params = case.params::<CountingBloom<16>>()?;
    let value = |name: &str| {
        let values = CountingBloom::<16>::named_values(&params, case.keys());
        values.iter().find(|value| value.name == name).map(|value| value.value)
    };
    match (value("m"), value("k")) {
        (Some(m), Some(k)) => Ok((m as u64, k as u32)),
        _ => Err(case.unfit("no m and k")),
    }
}
