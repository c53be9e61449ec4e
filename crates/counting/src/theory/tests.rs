use amq::Number;

use super::counts::{
    any_of, at_least, draws_at_least, expected_max, overflow_bound, overflow_bound_quoted, poisson_at_least,
};
use super::*;

type Four = CountingBloom<4>;

fn close(seen: f64, expected: f64, relative: f64) {
    assert!((seen / expected - 1.0).abs() < relative, "{seen} where {expected} is expected");
}

/// FIELD 3, recomputed with 50 digits outside of this program; the rest of the table too.
#[test]
fn poisson_tails_at_known_points() {
    let ln_2 = std::f64::consts::LN_2;
    for (mean, j, expected) in [
        (ln_2, 4, 5.561_101_908_066_199e-3),
        (ln_2, 8, 7.154_280_616_004_26e-7),
        (ln_2, 16, 7.072_832_256_729_955e-17),
        (3.0, 2, 0.800_851_726_528_544_2),
        (3.0, 3, 0.576_809_918_873_156_5),
        (3.0, 5, 0.184_736_755_476_227_94),
        (100.0, 150, 1.884_210_466_038_671_4e-6),
        (100.0, 90, 0.853_653_825_301_267),
    ] {
        close(poisson_at_least(mean, j), expected, 1e-12);
    }
    close(poisson_at_least(ln_2, 16) - poisson_at_least(ln_2, 17), 6.785_123_974_377_574e-17, 1e-12);
    assert_eq!((poisson_at_least(0.0, 0), poisson_at_least(0.0, 1), poisson_at_least(5.0, 0)), (1.0, 0.0, 1.0));
    assert_eq!(poisson_at_least(1.0, 65_536), 0.0);
}

/// Sums of all terms with 50 digits, computed outside of this program: keys, and draws.
#[test]
fn binomial_tails_at_known_points() {
    for (m, k, n, j, keys, draws) in [
        (9600, 7, 1000, 4, 6.588_795_067_848_334e-3, 6.617_975_553_100_235e-3),
        (9600, 7, 1000, 15, 3.061_982_113_298_628e-15, 3.338_336_415_023_775e-15),
        (9600, 7, 1000, 16, 1.371_251_825_495_684e-16, 1.514_055_685_464_044e-16),
        (100, 3, 20, 4, 2.573_922_411_936_21e-3, 3.123_329_171_554_691e-3),
        (100, 3, 20, 16, 1.586_302_127_701_521e-21, 9.871_557_743_090_362e-19),
        (1_000_000, 7, 99_021, 16, 7.064_639_910_851_959e-17, 7.071_683_678_199_269e-17),
    ] {
        close(at_least(m, k, n, j), keys, 1e-10);
        close(draws_at_least(m, k, n, j), draws, 1e-10);
    }
    assert_eq!((at_least(100, 3, 0, 1), at_least(100, 3, 5, 6), at_least(100, 3, 5, 0)), (0.0, 0.0, 1.0));
}

/// Every way to throw `k` draws of each of `n` keys into `m` counters: the exact law of a counter, and of the largest.
#[test]
fn tails_equal_enumeration_for_tiny_filters() {
    for (m, k, n) in [(2u64, 2u32, 3u32), (3, 2, 4), (4, 3, 2), (5, 1, 5), (3, 3, 3)] {
        let (draws, mut tails) = (k * n, vec![0u64; n as usize + 1]);
        for throw in 0..m.pow(draws) {
            let (mut rest, mut count) = (throw, 0);
            for _ in 0..n {
                let mut here = false;
                for _ in 0..k {
                    here |= rest % m == 0;
                    rest /= m;
                }
                count += usize::from(here);
            }
            tails[..=count].iter_mut().for_each(|tail| *tail += 1);
        }
        for (j, tail) in (0..).zip(tails) {
            close(at_least(m, k, n.into(), j), tail as f64 / m.pow(draws) as f64, 1e-12);
        }
    }
}

/// FIELD 3: `P[max >= 16] <= 1.3677e-15 m` at `l = ln 2`, 19 times what it is; per counter for `W = 2` 0.0492.
#[test]
fn the_bound_and_how_far_it_is() {
    close(overflow_bound_quoted(1, 4), 1.367_726_824_774_688e-15, 1e-12);
    close(overflow_bound_quoted(1_000_000, 2), 1e6 * 0.049_231_130_255_292_31, 1e-12);
    let (m, k, n) = (1_000_000, 7, 99_021);
    let (bound, exact) = (overflow_bound(m, k, n, 4), m as f64 * at_least(m, k, n, 16));
    close(bound, overflow_bound_quoted(m, 4), 1e-4);
    assert!((19.0..19.5).contains(&(bound / exact)), "{}", bound / exact);
    for width in 1..=16 {
        for (m, k, n) in [(9600, 7, 1000), (100, 3, 200), (64, 1, 5), (9600, 7, 0)] {
            let expected = m as f64 * draws_at_least(m, k, n, 1 << width);
            let bound = overflow_bound(m, k, n, width);
            assert!(expected <= bound * (1.0 + 1e-12) || f64::from(1 << width) < f64::from(k) * n as f64 / m as f64);
            assert!(at_least(m, k, n, 1 << width) <= draws_at_least(m, k, n, 1 << width) * (1.0 + 1e-12));
        }
    }
}

