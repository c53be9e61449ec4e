//! What Bloom's construction promises. The formulas of the shared array are in [`bloom_theory::fpr`]; here
//! they are put to this filter: which one it is held to, and how it is sized.

use amq::{Claim, Class, Given, InvalidParams, Lines, NamedValue, ParamInfo, Prediction, Theory};
use bloom_theory::ranges::{check_bits, check_keys, check_probes};
use bloom_theory::sizing::best_k;
use bloom_theory::{floors, fpr, sizing};
use hashing::Derivation;

use crate::filter::{Params, StandardBloom};

const EXACT: &str = "Bose et al., IPL 108(4), 2008: k-term form, by a covering chain";

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

    fn lines_touched(params: &Params, keys: u64) -> Option<Lines> {
        Some(Lines::of_probes(f64::from(params.k), fpr::fill(params.m, params.k, keys)))
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

#[cfg(test)]
mod tests {
    use amq::Number;
    use hashing::{Derive, derive};

    use super::*;

    type Bloom = StandardBloom;

    fn relative(left: f64, right: f64) -> f64 {
        (left / right - 1.0).abs()
    }

    /// Best integers from the exact formula in rational arithmetic, and ties of k and k + 1 for large m (both
    /// computed outside of this program).
    #[test]
    fn best_k_at_known_points() {
        assert_eq!(best_k(16, 2), 5);
        assert_eq!(best_k(64, 4), 10);
        let ties = [
            2.078_087, 3.556_193, 5.013_522, 6.464_258, 7.912_045, 9.358_257, 10.803_526, 12.248_188, 13.692_435,
            15.136_386, 16.580_118, 18.023_684, 19.467_120,
        ];
        for (k, tie) in (1..).zip(ties) {
            let keys = 100_000_000;
            let at = |bits_per_key: f64| best_k((bits_per_key * keys as f64) as u64, keys);
            assert_eq!((at(tie - 2e-6), at(tie + 2e-6)), (k, k + 1), "tie of {k} and {}", k + 1);
        }
        // c ln 2 = 1.456, but two probes are better than one.
        assert_eq!(best_k(2_100_000, 1_000_000), 2);
    }

    #[test]
    fn best_k_at_its_edges() {
        assert_eq!(best_k(1, 1), 1);
        assert_eq!(best_k(64, 0), best_k(64, 1));
        assert_eq!(best_k(4096, 1), 64);
        // Here the rate falls below the smallest number; of equal rates, 0 each, the smallest k is taken.
        assert_eq!(best_k(1 << 40, 1), 31);
        assert_eq!(best_k(64, 1_000_000), 1);
    }

    /// No k from 1 to 64 is better than the best one, by the exact formula.
    #[test]
    fn best_k_is_the_minimum_over_all() {
        for (m, keys) in [(16, 2), (64, 4), (100, 10), (333, 20), (1024, 100), (4096, 250), (96, 1), (9600, 1000)] {
            let best = best_k(m, keys);
            let rate = |k| fpr::fpr_exact(m, k, keys);
            let least = (1..=64).map(rate).fold(f64::INFINITY, f64::min);
            assert!(rate(best) <= least * (1.0 + 1e-12), "m = {m}, n = {keys}: k = {best}");
        }
    }

    /// HAND-08, and HAND-07 through the trait: sizes rounded up by at most 63 bits.
    #[test]
    fn hand_07_hand_08_sizes() {
        for (keys, rate, bits, k) in [
            (1000, 0.01, 9586, 7),
            (10_000_000, 0.001, 143_775_876, 10),
            (5_000_000_000, 0.01, 47_925_291_887, 7),
            (42_000_000, 1e-9, 1_811_576_034, 30),
        ] {
            let params = Bloom::size_for_fpr(keys, rate).unwrap();
            assert_eq!((params.m, params.k), (u64::next_multiple_of(bits, 64), k));
            assert!(Bloom::predicted_fpr(&params, keys).rate < rate * 1.005);
        }
        // With m fixed, k follows m/n and no default rate.
        let given = Given::new([("m".to_owned(), Number::Integer(20_000))]);
        assert_eq!(Bloom::params_from(&given, 1000), Ok(Params { m: 20_000, k: 14 }));
        let rate = Bloom::predicted_fpr(&Params { m: 9586, k: 7 }, 1000).rate;
        assert!((rate - 0.010_04).abs() < 0.000_05, "{rate}");
    }

    #[test]
    fn hand_12_hand_13_targets_out_of_range_name_their_value() {
        let text = Bloom::size_for_fpr(1000, 10.1).unwrap_err().to_string();
        assert!(text.starts_with("fpr = 10.1 is out of range: "), "{text}");
        let text = Bloom::size_for_fpr(1_000_000_000, 1e-300).unwrap_err().to_string();
        assert!(text.starts_with("fpr = 1e-300 is out of range: "), "{text}");
        let text = Bloom::size_for(1_000_000_000_000_000_000, 9.6).unwrap_err().to_string();
        assert!(text.starts_with("keys = 1000000000000000000 is out of range: "), "{text}");
    }

    #[test]
    fn parameters_by_name() {
        let given = |pairs: &[(&str, f64)]| {
            Given::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Number::Real(*value))))
        };
        let params = |pairs: &[(&str, f64)]| Bloom::params_from(&given(pairs), 1000).map_err(|error| error.to_string());
        assert_eq!(params(&[("m", 9586.0), ("k", 3.0)]), Ok(Params { m: 9586, k: 3 }));
        assert_eq!(params(&[("m", 9586.0)]), Ok(Params { m: 9586, k: 7 }));
        for (pairs, text) in [
            (&[("k", 3.0)][..], "parameter `m` is missing; this filter takes `m`, `k`"),
            (&[("m", 0.0)], "m = 0 is out of range: 1 to 2^48 bits"),
            (&[("m", 100.0), ("k", 0.0)], "k = 0 is out of range: 1 to 64 probes"),
            (&[("m", 100.0), ("q", 1.0)], "unknown parameter `q`; this filter takes `m`, `k`"),
        ] {
            assert_eq!(params(pairs), Err(text.to_owned()));
        }
    }

    /// Mean and deviation of (X/m)^k over every way to throw `k n` balls into `m` bins.
    fn enumerate(m: u64, k: u32, keys: u32) -> (f64, f64) {
        let throws = m.pow(k * keys);
        let (mut sum, mut squares) = (0.0, 0.0);
        for throw in 0..throws {
            let (mut set, mut rest) = (0u64, throw);
            for _ in 0..k * keys {
                set |= 1 << (rest % m);
                rest /= m;
            }
            let rate = (f64::from(set.count_ones()) / m as f64).powi(k as i32);
            (sum, squares) = (sum + rate, squares + rate * rate);
        }
        let mean = sum / throws as f64;
        (mean, (squares / throws as f64 - mean * mean).max(0.0).sqrt())
    }

    #[test]
    fn rate_and_spread_equal_enumeration_for_tiny_filters() {
        for (m, k, keys) in [(2, 1, 3), (3, 2, 2), (4, 2, 3), (5, 3, 2), (6, 1, 5), (3, 3, 3), (8, 2, 2), (16, 2, 2)] {
            let (mean, sd) = enumerate(m, k, keys);
            let params = Params { m, k };
            let prediction = Bloom::predicted_fpr(&params, keys.into());
            assert_eq!(prediction.claim, Claim::Exact);
            assert!(relative(prediction.rate, mean) < 1e-12, "m = {m}, k = {k}, n = {keys}: rate");
            assert!(relative(Bloom::rate_spread(&params, keys.into()), sd) < 1e-9, "m = {m}, k = {k}, n = {keys}: sd");
        }
        assert_eq!(Bloom::rate_spread(&Params { m: 1, k: 1 }, 3), 0.0);
        assert_eq!(Bloom::rate_spread(&Params { m: 100, k: 3 }, 0), 0.0);
    }

    /// FIELD 0: at m = 10^6, n = 10^5, k = 7 the deviation of X is 278.16, and that of the rate 0.387 % of it.
    #[test]
    fn the_spread_at_a_known_point() {
        let params = Params { m: 1_000_000, k: 7 };
        let relative = Bloom::rate_spread(&params, 100_000) / Bloom::predicted_fpr(&params, 100_000).rate;
        assert!((relative - 0.003_87).abs() < 5e-6, "{relative}");
    }

    /// A derivation that is not faithful promises no more than it keeps.
    #[test]
    fn correlated_derivations_do_not_claim_the_exact_rate() {
        type Doubled = StandardBloom<Derive<derive::Double, derive::Modulo>>;
        use amq::IncrementalFilter;
        let params = Params { m: 256, k: 12 };
        let prediction = Doubled::predicted_fpr(&params, 10);
        assert_ne!(prediction.claim, Claim::Exact);
        assert!(prediction.rate > 100.0 * Bloom::predicted_fpr(&params, 10).rate, "{prediction:?}");
        assert_eq!(Doubled::empty(&params, 1).unwrap().rate_given_contents(), None);
        assert_eq!(Bloom::empty(&params, 1).unwrap().rate_given_contents(), Some(0.0));
    }

    #[test]
    fn named_values_in_their_order() {
        let values = Bloom::named_values(&Params { m: 9586, k: 7 }, 1000);
        let names: Vec<_> = values.iter().map(|row| row.name).collect();
        assert_eq!(
            names,
            [
                "m",
                "k",
                "bits_per_key",
                "best_k",
                "fill",
                "fpr_classic",
                "fpr_asymptotic",
                "fpr_exact",
                "fpr_distinct",
                "bound_static_bits_per_key",
                "bound_dynamic_bits_per_key",
                "overhead"
            ]
        );
        let value = |name| values.iter().find(|row| row.name == name).unwrap().value;
        assert_eq!((value("m"), value("k"), value("best_k"), value("bits_per_key")), (9586.0, 7.0, 7.0, 9.6));
        assert!(value("fpr_asymptotic") < value("fpr_exact") && value("fpr_classic") < value("fpr_exact"));
        assert!((value("bound_static_bits_per_key") + value("fpr_exact").log2()).abs() < 1e-12);
        assert!((value("overhead") * value("bound_static_bits_per_key") - 9.6).abs() < 1e-12);
    }
}
