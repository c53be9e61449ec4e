//! Intervals and tests of a proportion against SciPy 1.17 and mpmath 1.4.

use stats::{
    Alternative, StatsError, binomial_cdf, binomial_sf, binomial_test, clopper_pearson, overdispersed_test, wilson,
};

fn close(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "got {got:e}, want {want:e}");
}

#[test]
fn upper_tails_agree_with_mpmath() {
    // mpmath, 50 digits: first term by loggamma, then the sum of the ratios of terms.
    let cases = [
        (60, 100, 0.5, 0.028_443_966_820_490_396),
        (3, 10, 0.2, 0.322_200_473_6),
        (9, 10, 0.999_9, 0.999_999_550_239_937),
        (80, 100, 0.1, 6.699_796_381_281_253e-61),
        (1_000, 1_000, 0.9, 1.747_871_251_722_694_7e-46),
        (5, 1_000_000_000_000, 1e-12, 0.003_659_846_827_320_72),
        (20, 1_000_000_000_000, 1e-12, 1.587_527_600_801_084e-19),
        (500_003_000_000, 1_000_000_000_000, 0.5, 9.865_937_208_324_47e-10),
        (500_000_000_001, 1_000_000_000_000, 0.5, 0.499_999_601_057_719_6),
    ];
    for (s, n, p, want) in cases {
        close(binomial_sf(s, n, p).unwrap(), want, 1e-12);
    }
}

#[test]
fn lower_tails_agree_with_mpmath() {
    let cases = [
        (999_000, 100_000_000, 0.01, 0.157_559_964_112_257_68),
        (499_995_000_000, 1_000_000_000_000, 0.5, 7.619_929_964_183_419e-24),
        (2, 10, 0.999_9, 4.499_200_035_996_036e-31),
    ];
    for (s, n, p, want) in cases {
        close(binomial_cdf(s, n, p).unwrap(), want, 1e-12);
    }
}

#[test]
fn the_tails_of_small_laws_are_sums_of_their_terms() {
    for n in 1..=25_u64 {
        for p in [0.003, 0.2, 0.5, 0.77, 0.999] {
            let mut term = (1.0_f64 - p).powi(n as i32);
            let mut below = 0.0;
            for s in 0..=n {
                close(binomial_sf(s, n, p).unwrap() + below, 1.0, 1e-13);
                below += term;
                close(binomial_cdf(s, n, p).unwrap(), below, 1e-12);
                term *= (n - s) as f64 / (s + 1) as f64 * p / (1.0 - p);
            }
        }
    }
}

#[test]
fn rates_of_zero_and_one_are_exact() {
    assert_eq!(binomial_test(0, 10, 0.0, Alternative::Greater), Ok(1.0));
    assert_eq!(binomial_test(1, 10, 0.0, Alternative::Greater), Ok(0.0));
    assert_eq!(binomial_test(1, 10, 0.0, Alternative::TwoSided), Ok(0.0));
    assert_eq!(binomial_test(10, 10, 1.0, Alternative::Less), Ok(1.0));
    assert_eq!(binomial_test(9, 10, 1.0, Alternative::Less), Ok(0.0));
    assert_eq!(binomial_test(10, 10, 1.0, Alternative::TwoSided), Ok(1.0));
}

#[test]
fn one_sided_tests_agree_with_scipy() {
    // scipy.stats.binomtest(15, 40, 0.3, 'greater'), (5, 40, 0.3, 'less').
    close(binomial_test(15, 40, 0.3, Alternative::Greater).unwrap(), 0.192_551_754_735_175_66, 1e-13);
    let less = binomial_test(5, 40, 0.3, Alternative::Less).unwrap();
    close(less, 0.008_618_053_311_374_194, 1e-13);
    close(binomial_test(5, 40, 0.3, Alternative::TwoSided).unwrap(), 2.0 * less, 1e-15);
    assert_eq!(binomial_test(12, 40, 0.3, Alternative::TwoSided), Ok(1.0));
}

