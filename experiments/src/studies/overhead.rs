//! Space of any filter over the lower bound of its own class.

use amq::{Claim, NamedValue};

use super::{Case, Formula, Observations, Quantity, Study};
use crate::error::HarnessError;

/// Allocated bits per key against the bound.
pub const OVERHEAD: Study = Study {
    name: "overhead",
    about: "allocated bits per key of a filter of a rate, beside the lower bound of its class",
    factors: &[],
    quantities: &[Quantity::mean("bits_per_key")],
    axis: None,
    observe: |case| {
        let (spec, seed) = (case.spec(), case.seed("filter"));
        let (Some(contender), Ok(params)) = (&spec.contender, &spec.params) else {
            return Err(case.unfit("a contender is needed"));
        };
        let keys = case.digests(0, case.keys())?;
        let filter = contender.build_from(params, seed, &keys).map_err(|error| case.unfit(&error.to_string()))?;
        let mut seen = Observations::new(&OVERHEAD, 1);
        seen.add(0, 0, filter.space().total_bits(), case.keys());
        Ok(seen)
    },
    formulas: |case, _| Ok(vec![formulas(case)?]),
    cost_ns: |spec| spec.keys as f64 * 150.0,
};

fn formulas(case: &Case<'_>) -> Result<Vec<Formula>, HarnessError> {
    let (spec, keys) = (case.spec(), case.keys());
    let (Some(contender), Ok(params)) = (&spec.contender, &spec.params) else { return Ok(Vec::new()) };
    let unfit = |error: amq::InvalidParams| case.unfit(&error.to_string());
    let values = contender.named_values(params, keys).map_err(unfit)?;
    let rate = contender.predicted_fpr(params, keys).map_err(unfit)?.rate;
    let bits = values.iter().find(|NamedValue { name, .. }| *name == "bits_per_key");
    let mut all = vec![
        Formula::line("rate", rate, "predicted"),
        Formula::line("class_bits", contender.class.bits_per_key(rate), "lower bound of the filter's class"),
        Formula::line("bloom_bits", amq::Class::Static.bits_per_key(rate) / std::f64::consts::LN_2, "lg(1/eps) / ln 2"),
    ];
    if let Some(bits) = bits {
        // What may grow while it is built has its least size in theory.
        let claim = if contender.params.iter().any(|info| info.name == "growth") { Claim::AtLeast } else { bits.claim };
        all.push(Formula::of("bits_per_key", "bits_theory", bits.value, claim, bits.source));
    }
    Ok(all)
}
