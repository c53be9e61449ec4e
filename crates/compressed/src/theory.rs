//! What Mitzenmacher's construction promises, put to this filter. The formulas are in [`mod@crate::entropy`] and
//! [`bloom_theory::fpr`], the sizing in [`crate::sizing`].

use amq::{Claim, Class, Given, Goal, InvalidParams, Lines, NamedValue, ParamInfo, Prediction, Theory};
use bloom_theory::ranges::{check_bits, check_keys, check_probes};
use bloom_theory::{floors, fpr};
use hashing::{DefaultDerivation, Derivation};

use crate::entropy;
use crate::filter::{CompressedBloom, Params};
use crate::sizing::{
    best_k, most_wire_bits, plain_k, size, size_for_probes, size_for_rate, size_for_rate_and_probes, wire_bits,
};

const EXACT: &str = "Bose et al., IPL 108(4), 2008: k-term form, by a covering chain";
const PAPER: &str = "Mitzenmacher, ToN 10(5), 2002, section III";

impl Theory for CompressedBloom {
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo { name: "m", meaning: "bits of the array in memory", range: "1 to 2^48" },
        ParamInfo { name: "k", meaning: "probes of a key; the best of 1 to 3 if not given", range: "1 to 64" },
    ];
    const CLASS: Class = Class::Static;
    const SIZING: Option<&'static str> =
        Some("sized by its bits on the wire, not by those in memory; k is picked from 1 to 3 where it is not given");

    /// Bits per key on the wire; `k` is picked from 1 to 3. See [`crate::sizing`].
    fn size_for(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
        size(keys, bits_per_key)
    }

    /// The fewest bits on the wire; `k` is picked from 1 to 3. See [`crate::sizing`].
    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
        size_for_rate(keys, fpr)
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

    /// With `k` given; `m` is what the goal decides.
    fn size_with(given: &Given, keys: u64, goal: Goal) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        let k = match given.count("k")? {
            Some(k) if given.get("m").is_none() => check_probes(k)?,
            _ => return Err(given.contradicts(goal)),
        };
        match goal {
            Goal::BitsPerKey(bits_per_key) => size_for_probes(keys, bits_per_key, k),
            Goal::Fpr(fpr) => size_for_rate_and_probes(keys, fpr, k),
        }
    }

    fn predicted_fpr(params: &Params, keys: u64) -> Prediction {
        let Params { m, k } = *params;
        let rate = fpr::fpr_exact(m, k, keys);
        floors::shared_array(DefaultDerivation::SCHEME, DefaultDerivation::REDUCTION, m, k, keys).add_to(rate, EXACT)
    }

    fn rate_spread(params: &Params, keys: u64) -> f64 {
        fpr::rate_spread(params.m, params.k, keys)
    }

    fn rate_given_contents(&self) -> Option<f64> {
        Some(self.rate_by_fill())
    }

    /// Bits per key are those of the wire; the array is `m` and `memory_bits_per_key`.
    fn lines_touched(params: &Params, keys: u64) -> Option<Lines> {
        Some(Lines::of_probes(f64::from(params.k), fpr::fill(params.m, params.k, keys)))
    }

    fn named_values(params: &Params, keys: u64) -> Vec<NamedValue> {
        let Params { m, k } = *params;
        let row = |name, value, claim, source| NamedValue { name, value, claim, source };
        let given = |name, value| row(name, value, Claim::Exact, "geometry");
        let per_key = |bits: f64| bits / keys.max(1) as f64;
        let (expected, most) = (wire_bits(m, k, keys), most_wire_bits(m, k, keys));
        let (wire, ideal) = (per_key(expected), per_key(entropy::array_bits(m, k, keys)));
        let exact = fpr::fpr_exact(m, k, keys);
        let bound = |class: Class| class.bits_per_key(exact);
        let near = Claim::Approximate { rel: most / expected - 1.0 };
        vec![
            given("m", m as f64),
            given("k", f64::from(k)),
            given("memory_bits_per_key", per_key(m.next_multiple_of(64) as f64)),
            row("bits_per_key", wire, near, "m H(p), header, checksum, 1.5 words of the coder, over n"),
            row("entropy_bits_per_key", ideal, Claim::Limit, "z/n = m H(p)/n, p = (1 - 1/m)^(kn): Mitzenmacher 2002"),
            row("best_k", f64::from(best_k(m, keys)), Claim::Exact, "integer minimum of fpr_exact, at most 3"),
            row(
                "plain_k",
                f64::from(plain_k(ideal * keys as f64, keys)),
                Claim::Exact,
                "best integer k of z bits sent as they are",
            ),
            row("worst_k", entropy::worst_k(ideal), Claim::Limit, "z/n ln 2: highest rate at this z/n"),
            row("fill", fpr::fill(m, k, keys), Claim::Exact, "1 - (1 - 1/m)^(kn)"),
            row("fpr_classic", fpr::fpr_classic(m, k, keys), Claim::AtLeast, "(1 - (1 - 1/m)^(kn))^k"),
            row("fpr_asymptotic", fpr::fpr_asymptotic(m, k, keys), Claim::Limit, PAPER),
            row("fpr_exact", exact, Claim::Exact, EXACT),
            row("fpr_uncompressed", entropy::rate_uncompressed(ideal), Claim::Limit, "2^-(z/n ln 2): sent as it is"),
            row("fpr_limit", entropy::rate_limit(ideal), Claim::Limit, "2^-(z/n): k to 0, m/n without bound"),
            row("bound_static_bits_per_key", bound(Class::Static), Claim::AtLeast, "Carter et al., STOC 1978"),
            row("bound_dynamic_bits_per_key", bound(Class::Dynamic), Claim::AtLeast, "Kuszmaul and Walzer, STOC 2024"),
            row("overhead", wire / bound(Self::CLASS), near, "bits_per_key / bound of the class"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use amq::Number;

    use super::*;

    #[test]
    fn parameters_by_name() {
        let params = |pairs: &[(&str, f64)]| {
            let given = Given::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Number::Real(*value))));
            CompressedBloom::params_from(&given, 1000).map_err(|error| error.to_string())
        };
        assert_eq!(params(&[("m", 14_000.0), ("k", 2.0)]), Ok(Params { m: 14_000, k: 2 }));
        assert_eq!(params(&[("m", 14_000.0)]), Ok(Params { m: 14_000, k: 3 }));
        for (pairs, text) in [
            (&[("k", 3.0)][..], "parameter `m` is missing; this filter takes `m`, `k`"),
            (&[("m", 0.0)], "m = 0 is out of range: 1 to 2^48 bits"),
            (&[("m", 100.0), ("k", 0.0)], "k = 0 is out of range: 1 to 64 probes"),
            (&[("m", 100.0), ("q", 1.0)], "unknown parameter `q`; this filter takes `m`, `k`"),
        ] {
            assert_eq!(params(pairs), Err(text.to_owned()));
        }
    }

    /// The row (14, 2) of the paper, by name.
    #[test]
    fn named_values_of_a_row_of_the_paper() {
        let values = CompressedBloom::named_values(&Params { m: 14_000_000, k: 2 }, 1_000_000);
        let value = |name| values.iter().find(|row| row.name == name).unwrap().value;
        assert!((value("entropy_bits_per_key") - 7.923_143).abs() < 1e-5);
        assert!((value("fpr_classic") / 0.017_721_494 - 1.0).abs() < 1e-5);
        assert!(value("fpr_classic") < value("fpr_exact") && value("fpr_exact") < value("fpr_uncompressed"));
        assert!(value("bits_per_key") > value("entropy_bits_per_key"));
        assert!(value("bits_per_key") < value("entropy_bits_per_key") * 1.0001);
        assert_eq!((value("m"), value("k"), value("memory_bits_per_key")), (14e6, 2.0, 14.0));
        assert!((value("worst_k") - 7.923_143 * std::f64::consts::LN_2).abs() < 1e-4);
        assert!((value("overhead") * value("bound_static_bits_per_key") - value("bits_per_key")).abs() < 1e-12);
    }
}
