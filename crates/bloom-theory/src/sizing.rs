//! From a target to a geometry.

use std::f64::consts::LN_2;

use amq::InvalidParams;

use crate::fpr;
use crate::ranges::{MAX_BITS, MAX_PROBES, check_bits_per_key, check_keys, check_rate};

/// Bits of a machine word: arrays are allocated in words, so sizes are multiples of it.
const WORD: u64 = 64;

/// `m = ceil(-n ln p / (ln 2)^2)` bits for `keys` keys at rate `fpr` (Broder and Mitzenmacher 2003, section
/// 2), for a fill of one half. Planning for no keys plans for one. Above `p = 1/2` that asks for less than one probe: there
/// the least `m` is taken with which a single probe has `1 - (1 - 1/m)^n <= p`.
///
/// # Errors
/// [`InvalidParams`] for a rate or a number of keys out of range, or more than 2^48 bits.
pub fn optimal_bits(keys: u64, fpr: f64) -> Result<u64, InvalidParams> {
    let (keys, fpr) = (check_keys(keys)?.max(1), check_rate(fpr)?);
    let n = keys as f64;
    let bits = if fpr > 0.5 { -1.0 / ((-fpr).ln_1p() / n).exp_m1() } else { n * -fpr.ln() / (LN_2 * LN_2) };
    let bits = bits.ceil().max(1.0);
    if bits > MAX_BITS as f64 {
        return Err(InvalidParams::TooLarge { bits: bits as u64 });
    }
    Ok(bits as u64)
}

/// [`optimal_bits`] rounded up to whole words, by at most 63 bits.
///
/// # Errors
/// As [`optimal_bits`].
pub fn bits_for_rate(keys: u64, fpr: f64) -> Result<u64, InvalidParams> {
    let bits = optimal_bits(keys, fpr)?.next_multiple_of(WORD);
    if bits > MAX_BITS { Err(InvalidParams::TooLarge { bits }) } else { Ok(bits) }
}

/// The most whole words that `keys` keys may have at `bits_per_key` allocated bits each, in bits.
///
/// # Errors
/// [`InvalidParams`] for a budget out of range, of more than 2^48 bits, or of less than one word.
pub fn bits_within(keys: u64, bits_per_key: f64) -> Result<u64, InvalidParams> {
    let (keys, bits_per_key) = (check_keys(keys)?.max(1), check_bits_per_key(bits_per_key)?);
    let budget = keys as f64 * bits_per_key;
    if budget > MAX_BITS as f64 {
        return Err(InvalidParams::TooLarge { bits: budget as u64 });
    }
    let bits = budget as u64 / WORD * WORD;
    if bits == 0 {
        return Err(InvalidParams::Unreachable {
            what: "bits_per_key",
            target: bits_per_key.into(),
            why: "memory comes in words of 64 bits: give at least 64 bits in all",
        });
    }
    Ok(bits)
}

/// The integer `k` from 1 to 64 at which `rate` is lowest; of equal ones the smallest.
///
/// `guess` is where the search starts. Rates of Bloom-type filters fall and then rise in `k`, so the search
/// walks downhill from there.
pub fn best_probes(guess: u32, mut rate: impl FnMut(u32) -> f64) -> u32 {
    let mut k = guess.clamp(1, MAX_PROBES);
    let mut lowest = rate(k);
    while k > 1 {
        let below = rate(k - 1);
        if below > lowest {
            break;
        }
        (k, lowest) = (k - 1, below);
    }
    while k < MAX_PROBES {
        let above = rate(k + 1);
        if above >= lowest {
            break;
        }
        (k, lowest) = (k + 1, above);
    }
    k
}

/// `m/n ln 2` to the nearest integer from 1 to 64: where the search for the best `k` starts.
#[must_use]
pub fn guess_probes(bits: u64, keys: u64) -> u32 {
    (bits as f64 / keys.max(1) as f64 * LN_2).round().clamp(1.0, f64::from(MAX_PROBES)) as u32
}

