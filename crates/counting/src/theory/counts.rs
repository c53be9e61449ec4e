//! The law of one counter, and of the largest.
//!
//! A key counts at a given counter with probability `q = 1 - (1 - 1/m)^k`, once however many of its draws fall there,
//! so the count of `n` keys is exactly `Bin(n, q)`. The literature counts draws, `Bin(kn, 1/m)`, which is never less
//! (each key adds at least as many draws), and takes it for `Poisson(kn/m)`.

use std::f64::consts::{E, LN_2};

/// `kn/m`: the mean number of draws at a counter.
#[must_use]
pub fn mean_draws(m: u64, k: u32, keys: u64) -> f64 {
    f64::from(k) * keys as f64 / m as f64
}

/// `q = 1 - (1 - 1/m)^k`: the probability that a key counts at a given counter, as `-expm1(k ln_1p(-1/m))`.
#[must_use]
pub fn hit(m: u64, k: u32) -> f64 {
    -(f64::from(k) * (-1.0 / m as f64).ln_1p()).exp_m1()
}

/// `P[Bin(trials, p) >= j]`, with no trials too.
fn tail(j: u64, trials: u64, p: f64) -> f64 {
    match j {
        0 => 1.0,
        _ if j > trials => 0.0,
        _ => stats::binomial_sf(j, trials, p).unwrap_or(f64::NAN),
    }
}

/// `P[Bin(n, q) >= j]`, exact: the probability that at least `j` of `keys` distinct keys count at a given counter.
#[must_use]
pub fn at_least(m: u64, k: u32, keys: u64, j: u64) -> f64 {
    tail(j, keys, hit(m, k))
}

/// `P[Bin(kn, 1/m) >= j]`: draws in place of keys (Fan et al., ToN 8(3), 2000, section V-C). At least [`at_least`].
#[must_use]
pub fn draws_at_least(m: u64, k: u32, keys: u64, j: u64) -> f64 {
    tail(j, keys.saturating_mul(k.into()), 1.0 / m as f64)
}

/// `P[Poisson(mean) >= j]`: the limit of both as `m` grows at constant `n/m`.
///
/// Above the mean a sum of positive terms, `p_j (1 + mean/(j+1) + ...)`, at most 2^20 of them; at or below it one minus the
/// terms before `j`, which then is no cancellation.
#[must_use]
pub fn poisson_at_least(mean: f64, j: u64) -> f64 {
    let term = |j: u64| ((1..=j).map(|i| (mean / i as f64).ln()).sum::<f64>() - mean).exp();
    if j == 0 || mean == 0.0 {
        return if j == 0 { 1.0 } else { 0.0 };
    }
    let (mut power, mut sum) = (term(j), 0.0);
    if j as f64 > mean {
        for i in j + 1..j + (1 << 20) {
            sum += power;
            power *= mean / i as f64;
            if power <= sum * 1e-17 {
                break;
            }
        }
        return sum;
    }
    for i in (1..=j).rev() {
        power *= i as f64 / mean;
        sum += power;
        if power <= sum * 1e-17 {
            break;
        }
    }
    1.0 - sum
}

/// `1 - (1 - p)^m`: the probability that any of `m` counters does what one does with probability `p`, were they
/// independent. (They hinder each other a little, as a draw here is none there.)
#[must_use]
pub fn any_of(m: u64, p: f64) -> f64 {
    -(m as f64 * (-p).ln_1p()).exp_m1()
}

/// `m (e l / 2^W)^(2^W)`, `l = kn/m`: not less than the expected number of counters that overflow, nor (as far as it is
/// below 1) the probability that any does.
///
/// From `P[count >= j] <= C(kn, j)/m^j <= (e l / j)^j`; Fan et al. (2000) give it for `W = 4` at `l <= ln 2`, see
/// [`overflow_bound_quoted`].
#[must_use]
pub fn overflow_bound(m: u64, k: u32, keys: u64, width: u32) -> f64 {
    bound(m, mean_draws(m, k, keys), width)
}

/// `m (e ln 2 / 2^W)^(2^W)`: [`overflow_bound`] as it is quoted, at the load of best `k`, whatever the keys are. For
/// `W = 4` it is `1.37e-15 m`.
#[must_use]
pub fn overflow_bound_quoted(m: u64, width: u32) -> f64 {
    bound(m, LN_2, width)
}

fn bound(m: u64, mean: f64, width: u32) -> f64 {
    let j = f64::from(width).exp2();
    (j * (E * mean / j).ln() + (m as f64).ln()).exp()
}

/// `E[max] = sum_j 1 - (1 - P[count >= j])^m`: the expected largest count (not cut at the ceiling) of counters taken for
/// independent.
///
/// The summands fall from 1 to 0: those nearer than `1e-15` to either end are found by bisection. If more than 4,096
/// are left, every `h`-th stands for `h` of them.
#[must_use]
pub fn expected_max(m: u64, k: u32, keys: u64) -> f64 {
    let summand = |j: u64| any_of(m, at_least(m, k, keys, j));
    let last_above = |level: f64| {
        let (mut low, mut high) = (0, keys + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if summand(middle) > level { low = middle } else { high = middle }
        }
        low
    };
    let (ones, last) = (last_above(1.0 - 1e-15), last_above(1e-15));
    let step = (last - ones).div_ceil(4096).max(1);
    let rest: f64 = (ones + 1..=last).skip(step as usize / 2).step_by(step as usize).map(summand).sum();
    ones as f64 + rest * step as f64
}
