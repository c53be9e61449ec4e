//! Which absent keys are hit often: a fixed set of absent keys and a fixed filter seed, over many sets of
//! members. A key whose probes fall on fewer distinct bits is hit more often than others.

use std::collections::BTreeMap;

use hashing::Hasher;

use super::{Plan, Point, outcome};
use crate::error::HarnessError;
use crate::keys::KeySet;
use crate::record::Record;
use crate::spec::PointSpec;

pub(super) fn plan(spec: &PointSpec) -> Plan {
    let filters = spec.amount.filters;
    let probes_per_filter = spec.amount.probes_per_filter.unwrap_or(spec.amount.most_probes / filters);
    Plan { filters, probes_per_filter, filters_per_row: filters }
}

pub(super) fn measure(point: &Point, record: &mut Record) -> Result<(), HarnessError> {
    let spec = &point.spec;
    let (Some(contender), Ok(params)) = (&spec.contender, &spec.params) else {
        return Err(HarnessError::Failed(format!("measure `{}` needs contenders", spec.measure)));
    };
    let Plan { filters, probes_per_filter: probes, .. } = point.plan;
    let hasher = Hasher::new(spec.family, point.hash_seed(0));
    let mut absent = Vec::new();
    // The absent keys of filter 0 stay; each filter has members of its own, all different from them.
    KeySet::new(spec.workload.clone(), spec.keys, point.key_seed(0)).absent_digests(0..probes, &hasher, &mut absent)?;
    let mut hits = vec![0u32; absent.len()];
    let mut answers = vec![false; absent.len()];
    let mut members = Vec::new();
    let mut denied = 0;
    for index in 0..filters {
        members.clear();
        let keys = KeySet::new(spec.workload.clone(), spec.keys, point.key_seed(index + 1));
        keys.member_digests(0..spec.keys, &hasher, &mut members)?;
        let filter = match contender.build_from(params, point.filter_seed(0), &members) {
            Ok(filter) => filter,
            Err(error) => {
                outcome(&error).clone_into(&mut record.outcome);
                return Ok(());
            }
        };
        denied += spec.keys - filter.count_contained(&members);
        filter.contains_batch(&absent, &mut answers);
        for (count, answer) in hits.iter_mut().zip(&answers) {
            *count += u32::from(*answer);
        }
        let space = filter.space();
        (record.payload_bits, record.overhead_bits) = (Some(space.payload_bits), Some(space.overhead_bits));
    }
    let mut histogram = BTreeMap::new();
    for count in &hits {
        *histogram.entry(*count).or_insert(0u64) += 1;
    }
    let pairs: Vec<String> = histogram.iter().map(|(hits, keys)| format!("{hits}:{keys}")).collect();
    record.histogram = Some(pairs.join(" "));
    record.filters = Some(filters);
    record.probes = Some(filters * probes);
    record.false_positives = Some(hits.iter().map(|count| u64::from(*count)).sum());
    record.false_negatives = Some(denied);
    if denied > 0 && contender.no_false_negatives {
        "law-violated".clone_into(&mut record.outcome);
    }
    Ok(())
}
