//! The reduction `wide-modulo`: `a + i b - 2^64 w_i` modulo `m`, where `w_i = floor(A + i B)` counts the wraps at
//! 2^64 of a progression with the high parts `A` and `B`, uniform in the unit interval and, for `m` far below
//! 2^64, independent of the remainders of `a` and `b`.
//!
//! With `W = 2^64 mod m` the wraps break the progression unless `W = 0`. Along a chain the positions coincide where
//! the difference of the wraps is `c + d x` at point `x`, for some integers `c` and `d`: each pair of these is an
//! event of its own.

use super::cover::Cover;
use super::lattice::{Parity, gcd};

/// The `n`-th point of a low-discrepancy sequence in `N` dimensions: multiples of powers of the root of
/// `x^(N+1) = x + 1` (Roberts 2018).
fn point<const N: usize>(n: usize) -> [f64; N] {
    let mut root = 1.5f64;
    for _ in 0..40 {
        root = (1.0 + root).powf(1.0 / (N as f64 + 1.0));
    }
    std::array::from_fn(|i| (0.5 + (n as f64 + 1.0) * root.powi(-(i as i32) - 1)).fract())
}

fn moebius(mut q: u64) -> f64 {
    let mut sign = 1.0;
    for p in 2..=q {
        if q.is_multiple_of(p) {
            q /= p;
            if q.is_multiple_of(p) {
                return 0.0;
            }
            sign = -sign;
        }
    }
    sign
}

/// The range, and what 2^64 leaves in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    m: u64,
    /// 2^64 mod m.
    wrap: u64,
    /// The increments are odd, which matters where `m` is even.
    odd: bool,
}

impl Ring {
    pub fn new(m: u64, odd: bool) -> Self {
        let wrap = (u128::from(u64::MAX) + 1) % u128::from(m);
        Self { m, wrap: wrap as u64, odd: odd && m.is_multiple_of(2) }
    }

    /// No wrap is seen: the reduction is `modulo`.
    pub fn is_seamless(self) -> bool {
        self.wrap == 0
    }

    /// How many times as often the `l`-fold of a word is 0 modulo the power of two in `m`, for odd `b` and `b'`:
    /// words of odd steps are even, those of mixed steps odd.
    fn parity(self, l: u64, parity: Parity) -> f64 {
        if !self.odd || l.trailing_zeros() >= self.m.trailing_zeros() {
            return 1.0;
        }
        if parity == Parity::Odd { 2.0 } else { 0.0 }
    }

    /// The weight of chains of `l` times a coprime step for the reduction `modulo`: the words `x` of order `l`,
    /// `l x = 0`.
    pub fn modulo_weight(self, l: u64, parity: Parity) -> f64 {
        let divisors = (1..=l).filter(|q| l.is_multiple_of(*q));
        divisors.map(|q| moebius(q) * gcd(l / q, self.m) as f64 * self.parity(l / q, parity)).sum()
    }

    /// The same for `wide-modulo`: the words `x` with `l x = W d`, averaged over `d`, that no divisor of `l` has.
    pub fn weight(self, l: u64, parity: Parity) -> f64 {
        let common = gcd(self.m, self.wrap);
        let divisors = (1..=l).filter(|q| l.is_multiple_of(*q));
        divisors.map(|q| moebius(q) / q as f64 * gcd(l / q, common) as f64 * self.parity(l / q, parity)).sum()
    }

    /// The words `x` with `l x = W p` that no divisor of `l` and `p` has.
    fn solutions(self, l: u64, p: u64) -> f64 {
        let common = gcd(l, p);
        let mut sum = 0.0;
        for q in (1..=common).filter(|q| common.is_multiple_of(*q)) {
            let order = gcd(l / q, self.m);
            if (u128::from(self.wrap) * u128::from(p / q)).is_multiple_of(u128::from(order)) {
                sum += moebius(q) * order as f64 * self.parity(l / q, Parity::Mixed);
            }
        }
        sum
    }

    /// `chance[D]` of double hashing: for `b` with `l b = W p`, indices at multiples of `l` coincide where the wraps
    /// grow by `p` for each.
    pub fn double(self, k: u32) -> Vec<f64> {
        self.collapses(k, |wraps, l, p| {
            let mut distinct = 0;
            for row in 0..l.min(wraps.len()) {
                let mut seen = 0u128;
                for (x, w) in wraps.iter().skip(row).step_by(l).enumerate() {
                    seen |= 1 << (w + 64 - p * x);
                }
                distinct += seen.count_ones() as usize;
            }
            vec![distinct]
        })
    }

    /// `chance[D]` of extended hashing: the folds `i + j = s` where `l (b + s) = W p`.
    pub fn extended(self, k: u32) -> Vec<f64> {
        self.collapses(k, |wraps, l, p| {
            let k = wraps.len();
            let folded = |s: usize| {
                let pairs = (0..=s / 2).filter(|i| 2 * i < s && s - i < k && (s - 2 * i).is_multiple_of(l));
                k - pairs.filter(|i| wraps[s - i] - wraps[*i] == p * ((s - 2 * i) / l)).count()
            };
            (1..2 * k - 2).map(folded).collect()
        })
    }

    fn collapses(self, k: u32, distinct: impl Fn(&[usize], usize, usize) -> Vec<usize>) -> Vec<f64> {
        const SAMPLES: usize = 200;
        let k = k as usize;
        let samples: Vec<Vec<usize>> = (0..SAMPLES)
            .map(|n| {
                let [start, step] = point(n);
                (0..k).map(|i| (start + i as f64 * step) as usize).collect()
            })
            .collect();
        let mut chance = vec![0.0; k + 1];
        for l in 1..k {
            for p in 0..=l {
                let weight = self.solutions(l as u64, p as u64) / self.m as f64 / SAMPLES as f64;
                if weight == 0.0 {
                    continue;
                }
                for wraps in &samples {
                    for d in distinct(wraps, l, p).into_iter().filter(|d| *d < k) {
                        chance[d] += weight;
                    }
                }
            }
        }
        chance
    }
}

/// For chains of `t` points, `t` from 0 to `k`: the sum over `c` and `d` of the gain of the points that coincide,
/// averaged over the wraps.
///
/// Integer parts of the steps go into `d`, so that the chain's direction does not matter, and the wraps' difference
/// grows by -1, 0 or 1.
pub(super) fn gains(cover: &Cover) -> Vec<f64> {
    const SAMPLES: usize = 8192;
    let (k, gain) = (cover.k, cover.gains(3));
    let mut sums = vec![0.0; k + 1];
    let mut met = vec![0usize; 3 * (4 * k + 4)];
    for n in 0..SAMPLES {
        let [a, b, c, d] = point(n);
        met.fill(0);
        let mut sum = 0.0;
        for x in 0..k {
            let at = |start: f64, step: f64| (start + x as f64 * step) as usize;
            let (up, down) = (at(a, b), at(c, d));
            for slope in 0..3 {
                // Shifted to be positive: the slope is one less.
                let offset = up + 2 * k + x - down - slope * x;
                let z = &mut met[slope * (4 * k + 4) + offset];
                sum += gain[*z + 1] - gain[*z];
                *z += 1;
            }
            sums[x + 1] += sum;
        }
    }
    sums.iter().map(|sum| sum / SAMPLES as f64).collect()
}
