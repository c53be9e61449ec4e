//! What the construction promises: [`formulas`](crate::formulas) put to this filter, and [`sizing`](crate::sizing).

use amq::{Claim, Class, Given, InvalidParams, NamedValue, ParamInfo, Prediction, Theory};
use bloom_theory::ranges::check_keys;

use crate::filter::{Cuckoo, Params, check};
use crate::formulas::{
    bits_per_key_quoted, fpr_by_load, fpr_naive, fpr_quoted_bound, fpr_zero_to_one, load_threshold, min_fingerprint_bits,
};
use crate::pairing::Pairing;
use crate::sizing::{allocated, buckets_for, classes, for_budget, for_rate, load_limit, max_keys};
use crate::table::Table;

const EXACT: &str = "1 - (1 - 2/(M F))^n, F = 2^f - 1: a member in the query's class";
const FULL: &str = "as fpr_exact with all slots in use: more keys are refused";

/// How far the rate may be from [`EXACT`] once some filters refuse keys: those that take all are not quite average.
const BEYOND_LIMIT: f64 = 0.01;

impl<T: Table, P: Pairing> Cuckoo<T, P> {
    /// Keys that find room at the most.
    fn held(params: Params, keys: u64) -> u64 {
        keys.min(params.buckets.saturating_mul(T::SLOTS.into()))
    }
}

impl<T: Table, P: Pairing> Theory for Cuckoo<T, P> {
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo { name: "buckets", meaning: "buckets; the fewest for the keys if not given", range: "1 to 2^48" },
        ParamInfo { name: "slots", meaning: "slots of a bucket; fixed by the filter's id", range: "that of the filter" },
        ParamInfo { name: "fingerprint_bits", meaning: "bits of a fingerprint", range: "2 (semi-sorted: 4) to 32" },
    ];
    const CLASS: Class = Class::Dynamic;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
        for_budget::<T, P>(keys, bits_per_key)
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
        for_rate::<T, P>(keys, fpr)
    }

    fn params_from(given: &Given, keys: u64) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        if let Some(slots) = given.count("slots")?.filter(|slots| *slots != u64::from(T::SLOTS)) {
            return Err(InvalidParams::OutOfRange {
                name: "slots",
                value: slots.into(),
                allowed: "the slots of a bucket are fixed by the filter's id: 4 in cuckoo, b in cuckoo-b",
            });
        }
        let fingerprint_bits = given.require_count("fingerprint_bits", Self::PARAMS)?;
        let buckets = match given.count("buckets")? {
            Some(buckets) => buckets,
            None => buckets_for::<P>(T::SLOTS, check_keys(keys)?)?,
        };
        check::<T, P>(buckets, fingerprint_bits)
    }

    fn predicted_fpr(params: &Params, keys: u64) -> Prediction {
        let slots = params.buckets.saturating_mul(T::SLOTS.into());
        let rate = classes::<P>(*params).rate(Self::held(*params, keys));
        let (claim, source) = if keys <= max_keys(T::SLOTS, params.buckets) {
            (Claim::Exact, EXACT)
        } else if keys <= slots {
            (Claim::Approximate { rel: BEYOND_LIMIT }, EXACT)
        } else {
            (Claim::AtMost, FULL)
        };
        Prediction { rate, claim, source }
    }

    fn rate_spread(params: &Params, keys: u64) -> f64 {
        classes::<P>(*params).spread(Self::held(*params, keys))
    }

    fn rate_given_contents(&self) -> Option<f64> {
        Some(self.rate_by_contents())
    }

    fn named_values(params: &Params, keys: u64) -> Vec<NamedValue> {
        let (Params { buckets, fingerprint_bits }, slots) = (*params, T::SLOTS);
        let row = |name, value, claim, source| NamedValue { name, value, claim, source };
        let given = |name, value| row(name, value, Claim::Exact, "geometry");
        let all = classes::<P>(*params);
        let load = Self::held(*params, keys) as f64 / (buckets as f64 * f64::from(slots));
        let bits_per_key = allocated::<T>(*params) as f64 / keys.max(1) as f64;
        let Prediction { rate, claim, source } = Self::predicted_fpr(params, keys);
        let saved = fingerprint_bits as f64 - f64::from(T::bucket_bits(fingerprint_bits)) / f64::from(slots);
        let bound = |class: Class| class.bits_per_key(rate);
        vec![
            given("buckets", buckets as f64),
            given("slots", f64::from(slots)),
            given("fingerprint_bits", f64::from(fingerprint_bits)),
            given("bits_per_key", bits_per_key),
            row("load", load, Claim::Exact, "keys / (buckets slots), at most 1"),
            row("load_limit", load_limit(slots, buckets), Claim::AtMost, "planned for: reached by 999 of 1000 filters, measured"),
            row("load_threshold", load_threshold(slots), Claim::Limit, "two random buckets: Fernholz, Ramachandran, SODA 2007"),
            row("crowded_classes", all.crowded(keys, 2 * slots), Claim::Exact, "expected classes of more than 2b members"),
            row("fpr_exact", rate, claim, source),
            row("fpr_by_load", fpr_by_load(slots, fingerprint_bits, load), Claim::Limit, "1 - (1 - 1/(2^f-1))^(2ba)"),
            row("fpr_zero_to_one", fpr_zero_to_one(slots, fingerprint_bits, load), Claim::Limit, "reference code: 0 becomes 1"),
            row("fpr_naive", fpr_naive(slots, fingerprint_bits, load), Claim::Limit, "1 - (1 - 2^-f)^(2ba)"),
            row("fpr_quoted_bound", fpr_quoted_bound(slots, fingerprint_bits), Claim::AtMost, "2b / 2^f: Fan et al. 2014, 5.1"),
            row("min_fingerprint_bits", min_fingerprint_bits(slots, rate), Claim::AtMost, "Fan et al. 2014, eq. 6, at fpr_exact"),
            row(
                "bits_per_key_quoted",
                bits_per_key_quoted(slots, rate, load, saved),
                Claim::Limit,
                "(lg 1/eps + lg 2b) / a: Fan et al. 2014, eq. 7",
            ),
            row("bound_static_bits_per_key", bound(Class::Static), Claim::AtLeast, "Carter et al., STOC 1978"),
            row("bound_dynamic_bits_per_key", bound(Class::Dynamic), Claim::AtLeast, "Kuszmaul and Walzer, STOC 2024"),
            row("overhead", bits_per_key / bound(Self::CLASS), Claim::Exact, "bits_per_key / bound of the class"),
        ]
    }
}
