//! The rate while members are taken out.

use amq::{Claim, DeletableFilter, Filter, IncrementalFilter};
use bloom_theory::fpr::fpr_exact;
use deletable::theory::fpr_after_removing;

use super::super::{AlongAxis, Formula, Observations, Quantity, Study};
use super::{empty, geometry};

/// The rate after removals of a share of the members were tried, refused or not.
pub const REMOVAL: Study = Study {
    name: "deletable-removal",
    about: "rate after removals of members were tried, in `steps` steps from none to all",
    factors: &["steps"],
    quantities: &[Quantity::share("fpr")],
    axis: Some(AlongAxis {
        name: "tried",
        positions: |case| {
            let steps = case.steps("steps")?;
            Ok((0..=steps).map(|step| step as f64 / steps as f64).collect())
        },
    }),
    observe: |case| {
        let (n, shares) = (case.keys(), REMOVAL.positions(case)?);
        let (members, absent) = (case.digests(0, n)?, case.digests(n, n + case.probes())?);
        let (mut filter, mut seen) = (empty(case)?, Observations::new(&REMOVAL, shares.len()));
        filter.insert_batch(&members).map_err(|error| case.unfit(&error.to_string()))?;
        let mut tried = 0;
        for (position, share) in shares.iter().enumerate() {
            let now = out(*share, n) as usize;
            for key in &members[tried..now] {
                filter.remove(*key);
            }
            tried = now;
            seen.add(position, 0, filter.count_contained(&absent), case.probes());
        }
        Ok(seen)
    },
    formulas: |case, shares| {
        let (params, n) = (geometry(case)?, case.keys());
        let at = |share: &f64| {
            let tried = out(*share, n);
            let after = fpr_after_removing(&params, n, tried);
            // A mean of k-th powers is above the power of the mean: by 1 % at m = 9600.
            let (claim, source) = (Claim::Approximate { rel: 0.01 }, "mean fill left, to the power k");
            vec![
                Formula::of("fpr", "fpr_removed", after, claim, source),
                Formula::line(
                    "members_fpr",
                    fpr_exact(params.m, params.k, n - tried),
                    "Bloom filter of those not tried",
                ),
            ]
        };
        Ok(shares.iter().map(at).collect())
    },
    cost_ns: |spec| spec.keys as f64 * 2000.0,
};

/// Members whose removal was tried.
fn out(share: f64, keys: u64) -> u64 {
    (share * keys as f64).round() as u64
}