/// The best integer `k` for `keys` keys in one shared array of `m` bits, by [`fpr_exact`](crate::fpr::fpr_exact): small
/// filters prefer a smaller `k` than `m/n ln 2` says (5, not 6, at m = 16, n = 2). No keys count as one.
#[must_use]
pub fn best_k(m: u64, keys: u64) -> u32 {
    let keys = keys.max(1);
    // The exact formula costs k^3 log(kn) steps; the classic one finds the neighbourhood.
    let near = best_probes(guess_probes(m, keys), |k| fpr::fpr_classic(m, k, keys));
    best_probes(near, |k| fpr::fpr_exact(m, k, keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIELD 1: by the exact formula small filters prefer a smaller `k` than `m/n ln 2` says.
    /// A target near 1 keeps its promise with the one probe that is the least.
    #[test]
    fn targets_near_1_are_met_with_one_probe() {
        for (keys, fpr) in [(10_000, 0.96), (10_000, 0.999), (1000, 0.6), (3, 0.9), (1, 0.99)] {
            let m = optimal_bits(keys, fpr).unwrap();
            assert!(fpr::fpr_exact(m, 1, keys) <= fpr, "{keys} keys at {fpr}");
            assert!(m == 1 || fpr::fpr_exact(m - 1, 1, keys) > fpr, "{keys} keys at {fpr}: {m} bits are too many");
        }
    }

    #[test]
    fn best_k_of_small_filters() {
        assert_eq!((best_k(16, 2), best_k(64, 4), best_k(64, 0)), (5, 10, best_k(64, 1)));
        assert_eq!(best_k(2_100_000, 1_000_000), 2);
    }

    /// HAND-07: sizes that do not fit 32 bits.
    #[test]
    fn hand_07_sizes_beyond_32_bits() {
        assert_eq!(optimal_bits(10_000_000, 0.001), Ok(143_775_876));
        assert_eq!(optimal_bits(5_000_000_000, 0.01), Ok(47_925_291_887));
        let bits = optimal_bits(42_000_000, 1e-9).unwrap();
        assert!((1_811_000_000..1_812_000_000).contains(&bits), "{bits}");
        assert_eq!(guess_probes(bits, 42_000_000), 30);
    }

    /// HAND-08: the textbook pair.
    #[test]
    fn hand_08_the_textbook_pair() {
        assert_eq!(optimal_bits(1000, 0.01), Ok(9586));
        assert_eq!(bits_for_rate(1000, 0.01), Ok(9600));
        assert_eq!(guess_probes(20_000, 1000), 14);
    }

    /// Further sizes recomputed with 50 digits: one million keys at 1 %, ten million at 0.01 %.
    #[test]
    fn sizes_at_known_points() {
        assert_eq!(optimal_bits(1_000_000, 0.01), Ok(9_585_059));
        assert_eq!(optimal_bits(10_000_000, 0.01), Ok(95_850_584));
        assert_eq!(optimal_bits(10_000_000, 0.0001), Ok(191_701_168));
    }

    #[test]
    fn hand_14_nothing_planned_is_planned_as_one_key() {
        assert_eq!(optimal_bits(0, 0.01), optimal_bits(1, 0.01));
        assert_eq!(optimal_bits(3, 0.99), Ok(2));
        assert_eq!(bits_for_rate(0, 0.99), Ok(64));
    }

    #[test]
    fn hand_13_absurd_numbers_of_keys_are_refused() {
        let refused = |keys| optimal_bits(keys, 0.01).unwrap_err().to_string();
        assert!(refused(1_000_000_000_000_000_000).contains("keys = 1000000000000000000"));
        assert!(refused(1_000_000_000_000_000).starts_with("cannot allocate"));
        assert!(bits_within(1 << 50, 10.0).unwrap_err().to_string().starts_with("cannot allocate"));
    }

    #[test]
    fn a_budget_is_a_ceiling_in_whole_words() {
        assert_eq!(bits_within(1000, 10.0), Ok(9984));
        assert_eq!(bits_within(64, 9.6), Ok(576));
        assert_eq!(bits_within(6400, 9.6), Ok(61440));
        assert!(bits_within(6, 10.0).is_err());
    }

    #[test]
    fn the_search_walks_to_the_lowest_rate_from_either_side() {
        for guess in [1, 5, 9, 64, 1000] {
            assert_eq!(best_probes(guess, |k| (f64::from(k) - 9.2).abs()), 9);
            assert_eq!(best_probes(guess, f64::from), 1);
            assert_eq!(best_probes(guess, |k| -f64::from(k)), 64);
        }
    }
}
