//! False-positive rates of one shared array of bits.

use amq::Number;
use stats::occupancy;

/// `1 - (1 - 1/m)^(kn)`: the expected fraction of set bits, positions drawn with replacement.
#[must_use]
pub fn fill(m: u64, k: u32, keys: u64) -> f64 {
    // With one bit the logarithm is infinite, and no keys times that is no number.
    if keys == 0 { 0.0 } else { -(balls(k, keys) * (-1.0 / m as f64).ln_1p()).exp_m1() }
}

/// `(1 - (1 - 1/m)^(kn))^k`: the classic formula. It takes the probes of a query for independent of each
/// other, which they are only given the fill; always below [`fpr_exact`] (Christensen, Roginsky, Jimeno, IPL
/// 110(21), 2010).
#[must_use]
pub fn fpr_classic(m: u64, k: u32, keys: u64) -> f64 {
    fill(m, k, keys).powi(k as i32)
}

/// `(1 - e^(-kn/m))^k`: the classic formula as `m` grows at constant `m/n` (Broder and Mitzenmacher 2003).
#[must_use]
pub fn fpr_asymptotic(m: u64, k: u32, keys: u64) -> f64 {
    (-(-balls(k, keys) / m as f64).exp_m1()).powi(k as i32)
}

/// `E[(X/m)^k]`, `X` the number of set bits: exact for positions drawn independently with replacement (Bose
/// et al., IPL 108(4), 2008). The k-term Stirling form, with the covering probabilities from a Markov chain
/// in place of the alternating sum, so that nothing cancels.
#[must_use]
pub fn fpr_exact(m: u64, k: u32, keys: u64) -> f64 {
    occupancy::power_mean_occupied(k, m, u64::from(k).saturating_mul(keys))
}

/// Exact for `k` *distinct* positions per key, for inserts and queries alike: what Bloom (CACM 13(7), 1970)
/// analysed. Not a number when `k > m`.
#[must_use]
pub fn fpr_distinct(m: u64, k: u32, keys: u64) -> f64 {
    if u64::from(k) > m {
        return f64::NAN;
    }
    occupancy::covered_distinct(k, m, keys, k.into()).last().copied().unwrap_or(f64::NAN)
}

/// Standard deviation, over filters, of a filter's own rate `(X/m)^k`.
#[must_use]
pub fn rate_spread(m: u64, k: u32, keys: u64) -> f64 {
    occupancy::sd_power_occupied(k, m, u64::from(k).saturating_mul(keys))
}

/// `(ones/m)^k`: the rate of a filter whose fill is known.
#[must_use]
pub fn rate_at_fill(m: u64, k: u32, ones: u64) -> f64 {
    (ones as f64 / m as f64).powi(k as i32)
}

/// How many distinct keys a fill stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cardinality {
    /// `-(m/k) ln(1 - X/m)` keys.
    Keys(f64),
    /// All bits are set: any large number of keys fits.
    Saturated,
}

impl Cardinality {
    /// The estimate from `ones` set bits of `m` (Swamidass and Baldi, J. Chem. Inf. Model. 47, 2007).
    #[must_use]
    pub fn from_fill(m: u64, k: u32, ones: u64) -> Self {
        if ones >= m {
            return Cardinality::Saturated;
        }
        Cardinality::Keys(-(m as f64) / f64::from(k) * (-(ones as f64) / m as f64).ln_1p())
    }

    /// The estimate as a number, if there is one.
    #[must_use]
    pub fn keys(self) -> Option<Number> {
        match self {
            Cardinality::Keys(keys) => Some(keys.into()),
            Cardinality::Saturated => None,
        }
    }
}

fn balls(k: u32, keys: u64) -> f64 {
    f64::from(k) * keys as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relative(left: f64, right: f64) -> f64 {
        (left / right - 1.0).abs()
    }

    /// Every way to throw `k n` balls into `m` bins and then to probe `k` bins, counted one by one.
    fn enumerate(m: u64, k: u32, keys: u32) -> f64 {
        let balls = k * keys;
        let (mut hits, mut all) = (0u64, 0u64);
        for throw in 0..m.pow(balls) {
            let mut set = 0u64;
            let mut rest = throw;
            for _ in 0..balls {
                set |= 1 << (rest % m);
                rest /= m;
            }
            hits += u64::from(set.count_ones()).pow(k);
            all += m.pow(k);
        }
        hits as f64 / all as f64
    }

    #[test]
    fn exact_equals_enumeration_for_tiny_filters() {
        for (m, k, keys) in [(1, 1, 1), (2, 1, 3), (3, 2, 2), (4, 2, 3), (5, 3, 2), (6, 1, 5), (3, 3, 3)] {
            let expected = enumerate(m, k, keys);
            assert!(relative(fpr_exact(m, k, u64::from(keys)), expected) < 1e-12, "m={m} k={k} n={keys}");
        }
    }

    /// Relative gap of the classic formula at m, n, k, computed by an occupancy recurrence in exact rationals.
    #[test]
    fn the_classic_formula_is_low_by_the_known_gaps() {
        for (m, n, k, gap) in [
            (16, 3, 2, 0.0212),
            (32, 4, 3, 0.0329),
            (64, 8, 5, 0.0476),
            (100, 10, 7, 0.0606),
            (256, 32, 6, 0.0170),
            (1024, 128, 5, 0.003_14),
            (1000, 100, 7, 0.006_37),
            (10_000, 1000, 7, 0.000_64),
        ] {
            let seen = 1.0 - fpr_classic(m, k, n) / fpr_exact(m, k, n);
            assert!((seen - gap).abs() < 0.006 * gap.max(1e-3) + 5e-5, "m={m} n={n} k={k}: {seen}");
        }
    }

    #[test]
    fn distinct_positions_at_their_edges() {
        // One key, k = m: all bits set.
        assert!(relative(fpr_distinct(5, 5, 1), 1.0) < 1e-12);
        // One key, k distinct bits: the query must be that very set, 1 / C(6, 2).
        assert!(relative(fpr_distinct(6, 2, 1), 1.0 / 15.0) < 1e-12);
        assert!(fpr_distinct(3, 4, 1).is_nan());
        assert_eq!(fpr_distinct(64, 3, 0), 0.0);
    }

    #[test]
    fn no_keys_no_false_positives() {
        for rate in [fpr_classic, fpr_asymptotic, fpr_exact] {
            assert_eq!(rate(64, 7, 0), 0.0);
            assert_eq!(rate(1, 7, 0), 0.0);
        }
    }

    #[test]
    fn all_formulas_agree_on_a_large_filter() {
        let (m, k, n) = (1 << 40, 7, 114_600_000_000);
        let classic = fpr_classic(m, k, n);
        for rate in [fpr_asymptotic(m, k, n), fpr_exact(m, k, n), fpr_distinct(m, k, n)] {
            assert!(relative(rate, classic) < 1e-9, "{rate} {classic}");
        }
    }

    /// HAND-28, first part: a full filter has rate 1 and no count.
    #[test]
    fn hand_28_a_full_array_is_saturated() {
        assert_eq!(rate_at_fill(1000, 7, 1000), 1.0);
        assert_eq!(Cardinality::from_fill(1000, 7, 1000), Cardinality::Saturated);
        assert_eq!(Cardinality::from_fill(1000, 7, 0), Cardinality::Keys(0.0));
    }
}
