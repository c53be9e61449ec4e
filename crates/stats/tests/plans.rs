//! Planning against brute force (SciPy 1.17) and against the tests it plans for.

use stats::{
    Alternative, StatsError, binomial_sf, binomial_test, detectable_effect, filters_for_effect, normal_quantile,
    overdispersed_test, probes_for_effect,
};

#[test]
fn plans_agree_with_brute_force() {
    // scipy.stats.binom: power of both sides at every n up to 9000; one more than the last
    // n that falls short.
    let cases = [
        (0.2, 0.5, 0.05, 0.8, 155),
        (0.01, 1.0, 1e-3, 0.9, 3_012),
        (0.05, 0.3, 0.01, 0.9, 3_638),
        (0.5, 0.5, 0.05, 0.9, 42),
        (0.5, 1.0, 0.05, 0.9, 6),
    ];
    for (p, effect, alpha, power, want) in cases {
        assert_eq!(probes_for_effect(p, effect, alpha, power), Ok(want), "{p} {effect}");
    }
}

#[test]
fn small_rates_need_a_constant_over_p() {
    let constants = [(0.1, 0.9, 4_557.4), (0.1, 0.999, 7_422.1), (1.0, 0.999, 101.54)];
    for (effect, power, constant) in constants {
        for p in [1e-3, 1e-6, 1e-9] {
            let trials = probes_for_effect(p, effect, 1e-7, power).unwrap() as f64;
            assert!((trials * p / constant - 1.0).abs() < 2e-3, "{p} {effect} {trials}");
        }
    }
}

#[test]
fn the_plan_has_its_power_and_one_trial_less_has_not() {
    let (p, effect, alpha, power) = (1e-6, 1.0, 1e-7, 0.999);
    let n = probes_for_effect(p, effect, alpha, power).unwrap();
    let seen = |n: u64| {
        let critical = (1..).find(|&s| binomial_test(s, n, p, Alternative::Greater).unwrap() <= alpha / 2.0).unwrap();
        binomial_sf(critical, n, p * (1.0 + effect)).unwrap()
    };
    assert!(seen(n) >= power && seen(n - 1) < power, "{n}");
    for more in [n + 1, n + n / 1_000, n + n / 100, n + n / 10, 2 * n] {
        assert!(seen(more) >= power, "{more}");
    }
}

#[test]
fn without_spread_the_detectable_effect_inverts_the_plan() {
    for (p, effect) in [(0.01, 1.0), (1e-6, 2.0), (0.05, 4.0)] {
        let n = probes_for_effect(p, effect, 1e-7, 0.99).unwrap();
        let detected = detectable_effect(p, n, 0.0, 1e-7, 0.99).unwrap();
        assert!(detected <= effect * (1.0 + 1e-8) && detected > 0.97 * effect, "{detected}");
    }
}

#[test]
fn the_detectable_effect_is_seen_by_the_test_it_plans_for() {
    let (p, n, spread, alpha, power) = (0.01, 700_000, 0.01, 1e-7, 0.999);
    let effect = detectable_effect(p, n, spread, alpha, power).unwrap();
    let test = |s: u64, rate: f64| overdispersed_test(s, n, rate, spread * rate, Alternative::Greater).unwrap();
    let critical = (7_000..n).find(|&s| test(s, p) <= alpha / 2.0).unwrap();
    let seen = test(critical, p * (1.0 + effect));
    assert!((seen - power).abs() < 1e-6, "{seen}");
    assert!(effect > detectable_effect(p, n, 0.0, alpha, power).unwrap());
}

#[test]
fn with_trials_without_end_only_the_spread_is_left() {
    let (spread, alpha, power) = (0.01, 1e-7, 0.9);
    let (za, zb) = (-normal_quantile(alpha / 2.0).unwrap(), normal_quantile(power).unwrap());
    let want = spread * (za + zb) / (1.0 - spread * zb);
    let got = detectable_effect(0.01, 100_000_000_000_000, spread, alpha, power).unwrap();
    assert!((got / want - 1.0).abs() < 1e-4, "{got} {want}");
    assert_eq!(filters_for_effect(spread, want * 1.000_001, alpha, power), Ok(1));
    assert_eq!(filters_for_effect(spread, want * 0.999, alpha, power), Ok(2));
}

#[test]
fn draws_grow_with_the_square_of_the_spread() {
    // ((5.326724 + 1.01 * 3.090232) * 0.387)^2 = 10.688 by hand.
    assert_eq!(filters_for_effect(0.003_87, 0.01, 1e-7, 0.999), Ok(11));
    assert_eq!(filters_for_effect(0.038_7, 0.01, 1e-7, 0.999), Ok(1_069));
    assert_eq!(filters_for_effect(0.0, 0.01, 1e-7, 0.999), Ok(1));
}

#[test]
fn what_cannot_be_planned_is_an_error() {
    assert_eq!(probes_for_effect(0.0, 0.1, 0.05, 0.9), Err(StatsError::ZeroRate));
    assert_eq!(detectable_effect(0.0, 10, 0.0, 0.05, 0.9), Err(StatsError::ZeroRate));
    let above = StatsError::RateAboveOne { p: 0.9, effect: 0.5 };
    assert_eq!(probes_for_effect(0.9, 0.5, 0.05, 0.9), Err(above));
    assert!(matches!(probes_for_effect(1e-18, 0.5, 0.05, 0.9), Err(StatsError::PlanTooLarge { .. })));
    let unseen = StatsError::CannotBeSeen { trials: 10, p: 0.5 };
    assert_eq!(detectable_effect(0.5, 10, 0.0, 1e-7, 0.9), Err(unseen));
    assert!(matches!(detectable_effect(0.01, 700_000, 1.0, 1e-7, 0.999), Err(StatsError::CannotBeSeen { .. })));
    for bad in [0.0, 1.0, -0.5, f64::NAN] {
        assert!(probes_for_effect(0.1, 0.1, bad, 0.9).is_err());
        assert!(probes_for_effect(0.1, 0.1, 0.05, bad).is_err());
        assert!(detectable_effect(0.1, 10, 0.0, bad, 0.9).is_err());
        assert!(filters_for_effect(0.1, 0.1, bad, 0.9).is_err());
    }
    assert!(probes_for_effect(0.1, f64::NAN, 0.05, 0.9).is_err());
    assert!(probes_for_effect(0.1, 0.0, 0.05, 0.9).is_err());
    assert!(detectable_effect(0.1, 0, 0.0, 0.05, 0.9).is_err());
    assert!(detectable_effect(0.1, 10, -1.0, 0.05, 0.9).is_err());
    assert!(filters_for_effect(f64::INFINITY, 0.1, 0.05, 0.9).is_err());
}
