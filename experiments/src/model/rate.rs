//! The false-positive rate over independent filters, each with keys and seeds of its own.

use hashing::Hasher;

use super::{Plan, Point, outcome};
use crate::error::HarnessError;
use crate::keys::{CHUNK, KeySet};
use crate::record::Record;
use crate::spec::PointSpec;
use crate::verdict::{ALPHA, POWER, plan_probes, planned_effect};

/// Filters and probes so that the effect is seen at the predicted rate, within the definition's limits.
pub(super) fn plan(spec: &PointSpec) -> Plan {
    let amount = &spec.amount;
    let filters_per_row = amount.filters_per_row.unwrap_or(1).max(1);
    let fixed = |filters| Plan {
        filters,
        probes_per_filter: amount.probes_per_filter.unwrap_or(amount.most_probes / filters),
        filters_per_row,
    };
    let theory = spec.contender.as_ref().zip(spec.params.as_ref().ok()).and_then(|(contender, params)| {
        let rate = contender.predicted_fpr(params, spec.keys).ok()?.rate;
        Some((rate, contender.rate_spread(params, spec.keys).ok()?))
    });
    let Some((rate, spread)) = theory else { return fixed(amount.filters) };
    let effect = amount.effect.unwrap_or_else(|| planned_effect(rate));
    let most = amount.most_filters.unwrap_or(amount.filters).max(amount.filters);
    // Half of the effect: the other half is left to the probes' own noise.
    let needed = if rate > 0.0 {
        stats::filters_for_effect(spread / rate, effect / 2.0, ALPHA, POWER).unwrap_or(amount.filters)
    } else {
        amount.filters
    };
    let filters = needed.clamp(amount.filters, most);
    if amount.probes_per_filter.is_some() {
        return fixed(filters);
    }
    let probes = plan_probes(rate, spread, filters, effect, amount.most_probes);
    Plan { filters, probes_per_filter: probes.div_ceil(filters).max(1), filters_per_row }
}

pub(super) fn measure(point: &Point, record: &mut Record) -> Result<(), HarnessError> {
    let spec = &point.spec;
    let (Some(contender), Ok(params)) = (&spec.contender, &spec.params) else {
        return Err(HarnessError::Failed(format!("measure `{}` needs contenders", spec.measure)));
    };
    let first = record.row * point.plan.filters_per_row;
    let filters = first..(first + point.plan.filters_per_row).min(point.plan.filters);
    let (mut positives, mut squares, mut denied, mut expected) = (0u64, 0u64, 0u64, Some(0.0));
    let mut digests = Vec::with_capacity(CHUNK as usize);
    for index in filters.clone() {
        let keys = KeySet::new(spec.workload.clone(), spec.keys, point.key_seed(index));
        let hasher = Hasher::new(spec.family, point.hash_seed(index));
        let mut source = keys.source(&hasher);
        let built = contender.build(params, point.filter_seed(index), &mut source);
        source.finish()?;
        let filter = match built {
            Ok(filter) => filter,
            Err(error) => {
                outcome(&error).clone_into(&mut record.outcome);
                return Ok(());
            }
        };
        let mut members = 0;
        for start in (0..spec.keys).step_by(CHUNK as usize) {
            digests.clear();
            keys.member_digests(start..(start + CHUNK).min(spec.keys), &hasher, &mut digests)?;
            members += filter.count_contained(&digests);
        }
        denied += spec.keys - members;
        let mut hits = 0;
        let probes = point.plan.probes_per_filter;
        for start in (0..probes).step_by(CHUNK as usize) {
            digests.clear();
            keys.absent_digests(start..(start + CHUNK).min(probes), &hasher, &mut digests)?;
            hits += filter.count_contained(&digests);
        }
        positives += hits;
        squares += hits * hits;
        expected = expected.zip(filter.rate_given_contents()).map(|(sum, rate)| sum + rate * probes as f64);
        let space = filter.space();
        (record.payload_bits, record.overhead_bits) = (Some(space.payload_bits), Some(space.overhead_bits));
    }
    record.filters = Some(filters.end - filters.start);
    record.probes = Some((filters.end - filters.start) * point.plan.probes_per_filter);
    record.false_positives = Some(positives);
    record.false_positives_squared = Some(squares);
    record.false_negatives = Some(denied);
    record.expected_by_contents = expected;
    if denied > 0 && contender.no_false_negatives {
        "law-violated".clone_into(&mut record.outcome);
    }
    Ok(())
}
