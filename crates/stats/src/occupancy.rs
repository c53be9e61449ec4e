//! Balls into bins: how many bins are occupied, and whether given ones are.
//!
//! `m` bins, `N` balls thrown independently and uniformly, `X` the number of occupied bins.
//! With `q_j = (1 - j/m)^N`, the probability that `j` given bins are all empty
//! (N. L. Johnson and S. Kotz, "Urn models and their application", 1977, ch. 3):
//!
//! `E[X] = m (1 - q_1)`, `Var[X] = m q_1 + m (m - 1) q_2 - m^2 q_1^2`.
//!
//! The textbook forms of everything here cancel at large `m`; each function says what it
//! computes instead. Bins and balls are plain counts. With no bins, nothing is ever
//! occupied and every mean is 0.

use crate::chain::Chain;

/// `ln(1 - 1/m)`, the logarithm of the chance that one ball misses one bin.
fn ln_miss(bins: u64) -> f64 {
    (-1.0 / bins as f64).ln_1p()
}

/// `E[X] = m (1 - (1 - 1/m)^N)`, the mean number of occupied bins.
///
/// Computed as `-m expm1(N ln1p(-1/m))`: relative error of a few roundings for any sizes.
pub fn mean_occupied(bins: u64, balls: u64) -> f64 {
    if bins == 0 || balls == 0 {
        return 0.0;
    }
    -(bins as f64) * (balls as f64 * ln_miss(bins)).exp_m1()
}

/// `Var[X]`, the variance of the number of occupied bins.
///
/// With `A = -N ln(1 - 1/m)`, `B = -N ln(1 - 1/(m-1)^2)` and `q = e^-A`, so that
/// `q_2 = q^2 e^-B`, the textbook form is `m q [(1 - q) - (m - 1) q (1 - e^-B)]`, used as such for
/// `A > 1/2`. Below, its two parts agree to first order in the load, and it is
/// regrouped as `m q^2 [(e^A - 1 - A) + (A - (m-1) B) + (m-1) (B - 1 + e^-B)]`, each part a
/// power series. Relative error below `1e-13`.
pub fn variance_occupied(bins: u64, balls: u64) -> f64 {
    let (m, n) = (bins as f64, balls as f64);
    if bins <= 1 || balls <= 1 {
        return 0.0;
    }
    let a = -n * ln_miss(bins);
    let q = (-a).exp();
    if bins == 2 {
        return 2.0 * q * (1.0 - 2.0 * q);
    }
    let x = 1.0 / (m - 1.0);
    let b = -n * (-x * x).ln_1p();
    if a > 0.5 {
        return m * q * (-(-a).exp_m1() + (m - 1.0) * q * (-b).exp_m1());
    }
    m * q * q * (exp_rest(a) + n * ln_difference(x) + (m - 1.0) * exp_rest(-b))
}

/// `e^t - 1 - t = t^2/2! + t^3/3! + ...` for `|t| <= 1`.
fn exp_rest(t: f64) -> f64 {
    let (mut term, mut sum) = (t, 0.0);
    for i in 2..30 {
        term *= t / f64::from(i);
        sum += term;
    }
    sum
}

/// `ln(1 + x) + ln(1 - x^2) / x` for `0 < x <= 1/2`: that is `-ln(1 - 1/m)` minus
/// `-(m-1) ln(1 - 1/(m-1)^2)` at `x = 1/(m-1)`. Series `-x^2/2 - x^3/6 - x^4/4 - ...`.
fn ln_difference(x: f64) -> f64 {
    let (mut power, mut sum) = (x, 0.0);
    for i in 1..30 {
        let i = f64::from(i);
        power *= x; // x^(2i)
        sum -= power / (2.0 * i);
        power *= x; // x^(2i+1)
        sum += power * (1.0 / (2.0 * i + 1.0) - 1.0 / (i + 1.0));
    }
    sum
}

/// Entry `j`, for `j` from 0 to `j_max`: the probability that `j` given bins are all
/// occupied after `balls` balls thrown independently; 0 when there are fewer than `j` bins.
///
/// Equal to `sum_i (-1)^i C(j,i) (1 - i/m)^N` (Johnson and Kotz 1977), but computed
/// without that alternating sum: the number `u` of given bins still empty falls by one
/// with probability `u/m` per ball, and this chain is raised to the power `balls` by
/// repeated squaring. Relative error about `j log2(N)` roundings.
pub fn covered(j_max: u32, bins: u64, balls: u64) -> Vec<f64> {
    let m = bins as f64;
    let exists = |u: usize| u as u64 <= bins;
    Chain::new(
        j_max as usize + 1,
        |u, v| if exists(u) && v + 1 == u { u as f64 / m } else { 0.0 },
        |u| if u > 0 && exists(u) { (-(u as f64) / m).ln_1p() } else { 0.0 },
    )
    .absorbed(balls)
}

