//! What the filter is held to: the expected rate after any number of arrivals, not only at the stable point.

use amq::{Claim, Class, Decaying, Given, InvalidParams, NamedValue, ParamInfo, Prediction, Theory};
use bloom_theory::floors;
use bloom_theory::ranges::{check_bits, check_keys, check_probes, check_rate};
use hashing::Derivation;

use crate::chain::Cell;
use crate::decrement::Decrement;
use crate::filter::{Params, StableBloom};
use crate::paper::{arrivals_to_converge, convergence_rate, fnr_classic, fps_bound, required_p};
use crate::rates::{Joint, Start};
use crate::{paper, sizing};

const EXACT: &str = "chain of one and of two cells, exact for k <= 2; beyond by a Polya urn of the same two moments";
const PAPER: &str = "Deng and Rafiei, SIGMOD 2006";

/// The claim that goes with a rate of `k` probes under `joint`; `faithful` positions are independent.
fn claim(joint: &Joint, k: u32, faithful: bool) -> Claim {
    match joint.slack(k) {
        _ if !faithful => Claim::AtLeast,
        _ if joint.bounded => Claim::AtMost,
        0.0 => Claim::Exact,
        rel => Claim::Approximate { rel },
    }
}

impl<C: Decrement, D: Derivation> Theory for StableBloom<C, D> {
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo { name: "cells", meaning: "cells of as many bits as max has", range: "1 to 2^48 bits in all" },
        ParamInfo { name: "k", meaning: "probes of a key; of the lowest stable rate if not given", range: "1 to 64" },
        ParamInfo {
            name: "p",
            meaning: "decrements of an arrival; by fps, or the most that remember half of the keys, if not given",
            range: "1 to cells",
        },
        ParamInfo { name: "max", meaning: "what a cell is set to; 1 if not given", range: "1 to 255" },
        ParamInfo { name: "fps", meaning: "the stable rate to choose p for, if p is not given", range: "1e-15 to 1" },
        ParamInfo { name: "gap", meaning: "arrivals that fnr_at_gap is for; the keys if not given", range: "any" },
    ];
    /// A stable filter belongs to neither class: it takes keys without end, and denies old ones. Held against the keys of
    /// its horizon the static bound is a yardstick; a filter that may forget can be below it.
    const CLASS: Class = Class::Static;

    /// The lowest stable rate within the budget that still remembers half of the keys after `keys` arrivals.
    fn size_for(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
        sizing::within(keys, bits_per_key)
    }

    /// The fewest bits with a stable rate, not only that of the first `keys` arrivals, of at most `fpr`, that still
    /// remember half of the keys after `keys` arrivals. `p` by ceiling.
    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
        sizing::for_rate(keys, fpr)
    }

    fn params_from(given: &Given, keys: u64) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        let cells = check_bits("cells", given.require_count("cells", Self::PARAMS)?)?;
        let max = u32::try_from(given.count("max")?.unwrap_or(1)).unwrap_or(u32::MAX);
        let fps = given.get("fps").map(|fps| check_rate(fps.as_f64())).transpose()?;
        let k = given.count("k")?.map(check_probes).transpose()?;
        let p = given.count("p")?;
        let shape = Params { fps, gap: given.count("gap")?, ..Params::new(cells, k.unwrap_or(1), p.unwrap_or(1), max) };
        shape.check()?;
        let keys = check_keys(keys)?.max(1);
        sizing::complete(shape, k, p, keys)
    }

    fn predicted_fpr(params: &Params, keys: u64) -> Prediction {
        let joint = Joint::new(params, C::LAW, Start::Empty, keys);
        let rate = joint.hit(params.cells, params.k);
        let faithful = floors::is_faithful(D::SCHEME, D::REDUCTION);
        Prediction { rate, claim: claim(&joint, params.k, faithful), source: EXACT }
    }

    fn rate_spread(params: &Params, keys: u64) -> f64 {
        Joint::new(params, C::LAW, Start::Empty, keys).spread(params.cells, params.k)
    }

    fn rate_given_contents(&self) -> Option<f64> {
        // A correlated derivation probes positions that are not independent given the cells.
        floors::is_faithful(D::SCHEME, D::REDUCTION).then(|| self.rate_by_cells())
    }

    fn named_values(params: &Params, keys: u64) -> Vec<NamedValue> {
        let Params { cells, k, p, max, .. } = *params;
        let row = |name, value, claim, source| NamedValue { name, value, claim, source };
        let given = |name, value| row(name, value, Claim::Exact, "geometry");
        let bits_per_key = (cells * u64::from(params.cell_bits())).next_multiple_of(64) as f64 / keys.max(1) as f64;
        let gap = params.gap.unwrap_or(keys);
        let cell = Cell::new(params, C::LAW);
        let now = Self::predicted_fpr(params, keys);
        let stable = Self::predicted_fpr(params, cell.forever());
        let forgotten = Self::predicted_fnr(params, gap);
        let bound = |class: Class| class.bits_per_key(now.rate);
        let target = params.fps.unwrap_or_else(|| fps_bound(params));
        vec![
            given("cells", cells as f64),
            given("k", f64::from(k)),
            given("p", p as f64),
            given("max", f64::from(max)),
            given("cell_bits", f64::from(params.cell_bits())),
            given("bits_per_key", bits_per_key),
            row("stable_point", paper::stable_point(params), Claim::Limit, PAPER),
            row("stable_zeros", 1.0 - cell.nonzero(cell.forever()), Claim::Exact, "chain of one cell, after convergence"),
            row("zeros", 1.0 - cell.nonzero(keys), Claim::Exact, "chain of one cell, after the keys"),
            row("fps_bound", fps_bound(params), Claim::Limit, "(1 - Z*)^k: at-most for independent cells only"),
            row("fpr_stable", stable.rate, stable.claim, stable.source),
            row("fpr_mean_field", cell.nonzero(keys).powi(k as i32), Claim::Limit, "(1 - E[zeros])^k"),
            row("fpr_expected", now.rate, now.claim, now.source),
            row("required_p", required_p(cells, k, max, target), Claim::Exact, "for fps; for fps_bound if not given"),
            row("gap", gap as f64, Claim::Exact, "given, or the keys"),
            row("fnr_at_gap", forgotten.rate, forgotten.claim, forgotten.source),
            row("fnr_classic", fnr_classic(params, gap), Claim::Limit, "1 - (1 - Pr0)^k, cells independent"),
            row("convergence_rate", convergence_rate(params), Claim::Exact, "1 - (1 - p/m)(1 - k/m), per arrival"),
            row("arrivals_to_converge", arrivals_to_converge(params) as f64, Claim::Exact, "20 Max m / (p + k)"),
            row("horizon", sizing::horizon(params), Claim::Limit, "arrivals until half of the keys are denied"),
            row("bound_static_bits_per_key", bound(Class::Static), Claim::AtLeast, "Carter et al., STOC 1978"),
            row("bound_dynamic_bits_per_key", bound(Class::Dynamic), Claim::AtLeast, "Kuszmaul and Walzer, STOC 2024"),
            row("overhead", bits_per_key / bound(Self::CLASS), Claim::Exact, "bits_per_key / bound of the class"),
        ]
    }
}

impl<C: Decrement, D: Derivation> Decaying for StableBloom<C, D> {
    fn predicted_fnr(params: &Params, gap: u64) -> Prediction {
        let joint = Joint::new(params, C::LAW, Start::Set, gap);
        let rate = joint.miss(params.cells, params.k);
        let faithful = floors::is_faithful(D::SCHEME, D::REDUCTION);
        Prediction { rate, claim: claim(&joint, params.k, faithful), source: EXACT }
    }
}
