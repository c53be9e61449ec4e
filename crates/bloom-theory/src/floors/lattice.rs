//! Which positions of a query and of a key can coincide, and how often.
//!
//! Index `i` of a query and index `j` of a key are a point of the `k` by `k` grid. A coincidence of
//! `a + i b` and `a' + j b'` at two points on a line of direction `(u, v)` goes on along the line, so all its
//! points are one event, of probability `1/m^2` for each key. Its points are the *chain* of the step `(u, v)`;
//! `l` times a coprime step is a chain of its own, since `l (u b - v b')` is also 0 in `m` where `u b - v b'`
//! is not: that chain's weight counts these solutions.

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

/// `sum weight(l, parity) value[t]` over all chains with `t` points, `value[0..=k]` with `value[t] = 0` for `t < 3`.
pub(super) fn sum(k: u64, chains: Chains, value: &[f64], weight: impl Fn(u64, Parity) -> f64) -> f64 {
    // The starts of t steps inside the grid, differenced twice, count the maximal chains of t points; summed
    // by parts the second difference is that of the values.
    let bends: Vec<f64> = (3..value.len()).map(|t| value[t] - 2.0 * value[t - 1] + value[t - 2]).collect();
    let chain = |u: u64, v: u64| -> f64 {
        let starts = |t: u64, step: u64| k.saturating_sub((t - 1) * step) as f64;
        let count = |t: u64| if chains == Chains::Identity { starts(t, u) } else { starts(t, u) * starts(t, v) };
        (3..).zip(&bends).take_while(|(t, _)| (t - 1) * u.max(v) < k).map(|(t, bend)| count(t) * bend).sum()
    };
    let longest = (k.saturating_sub(1)) / 2;
    let mut total = 0.0;
    for u in 1..=longest {
        for v in 1..=longest {
            if chains != Chains::All && u != v {
                continue;
            }
            let l = gcd(u, v);
            let parity = if (u / l) % 2 == 1 && (v / l) % 2 == 1 { Parity::Odd } else { Parity::Mixed };
            let signs = if chains == Chains::Identity { 1.0 } else { 2.0 };
            total += signs * weight(l, parity) * chain(u, v);
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
        assert!((sum(9, Chains::All, &value, |_, _| 1.0) / all - 1.0).abs() < 1e-12);
        let ones = |l: u64, _| if l == 1 { 1.0 } else { 0.0 };
        assert!((sum(9, Chains::Identity, &value, ones) - value[9]).abs() < 1e-9);
        let diagonal = chains_of(9, 1, 1, &value) + chains_of(9, 1, -1, &value);
        assert!((sum(9, Chains::Diagonal, &value, ones) / diagonal - 1.0).abs() < 1e-12);
    }
}
