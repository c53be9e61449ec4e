//! A stable filter has no number of keys: it takes them without end. What it is sized for instead is how long it
//! remembers.
//!
//! **The horizon.** Planned for `keys` keys, a filter denies a key that returns after `keys` arrivals with a probability
//! of at most [`HORIZON_FNR`], one half: `keys` is the median life of a key. With this, rate and space trade
//! as in other filters, at 40 bits for each key of the horizon for 1 %.
//!
//! Cells are taken for independent and `m` for large: a cell set at time 0 is 0 after `g` arrivals with probability
//! `Z* G(Max, (k + P) g/m)`, `G` the distribution function of Erlang's law: `Max` decrements must come before the next
//! set, and in time. The rates at the parameters that come of it are computed without these simplifications.

use amq::InvalidParams;
use bloom_theory::ranges::{MAX_BITS, check_keys, check_rate};
use bloom_theory::sizing::bits_within;

use crate::filter::Params;
use crate::paper::{decrements_for, fps_bound, stable_point};

/// The false-negative rate allowed at the horizon.
pub const HORIZON_FNR: f64 = 0.5;
/// Probes tried: beyond these nothing is gained down to rates of 1e-9.
const PROBES: std::ops::RangeInclusive<u32> = 1..=24;
/// Values tried: cells of 1 to 4 bits. Five are better nowhere by 1 %.
const VALUES: [u32; 4] = [1, 3, 7, 15];
/// Erlang's law is inverted up to here; no cell is left above 0 then.
const LONGEST: f64 = 1e3;

/// Distribution function of Erlang's law: the `n`-th event of a Poisson process of rate 1 comes before `time`.
#[must_use]
pub fn erlang(n: u32, time: f64) -> f64 {
    let mut term = (-time).exp();
    let mut before = 0.0;
    for count in 0..n {
        before += term;
        term *= time / f64::from(count + 1);
    }
    if before < 0.5 {
        return 1.0 - before;
    }
    // The rest of the series, so that nothing cancels where it is small.
    let mut rest = 0.0;
    for count in n..n + 1000 {
        rest += term;
        term *= time / f64::from(count + 1);
        if term < rest * 1e-17 {
            break;
        }
    }
    rest
}

/// The time at which [`erlang`] is `part`; infinite from 1 on.
fn erlang_inverse(n: u32, part: f64) -> f64 {
    let (mut low, mut high) = (0.0, LONGEST);
    if part >= erlang(n, high) {
        return f64::INFINITY;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        *(if erlang(n, middle) < part { &mut low } else { &mut high }) = middle;
    }
    low
}

/// Probability that a cell is 0 at which a key of `k` cells is denied with [`HORIZON_FNR`].
fn allowed_zero(k: u32) -> f64 {
    -((1.0 - HORIZON_FNR).ln() / f64::from(k)).exp_m1()
}

/// The most arrivals after which a key is denied with at most [`HORIZON_FNR`], for independent cells; infinite where
/// this never happens.
#[must_use]
pub fn horizon(params: &Params) -> f64 {
    let part = allowed_zero(params.k) / stable_point(params).max(f64::MIN_POSITIVE);
    let events = params.p as f64 + f64::from(params.k);
    // At K = Max = P = 1 the stable point is the allowed probability itself: rounding must not decide.
    if part > 1.0 - 1e-9 { f64::INFINITY } else { params.cells as f64 / events * erlang_inverse(params.max, part) }
}

/// The most whole decrements, from 1 to the number of cells, that keep the horizon at `keys` or more; `None` where one
/// is too many.
pub(crate) fn decrements_within(params: Params, keys: u64) -> Option<u64> {
    let keeps = |p: u64| horizon(&Params { p, ..params }) >= keys as f64;
    if !keeps(1) {
        return None;
    }
    // Doubling, then halving the last step: the horizon falls as decrements are added.
    let (mut kept, mut step) = (1, 1);
    while kept + step <= params.cells && keeps(kept + step) {
        kept += step;
        step *= 2;
    }
    while step > 0 {
        if kept + step <= params.cells && keeps(kept + step) {
            kept += step;
        }
        step /= 2;
    }
    Some(kept)
}

