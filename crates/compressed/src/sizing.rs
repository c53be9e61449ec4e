//! From bits on the wire, or a rate, to an array in memory.

use amq::InvalidParams;
use bloom_theory::fpr::{fpr_classic, fpr_exact};
use bloom_theory::ranges::{MAX_BITS, check_bits_per_key, check_keys, check_probes, check_rate};
use bloom_theory::sizing::{best_probes, guess_probes};
use stats::occupancy::{mean_occupied, variance_occupied};

use crate::entropy::{array_bits, binary_entropy, memory_per_key_at_rate};
use crate::filter::Params;
use crate::wire::frame_bytes;

/// The most probes that sizing picks of itself.
///
/// On the wire fewer are better without end; each one less costs more memory: at 8 bits per key 9.5, 14.3, 96.9 bits in
/// memory for 3, 2, 1 probes, at 16 bits 49.8, 193.8, 24,115.
pub const MOST_PROBES: u32 = 3;
/// The most bits in memory for each key that sizing takes to save a probe. With [`MOST_PROBES`] there is no limit.
pub const MEMORY_BITS_PER_KEY: u64 = 128;

/// Standard deviations of the number of ones that [`most_wire_bits`] leaves room for. Ones of a Bloom filter are
/// negatively associated, so that Chernoff's bound holds: more than this has a probability below 1e-10 for large arrays.
const DEVIATIONS: f64 = 7.0;

/// Bits of the wire form, expected: `m H(p)`, header and checksum, and of the coder a word and a half, for its start and
/// the last word.
#[must_use]
pub fn wire_bits(m: u64, k: u32, keys: u64) -> f64 {
    let ones = mean_occupied(m, u64::from(k).saturating_mul(keys));
    frame_bits(m, keys, ones) + array_bits(m, k, keys) + if keys == 0 { 0.0 } else { 48.0 }
}

/// Bits that the wire form takes at the most, but for chances below 1e-10: seven standard deviations more ones than
/// expected (never more than `k keys`), 0.02 % for rounded probabilities and two words for the coder's start and end.
#[must_use]
pub fn most_wire_bits(m: u64, k: u32, keys: u64) -> f64 {
    let balls = u64::from(k).saturating_mul(keys);
    let (mean, sd) = (mean_occupied(m, balls), variance_occupied(m, balls).sqrt());
    let m_real = m as f64;
    let ones = (mean + DEVIATIONS * sd + 1.0).min(balls as f64).min(m_real);
    // The entropy is highest at one half.
    let fill = if mean - DEVIATIONS * sd - 1.0 > 0.5 * m_real {
        (mean - DEVIATIONS * sd - 1.0) / m_real
    } else {
        (ones / m_real).min(0.5)
    };
    frame_bits(m, keys, ones) + 1.0002 * m_real * binary_entropy(fill) + 64.0
}

fn frame_bits(m: u64, keys: u64, ones: f64) -> f64 {
    8.0 * frame_bytes(m, keys, ones.ceil() as u64) as f64
}

/// The best integer `k` of a given array for `keys` keys, by the exact formula, but at most [`MOST_PROBES`]. No keys
/// count as one.
#[must_use]
pub fn best_k(m: u64, keys: u64) -> u32 {
    let keys = keys.max(1);
    let near = best_probes(guess_probes(m, keys), |k| fpr_classic(m, k, keys));
    best_probes(near.min(MOST_PROBES), |k| if k > MOST_PROBES { 1.0 } else { fpr_exact(m, k, keys) })
}

/// The best integer `k` of a plain filter of `bits` bits: about `bits/keys ln 2`, and near the worst one of a filter that
/// is compressed to so many bits.
#[must_use]
pub fn plain_k(bits: f64, keys: u64) -> u32 {
    let (m, keys) = ((bits.round() as u64).max(1), keys.max(1));
    best_probes(guess_probes(m, keys), |k| fpr_classic(m, k, keys))
}

/// The lowest rate within `bits_per_key` on the wire, of 1 to [`MOST_PROBES`] probes.
///
/// # Errors
/// [`InvalidParams`] for a budget out of range, of more than 2^48 bits, or too small for header and checksum.
pub fn size(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
    let mut best: Option<(f64, Params)> = None;
    for k in 1..=MOST_PROBES {
        let params = within(keys, bits_per_key, k, memory_limit(keys, k))?;
        let rate = fpr_exact(params.m, k, keys.max(1));
        if best.is_none_or(|(least, _)| rate < least) {
            best = Some((rate, params));
        }
    }
    best.map(|(_, params)| params).ok_or_else(|| too_small(bits_per_key))
}