#[test]
fn the_two_sided_test_is_conservative() {
    for (n, p, alpha) in [(40, 0.3, 0.05), (200, 0.01, 0.01)] {
        let rejects = |s: u64| binomial_test(s, n, p, Alternative::TwoSided).unwrap() <= alpha;
        let size: f64 = (0..=n)
            .filter(|&s| rejects(s))
            .map(|s| binomial_sf(s, n, p).unwrap() - if s < n { binomial_sf(s + 1, n, p).unwrap() } else { 0.0 })
            .sum();
        assert!(size <= alpha && size > 0.1 * alpha, "{size}");
    }
}

#[test]
fn clopper_pearson_agrees_with_scipy() {
    // scipy.stats.beta.ppf(alpha/2, s, n-s+1) and beta.isf(alpha/2, s+1, n-s); binomtest's
    // own interval stops at an absolute 2e-12 and has five digits at n = 1e7.
    let cases = [
        (9, 10, 0.554_983_882_971_804_7, 0.997_471_421_455_538_2),
        (8_190, 1_000_000, 0.008_014_279_393_623_524, 0.008_368_578_177_944_355),
        (3, 10_000_000, 6.186_721_656_250_593e-8, 8.767_270_541_303_176e-7),
        (100_000_000, 10_000_000_000, 0.009_998_049_952_281_584, 0.010_001_950_331_370_444),
        (500_000_000_000, 1_000_000_000_000, 0.499_999_020_017_507_8, 0.500_000_979_982_492_3),
    ];
    for (s, n, low, high) in cases {
        let interval = clopper_pearson(s, n, 0.95).unwrap();
        close(interval.low, low, 1e-10);
        close(interval.high, high, 1e-10);
    }
    let strict = clopper_pearson(50, 100_000_000, 1.0 - 1e-7).unwrap();
    close(strict.low, 2.094_249_677_633_922_8e-7, 1e-8);
    close(strict.high, 9.855_029_147_563_25e-7, 1e-8);
}

#[test]
fn clopper_pearson_is_closed_at_the_ends() {
    let none = clopper_pearson(0, 10, 0.95).unwrap();
    assert_eq!(none.low, 0.0);
    close(none.high, 0.308_497_107_818_761, 1e-12); // 1 - 0.025^(1/10)
    let all = clopper_pearson(10, 10, 0.95).unwrap();
    assert_eq!(all.high, 1.0);
    close(all.low, 1.0 - none.high, 1e-12);
    // -ln(0.025) / n for large n.
    close(clopper_pearson(0, 1_000_000_000_000, 0.95).unwrap().high, 3.688_879_454_1e-12, 1e-10);
}

#[test]
fn wilson_agrees_with_scipy() {
    // scipy.stats.binomtest(s, n, .).proportion_ci(0.95, method='wilson').
    let cases = [
        (0, 10, 0.0, 0.277_532_799_862_889_26),
        (10, 10, 0.722_467_200_137_110_9, 1.0),
        (9, 10, 0.595_849_973_204_761_5, 0.982_123_786_904_927_1),
        (3, 10_000_000, 1.020_270_779_624_651_2e-7, 8.821_184_260_515_047e-7),
        (8_190, 1_000_000, 0.008_015_233_303_719_49, 0.008_368_545_217_490_683),
    ];
    for (s, n, low, high) in cases {
        let interval = wilson(s, n, 0.95).unwrap();
        close(interval.low, low, 1e-9);
        close(interval.high, high, 1e-12);
        assert!(interval.contains(s as f64 / n as f64));
    }
}

#[test]
fn the_mixture_agrees_with_mpmath() {
    // mpmath.quad, 20 to 30 digits, of the normal density of the rate times the binomial
    // tail (n = 1000), or of the Beta density times the normal tail (n >= 1e6).
    use Alternative::{Greater, Less};
    let cases = [
        (3, 1_000, 1e-4, 2e-4, Greater, 0.002_704_091_312_334_156),
        (40, 1_000, 0.01, 0.002, Greater, 2.152_066_724_477_985e-9),
        (90, 1_000, 0.01, 0.002, Greater, 1.780_950_017_495_657e-36),
        (999, 1_000, 0.9, 0.2, Greater, 0.005_105_387_330_897_647),
        (1, 1_000, 0.01, 0.003, Less, 0.009_720_326_335_664_87),
        (0, 1_000, 0.01, 0.2, Less, 0.003_828_677_310_233_193),
        (9_000, 1_000_000, 0.0082, 5e-5, Greater, 1.259_513_954_218_982_5e-14),
        (10_500, 1_000_000, 0.0082, 1e-3, Greater, 0.011_064_457_409_259_77),
        (10_500, 1_000_000, 0.0082, 1e-4, Greater, 8.705_345_041_262_118e-61),
        (10_500_000_000, 1_000_000_000_000, 0.0082, 1e-4, Greater, 2.331_278_785_408_888e-117),
    ];
    for (s, n, p, sd, side, want) in cases {
        close(overdispersed_test(s, n, p, sd, side).unwrap(), want, 1e-9);
    }
}

