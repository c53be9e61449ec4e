//! Members replaced by others, again and again.

use amq::{Claim, DeletableFilter, Filter, IncrementalFilter};
use bloom_theory::fpr::fpr_exact;
use counting::Params;
use counting::theory::churn::{WIDEST, after_replacements};
use hashing::mix::mix64;

use super::super::{AlongAxis, Case, EXACT, Formula, Observations, Quantity, Study};
use super::at_width;
use crate::error::HarnessError;

/// Shares of stuck counters below this are drawn and not tested: what a repetition sees of them says too little.
const FEW: f64 = 0.07;

/// The rate, and the share of stuck counters, while random members are replaced by new keys.
pub const CHURN: Study = Study {
    name: "counting-churn",
    about: "rate and stuck counters while random members are replaced by new keys, 2^-3 to 2^`octaves` times all of them",
    factors: &["octaves"],
    quantities: &[Quantity::share("fpr"), Quantity::share("stuck")],
    axis: Some(AlongAxis {
        name: "turnover",
        positions: |case| {
            let octaves = i32::try_from(case.count("octaves", 0)?).unwrap_or(i32::MAX).min(40);
            Ok((-3..=octaves).map(|octave| f64::from(octave).exp2()).collect())
        },
    }),
    observe: |case| at_width!(case, observe),
    formulas: |case, turnovers| {
        let Params { m, k } = super::geometry(case)?;
        let (width, n) = (super::width(case)?, case.keys());
        let members = fpr_exact(m, k, n);
        let at = |turnover: &f64| {
            let line = Formula::line("members_fpr", members, "Bloom filter of the members");
            if width > WIDEST {
                let source = "no counter of this width sticks: Bloom filter of the members";
                return vec![line, Formula::of("fpr", "churn_fpr", members, EXACT, source)];
            }
            let Some(after) = after_replacements(width, m, k, n, replacements(*turnover, n)) else { return vec![line] };
            // A mean of k-th powers is above the power of the mean: by 0.3 % at m = 2400, k = 7.
            let (source, claim) =
                ("chain of a counter; fill^k in the limit of large m", Claim::Approximate { rel: 0.005 });
            let stuck = Formula::of("stuck", "churn_stuck", after.stuck, EXACT, "chain of a counter");
            let tests = stuck.tests.filter(|_| after.stuck >= FEW);
            vec![line, Formula::of("fpr", "churn_fpr", after.fpr, claim, source), Formula { tests, ..stuck }]
        };
        Ok(turnovers.iter().map(at).collect())
    },
    cost_ns: |spec| {
        let octaves = super::super::number(spec, "octaves").map_or(0.0, amq::Number::as_f64);
        spec.keys as f64 * octaves.exp2() * 400.0
    },
};

/// Replacements that renew all members so many times.
fn replacements(turnover: f64, keys: u64) -> u64 {
    (turnover * keys as f64).round() as u64
}

fn observe<const W: u32>(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let (n, turnovers) = (case.keys(), CHURN.positions(case)?);
    if n == 0 {
        return Err(case.unfit("there are no members to replace"));
    }
    let new = turnovers.last().map_or(0, |turnover| replacements(*turnover, n));
    let (mut members, new) = (case.digests(0, n)?, case.digests(n, n + new)?);
    let first_absent = n + new.len() as u64;
    let absent = case.digests(first_absent, first_absent + case.probes())?;
    let (mut filter, choice) = (super::empty::<W>(case)?, case.seed("replaced"));
    let unfit = |error: amq::Full| case.unfit(&error.to_string());
    filter.insert_batch(&members).map_err(|error| case.unfit(&error.to_string()))?;
    let (mut seen, mut done) = (Observations::new(&CHURN, turnovers.len()), 0);
    for (position, turnover) in turnovers.iter().enumerate() {
        while done < replacements(*turnover, n) {
            let at = (u128::from(mix64(choice.wrapping_add(done))) * u128::from(n)) >> 64;
            let member = &mut members[at as usize];
            filter.remove(*member);
            *member = new[done as usize];
            filter.insert(*member).map_err(unfit)?;
            done += 1;
        }
        let denied = n - filter.count_contained(&members);
        if denied > 0 {
            return Err(HarnessError::Failed(format!("{denied} members are denied after {done} replacements")));
        }
        seen.add(position, 0, filter.count_contained(&absent), case.probes());
        seen.add(position, 1, filter.stuck(), filter.params().m);
    }
    Ok(seen)
}
