//! Queries whose own positions coincide, with the reduction `modulo`.
//!
//! Each function gives the chances `chance[D]` that a key has only `D < k` distinct positions, for `D` from 0 to
//! `k`; `chance[k]` is left at 0.

use std::collections::BTreeSet;

use super::cover::Cover;
use super::lattice::gcd;

/// Ranges up to this are gone through one increment after the other.
const SMALL: u64 = 4096;

/// What fewer distinct positions add to the rate of independent positions, which coincide too, but rarely.
///
/// `sum_D chance[D] (h(D) - h(k)) + h(k) - E[f^k]`, where `h(D)` is the chance that `D` distinct positions are set,
/// at the fill that keys with these chances leave.
pub(super) fn excess(m: u64, k: u32, keys: u64, chance: &[f64]) -> f64 {
    let lost: f64 = chance.iter().enumerate().map(|(d, p)| p * (k as usize - d) as f64).sum();
    let distinct = (f64::from(k) - lost).max(1.0).min(m as f64);
    let h = Cover::with_distinct(m, k, keys, distinct).distinct();
    let all = h[k as usize];
    let collapsed: f64 = chance.iter().zip(&h).map(|(p, h)| p * (h - all)).sum();
    collapsed + all - Cover::independent(m, k, keys).replaced()
}

/// Euler's function.
pub(super) fn totient(d: u64) -> u64 {
    (1..=d).filter(|c| gcd(*c, d) == 1).count() as u64
}

fn divisors(m: u64, below: u64) -> impl Iterator<Item = u64> {
    (1..below).filter(move |d| m.is_multiple_of(*d))
}

/// `a + i b`: the distinct positions are as many as the order `d` of `b`, or `k`; `phi(d)` of the `m` values of `b`
/// have the order `d`. An odd `b` in an even `m` has only orders with `m/d` odd, twice as often.
pub(super) fn double(m: u64, k: u32, odd: bool) -> Vec<f64> {
    let mut chance = vec![0.0; k as usize + 1];
    for d in divisors(m, k.into()) {
        let times = match (odd && m.is_multiple_of(2), (m / d).is_multiple_of(2)) {
            (false, _) => 1.0,
            (true, false) => 2.0,
            (true, true) => 0.0,
        };
        chance[d as usize] += times * totient(d) as f64 / m as f64;
    }
    chance
}

/// `a + i b + q(i)` with one increment `b` after the other.
fn one_by_one(m: u64, k: u32, increments: impl Iterator<Item = u64>, q: impl Fn(u64) -> u64) -> Vec<f64> {
    let mut chance = vec![0.0; k as usize + 1];
    let mut positions = Vec::with_capacity(k as usize);
    for b in increments {
        positions.clear();
        positions.extend((0..u64::from(k)).map(|i| {
            let step = u128::from(i) * u128::from(b) + u128::from(q(i));
            (step % u128::from(m)) as u64
        }));
        positions.sort_unstable();
        positions.dedup();
        if positions.len() < k as usize {
            chance[positions.len()] += 1.0 / m as f64;
        }
    }
    chance
}

/// `a + i b + i^2`: `i` and `j` coincide where `(i - j)(b + i + j) = 0`. With `b = -s` the indices fold: `i` and
/// `s - i` coincide. Where `l` divides `m`, `b = -s + c m/l` folds those whose distance `l` divides.
pub(super) fn extended(m: u64, k: u32) -> Vec<f64> {
    let square = |i| i * i;
    if m <= SMALL {
        return one_by_one(m, k, 0..m, square);
    }
    let mut increments = BTreeSet::new();
    for l in divisors(m, k.into()) {
        for c in (0..l).filter(|c| gcd(*c, l) == 1) {
            increments.extend((1..2 * u64::from(k)).map(|s| (c * (m / l) + m - s) % m));
        }
    }
    one_by_one(m, k, increments.into_iter(), square)
}

/// `a + i b + (i^3 - i)/6`: no structure but that of a small `m`.
pub(super) fn enhanced(m: u64, k: u32) -> Vec<f64> {
    if m <= SMALL { one_by_one(m, k, 0..m, |i| (i * i * i - i) / 6) } else { pairs_only(m, k) }
}

/// Two of the positions coincide as often as two independent ones, three never.
pub(super) fn pairs_only(m: u64, k: u32) -> Vec<f64> {
    let mut chance = vec![0.0; k as usize + 1];
    chance[k as usize - 1] = f64::from(k * (k - 1) / 2) / m as f64;
    chance
}

/// The distances of the pairs `i < j < k`, `i + j = s`, that a fold at `s` makes coincide, in units of the
/// smallest that its increment is multiplied with: `j - i`, or half of it where all are even and `halved`.
pub(super) fn fold(k: u64, s: u64, halved: bool) -> impl Iterator<Item = u64> {
    let unit = if halved && s.is_multiple_of(2) { 2 } else { 1 };
    (0..=s / 2).filter(move |i| 2 * i < s && s - i < k).map(move |i| (s - 2 * i) / unit)
}

