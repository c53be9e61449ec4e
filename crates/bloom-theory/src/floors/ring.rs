//! Solutions of `l x = W d` modulo the range, `W` what a wrap at 2^64 leaves in it: how often the points of a chain
//! coincide.

use super::lattice::{Parity, gcd};

/// The range, and what a wrap leaves in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub m: u64,
    /// 2^64 mod m, or 0 for the reduction `modulo`.
    pub wrap: u64,
    /// The increments are odd, which matters where `m` is even.
    pub odd: bool,
}

impl Ring {
    /// The ring of a reduction, `modulo` or `wide`; `odd` for increments that are made odd.
    pub fn new(m: u64, wide: bool, odd: bool) -> Self {
        let wrap = if wide { (u128::from(u64::MAX) + 1) % u128::from(m) } else { 0 };
        Self { m, wrap: wrap as u64, odd: odd && m.is_multiple_of(2) }
    }

    /// No wrap is seen: the reduction is `modulo`.
    pub fn is_seamless(self) -> bool {
        self.wrap == 0
    }

    /// The greatest common divisor of the range and the wrap, whose multiples all wraps leave; the range for `modulo`.
    pub fn common(self) -> u64 {
        gcd(self.m, self.wrap)
    }

    /// How many remainders the wraps distinguish, if these are too few for the `k` of a progression.
    pub fn few(self, k: u64) -> Option<u64> {
        Some(self.m / self.common()).filter(|order| *order <= 2 * k)
    }

    /// How many times as often the `l`-fold of a word is 0 modulo the power of two in `m`, for odd `b` and `b'`:
    /// words of odd steps are even, those of mixed steps odd.
    pub fn parity(self, l: u64, parity: Parity) -> f64 {
        match parity {
            _ if !self.odd || l.trailing_zeros() >= self.m.trailing_zeros() => 1.0,
            Parity::Odd => 2.0,
            Parity::Mixed => 0.0,
        }
    }

    /// How many words `x` solve `l x = W d`, on average over `d`.
    fn words(self, l: u64, parity: Parity) -> f64 {
        gcd(l, self.common()) as f64 * self.parity(l, parity)
    }

    /// Two points at `l` times a coprime step coincide this much more often than independent ones.
    pub fn excess_of_two(self, l: u64, parity: Parity) -> f64 {
        self.words(l, parity) - 1.0
    }

    /// The words of order `l` modulo `common`: the weight of chains where the wraps distinguish few remainders, or
    /// none.
    pub fn order_weight(self, l: u64, parity: Parity) -> f64 {
        divisors(l).map(|q| moebius(q) * self.words(l / q, parity)).sum()
    }

    /// The weight of chains of `l` times a coprime step: the words `x` with `l x = W d`, averaged over `d`, that no
    /// divisor of `l` has.
    pub fn weight(self, k: u64, l: u64, parity: Parity) -> f64 {
        match self.few(k) {
            Some(_) => self.order_weight(l, parity),
            None => divisors(l).map(|q| moebius(q) / q as f64 * self.words(l / q, parity)).sum(),
        }
    }
}

/// The function of Moebius.
pub(super) fn moebius(mut q: u64) -> f64 {
    let mut sign = 1.0;
    let mut p = 2;
    while q > 1 {
        if q.is_multiple_of(p) {
            q /= p;
            if q.is_multiple_of(p) {
                return 0.0;
            }
            sign = -sign;
        }
        p += 1;
    }
    sign
}

/// The divisors of a small number.
pub(super) fn divisors(l: u64) -> impl Iterator<Item = u64> {
    (1..=l).filter(move |q| l.is_multiple_of(*q))
}