/// The parameters of the lowest stable rate among those in `bits` bits with a horizon of `keys`.
pub(crate) fn within(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
    let bits = bits_within(keys, bits_per_key)?;
    let keys = keys.max(1);
    let candidates = VALUES.into_iter().flat_map(|max| PROBES.map(move |k| (max, k)));
    let sized = candidates.filter_map(|(max, k)| {
        let shape = Params::new(1, k, 1, max);
        let params = Params { cells: bits / u64::from(shape.cell_bits()), ..shape };
        let p = (u64::from(k) < params.cells).then(|| decrements_within(params, keys))??;
        Some(Params { p, ..params })
    });
    // One probe, one bit and one decrement keep any horizon.
    Ok(lowest(sized, fps_bound).unwrap_or(Params::new(bits, 1, 1, 1)))
}

/// The parameters of the fewest bits among those with a stable rate of at most `fpr` and a horizon of `keys`.
pub(crate) fn for_rate(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
    let (keys, fpr) = (check_keys(keys)?.max(1), check_rate(fpr)?);
    let candidates = VALUES.into_iter().flat_map(|max| PROBES.map(move |k| (max, k)));
    let sized = candidates.filter_map(|(max, k)| cells_for(keys, fpr, max, k));
    let best = lowest(sized, |params| params.cells as f64 * f64::from(params.cell_bits()));
    match best {
        Some(params) if params.check().is_ok() => Ok(Params { fps: Some(fpr), ..params }),
        Some(params) => Err(InvalidParams::TooLarge { bits: params.cells.saturating_mul(params.cell_bits().into()) }),
        None => Err(InvalidParams::Unreachable {
            what: "fpr",
            target: fpr.into(),
            why: "no filter of up to 2^48 bits has this stable rate and horizon: plan for fewer keys or a higher rate",
        }),
    }
}

/// The fewest cells, in whole words, for probes `k` and value `max`.
fn cells_for(keys: u64, fpr: f64, max: u32, k: u32) -> Option<Params> {
    let width = u64::from(Params::new(1, k, 1, max).cell_bits());
    // Cells that fill whole words; more than k of them, so that the formula of P holds.
    let whole = |cells: f64| {
        let words = (cells.max(1.0) * width as f64 / 64.0).ceil();
        (words * 64.0 <= 2.0 * MAX_BITS as f64).then_some(words as u64 * 64 / width)
    };
    let mut cells = whole(f64::from(k + 1))?;
    // P hangs on m only through 1/k - 1/m, so this settles at once but for few cells.
    for _ in 0..40 {
        let Ok(p) = decrements_for(cells, k, max, fpr) else {
            cells = whole(cells as f64 * 2.0)?;
            continue;
        };
        let params = Params::new(cells, k, p, max);
        let reached = horizon(&params);
        if reached >= keys as f64 {
            return Some(params);
        }
        // The horizon is proportional to the cells; at least one word more.
        cells = whole((cells as f64 * (keys as f64 / reached)).max(cells as f64 + 64.0 / width as f64))?;
    }
    None
}

fn lowest(all: impl Iterator<Item = Params>, cost: impl Fn(&Params) -> f64) -> Option<Params> {
    all.map(|params| (cost(&params), params)).min_by(|left, right| left.0.total_cmp(&right.0)).map(|(_, best)| best)
}

