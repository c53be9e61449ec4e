//! The partitioned filter's rate, exact and in closed form.

use amq::{Claim, Class, Given, InvalidParams, NamedValue, ParamInfo, Prediction, Theory};
use bloom_theory::ranges::{check_bits, check_keys, check_probes};
use bloom_theory::{floors, fpr, sizing};
use hashing::Derivation;
use stats::occupancy;

use crate::filter::{Params, PartitionedBloom};

const EXACT: &str = "(1 - (1 - 1/s)^n)^k: slices are independent (Almeida 2023)";

/// `(1 - (1 - 1/s)^n)^k` with slices of `s` bits: exact.
#[must_use]
pub fn fpr_exact(slice_bits: u64, k: u32, keys: u64) -> f64 {
    fpr::fill(slice_bits, 1, keys).powi(k as i32)
}

/// Standard deviation, over filters, of a filter's own rate, the product of `k` independent fills:
/// `sqrt(E[(X/s)^2]^k - p^2)`.
#[must_use]
pub fn rate_spread(slice_bits: u64, k: u32, keys: u64) -> f64 {
    let mean = occupancy::mean_occupied(slice_bits, keys);
    if mean == 0.0 {
        return 0.0;
    }
    // p sqrt((1 + v)^k - 1) with v the relative variance of a slice's fill: nothing cancels.
    let relative = occupancy::variance_occupied(slice_bits, keys) / (mean * mean);
    fpr_exact(slice_bits, k, keys) * (f64::from(k) * relative.ln_1p()).exp_m1().sqrt()
}

/// The best integer `k` for `keys` keys in at most `m` bits.
#[must_use]
pub fn best_k(m: u64, keys: u64) -> u32 {
    let rate = |k: u32| if u64::from(k) > m { 1.0 } else { fpr_exact(m / u64::from(k), k, keys) };
    // Slices are whole bits, so that in small filters the rate is not quite smooth in k: look at the
    // neighbours of the walk's end too.
    let end = sizing::best_probes(sizing::guess_probes(m, keys), rate);
    let candidates = end.saturating_sub(3).max(1)..=(end + 3).min(bloom_theory::MAX_PROBES);
    candidates.min_by(|left, right| rate(*left).total_cmp(&rate(*right))).unwrap_or(end)
}

impl<D: Derivation> Theory for PartitionedBloom<D> {
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo { name: "m", meaning: "bits of all slices; used is k floor(m/k)", range: "k to 2^48" },
        ParamInfo { name: "k", meaning: "slices, probes of a key; the best integer if not given", range: "1 to 64" },
    ];
    const CLASS: Class = Class::Static;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
        let m = sizing::bits_within(keys, bits_per_key)?;
        let k = best_k(m, keys);
        Ok(Params { slice_bits: m / u64::from(k), k })
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
        let m = sizing::optimal_bits(keys, fpr)?;
        let k = best_k(m, keys);
        Ok(Params { slice_bits: m.div_ceil(k.into()), k })
    }

    fn params_from(given: &Given, keys: u64) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        let m = check_bits("m", given.require_count("m", Self::PARAMS)?)?;
        let keys = check_keys(keys)?;
        let k = match given.count("k")? {
            Some(k) => check_probes(k)?,
            None => best_k(m, keys),
        };
        if u64::from(k) > m {
            return Err(InvalidParams::OutOfRange { name: "m", value: m.into(), allowed: "at least k, a bit for each slice" });
        }
        Ok(Params { slice_bits: m / u64::from(k), k })
    }

    fn predicted_fpr(params: &Params, keys: u64) -> Prediction {
        let rate = fpr_exact(params.slice_bits, params.k, keys);
        floors::slices(D::SCHEME, D::REDUCTION, params.slice_bits, params.k, keys).add_to(rate, EXACT)
    }

    fn rate_spread(params: &Params, keys: u64) -> f64 {
        rate_spread(params.slice_bits, params.k, keys)
    }

    fn rate_given_contents(&self) -> Option<f64> {
        // A correlated derivation probes positions that are not independent given the fills.
        floors::is_faithful(D::SCHEME, D::REDUCTION).then(|| self.rate_by_fill())
    }

    fn named_values(params: &Params, keys: u64) -> Vec<NamedValue> {
        let Params { slice_bits, k } = *params;
        let row = |name, value, claim, source| NamedValue { name, value, claim, source };
        let given = |name, value| row(name, value, Claim::Exact, "geometry");
        let bits_per_key = params.m().next_multiple_of(64) as f64 / keys.max(1) as f64;
        let exact = fpr_exact(slice_bits, k, keys);
        let bound = |class: Class| class.bits_per_key(exact);
        vec![
            given("m", params.m() as f64),
            given("k", f64::from(k)),
            given("slice_bits", slice_bits as f64),
            given("bits_per_key", bits_per_key),
            row("best_k", f64::from(best_k(params.m(), keys)), Claim::Exact, "integer minimum of fpr_exact"),
            row("fill", fpr::fill(slice_bits, 1, keys), Claim::Exact, "1 - (1 - 1/s)^n"),
            row("fpr_classic", fpr::fpr_classic(params.m(), k, keys), Claim::AtLeast, "one shared array: (1 - (1 - 1/m)^(kn))^k"),
            row("fpr_asymptotic", fpr::fpr_asymptotic(params.m(), k, keys), Claim::Limit, "Broder and Mitzenmacher 2003"),
            row("fpr_exact", exact, Claim::Exact, EXACT),
            row("bound_static_bits_per_key", bound(Class::Static), Claim::AtLeast, "Carter et al., STOC 1978"),
            row("bound_dynamic_bits_per_key", bound(Class::Dynamic), Claim::AtLeast, "Kuszmaul and Walzer, STOC 2024"),
            row("overhead", bits_per_key / bound(Self::CLASS), Claim::Exact, "bits_per_key / bound of the class"),
        ]
    }
}
