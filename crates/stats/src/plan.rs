//! How many trials are enough, and what a given number could show.

use crate::error::{StatsError, counts, inside_unit, not_negative, positive, probability};
use crate::normal::normal_quantile;
use crate::{mixture, tail};

/// Largest number of trials a plan may ask for.
const MAX_TRIALS: u64 = 1 << 60;

/// The smallest number of trials from which on the two-sided binomial test of a rate `p`
/// at level `alpha` sees a true rate `p (1 + effect)` with probability at least `power`, and
/// also a true rate `p (1 - effect)` when `effect < 1`.
///
/// "From which on": the power of an exact test is a saw-tooth in the number of trials,
/// and a plan that one more trial would spoil is no plan.
///
/// Method, exact: the count `c` is critical (`2 P[S >= c] <= alpha` under `p`) up to some
/// number of trials `n1(c)`, and reached with the power asked for (under `p (1 + effect)`) from
/// some `n0(c)` on. The answer is `n0(c)` for the smallest `c` with `n0(c + 1) <= n1(c) + 1`, after
/// which the ranges overlap for good; likewise below. For small `p` the answer is that
/// of the Poisson law, a constant over `p`:
///
/// | alpha | power | effect | trials |
/// |---|---|---|---|
/// | `1e-7` | 0.9 | 0.1 | `4557.4 / p` |
/// | `1e-7` | 0.999 | 0.1 | `7422.1 / p` |
/// | `1e-7` | 0.999 | 1 | `101.54 / p` |
///
/// # Errors
///
/// [`StatsError`] for `p` 0 or no probability, `effect` not positive, `p (1 + effect) > 1`, levels
/// not inside `(0, 1)`, or a plan beyond `2^60` trials.
pub fn probes_for_effect(p: f64, effect: f64, alpha: f64, power: f64) -> Result<u64, StatsError> {
    let p = probability("p", p)?;
    let effect = positive("effect", effect)?;
    let half = 0.5 * inside_unit("alpha", alpha)?;
    let power = inside_unit("power", power)?;
    if p == 0.0 {
        return Err(StatsError::ZeroRate);
    }
    let high = p * (1.0 + effect);
    if high > 1.0 {
        return Err(StatsError::RateAboveOne { p, effect });
    }
    let above = first_overlap(1, |c| Range {
        from: first(c, |n| tail::upper(c, n, high) >= power),
        to: first(c, |n| tail::upper(c, n, p) > half) - 1,
    })?;
    if effect >= 1.0 {
        return Ok(above);
    }
    let low = p * (1.0 - effect);
    let below = first_overlap(0, |c| Range {
        from: first(c, |n| tail::lower(c, n, p) <= half),
        to: first(c, |n| tail::lower(c, n, low) < power) - 1,
    })?;
    Ok(above.max(below))
}

/// Numbers of trials for which a count is both critical and reached.
struct Range {
    from: u64,
    to: u64,
}

/// `from` of the first count, at least `start`, whose range touches the next one.
fn first_overlap(start: u64, range: impl Fn(u64) -> Range) -> Result<u64, StatsError> {
    let touches = |c: u64| range(c + 1).from <= range(c).to.saturating_add(1);
    let mut step = 1;
    while !touches(start + step - 1) {
        if range(start + step - 1).from >= MAX_TRIALS {
            return Err(StatsError::PlanTooLarge { max: MAX_TRIALS });
        }
        step *= 2;
    }
    let (mut low, mut high) = (start + step / 2, start + step - 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if touches(middle) { high = middle } else { low = middle + 1 }
    }
    match range(high).from {
        MAX_TRIALS => Err(StatsError::PlanTooLarge { max: MAX_TRIALS }),
        trials => Ok(trials.max(1)),
    }
}

