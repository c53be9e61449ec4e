//! One cell and two cells of the filter as Markov chains over arrivals, exactly.
//!
//! Seen backwards in time, a cell is above 0 if its latest set came before its `Max`-th decrement. So the whole chain
//! of `Max + 1` states is one power series: with `B(x) = P(not set) E[x^D]`, `D` the decrements of one arrival, the
//! coefficient of `x^j` in `B^a` is the probability of `a` arrivals without a set and with `j` decrements. Powers are
//! taken by repeated squaring of series cut off at `x^Max`; all terms are positive, so nothing cancels, and the first
//! coefficient, whose error would double with each squaring, is set to `exp(a ln B(0))` each time. The relative error is
//! a few roundings for each doubling of the arrivals.

use crate::decrement::Law;
use crate::filter::Params;
use crate::series::{Plane, Series, binomials};

/// The chain of one cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Probability that an arrival sets the cell.
    set: f64,
    /// Logarithm of `B(0)`: neither set nor lowered.
    ln_still: f64,
    /// `B`, cut off at `x^max`.
    step: Series,
    /// Entry `j`: probability of no set and at least `max - j` decrements, for a cell lowered `j` times before.
    ends: Vec<f64>,
}

/// A cell after some arrivals.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// `B^t`: never set so far, by decrements.
    pub(crate) power: Series,
    /// `1 + B + ... + B^(t-1)`.
    pub(crate) sum: Series,
}

impl Cell {
    /// The cell as the filter has it: an arrival sets it with probability `1 - (1 - 1/m)^k`.
    #[must_use]
    pub fn new(params: &Params, law: Law) -> Self {
        let ln_keep = f64::from(params.k) * ln_miss(params.cells);
        Self::with_set(-ln_keep.exp_m1(), ln_keep, params, law)
    }

    /// The cell as the paper has it: an arrival sets it with probability `k/m` (at most 1), which takes the positions
    /// of a key for distinct, and lowers it by one with probability `p/m`.
    #[must_use]
    pub fn of_paper(params: &Params) -> Self {
        let set = (f64::from(params.k) / params.cells as f64).min(1.0);
        Self::with_set(set, (-set).ln_1p(), params, Law::Run)
    }

    fn with_set(set: f64, ln_keep: f64, params: &Params, law: Law) -> Self {
        let (p, m, max) = (params.p as f64, params.cells as f64, params.max as usize);
        let (ln_stay, decrements) = match law {
            Law::Run => ((-p / m).ln_1p(), vec![1.0 - p / m, p / m]),
            // Beyond max + 64 decrements of one cell in one arrival there is nothing: p is at most m.
            Law::Independent => (p * ln_miss(params.cells), binomials(params.p, 1.0 / m, max + 64)),
        };
        let keep = ln_keep.exp();
        let step = (0..max).map(|j| keep * decrements.get(j).copied().unwrap_or(0.0)).collect();
        let tail = |from: usize| -> f64 { decrements.iter().skip(from).rev().sum() };
        let ends = (0..max).map(|j| keep * tail(max - j)).collect();
        Self { set, ln_still: ln_keep + ln_stay, step: Series(step), ends }
    }

    /// Arrivals after which nothing changes any more: what is left is below `e^-100` of the whole.
    #[must_use]
    pub fn forever(&self) -> u64 {
        let ends = (100.0 + 3.0 * self.step.0.len() as f64) / -self.ln_still.exp_m1();
        ends.ceil().min(9e18) as u64
    }

    pub(crate) fn set(&self) -> f64 {
        self.set
    }

    pub(crate) fn start(&self) -> Seen {
        Seen { power: Series::one(self.step.0.len()), sum: Series::zero(self.step.0.len()) }
    }

    /// From `t` arrivals to `2t`, where `doubled = 2t`.
    pub(crate) fn double(&self, seen: &mut Seen, doubled: u64) {
        seen.sum = seen.power.times(&seen.sum).plus(&seen.sum);
        seen.power = seen.power.times(&seen.power);
        seen.power.0[0] = power(self.ln_still, doubled);
    }

    /// From `t` arrivals to `next = t + 1`.
    pub(crate) fn advance(&self, seen: &mut Seen, next: u64) {
        seen.sum = Series::one(self.step.0.len()).plus(&self.step.times(&seen.sum));
        seen.power = self.step.times(&seen.power);
        seen.power.0[0] = power(self.ln_still, next);
    }