#[test]
fn a_rate_that_does_not_vary_gives_the_binomial_test() {
    for side in [Alternative::Greater, Alternative::Less, Alternative::TwoSided] {
        for s in [0, 7_900, 8_200, 8_500, 1_000_000] {
            let exact = binomial_test(s, 1_000_000, 0.0082, side).unwrap();
            assert_eq!(overdispersed_test(s, 1_000_000, 0.0082, 0.0, side).unwrap(), exact);
            // The second-order change is about (sd z / sd_binomial)^2.
            for (sd, relative) in [(1e-18, 1e-9), (1e-12, 1e-9), (1e-8, 1e-5)] {
                let mixed = overdispersed_test(s, 1_000_000, 0.0082, sd, side).unwrap();
                assert!((mixed - exact).abs() <= relative * exact + 1e-300, "{s} {sd}");
            }
        }
    }
}

#[test]
fn more_spread_is_a_larger_p_value_and_the_tails_cover_everything() {
    let mut last = 0.0;
    for i in 0..60 {
        let sd = 1e-6 * 1.2_f64.powi(i);
        let p = overdispersed_test(9_500, 1_000_000, 0.0082, sd, Alternative::Greater).unwrap();
        assert!(p > last, "sd {sd:e}");
        last = p;
        let below = overdispersed_test(9_499, 1_000_000, 0.0082, sd, Alternative::Less).unwrap();
        close(p + below, 1.0, 1e-9);
    }
}

#[test]
fn a_rate_that_may_be_anything_makes_every_count_equally_likely() {
    // A uniform rate: P[S >= s] = (n + 1 - s) / (n + 1) (T. Bayes, 1763).
    for sd in [1e4, 1e9, 1e300] {
        for s in [0, 1, 30, 100] {
            let p = overdispersed_test(s, 100, 0.3, sd, Alternative::Greater).unwrap();
            close(p, (101 - s) as f64 / 101.0, 1e-7);
        }
        let few = overdispersed_test(1, 1 << 53, 0.0, sd, Alternative::Less).unwrap();
        close(few, 2.0_f64.powi(-52), 1e-7);
    }
}

#[test]
fn far_beyond_every_float_the_p_value_is_zero() {
    let absurd = overdispersed_test(900_000_000_000, 1_000_000_000_000, 1e-12, 1e-13, Alternative::Greater);
    assert_eq!(absurd, Ok(0.0));
}

#[test]
fn bad_input_is_an_error_that_names_it() {
    use Alternative::TwoSided;
    assert_eq!(binomial_test(0, 0, 0.5, TwoSided), Err(StatsError::NoTrials));
    let many = StatsError::TooManySuccesses { successes: 3, trials: 2 };
    assert_eq!(binomial_test(3, 2, 0.5, TwoSided), Err(many));
    assert_eq!(wilson(3, 2, 0.5), Err(many));
    assert_eq!(overdispersed_test(3, 2, 0.5, 0.0, TwoSided), Err(many));
    assert_eq!(many.to_string(), "3 successes are more than the 2 trials; allowed: 0 to 2");
    for p in [-1e-9, 1.000_001, f64::NAN, f64::INFINITY] {
        assert!(binomial_test(1, 2, p, TwoSided).is_err());
        assert!(binomial_cdf(1, 2, p).is_err());
        assert!(overdispersed_test(1, 2, p, 0.1, TwoSided).is_err());
        assert!(clopper_pearson(1, 2, p).is_err());
    }
    for sd in [-1e-9, f64::NAN, f64::INFINITY] {
        assert!(overdispersed_test(1, 2, 0.5, sd, TwoSided).is_err());
    }
    assert!(wilson(1, 2, 1.0).is_err() && wilson(1, 2, 0.0).is_err());
}
