//! The rate of a blocked filter: a mixture over how many keys a block got.
//!
//! The block of an absent key got `Bin(n, 1/M)` keys, so `p = sum_i P[i] g(i)` with the inner rate `g` of a block with
//! `i` keys. The literature (Putze, Sanders and Singler, JEA 14, 2009) takes Poisson for the binomial and an approximation for
//! `g`; here both are exact: `g(i) = E[(X/B)^k]` over the occupancy of `B` bits by `ki` draws, or `(1 - (1 - 1/W)^i)^8` where a
//! key has one position in each of eight lanes.

use amq::{Claim, Class, Given, Goal, InvalidParams, Lines, NamedValue, Number, ParamInfo, Prediction, Theory};
use bloom_theory::fpr;
use bloom_theory::ranges::{check_bits_per_key, check_keys, check_probes, check_rate};

use crate::blocks::check_blocks;
use crate::filter::{BlockedBloom, Params};
use crate::split::{LANES, SplitBlock, SplitParams};

const SOURCE: &str = "Putze, Sanders and Singler 2009, with binomial loads and the exact inner rate";

/// What happens within a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inner {
    /// `k` positions in `bits` bits, drawn with replacement.
    Shared {
        /// Bits of the block.
        bits: u64,
        /// Probes.
        k: u32,
    },
    /// One position in each of eight lanes.
    Lanes {
        /// Bits of a lane.
        bits: u64,
    },
}

impl Inner {
    /// Bits of the block.
    #[must_use]
    pub fn block_bits(self) -> u64 {
        match self {
            Inner::Shared { bits, .. } => bits,
            Inner::Lanes { bits } => bits * u64::from(LANES),
        }
    }

    /// Keys that set all bits of a block but for a chance below 1e-17.
    fn full(self) -> u64 {
        match self {
            Inner::Shared { bits, k } => 48 * bits / u64::from(k),
            Inner::Lanes { bits } => 48 * bits,
        }
    }

    /// `g(i)` for `i` from 0 to `most` keys in the block: the mean over positions of the rate of one block.
    #[must_use]
    pub fn means(self, most: u64) -> Vec<f64> {
        self.powers(most, 1)
    }

    /// The mean of the rate's `power` for `i` from 0 to `most` keys.
    fn powers(self, most: u64, power: u32) -> Vec<f64> {
        match self {
            Inner::Shared { bits, k } => all_set(bits, k, k * power, most),
            Inner::Lanes { bits } => {
                all_set(bits, 1, power, most).into_iter().map(|lane| lane.powi(LANES as i32)).collect()
            }
        }
    }
}

/// `E[(X/B)^probes]` for `i` from 0 to `most` keys of `draws` draws each, `X` the set ones of `bits` bits.
///
/// `P_j`, the probability that `j` given bits are all set, goes from draw to draw by `P_j <- (j/B) P_(j-1) + (1 - j/B) P_j`: the
/// draw is one of the `j` bits or it is not. All terms are positive.
fn all_set(bits: u64, draws: u32, probes: u32, most: u64) -> Vec<f64> {
    let weights = stats::occupancy::distinct(probes, bits);
    let mut p = vec![0.0; probes as usize + 1];
    p[0] = 1.0;
    (0..=most)
        .map(|_| {
            let mean = weights.iter().zip(&p).map(|(weight, p)| weight * p).sum::<f64>().min(1.0);
            for _ in 0..draws {
                for j in (1..p.len()).rev() {
                    let hit = (j as f64 / bits as f64).min(1.0);
                    p[j] = hit * p[j - 1] + (1.0 - hit) * p[j];
                }
            }
            mean
        })
        .collect()
}

