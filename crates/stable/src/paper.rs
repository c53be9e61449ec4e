//! The formulas of the paper, as published, and what they need to be used rightly.
//!
//! `m` cells, `k` probes, `p` decrements an arrival, `Max` the value set. They take a cell to be set with probability
//! `k/m` and cells to be independent; what that leaves out is in [`crate::rates`].

use amq::InvalidParams;
use bloom_theory::ranges::check_rate;

use crate::chain::Cell;
use crate::filter::Params;

/// `Z* = [1 / (1 + 1/(p (1/k - 1/m)))]^Max`: the fraction of zeros that a filter converges to (Deng and Rafiei 2006,
/// theorem 2). Exact for one cell that is lowered with probability `p/m` and then set with probability `k/m`: looking
/// back, a decrement comes before a set with probability `q(1-s)/(q+s-qs)`, and it takes `Max` of them.
#[must_use]
pub fn stable_point(params: &Params) -> f64 {
    zero_odds(params).powf(f64::from(params.max))
}

/// `Z*` of one step: probability that a decrement comes before a set.
fn zero_odds(params: &Params) -> f64 {
    let rate = params.p as f64 * (1.0 / f64::from(params.k) - 1.0 / params.cells as f64).max(0.0);
    rate / (1.0 + rate)
}

/// `FPS = (1 - Z*)^k`: the false-positive rate at the stable point.
///
/// The paper calls it an upper bound. It is the limit as `m` grows: the fraction of cells above 0 varies from filter to
/// filter, and the mean of its `k`-th power is above the power of its mean, by more than coinciding positions of a key
/// take back. The exact mean at the stable point is above by 0.09 % at m = 10^4, k = 4, p = 10, Max = 1 (0.16 % with
/// independent decrements), by 0.6 % (1.3 %) at m = 1000, k = 3, p = 10, and by 7e-6 of it at m = 10^6, k = 3, p = 11.
#[must_use]
pub fn fps_bound(params: &Params) -> f64 {
    let ln_zero = f64::from(params.max) * zero_odds(params).ln();
    (-ln_zero.exp_m1()).powi(params.k as i32)
}

/// `P* = 1 / ((1/(1 - FPS^(1/k))^(1/Max) - 1)(1/k - 1/m))`: the real number of decrements at which the stable rate is
/// `fps`. Infinite at `k >= m`.
#[must_use]
pub fn required_p(cells: u64, k: u32, max: u32, fps: f64) -> f64 {
    let kept = fps.powf(1.0 / f64::from(k));
    // 1/(1-u)^(1/Max) - 1
    let odds = (-(-kept).ln_1p() / f64::from(max)).exp_m1();
    let room = 1.0 / f64::from(k) - 1.0 / cells as f64;
    if room <= 0.0 { f64::INFINITY } else { 1.0 / (odds * room) }
}

/// [`required_p`] by ceiling: the fewest whole decrements that keep the promise. The floor, which common code takes,
/// breaks it (10 instead of 11 at m = 10^6, k = 3, Max = 1, 1 %: 1.229 %).
///
/// # Errors
/// [`InvalidParams`] for a rate out of range, or more decrements than there are cells.
pub fn decrements_for(cells: u64, k: u32, max: u32, fps: f64) -> Result<u64, InvalidParams> {
    let needed = required_p(cells, k, max, check_rate(fps)?);
    // A hair less is rounding: P* of the rate of a whole P is that P.
    let whole = (needed * (1.0 - 1e-12)).ceil().max(1.0);
    if whole <= cells as f64 {
        return Ok(whole as u64);
    }
    Err(InvalidParams::Unreachable {
        what: "fps",
        target: fps.into(),
        why: "it takes more decrements an arrival than there are cells: use more cells, a smaller max, or another k",
    })
}

/// The false-negative rate of a key that returns after `gap` arrivals, `1 - (1 - Pr0)^k`, `Pr0` the probability that a
/// cell at `Max` is 0 after so many: the paper's, with `k/m` and independent cells.
#[must_use]
pub fn fnr_classic(params: &Params, gap: u64) -> f64 {
    let faded = Cell::of_paper(params).faded(gap);
    -(f64::from(params.k) * (-faded).ln_1p()).exp_m1()
}

/// `Pr0` for `Max = 1` in closed form: `Z1 (1 - L^g)`, `L = (1 - p/m)(1 - k/m)`, `Z1 = (p/m)(1 - k/m) / (1 - L)`.
#[must_use]
pub fn faded_closed(params: &Params, gap: u64) -> f64 {
    let (q, s) = (params.p as f64 / params.cells as f64, f64::from(params.k) / params.cells as f64);
    let ln_rest = (-q).ln_1p() + (-s).ln_1p();
    q * (1.0 - s) / -ln_rest.exp_m1() * -(ln_rest * gap as f64).exp_m1()
}

