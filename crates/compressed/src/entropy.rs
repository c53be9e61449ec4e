//! Mitzenmacher's trade: bits in memory, probes, bits on the wire, rate.
//!
//! `c = m/n` bits in memory per key, `k` probes (a real number here, so that curves can be drawn through the integers),
//! `p = e^(-k/c)` the fraction of zeros, `z/n = c H(p)` bits on the wire per key, `f = (1-p)^k` the rate (Mitzenmacher,
//! ToN 10(5), 2002, section III). These are the limits of large `m`; functions of whole counts say so by their arguments.

use bloom_theory::fpr;

/// The largest `m/n` that [`memory_per_key_at_wire`] and [`memory_per_key_at_rate`] give: 2^48, that of one key.
pub const MAX_MEMORY_PER_KEY: f64 = 281_474_976_710_656.0;

/// `H(p) = -p lg p - (1-p) lg(1-p)` bits, for `p` in `[0, 1]`; NaN outside.
#[must_use]
pub fn binary_entropy(p: f64) -> f64 {
    if p == 0.0 || p == 1.0 {
        return 0.0;
    }
    -(p * p.ln() + (1.0 - p) * (-p).ln_1p()) * std::f64::consts::LOG2_E
}

/// `m H(p)` bits, `p = (1 - 1/m)^(kn)`: the entropy of `m` independent bits as full as the filter's.
///
/// The bits are not quite independent: given the number `X` of ones, which the header holds, the array costs
/// `m H(X/m)` bits, on average less than this by `lg e Var(X) / (2 m p (1-p))`, below 0.73 bits at every size.
#[must_use]
pub fn array_bits(m: u64, k: u32, keys: u64) -> f64 {
    m as f64 * binary_entropy(fpr::fill(m, k, keys))
}

/// `z/n = c H(e^(-k/c))` bits on the wire for each key, at `c` bits per key in memory.
#[must_use]
pub fn wire_per_key(memory_per_key: f64, k: f64) -> f64 {
    // By the fill, which keeps its digits where the zeros' fraction is near 1.
    memory_per_key * binary_entropy(-(-k / memory_per_key).exp_m1())
}

/// `f = (1 - e^(-k/c))^k` at `c` bits per key in memory.
#[must_use]
pub fn rate(memory_per_key: f64, k: f64) -> f64 {
    (-(-k / memory_per_key).exp_m1()).powf(k)
}

/// The `m/n` whose wire has `z/n` bits per key, with `k` probes: the inverse of [`wire_per_key`], which rises with it.
/// `None` when `z/n` or `k` is not positive or not finite, or the answer is above [`MAX_MEMORY_PER_KEY`] (`k < z/n / 47`).
#[must_use]
pub fn memory_per_key_at_wire(wire_per_key: f64, k: f64) -> Option<f64> {
    let in_range = |value: f64| value.is_finite() && value > 0.0;
    if !in_range(wire_per_key) || !in_range(k) || self::wire_per_key(MAX_MEMORY_PER_KEY, k) < wire_per_key {
        return None;
    }
    // Bits never cost more than one each, so the wire is a lower end; halving the logarithm needs 60 steps.
    let (mut low, mut high) = (wire_per_key.ln(), MAX_MEMORY_PER_KEY.ln());
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if self::wire_per_key(middle.exp(), k) < wire_per_key { low = middle } else { high = middle }
    }
    Some((0.5 * (low + high)).exp())
}

/// The `m/n` at which `k` probes have rate `f`: `-k / ln(1 - f^(1/k))`. `None` when there is none up to
/// [`MAX_MEMORY_PER_KEY`].
#[must_use]
pub fn memory_per_key_at_rate(rate: f64, k: f64) -> Option<f64> {
    let memory = -k / (-(rate.powf(1.0 / k))).ln_1p();
    (rate > 0.0 && rate < 1.0 && k > 0.0 && memory <= MAX_MEMORY_PER_KEY).then_some(memory)
}

/// `f` at a fixed `z/n`: what the wire of so many bits per key gives with `k` probes. `None` as for
/// [`memory_per_key_at_wire`].
#[must_use]
pub fn rate_at_wire(wire_per_key: f64, k: f64) -> Option<f64> {
    memory_per_key_at_wire(wire_per_key, k).map(|memory| rate(memory, k))
}

