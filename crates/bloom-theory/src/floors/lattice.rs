//! Which positions of a query and of a key can coincide, and how often.
//!
//! Index `i` of a query and index `j` of a key are a point of the `k` by `k` grid. A coincidence of
//! `a + i b` and `a' + j b'` at two points on a line of direction `(u, v)` goes on along the line, so all its
//! points are one event, of probability `1/m^2` for each key. Its points are the *chain* of the step `(u, v)`;
//! `l` times a coprime step is a chain of its own, since `l (u b - v b')` is also 0 in `m` where `u b - v b'`
//! is not: that chain's weight counts these solutions.

use super::cover::Cover;

/// The greatest common divisor.
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The chains that a scheme's coincidences can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chains {
    /// All directions: `a + i b`.
    All,
    /// `(l, l)` and `(l, -l)`: shifts and reversals, which leave the second difference of a square alone.
    Diagonal,
    /// `(l, l)` from `(i, i)`: equal words, or equal slices.
    Identity,
}

/// Whether the coprime step has two odd parts: what it needs when `b` and `b'` are both odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parity {
    /// Both odd.
    Odd,
    /// One even, one odd.
    Mixed,
}

/// The second differences of values, from that at 3 on.
///
/// The starts from which `t` steps stay in the grid, differenced twice, count the maximal chains of `t` points; summed
/// by parts the differences are those of the values.
pub(super) fn bends(value: &[f64]) -> Vec<f64> {
    (3..value.len()).map(|t| value[t] - 2.0 * value[t - 1] + value[t - 2]).collect()
}

impl Chains {
    /// The sum of `of(u, v, l, parity)` over steps of up to `longest`, `l` times a coprime step; those with a negative
    /// `v` count as those with a positive one.
    fn sum_steps(self, longest: u64, of: impl Fn(u64, u64, u64, Parity) -> f64) -> f64 {
        let mut total = 0.0;
        for u in 1..=longest {
            for v in (1..=longest).filter(|v| self == Chains::All || u == *v) {
                let l = gcd(u, v);
                let parity = if (u / l) % 2 == 1 && (v / l) % 2 == 1 { Parity::Odd } else { Parity::Mixed };
                total += of(u, v, l, parity);
            }
        }
        if self == Chains::Identity { total } else { 2.0 * total }
    }

    /// From how many points of the grid `steps` steps `(u, v)` stay in it.
    fn starts(self, k: u64, steps: u64, u: u64, v: u64) -> f64 {
        let along = |step: u64| k.saturating_sub(steps * step) as f64;
        if self == Chains::Identity { along(u) } else { along(u) * along(v) }
    }

    /// `sum weight(l, parity) value[t]` over all chains with `t` points, `value[0..=k]` with `value[t] = 0` for `t < 3`.
    pub fn sum(self, k: u64, value: &[f64], weight: impl Fn(u64, Parity) -> f64) -> f64 {
        let bends = bends(value);
        self.sum_steps(k.saturating_sub(1) / 2, |u, v, l, parity| weight(l, parity) * self.chains_of(k, u, v, &bends))
    }

    /// The sum of values over the chains of the step `(u, v)` alone, from the values' [`bends`].
    pub fn chains_of(self, k: u64, u: u64, v: u64, bends: &[f64]) -> f64 {
        let steps = (2..).take_while(|steps| steps * u.max(v) < k);
        steps.zip(bends).map(|(steps, bend)| self.starts(k, steps, u, v) * bend).sum()
    }

    /// `sum weight(l, parity)` over all pairs of points.
    pub fn sum_pairs(self, k: u64, weight: impl Fn(u64, Parity) -> f64) -> f64 {
        self.sum_steps(k.saturating_sub(1), |u, v, l, parity| weight(l, parity) * self.starts(k, 1, u, v))
    }
}

/// What the pairs of extended hashing gain where the query is folded at one of the sums `s = i + j`, over what
/// its shifts and its reversals gain on their own: a shift by `r` is then the reversal at `s + r` too, and an index
/// that it misses may be one that the fold makes a position of another.
pub(super) fn folded(cover: &Cover) -> f64 {
    let k = cover.k as i64;
    let single = cover.gains(3);
    let mut total = 0.0;
    for s in 1..2 * k - 2 {
        let inside = |i: i64| (0..k).contains(&i);
        let mirrored = |i: i64| inside(s - i).then_some(s - i);
        // One index of each position.
        let positions: Vec<i64> = (0..k).filter(|i| mirrored(*i).is_none_or(|j| *i <= j)).collect();
        for r in 1 - 2 * k..2 * k {
            let met = |i: i64| inside(i + r) || inside(s - i + r);
            let both = positions.iter().filter(|i| met(**i)).count();
            let shift = (0..k).filter(|i| inside(i + r)).count();
            let reversal = (0..k).filter(|i| inside(s - i + r)).count();
            total += cover.gain(positions.len(), both, 3) - single[shift] - single[reversal];
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All maximal chains of one step, one by one.
    fn chains_of(k: i64, u: i64, v: i64, value: &[f64]) -> f64 {
        let inside = |i: i64, j: i64| (0..k).contains(&i) && (0..k).contains(&j);
        let mut total = 0.0;
        for i in 0..k {
            for j in 0..k {
                if !inside(i - u, j - v) {
                    let t = (0..).take_while(|t| inside(i + t * u, j + t * v)).count();
                    total += value[t];
                }
            }
        }
        total
    }

    #[test]
    fn chains_are_those_found_one_by_one() {
        let k = 9;
        let value: Vec<f64> = (0..=k).map(|t| if t < 3 { 0.0 } else { 1.7f64.powi(t) + f64::from(t) }).collect();
        let mut all = 0.0;
        for u in 1..k {
            for v in (1 - k..k).filter(|v| *v != 0) {
                all += chains_of(k.into(), u.into(), v.into(), &value);
            }
        }
        assert!((Chains::All.sum(9, &value, |_, _| 1.0) / all - 1.0).abs() < 1e-12);
        let ones = |l: u64, _| if l == 1 { 1.0 } else { 0.0 };
        assert!((Chains::Identity.sum(9, &value, ones) - value[9]).abs() < 1e-9);
        let diagonal = chains_of(9, 1, 1, &value) + chains_of(9, 1, -1, &value);
        assert!((Chains::Diagonal.sum(9, &value, ones) / diagonal - 1.0).abs() < 1e-12);
    }
}
