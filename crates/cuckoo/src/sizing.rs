//! How full a table may be planned, and the parameters that follow.
//!
//! The load at which a filter first refuses a key is not the load threshold: 500 moves find what a perfect search finds only
//! up to some load below it, which falls a little as the table grows (the first refusal is the rarest of more events), and in
//! small tables chance decides. [`load_limit`] is at or below the load that all but about one filter in a thousand reach:
//! read from 4,000 to 40,000 filters of each size up to 1,024 buckets, fewer of larger ones, with 1, 2, 3, 4, 8 and 16 slots
//! (`examples/fill.rs`), interpolated for the others and checked with 2,000 filters of 14 sizes (5, 6, 7, 10, 12, 14 slots).

use amq::InvalidParams;
use bloom_theory::ranges::{MAX_BITS, check_keys, check_rate};
use bloom_theory::sizing::bits_within;

use crate::filter::Params;
use crate::formulas::Classes;
use crate::pairing::{MAX_BUCKETS, Pairing};
use crate::table::Table;

/// `load <= min(cap, max(floor, top - loss / buckets))`.
struct Limit {
    cap: f64,
    top: f64,
    loss: f64,
    floor: f64,
}

const fn limit(cap: f64, top: f64, loss: f64, floor: f64) -> Limit {
    Limit { cap, top, loss, floor }
}

/// For 1 to 16 slots.
const LIMITS: [Limit; 16] = [
    limit(0.40, 0.40, 100.0, 0.18),
    limit(0.84, 0.845, 12.0, 0.30),
    limit(0.92, 0.925, 4.5, 0.50),
    limit(0.95, 0.954_5, 2.9, 0.60),
    limit(0.962, 0.966, 2.0, 0.66),
    limit(0.97, 0.974, 1.4, 0.71),
    limit(0.976, 0.98, 1.05, 0.75),
    limit(0.98, 0.984, 0.8, 0.78),
    limit(0.982, 0.985, 0.68, 0.80),
    limit(0.984, 0.986_5, 0.57, 0.82),
    limit(0.985, 0.987_5, 0.48, 0.84),
    limit(0.986, 0.988_5, 0.40, 0.86),
    limit(0.987, 0.989, 0.34, 0.87),
    limit(0.988, 0.99, 0.28, 0.88),
    limit(0.989, 0.991, 0.24, 0.89),
    limit(0.99, 0.991_5, 0.2, 0.90),
];

/// Beyond so many buckets the limit falls by [`FALL`] with each doubling.
const LARGE: f64 = 4_194_304.0;
/// Measured from 2^12 to 2^22 buckets: 0.0021 (2 slots, which start 0.02 above their limit), 0.0011 (4), 0.0007 (8).
const FALL: f64 = 0.001_5;

/// The largest expected number of classes that do not fit ([`Classes::crowded`]) in a filter sized for a rate.
pub const CROWDED_FOR_RATE: f64 = 1e-4;
/// The same in a filter sized for a budget of bits, where there may be no room for more.
pub const CROWDED_FOR_BUDGET: f64 = 0.05;

/// The largest load to plan for with `slots` slots (1 to 16) in each of `buckets` buckets; 0 for other slots.
#[must_use]
pub fn load_limit(slots: u32, buckets: u64) -> f64 {
    let Some(Limit { cap, top, loss, floor }) = LIMITS.get((slots as usize).wrapping_sub(1)) else { return 0.0 };
    // In one bucket all slots can be filled, and in two, where every key may lie in either.
    if buckets <= 2 {
        return 1.0;
    }
    let buckets = buckets as f64;
    cap.min((top - loss / buckets).max(*floor)) - FALL * (buckets / LARGE).max(1.0).log2()
}

/// The most keys to plan for.
#[must_use]
pub fn max_keys(slots: u32, buckets: u64) -> u64 {
    let all = u128::from(buckets) * u128::from(slots);
    // As many keys as two buckets hold, or one that is its own partner, fit wherever they belong.
    let least = (u128::from(2 - buckets % 2) * u128::from(slots)).min(all) as u64;
    ((load_limit(slots, buckets) * all as f64) as u64).max(least)
}

