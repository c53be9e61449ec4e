//! Rates of the whole filter: `k` probes into cells that are not independent.
//!
//! One cell and any two cells are exact ([`crate::chain`]). Three and more follow from these by an exchangeable law: as
//! if the fraction of cells above 0 were beta distributed (a Polya urn) with the exact mean `N` and the exact mean
//! correlation `r` of two cells, `P(j cells) = prod_{i<j} (N + i u) / (1 + i u)` with `u = r / (1 - r)`. So rates are exact for `k <= 2`. For
//! more probes the third cumulant is the urn's and not the filter's: [`Joint::slack`] bounds what that is worth.
//!
//! The number `X` of cells above 0 varies from filter to filter, so `E[(X/m)^k]` is above `E[X/m]^k`, which is what the
//! paper has. Runs lower neighbours together, which correlates near cells; that every arrival lowers and sets a fixed
//! number correlates far ones the other way; the mean correlation is mostly a little below 0.

use stats::occupancy::weigh;

use crate::chain::{Cell, Pair};
use crate::decrement::Law;
use crate::filter::Params;

/// Values of a cell up to which pairs are computed exactly; the work grows with the fourth power.
pub const PAIRED_MAX: u32 = 15;

/// Distances summed one by one; more are integrated.
const SUMMED: u64 = 16;

/// Nodes and weights of the Gauss-Legendre rule of 8 points on `[-1, 1]`, the positive half.
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// Where the cells of a filter begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// All at 0: an empty filter, seen by an absent key.
    Empty,
    /// At `Max`: the cells of a key that was just inserted.
    Set,
}

/// The joint law of cells being above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Probability that a cell is at 0.
    pub zero: f64,
    /// Probability that it is above 0.
    pub nonzero: f64,
    /// Mean correlation of two distinct cells.
    pub correlation: f64,
    /// Whether the correlation is only an upper bound.
    pub bounded: bool,
}

impl Joint {
    /// After `arrivals`.
    #[must_use]
    pub fn new(params: &Params, law: Law, start: Start, arrivals: u64) -> Self {
        let cell = Cell::new(params, law);
        let (zero, nonzero) = match start {
            Start::Empty => {
                let nonzero = cell.nonzero(arrivals);
                (1.0 - nonzero, nonzero)
            }
            Start::Set => {
                let zero = cell.faded(arrivals);
                (zero, 1.0 - zero)
            }
        };
        let variance = zero * nonzero;
        let (cells, bounded) = (params.cells, params.max > PAIRED_MAX);
        let correlation = if cells == 1 || variance <= 0.0 {
            0.0
        } else if bounded {
            // Cells further apart than a run are correlated by -1/m at the least, nearer ones by at most 1.
            match law {
                Law::Run => (2.0 * (params.p - 1) as f64 / (cells - 1) as f64).min(1.0),
                Law::Independent => 0.0,
            }
        } else {
            let both = mean_over_pairs(params, law, |overlap| {
                let pair = Pair::new(&cell, params, law, overlap);
                match start {
                    Start::Empty => pair.nonzero(arrivals),
                    Start::Set => pair.kept(arrivals),
                }
            });
            ((both - nonzero * nonzero) / variance).clamp(-1.0 / (cells - 1) as f64, 1.0)
        };
        Self { zero, nonzero, correlation, bounded }
    }

    /// What each cell above 0 adds to the urn.
    fn urn(&self) -> f64 {
        self.correlation / (1.0 - self.correlation).max(f64::MIN_POSITIVE)
    }

    /// Entry `j`, 0 to `most`: probability that one of `j` given cells is at 0.
    fn some_zero(&self, most: u32) -> Vec<f64> {
        let mut ln = 0.0;
        let mut all = vec![0.0];
        for i in 0..most {
            let weight = 1.0 + f64::from(i) * self.urn();
            let miss = if weight > 0.0 { (self.zero / weight).min(1.0) } else { 1.0 };
            ln += (-miss).ln_1p();
            all.push(-f64::exp_m1(ln));
        }
        all
    }