/// The largest array of `k` probes within `bits_per_key` on the wire.
///
/// # Errors
/// As [`size`], and for `k` out of range.
pub fn size_for_probes(keys: u64, bits_per_key: f64, k: u32) -> Result<Params, InvalidParams> {
    within(keys, bits_per_key, check_probes(k.into())?, MAX_BITS)
}

/// The fewest bits on the wire at rate `fpr`, of 1 to [`MOST_PROBES`] probes.
///
/// # Errors
/// [`InvalidParams`] for a rate or a number of keys out of range, or more than 2^48 bits in memory.
pub fn size_for_rate(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
    let (keys, fpr) = (check_keys(keys)?.max(1), check_rate(fpr)?);
    let sized = (1..=MOST_PROBES).filter_map(|k| {
        let m = at_rate(keys, fpr, k).filter(|m| *m <= memory_limit(keys, k))?;
        Some((wire_bits(m, k, keys), Params { m, k }))
    });
    let best = sized.min_by(|left, right| left.0.total_cmp(&right.0));
    best.map(|(_, params)| params).ok_or_else(|| too_large(keys, fpr, MOST_PROBES))
}

/// The smallest array of `k` probes at rate `fpr`.
///
/// # Errors
/// As [`size_for_rate`], and for `k` out of range.
pub fn size_for_rate_and_probes(keys: u64, fpr: f64, k: u32) -> Result<Params, InvalidParams> {
    let (keys, fpr, k) = (check_keys(keys)?.max(1), check_rate(fpr)?, check_probes(k.into())?);
    at_rate(keys, fpr, k).map(|m| Params { m, k }).ok_or_else(|| too_large(keys, fpr, k))
}

fn memory_limit(keys: u64, k: u32) -> u64 {
    if k == MOST_PROBES { MAX_BITS } else { keys.max(1).saturating_mul(MEMORY_BITS_PER_KEY).min(MAX_BITS) }
}

fn within(keys: u64, bits_per_key: f64, k: u32, most: u64) -> Result<Params, InvalidParams> {
    let (keys, bits_per_key) = (check_keys(keys)?.max(1), check_bits_per_key(bits_per_key)?);
    let budget = keys as f64 * bits_per_key;
    if budget > MAX_BITS as f64 {
        return Err(InvalidParams::TooLarge { bits: budget as u64 });
    }
    let fits = |m: u64| most_wire_bits(m, k, keys) <= budget;
    if !fits(1) {
        return Err(too_small(bits_per_key));
    }
    if fits(most) {
        return Ok(Params { m: most, k });
    }
    let (mut low, mut high) = (1, most);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    Ok(Params { m: low, k })
}

