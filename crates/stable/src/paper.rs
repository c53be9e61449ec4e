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
/// The paper calls it an upper bound. It is the limit as `m` grows: the mean rate of finite filters is above it where
/// runs are lowered, by `k(k-1)/2 Var(X)/E[X]^2` to second order (2 % at m = 10^4, k = 4, p = 10).
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