    /// Entry `j`, 0 to `most`: probability that `j` given cells are all above 0.
    fn all_nonzero(&self, most: u32) -> Vec<f64> {
        let mut product = 1.0;
        let mut all = vec![1.0];
        for i in 0..most {
            let urn = f64::from(i) * self.urn();
            product *= if 1.0 + urn > 0.0 { ((self.nonzero + urn) / (1.0 + urn)).clamp(0.0, 1.0) } else { 0.0 };
            all.push(product);
        }
        all
    }

    /// `E[(X/m)^k]`: probability that `k` independent probes all find a cell above 0.
    #[must_use]
    pub fn hit(&self, cells: u64, k: u32) -> f64 {
        weigh(k, cells, &self.all_nonzero(k))
    }

    /// Probability that one of the cells of a key with `k` independent positions is at 0.
    #[must_use]
    pub fn miss(&self, cells: u64, k: u32) -> f64 {
        weigh(k, cells, &self.some_zero(k))
    }

    /// Standard deviation of `(X/m)^k` over filters.
    #[must_use]
    pub fn spread(&self, cells: u64, k: u32) -> f64 {
        let mean = self.hit(cells, k);
        if mean <= 0.0 {
            return 0.0;
        }
        let excess = self.hit(cells, 2 * k) / (mean * mean) - 1.0;
        // Below this the moments, good to some 1e-13, tell nothing: linear in the deviation of X.
        let relative = if excess > 1e-9 {
            excess.sqrt()
        } else {
            let m = cells as f64;
            let variance = (1.0 + (m - 1.0) * self.correlation) * self.zero * self.nonzero / m;
            f64::from(k) * variance.max(0.0).sqrt() / self.nonzero
        };
        (mean * relative).min(0.5)
    }

    /// The relative distance that [`hit`](Self::hit) and [`miss`](Self::miss) may have from the truth: 0 up to two
    /// probes, then `3/1000 C(k,3) ((p + k) / (m N))^2`, at most 1.
    ///
    /// Third cumulants of cells that are lowered together are of the order of `((p + k)/m)^2`. The factor is twice what
    /// was found in 624 filters of up to 13 cells enumerated state by state (a test repeats a part) and in
    /// simulations of 300,000 filters of 64 and 128 cells with `p` up to half of them (largest error 5 % of the rate,
    /// at m = 64, k = 6, p = 20). With a thousand cells it is below a thousandth.
    #[must_use]
    pub fn slack(&self, params: &Params) -> f64 {
        let k = f64::from(params.k);
        if params.k <= 2 {
            return 0.0;
        }
        let near = (params.p as f64 + k) / (params.cells as f64 * self.nonzero.max(f64::MIN_POSITIVE));
        (0.003 * k * (k - 1.0) * (k - 2.0) / 6.0 * near * near).clamp(1e-9, 1.0)
    }
}

