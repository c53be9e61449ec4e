//! Rates of the whole filter: `k` probes into cells that are not independent.
//!
//! One cell and any two cells are exact ([`crate::chain`]). Three and more follow from these by an exchangeable law: as
//! if the fraction of cells above 0 were beta distributed (a Polya urn) with the exact mean `N` and the exact mean
//! correlation `r` of two cells, `P(j cells) = prod_{i<j} (N + i r) / (1 + i r)`. So rates are exact for `k <= 2`. For
//! more probes the third cumulant is the urn's and not the filter's: [`Joint::slack`].
//!
//! A run lowers neighbours together, so that the number `X` of cells above 0 varies more than if cells were independent,
//! and `E[(X/m)^k]` is above `E[X/m]^k`. The paper's bound is the latter.

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

    /// Entry `j`, 0 to `most`: probability that one of `j` given cells is at 0.
    fn some_zero(&self, most: u32) -> Vec<f64> {
        let mut ln = 0.0;
        let mut all = vec![0.0];
        for i in 0..most {
            let weight = 1.0 + f64::from(i) * self.correlation;
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
            let urn = f64::from(i) * self.correlation;
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

    /// The relative distance that [`hit`](Self::hit) may have from the truth for `k` probes: 0 up to two, then
    /// `4 C(k,3) (r/N)^2`, at most 1. The urn's third cumulant is of the order of `r^2`; the factor covers what
    /// exhaustive enumeration and simulation of small filters show (tests).
    #[must_use]
    pub fn slack(&self, k: u32) -> f64 {
        if k <= 2 {
            return 0.0;
        }
        let triples = f64::from(k) * f64::from(k - 1) * f64::from(k - 2) / 6.0;
        let ratio = self.correlation / self.nonzero.max(f64::MIN_POSITIVE);
        (4.0 * triples * ratio * ratio).clamp(1e-9, 1.0)
    }
}

/// The mean of `value(overlap)` over all pairs of distinct cells, `overlap` being the runs that lower both.
///
/// At distance `t` (and `m - t`) that is `p - t` runs while positive. Up to 16 overlaps are summed, more integrated
/// between the half integers (the midpoint rule backwards: off by some `1/(24 p^2)` of the sum) by Gauss's rule.
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
        half * GAUSS.into_iter().map(node).sum::<f64>()
    };
    let nothing = if far > 0.0 { far * value(least as f64) } else { 0.0 };
    (2.0 * sum + nothing) / (cells - 1) as f64
}