/// The fewest bits with which `k` probes have rate `fpr` or less; `None` above 2^48.
fn at_rate(keys: u64, fpr: f64, k: u32) -> Option<u64> {
    let reached = |m: u64| fpr_exact(m, k, keys) <= fpr;
    // The limit of large arrays is a little low: one step of an eighth is enough but for tiny ones.
    let limit = memory_per_key_at_rate(fpr, k.into())? * keys as f64;
    if limit > MAX_BITS as f64 {
        return None;
    }
    let (mut low, mut high) = (0, (limit as u64).clamp(1, MAX_BITS));
    while !reached(high) {
        if high == MAX_BITS {
            return None;
        }
        (low, high) = (high, (high + high / 8 + 1).min(MAX_BITS));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if reached(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

fn too_small(bits_per_key: f64) -> InvalidParams {
    InvalidParams::Unreachable {
        what: "bits_per_key",
        target: bits_per_key.into(),
        why: "header, checksum and the coder's last words take about 200 bits in all: give more, or more keys",
    }
}

fn too_large(keys: u64, fpr: f64, k: u32) -> InvalidParams {
    let bits = memory_per_key_at_rate(fpr, k.into()).map_or(u64::MAX, |memory| (memory * keys as f64) as u64);
    InvalidParams::TooLarge { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few bits more or less than the limit of large arrays: FIELD section 6 at z/n = 8, with what header, room for
    /// chance and rounding take off.
    #[test]
    fn the_wire_is_used() {
        for (k, memory, rate) in [(1, 96.9147, 0.010_265_3), (2, 14.3366, 0.016_954_6), (3, 9.4910, 0.019_903_7)] {
            let keys = 10_000_000;
            let params = size_for_probes(keys, 8.0, k).unwrap();
            let c = params.m as f64 / keys as f64;
            assert!(c < memory && c > memory * 0.995, "k = {k}: {c}");
            assert!((fpr_exact(params.m, k, keys) / rate - 1.0).abs() < 0.005);
            assert!(wire_bits(params.m, k, keys) > 0.999 * 8e7 && most_wire_bits(params.m, k, keys) <= 8e7);
        }
    }

    /// k = 1 as long as memory allows, then 2, then 3; and never a higher rate for more bits.
    #[test]
    fn probes_follow_memory() {
        let keys = 1_000_000;
        let at = |bits_per_key| size(keys, bits_per_key).unwrap();
        assert_eq!([4.0, 8.0, 9.9, 14.0, 16.0, 24.0].map(|bits| at(bits).k), [1, 1, 2, 2, 3, 3]);
        let mut last = 1.0;
        for step in 4..120 {
            let params = at(0.25 * f64::from(step));
            let rate = fpr_exact(params.m, params.k, keys);
            assert!(rate <= last, "{} bits: {rate} after {last}", 0.25 * f64::from(step));
            assert!(params.k == 3 || params.m <= 128 * keys);
            last = rate;
        }
        let rates = [0.1, 0.01, 0.007, 0.0003, 0.0001, 1e-9];
        assert_eq!(rates.map(|fpr| size_for_rate(keys, fpr).unwrap().k), [1, 1, 2, 2, 3, 3]);
    }

    /// The array is the smallest of its rate: one bit less is not enough.
    #[test]
    fn a_rate_is_met_and_not_more() {
        for keys in [1, 2, 10, 1000, 1_000_000] {
            for fpr in [0.5, 0.1, 0.01, 1e-4, 1e-6] {
                for k in [1, 2, 3, 7] {
                    let Params { m, .. } = size_for_rate_and_probes(keys, fpr, k).unwrap();
                    assert!(fpr_exact(m, k, keys) <= fpr && fpr_exact(m - 1, k, keys) > fpr, "{keys} {fpr} {k}: {m}");
                }
            }
        }
        // A million keys at one in ten thousand: c = -3 / ln(1 - 1e-4^(1/3)) = 63.12117, by hand.
        let m = size_for_rate_and_probes(1_000_000, 1e-4, 3).unwrap().m;
        assert!((m as f64 / 63_121_170.0 - 1.0).abs() < 1e-5, "{m}");
    }

    #[test]
    fn targets_out_of_range_name_their_value() {
        let text = |error: Result<Params, InvalidParams>| error.unwrap_err().to_string();
        assert!(text(size(3, 8.0)).starts_with("bits_per_key = 8 is out of reach: header"));
        assert!(text(size(1000, 0.0)).starts_with("bits_per_key = 0 is out of range"));
        assert!(text(size_for_rate(1000, 10.1)).starts_with("fpr = 10.1 is out of range"));
        assert!(text(size_for_probes(1000, 8.0, 0)).starts_with("k = 0 is out of range"));
        assert!(text(size_for_rate_and_probes(1000, 0.01, 65)).starts_with("k = 65 is out of range"));
        assert!(text(size_for_rate_and_probes(1000, 1e-15, 1)).starts_with("cannot allocate"));
        assert!(text(size(1 << 60, 8.0)).starts_with("keys = "));
        assert!(text(size(1 << 50, 8.0)).starts_with("cannot allocate"));
    }

    #[test]
    fn best_k_is_at_most_three() {
        assert_eq!([8, 2, 1].map(|c| best_k(c * 1_000_000, 1_000_000)), [3, 1, 1]);
        assert_eq!(best_k(2_500_000, 1_000_000), 2);
        // Of a plain filter: 8 ln 2 = 5.5, 16 ln 2 = 11.1.
        assert_eq!([8e6, 16e6, 0.0].map(|bits| plain_k(bits, 1_000_000)), [6, 11, 1]);
        assert_eq!((best_k(1, 1), best_k(64, 0)), (1, 3));
    }
}