/// The smallest `n` in `low..=MAX_TRIALS` at which `reached` holds (`MAX_TRIALS` if none does).
fn first(low: u64, reached: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (low, MAX_TRIALS);
    while low < high {
        let middle = low + (high - low) / 2;
        if reached(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// The smallest upward relative effect that `trials` trials would show: the `e` at which a
/// true mean rate `p (1 + e)` is rejected with probability `power` by the two-sided
/// [`crate::overdispersed_test`] of `p` at level `alpha`.
///
/// Both levels of chance count: the binomial one of the trials, and the standard
/// deviation of the mean rate, `relative_sd_of_mean_rate` times the rate under either
/// hypothesis (0 when the rate does not vary; the sd of one draw over the square root of
/// the number of draws otherwise). Method: from 2000 expected events on, the critical count by
/// galloping from that of the normal law, then the rate by secants on the normal quantile of the power, which is
/// nearly a straight line; otherwise bisection for both. To a relative width of the rate of `1e-10`.
///
/// # Errors
///
/// [`StatsError::ZeroRate`] for `p = 0`, [`StatsError::CannotBeSeen`] when not even a rate of
/// 1 would be, and the usual ones for arguments outside their domain.
pub fn detectable_effect(
    p: f64,
    trials: u64,
    relative_sd_of_mean_rate: f64,
    alpha: f64,
    power: f64,
) -> Result<f64, StatsError> {
    let p = probability("p", p)?;
    counts(0, trials)?;
    let spread = not_negative("relative_sd_of_mean_rate", relative_sd_of_mean_rate)?;
    let half = 0.5 * inside_unit("alpha", alpha)?;
    let power = inside_unit("power", power)?;
    if p == 0.0 {
        return Err(StatsError::ZeroRate);
    }
    if p * trials as f64 >= NORMAL_FROM && (1.0 - p) * trials as f64 >= NORMAL_FROM {
        return effect_of_many(p, trials, spread, half, power);
    }
    let unseen = StatsError::CannotBeSeen { trials, p };
    let (mut critical, mut high) = (0, trials.saturating_add(1));
    while critical < high {
        let middle = critical + (high - critical) / 2;
        if mixture::upper(middle, trials, p, spread * p) <= half {
            high = middle;
        } else {
            critical = middle + 1;
        }
    }
    if critical > trials {
        return Err(unseen);
    }
    let seen = |rate: f64| mixture::upper(critical, trials, rate, spread * rate) >= power;
    let (mut low, mut high) = (p, p);
    while !seen(high) {
        if high >= 1.0 {
            return Err(unseen);
        }
        (low, high) = (high, (2.0 * high).min(1.0));
    }
    while high - low > 1e-10 * low {
        let middle = 0.5 * (low + high);
        if seen(middle) { high = middle } else { low = middle }
    }
    Ok(high / p - 1.0)
}

/// Expected events from which on [`detectable_effect`] starts from the normal law.
const NORMAL_FROM: f64 = 2000.0;

/// The effect where events are many.
fn effect_of_many(p: f64, trials: u64, spread: f64, half: f64, power: f64) -> Result<f64, StatsError> {
    let unseen = StatsError::CannotBeSeen { trials, p };
    let guess = normal_effect(p, trials as f64, spread, half, power).ok_or(unseen)?;
    let critical = critical_count(guess.critical, trials, |count| mixture::upper(count, trials, p, spread * p) <= half);
    if critical > trials {
        return Err(unseen);
    }
    let target = normal_quantile(power)?;
    let distance = |rate: f64| {
        let seen = mixture::upper(critical, trials, rate, spread * rate);
        normal_quantile(seen.clamp(1e-300, 1.0 - f64::EPSILON)).map(|z| z - target)
    };
    let (mut last, mut rate) = (guess.rate, guess.rate * (1.0 + 1e-4));
    let mut before = distance(last)?;
    for _ in 0..50 {
        let now = distance(rate)?;
        if now == before || (rate - last).abs() <= 1e-10 * rate {
            break;
        }
        let next = rate - now * (rate - last) / (now - before);
        (last, before, rate) = (rate, now, next.clamp(p, 1.0));
    }
    Ok(rate / p - 1.0)
}

/// The smallest count for which `critical` holds, up to `trials + 1`; it holds for all larger ones.
fn critical_count(guess: f64, trials: u64, critical: impl Fn(u64) -> bool) -> u64 {
    let start = (guess.max(0.0) as u64).min(trials);
    let mut step = 1;
    let (mut low, mut high) = (start, start);
    if critical(start) {
        while low > 0 && critical(low) {
            (high, low) = (low, low.saturating_sub(step));
            step *= 2;
        }
    } else {
        while high <= trials && !critical(high) {
            (low, high) = (high, high.saturating_add(step).min(trials + 1));
            step *= 2;
        }
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if critical(middle) { high = middle } else { low = middle }
    }
    high
}

/// Critical count and rate by the normal law.
struct NormalEffect {
    critical: f64,
    rate: f64,
}

/// The rate `r` with `r - p = z_a sd(p) + z_b sd(r)`, by iteration; `sd(r)^2 = r (1 - r) / n + (spread r)^2`.
fn normal_effect(p: f64, trials: f64, spread: f64, half: f64, power: f64) -> Option<NormalEffect> {
    let (z_a, z_b) = (-normal_quantile(half).ok()?, normal_quantile(power).ok()?);
    let sd = |rate: f64| (rate * (1.0 - rate).max(0.0) / trials).sqrt().hypot(spread * rate);
    let threshold = p + z_a * sd(p);
    let mut rate = threshold;
    for _ in 0..200 {
        let next = threshold + z_b * sd(rate);
        if next > 1.0 {
            return None;
        }
        if (next - rate).abs() <= 1e-12 * p {
            break;
        }
        rate = next;
    }
    Some(NormalEffect { critical: threshold * trials, rate })
}

/// The number of independent draws (filters, each with a rate of its own) from which on a
/// relative `effect` on the mean rate is seen, however many trials each draw gets.
///
/// `T = ceil([(z_a + (1 + effect) z_b) relative_sd / effect]^2)`, at least 1, with `z_a` the upper
/// `alpha/2` and `z_b` the upper `1 - power` normal quantile: the spread of the mean rate is
/// `relative_sd_of_one_filter / sqrt(T)` of the rate, under either hypothesis. Trials add
/// their own noise on top: see [`detectable_effect`].
///
/// # Errors
///
/// [`StatsError`] for an effect that is not positive, a negative spread, levels not inside
/// `(0, 1)`, or a plan beyond `2^60` draws.
pub fn filters_for_effect(
    relative_sd_of_one_filter: f64,
    effect: f64,
    alpha: f64,
    power: f64,
) -> Result<u64, StatsError> {
    let spread = not_negative("relative_sd_of_one_filter", relative_sd_of_one_filter)?;
    let effect = positive("effect", effect)?;
    let z_a = -normal_quantile(0.5 * inside_unit("alpha", alpha)?)?;
    let z_b = normal_quantile(inside_unit("power", power)?)?;
    let needed = ((z_a + (1.0 + effect) * z_b).max(0.0) * spread / effect).powi(2).ceil();
    if needed >= MAX_TRIALS as f64 {
        return Err(StatsError::PlanTooLarge { max: MAX_TRIALS });
    }
    Ok((needed as u64).max(1))
}