/// `a + i b + c i(i-1)/2`: `i` and `j` coincide where `(i - j)(2b + c (i + j - 1))/2 = 0`.
///
/// Folds: for each `s = i + j` one value of the bracket in `m` folds all pairs, and `phi(l)` fold those at
/// multiples of `l`, a divisor of `m`. Both words multiples of `m/d`: the positions are a sequence modulo `d`, as
/// often as `1/m^2` for each pair of words; the folds that they have too are taken back.
pub(super) fn triple(m: u64, k: u32) -> Vec<f64> {
    let (range, k) = (m as f64, u64::from(k));
    let mut chance = vec![0.0; k as usize + 1];
    for s in 1..2 * k - 2 {
        for l in divisors(m, k) {
            let pairs = fold(k, s, true).filter(|distance| distance.is_multiple_of(l)).count();
            if pairs > 0 {
                chance[k as usize - pairs] += totient(l) as f64 / range;
            }
        }
    }
    for d in divisors(m, 4 * k) {
        for_words(d, |b, c, times| {
            let positions: Vec<u64> = (0..k).map(|i| (i * b + c * (i * i.saturating_sub(1) / 2)) % d).collect();
            add_beyond_folds(&mut chance, &positions, times * range.powi(-2));
        });
    }
    chance
}

/// Pairs of words modulo `d` without a common factor: `c` a divisor of `d`, and how many other pairs are multiples of
/// this by a unit.
pub(super) fn for_words(d: u64, mut of: impl FnMut(u64, u64, f64)) {
    for c in divisors(d, d + 1) {
        for b in (0..d).filter(|b| gcd(*b, c) == 1) {
            of(b, c % d, totient(d / c) as f64);
        }
    }
}

/// Adds `weight` to the chance of the number of distinct `positions`, and takes it from those of the folds among them.
pub(super) fn add_beyond_folds(chance: &mut [f64], positions: &[u64], weight: f64) {
    let k = positions.len();
    let mut sorted = positions.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() == k {
        return;
    }
    chance[sorted.len()] += weight;
    for s in 1..2 * k - 2 {
        let folded = (s.saturating_sub(k - 1)..s.div_ceil(2)).filter(|i| positions[*i] == positions[s - i]).count();
        if folded > 0 {
            chance[k - folded] -= weight;
        }
    }
}

/// The gains of triple hashing's chains of `t` points, `t` from 0 to `k`: the distance of query and key at point `x`
/// is `A + B x + C x(x-1)/2`, 0 everywhere for one triple of words, and for words that are multiples of `m/d` where
/// it is 0 modulo `d`.
pub(super) fn curves(m: u64, cover: &Cover) -> Vec<f64> {
    let gains = cover.gains(4);
    let mut value = vec![0.0; gains.len()];
    for d in divisors(m, 9) {
        for words in 0..d.pow(3) {
            let (a, b, c) = (words % d, words / d % d, words / (d * d));
            if gcd(gcd(a, b), gcd(c, d)) > 1 {
                continue;
            }
            let mut met = 0;
            for x in 0..cover.k as u64 {
                met += usize::from((a + b * x + c * (x * x.saturating_sub(1) / 2)).is_multiple_of(d));
                value[x as usize + 1] += gains[met];
            }
        }
    }
    value
}

/// For triple hashing with composite `m`: how many more solutions than one, on average for a value in `m`, the
/// equation for the second of two points has, by pairs of indices: the frequencies of the common factors of `m` and
/// of the differences of `i` and of `i(i-1)/2`.
fn factors(m: u64, k: u64) -> Vec<(u64, f64)> {
    let mut found: Vec<(u64, f64)> = Vec::new();
    for j in 1..k {
        for i in 0..j {
            let factor = gcd(gcd(j - i, (j * (j - 1) - i * i.saturating_sub(1)) / 2), m);
            match found.iter_mut().find(|(known, _)| *known == factor) {
                Some((_, times)) => *times += 1.0,
                None => found.push((factor, 1.0)),
            }
        }
    }
    found
}

/// Two points of triple hashing's grid coincide this much more often than independent ones.
pub(super) fn excess_of_two(m: u64, k: u64) -> f64 {
    let factors = factors(m, k);
    let pairs = factors.iter().flat_map(|(f, n)| factors.iter().map(move |(g, o)| (gcd(*f, *g), n * o)));
    pairs.map(|(factor, times)| 2.0 * times * (factor - 1) as f64).sum()
}

/// The same with slices, where only equal indices meet.
pub(super) fn excess_of_two_in_slices(s: u64, k: u64) -> f64 {
    factors(s, k).iter().map(|(factor, times)| times * (factor - 1) as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_of_double_hashing_are_counted() {
        for (m, k) in [(12, 5), (30, 16), (64, 9), (97, 10)] {
            let found = one_by_one(m, k, 0..m, |_| 0);
            let odd = one_by_one(m, k, (1..m).step_by(2), |_| 0);
            for d in 0..=k as usize {
                assert!((double(m, k, false)[d] - found[d]).abs() < 1e-12, "m={m} k={k} D={d}");
                if m % 2 == 0 {
                    assert!((double(m, k, true)[d] - 2.0 * odd[d]).abs() < 1e-12, "m={m} k={k} D={d}");
                }
            }
        }
    }

    #[test]
    fn structural_folds_are_those_of_all_increments() {
        let (m, k) = (4_098, 12);
        let found = one_by_one(m, k, 0..m, |i| i * i);
        assert_eq!(extended(m, k).len(), found.len());
        for (left, right) in extended(m, k).iter().zip(found) {
            assert!((left - right).abs() < 1e-12);
        }
    }
}
