//! The rate of a cuckoo filter in closed form, its spread, and what the literature quotes.
//!
//! A fingerprint and its pair of buckets are a *class* of keys. A key that was never inserted is answered with yes exactly
//! when a member is of its class: wherever that member's fingerprint was moved, it lies in one of the pair. So the rate
//! owes nothing to the moves: it is the chance that one of `n` independent members falls into the class of the query, and
//! the rate of one filter is the part of the classes that are occupied. A class of two buckets has probability `2/(M F)`
//! with `M` buckets and `F = 2^f - 1` fingerprints, one whose bucket is its own partner `1/(M F)`.

use stats::occupancy;

/// Load thresholds for 1 to 16 slots: the largest part of the slots that `n -> infinity` keys with two random buckets each
/// can fill, however cleverly. `x / (2 b P[Poi(x) >= b])` with `x P[Poi(x) >= b] / P[Poi(x) >= b + 1] = 2 b`, the density at
/// which the (b + 1)-core has `b` edges per vertex (Fernholz and Ramachandran, SODA 2007; Cain, Sanders and Wormald, SODA
/// 2007). Solved with 30 digits outside of this program.
const THRESHOLDS: [f64; 16] = [
    0.5,
    0.897_011_868_241_349,
    0.959_154_268_591_035,
    0.980_369_774_286_062,
    0.989_551_361_859_911,
    0.994_072_706_585_523,
    0.996_488_378_943_453,
    0.997_853_282_996_371,
    0.998_656_346_707_868,
    0.999_143_451_755_233,
    0.999_445_958_182_843,
    0.999_637_365_834_386,
    0.999_760_317_702_997,
    0.999_840_280_416_923,
    0.999_892_823_480_895,
    0.999_927_650_475_719,
];

/// The load threshold of `slots` slots (1 to 16) in a bucket; not a number for others.
#[must_use]
pub fn load_threshold(slots: u32) -> f64 {
    THRESHOLDS.get((slots as usize).wrapping_sub(1)).copied().unwrap_or(f64::NAN)
}

/// The classes of a table: `2^f - 1` fingerprints, each with a pairing of the buckets that leaves `fixed` of them alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes {
    /// Buckets.
    pub buckets: u64,
    /// Buckets that are their own partner, for each fingerprint.
    pub fixed: u64,
    /// Different fingerprints.
    pub fingerprints: u64,
}

/// `1 - (1 - p)^n`.
fn occupied(p: f64, keys: f64) -> f64 {
    // p = 1 is possible (one bucket, one fingerprint); 0 times infinity is not wanted for no keys.
    if keys == 0.0 { 0.0 } else { -(keys * (-p).ln_1p()).exp_m1() }
}

impl Classes {
    /// All pairs of fingerprint and bucket.
    fn cells(self) -> f64 {
        self.buckets as f64 * self.fingerprints as f64
    }

    /// The number of classes of two buckets.
    #[must_use]
    pub fn pairs(self) -> f64 {
        (self.buckets - self.fixed) as f64 / 2.0 * self.fingerprints as f64
    }

    /// The expected rate with `keys` members: exact at every size, on average over keys and seeds.
    ///
    /// `(1 - q) [1 - (1 - 2/(M F))^n] + q [1 - (1 - 1/(M F))^n]`, `q` the part of the buckets that are their own partner.
    #[must_use]
    pub fn rate(self, keys: u64) -> f64 {
        let (cells, keys) = (self.cells(), keys as f64);
        let single = self.fixed as f64 / self.buckets as f64;
        let pairs = if single < 1.0 { (1.0 - single) * occupied(2.0 / cells, keys) } else { 0.0 };
        let singles = if single > 0.0 { single * occupied(1.0 / cells, keys) } else { 0.0 };
        (pairs + singles).clamp(0.0, 1.0)
    }