/// The fewest buckets for `keys` keys.
///
/// # Errors
/// [`InvalidParams`] for more than 2^56 keys or 2^48 buckets.
pub fn buckets_for<P: Pairing>(slots: u32, keys: u64) -> Result<u64, InvalidParams> {
    let keys = check_keys(keys)?;
    let too_large = || InvalidParams::TooLarge { bits: keys.saturating_mul(2) };
    let mut buckets = P::at_least(keys.div_ceil(slots.max(1).into()));
    loop {
        if buckets > MAX_BUCKETS {
            return Err(too_large());
        }
        let missing = keys.saturating_sub(max_keys(slots, buckets));
        if missing == 0 {
            return Ok(buckets);
        }
        // Never more than are missing at a load of 1: this ends at the first number that is enough.
        buckets = P::at_least(buckets + missing.div_ceil(slots.max(1).into()));
    }
}

/// The classes of a filter.
#[must_use]
pub fn classes<P: Pairing>(params: Params) -> Classes {
    let Params { buckets, .. } = params;
    Classes { buckets, fixed: P::fixed(buckets), fingerprints: params.fingerprints() }
}

/// Allocated bits, in whole words.
pub(crate) fn allocated<T: Table>(params: Params) -> u64 {
    params.buckets.saturating_mul(T::bucket_bits(params.fingerprint_bits).into()).next_multiple_of(64)
}

/// Whether `keys` keys are expected to fit but for `crowded` classes.
fn fits<T: Table, P: Pairing>(params: Params, keys: u64, crowded: f64) -> bool {
    classes::<P>(params).crowded(keys, 2 * T::SLOTS) <= crowded
}

/// The smallest table for `keys` keys at rate `fpr`: for each width of fingerprints as many buckets as the load and the
/// rate need; of these the one of the fewest bits.
///
/// # Errors
/// [`InvalidParams`] for keys or rates out of range or out of reach.
pub fn for_rate<T: Table, P: Pairing>(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
    let (keys, fpr) = (check_keys(keys)?.max(1), check_rate(fpr)?);
    let loaded = buckets_for::<P>(T::SLOTS, keys)?;
    // (1 - 2/(M F))^n >= 1 - fpr, solved for M F.
    let cells = 2.0 / -((-fpr).ln_1p() / keys as f64).exp_m1();
    let candidates = (T::MIN_BITS..=32).filter_map(|fingerprint_bits| {
        let sized = |buckets| Params { buckets, fingerprint_bits };
        let rated = (cells / sized(1).fingerprints() as f64).ceil();
        let mut params =
            sized(loaded.max(if rated < MAX_BUCKETS as f64 { P::at_least(rated as u64) } else { u64::MAX / 128 }));
        // Rounding, of which a step more is enough.
        if classes::<P>(params).rate(keys) > fpr {
            params = sized(P::at_least(params.buckets + 1));
        }
        let enough = params.buckets <= MAX_BUCKETS && allocated::<T>(params) <= MAX_BITS;
        (enough && fits::<T, P>(params, keys, CROWDED_FOR_RATE) && classes::<P>(params).rate(keys) <= fpr)
            .then_some(params)
    });
    candidates.min_by_key(|params| allocated::<T>(*params)).ok_or(InvalidParams::Unreachable {
        what: "fpr",
        target: fpr.into(),
        why: "not with fingerprints of 32 bits within 2^48 bits: take fewer keys or a higher rate",
    })
}

