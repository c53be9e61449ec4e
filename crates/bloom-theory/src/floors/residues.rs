//! Schemes whose positions share a residue: worm hashing and the multiplicative sequence, by remainders.
//!
//! Both multiply in 64 bits, so modulo the power of two in `m` a key stays among few residues, and the array is
//! several smaller ones, of which a key uses one.

use stats::occupancy;

use crate::fpr::fill;

/// Of the keys, each is in a part with probability `part`; the part has `bits` bits and its keys `k` positions.
fn part(bits: u64, part: f64, k: u32, keys: u64) -> f64 {
    if bits == 1 {
        return any(part, keys);
    }
    let mean = part * keys as f64;
    let spread = (mean * (1.0 - part)).sqrt();
    if spread > 4.0 {
        // Second order in the number of keys and in the fill.
        let m = bits as f64;
        let f = fill(bits, k, mean.round() as u64);
        let step = f64::from(k) / m * (1.0 - f) * spread;
        let own = occupancy::variance_occupied(bits, (mean * f64::from(k)) as u64).sqrt() / m;
        let sd = step.hypot(own).min(f).min(1.0 - f);
        return 0.5 * ((f - sd).powi(k as i32) + (f + sd).powi(k as i32));
    }
    mean_over(part, keys, |j| occupancy::power_mean_occupied(k, bits, u64::from(k) * j))
}

/// Some key is in a part.
fn any(part: f64, keys: u64) -> f64 {
    -(keys as f64 * (-part).ln_1p()).exp_m1()
}

/// The mean of `of` over the number of keys in a part, binomial with a mean that is not large.
fn mean_over(part: f64, keys: u64, of: impl Fn(u64) -> f64) -> f64 {
    let mean = part * keys as f64;
    let (mut chance, mut sum) = ((keys as f64 * (-part).ln_1p()).exp(), 0.0);
    for j in 0..=keys.min((mean + 8.0 * mean.sqrt() + 8.0) as u64) {
        sum += chance * of(j);
        chance *= (keys - j) as f64 / (j + 1) as f64 * part / (1.0 - part);
    }
    sum
}

/// In slices of an even length `s` both schemes give a key the same part of all slices: those with another word
/// modulo the power of two in `s` never meet it.
pub(super) fn slices(s: u64, k: u32, keys: u64) -> f64 {
    let twos = s.trailing_zeros();
    let (bits, part) = (s >> twos, 0.5f64.powi(twos as i32));
    if bits == 1 {
        return any(part, keys);
    }
    let mean = part * keys as f64;
    let rate = |j: f64| (-(j * (-1.0 / bits as f64).ln_1p()).exp_m1()).powi(k as i32);
    if mean > 500.0 {
        let spread = (mean * (1.0 - part)).sqrt();
        return 0.5 * (rate(mean - spread) + rate(mean + spread));
    }
    mean_over(part, keys, |j| rate(j as f64))
}

/// Worm hashing, `m` even: multiplied by `m + 1` a word keeps its remainder by the power of two in `m`.
pub(super) fn worm(m: u64, k: u32, keys: u64) -> f64 {
    let twos = m.trailing_zeros();
    part(m >> twos, 0.5f64.powi(twos as i32), k, keys)
}

/// The multiplicative sequence, `m` even, `2^v` its power of two, with a multiplier that is 5 modulo 8: a word
/// with `e` trailing zeros goes around a cycle of `2^(v-e-2)` residues, one of two.
pub(super) fn multiplicative(m: u64, k: u32, keys: u64) -> f64 {
    let twos = m.trailing_zeros();
    let mut sum = 0.0;
    for zeros in 0..=twos {
        let left = twos - zeros;
        let (cycles, length) = match left {
            0 | 1 => (1.0, 1),
            _ => (2.0, 1u64 << (left - 2)),
        };
        let share = length as f64 * 0.5f64.powi(twos as i32);
        let odd = m >> twos;
        let rate = match odd {
            1 if length > u64::from(k) => arcs(m, k, keys),
            // A key sets the whole cycle.
            1 => part(1, share, k, keys),
            _ if length <= u64::from(k) => cycle(odd, length, share, k, keys),
            _ => part(odd * length, share, k, keys),
        };
        sum += cycles * share * rate;
    }
    sum
}

/// A cycle of few residues: all keys in it have `k / length` positions in each of its residues, of `odd` bits.
fn cycle(odd: u64, length: u64, part: f64, k: u32, keys: u64) -> f64 {
    let each = f64::from(k) / length as f64;
    // Where the length does not divide k, some residues get one position more, of a key and of a query.
    let more = u64::from(k) % length;
    let rate = |j: u64| {
        let balls = (each * j as f64).round() as u64;
        let covered = |probes: u32| occupancy::power_mean_occupied(probes, odd, balls);
        let (low, high) = (covered(k / length as u32), covered(k / length as u32 + 1));
        low.powi((length - more) as i32) * high.powi(more as i32)
    };
    if part * keys as f64 > 300.0 {
        return self::part(odd * length, part, k, keys);
    }
    mean_over(part, keys, rate)
}

/// The positions of a key are `k` residues in a row on a cycle, those of a query are covered by those of keys in
/// the cycle. Exact: they are where the last start at or before the query's and the first one after it are at most
/// `k` apart, or its own start is a key's. `g` given residues of the cycle, of the `m`, hold no start with
/// probability `(1 - g/m)^n`.
fn arcs(m: u64, k: u32, keys: u64) -> f64 {
    let empty = |g: u32| (keys as f64 * (-f64::from(g) / m as f64).ln_1p()).exp();
    let apart = |s: u32| f64::from(s - 1) * (empty(s - 1) - 2.0 * empty(s) + empty(s + 1));
    1.0 - empty(1) + (2..=k).map(apart).sum::<f64>()
}
