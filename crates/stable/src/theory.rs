//! What the filter is held to: the expected rate after any number of arrivals, not only at the stable point.

use amq::{
    Claim, Class, Decaying, Given, Goal, InvalidParams, Lines, NamedValue, Number, ParamInfo, Prediction, Theory,
};
use bloom_theory::floors;
use bloom_theory::ranges::{check_bits, check_keys, check_probes, check_rate};
use bloom_theory::sizing::bits_within;
use hashing::Derivation;

use crate::chain::Cell;
use crate::decrement::Decrement;
use crate::filter::{Params, StableBloom};
use crate::paper::{arrivals_to_converge, convergence_rate, fnr_classic, fps_bound, required_p};
use crate::rates::{Joint, Start};
use crate::{paper, sizing};

const EXACT: &str = "chain of one and of two cells, exact for k <= 2; beyond by a Polya urn of the same two moments";
const PAPER: &str = "Deng and Rafiei, SIGMOD 2006";

/// The claim that goes with a rate of `params` under `joint`; `faithful` positions are independent.
fn claim(joint: &Joint, params: &Params, faithful: bool) -> Claim {
    match joint.slack(params) {
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

    /// A budget is spent on cells; what else is not given is chosen as for given cells.
    fn size_with(given: &Given, keys: u64, goal: Goal) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        match goal {
            Goal::BitsPerKey(bits_per_key) if given.get("cells").is_none() => {
                let max = u32::try_from(given.count("max")?.unwrap_or(1)).unwrap_or(u32::MAX);
                let width = Params::new(1, 1, 1, max).cell_bits().max(1);
                let cells = bits_within(keys, bits_per_key)? / u64::from(width);
                Self::params_from(&given.with("cells", Number::Integer(cells)), keys)
            }
            _ => Err(given.contradicts(goal)),
        }
    }

    fn predicted_fpr(params: &Params, keys: u64) -> Prediction {
        let joint = Joint::new(params, C::LAW, Start::Empty, keys);
        let rate = joint.hit(params.cells, params.k);
        let faithful = floors::is_faithful(D::SCHEME, D::REDUCTION);
        Prediction { rate, claim: claim(&joint, params, faithful), source: EXACT }
    }

    fn rate_spread(params: &Params, keys: u64) -> f64 {
        Joint::new(params, C::LAW, Start::Empty, keys).spread(params.cells, params.k)
    }

    fn rate_given_contents(&self) -> Option<f64> {
        // A correlated derivation probes positions that are not independent given the cells.
        floors::is_faithful(D::SCHEME, D::REDUCTION).then(|| self.rate_by_cells())
    }

    fn lines_touched(params: &Params, keys: u64) -> Option<Lines> {
        // The share of cells that are not 0, as the rate has it.
        let holds = Self::predicted_fpr(params, keys).rate.powf(1.0 / f64::from(params.k));
        Some(Lines::of_probes(f64::from(params.k), holds))
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
            row(
                "stable_zeros",
                1.0 - cell.nonzero(cell.forever()),
                Claim::Exact,
                "chain of one cell, after convergence",
            ),
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
        Prediction { rate, claim: claim(&joint, params, faithful), source: EXACT }
    }
}

#[cfg(test)]
mod tests {
    use amq::IncrementalFilter;
    use hashing::{Derive, derive};

    use super::*;
    use crate::Independent;

    type Stable = StableBloom;

    #[test]
    fn parameters_by_name() {
        let params = |pairs: &[(&str, f64)]| {
            let given = Given::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Number::Real(*value))));
            Stable::params_from(&given, 10_000).map_err(|error| error.to_string())
        };
        let full = [("cells", 1e6), ("k", 3.0), ("p", 11.0), ("max", 3.0)];
        assert_eq!(params(&full), Ok(Params::new(1_000_000, 3, 11, 3)));
        // P by ceiling of 10.9248.
        let sized = params(&[("cells", 1e6), ("k", 3.0), ("fps", 0.01), ("gap", 50.0)]).unwrap();
        assert_eq!(sized, Params { fps: Some(0.01), gap: Some(50), ..Params::new(1_000_000, 3, 11, 1) });
        // What is left open remembers half of the keys.
        let open = params(&[("cells", 4e5)]).unwrap();
        assert!(sizing::horizon(&open) >= 10_000.0 && crate::paper::fps_bound(&open) < 0.02, "{open:?}");
        for (pairs, text) in [
            (
                &[("k", 3.0)][..],
                "parameter `cells` is missing; this filter takes `cells`, `k`, `p`, `max`, `fps`, `gap`",
            ),
            (&[("cells", 0.0)], "cells = 0 is out of range: 1 to 2^48 bits"),
            (&[("cells", 100.0), ("k", 65.0)], "k = 65 is out of range: 1 to 64 probes"),
            (&[("cells", 100.0), ("max", 256.0)], "max = 256 is out of range: 1 to 255"),
            (
                &[("cells", 100.0), ("p", 101.0)],
                "p = 101 is out of range: 1 to the number of cells; without decrements \
              it is a Bloom filter",
            ),
        ] {
            assert_eq!(params(pairs), Err(text.to_owned()));
        }
        for bad in [0.0, 1.0, f64::NAN] {
            assert!(params(&[("cells", 1e6), ("fps", bad)]).is_err());
        }
        assert!(params(&[("cells", 100.0), ("k", 3.0), ("fps", 1e-12)]).is_err());
        assert!(params(&[("cells", 1.0)]).is_ok());
    }

    #[test]
    fn claims_are_no_stronger_than_their_proofs() {
        let claim = |params: Params| Stable::predicted_fpr(&params, 5000).claim;
        assert_eq!(claim(Params::new(1000, 2, 10, 3)), Claim::Exact);
        assert!(matches!(claim(Params::new(1000, 3, 10, 3)), Claim::Approximate { rel } if rel < 1e-3));
        assert_eq!(claim(Params::new(1000, 3, 10, 200)), Claim::AtMost);
        type Doubled = StableBloom<Independent, Derive<derive::Double, derive::Modulo>>;
        let params = Params::new(256, 3, 10, 1);
        assert_eq!(Doubled::predicted_fpr(&params, 100).claim, Claim::AtLeast);
        assert_eq!(Doubled::empty(&params, 1).unwrap().rate_given_contents(), None);
    }

    #[test]
    fn named_values_at_a_known_point() {
        let params = Params { fps: Some(0.01), gap: Some(1000), ..Params::new(100_000, 3, 10, 3) };
        let values = Stable::named_values(&params, 10_000);
        let value = |name| values.iter().find(|row| row.name == name).unwrap().value;
        assert_eq!((value("cell_bits"), value("bits_per_key"), value("gap")), (2.0, 20.0, 1000.0));
        // FIELD 5: 0.00045 at this gap.
        assert!((value("fnr_at_gap") - 0.000_45).abs() < 5e-6 && (value("fnr_classic") - 0.000_452_36).abs() < 1e-8);
        assert_eq!(value("required_p"), required_p(100_000, 3, 3, 0.01));
        assert_eq!(value("arrivals_to_converge"), (6_000_000.0f64 / 13.0).ceil());
        assert!(value("fpr_expected") < value("fpr_stable") && value("zeros") > value("stable_zeros"));
        // Without a target, P is the one of its own bound.
        let plain = Stable::named_values(&Params::new(100_000, 3, 10, 3), 10_000);
        let own = plain.iter().find(|row| row.name == "required_p").unwrap().value;
        assert!((own - 10.0).abs() < 1e-9, "{own}");
    }
}
