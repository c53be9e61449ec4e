//! How many keys can be removed, and what they leave.
//!
//! `m` bits in `r` regions of `s = ceil(m/r)` bits, `n` distinct keys inserted once each, `k` probes. A key has a given
//! bit with probability `q = 1 - (1 - 1/m)^k`, so a bit's number of keys is `Bin(n, q)`; it *collides*, with probability
//! `p_c`, when it has two or more. A region is clean when none of its bits collides.
//!
//! # The quoted form and its bias
//! `1 - (1 - (1 - p_c)^s)^k` takes a key's bit to lie in a clean region as often as any region is clean. But regions
//! met through a key's own bit are not like all regions: they have that bit set already, and it must have no second
//! key. Seen from there (the Palm distribution) the own bit is clean when the `n - 1` other keys all miss it, and the
//! other `s - 1` bits when at most one key has each:
//!
//! `b = (1 - q)^(n-1) (1 - p_c')^(s-1)`, deletable `1 - (1 - b)^k`, with `p_c'` the `p_c` of `n - 1` keys.
//!
//! Both treat the bits of a region, and those of a key, as independent, which they are in the limit of large `m`. Here two
//! bits of a key in one region count as one, `1 - E[(1 - b)^J]` with `J` distinct regions among `k` draws, which brings the
//! error below 1 % from `m = 100` on (simulated; without it 3 % there, and less than 0.1 % from `m = 9600` on).

use crate::filter::Params;

/// `q = 1 - (1 - 1/m)^k`.
fn hit(m: u64, k: u32) -> f64 {
    -(f64::from(k) * (-1.0 / m as f64).ln_1p()).exp_m1()
}

/// `P[Bin(trials, p) >= 2]`.
fn twice(trials: u64, p: f64) -> f64 {
    if trials < 2 { 0.0 } else { stats::binomial_sf(2, trials, p).unwrap_or(f64::NAN) }
}

/// `p_c = P[Bin(n, q) >= 2]`, exact: the probability that two or more of `keys` distinct keys have a given bit.
#[must_use]
pub fn collision_probability(m: u64, k: u32, keys: u64) -> f64 {
    twice(keys, hit(m, k))
}

/// `p_c = 1 - p_0 - p_1`, `p_0 = (1 - 1/m)^(kn)`, `p_1 = (kn/m) (1 - 1/m)^(kn-1)` (Rothenberg et al. 2010, section III),
/// as the tail of `Bin(kn, 1/m)`: two draws of one key count as a collision, so it is at least
/// [`collision_probability`].
#[must_use]
pub fn collision_draws(m: u64, k: u32, keys: u64) -> f64 {
    twice(keys.saturating_mul(k.into()), 1.0 / m as f64)
}

/// `(1 - p)^exponent`, also for `p = 1`, where `0^0` is to read as 1.
fn power(p: f64, exponent: f64) -> f64 {
    if exponent == 0.0 { 1.0 } else { (exponent * (-p).ln_1p()).exp() }
}

/// The lengths of the regions that have bits, each with the number of such regions.
fn lengths(params: &Params) -> [(f64, f64); 2] {
    let s = params.region_bits();
    let last = params.m % s;
    [(s as f64, (params.m / s) as f64), (last as f64, f64::from(u8::from(last > 0)))]
}

/// The mean of `(1 - p)^(s - 1)` over the bits of the array, `s` the length of the bit's region.
fn others(params: &Params, p: f64) -> f64 {
    let sum: f64 =
        lengths(params).map(|(s, times)| if times > 0.0 { s * times * power(p, s - 1.0) } else { 0.0 }).iter().sum();
    sum / params.m as f64
}

/// The expected fraction of the regions without a mark: `(1 - p_c)^s`, averaged over the regions (regions without bits
/// are clean).
#[must_use]
pub fn clean_regions(params: &Params, keys: u64) -> f64 {
    let p = collision_probability(params.m, params.k, keys);
    let [whole, last] = lengths(params);
    let empty = params.regions as f64 - whole.1 - last.1;
    (whole.1 * power(p, whole.0) + last.1 * power(p, last.0) + empty) / params.regions as f64
}

