//! False positives taken out.

use amq::{Claim, DeletableFilter, Digest, Filter, IncrementalFilter, Removal};
use counting::Params;
use counting::theory::churn::denied_after_wrong_removals;
use counting::theory::counts::mean_draws;

use super::super::{AlongAxis, Case, Formula, Observations, Quantity, Study};
use super::at_width;
use crate::error::HarnessError;
use crate::keys::CHUNK;

/// Members that are denied after keys were removed that are no members but are found, each at its time.
pub const WRONG: Study = Study {
    name: "counting-wrong-removals",
    about: "share of members denied after false positives were removed, up to `most` for each member",
    factors: &["most", "steps"],
    quantities: &[Quantity::share("denied"), Quantity::mean("asked")],
    axis: Some(AlongAxis {
        name: "wrong_per_member",
        positions: |case| {
            let (most, steps) = (case.number("most", 0.0)?, case.steps("steps")?);
            Ok((1..=steps).map(|step| most * step as f64 / steps as f64).collect())
        },
    }),
    observe: |case| at_width!(case, observe),
    formulas: |case, positions| {
        let Params { m, k } = super::geometry(case)?;
        let load = mean_draws(m, k, case.keys());
        let at = |wrong: &f64| {
            let wrong = removals(*wrong, case.keys()) as f64;
            let exact = denied_after_wrong_removals(m, k, case.keys(), wrong);
            let first = f64::from(k).powi(2) * wrong * (-load).exp() / (m as f64 * -(-load).exp_m1());
            let claim = Claim::Approximate { rel: 0.02 };
            vec![
                Formula::of("denied", "denied_limit", exact, claim, "limit of large m, every choice of counters"),
                Formula::line("denied_first_order", first.min(1.0), "k^2 r e^-l / (m (1 - e^-l))"),
            ]
        };
        Ok(positions.iter().map(at).collect())
    },
    cost_ns: |spec| spec.keys as f64 * 50_000.0,
};

/// Wrong removals in all.
fn removals(per_member: f64, keys: u64) -> u64 {
    (per_member * keys as f64).round() as u64
}

/// As many absent keys as are asked in search of one false positive, at most: a filter that has next to none is given up.
const MOST_ASKED: u64 = 100_000_000;

fn observe<const W: u32>(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let (n, positions) = (case.keys(), WRONG.positions(case)?);
    let members = case.digests(0, n)?;
    let mut filter = super::empty::<W>(case)?;
    filter.insert_batch(&members).map_err(|error| case.unfit(&error.to_string()))?;
    let mut absent: Vec<Digest> = Vec::new();
    let (mut seen, mut done, mut asked) = (Observations::new(&WRONG, positions.len()), 0, 0);
    for (position, wrong) in positions.iter().enumerate() {
        let (done_before, asked_before) = (done, asked);
        while done < removals(*wrong, n) {
            if asked - asked_before > MOST_ASKED {
                return Err(case.unfit("false positives are too rare: lower `most`"));
            }
            if asked % CHUNK == 0 {
                absent = case.digests(n + asked, n + asked + CHUNK)?;
            }
            let key = absent[(asked % CHUNK) as usize];
            asked += 1;
            done += u64::from(filter.remove(key) == Removal::Removed);
        }
        seen.add(position, 0, n - filter.count_contained(&members), n);
        seen.add(position, 1, asked - asked_before, done - done_before);
    }
    Ok(seen)
}
