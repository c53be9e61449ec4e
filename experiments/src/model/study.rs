//! One repetition of a study.

use super::{Plan, Point};
use crate::error::HarnessError;
use crate::keep::Keep;
use crate::record::Record;
use crate::spec::PointSpec;
use crate::studies::{Case, Study};

/// As many repetitions as the definition says, fewer where they have too many keys in all, and its probes shared among them.
pub(super) fn plan(spec: &PointSpec) -> Plan {
    let amount = &spec.amount;
    let filters = amount.keys_in_all.map_or(amount.filters, |most| (most / spec.keys.max(1)).clamp(1, amount.filters));
    let probes_per_filter = amount.probes_per_filter.unwrap_or(amount.most_probes / filters);
    Plan { filters, probes_per_filter, filters_per_row: 1 }
}

pub(super) fn measure(point: &Point, study: &Study, keep: &Keep, record: &mut Record) -> Result<(), HarnessError> {
    let seen = (study.observe)(&Case::new(point, study, record.row).keeping(keep))?;
    record.filters = Some(1);
    match seen.outcome() {
        Some(outcome) => outcome.clone_into(&mut record.outcome),
        None => record.observed = Some(seen.to_text()),
    }
    Ok(())
}