/// FIELD 3: 8.617 at m = 9,585,059, n = 10^6; 6.777 at m = 95,851, n = 10^4, k = 7, of draws: with keys, recomputed outside
/// of this program, 8.616646 and 6.775974. And 7.568 at m = 10^6, l = ln 2.
#[test]
fn the_expected_maximum_at_known_points() {
    close(expected_max(9_585_059, 7, 1_000_000), 8.616_645_717_247_175, 1e-10);
    close(expected_max(95_851, 7, 10_000), 6.775_974_194_139_878, 1e-10);
    close(expected_max(1_000_000, 7, 99_021), 7.568, 1e-4);
    assert_eq!((expected_max(1000, 3, 0), expected_max(1, 1, 50)), (0.0, 50.0));
    // A load of a million: the largest of 1,000 normal counts is 3.24 deviations above the mean.
    let mean = f64::from(1 << 30) / 1000.0;
    close((expected_max(1000, 1, 1 << 30) - mean) / mean.sqrt(), 3.24, 0.01);
    assert!(expected_max(64, 64, 1 << 56).is_finite());
}

#[test]
fn any_of_many() {
    close(any_of(10, 0.1), 1.0 - 0.9f64.powi(10), 1e-14);
    close(any_of(1 << 40, 1e-30), 1e-30 * 2f64.powi(40), 1e-12);
    assert_eq!((any_of(5, 1.0), any_of(5, 0.0)), (1.0, 0.0));
}

/// FIELD 0 and HAND-08: as many counters as a Bloom filter has bits, all within the budget.
#[test]
fn hand_07_hand_08_sizes() {
    let params = Four::size_for_fpr(1000, 0.01).unwrap();
    assert_eq!((params.m, params.k), (9600, 7));
    assert_eq!(CountingBloom::<3>::size_for_fpr(1000, 0.01).unwrap().m, 9600);
    assert_eq!(Four::size_for(1000, 40.0).unwrap(), Params { m: 10_000, k: 7 });
    // 39,936 bits in whole words, in counters of 3 and of 16 bits.
    assert_eq!(CountingBloom::<3>::size_for(1000, 39.99).unwrap().m, 13_312);
    assert_eq!(CountingBloom::<16>::size_for(1000, 40.0).unwrap().m, 2500);
    assert_eq!(CountingBloom::<16>::size_for(1, 64.0).unwrap().m, 4);
    let text = CountingBloom::<16>::size_for_fpr(1 << 45, 0.01).unwrap_err().to_string();
    assert!(text.starts_with("cannot allocate"), "{text}");
}

#[test]
fn parameters_by_name() {
    let params = |pairs: &[(&str, f64)]| {
        let given = Given::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Number::Real(*value))));
        Four::params_from(&given, 1000).map_err(|error| error.to_string())
    };
    assert_eq!(params(&[("m", 9586.0), ("k", 3.0), ("counter_bits", 4.0)]), Ok(Params { m: 9586, k: 3 }));
    assert_eq!(params(&[("m", 9586.0)]), Ok(Params { m: 9586, k: 7 }));
    for (pairs, text) in [
        (&[("k", 3.0)][..], "parameter `m` is missing; this filter takes `m`, `k`, `counter_bits`"),
        (&[("m", 0.0)], "m = 0 is out of range: 1 to 2^48 counters"),
        (
            &[("m", 100.0), ("counter_bits", 8.0)],
            "counter_bits = 8 is out of range: the id fixes it: `counting-4` has counters of 4 bits",
        ),
        (&[("m", 100.0), ("q", 1.0)], "unknown parameter `q`; this filter takes `m`, `k`, `counter_bits`"),
    ] {
        assert_eq!(params(pairs), Err(text.to_owned()));
    }
}

#[test]
fn named_values_hold_together() {
    let values = Four::named_values(&Params { m: 9586, k: 7 }, 1000);
    let value = |name| values.iter().find(|row| row.name == name).unwrap().value;
    assert_eq!((value("m"), value("k"), value("counter_bits"), value("best_k")), (9586.0, 7.0, 4.0, 7.0));
    assert_eq!(value("bits_per_key"), 38.4);
    close(value("overhead") * value("bound_dynamic_bits_per_key"), 38.4, 1e-12);
    assert!(value("overflow_probability") < value("overflow_draws"));
    assert!(value("overflow_any") < value("overflow_bound"));
    assert!(value("stuck_probability") > value("overflow_probability"));
    // No keys, and far too many, are no trouble.
    for keys in [0, 1, 1 << 40, 1 << 56] {
        let rows = CountingBloom::<16>::named_values(&Params { m: 9586, k: 7 }, keys);
        assert!(rows.iter().all(|row| !row.value.is_nan()), "{rows:?}");
    }
}