/// Probabilities of the loads of a block, `Bin(n, 1/M)`: those above 1e-20 of the largest, from the first on.
fn loads(keys: u64, blocks: u64) -> (u64, Vec<f64>) {
    let (n, p) = (keys as f64, 1.0 / blocks as f64);
    if blocks == 1 {
        return (keys, vec![1.0]);
    }
    let odds = p / (1.0 - p);
    let mode = ((n + 1.0) * p).floor().min(n);
    let (mut down, mut term, mut i) = (Vec::new(), 1.0, mode);
    while i > 0.0 && term > 1e-20 {
        term *= i / ((n - i + 1.0) * odds);
        i -= 1.0;
        down.push(term);
    }
    let first = i as u64;
    let (mut up, mut term, mut i) = (vec![1.0], 1.0, mode);
    while i < n && term > 1e-20 {
        term *= (n - i) * odds / (i + 1.0);
        i += 1.0;
        up.push(term);
    }
    let all: Vec<f64> = down.into_iter().rev().chain(up).collect();
    let sum: f64 = all.iter().sum();
    (first, all.into_iter().map(|weight| weight / sum).collect())
}

/// The rate, its spread, and what else the mixture tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixture {
    /// The expected rate.
    pub rate: f64,
    /// Standard deviation of the rate of one filter.
    pub spread: f64,
}

/// The mixture over the loads of `blocks` blocks with `keys` keys.
///
/// The rate of a filter is a mean over blocks whose loads add up to `n`; to first order that takes what the load explains out
/// of the variance: `(Var[r] - Cov[r, i]^2 / Var[i]) / M`.
#[must_use]
pub fn mixture(inner: Inner, blocks: u64, keys: u64) -> Mixture {
    if is_full(inner, blocks, keys) {
        return Mixture { rate: 1.0, spread: 0.0 };
    }
    let (first, weights) = loads(keys, blocks);
    let most = first + weights.len() as u64 - 1;
    let (means, squares) = (inner.means(most), inner.powers(most, 2));
    let over = |of: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
        let each = (first..).zip(&weights);
        each.map(|(i, weight)| weight * of(i as f64, means[i as usize], squares[i as usize])).sum()
    };
    let (rate, square) = (over(&|_, mean, _| mean), over(&|_, _, square| square));
    let load = keys as f64 / blocks as f64;
    let (together, variance) =
        (over(&|i, mean, _| (i - load) * mean), over(&|i, _, _| (i - load).powi(2)).max(f64::MIN_POSITIVE));
    let explained = if blocks == 1 { 0.0 } else { together * together / variance };
    let of_block = (square - rate * rate - explained).max(0.0);
    Mixture { rate, spread: (of_block / blocks as f64).sqrt() }
}

/// The number of probes with the lowest rate in blocks of `bits` bits: smaller than that of a Bloom filter.
#[must_use]
pub fn best_k(bits: u64, blocks: u64, keys: u64) -> u32 {
    let guess = bloom_theory::sizing::guess_probes(blocks.saturating_mul(bits), keys.max(1)).min(bits as u32 / 2);
    bloom_theory::sizing::best_probes(guess.max(1), |k| rate(Inner::Shared { bits, k }, blocks, keys.max(1)))
}

/// Whether every block is full, twelve standard deviations below the mean load too.
fn is_full(inner: Inner, blocks: u64, keys: u64) -> bool {
    let load = keys as f64 / blocks as f64;
    load - 12.0 * load.sqrt() > inner.full() as f64
}

fn rate(inner: Inner, blocks: u64, keys: u64) -> f64 {
    if is_full(inner, blocks, keys) {
        return 1.0;
    }
    let (first, weights) = loads(keys, blocks);
    let means = inner.means(first + weights.len() as u64 - 1);
    weights.iter().zip(&means[first as usize..]).map(|(weight, mean)| weight * mean).sum()
}

/// The most blocks of whole lines within a budget.
fn blocks_within(keys: u64, bits_per_key: f64, block_bits: u64) -> Result<u64, InvalidParams> {
    let (keys, budget) = (check_keys(keys)?.max(1), check_bits_per_key(bits_per_key)?);
    let lines = (keys as f64 * budget / 512.0).floor();
    if lines < 1.0 {
        return Err(InvalidParams::OutOfRange {
            name: "bits_per_key",
            value: bits_per_key.into(),
            allowed: "at least one cache line, 512 bits, for all keys",
        });
    }
    check_blocks((lines * (512 / block_bits) as f64) as u64, block_bits)
}