/// Entry `j`, for `j` from 0 to `j_max`: the probability that `j` given bins are all
/// occupied after `rounds` rounds, each of which occupies `per_round` *distinct* bins chosen
/// uniformly (`per_round > bins` means all bins); 0 when there are fewer than `j` bins.
///
/// Equal to `sum_i (-1)^i C(j,i) [C(m-i,k) / C(m,k)]^rounds`, `k = per_round`, without the
/// alternating sum: one round takes `u` empty given bins to `u - d` with the
/// hypergeometric probability `C(u,d) C(m-u,k-d) / C(m,k)`, built up bin by bin from positive
/// terms, and the chain is raised to the power `rounds` as in [`covered`].
pub fn covered_distinct(j_max: u32, bins: u64, rounds: u64, per_round: u64) -> Vec<f64> {
    let (m, k) = (bins as f64, per_round.min(bins) as f64);
    let size = j_max as usize + 1;
    let exists = |u: usize| u as u64 <= bins;
    // hits[u][d]: probability that one round occupies exactly d of u given bins. Bin u is
    // occupied with probability (k - d) / (m - u), d hits among the u before it.
    let mut hits = vec![vec![1.0]];
    for u in 1..size {
        let mut next = vec![0.0; u + 1];
        if exists(u) {
            let left = m - (u - 1) as f64;
            for (d, &p) in hits[u - 1].iter().enumerate() {
                let hit = ((k - d as f64) / left).clamp(0.0, 1.0);
                let miss = ((left - k + d as f64) / left).clamp(0.0, 1.0);
                next[d + 1] += p * hit;
                next[d] += p * miss;
            }
        }
        hits.push(next);
    }
    let stay = |u: usize| -> f64 {
        if !exists(u) {
            return 0.0;
        }
        (0..u).map(|i| (-(k / (m - i as f64)).min(1.0)).ln_1p()).sum()
    };
    Chain::new(size, |u, v| hits[u][u - v], stay).absorbed(rounds)
}

/// `E[(X/m)^k]`: the chance that `k` probes, thrown independently after `balls` balls, all
/// find an occupied bin. 1 for `k = 0`, else 0 without bins.
///
/// `k` probes into `m` bins touch `j` distinct ones with probability
/// `w(k,j) = S(k,j) m (m-1) ... (m-j+1) / m^k` (`S` Stirling numbers of the second kind), so
/// the answer is `sum_j w(k,j) P_j` with `P` from [`covered`]. `w` comes from
/// `w(k,j) = w(k-1,j) j/m + w(k-1,j-1) (m-j+1)/m`, positive and never above 1. Good to about
/// `k log2(N)` roundings for `k` up to 128, `m` up to `2^48` and `N` up to `1e14`.
pub fn power_mean_occupied(k: u32, bins: u64, balls: u64) -> f64 {
    weigh(k, bins, &covered(k, bins, balls))
}

/// `sum_j w(k,j) p[j]`: the mean of `p[j]` over the number `j` of distinct bins that `k` probes touch, for any `p` of
/// at least `k + 1` entries that are means given `j`. 1 for `k = 0`, else 0 without bins.
pub fn weigh(k: u32, bins: u64, p: &[f64]) -> f64 {
    if k == 0 {
        return 1.0;
    }
    distinct(k, bins).iter().zip(p).map(|(w, p)| w * p).sum::<f64>().min(1.0)
}

/// `w(k,j)`, for `j` from 0 to `k`: the probability that `k` probes touch `j` distinct bins; all 0 without bins.
pub fn distinct(k: u32, bins: u64) -> Vec<f64> {
    if bins == 0 {
        return vec![0.0; k as usize + 1];
    }
    let m = bins as f64;
    let mut w = vec![0.0; k as usize + 1];
    w[0] = 1.0;
    for _ in 0..k {
        for j in (1..w.len()).rev() {
            let fresh = ((m - j as f64 + 1.0) / m).max(0.0);
            w[j] = w[j] * (j as f64 / m) + w[j - 1] * fresh;
        }
        w[0] = 0.0;
    }
    w
}

/// The standard deviation of `(X/m)^k`: how much the rate of one draw of balls varies
/// around [`power_mean_occupied`].
///
/// `sqrt(E[(X/m)^2k] - E[(X/m)^k]^2)` where the difference keeps at least four digits, judged
/// against the error bound `8 k log2(N)` roundings of the two moments. Otherwise the
/// relative deviation is below about `1e-4` and linear in `X`, `E[(X/m)^k] sd(X)` times
///
/// - `k / E[X]`, the derivative (delta method), when `sd(X) >= 1/2`: there `X` is large, and
///   the relative error is of the order of `k^2 Var(X) / E[X]^2`;
/// - `1 - (1 - 1/M)^k`, the step from `M = round(E[X])` to `M - 1`, when `sd(X) < 1/2`: all bins
///   occupied but rarely one, or hardly two balls in one bin.
pub fn sd_power_occupied(k: u32, bins: u64, balls: u64) -> f64 {
    if k == 0 || bins == 0 || balls == 0 {
        return 0.0;
    }
    let p = covered(2 * k, bins, balls);
    let mean = weigh(k, bins, &p);
    let excess = weigh(2 * k, bins, &p) / (mean * mean) - 1.0;
    let rounding = 8.0 * f64::from(k) * ((balls as f64).log2() + 1.0) * f64::EPSILON;
    if excess.is_finite() && excess > 1e4 * rounding {
        return mean * excess.sqrt();
    }
    let (k, occupied) = (f64::from(k), mean_occupied(bins, balls));
    let sd = variance_occupied(bins, balls).sqrt();
    let slope = if sd >= 0.5 { k / occupied } else { -(k * (-1.0 / occupied.round()).ln_1p()).exp_m1() };
    mean * sd * slope
}
