//! What removals do: members replaced by others, and false positives taken out.

use super::counts::{hit, mean_draws, poisson_at_least};

/// Counters after a number of replacements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Churned {
    /// The expected fraction of counters at their ceiling, which no removal lowers.
    pub stuck: f64,
    /// The expected fraction of counters above 0.
    pub fill: f64,
    /// `fill^k`: the rate in the limit of many counters, as in [`bloom_theory::fpr::fpr_classic`].
    pub fpr: f64,
}

/// The widest counters that [`after_replacements`] follows.
pub const WIDEST: u32 = 6;

/// `keys` members, of which a random one is removed and a new one inserted, `replacements` times over, with counters of
/// `width` bits. `None` beyond [`WIDEST`] bits (there, at the loads of a Bloom filter, nothing sticks), for no keys, and
/// for no bits.
///
/// Exact for `stuck` and `fill`: one counter is a Markov chain on `0..=2^W - 1`. Below its ceiling it is the number of
/// members it has, so a replacement lowers it with probability `c/n (1-q)` and raises it with `(1 - c/n) q`; at the
/// ceiling it stays. It starts with `Bin(n, q)` cut at the ceiling (a count that reached it is stuck). The chain is raised
/// to its power by repeated squaring of positive entries.
#[must_use]
pub fn after_replacements(width: u32, m: u64, k: u32, keys: u64, replacements: u64) -> Option<Churned> {
    if !(1..=WIDEST).contains(&width) || keys == 0 {
        return None;
    }
    let (n, q, ceiling) = (keys as f64, hit(m, k), (1usize << width) - 1);
    let mut step = vec![vec![0.0; ceiling + 1]; ceiling + 1];
    for c in 0..ceiling {
        let share = (c as f64 / n).min(1.0);
        let (down, up) = (share * (1.0 - q), (1.0 - share) * q);
        if c > 0 {
            step[c][c - 1] = down;
        }
        step[c][c + 1] = up;
        step[c][c] = 1.0 - down - up;
    }
    step[ceiling][ceiling] = 1.0;
    let tail = |c: usize| super::counts::at_least(m, k, keys, c as u64);
    let mut state: Vec<f64> = (0..ceiling).map(|c| pmf(c as u64, keys, q)).chain([tail(ceiling)]).collect();
    let mut left = replacements;
    while left > 0 {
        if left & 1 == 1 {
            state = (0..=ceiling).map(|to| (0..=ceiling).map(|from| state[from] * step[from][to]).sum()).collect();
        }
        left >>= 1;
        if left > 0 {
            step = square(&step);
        }
    }
    let fill = state[1..].iter().sum::<f64>().min(1.0);
    Some(Churned { stuck: state[ceiling], fill, fpr: fill.powi(k as i32) })
}

fn square(step: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = step.len();
    let entry = |row: &[f64], to: usize| (0..size).map(|via| row[via] * step[via][to]).sum();
    step.iter().map(|row| (0..size).map(|to| entry(row, to)).collect()).collect()
}

/// `P[Bin(n, q) = c]` for small `c`.
fn pmf(c: u64, n: u64, q: f64) -> f64 {
    if c > n {
        return 0.0;
    }
    if q == 1.0 {
        return f64::from(u8::from(c == n));
    }
    let ln_choices: f64 = (0..c).map(|i| ((n - i) as f64 / (i + 1) as f64).ln()).sum();
    (ln_choices + c as f64 * q.ln() + (n - c) as f64 * (-q).ln_1p()).exp()
}

/// The fraction of members that are denied after `wrong` false positives were removed (each one found at its time), in
/// the limit of many counters.
///
/// A wrong removal lowers `k` random counters among those above 0. Measured by `h`, the number of times that a counter
/// above 0 was chosen, it takes `dr = (m/k) f(h) dh` removals to go on, `f(h) = P[C > H]` the fraction still
/// above 0, `C ~ Poisson(kn/m)`, `H ~ Poisson(h)`. A member's own counter has `1 + C` and is dead when `H > C`; the member
/// is denied when one of its `k` counters is. To first order this is `k^2 r e^-l / (m (1 - e^-l))`.
#[must_use]
pub fn denied_after_wrong_removals(m: u64, k: u32, keys: u64, wrong: f64) -> f64 {
    if keys == 0 || wrong.is_nan() || wrong <= 0.0 {
        return 0.0;
    }
    if wrong >= keys as f64 {
        return 1.0; // every removal takes as much out as an insert put in
    }
    let load = mean_draws(m, k, keys);
    let target = wrong * f64::from(k) / m as f64;
    let alive = |h: f64| mixed(load, |c| 1.0 - poisson_at_least(h, c));
    // Steps of a hundredth of the way at first, growing as f falls; midpoint rule.
    let (mut h, mut done) = (0.0, 0.0);
    for _ in 0..MOST_STEPS {
        let step = target / alive(h).max(1e-12) / 100.0;
        let gain = step * alive(h + step / 2.0);
        if done + gain >= target {
            h += step * (target - done) / gain;
            break;
        }
        (h, done) = (h + step, done + gain);
    }
    let dead = mixed(load, |c| poisson_at_least(h, c + 1));
    -(f64::from(k) * (-dead).ln_1p()).exp_m1()
}

const MOST_STEPS: u32 = 1000;

/// `E[of(C)]`, `C ~ Poisson(load)`, over the counts within nine deviations of the mean.
fn mixed(load: f64, of: impl Fn(u64) -> f64) -> f64 {
    let (low, high) = ((load - 9.0 * load.sqrt()).max(0.0) as u64, (load + 9.0 * load.sqrt() + 20.0) as u64);
    let (mut weight, mut sum) = (((1..=low).map(|i| (load / i as f64).ln()).sum::<f64>() - load).exp(), 0.0);
    for c in low..=high {
        sum += weight * of(c);
        weight *= load / (c + 1) as f64;
    }
    sum
}
