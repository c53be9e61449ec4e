//! What counters promise: how large they grow and how often they overflow. The rate is that of a Bloom filter with
//! the same positions, [`bloom_theory::fpr`]; what removals do is in [`churn`].
//!
//! `m` counters of `W` bits, `n` distinct keys, `k` probes, `l = kn/m` the mean count of draws. A counter
//! *overflows* when `2^W` keys or more have it; at `2^W - 1` it is stuck already.

use amq::{Claim, Class, Given, Goal, InvalidParams, Lines, NamedValue, Number, ParamInfo, Prediction, Theory};
use bloom_theory::ranges::{MAX_BITS, check_keys, check_probes};
use bloom_theory::{floors, fpr, sizing};
use hashing::Derivation;

use crate::filter::{CountingBloom, Params, check_counters};

pub mod churn;
pub mod counts;

const EXACT: &str = "Bose et al., IPL 108(4), 2008: k-term form, by a covering chain";
const WORD: u64 = 64;

impl<const W: u32, D: Derivation> Theory for CountingBloom<W, D> {
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo { name: "m", meaning: "counters", range: "1 to 2^48" },
        ParamInfo { name: "k", meaning: "probes of a key; the best integer if not given", range: "1 to 64" },
        ParamInfo { name: "counter_bits", meaning: "bits of a counter", range: "the number in the filter's id" },
    ];
    const CLASS: Class = Class::Dynamic;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
        let m = sizing::bits_within(keys, bits_per_key)? / u64::from(W);
        Ok(Params { m, k: sizing::best_k(m, keys) })
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
        // All counters that the last word has room for. At most 2^48 times 16 bits.
        let bits = (sizing::optimal_bits(keys, fpr)? * u64::from(W)).next_multiple_of(WORD);
        let m = bits / u64::from(W);
        if m > MAX_BITS {
            return Err(InvalidParams::TooLarge { bits });
        }
        Ok(Params { m, k: sizing::best_k(m, keys) })
    }

    fn params_from(given: &Given, keys: u64) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        if let Some(bits) = given.count("counter_bits")?.filter(|bits| *bits != u64::from(W)) {
            let allowed = "the id fixes it: `counting-4` has counters of 4 bits";
            return Err(InvalidParams::OutOfRange { name: "counter_bits", value: bits.into(), allowed });
        }
        let m = check_counters(given.require_count("m", Self::PARAMS)?)?;
        let keys = check_keys(keys)?;
        let k = match given.count("k")? {
            Some(k) => check_probes(k)?,
            None => sizing::best_k(m, keys),
        };
        Ok(Params { m, k })
    }

    /// A budget is of bits, `m` is of counters.
    fn size_with(given: &Given, keys: u64, goal: Goal) -> Result<Params, InvalidParams> {
        match goal {
            Goal::BitsPerKey(bits_per_key) if given.get("m").is_none() => {
                let m = sizing::bits_within(keys, bits_per_key)? / u64::from(W);
                Self::params_from(&given.with("m", Number::Integer(m)), keys)
            }
            _ => Err(given.contradicts(goal)),
        }
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

    fn lines_touched(params: &Params, keys: u64) -> Option<Lines> {
        Some(Lines::of_probes(f64::from(params.k), fpr::fill(params.m, params.k, keys)))
    }

    fn named_values(params: &Params, keys: u64) -> Vec<NamedValue> {
        let Params { m, k } = *params;
        let row = |name, value, claim, source| NamedValue { name, value, claim, source };
        let given = |name, value| row(name, value, Claim::Exact, "geometry");
        let bits_per_key = (m as f64 * f64::from(W) / WORD as f64).ceil() * WORD as f64 / keys.max(1) as f64;
        let exact = fpr::fpr_exact(m, k, keys);
        let bound = |class: Class| class.bits_per_key(exact);
        let full = 1 << W;
        let overflow = counts::at_least(m, k, keys, full);
        let stuck = counts::at_least(m, k, keys, Self::CEILING);
        let draws = counts::draws_at_least(m, k, keys, full);
        let poisson = counts::poisson_at_least(counts::mean_draws(m, k, keys), full);
        let any = counts::any_of(m, overflow);
        let most = counts::overflow_bound(m, k, keys, W);
        let quoted = counts::overflow_bound_quoted(m, W);
        let max = counts::expected_max(m, k, keys);
        vec![
            given("m", m as f64),
            given("k", f64::from(k)),
            given("counter_bits", f64::from(W)),
            given("bits_per_key", bits_per_key),
            row("best_k", f64::from(sizing::best_k(m, keys)), Claim::Exact, "integer minimum of fpr_exact"),
            row("mean_count", counts::mean_draws(m, k, keys), Claim::AtMost, "kn/m: draws, repeats counted"),
            row("fill", fpr::fill(m, k, keys), Claim::Exact, "1 - (1 - 1/m)^(kn)"),
            row("overflow_probability", overflow, Claim::Exact, "of a counter: P[Bin(n, 1 - (1 - 1/m)^k) >= 2^W]"),
            row("overflow_draws", draws, Claim::AtMost, "Fan et al., ToN 8(3), 2000: P[Bin(kn, 1/m) >= 2^W]"),
            row("overflow_poisson", poisson, Claim::Limit, "P[Poisson(kn/m) >= 2^W]"),
            row("overflow_any", any, Claim::Limit, "of the filter: 1 - (1 - overflow_probability)^m"),
            row("overflow_bound", most, Claim::AtMost, "of the filter: m (e l / 2^W)^(2^W), l = kn/m"),
            row("overflow_bound_quoted", quoted, Claim::AtMost, "Fan et al. 2000: the bound at l = ln 2"),
            row("stuck_probability", stuck, Claim::Exact, "of a counter: at least 2^W - 1 keys"),
            row("expected_max", max, Claim::Limit, "sum over j of 1 - (1 - P[count >= j])^m"),
            row("fpr_classic", fpr::fpr_classic(m, k, keys), Claim::AtLeast, "(1 - (1 - 1/m)^(kn))^k"),
            row("fpr_exact", exact, Claim::Exact, EXACT),
            row("bound_static_bits_per_key", bound(Class::Static), Claim::AtLeast, "Carter et al., STOC 1978"),
            row("bound_dynamic_bits_per_key", bound(Class::Dynamic), Claim::AtLeast, "Kuszmaul and Walzer, STOC 2024"),
            row("overhead", bits_per_key / bound(Self::CLASS), Claim::Exact, "bits_per_key / bound of the class"),
        ]
    }
}

#[cfg(test)]
mod tests;