    /// Standard deviation, over filters, of a filter's own rate. With all classes alike that is an occupancy problem;
    /// with both kinds the variance is summed over pairs of classes, each covariance without cancellation:
    /// `[(1-p)(1-p')]^n expm1(n ln(1 - p p' / ((1-p)(1-p'))))`.
    #[must_use]
    pub fn spread(self, keys: u64) -> f64 {
        let cells = self.cells();
        if self.fixed == 0 || self.fixed == self.buckets {
            let size = if self.fixed == 0 { 2 } else { 1 };
            let classes = self.buckets / size * self.fingerprints;
            return occupancy::variance_occupied(classes, keys).sqrt() / classes as f64;
        }
        let n = keys as f64;
        let (count, p) = ([self.pairs(), self.fixed as f64 * self.fingerprints as f64], [2.0 / cells, 1.0 / cells]);
        let covariance = |p: f64, q: f64| {
            let both = (-p).ln_1p() + (-q).ln_1p();
            (n * both).exp() * (n * (-p * q / both.exp()).ln_1p()).exp_m1()
        };
        let mut variance = 0.0;
        for (index, (count_p, p)) in count.into_iter().zip(p).enumerate() {
            let empty = (n * (-p).ln_1p()).exp();
            variance += count_p * p * p * (empty * occupied(p, n) + (count_p - 1.0) * covariance(p, p));
            if index == 0 {
                let (other_count, other) = (count[1], 1.0 / cells);
                variance += 2.0 * count_p * other_count * p * other * covariance(p, other);
            }
        }
        variance.max(0.0).sqrt().min(0.5)
    }

    /// The expected number of classes of more than `room` members. With room for two buckets of fingerprints such a class
    /// does not fit, whatever is moved: this is why fingerprints must have `Omega(lg n / b)` bits (Fan et al. 2014, section 4).
    #[must_use]
    pub fn crowded(self, keys: u64, room: u32) -> f64 {
        // Members of one class are as good as Poisson. Below the mean the tail is small, above it its complement is.
        let lambda = 2.0 * keys as f64 / self.cells();
        let (mut term, mut below) = ((-lambda).exp(), 0.0);
        for i in 1..=room {
            below += term;
            term *= lambda / f64::from(i);
        }
        if lambda > f64::from(room) {
            return self.cells() / 2.0 * (1.0 - below - term).clamp(0.0, 1.0);
        }
        let (mut sum, mut i) = (0.0, f64::from(room));
        loop {
            i += 1.0;
            // Falls by more than lambda / i < 1 each time.
            term *= lambda / i;
            sum += term;
            if term <= sum * 1e-17 {
                break;
            }
        }
        self.cells() / 2.0 * sum
    }

    /// The expected number of keys before a class has more than `room` members, at most `most`: `sum_n P[no such class of n
    /// keys]`, such classes as good as Poisson in number. No table of `room` slots in two buckets takes more.
    #[must_use]
    pub fn keys_before_crowded(self, room: u32, most: u64) -> f64 {
        // The integrand falls from 1 to 0 over a good part of its own scale: the midpoint rule is exact to four digits.
        const STEPS: u32 = 2000;
        let step = most as f64 / f64::from(STEPS);
        let none = |i: u32| (-self.crowded(((f64::from(i) + 0.5) * step) as u64, room)).exp();
        (0..STEPS).map(none).sum::<f64>() * step
    }
}

/// `1 - (1 - p)^(2 b a)`: the quoted form, with `p` the chance that two fingerprints are equal, at load `a`.
fn by_load(p: f64, slots: u32, load: f64) -> f64 {
    -(2.0 * f64::from(slots) * load * (-p).ln_1p()).exp_m1()
}

fn power(fingerprint_bits: u32) -> f64 {
    f64::from(fingerprint_bits).exp2()
}

/// `1 - (1 - 1/(2^f - 1))^(2 b a)`: 0 left out, the other fingerprints alike, as here.
#[must_use]
pub fn fpr_by_load(slots: u32, fingerprint_bits: u32, load: f64) -> f64 {
    by_load(1.0 / (power(fingerprint_bits) - 1.0), slots, load)
}

/// The same where a fingerprint 0 becomes 1, as in the reference code: 1 is drawn twice as often, and two fingerprints
/// are equal with probability `(2^f + 2) / 4^f`.
#[must_use]
pub fn fpr_zero_to_one(slots: u32, fingerprint_bits: u32, load: f64) -> f64 {
    let all = power(fingerprint_bits);
    by_load((all + 2.0) / (all * all), slots, load)
}

/// The same where 0 were a fingerprint like the others: what is often quoted, a little too low.
#[must_use]
pub fn fpr_naive(slots: u32, fingerprint_bits: u32, load: f64) -> f64 {
    by_load(1.0 / power(fingerprint_bits), slots, load)
}