/// `z/n` at a fixed `f`. `None` as for [`memory_per_key_at_rate`].
#[must_use]
pub fn wire_at_rate(rate: f64, k: f64) -> Option<f64> {
    memory_per_key_at_rate(rate, k).map(|memory| wire_per_key(memory, k))
}

/// `z/n ln 2`: the best `k` of a filter that is sent as it is, and the worst of one that is compressed to `z/n` bits.
#[must_use]
pub fn worst_k(wire_per_key: f64) -> f64 {
    wire_per_key * std::f64::consts::LN_2
}

/// `2^-(z/n)`: what the rate tends to as `k` falls and `m/n` grows without bound (section III). No filter of the
/// static class goes below.
#[must_use]
pub fn rate_limit(wire_per_key: f64) -> f64 {
    (-wire_per_key).exp2()
}

/// `2^-(z/n ln 2)`: the rate of a filter that is sent as it is, half full.
#[must_use]
pub fn rate_uncompressed(wire_per_key: f64) -> f64 {
    (-worst_k(wire_per_key)).exp2()
}

/// The expected fraction of bits that change as `more` keys are added to `keys`: `p (1 - (1 - 1/m)^(k more))`,
/// `p = (1 - 1/m)^(k keys)`. An update is about `m H` of it; a coder that knows the old version would need less,
/// `m p H(1 - (1 - 1/m)^(k more))`, as only zeros can change.
#[must_use]
pub fn delta_grown(m: u64, k: u32, keys: u64, more: u64) -> f64 {
    (1.0 - fpr::fill(m, k, keys)) * fpr::fill(m, k, more)
}

