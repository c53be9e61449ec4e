//! What Bloom's construction promises. The formulas of the shared array are in [`bloom_theory::fpr`]; here
//! they are put to this filter: which one it is held to, and how it is sized.

use amq::{Claim, Class, Given, InvalidParams, NamedValue, ParamInfo, Prediction, Theory};
use bloom_theory::ranges::{check_bits, check_keys, check_probes};
use bloom_theory::{floors, fpr, sizing};
use hashing::Derivation;

use crate::filter::{Params, StandardBloom};

const EXACT: &str = "Bose et al., IPL 108(4), 2008: k-term form, by a covering chain";

/// The best integer `k` for `keys` keys in `m` bits, by the exact formula (small filters prefer a smaller
/// `k` than `m/n ln 2` says: 5, not 6, at m = 16, n = 2).
#[must_use]
pub fn best_k(m: u64, keys: u64) -> u32 {
    // The exact formula costs k^3 log(kn) steps; the classic one finds the neighbourhood.
    let near = sizing::best_probes(sizing::guess_probes(m, keys), |k| fpr::fpr_classic(m, k, keys));
    sizing::best_probes(near, |k| fpr::fpr_exact(m, k, keys))
}

impl<D: Derivation> Theory for StandardBloom<D> {
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo { name: "m", meaning: "bits of the array", range: "1 to 2^48" },
        ParamInfo { name: "k", meaning: "probes of a key; the best integer if not given", range: "1 to 64" },
    ];
    const CLASS: Class = Class::Static;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
        let m = sizing::bits_within(keys, bits_per_key)?;
        Ok(Params { m, k: best_k(m, keys) })
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
        let m = sizing::bits_for_rate(keys, fpr)?;
        Ok(Params { m, k: best_k(m, keys) })
    }

    fn params_from(given: &Given, keys: u64) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        let m = check_bits("m", given.require_count("m", Self::PARAMS)?)?;
        let keys = check_keys(keys)?;
        let k = match given.count("k")? {
            Some(k) => check_probes(k)?,
            None => best_k(m, keys),
        };
        Ok(Params { m, k })
    }

    fn predicted_fpr(params: &Params, keys: u64) -> Prediction {
        let rate = fpr::fpr_exact(params.m, params.k, keys);
        floors::shared_array(D::SCHEME, D::REDUCTION, params.m, params.k, keys).add_to(rate, EXACT)
    }

    fn rate_spread(params: &Params, keys: u64) -> f64 {
        fpr::rate_spread(params.m, params.k, keys)
    }

    fn rate_given_contents(&self) -> Option<f64> {
        // A correlated derivation probes positions that are not independent given the fill.
        floors::is_faithful(D::SCHEME, D::REDUCTION).then(|| self.rate_by_fill())
    }

    fn named_values(params: &Params, keys: u64) -> Vec<NamedValue> {
        let Params { m, k } = *params;
        let row = |name, value, claim, source| NamedValue { name, value, claim, source };
        let given = |name, value| row(name, value, Claim::Exact, "geometry");
        let bits_per_key = m.next_multiple_of(64) as f64 / keys.max(1) as f64;
        let exact = fpr::fpr_exact(m, k, keys);
        let bound = |class: Class| class.bits_per_key(exact);
        vec![
            given("m", m as f64),
            given("k", f64::from(k)),
            given("bits_per_key", bits_per_key),
            row("best_k", f64::from(best_k(m, keys)), Claim::Exact, "integer minimum of fpr_exact"),
            row("fill", fpr::fill(m, k, keys), Claim::Exact, "1 - (1 - 1/m)^(kn)"),
            row("fpr_classic", fpr::fpr_classic(m, k, keys), Claim::AtLeast, "(1 - (1 - 1/m)^(kn))^k"),
            row("fpr_asymptotic", fpr::fpr_asymptotic(m, k, keys), Claim::Limit, "Broder and Mitzenmacher 2003"),
            row("fpr_exact", exact, Claim::Exact, EXACT),
            row("fpr_distinct", fpr::fpr_distinct(m, k, keys), Claim::Exact, "Bloom 1970: k distinct positions"),
            row("bound_static_bits_per_key", bound(Class::Static), Claim::AtLeast, "Carter et al., STOC 1978"),
            row("bound_dynamic_bits_per_key", bound(Class::Dynamic), Claim::AtLeast, "Kuszmaul and Walzer, STOC 2024"),
            row("overhead", bits_per_key / bound(Self::CLASS), Claim::Exact, "bits_per_key / bound of the class"),
        ]
    }
}