    fn seen(&self, arrivals: u64) -> Seen {
        let mut seen = self.start();
        climb(arrivals.min(self.forever()), |now, doubling| {
            if doubling { self.double(&mut seen, now) } else { self.advance(&mut seen, now) }
        });
        seen
    }

    /// Probability that a cell, at 0 in the beginning, is above 0 after `arrivals`.
    #[must_use]
    pub fn nonzero(&self, arrivals: u64) -> f64 {
        (self.set * self.seen(arrivals).sum.total()).min(1.0)
    }

    /// Probability that a cell, at `Max` in the beginning, is 0 after `gap` arrivals; a small one to full precision.
    #[must_use]
    pub fn faded(&self, gap: u64) -> f64 {
        let sum = self.seen(gap).sum;
        sum.0.iter().zip(&self.ends).map(|(reached, end)| reached * end).sum::<f64>().min(1.0)
    }
}

/// `ln(1 - 1/m)`.
pub(crate) fn ln_miss(cells: u64) -> f64 {
    (-1.0 / cells as f64).ln_1p()
}

/// `e^(ln times)`, 1 for no times even where `ln` is minus infinity.
pub(crate) fn power(ln: f64, times: u64) -> f64 {
    if times == 0 { 1.0 } else { (ln * times as f64).exp() }
}

/// Leads from 0 to `target` by doublings (`step(now, true)`) and single steps (`step(now, false)`), `now` the number
/// reached with that step.
pub(crate) fn climb(target: u64, mut step: impl FnMut(u64, bool)) {
    for bit in (0..u64::BITS - target.leading_zeros()).rev() {
        let now = target >> bit;
        if now > 1 {
            step(now & !1, true);
        }
        if now & 1 == 1 {
            step(now, false);
        }
    }
}

/// The chain of two cells, `overlap` being the runs that lower both.
pub struct Pair<'a> {
    cell: &'a Cell,
    /// Neither cell set, by decrements of the two.
    step: Plane,
    ln_still: f64,
    /// Probability that an arrival sets both cells.
    both: f64,
    /// Probability that it sets the first and not the second, times the decrements of the second.
    first: Series,
}

/// Two cells after some arrivals.
struct PairSeen {
    single: Seen,
    /// Neither was set.
    power: Plane,
    /// The first was set and the second was not, by decrements of each up to its set or to the end.
    one: Plane,
    /// Both were set, in time.
    two: Plane,
}

impl<'a> Pair<'a> {
    /// The pair of cells of `cell`'s filter that `overlap` of all `m` runs lower together (ignored where decrements are
    /// independent).
    #[must_use]
    pub fn new(cell: &'a Cell, params: &Params, law: Law, overlap: f64) -> Self {
        let (m, k, p) = (params.cells as f64, f64::from(params.k), params.p as f64);
        let size = params.max as usize;
        let (one, u) = (ln_miss(params.cells), 1.0 / m);
        let keep = (k * one).exp();
        // ln (1 - 2u) = 2 ln (1 - u) + ln (1 - u^2 / (1 - u)^2)
        let apart = (-(u / (1.0 - u)).powi(2)).ln_1p();
        let ln_neither = k * (2.0 * one + apart);
        // P(neither) - P(not this)^2, at most 0, without cancellation.
        let excess = keep * keep * (k * apart).exp_m1();
        let (ln_stay, decrements) = match law {
            Law::Run => {
                let both = overlap / m;
                let own = (p - overlap).max(0.0) / m;
                let table = [[1.0 - both - 2.0 * own, own], [own, both]];
                let at = move |i: usize, j: usize| if i < 2 && j < 2 { f64::max(table[i][j], 0.0) } else { 0.0 };
                ((-both - 2.0 * own).max(-1.0).ln_1p(), Plane::new(size, at))
            }
            Law::Independent => {
                let ln_stay = p * (2.0 * one + apart);
                // a decrements of the first, b of the second: p! / (a! b! (p-a-b)!) u^(a+b) (1-2u)^(p-a-b).
                let sums = binomials(params.p, 2.0 * u, 2 * size);
                let at = |i: usize, j: usize| sums.get(i + j).map_or(0.0, |sum| sum * halves(i, j));
                (ln_stay, Plane::new(size, at))
            }
        };
        let marginal = cell.step.scaled(1.0 / keep.max(f64::MIN_POSITIVE));
        Self {
            cell,
            step: decrements.scaled(ln_neither.exp()),
            ln_still: ln_neither + ln_stay,
            both: (cell.set * cell.set + excess).max(0.0),
            first: marginal.scaled((keep * cell.set - excess).max(0.0)),
        }
    }