/// `2b / 2^f` (Fan et al. 2014, section 5.1), at most 1.
#[must_use]
pub fn fpr_quoted_bound(slots: u32, fingerprint_bits: u32) -> f64 {
    (2.0 * f64::from(slots) / power(fingerprint_bits)).min(1.0)
}

/// `ceil(lg(1/eps) + lg(2b))` bits: the fewest with `2b / 2^f <= eps` (Fan et al. 2014, eq. 6).
#[must_use]
pub fn min_fingerprint_bits(slots: u32, fpr: f64) -> f64 {
    (2.0 * f64::from(slots) / fpr).log2().ceil()
}

/// `(lg(1/eps) + lg(2b)) / a` bits per key at load `a`, with fingerprints of a real number of bits (Fan et al. 2014, eq. 7);
/// `saved` bits less for each fingerprint, 1 if semi-sorted.
#[must_use]
pub fn bits_per_key_quoted(slots: u32, fpr: f64, load: f64, saved: f64) -> f64 {
    ((2.0 * f64::from(slots) / fpr).log2() - saved) / load
}

/// `lg(n) / (2b)`: fingerprints of fewer bits leave, of `n` keys, expected `n / 4^(b f) > 1` groups of `2b + 1` that share
/// fingerprint and buckets (Fan et al. 2014, section 4.2, up to a constant).
#[must_use]
pub fn rule_of_crowding(slots: u32, keys: f64) -> f64 {
    keys.log2() / (2.0 * f64::from(slots))
}

/// The rate below which fingerprints take fewer bits than a standard Bloom filter: where
/// `(lg(1/eps) + lg(2b) - saved) / a = lg(1/eps) / ln 2`, at load `a` with `saved` bits less for each fingerprint.
/// That is eq. 7 with the bound `2b / 2^f` for the rate; the rate itself is about `2 b a / 2^f`, which is `lg(1/a)` bits more saved.
#[must_use]
pub fn crossover_with_bloom(slots: u32, load: f64, saved: f64) -> f64 {
    let fixed = ((2.0 * f64::from(slots)).log2() - saved) / load;
    (-fixed / (std::f64::consts::LN_2.recip() - load.recip())).exp2()
}

/// Moves of an insert at load `a` (0 to 1), if every bucket that is looked at were a random one: `q^2 / (1 - q)`, `q` the
/// part of the buckets that are full.
///
/// A key then ends in a random bucket of those that are not full. So buckets are filled by Poisson arrivals, of which those
/// at full ones go elsewhere: `q = P[Poi(s) >= b]` with `E[min(Poi(s), b)] = a b`; of a geometric number of looks the first two are
/// no moves. In truth a fingerprint was often sent to its bucket because the other one was full, and finds it so again:
/// there are more moves than this, and near the load threshold many more.
#[must_use]
pub fn moves_if_independent(slots: u32, load: f64) -> f64 {
    // E[min(Poi(s), b)] = b - sum_{i < b} (b - i) P[Poi(s) = i], rising in s.
    let b = f64::from(slots);
    let (held, full) = (
        |s: f64| b - poisson_below(s, slots, |i| b - i),
        |s: f64| (1.0 - poisson_below(s, slots, |_| 1.0)).clamp(0.0, 1.0),
    );
    let (mut low, mut high) = (0.0, 1e4);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if held(middle) < load * b { low = middle } else { high = middle }
    }
    let q = full(high);
    q * q / (1.0 - q)
}

