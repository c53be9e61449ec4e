//! How high counters count.

use amq::IncrementalFilter;
use counting::theory::counts;
use counting::{CountingBloom, Params};

use super::super::{AlongAxis, EXACT, Formula, Observations, Quantity, Study};

/// How many counters hold each count, against the exact binomial law and Poisson's.
pub const HISTOGRAM: Study = Study {
    name: "counter-histogram",
    about: "share of counters with each count up to `most`, in counters that none of them fills, `batch` filters at a time",
    factors: &["most", "batch"],
    quantities: &[Quantity::share("share")],
    axis: Some(AlongAxis {
        name: "count",
        positions: |case| Ok((0..=case.steps("most")?).map(|j| j as f64).collect()),
    }),
    observe: |case| {
        let (params, most, n) = (super::geometry(case)?, case.steps("most")?, case.keys());
        let unfit = |why: &dyn std::fmt::Display| case.unfit(&why.to_string());
        let mut counts = vec![0; most as usize + 1];
        let batch = case.count("batch", 1)?;
        for number in 0..batch {
            let seed = case.seed("filter").wrapping_add(number);
            let mut filter = CountingBloom::<16>::empty(&params, seed).map_err(|error| unfit(&error))?;
            let keys = case.digests(number * n, (number + 1) * n)?;
            filter.insert_batch(&keys).map_err(|error| unfit(&error))?;
            let shown = filter.counters().iter().filter(|count| *count <= most);
            shown.for_each(|count| counts[count as usize] += 1);
        }
        let mut seen = Observations::new(&HISTOGRAM, counts.len());
        counts.iter().enumerate().for_each(|(position, sum)| seen.add(position, 0, *sum, batch * params.m));
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