    fn seen(&self, arrivals: u64) -> PairSeen {
        let size = self.step.size();
        let mut seen = PairSeen {
            single: self.cell.start(),
            power: Plane::one(size),
            one: Plane::zero(size),
            two: Plane::zero(size),
        };
        climb(arrivals.min(self.cell.forever()), |now, doubling| {
            let single = &seen.single;
            let set = single.sum.scaled(2.0 * self.cell.set());
            if doubling {
                seen.two = seen.power.times(&seen.two).plus(&seen.two).plus(&seen.one.times_second(&set));
                seen.one = seen.power.times(&seen.one).plus(&seen.one.times_second(&single.power));
                seen.power = seen.power.times(&seen.power);
                self.cell.double(&mut seen.single, now);
            } else {
                let first = Plane::of_second(&self.first);
                seen.two = Plane::one(size)
                    .scaled(self.both)
                    .plus(&self.step.times(&seen.two))
                    .plus(&first.times_second(&set));
                seen.one = self.step.times(&seen.one).plus(&first.times_second(&single.power));
                seen.power = self.step.times(&seen.power);
                self.cell.advance(&mut seen.single, now);
            }
            seen.power.set_first(power(self.ln_still, now));
        });
        seen
    }

    /// Probability that two cells, both at 0 in the beginning, are both above 0 after `arrivals`.
    #[must_use]
    pub fn nonzero(&self, arrivals: u64) -> f64 {
        self.seen(arrivals).two.total().min(1.0)
    }

    /// Probability that two cells, both at `Max` in the beginning, are both above 0 after `gap` arrivals.
    #[must_use]
    pub fn kept(&self, gap: u64) -> f64 {
        let seen = self.seen(gap);
        (seen.two.total() + 2.0 * seen.one.total() + seen.power.total()).min(1.0)
    }
}

/// `C(i + j, i) / 2^(i + j)`.
fn halves(i: usize, j: usize) -> f64 {
    (1..=i).fold(0.5f64.powi((i + j) as i32), |product, step| product * (j + step) as f64 / step as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterated state by state outside of this program: m, k, p, max, arrivals, the law, start at max.
    #[test]
    fn known_points() {
        for (params, arrivals, law, start_set, nonzero) in [
            (Params::new(50, 3, 4, 1), 7, Law::Run, false, 0.278_476_143_982_709_9),
            (Params::new(50, 3, 4, 3), 40, Law::Run, false, 0.804_738_956_388_610_9),
            (Params::new(50, 3, 4, 3), 40, Law::Independent, false, 0.802_749_597_078_167_8),
            (Params::new(1000, 5, 20, 7), 900, Law::Independent, false, 0.790_962_386_578_699_7),
            (Params::new(1000, 5, 20, 7), 900, Law::Run, true, 0.791_173_396_124_167_7),
            (Params::new(1000, 5, 20, 7), 900, Law::Independent, true, 0.790_973_904_358_223_2),
        ] {
            let cell = Cell::new(&params, law);
            let value = if start_set { 1.0 - cell.faded(arrivals) } else { cell.nonzero(arrivals) };
            assert!((value - nonzero).abs() < 1e-12, "{params:?}, {law:?}: {value} and {nonzero}");
        }
    }

    #[test]
    fn every_number_is_reached_by_doublings_and_single_steps() {
        for target in (0..=70).chain([1 << 40, (1 << 40) + 12_345, u64::MAX]) {
            let (mut at, mut steps) = (0u64, 0);
            climb(target, |now, doubling| {
                at = if doubling { at * 2 } else { at + 1 };
                steps += 1;
                assert_eq!(at, now);
            });
            assert_eq!(at, target);
            assert!(steps <= 128);
        }
    }

    /// Two cells that no run lowers together, in a filter so large that keys hardly ever set both: as good as independent.
    #[test]
    fn far_cells_of_a_large_filter_are_independent() {
        let params = Params::new(1 << 40, 3, 10, 3);
        let cell = Cell::new(&params, Law::Run);
        let pair = Pair::new(&cell, &params, Law::Run, 0.0);
        for arrivals in [0, 1 << 24, 1 << 38, 1 << 50] {
            let (one, two) = (cell.nonzero(arrivals), pair.nonzero(arrivals));
            assert!((two - one * one).abs() <= 1e-6 * one * one, "{arrivals}: {two}, {}", one * one);
            let (one, two) = (1.0 - cell.faded(arrivals), pair.kept(arrivals));
            assert!((two - one * one).abs() <= 1e-9, "{arrivals}: {two}, {}", one * one);
        }
    }
}