/// `sum_{i < end} weight(i) P[Poi(mean) = i]`.
fn poisson_below(mean: f64, end: u32, weight: impl Fn(f64) -> f64) -> f64 {
    let mut term = (-mean).exp();
    let mut sum = 0.0;
    for i in 0..end {
        sum += weight(f64::from(i)) * term;
        term *= mean / f64::from(i + 1);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: f64, right: f64, relative: f64) {
        assert!((left / right - 1.0).abs() <= relative, "{left} and {right}");
    }

    /// `P[Poi(x) >= least]`.
    fn poisson_tail(x: f64, least: u32) -> f64 {
        let mut term = (-x).exp();
        let mut below = 0.0;
        for i in 0..least {
            below += term;
            term *= x / f64::from(i + 1);
        }
        1.0 - below
    }

    /// Each constant solves its equation, to what doubles can tell, and FIELD 7 lists b = 1, 2, 3, 4, 8.
    #[test]
    fn thresholds_solve_their_equation() {
        for slots in 2..=16 {
            let b = f64::from(slots);
            let degree = |x: f64| x * poisson_tail(x, slots) / poisson_tail(x, slots + 1);
            let (mut low, mut high) = (b / 2.0, 2.0 * b);
            for _ in 0..100 {
                let middle = f64::midpoint(low, high);
                if degree(middle) < 2.0 * b { low = middle } else { high = middle }
            }
            near(load_threshold(slots), low / (2.0 * b * poisson_tail(low, slots)), 1e-10);
        }
        for (slots, known) in [(1, 0.5), (2, 0.897_011_868), (3, 0.959_154_269), (4, 0.980_369_774), (8, 0.997_853_283)]
        {
            near(load_threshold(slots), known, 1e-9);
        }
        assert!(load_threshold(0).is_nan() && load_threshold(17).is_nan());
    }

    /// FIELD 7 at f = 8, b = 4, a = 0.95.
    #[test]
    fn quoted_rates_at_a_known_point() {
        near(fpr_zero_to_one(4, 8, 0.95), 0.029_533_6, 2e-6);
        near(fpr_by_load(4, 8, 0.95), 0.029_421_0, 2e-6);
        near(fpr_naive(4, 8, 0.95), 0.029_307_6, 2e-6);
        assert_eq!(fpr_quoted_bound(4, 8), 0.031_25);
        // 12 bits at 95 %: 0.186 % (FIELD 18, claim 24).
        near(fpr_by_load(4, 12, 0.95), 0.001_86, 3e-3);
    }

    /// FIELD 7: b = 4 at a load of 95.5 %, real and whole fingerprints, plain and semi-sorted.
    #[test]
    fn quoted_bits_per_key() {
        for (fpr, real, whole) in [(1e-2, 10.098, 10.471), (1e-3, 13.577, 13.613), (1e-4, 17.055, 17.801)] {
            near(bits_per_key_quoted(4, fpr, 0.955, 0.0), real, 5e-5);
            near(min_fingerprint_bits(4, fpr) / 0.955, whole, 5e-5);
        }
        near(bits_per_key_quoted(4, 1e-2, 0.955, 1.0), 9.051, 5e-5);
        near(bits_per_key_quoted(4, 1e-3, 0.955, 1.0), 12.530, 5e-5);
    }

    /// Mean and deviation of the rate over all ways to draw members, for tables with and without fixed buckets.
    #[test]
    fn rate_and_spread_equal_enumeration() {
        for (buckets, fixed, fingerprints, keys) in [
            (1, 1, 3, 4),
            (2, 0, 3, 3),
            (3, 1, 3, 4),
            (4, 0, 3, 3),
            (5, 1, 1, 5),
            (3, 1, 2, 5),
            (2, 2, 3, 4),
            (4, 2, 3, 4),
        ] {
            let classes = Classes { buckets, fixed, fingerprints };
            let cells = buckets * fingerprints;
            // Cell c is bucket c % buckets; fixed ones come first, then partners side by side.
            let class = |cell: u64| {
                let (fingerprint, bucket) = (cell / buckets, cell % buckets);
                fingerprint * buckets + if bucket < fixed { bucket } else { fixed + (bucket - fixed) / 2 }
            };
            let throws = cells.pow(keys);
            let (mut sum, mut squares) = (0.0, 0.0);
            for throw in 0..throws {
                let mut rest = throw;
                let mut hit = 0u64;
                for _ in 0..keys {
                    hit |= 1 << class(rest % cells);
                    rest /= cells;
                }
                let yes = (0..cells).filter(|cell| hit >> class(*cell) & 1 == 1).count() as f64 / cells as f64;
                (sum, squares) = (sum + yes, squares + yes * yes);
            }
            let mean = sum / throws as f64;
            near(classes.rate(keys.into()), mean, 1e-12);
            let sd = (squares / throws as f64 - mean * mean).sqrt();
            near(classes.spread(keys.into()), sd, 1e-6);
        }
    }

    #[test]
    fn rates_at_their_edges() {
        let classes = Classes { buckets: 100, fixed: 0, fingerprints: 255 };
        assert_eq!((classes.rate(0), classes.spread(0)), (0.0, 0.0));
        assert_eq!(classes.rate(u64::MAX), 1.0);
        let odd = Classes { buckets: 101, fixed: 1, fingerprints: 255 };
        assert_eq!((odd.rate(0), odd.spread(0)), (0.0, 0.0));
        assert!(odd.spread(1 << 40) < 1e-12);
        let one = Classes { buckets: 1, fixed: 1, fingerprints: 3 };
        near(one.rate(1), 1.0 / 3.0, 1e-12);
    }

    /// Without bounds on the size the exact rate is the quoted one.
    #[test]
    fn the_exact_rate_tends_to_the_quoted_form() {
        let classes = Classes { buckets: 1 << 30, fixed: 0, fingerprints: 255 };
        near(classes.rate((0.95 * 4.0 * (1u64 << 30) as f64) as u64), fpr_by_load(4, 8, 0.95), 1e-2);
        // Not to the last digit: 2 b a members are Poisson, not as many as that.
        near(classes.rate((0.95 * 4.0 * (1u64 << 30) as f64) as u64), -(-2.0 * 4.0 * 0.95 / 255f64).exp_m1(), 1e-9);
    }

    /// b = 4, f = 5, a = 0.95 with 40 digits outside of this program.
    #[test]
    fn crowded_classes() {
        let classes = Classes { buckets: 1 << 20, fixed: 0, fingerprints: 31 };
        let keys = (0.95 * 4.0 * (1u64 << 20) as f64) as u64;
        near(classes.crowded(keys, 8), 1.149_523_574_430_714e-4, 1e-9);
        assert_eq!(classes.crowded(0, 8), 0.0);
        near(classes.crowded(1 << 60, 8), classes.pairs(), 1e-6);
    }

    /// FIELD 7: plain below 0.41 % at a load of 95.5 %, semi-sorted below 2.5 %; at 95 % 0.3655 % and 2.373 %.
    #[test]
    fn crossovers_with_bloom() {
        near(crossover_with_bloom(4, 0.95, 0.0), 0.003_655, 1e-3);
        near(crossover_with_bloom(4, 0.95, 1.0), 0.023_73, 1e-3);
        near(crossover_with_bloom(4, 0.955, 0.0), 0.004_07, 2e-3);
        near(crossover_with_bloom(4, 0.955, 1.0), 0.025_48, 2e-3);
        // With the rate in place of its bound: 0.42 % and 2.7 %.
        near(crossover_with_bloom(4, 0.95, -0.95f64.log2()), 0.004_197_7, 1e-3);
        near(crossover_with_bloom(4, 0.95, 1.0 - 0.95f64.log2()), 0.027_25, 1e-3);
        for (slots, load, saved) in [(2, 0.84, 0.0), (4, 0.95, 1.0), (8, 0.98, 0.0)] {
            let fpr = crossover_with_bloom(slots, load, saved);
            near(bits_per_key_quoted(slots, fpr, load, saved), -fpr.log2() / std::f64::consts::LN_2, 1e-12);
        }
    }

    /// One slot: `q = a`, so that the moves are `a^2 / (1 - a)`. Four slots at s = 4: by hand, with P[Poi(4) = 0..3] =
    /// e^-4 (1, 4, 8, 32/3), `q = 0.566530`, `a = 1 - e^-4 (4 + 12 + 16 + 32/3) / 4 = 0.804633`.
    #[test]
    fn moves_of_independent_buckets() {
        near(moves_if_independent(1, 0.4), 0.16 / 0.6, 1e-9);
        near(moves_if_independent(4, 0.804_633_18), 0.566_529_9 * 0.566_529_9 / 0.433_470_1, 1e-5);
        assert!(moves_if_independent(4, 0.1) < 1e-5 && moves_if_independent(8, 0.97) > 1.0);
    }

    /// A class of one bucket and one fingerprint has room for 8: the ninth key is one too many. With many classes the
    /// first crowd comes where one is expected, or a little before.
    #[test]
    fn keys_before_a_crowd() {
        let classes = Classes { buckets: 1 << 15, fixed: 0, fingerprints: 3 };
        let keys = classes.keys_before_crowded(8, 1 << 17);
        let expected = classes.crowded(keys as u64, 8);
        assert!((0.3..1.2).contains(&expected), "{keys}: {expected}");
        near(Classes { fingerprints: 1 << 20, ..classes }.keys_before_crowded(8, 1 << 17), f64::from(1 << 17), 1e-9);
        near(rule_of_crowding(4, f64::from(1 << 17)), 17.0 / 8.0, 1e-12);
    }
}