/// `1 - (1 - p/m)(1 - k/m)`: what is left to the stable point shrinks by this part with each arrival (times a
/// polynomial of degree `Max - 1` in the arrivals).
#[must_use]
pub fn convergence_rate(params: &Params) -> f64 {
    let (q, s) = (params.p as f64 / params.cells as f64, (f64::from(params.k) / params.cells as f64).min(1.0));
    q + s - q * s
}

/// `20 Max m / (p + k)` arrivals, rounded up: after these the filter is measured as stable.
#[must_use]
pub fn arrivals_to_converge(params: &Params) -> u64 {
    let arrivals = 20.0 * f64::from(params.max) * params.cells as f64 / (params.p as f64 + f64::from(params.k));
    arrivals.ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64, within: f64) {
        assert!((left - right).abs() <= within, "{left} and {right}");
    }

    /// FIELD 5, recomputed outside of this program by the formulas in double precision.
    #[test]
    fn decrements_at_known_points() {
        close(required_p(1_000_000, 3, 1, 0.01), 10.924_799_275, 1e-8);
        close(fps_bound(&Params::new(1_000_000, 3, 10, 1)), 0.012_289_570_743_714, 1e-14);
        close(fps_bound(&Params::new(1_000_000, 3, 11, 1)), 0.009_839_719_726_483_8, 1e-14);
        assert_eq!(decrements_for(1_000_000, 3, 1, 0.01), Ok(11));
        close(required_p(1_000_000, 6, 1, 0.01), 6.926_649_700, 1e-8);
        close(fps_bound(&Params::new(1_000_000, 6, 6, 1)), 0.015_625_281, 1e-9);
        assert_eq!(decrements_for(1_000_000, 6, 1, 0.01), Ok(7));
        close(stable_point(&Params::new(10_000, 4, 10, 1)), 0.714_204_058, 1e-9);
        close(fps_bound(&Params::new(10_000, 4, 10, 1)), 0.006_671_511, 1e-9);
    }

    /// The ceiling keeps the promise, and one less breaks it.
    #[test]
    fn the_ceiling_is_the_fewest_that_keep_the_promise() {
        for cells in [1000, 100_000, 10_000_000] {
            for (k, max, fps) in [(1, 1, 0.1), (2, 3, 0.03), (3, 1, 0.01), (6, 7, 0.01), (10, 3, 1e-4), (20, 15, 1e-6)]
            {
                let Ok(p) = decrements_for(cells, k, max, fps) else { continue };
                let bound = |p| fps_bound(&Params::new(cells, k, p, max));
                assert!(bound(p) <= fps * (1.0 + 1e-9), "{cells} {k} {max} {fps}: {p}");
                assert!(p == 1 || bound(p - 1) > fps, "{cells} {k} {max} {fps}: {p}");
                assert_eq!(decrements_for(cells, k, max, bound(p)), Ok(p), "P of the rate of P");
            }
        }
        assert!(decrements_for(100, 3, 15, 1e-9).is_err() && decrements_for(3, 3, 1, 0.1).is_err());
    }

    /// FIELD 5 (five digits), recomputed by iterating the chain of `Max + 1` states in double precision.
    #[test]
    fn forgetting_at_known_points() {
        for (max, gap, rate) in [
            (1, 1000, 0.255_770_298_074_779_25),
            (1, 10_000, 0.914_582_584_284_110_4),
            (3, 1000, 0.000_452_357_029_596_450_7),
            (3, 10_000, 0.182_673_820_791_163_34),
        ] {
            close(fnr_classic(&Params::new(100_000, 3, 10, max), gap), rate, 1e-11 * rate);
        }
        // Far below what one minus something could tell.
        let faded = Cell::of_paper(&Params::new(100_000, 3, 10, 7)).faded(1000);
        close(faded, 1.735_104_45e-11, 1e-18);
    }

    #[test]
    fn the_closed_form_is_the_chain() {
        for gap in [0, 1, 2, 100, 12_345, 1 << 40] {
            let params = Params::new(100_000, 3, 10, 1);
            let (chain, closed) = (Cell::of_paper(&params).faded(gap), faded_closed(&params, gap));
            close(chain, closed, 1e-12 * closed);
        }
    }

    /// The stable point is where the chain goes, and it goes there in the arrivals named.
    #[test]
    fn the_chain_converges_to_the_stable_point() {
        for (cells, k, p, max) in [(10_000, 4, 10, 1), (100_000, 3, 10, 3), (1000, 6, 50, 7), (1_000_000, 1, 1, 15)] {
            let params = Params::new(cells, k, p, max);
            let (cell, zeros) = (Cell::of_paper(&params), stable_point(&params));
            close(1.0 - cell.nonzero(u64::MAX), zeros, 1e-12);
            close(1.0 - cell.nonzero(arrivals_to_converge(&params)), zeros, 1e-7);
        }
        close(convergence_rate(&Params::new(1000, 4, 10, 1)), 1.0 - 0.99 * 0.996, 1e-15);
    }
}