/// The fraction of members that can be removed, as it is widely quoted (after Rothenberg et al. 2010):
/// `1 - (1 - (1 - p_c)^s)^k` with [`collision_draws`]. Too high; see [`deletable_corrected`].
#[must_use]
pub fn deletable_quoted(params: &Params, keys: u64) -> f64 {
    let p = collision_draws(params.m, params.k, keys);
    -(f64::from(params.k) * (-power(p, params.region_bits() as f64)).ln_1p()).exp_m1()
}

/// The fraction of members that can be removed, with the region met through the key's own bit: `1 - (1 - b)^k`, or rather
/// `1 - E[(1 - b)^J]`, `J` the number of distinct regions of a key. No keys count as one.
#[must_use]
pub fn deletable_corrected(params: &Params, keys: u64) -> f64 {
    deletable_after_repeats(params, keys, 0)
}

/// [`deletable_corrected`] for the members inserted once, when `repeated` of the `keys` distinct keys were inserted
/// again: those mark every region that they touch, and cannot be removed themselves.
///
/// `b = (1 - q)^(n-1) c^(s-1)`, where a bit is clean with probability `c`: no repeated key has it, and at most one other.
#[must_use]
pub fn deletable_after_repeats(params: &Params, keys: u64, repeated: u64) -> f64 {
    let b = clean_bit(params, keys, repeated);
    let share = (params.region_bits() as f64 / params.m as f64).min(1.0);
    // weights[j]: the probability of j distinct regions so far.
    let mut weights = vec![0.0; params.k as usize + 1];
    weights[0] = 1.0;
    for _ in 0..params.k {
        for j in (0..weights.len()).rev() {
            let (met, before) = ((j as f64 * share).min(1.0), if j > 0 { weights[j - 1] } else { 0.0 });
            weights[j] = weights[j] * met + before * (1.0 - (j as f64 - 1.0) * share).clamp(0.0, 1.0);
        }
    }
    // 1 - (1 - b)^j, so that nothing cancels for small b; j = 0 adds nothing.
    let some = |j: f64| -(j * (-b).ln_1p()).exp_m1();
    (1..).map(f64::from).zip(&weights[1..]).map(|(j, weight)| weight * some(j)).sum::<f64>().clamp(0.0, 1.0)
}

/// `b`: the probability that a member's bit lies in a region without a mark, with `repeated` of the `keys` keys
/// inserted again, the member not among them.
#[must_use]
pub fn clean_bit(params: &Params, keys: u64, repeated: u64) -> f64 {
    let q = hit(params.m, params.k);
    let others_once = keys.saturating_sub(repeated.saturating_add(1));
    let spared = power(q, repeated as f64);
    let alone = power(q, others_once as f64) * spared;
    // Not clean: hit by a repeated key, or, if not, by two others.
    let unclean = 1.0 - spared + spared * twice(others_once, q);
    if alone == 0.0 { 0.0 } else { alone * others(params, unclean.min(1.0)) }
}

/// The expected fraction of set bits after removals of `removed` of the `keys` members were tried, refused or not: what
/// is cleared is bits of one key only, the removed one, in regions without a mark.
#[must_use]
pub fn fill_after_removing(params: &Params, keys: u64, removed: u64) -> f64 {
    let fill = bloom_theory::fpr::fill(params.m, params.k, keys);
    let cleared = removed.min(keys) as f64 * hit(params.m, params.k) * clean_bit(params, keys, 0);
    (fill - cleared).max(0.0)
}

/// The rate after such removals: [`fill_after_removing`] to the power `k`, in the limit of many bits.
#[must_use]
pub fn fpr_after_removing(params: &Params, keys: u64, removed: u64) -> f64 {
    fill_after_removing(params, keys, removed).powi(params.k as i32)
}
