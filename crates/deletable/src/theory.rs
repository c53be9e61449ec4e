//! What the map promises: how many keys can be removed. The formulas are in [`removals`]; the rate is that of a Bloom
//! filter, [`bloom_theory::fpr`].

use amq::{Claim, Class, Given, Goal, InvalidParams, Lines, NamedValue, Number, ParamInfo, Prediction, Theory};
use bloom_theory::ranges::{check_bits, check_keys, check_probes};
use bloom_theory::{floors, fpr, sizing};
use hashing::Derivation;

use crate::filter::{DeletableBloom, Params, check_regions};

pub mod removals;

pub use removals::{
    clean_bit, clean_regions, collision_draws, collision_probability, deletable_after_repeats, deletable_corrected,
    deletable_quoted, fill_after_removing, fpr_after_removing,
};

const EXACT: &str = "Bose et al., IPL 108(4), 2008: k-term form, by a covering chain";
const PALM: &str = "1 - (1 - b)^k, b = (1 - q)^(n-1) (1 - p_c)^(s-1), of distinct regions: Palm form";
const WORD: u64 = 64;
/// Bits of a region where nothing else is asked for.
const REGION_BITS: u64 = 4;

/// Regions when none are given: one for each four bits, `ceil(m/4)`.
///
/// Longer regions save little memory and lose much: at half fill and `k = 7`, 98 % of the members can be removed with
/// regions of two bits (50 % more memory), 92 % with four (25 %), 70 % with eight (12.5 %) and 25 % with sixteen (6.25 %), by
/// [`deletable_corrected`].
#[must_use]
pub fn default_regions(m: u64) -> u64 {
    m.div_ceil(REGION_BITS)
}

impl<D: Derivation> Theory for DeletableBloom<D> {
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo { name: "m", meaning: "bits of the array; the map is extra", range: "1 to 2^48" },
        ParamInfo { name: "k", meaning: "probes of a key; the best integer if not given", range: "1 to 64" },
        ParamInfo { name: "regions", meaning: "bits of the map; ceil(m/4) if not given", range: "1 to m" },
    ];
    /// Removals may be refused, so the bound for filters that must remove does not bind it: with few regions it is a Bloom
    /// filter, which is below that bound at rates above 10 %.
    const CLASS: Class = Class::Static;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
        let words = sizing::bits_within(keys, bits_per_key)? / WORD;
        let map = words.div_ceil(1 + REGION_BITS);
        if words == map {
            return Err(InvalidParams::Unreachable {
                what: "bits_per_key",
                target: bits_per_key.into(),
                why: "array and map need a word of 64 bits each: give at least 128 bits in all",
            });
        }
        let m = (words - map) * WORD;
        Ok(Params { m, k: sizing::best_k(m, keys), regions: default_regions(m) })
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
        let m = sizing::bits_for_rate(keys, fpr)?;
        Ok(Params { m, k: sizing::best_k(m, keys), regions: default_regions(m) })
    }

    fn params_from(given: &Given, keys: u64) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        let m = check_bits("m", given.require_count("m", Self::PARAMS)?)?;
        let keys = check_keys(keys)?;
        let k = match given.count("k")? {
            Some(k) => check_probes(k)?,
            None => sizing::best_k(m, keys),
        };
        let regions = check_regions(given.count("regions")?.unwrap_or(default_regions(m)), m)?;
        Ok(Params { m, k, regions })
    }

    /// A budget is of array and map together.
    fn size_with(given: &Given, keys: u64, goal: Goal) -> Result<Params, InvalidParams> {
        let Goal::BitsPerKey(bits_per_key) = goal else { return Err(given.contradicts(goal)) };
        if given.get("m").is_some() {
            return Err(given.contradicts(goal));
        }
        let m = match given.count("regions")? {
            None => Self::size_for(keys, bits_per_key)?.m,
            Some(regions) => sizing::bits_within(keys, bits_per_key)?.saturating_sub(regions.next_multiple_of(WORD)),
        };
        Self::params_from(&given.with("m", Number::Integer(m)), keys)
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
        let Params { m, k, regions } = *params;
        let row = |name, value, claim, source| NamedValue { name, value, claim, source };
        let given = |name, value| row(name, value, Claim::Exact, "geometry");
        let bits = m.next_multiple_of(WORD) + regions.next_multiple_of(WORD);
        let bits_per_key = bits as f64 / keys.max(1) as f64;
        let exact = fpr::fpr_exact(m, k, keys);
        let bound = |class: Class| class.bits_per_key(exact);
        let (clean, quoted) = (clean_regions(params, keys), deletable_quoted(params, keys));
        let (collision, draws) = (collision_probability(m, k, keys), collision_draws(m, k, keys));
        let removed = fpr_after_removing(params, keys, keys);
        vec![
            given("m", m as f64),
            given("k", f64::from(k)),
            given("regions", regions as f64),
            given("region_bits", params.region_bits() as f64),
            given("map_per_bit", regions as f64 / m as f64),
            given("bits_per_key", bits_per_key),
            row("best_k", f64::from(sizing::best_k(m, keys)), Claim::Exact, "integer minimum of fpr_exact"),
            row("fill", fpr::fill(m, k, keys), Claim::Exact, "1 - (1 - 1/m)^(kn)"),
            row("collision_probability", collision, Claim::Exact, "of a bit: P[Bin(n, q) >= 2], q = 1 - (1 - 1/m)^k"),
            row("collision_draws", draws, Claim::AtMost, "Rothenberg et al. 2010: 1 - p0 - p1 of kn draws"),
            row("clean_regions", clean, Claim::Limit, "(1 - p_c)^s, mean over regions"),
            row("deletable_quoted", quoted, Claim::Limit, "Rothenberg et al. 2010: 1 - (1 - (1 - p_c)^s)^k, biased"),
            row("deletable_corrected", deletable_corrected(params, keys), Claim::Limit, PALM),
            row("fpr_classic", fpr::fpr_classic(m, k, keys), Claim::AtLeast, "(1 - (1 - 1/m)^(kn))^k"),
            row("fpr_exact", exact, Claim::Exact, EXACT),
            row("fpr_all_removed", removed, Claim::Limit, "what stays set when every key's removal was tried, ^k"),
            row("bound_static_bits_per_key", bound(Class::Static), Claim::AtLeast, "Carter et al., STOC 1978"),
            row("bound_dynamic_bits_per_key", bound(Class::Dynamic), Claim::AtLeast, "Kuszmaul and Walzer, STOC 2024"),
            row("overhead", bits_per_key / bound(Self::CLASS), Claim::Exact, "bits_per_key / bound of the class"),
        ]
    }
}

#[cfg(test)]
mod tests;
