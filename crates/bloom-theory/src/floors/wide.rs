//! The reduction `wide-modulo`: `a + i b - 2^64 w_i` modulo `m`, where `w_i = floor(A + i B)` counts the wraps at
//! 2^64 of a progression with the high parts `A` and `B`, uniform in the unit interval and, for `m` far below
//! 2^64, independent of the remainders of `a` and `b`.
//!
//! With `W = 2^64 mod m` the wraps break the progression unless `W = 0`. Along a chain the positions coincide where
//! the difference of the wraps is `c + d x` at point `x`, for some integers `c` and `d`: each pair of these is an
//! event of its own.

use super::cover::Cover;
use super::lattice::{Parity, gcd};
use super::points::Points;
use super::ring::{Ring, divisors, moebius};

impl Ring {
    /// The words `x` with `l x = W p` that no divisor of `l` and `p` has.
    fn solutions(self, l: u64, p: u64) -> f64 {
        let solvable = |q: &u64| {
            let order = gcd(l / q, self.m);
            (u128::from(self.wrap) * u128::from(p / q)).is_multiple_of(u128::from(order))
        };
        let words = |q: u64| gcd(l / q, self.m) as f64 * self.parity(l / q, Parity::Mixed);
        divisors(gcd(l, p)).filter(solvable).map(|q| moebius(q) * words(q)).sum()
    }

    /// `chance[D]` of double hashing: for `b` with `l b = W p`, indices at multiples of `l` coincide where the wraps
    /// grow by `p` for each.
    pub fn double(self, k: u32) -> Vec<f64> {
        self.collapses(k, k.into(), |wraps, l, p, remainder| {
            let mut distinct = 0;
            for row in 0..l.min(wraps.len()) {
                let mut seen = 0u128;
                for (x, w) in wraps.iter().skip(row).step_by(l).enumerate() {
                    seen |= 1 << remainder(*w as i64 - (p * x) as i64);
                }
                distinct += seen.count_ones() as usize;
            }
            vec![distinct]
        })
    }

    /// `chance[D]` of extended hashing: the folds `i + j = s` where `l (b + s) = W p`. Those of large `l` have one
    /// pair or two, as other queries have by chance.
    pub fn extended(self, k: u32) -> Vec<f64> {
        const LARGEST: u64 = 5;
        self.collapses(k, LARGEST.min(k.into()), |wraps, l, p, remainder| {
            let k = wraps.len();
            let folded = |s: usize| {
                let pairs = (0..=s / 2).filter(|i| 2 * i < s && s - i < k && (s - 2 * i).is_multiple_of(l));
                let meet = |i: &usize| {
                    let grown = (wraps[s - i] - wraps[*i]) as i64;
                    remainder(grown - (p * ((s - 2 * i) / l)) as i64) == remainder(0)
                };
                k - pairs.filter(meet).count()
            };
            (1..2 * k - 2).map(folded).collect()
        })
    }

    /// `l`, `p` and the words that belong to them.
    fn classes(self, k: u64, below: u64) -> Vec<(usize, usize, f64)> {
        let mut classes = Vec::new();
        for l in 1..below {
            let last = self.few(k).unwrap_or(l + 1);
            for p in 0..last {
                let words =
                    if self.few(k).is_some() { self.order_weight(l, Parity::Mixed) } else { self.solutions(l, p) };
                if words > 0.0 {
                    classes.push((l as usize, p as usize, words));
                }
            }
        }
        classes
    }

    /// The chances by `distinct(wraps, l, p, remainder)`, the numbers of distinct positions with these wraps, where
    /// wraps of the same remainder are the same.
    fn collapses(
        self,
        k: u32,
        below: u64,
        distinct: impl Fn(&[usize], usize, usize, &dyn Fn(i64) -> i64) -> Vec<usize>,
    ) -> Vec<f64> {
        const SAMPLES: usize = 200;
        let few = self.few(k.into()).map(|order| order as i64);
        let remainder = |w: i64| few.map_or(w + 64, |order| w.rem_euclid(order));
        let classes = self.classes(k.into(), below);
        let k = k as usize;
        let mut chance = vec![0.0; k + 1];
        let points = Points::new();
        for n in 0..SAMPLES {
            let [start, step] = points.at(n);
            let wraps: Vec<usize> = (0..k).map(|i| (start + i as f64 * step) as usize).collect();
            for (l, p, words) in &classes {
                for d in distinct(&wraps, *l, *p, &remainder).into_iter().filter(|d| *d < k) {
                    chance[d] += words / self.m as f64 / SAMPLES as f64;
                }
            }
        }
        // Two positions coincide at least as often as independent ones.
        let pairs: f64 = chance.iter().enumerate().map(|(d, p)| p * (k - d) as f64).sum();
        chance[k - 1] += ((k * (k - 1) / 2) as f64 / self.m as f64 - pairs).max(0.0);
        chance
    }

    /// For chains of `t` points, `t` from 0 to `k`: the sum over `c` and `d` of the gain of the points that
    /// coincide, averaged over the wraps.
    ///
    /// Integer parts of the steps go into `d`, so that the chain's direction does not matter, and the wraps'
    /// difference grows by -1, 0 or 1.
    pub fn gains(self, cover: &Cover) -> Vec<f64> {
        const WORK: usize = 40_000;
        let (k, gain) = (cover.k, cover.gains(3));
        let few = self.few(k as u64).map(|order| order as usize);
        let (slopes, places) = few.map_or((3, 4 * k + 4), |order| (order, order));
        let samples = if places == 1 { 1 } else { (WORK / slopes).max(4096) };
        let mut sums = vec![0.0; k + 1];
        let mut met = vec![0usize; slopes * places];
        let points = Points::new();
        for n in 0..samples {
            let [a, b, c, d] = points.at(n);
            met.fill(0);
            let mut sum = 0.0;
            for x in 0..k {
                let at = |start: f64, step: f64| (start + x as f64 * step) as usize;
                let grown = 2 * k + at(a, b) - at(c, d);
                for slope in 0..slopes {
                    let place = match few {
                        // All remainders are met: their sign does not matter.
                        Some(order) => (grown + slope * x) % order,
                        // Shifted to be positive: the slope is one less.
                        None => grown + x - slope * x,
                    };
                    let z = &mut met[slope * places + place];
                    sum += gain[*z + 1] - gain[*z];
                    *z += 1;
                }
                sums[x + 1] += sum;
            }
        }
        sums.iter().map(|sum| sum / samples as f64).collect()
    }
}