/// The table of the lowest rate for `keys` keys within `bits_per_key` allocated bits each.
///
/// # Errors
/// [`InvalidParams`] for keys or budgets out of range or out of reach.
pub fn for_budget<T: Table, P: Pairing>(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
    let budget = bits_within(keys, bits_per_key)?;
    let keys = keys.max(1);
    let candidates = (T::MIN_BITS..=32).filter_map(|fingerprint_bits| {
        let most = budget / u64::from(T::bucket_bits(fingerprint_bits));
        let params = Params { buckets: P::at_most(most.min(MAX_BUCKETS)), fingerprint_bits };
        (most > 0 && max_keys(T::SLOTS, params.buckets) >= keys && fits::<T, P>(params, keys, CROWDED_FOR_BUDGET))
            .then_some(params)
    });
    let rate = |params: &Params| classes::<P>(*params).rate(keys);
    candidates.min_by(|left, right| rate(left).total_cmp(&rate(right))).ok_or(InvalidParams::Unreachable {
        what: "bits_per_key",
        target: bits_per_key.into(),
        why: "too few for fingerprints that find room at a load that can be reached: give more bits per key",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairing::{Subtract, Xor};
    use crate::semisorted::SemiSorted;
    use crate::table::Slots;

    #[test]
    fn the_fewest_buckets_are_enough_and_one_step_less_is_not() {
        for slots in 1..=16 {
            for keys in (1..300).chain([1000, 4096, 12_345, 996_147, 996_148, 100_000_000, 1 << 45]) {
                let buckets = buckets_for::<Subtract>(slots, keys).unwrap();
                assert!(max_keys(slots, buckets) >= keys);
                assert!(buckets <= 2 || max_keys(slots, buckets - 2) < keys, "{slots} slots, {keys} keys: {buckets}");
                let power = buckets_for::<Xor>(slots, keys).unwrap();
                assert!(power.is_power_of_two() && max_keys(slots, power) >= keys);
                assert!(power <= 2 || max_keys(slots, power / 2) < keys, "{slots} slots, {keys} keys: {power}");
            }
        }
        assert!(buckets_for::<Subtract>(4, 1 << 57).is_err() && buckets_for::<Xor>(1, 1 << 55).is_err());
        assert_eq!((load_limit(0, 100), load_limit(17, 100)), (0.0, 0.0));
    }

    #[test]
    fn limits_rise_with_the_slots_and_stay_below_the_threshold() {
        for slots in 1..=16 {
            let threshold = crate::formulas::load_threshold(slots);
            for buckets in [4, 16, 100, 1000, 1 << 20, 1 << 30, 1 << 48] {
                let limit = load_limit(slots, buckets);
                assert!(limit > 0.1 && limit < threshold, "{slots} slots, {buckets} buckets: {limit}");
                assert!(slots == 1 || limit > load_limit(slots - 1, buckets));
            }
        }
    }

    /// HAND-11: with powers of two one key more doubles the bits; with other numbers of buckets it costs two buckets.
    #[test]
    fn hand_11_rounding_up_to_a_power_of_two() {
        assert_eq!(buckets_for::<Xor>(4, 996_147), Ok(262_144));
        assert_eq!(buckets_for::<Xor>(4, 996_148), Ok(524_288));
        assert_eq!(buckets_for::<Subtract>(4, 996_147), Ok(262_144));
        assert_eq!(buckets_for::<Subtract>(4, 996_148), Ok(262_146));
        assert!(buckets_for::<Xor>(4, 4096).unwrap() > 1024 && buckets_for::<Subtract>(4, 4096).unwrap() > 1024);
        for (buckets, keys, expected) in [(262_144, 996_147, 8.42), (524_288, 996_148, 16.84)] {
            let bits = allocated::<Slots<4>>(Params { buckets, fingerprint_bits: 8 }) as f64 / keys as f64;
            assert!((bits - expected).abs() < 0.005, "{bits}");
        }
    }

    /// No width and no number of buckets near is smaller and reaches the rate.
    #[test]
    fn a_table_for_a_rate_is_the_smallest() {
        for (keys, fpr) in [(1000, 0.01), (100_000, 0.001), (1_000_000, 0.03), (50, 1e-4)] {
            let params = for_rate::<Slots<4>, Subtract>(keys, fpr).unwrap();
            assert!(classes::<Subtract>(params).rate(keys) <= fpr && max_keys(4, params.buckets) >= keys);
            for fingerprint_bits in 2..=32 {
                let buckets = Subtract::at_most((allocated::<Slots<4>>(params) - 64) / u64::from(4 * fingerprint_bits));
                let other = Params { buckets, fingerprint_bits };
                assert!(
                    max_keys(4, buckets) < keys
                        || classes::<Subtract>(other).rate(keys) > fpr
                        || !fits::<Slots<4>, Subtract>(other, keys, CROWDED_FOR_RATE),
                    "{params:?} and {other:?}"
                );
            }
        }
    }

    /// At the same load and rate the semi-sorted table takes one bit less for each slot.
    #[test]
    fn semi_sorted_tables_are_a_bit_smaller() {
        for fpr in [0.01, 0.001] {
            let plain = for_rate::<Slots<4>, Subtract>(1_000_000, fpr).unwrap();
            let sorted = for_rate::<SemiSorted, Subtract>(1_000_000, fpr).unwrap();
            let saved = (allocated::<Slots<4>>(plain) - allocated::<SemiSorted>(sorted)) as f64 / 1e6;
            assert!((1.0..1.2).contains(&saved), "{plain:?}, {sorted:?}");
        }
    }

    #[test]
    fn budgets_too_small_are_out_of_reach() {
        assert!(for_budget::<Slots<4>, Subtract>(1_000_000, 4.0).is_err());
        let params = for_budget::<Slots<4>, Subtract>(1_000_000, 10.6).unwrap();
        assert_eq!(params.fingerprint_bits, 10);
        assert!(allocated::<Slots<4>>(params) <= 10_600_000);
    }
}