/// The expected fraction of bits in which the filters of two sets of `keys` keys differ, all but `changed` of them in
/// common: twice [`delta_grown`] of the common keys and the changed ones, by symmetry (section V in the form
/// `2 p (1 - (1 - 1/m)^(k changed))`, `p` of all keys, is the same number).
#[must_use]
pub fn delta_replaced(m: u64, k: u32, keys: u64, changed: u64) -> f64 {
    let common = keys.saturating_sub(changed);
    // A bit differs when the common keys miss it, one set's changed keys hit it and the other's do not.
    let (missed, hit) = (1.0 - fpr::fill(m, k, common), fpr::fill(m, k, changed.min(keys)));
    2.0 * missed * hit * (1.0 - hit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64, digits: f64) {
        assert!((left - right).abs() <= digits, "{left} and {right}");
    }

    /// Mitzenmacher's rows, recomputed outside of this program (FIELD section 6): m/n, k, z/n, f.
    #[test]
    fn rows_of_the_paper() {
        for (c, k, z, f) in [
            (8.0, 6.0, 7.9824, 0.021_577_1),
            (14.0, 2.0, 7.9231, 0.017_721_5),
            (92.0, 1.0, 7.9231, 0.010_810_7),
            (16.0, 11.0, 15.9996, 0.000_458_711),
            (28.0, 4.0, 15.8463, 0.000_314_051),
            (48.0, 3.0, 15.8290, 0.000_222_401),
            (12.6, 2.0, 7.5815, 0.021_542_4),
            (46.0, 1.0, 6.8911, 0.021_504_5),
            (37.5, 3.0, 14.6663, 0.000_454_467),
            (93.0, 2.0, 13.8147, 0.000_452_659),
        ] {
            close(wire_per_key(c, k), z, 5e-5);
            assert!((rate(c, k) / f - 1.0).abs() < 3e-6, "m/n = {c}, k = {k}: {}", rate(c, k));
            // With whole counts, a million keys.
            let m = (c * 1e6) as u64;
            close(array_bits(m, k as u32, 1_000_000) / 1e6, z, 6e-5);
        }
    }

    /// At exactly z/n = 8 and 16, by bisection outside of this program.
    #[test]
    fn memory_at_a_fixed_wire() {
        for (z, k, c, f) in [
            (8.0, 1.0, 96.914_657, 0.010_265_305),
            (8.0, 2.0, 14.336_565, 0.016_954_634),
            (8.0, 3.0, 9.491_004, 0.019_903_676),
            (8.0, 6.0, 8.016_738, 0.021_396_145),
            (8.0, 16.0, 10.543_173, 0.019_065_339),
            (8.0, 0.5, 12_057.445_8, 0.006_439_510),
            (16.0, 1.0, 24_114.891_6, 4.146_729e-5),
            (16.0, 2.0, 193.829_314, 1.053_764_9e-4),
            (16.0, 3.0, 49.786_489, 1.999_734_1e-4),
        ] {
            let found = memory_per_key_at_wire(z, k).unwrap();
            assert!((found / c - 1.0).abs() < 1e-7, "z/n = {z}, k = {k}: {found}");
            assert!((rate_at_wire(z, k).unwrap() / f - 1.0).abs() < 1e-6, "z/n = {z}, k = {k}");
        }
    }

    #[test]
    fn the_uncompressed_optimum_is_the_worst_k() {
        for z in [4.0, 8.0, 16.0, 24.0] {
            let worst = worst_k(z);
            close(rate_at_wire(z, worst).unwrap() / rate_uncompressed(z), 1.0, 1e-7);
            let mut last = rate_uncompressed(z);
            for step in 1..10 {
                let below = rate_at_wire(z, worst * (1.0 - 0.09 * f64::from(step))).unwrap();
                assert!(below < last && below > rate_limit(z), "z/n = {z}, step {step}");
                last = below;
            }
            assert!(rate_at_wire(z, 2.0 * worst).unwrap() < rate_uncompressed(z));
        }
        close(rate_limit(8.0), 0.003_906_25, 1e-18);
        close(rate_limit(16.0), 1.525_878_906_25e-5, 1e-18);
    }

    /// At a fixed rate the wire shrinks with k, at the cost of memory.
    #[test]
    fn wire_at_a_fixed_rate() {
        let (mut wire, mut memory) = (f64::INFINITY, 0.0);
        for k in (1..=7).rev() {
            let k = f64::from(k);
            let (z, c) = (wire_at_rate(0.01, k).unwrap(), memory_per_key_at_rate(0.01, k).unwrap());
            assert!(z < wire && (k > 6.0 || c > memory), "k = {k}: {z} bits, {c} in memory");
            close(rate(c, k), 0.01, 1e-12);
            (wire, memory) = (z, c);
        }
    }

    #[test]
    fn what_is_out_of_range_has_no_answer() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(memory_per_key_at_wire(bad, 1.0), None);
            assert_eq!(memory_per_key_at_wire(8.0, bad), None);
            assert_eq!(memory_per_key_at_rate(bad, 1.0), None);
        }
        assert_eq!(memory_per_key_at_wire(60.0, 1.0), None);
        assert_eq!(memory_per_key_at_rate(1.0, 1.0), None);
        assert_eq!((binary_entropy(0.0), binary_entropy(1.0), binary_entropy(0.5)), (0.0, 0.0, 1.0));
        assert!(binary_entropy(1.5).is_nan());
        close(binary_entropy(0.01), 0.080_793_135_895_911_18, 1e-15);
    }

    /// All ways to throw the balls of the common keys and those of either version, for tiny arrays.
    #[test]
    fn changes_equal_enumeration() {
        let set = |m: u64, balls: u32, mut throw: u64| {
            let mut set = 0u64;
            for _ in 0..balls {
                set |= 1 << (throw % m);
                throw /= m;
            }
            set
        };
        for (m, k, common, changed) in [(4u64, 1u32, 2u32, 1u32), (3, 2, 1, 1), (5, 1, 1, 2), (2, 2, 0, 1)] {
            let (a, b) = (k * common, k * changed);
            let (mut grown, mut replaced, mut all) = (0u32, 0u32, 0u32);
            for (old, new, other) in (0..m.pow(a))
                .flat_map(|old| (0..m.pow(b)).flat_map(move |new| (0..m.pow(b)).map(move |other| (old, new, other))))
            {
                let old = set(m, a, old);
                let (new, other) = (old | set(m, b, new), old | set(m, b, other));
                grown += (old ^ new).count_ones();
                replaced += (new ^ other).count_ones();
                all += m as u32;
            }
            let mean = |sum: u32| f64::from(sum) / f64::from(all);
            close(delta_grown(m, k, common.into(), changed.into()), mean(grown), 1e-12);
            close(delta_replaced(m, k, (common + changed).into(), changed.into()), mean(replaced), 1e-12);
        }
        // The form of the paper, with the zeros of all keys.
        let (m, k, n, d) = (14_000_000, 2, 1_000_000, 50_000);
        close(delta_replaced(m, k, n, d), 2.0 * (1.0 - fpr::fill(m, k, n)) * fpr::fill(m, k, d), 1e-15);
    }
}