/// The fewest blocks whose rate is at most `fpr`, by bisection between powers of two.
fn blocks_for(keys: u64, fpr: f64, block_bits: u64, rate: impl Fn(u64) -> f64) -> Result<u64, InvalidParams> {
    let (_, fpr) = (check_keys(keys)?, check_rate(fpr)?);
    let mut high = 1;
    while rate(high) > fpr {
        high *= 2;
        check_blocks(high, block_bits)?;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if rate(middle) <= fpr { high = middle } else { low = middle }
    }
    Ok(high)
}

fn values(inner: Inner, blocks: u64, k: u32, keys: u64) -> Vec<NamedValue> {
    let row = |name, value, claim, source| NamedValue { name, value, claim, source };
    let given = |name, value| row(name, value, Claim::Exact, "geometry");
    let (bits, n) = (inner.block_bits(), keys.max(1) as f64);
    let m = blocks * bits;
    let bits_per_key = m.next_multiple_of(512) as f64 / n;
    let exact = mixture(inner, blocks, keys).rate;
    let standard = fpr::fpr_exact(m, k, keys);
    let bound = |class: Class| class.bits_per_key(exact);
    vec![
        given("blocks", blocks as f64),
        given("k", f64::from(k)),
        given("m", m as f64),
        given("block_bits", bits as f64),
        given("bits_per_key", bits_per_key),
        row("best_k", best_k(bits, blocks, keys).into(), Claim::Exact, "integer minimum over k positions in a block"),
        row("block_load", keys as f64 / blocks as f64, Claim::Exact, "keys / blocks"),
        row("fpr_exact", exact, Claim::Exact, SOURCE),
        row("fpr_standard", standard, Claim::Limit, "a Bloom filter of the same m and k"),
        row("block_penalty", exact / standard, Claim::Limit, "fpr_exact / fpr_standard"),
        row("bound_static_bits_per_key", bound(Class::Static), Claim::AtLeast, "Carter et al., STOC 1978"),
        row("bound_dynamic_bits_per_key", bound(Class::Dynamic), Claim::AtLeast, "Kuszmaul and Walzer, STOC 2024"),
        row("overhead", bits_per_key / bound(Class::Static), Claim::Exact, "bits_per_key / bound of the class"),
    ]
}

impl<const B: u64> BlockedBloom<B> {
    fn inner(k: u32) -> Inner {
        Inner::Shared { bits: B, k }
    }
}

impl<const B: u64> Theory for BlockedBloom<B> {
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo { name: "blocks", meaning: "blocks, a word or a cache line each", range: "1 to 2^48 bits in all" },
        ParamInfo { name: "k", meaning: "probes of a key; the best integer if not given", range: "1 to 64" },
    ];
    const CLASS: Class = Class::Static;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
        let blocks = blocks_within(keys, bits_per_key, B)?;
        Ok(Params { blocks, k: best_k(B, blocks, keys) })
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
        let best = |blocks| best_k(B, blocks, keys);
        let blocks = blocks_for(keys, fpr, B, |blocks| rate(Self::inner(best(blocks)), blocks, keys))?;
        Ok(Params { blocks, k: best(blocks) })
    }

    fn params_from(given: &Given, keys: u64) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        let blocks = check_blocks(given.require_count("blocks", Self::PARAMS)?, B)?;
        let keys = check_keys(keys)?;
        let k = match given.count("k")? {
            Some(k) => check_probes(k)?,
            None => best_k(B, blocks, keys),
        };
        Ok(Params { blocks, k })
    }

    /// A budget is spent on whole lines, a rate is aimed at with the `k` given.
    fn size_with(given: &Given, keys: u64, goal: Goal) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        let k = match (given.count("blocks")?, given.count("k")?) {
            (None, Some(k)) => check_probes(k)?,
            _ => return Err(given.contradicts(goal)),
        };
        let blocks = match goal {
            Goal::BitsPerKey(bits_per_key) => blocks_within(keys, bits_per_key, B)?,
            Goal::Fpr(fpr) => blocks_for(keys, fpr, B, |blocks| rate(Self::inner(k), blocks, keys))?,
        };
        Self::params_from(&given.with("blocks", Number::Integer(blocks)), keys)
    }

    fn predicted_fpr(params: &Params, keys: u64) -> Prediction {
        let rate = rate(Self::inner(params.k), params.blocks, keys);
        Prediction { rate, claim: Claim::Exact, source: SOURCE }
    }

    fn rate_spread(params: &Params, keys: u64) -> f64 {
        mixture(Self::inner(params.k), params.blocks, keys).spread
    }

    fn rate_given_contents(&self) -> Option<f64> {
        Some(self.rate_by_fill())
    }

    fn lines_touched(_params: &Params, _keys: u64) -> Option<Lines> {
        // A block never leaves its line.
        Some(Lines::all(1.0))
    }

    fn named_values(params: &Params, keys: u64) -> Vec<NamedValue> {
        values(Self::inner(params.k), params.blocks, params.k, keys)
    }
}