/// The mean of `value(overlap)` over all pairs of distinct cells, `overlap` being the runs that lower both.
///
/// At distance `t` (and `m - t`) that is `p - t` runs while positive. Up to 16 overlaps are summed, more integrated
/// between the half integers by Gauss's rule.
fn mean_over_pairs(params: &Params, law: Law, value: impl Fn(f64) -> f64) -> f64 {
    let Params { cells, p, .. } = *params;
    if law == Law::Independent {
        return value(0.0);
    }
    // Runs of more than half of the cells overlap from both sides.
    let least = (2 * p).saturating_sub(cells);
    let near = p - 1 - least.min(p - 1);
    let far = (cells - 1 - 2 * near) as f64;
    let sum = if near <= SUMMED {
        (least + 1..p).map(|overlap| value(overlap as f64)).sum::<f64>()
    } else {
        let (centre, half) = ((least + p) as f64 / 2.0, near as f64 / 2.0);
        let node = |(x, weight): (f64, f64)| weight * (value(centre - half * x) + value(centre + half * x));
        // Midpoint rule backwards (Euler and Maclaurin): the slopes at both ends are differences of neighbours.
        let (first, last) = (least as f64, (p - 1) as f64);
        let slopes = value(last + 1.0) - value(last) - value(first + 1.0) + value(first);
        half * GAUSS.into_iter().map(node).sum::<f64>() - slopes / 24.0
    };
    let nothing = if far > 0.0 { far * value(least as f64) } else { 0.0 };
    (2.0 * sum + nothing) / (cells - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The law of all cells, state by state: base `max + 1` digits.
    struct Enumerated {
        params: Params,
        law: Law,
        states: Vec<f64>,
    }

    impl Enumerated {
        fn new(params: Params, law: Law) -> Self {
            let mut states = vec![0.0; (params.max as usize + 1).pow(params.cells as u32)];
            states[0] = 1.0;
            Self { params, law, states }
        }

        fn value(&self, state: usize, cell: usize) -> usize {
            let base = self.params.max as usize + 1;
            state / base.pow(cell as u32) % base
        }

        fn with(&self, state: usize, cell: usize, value: usize) -> usize {
            let place = (self.params.max as usize + 1).pow(cell as u32);
            state + value * place - self.value(state, cell) * place
        }

        /// Every state goes to `next(state, choice)`, the choices being the cells, equally likely.
        fn step(&mut self, next: impl Fn(&Self, usize, usize) -> usize) {
            let m = self.params.cells as usize;
            let mut after = vec![0.0; self.states.len()];
            for (state, part) in self.states.iter().enumerate().filter(|(_, part)| **part > 0.0) {
                (0..m).for_each(|choice| after[next(self, state, choice)] += part / m as f64);
            }
            self.states = after;
        }

        fn set(&mut self) {
            self.step(|all, state, cell| all.with(state, cell, all.params.max as usize));
        }

        fn arrive(&mut self) {
            let (m, p) = (self.params.cells as usize, self.params.p as usize);
            let lower = |all: &Self, state, cell| all.with(state, cell, all.value(state, cell).saturating_sub(1));
            match self.law {
                Law::Run => self.step(|all, state, start| {
                    (start..start + p).fold(state, |state, cell| lower(all, state, cell % m))
                }),
                Law::Independent => (0..p).for_each(|_| self.step(lower)),
            }
            (0..self.params.k).for_each(|_| self.set());
        }

        /// Mean and deviation of `(X/m)^k`.
        fn hit(&self) -> (f64, f64) {
            let (m, k) = (self.params.cells as usize, self.params.k as i32);
            let moment = |power: i32| -> f64 {
                let rate = |state| (0..m).filter(|cell| self.value(state, *cell) > 0).count() as f64 / m as f64;
                self.states.iter().enumerate().map(|(state, part)| part * rate(state).powi(power)).sum()
            };
            (moment(k), (moment(2 * k) - moment(k).powi(2)).max(0.0).sqrt())
        }
    }

    /// Exact up to two probes; beyond, within the claim.
    #[test]
    fn rates_equal_enumeration_for_tiny_filters() {
        for (m, max, k, p, arrivals) in [
            (4, 1, 1, 2, 5),
            (4, 1, 2, 1, 1),
            (2, 3, 2, 2, 6),
            (9, 1, 2, 5, 12),
            (9, 1, 2, 9, 3),
            (6, 2, 2, 4, 7),
            (5, 3, 2, 2, 40),
            (3, 5, 1, 2, 9),
            (1, 3, 2, 1, 4),
            (4, 1, 3, 1, 1),
            (9, 1, 6, 3, 8),
            (9, 1, 3, 8, 12),
            (6, 2, 6, 2, 1),
            (5, 3, 4, 2, 9),
        ] {
            for law in [Law::Run, Law::Independent] {
                let params = Params::new(m, k, p, max);
                let mut all = Enumerated::new(params, law);
                (0..arrivals).for_each(|_| all.arrive());
                let joint = Joint::new(&params, law, Start::Empty, arrivals);
                let ((rate, sd), hit) = (all.hit(), joint.hit(m, k));
                let slack = joint.slack(&params).max(1e-12);
                assert!((hit / rate - 1.0).abs() < slack, "{law:?}, {params:?}: {hit} and {rate}, {slack}");
                // The fourth moment of the urn is not the filter's.
                let spread = joint.spread(m, k);
                assert!(
                    (spread - sd).abs() < if k == 1 { 1e-9 } else { 0.15 * sd + 1e-9 },
                    "{params:?}: {spread}, {sd}"
                );
            }
        }
    }

    /// A key of k positions is put into an empty filter, and these cells are followed.
    #[test]
    fn forgetting_equals_enumeration_for_tiny_filters() {
        for (m, max, k, p, gap) in
            [(6, 1, 1, 3, 4), (6, 1, 2, 2, 3), (5, 2, 2, 4, 6), (4, 3, 2, 1, 9), (7, 1, 2, 6, 1), (6, 1, 3, 2, 3)]
        {
            for law in [Law::Run, Law::Independent] {
                let params = Params::new(m, k, p, max);
                let mut denied = 0.0;
                let keys = m.pow(k);
                for key in 0..keys {
                    let own: Vec<usize> = (0..k).map(|i| (key / m.pow(i) % m) as usize).collect();
                    let mut all = Enumerated::new(params, law);
                    let state = own.iter().fold(0, |state, cell| all.with(state, *cell, max as usize));
                    (all.states[0], all.states[state]) = (0.0, 1.0);
                    (0..gap).for_each(|_| all.arrive());
                    let zero = |state: usize| own.iter().any(|cell| all.value(state, *cell) == 0);
                    let part: f64 =
                        all.states.iter().enumerate().filter(|(state, _)| zero(*state)).map(|(_, p)| p).sum();
                    denied += part / keys as f64;
                }
                let joint = Joint::new(&params, law, Start::Set, gap);
                let (miss, slack) = (joint.miss(m, k), joint.slack(&params).max(1e-12));
                assert!((miss / denied - 1.0).abs() < slack, "{law:?}, {params:?}: {miss} and {denied}");
            }
        }
    }

    /// More than 16 overlaps are integrated, which must not show.
    #[test]
    fn integrated_pairs_are_summed_pairs() {
        for (p, max) in [(20, 1), (300, 1), (40, 3)] {
            let params = Params::new(1000, 3, p, max);
            let cell = Cell::new(&params, Law::Run);
            let value = |overlap: f64| Pair::new(&cell, &params, Law::Run, overlap).nonzero(500);
            let sum: f64 = (1..p).map(|overlap| 2.0 * value(overlap as f64)).sum();
            let summed = (sum + (999 - 2 * (p - 1)) as f64 * value(0.0)) / 999.0;
            let integrated = mean_over_pairs(&params, Law::Run, value);
            let covariance = summed - cell.nonzero(500).powi(2);
            assert!((integrated - summed).abs() < 1e-3 * covariance.abs() + 1e-9, "{integrated} {summed} {covariance}");
        }
    }

    /// A wide cell has a bound in place of a rate, and it is one.
    #[test]
    fn wide_cells_are_bounded() {
        let at = |max| Joint::new(&Params::new(1000, 3, 30, max), Law::Run, Start::Empty, 3000);
        let (exact, bound) = (at(15), at(16));
        assert!(!exact.bounded && bound.bounded && bound.correlation > exact.correlation);
        assert!(bound.hit(1000, 3) > exact.hit(1000, 3));
    }

    #[test]
    fn empty_and_vast() {
        let none = Joint::new(&Params::new(1000, 3, 10, 1), Law::Run, Start::Empty, 0);
        assert_eq!((none.hit(1000, 3), none.spread(1000, 3)), (0.0, 0.0));
        let params = Params::new(1 << 46, 3, 10, 3);
        let vast = Joint::new(&params, Law::Run, Start::Empty, 1 << 46);
        let free = Cell::new(&params, Law::Run).nonzero(1 << 46).powi(3);
        assert!((vast.hit(1 << 46, 3) / free - 1.0).abs() < 1e-9 && vast.spread(1 << 46, 3) < 1e-6);
    }
}
