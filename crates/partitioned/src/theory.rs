//! The partitioned filter's rate, exact and in closed form.

use amq::{Claim, Class, Given, InvalidParams, Lines, NamedValue, ParamInfo, Prediction, Theory};
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

/// The best integer `k` for `keys` keys in at most `m` bits; of equal ones the smallest. No keys count as one.
#[must_use]
pub fn best_k(m: u64, keys: u64) -> u32 {
    let keys = keys.max(1);
    // Slices are whole bits, so that in small filters the rate rises and falls several times as k grows: at
    // m = 96 and n = 1, k = 32 (slices of 3 bits) beats all others by a factor of 6. The closed form is cheap: try all.
    let rate = |k: u32| if u64::from(k) > m { 1.0 } else { fpr_exact(m / u64::from(k), k, keys) };
    let probes = 1..=bloom_theory::MAX_PROBES;
    probes.min_by(|left, right| rate(*left).total_cmp(&rate(*right))).unwrap_or(1)
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
        // Slices are whole bits, which costs rate where they are short: a factor of ten for one key. The rest of the
        // last word is allocated anyway: it goes to the slices until the target is met but for a hair.
        let room = m.next_multiple_of(64);
        let k = best_k(room, keys);
        let mut slice_bits = m.div_ceil(k.into());
        // A target near 1 must not end in slices of one bit, which always say yes.
        let misses = |slice_bits| {
            let rate = fpr_exact(slice_bits, k, keys.max(1));
            rate > 1.05 * fpr || rate >= 1.0
        };
        while slice_bits < room / u64::from(k) && misses(slice_bits) {
            slice_bits += 1;
        }
        Ok(Params { slice_bits, k })
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
            return Err(InvalidParams::OutOfRange {
                name: "m",
                value: m.into(),
                allowed: "at least k, a bit for each slice",
            });
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

    fn lines_touched(params: &Params, keys: u64) -> Option<Lines> {
        Some(Lines::of_probes(f64::from(params.k), fpr::fill(params.slice_bits, 1, keys)))
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
            row(
                "fpr_classic",
                fpr::fpr_classic(params.m(), k, keys),
                Claim::AtLeast,
                "one shared array: (1 - (1 - 1/m)^(kn))^k",
            ),
            row(
                "fpr_asymptotic",
                fpr::fpr_asymptotic(params.m(), k, keys),
                Claim::Limit,
                "Broder and Mitzenmacher 2003",
            ),
            row("fpr_exact", exact, Claim::Exact, EXACT),
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

    type Bloom = PartitionedBloom;

    fn relative(left: f64, right: f64) -> f64 {
        (left / right - 1.0).abs()
    }

    /// Ratios to the exact rate of one shared array of as many bits, from rational arithmetic outside of this
    /// program.
    #[test]
    fn ratios_to_the_shared_array_at_known_points() {
        for (m, keys, k, ratio, digits) in [
            (16, 3, 2, 1.0346, 5e-5),
            (64, 10, 4, 1.0406, 5e-5),
            (1024, 128, 8, 1.0094, 5e-5),
            (70_000, 7000, 7, 1.000_116, 5e-7),
        ] {
            let seen = fpr_exact(m / u64::from(k), k, keys) / fpr::fpr_exact(m, k, keys);
            assert!((seen - ratio).abs() < digits, "m = {m}, n = {keys}, k = {k}: {seen}");
        }
    }

    /// The shared array is never worse, at equal bits.
    #[test]
    fn never_below_the_shared_array() {
        for k in 1..=8 {
            for slice_bits in 1..=8 {
                for keys in 1..=6 {
                    let shared = fpr::fpr_exact(slice_bits * u64::from(k), k, keys);
                    assert!(
                        fpr_exact(slice_bits, k, keys) >= shared * (1.0 - 1e-12),
                        "s = {slice_bits}, k = {k}, n = {keys}"
                    );
                }
            }
        }
    }

    /// Mean and deviation of the product of fills over every way to put `n` keys into `k` slices.
    fn enumerate(slice_bits: u64, k: u32, keys: u32) -> (f64, f64) {
        let throws = slice_bits.pow(k * keys);
        let (mut sum, mut squares) = (0.0, 0.0);
        for throw in 0..throws {
            let (mut rate, mut rest) = (1.0, throw);
            for _ in 0..k {
                let mut set = 0u64;
                for _ in 0..keys {
                    set |= 1 << (rest % slice_bits);
                    rest /= slice_bits;
                }
                rate *= f64::from(set.count_ones()) / slice_bits as f64;
            }
            (sum, squares) = (sum + rate, squares + rate * rate);
        }
        let mean = sum / throws as f64;
        (mean, (squares / throws as f64 - mean * mean).max(0.0).sqrt())
    }

    #[test]
    fn rate_and_spread_equal_enumeration_for_tiny_filters() {
        for (slice_bits, k, keys) in
            [(2, 1, 3), (2, 2, 2), (3, 2, 3), (2, 3, 4), (5, 1, 4), (4, 3, 2), (8, 2, 3), (16, 2, 2)]
        {
            let (mean, sd) = enumerate(slice_bits, k, keys);
            let (params, at) = (Params { slice_bits, k }, format!("s = {slice_bits}, k = {k}, n = {keys}"));
            let prediction = Bloom::predicted_fpr(&params, keys.into());
            assert_eq!(prediction.claim, Claim::Exact);
            assert!(relative(prediction.rate, mean) < 1e-12, "{at}: rate");
            assert!(relative(Bloom::rate_spread(&params, keys.into()), sd) < 1e-9, "{at}: sd");
        }
        assert_eq!(Bloom::rate_spread(&Params { slice_bits: 1, k: 3 }, 3), 0.0);
        assert_eq!(Bloom::rate_spread(&Params { slice_bits: 14, k: 7 }, 0), 0.0);
    }

    /// HAND-10: what does not divide evenly is rounded, and the bits really used go into the theory.
    #[test]
    fn hand_10_slices_that_do_not_divide_evenly() {
        let given = |m, k| Given::new([("m".to_owned(), Number::Integer(m)), ("k".to_owned(), Number::Integer(k))]);
        let params = Bloom::params_from(&given(100, 7), 8).unwrap();
        assert_eq!((params.slice_bits, params.k, params.m()), (14, 7, 98));
        let m = Bloom::named_values(&params, 8).first().map(|row| row.value);
        assert_eq!(m, Some(98.0));
        for (slice_bits, rate) in [(1369, 0.010_07), (1370, 0.010_03)] {
            assert!((fpr_exact(slice_bits, 7, 1000) - rate).abs() < 5e-6, "{slice_bits}");
        }
        let sized = Bloom::size_for_fpr(1000, 0.01).unwrap();
        assert_eq!(sized, Params { slice_bits: 1370, k: 7 });
        let text = Bloom::params_from(&given(6, 7), 8).unwrap_err().to_string();
        assert_eq!(text, "m = 6 is out of range: at least k, a bit for each slice");
    }

    /// HAND-07 through the trait: slices round up by less than k bits in all.
    #[test]
    fn hand_07_sizes_beyond_32_bits() {
        for (keys, rate, bits, k) in [
            (10_000_000, 0.001, 143_775_876, 10),
            (5_000_000_000, 0.01, 47_925_291_887, 7),
            (42_000_000, 1e-9, 1_811_576_034, 30),
        ] {
            let params = Bloom::size_for_fpr(keys, rate).unwrap();
            assert_eq!(params.k, k);
            assert!((bits..bits + u64::from(k)).contains(&params.m()), "{params:?}");
            assert!(Bloom::predicted_fpr(&params, keys).rate < rate * 1.005);
        }
    }

    #[test]
    fn best_k_is_the_minimum_over_all() {
        for (m, keys) in
            [(16, 2), (64, 4), (100, 10), (333, 20), (1024, 100), (4096, 250), (96, 1), (9600, 1000), (1, 1)]
        {
            let rate = |k: u32| fpr_exact(m / u64::from(k), k, keys);
            let least = (1..=64).filter(|k| u64::from(*k) <= m).map(rate).fold(f64::INFINITY, f64::min);
            let best = best_k(m, keys);
            assert!(rate(best) <= least * (1.0 + 1e-12), "m = {m}, n = {keys}: k = {best}, {} and {least}", rate(best));
        }
    }

    #[test]
    fn hand_12_hand_13_targets_out_of_range_name_their_value() {
        let text = Bloom::size_for_fpr(1000, 10.1).unwrap_err().to_string();
        assert!(text.starts_with("fpr = 10.1 is out of range: "), "{text}");
        let text = Bloom::size_for(1_000_000_000_000_000_000, 9.6).unwrap_err().to_string();
        assert!(text.starts_with("keys = 1000000000000000000 is out of range: "), "{text}");
    }

    #[test]
    fn correlated_derivations_do_not_claim_the_exact_rate() {
        type Doubled = PartitionedBloom<Derive<derive::Double, derive::Modulo>>;
        let params = Params { slice_bits: 21, k: 12 };
        let prediction = Doubled::predicted_fpr(&params, 10);
        assert_ne!(prediction.claim, Claim::Exact);
        assert!(prediction.rate > 100.0 * Bloom::predicted_fpr(&params, 10).rate, "{prediction:?}");
    }

    #[test]
    fn named_values_in_their_order() {
        let values = Bloom::named_values(&Params { slice_bits: 1370, k: 7 }, 1000);
        let names: Vec<_> = values.iter().map(|row| row.name).collect();
        assert_eq!(
            names,
            [
                "m",
                "k",
                "slice_bits",
                "bits_per_key",
                "best_k",
                "fill",
                "fpr_classic",
                "fpr_asymptotic",
                "fpr_exact",
                "bound_static_bits_per_key",
                "bound_dynamic_bits_per_key",
                "overhead"
            ]
        );
        let value = |name| values.iter().find(|row| row.name == name).unwrap().value;
        assert_eq!((value("m"), value("k"), value("slice_bits"), value("bits_per_key")), (9590.0, 7.0, 1370.0, 9.6));
        assert!((value("bound_static_bits_per_key") + value("fpr_exact").log2()).abs() < 1e-12);
        assert!((value("overhead") * value("bound_static_bits_per_key") - 9.6).abs() < 1e-12);
    }
}
