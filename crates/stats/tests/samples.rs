//! Chi-square tests and moments against SciPy 1.17 and mpmath 1.4.

use stats::{ChiSquare, StatsError, chi_square_fit, chi_square_uniform, mean, sample_variance, variance_test};

fn close(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "got {got:e}, want {want:e}");
}

/// `degrees + 1` values whose squared deviations add up to `statistic`.
fn spread(statistic: f64, degrees: usize) -> Vec<f64> {
    let raw: Vec<f64> = (0..=degrees).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let centre = raw.iter().sum::<f64>() / raw.len() as f64;
    let squares: f64 = raw.iter().map(|x| (x - centre).powi(2)).sum();
    raw.iter().map(|x| 3.0 + x * (statistic / squares).sqrt()).collect()
}

#[test]
fn fits_agree_with_scipy() {
    // scipy.stats.chisquare([16,18,16,14,12,12]) and with f_exp=[16,16,16,16,16,8].
    let counts = [16, 18, 16, 14, 12, 12];
    let uniform = chi_square_uniform(&counts).unwrap();
    assert_eq!(uniform.degrees, 5);
    close(uniform.statistic, 2.0, 1e-14);
    close(uniform.p_value, 0.849_145_036_084_609_6, 1e-10);
    close(uniform.p_too_regular, 1.0 - uniform.p_value, 1e-10);
    let fit = chi_square_fit(&counts, &[16.0, 16.0, 16.0, 16.0, 16.0, 8.0]).unwrap();
    close(fit.statistic, 3.5, 1e-14);
    close(fit.p_value, 0.623_387_627_749_582_2, 1e-10);
}

#[test]
fn both_tails_agree_with_mpmath() {
    // mpmath.gammainc(k/2, x/2, regularized): x, k, upper, lower.
    let cases = [
        (100.0, 50, 3.454_931_382_984_864e-5, 0.999_965_450_686_170_1),
        (200.0, 50, 7.857_610_724_654_744e-20, 1.0),
        (10.0, 50, 0.999_999_999_840_041_4, 1.599_586_398_487_006e-10),
        (30.0, 1, 4.320_463_057_827_497e-8, 0.999_999_956_795_369_4),
        (1e-4, 2, 0.999_950_001_249_979_2, 4.999_875_002_083_307_5e-5),
        // scipy.stats.chi2.sf and cdf, 1e6 degrees.
        (1_005_000.0, 1_000_000, 0.000_207_678_009_467, 0.999_792_321_990_533),
        (995_000.0, 1_000_000, 0.999_800_672_140_364, 0.000_199_327_859_635_7),
    ];
    for (x, degrees, upper, lower) in cases {
        let test = variance_test(&spread(x, degrees), 1.0).unwrap();
        close(test.statistic, x, 1e-9);
        close(test.p_value, upper, 1e-7);
        close(test.p_too_regular, lower, 1e-7);
        close(test.two_sided(), 2.0 * upper.min(lower), 1e-7);
    }
}

#[test]
fn perfectly_even_counts_are_too_regular() {
    let even = chi_square_uniform(&[1_000; 64]).unwrap();
    assert_eq!((even.statistic, even.p_value, even.p_too_regular), (0.0, 1.0, 0.0));
    assert_eq!(even.two_sided(), 0.0);
}

#[test]
fn a_statistic_without_a_law_has_no_p_value() {
    for test in [ChiSquare::new(f64::NAN, 3), ChiSquare::new(1.0, 0)] {
        assert!(test.p_value.is_nan() && test.p_too_regular.is_nan() && test.two_sided().is_nan());
    }
    let far = ChiSquare::new(f64::INFINITY, 3);
    assert_eq!((far.p_value, far.p_too_regular), (0.0, 1.0));
}

#[test]
fn tables_that_cannot_be_tested_are_errors() {
    let length = StatsError::LengthMismatch { observed: 2, expected: 1 };
    assert_eq!(chi_square_fit(&[9, 9], &[18.0]), Err(length));
    let small = StatsError::SmallExpectation { index: 1, value: 4.5 };
    assert_eq!(chi_square_fit(&[9, 5], &[9.5, 4.5]), Err(small));
    assert!(chi_square_fit(&[9, 5], &[9.0, f64::NAN]).is_err());
    assert!(matches!(chi_square_fit(&[9, 5], &[9.0, 9.0]), Err(StatsError::TotalMismatch { .. })));
    assert!(chi_square_uniform(&[]).is_err());
    assert!(chi_square_uniform(&[100]).is_err());
    assert!(chi_square_uniform(&[4, 4, 4]).is_err());
}

#[test]
fn moments_by_hand() {
    close(mean(&[2_u64, 4, 4, 4, 5, 5, 7, 9]).unwrap(), 5.0, 1e-15);
    close(sample_variance(&[2_u64, 4, 4, 4, 5, 5, 7, 9]).unwrap(), 32.0 / 7.0, 1e-15);
    close(mean(&[1.5, 2.5]).unwrap(), 2.0, 1e-15);
    assert_eq!(sample_variance(&[0.25; 9]).unwrap(), 0.0);
    assert_eq!(mean(&[f64::MAX, f64::MAX]).unwrap(), f64::MAX);
}

#[test]
fn a_small_spread_far_from_zero_survives() {
    // Variance of 1e9 + {4, 7, 13, 16} is 30.
    let values: Vec<f64> = [4.0, 7.0, 13.0, 16.0].map(|x| 1e9 + x).to_vec();
    close(sample_variance(&values).unwrap(), 30.0, 1e-14);
}

#[test]
fn samples_that_say_nothing_are_errors() {
    assert_eq!(mean::<f64>(&[]), Err(StatsError::TooFewValues { len: 0, needed: 1 }));
    assert_eq!(sample_variance(&[1_u64]), Err(StatsError::TooFewValues { len: 1, needed: 2 }));
    assert!(matches!(mean(&[1.0, f64::NAN]), Err(StatsError::NotFinite { index: 1, .. })));
    for sigma2 in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(variance_test(&[1.0, 2.0], sigma2).is_err());
    }
    assert!(variance_test(&[], 1.0).is_err());
}