/// `shape` with what was not given: `p` for the rate `fps`, else the most that keep the horizon at `keys`; and of all
/// `k` the one of the earliest forgetting, or of the lowest rate.
pub(crate) fn complete(shape: Params, k: Option<u32>, p: Option<u64>, keys: u64) -> Result<Params, InvalidParams> {
    let with_p = |k: u32| {
        let shape = Params { k, ..shape };
        let p = match (p, shape.fps) {
            (Some(p), _) => p,
            (None, Some(fps)) => decrements_for(shape.cells, k, shape.max, fps)?,
            (None, None) => decrements_within(shape, keys).unwrap_or(1),
        };
        Ok(Params { p, ..shape })
    };
    if let Some(k) = k {
        return with_p(k);
    }
    let all = || PROBES.filter(|k| *k == 1 || u64::from(*k) < shape.cells).filter_map(|k| with_p(k).ok());
    let best = if shape.fps.is_some() && p.is_none() {
        lowest(all(), |params| -horizon(params).min(f64::MAX))
    } else {
        lowest(all(), fps_bound)
    };
    best.map_or_else(|| with_p(1), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `1 - e^-y`, and values of the regularised gamma function computed outside of this program.
    #[test]
    fn erlang_at_known_points() {
        for (n, time, part) in [
            (1, 0.5, 0.393_469_340_287_366_6),
            (3, 0.1, 0.000_154_653_070_264_671_7),
            (7, 7.0, 0.550_288_944_151_301_1),
            (15, 40.0, 0.999_998_024_376_756_3),
        ] {
            assert!((erlang(n, time) / part - 1.0).abs() < 1e-9, "{n}, {time}: {}", erlang(n, time));
            assert!((erlang_inverse(n, part) / time - 1.0).abs() < 1e-6, "{n}, {part}: {}", erlang_inverse(n, part));
        }
        assert_eq!(erlang_inverse(3, 1.0), f64::INFINITY);
    }

    /// Both promises hold by the exact expectations: half of the keys are remembered, and the rate is kept at the
    /// stable point (to within what cells that vary together add).
    #[test]
    fn what_is_promised_is_kept() {
        use crate::decrement::Law;
        use crate::rates::{Joint, Start};
        for keys in [300, 10_000, 1_000_000] {
            for fpr in [0.1, 0.03, 0.01, 1e-3, 1e-6] {
                let params = for_rate(keys, fpr).unwrap();
                assert!(fps_bound(&params) <= fpr * (1.0 + 1e-9) && params.fps == Some(fpr), "{params:?}");
                let Params { cells, k, .. } = params;
                let denied = Joint::new(&params, Law::Run, Start::Set, keys).miss(cells, k);
                assert!((0.4..0.505).contains(&denied), "{keys}, {fpr}: {denied}, {params:?}");
                let stable = Joint::new(&params, Law::Run, Start::Empty, u64::MAX).hit(cells, k);
                let excess = 1.0 + f64::from(k * k) / keys as f64;
                assert!(stable <= fpr * excess, "{keys}, {fpr}: {stable}, {params:?}");
            }
        }
    }

    /// Bits for each key of the horizon, of a search over real P outside of this program: 11.31, 40.30, 73.00, 177.15.
    /// Whole decrements cost up to a fifth where there are few of them (4.3 become 5).
    #[test]
    fn bits_for_a_rate() {
        for (fpr, bits) in [(0.1, 11.31), (0.01, 40.30), (1e-3, 73.00), (1e-6, 177.15)] {
            let params = for_rate(1_000_000, fpr).unwrap();
            let used = params.cells as f64 * f64::from(params.cell_bits()) / 1e6;
            assert!((bits * 0.999..bits * 1.2).contains(&used), "{fpr}: {used}, {params:?}");
        }
    }

    /// More memory gives a lower rate, and the budget for a rate gives that rate back.
    #[test]
    fn budgets_and_rates_are_two_sides() {
        let bound = |bits| fps_bound(&within(100_000, bits).unwrap());
        let budgets = [2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 41.0, 80.0];
        assert!(budgets.windows(2).all(|pair| bound(pair[0]) > bound(pair[1])));
        assert!(bound(41.0) < 0.0105, "{}", bound(41.0));
        assert!(within(1, 10.0).is_err());
        assert_eq!(within(0, 64.0), within(1, 64.0));
    }

    #[test]
    fn rates_out_of_reach_are_refused() {
        assert!(for_rate(1 << 50, 0.01).is_err());
        assert!(for_rate(1000, 1e-15).is_ok_and(|params| fps_bound(&params) <= 1e-15));
    }
}
