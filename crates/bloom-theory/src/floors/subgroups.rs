//! Queries and keys in one coset of a small subgroup, where many chains coincide at once.

use super::collapse::totient;
use super::cover::Cover;
use super::lattice::{Chains, Parity, bends, gcd};
use super::points::Points;
use super::ring::{Ring, divisors};

impl Ring {
    /// What double hashing gains, for each key and `1/m^2`, where query and key have all positions in one coset of the
    /// multiples of `b`, of `d` times as many elements as the wraps have remainders: the gain of all coincidences
    /// together, over the sum of the gains of all chains, `value`, which are then many at once.
    ///
    /// An element is `r b + c W` with `r < d`, where `d b = p W`. The key's words are `u b + e W` and, from the
    /// query's, `v b + c W`.
    pub fn subgroups(self, cover: &Cover, value: &[f64]) -> f64 {
        let k = cover.k as u64;
        let Some(order) = self.few(k) else { return 0.0 };
        let bends = bends(value);
        let gains: Vec<Vec<f64>> =
            (0..=cover.k).map(|all| (0..=all).map(|met| cover.gain(all, met, 3)).collect()).collect();
        // Others are a hundredth or less of the pairs.
        let frequent = |size: u64| size.pow(3) >= self.m / 50;
        let mut total = 0.0;
        for d in (1..=2 * k / order).filter(|d| self.common().is_multiple_of(*d) && frequent(d * order)) {
            // Odd words are units and odd multiples of them, if there are any.
            let parities = if !self.odd {
                1.0
            } else if self.parity(d, Parity::Mixed) > 0.0 {
                4.0
            } else {
                continue;
            };
            for u in (0..d).filter(|u| !self.odd || u % 2 == 1) {
                let mut sum = -self.chains_within(k, d, u, &bends) * order as f64;
                let samples = if order == 1 { 1 } else { (256 / d).max(8) as usize };
                for v in 0..d {
                    let mean = self.coset(cover.k, order, [d, u, v], samples, &gains);
                    sum += mean * (order as f64).powi(3);
                }
                total += parities * totient(d) as f64 * sum;
            }
        }
        total / self.m as f64
    }

    /// The chains of coincidences of the query `i b` with the key `(v + u j) b`, for all `v`: those of the primitive
    /// vectors of the lattice `i = u j` modulo `d`.
    fn chains_within(self, k: u64, d: u64, u: u64, bends: &[f64]) -> f64 {
        let longest = (k - 1) / 2;
        let inside = |i: u64, j: u64, down: bool| {
            let along = u * j % d;
            i % d == if down { (d - along) % d } else { along }
        };
        let mut total = 0.0;
        for down in [false, true] {
            for i in 1..=longest {
                for j in (1..=longest).filter(|j| inside(i, *j, down)) {
                    let shorter = divisors(gcd(i, j)).skip(1).any(|q| inside(i / q, j / q, down));
                    if !shorter {
                        total += Chains::All.chains_of(k, i, j, bends);
                    }
                }
            }
        }
        total
    }

    /// The mean gain over the remainders of the wraps.
    fn coset(self, k: usize, order: u64, [d, u, v]: [u64; 3], samples: usize, gains: &[Vec<f64>]) -> f64 {
        let mut sum = 0.0;
        let mut state = vec![0u8; (d * order) as usize];
        let points = Points::new();
        for n in 0..samples {
            let [a, b, a2, b2, p, e, c] = points.at(n);
            let remainder = |share: f64| (share * order as f64) as u64;
            let (p, e, c) = (remainder(p), remainder(e), remainder(c));
            let place = |r: u64, w: u64| ((r % d) * order + w % order) as usize;
            let wraps = |start: f64, step: f64, i: u64| (start + i as f64 * step) as u64 % order;
            state.fill(0);
            let (mut all, mut met) = (0, 0);
            for i in 0..k as u64 {
                let at = &mut state[place(i, i / d * p + order - wraps(a, b, i))];
                all += usize::from(*at == 0);
                *at = 1;
            }
            for j in 0..k as u64 {
                let at = v + u * j;
                let at = &mut state[place(at, at / d * p + c + j * e + order - wraps(a2, b2, j))];
                met += usize::from(*at == 1);
                *at = 2;
            }
            sum += gains[all][met];
        }
        sum / samples as f64
    }
}
