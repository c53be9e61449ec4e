//! How high counters count.

use amq::IncrementalFilter;
use counting::Params;
use counting::theory::counts;

use super::super::{AlongAxis, EXACT, Formula, Observations, Quantity, Study};

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
        let mut filter = super::empty::<16>(case)?;
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
        let Params { m, k } = super::geometry(case)?;
        let (n, mean) = (case.keys(), counts::mean_draws(m, k, case.keys()));
        let exactly = |tail: &dyn Fn(u64) -> f64, j: f64| tail(j as u64) - tail(j as u64 + 1);
        let at = |j: &f64| {
            let exact = exactly(&|j| counts::at_least(m, k, n, j), *j);
            let poisson = exactly(&|j| counts::poisson_at_least(mean, j), *j);
            let source = "Bin(n, 1 - (1 - 1/m)^k): distinct positions of a key";
            vec![
                Formula::of("share", "exact_share", exact, EXACT, source),
                Formula::line("poisson_share", poisson, "Fan et al. 2000: Poisson(kn/m)"),
            ]
        };
        Ok(positions.iter().map(at).collect())
    },
    cost_ns: |spec| spec.keys as f64 * 200.0,
};