impl<const W: u64> Theory for SplitBlock<W> {
    const PARAMS: &'static [ParamInfo] =
        &[ParamInfo { name: "blocks", meaning: "blocks of eight lanes", range: "1 to 2^48 bits in all" }];
    const CLASS: Class = Class::Static;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<SplitParams, InvalidParams> {
        Ok(SplitParams { blocks: blocks_within(keys, bits_per_key, Self::BITS)? })
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<SplitParams, InvalidParams> {
        let blocks = blocks_for(keys, fpr, Self::BITS, |blocks| rate(Inner::Lanes { bits: W }, blocks, keys))?;
        Ok(SplitParams { blocks })
    }

    fn params_from(given: &Given, _keys: u64) -> Result<SplitParams, InvalidParams> {
        given.only(Self::PARAMS)?;
        Ok(SplitParams { blocks: check_blocks(given.require_count("blocks", Self::PARAMS)?, Self::BITS)? })
    }

    fn predicted_fpr(params: &SplitParams, keys: u64) -> Prediction {
        let rate = rate(Inner::Lanes { bits: W }, params.blocks, keys);
        Prediction { rate, claim: Claim::Exact, source: SOURCE }
    }

    fn rate_spread(params: &SplitParams, keys: u64) -> f64 {
        mixture(Inner::Lanes { bits: W }, params.blocks, keys).spread
    }

    fn rate_given_contents(&self) -> Option<f64> {
        Some(self.rate_by_fill())
    }

    fn lines_touched(_params: &SplitParams, _keys: u64) -> Option<Lines> {
        // A block never leaves its line.
        Some(Lines::all(1.0))
    }

    fn named_values(params: &SplitParams, keys: u64) -> Vec<NamedValue> {
        values(Inner::Lanes { bits: W }, params.blocks, LANES, keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 5e-6 * expected.abs() + 1e-15, "{value} for {expected}");
    }

    /// Mixtures over many blocks, computed outside of this program from Poisson loads.
    #[test]
    fn known_rates() {
        let blocks = 1 << 22;
        let at = |bits: u64, c: u64, inner| rate(inner, blocks, blocks * bits / c);
        close(at(512, 10, Inner::Shared { bits: 512, k: 8 }), 0.010_283_99);
        close(at(512, 10, Inner::Shared { bits: 512, k: 7 }), 0.009_686_05);
        close(at(512, 16, Inner::Shared { bits: 512, k: 8 }), 0.000_888_71);
        close(at(64, 10, Inner::Shared { bits: 64, k: 4 }), 0.018_705_1);
        close(at(512, 10, Inner::Lanes { bits: 64 }), 0.010_489_83);
        close(at(256, 8, Inner::Lanes { bits: 32 }), 0.033_211_9);
    }

    /// A single block is a Bloom filter of `B` bits.
    #[test]
    fn one_block_is_a_bloom_filter() {
        for (k, keys) in [(1, 1), (3, 5), (8, 40), (20, 7)] {
            let one = mixture(Inner::Shared { bits: 512, k }, 1, keys);
            close(one.rate, fpr::fpr_exact(512, k, keys));
            close(one.spread, fpr::rate_spread(512, k, keys));
        }
        assert_eq!(mixture(Inner::Shared { bits: 64, k: 3 }, 10, 0), Mixture { rate: 0.0, spread: 0.0 });
    }

    /// The spread against the variance of a mean of dependent blocks, `Var[r]/M + (1 - 1/M) Cov[r1, r2]`, with the loads of two
    /// blocks one after the other: no first order in it.
    #[test]
    fn the_spread_is_that_of_dependent_blocks() {
        for (inner, blocks, keys) in [
            (Inner::Lanes { bits: 32 }, 16, 400),
            (Inner::Shared { bits: 512, k: 6 }, 20, 1000),
            (Inner::Shared { bits: 64, k: 4 }, 300, 1900),
        ] {
            let (first, weights) = loads(keys, blocks);
            let (means, squares) = (inner.means(keys), inner.powers(keys, 2));
            let (mut rate, mut square, mut product) = (0.0, 0.0, 0.0);
            for (i, weight) in (first..).zip(&weights) {
                let (other, others) = loads(keys - i, blocks - 1);
                let second: f64 = (other..).zip(&others).map(|(j, weight)| weight * means[j as usize]).sum();
                rate += weight * means[i as usize];
                square += weight * squares[i as usize];
                product += weight * means[i as usize] * second;
            }
            let m = blocks as f64;
            let variance = (square - rate * rate) / m + (1.0 - 1.0 / m) * (product - rate * rate);
            let spread = mixture(inner, blocks, keys).spread;
            assert!((spread / variance.sqrt() - 1.0).abs() < 0.02, "{inner:?}: {spread} for {}", variance.sqrt());
        }
    }

    /// Two blocks, three keys: all loads by hand.
    #[test]
    fn two_blocks_by_hand() {
        let inner = Inner::Lanes { bits: 32 };
        let g = |i: i32| (1.0 - (31.0_f64 / 32.0).powi(i)).powi(8);
        close(rate(inner, 2, 3), (3.0 * g(1) + 3.0 * g(2) + g(3)) / 8.0);
    }

    #[test]
    fn sizes_keep_their_promise_and_one_block_less_does_not() {
        for (keys, fpr) in [(1000, 0.01), (100_000, 0.001), (3, 0.5), (0, 0.1)] {
            let params = BlockedBloom::<512>::size_for_fpr(keys, fpr).unwrap();
            assert!(BlockedBloom::<512>::predicted_fpr(&params, keys).rate <= fpr);
            if params.blocks > 1 {
                let less = Params { blocks: params.blocks - 1, k: best_k(512, params.blocks - 1, keys) };
                assert!(BlockedBloom::<512>::predicted_fpr(&less, keys).rate > fpr);
            }
        }
        let error = SplitBlock::<32>::size_for(10, 8.0).unwrap_err().to_string();
        assert!(error.contains("at least one cache line"), "{error}");
    }

    /// With `k` given a budget is a ceiling and a rate is kept; blocks given as well are a contradiction.
    #[test]
    fn sizes_with_probes_given() {
        let given = |pairs: &[(&str, u64)]| {
            Given::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Number::Integer(*value))))
        };
        type Lines = BlockedBloom<512>;
        let params = Lines::size_with(&given(&[("k", 3)]), 1000, Goal::BitsPerKey(10.0)).unwrap();
        assert_eq!(params, Params { blocks: 19, k: 3 });
        let params = Lines::size_with(&given(&[("k", 3)]), 1000, Goal::Fpr(0.01)).unwrap();
        assert!(params.k == 3 && Lines::predicted_fpr(&params, 1000).rate <= 0.01);
        for pairs in [&[("k", 3), ("blocks", 9)][..], &[("blocks", 9)]] {
            let error = Lines::size_with(&given(pairs), 1000, Goal::Fpr(0.01)).unwrap_err();
            assert!(error.to_string().contains("`blocks`"), "{error}");
        }
    }

    /// Crowded blocks decide, and they want fewer probes than the average one.
    #[test]
    fn the_best_k_is_smaller() {
        for c in [8, 10, 16, 20, 24] {
            let (blocks, keys) = (1000, 512_000 / c);
            assert!(best_k(512, blocks, keys) <= bloom_theory::sizing::best_k(512_000, keys));
            assert!(best_k(64, 8 * blocks, keys) <= best_k(512, blocks, keys));
        }
    }
}
