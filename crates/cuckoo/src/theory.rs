//! What the construction promises: [`formulas`](crate::formulas) put to this filter, and [`sizing`](crate::sizing).

use amq::{Claim, Class, Given, InvalidParams, Lines, NamedValue, ParamInfo, Prediction, Theory};
use bloom_theory::ranges::check_keys;

use crate::filter::{Cuckoo, Params, check};
use crate::formulas::{
    bits_per_key_quoted, fpr_by_load, fpr_naive, fpr_quoted_bound, fpr_zero_to_one, load_threshold,
    min_fingerprint_bits,
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
        ParamInfo {
            name: "slots",
            meaning: "slots of a bucket; fixed by the filter's id",
            range: "that of the filter",
        },
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

    fn lines_touched(_params: &Params, _keys: u64) -> Option<Lines> {
        // Both buckets; which of them holds a member is not known beforehand, and each is read at the price of its line.
        Some(Lines::all(2.0))
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
            row(
                "load_limit",
                load_limit(slots, buckets),
                Claim::AtMost,
                "planned for: reached by 999 of 1000 filters, measured",
            ),
            row(
                "load_threshold",
                load_threshold(slots),
                Claim::Limit,
                "two random buckets: Fernholz, Ramachandran, SODA 2007",
            ),
            row(
                "crowded_classes",
                all.crowded(keys, 2 * slots),
                Claim::Exact,
                "expected classes of more than 2b members",
            ),
            row("fpr_exact", rate, claim, source),
            row("fpr_by_load", fpr_by_load(slots, fingerprint_bits, load), Claim::Limit, "1 - (1 - 1/(2^f-1))^(2ba)"),
            row(
                "fpr_zero_to_one",
                fpr_zero_to_one(slots, fingerprint_bits, load),
                Claim::Limit,
                "reference code: 0 becomes 1",
            ),
            row("fpr_naive", fpr_naive(slots, fingerprint_bits, load), Claim::Limit, "1 - (1 - 2^-f)^(2ba)"),
            row(
                "fpr_quoted_bound",
                fpr_quoted_bound(slots, fingerprint_bits),
                Claim::AtMost,
                "2b / 2^f: Fan et al. 2014, 5.1",
            ),
            row(
                "min_fingerprint_bits",
                min_fingerprint_bits(slots, rate),
                Claim::AtMost,
                "Fan et al. 2014, eq. 6, at fpr_exact",
            ),
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

#[cfg(test)]
mod tests {
    use amq::Number;

    use super::*;
    use crate::{CuckooFilter, SemiSortedCuckoo, Xor};

    fn given(pairs: &[(&str, f64)]) -> Given {
        Given::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Number::Real(*value))))
    }

    #[test]
    fn parameters_by_name() {
        let params =
            |pairs: &[(&str, f64)]| <CuckooFilter>::params_from(&given(pairs), 1000).map_err(|error| error.to_string());
        let sized = |buckets, fingerprint_bits| Ok(Params { buckets, fingerprint_bits });
        assert_eq!(params(&[("buckets", 300.0), ("fingerprint_bits", 8.0)]), sized(300, 8));
        // 1000 / (4 x 0.95) = 263.2.
        assert_eq!(params(&[("fingerprint_bits", 8.0), ("slots", 4.0)]), sized(266, 8));
        for (pairs, text) in [
            (
                &[("buckets", 300.0)][..],
                "parameter `fingerprint_bits` is missing; this filter takes `buckets`, `slots`, `fingerprint_bits`",
            ),
            (&[("fingerprint_bits", 8.0), ("buckets", 0.0)], "buckets = 0 is out of range: 1 to 2^48 buckets"),
            (&[("fingerprint_bits", 1.0)], "fingerprint_bits = 1 is out of range: 2 to 32 bits"),
            (
                &[("fingerprint_bits", 8.0), ("slots", 8.0)],
                "slots = 8 is out of range: the slots of a bucket are fixed by the filter's id: 4 in cuckoo, b in cuckoo-b",
            ),
        ] {
            assert_eq!(params(pairs), Err(text.to_owned()));
        }
        let power = CuckooFilter::<4, Xor>::params_from(&given(&[("fingerprint_bits", 8.0)]), 1000);
        assert_eq!(power, Ok(Params { buckets: 512, fingerprint_bits: 8 }));
    }

    /// Past the load that is planned for the claim is weaker, and past the slots there are no more keys.
    #[test]
    fn claims_follow_the_load() {
        let params = Params { buckets: 1000, fingerprint_bits: 8 };
        let at = |keys| <CuckooFilter>::predicted_fpr(&params, keys);
        assert_eq!((at(3800).claim, at(4000).claim), (Claim::Exact, Claim::Approximate { rel: BEYOND_LIMIT }));
        assert_eq!((at(4001).claim, at(1 << 40).rate), (Claim::AtMost, at(4000).rate));
    }

    /// FIELD 7: at 1 % and a load of 95 % a plain filter takes about 10.1 bits per key, a semi-sorted one about 9.05; both
    /// a little more, for whole buckets of whole fingerprints.
    #[test]
    fn bits_per_key_at_one_percent() {
        fn bits<T: Table>(fpr: f64) -> f64 {
            let params = Cuckoo::<T>::size_for_fpr(1_000_000, fpr).expect("in reach");
            allocated::<T>(params) as f64 / 1e6
        }
        let (plain, sorted) = (bits::<crate::table::Slots<4>>(0.01), bits::<crate::semisorted::SemiSorted>(0.01));
        assert!((10.1..10.6).contains(&plain) && (9.05..9.6).contains(&sorted), "{plain} and {sorted}");
    }

    #[test]
    fn named_values_in_their_order() {
        let params = Params { buckets: 270, fingerprint_bits: 10 };
        let values = <SemiSortedCuckoo>::named_values(&params, 1000);
        let names: Vec<_> = values.iter().map(|row| row.name).collect();
        assert_eq!(
            names,
            [
                "buckets",
                "slots",
                "fingerprint_bits",
                "bits_per_key",
                "load",
                "load_limit",
                "load_threshold",
                "crowded_classes",
                "fpr_exact",
                "fpr_by_load",
                "fpr_zero_to_one",
                "fpr_naive",
                "fpr_quoted_bound",
                "min_fingerprint_bits",
                "bits_per_key_quoted",
                "bound_static_bits_per_key",
                "bound_dynamic_bits_per_key",
                "overhead"
            ]
        );
        let value = |name| values.iter().find(|row| row.name == name).expect("listed").value;
        assert_eq!((value("buckets"), value("slots"), value("fingerprint_bits")), (270.0, 4.0, 10.0));
        assert_eq!(value("bits_per_key"), (270.0 * 36.0_f64 / 64.0).ceil() * 64.0 / 1000.0);
        assert!((value("load") - 1000.0 / 1080.0).abs() < 1e-12);
        assert_eq!(value("min_fingerprint_bits"), 11.0);
        assert!((value("overhead") * value("bound_dynamic_bits_per_key") - value("bits_per_key")).abs() < 1e-12);
        // One bit for each fingerprint, at the load.
        let plain = <CuckooFilter>::named_values(&params, 1000);
        let quoted = plain.iter().find(|row| row.name == "bits_per_key_quoted").expect("listed").value;
        assert!((quoted - value("bits_per_key_quoted") - 1.08).abs() < 1e-9);
    }
}
