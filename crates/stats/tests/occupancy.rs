//! Balls into bins against enumeration, the occupancy recurrence and exact arithmetic.

use stats::occupancy::{
    covered, covered_distinct, mean_occupied, power_mean_occupied, sd_power_occupied, variance_occupied,
};

fn close(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "got {got:e}, want {want:e}");
}

/// `P[X = i]`, `i = 0..=m`, by adding one ball at a time.
fn law(m: usize, balls: usize) -> Vec<f64> {
    let mut p = vec![0.0; m + 1];
    p[0] = 1.0;
    for _ in 0..balls {
        for i in (1..=m).rev() {
            p[i] = p[i] * i as f64 / m as f64 + p[i - 1] * (m - i + 1) as f64 / m as f64;
        }
        p[0] = 0.0;
    }
    p
}

/// `E[f(X)]` under a law.
fn expect(law: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    law.iter().enumerate().map(|(i, p)| p * f(i as f64)).sum()
}

#[test]
fn every_sequence_of_few_balls_enumerated() {
    for (m, balls) in [(1_u64, 3_u32), (2, 5), (3, 6), (4, 5), (5, 4), (7, 2)] {
        let total = m.pow(balls);
        let masks: Vec<u64> =
            (0..total).map(|code| (0..balls).fold(0, |mask, i| mask | 1 << (code / m.pow(i) % m))).collect();
        let average = |f: &dyn Fn(u64) -> f64| masks.iter().map(|&x| f(x)).sum::<f64>() / total as f64;
        let got = covered(9, m, u64::from(balls));
        for (j, &p) in got.iter().enumerate() {
            let all = (1_u64 << j) - 1;
            let want = average(&|mask| f64::from(u8::from(mask & all == all)));
            assert!((p - want).abs() < 1e-14, "m {m} balls {balls} j {j}: {p} {want}");
        }
        let ones = |mask: u64| f64::from(mask.count_ones());
        let mean = average(&ones);
        close(mean_occupied(m, u64::from(balls)), mean, 1e-14);
        let variance = average(&|x| (ones(x) - mean).powi(2));
        assert!((variance_occupied(m, u64::from(balls)) - variance).abs() < 1e-13, "{m} {balls}");
        for k in 1..6 {
            let want = average(&|x| (ones(x) / m as f64).powi(k));
            close(power_mean_occupied(k as u32, m, u64::from(balls)), want, 1e-13);
        }
    }
}

#[test]
fn every_choice_of_distinct_bins_enumerated() {
    for (m, k, rounds) in [(3, 1, 3), (4, 2, 3), (5, 3, 2), (6, 4, 2), (4, 4, 1), (5, 4, 3)] {
        let choices: Vec<u64> = (0..1_u64 << m).filter(|c| c.count_ones() == k).collect();
        let mut masks = vec![0_u64];
        for _ in 0..rounds {
            masks = masks.iter().flat_map(|x| choices.iter().map(move |c| x | c)).collect();
        }
        let got = covered_distinct(8, m, rounds, u64::from(k));
        for (j, &p) in got.iter().enumerate() {
            let all = (1_u64 << j) - 1;
            let hits = masks.iter().filter(|&&x| x & all == all).count();
            let want = hits as f64 / masks.len() as f64;
            assert!((p - want).abs() < 1e-14, "m {m} k {k} rounds {rounds} j {j}: {p} {want}");
        }
    }
}

#[test]
fn the_occupancy_recurrence_gives_the_same_moments() {
    for m in [2_usize, 5, 16, 33, 64] {
        for balls in [0_usize, 1, 2, 7, 40, 300] {
            let law = law(m, balls);
            let (bins, n) = (m as u64, balls as u64);
            let mean = expect(&law, |x| x);
            let variance = expect(&law, |x| (x - mean).powi(2));
            assert!((mean_occupied(bins, n) - mean).abs() <= 1e-13 * mean);
            // The law itself loses digits where it is almost certain.
            let slack = 1e-10 * variance + 1e-12;
            assert!((variance_occupied(bins, n) - variance).abs() <= slack, "{m} {balls}");
            for k in [1_u32, 3, 12, 30, 64] {
                let power = |x: f64| (x / m as f64).powi(k as i32);
                let want = expect(&law, power);
                close(power_mean_occupied(k, bins, n), want, 1e-12);
                let sd = expect(&law, |x| (power(x) - want).powi(2)).sqrt();
                let got = sd_power_occupied(k, bins, n);
                assert!((got - sd).abs() <= 1e-4 * sd + 1e-7 * want, "{m} {balls} {k} {got} {sd}");
            }
        }
    }
}

#[test]
fn the_classic_formula_falls_short_by_the_published_gaps() {
    // Relative gap 1 - (1 - q)^k / E[(X/m)^k] for bins, keys, probes per key.
    let cases = [
        (16, 3, 2, 0.0212, 1e-4),
        (32, 4, 3, 0.0329, 1e-4),
        (64, 8, 5, 0.0476, 1e-4),
        (100, 10, 7, 0.0606, 1e-4),
        (256, 32, 6, 0.0170, 1e-4),
        (1_024, 128, 5, 0.003_14, 1e-5),
        (1_000, 100, 7, 0.006_37, 1e-5),
        (10_000, 1_000, 7, 0.000_64, 1e-5),
        (1_000_000, 100_000, 7, 6.4e-6, 1e-7),
    ];
    for (m, n, k, gap, half_digit) in cases {
        let fill = mean_occupied(m, n * u64::from(k)) / m as f64;
        let got = 1.0 - fill.powi(k as i32) / power_mean_occupied(k, m, n * u64::from(k));
        assert!((got - gap).abs() <= half_digit, "({m},{n},{k}): {got} {gap}");
    }
}

// The constants below: mpmath 1.4 with mp.dps = 600 on the alternating sums
// `sum (-1)^i C(j,i) (1-i/m)^N`, `sum (-1)^i C(j,i) (C(m-i,k)/C(m,k))^r` and
// `m^-k sum_j S(k,j) m^(j) P_j`, with exact integers for C and S:
//   cov = lambda j,m,N: mp.fsum([(-1)**i*comb(j,i)*(mp.mpf(m-i)/m)**N for i in range(j+1)])

#[test]
fn covered_agrees_with_exact_arithmetic() {
    let cases = [
        (10, 12, 40, 0.721_495_151_402_788_1),
        (30, 1_000_000, 693_147, 9.310_464_364_983_29e-10),
        (30, 1_000_000, 51_293, 9.237_079_989_926_08e-40),
        (30, 1 << 40, 762_123_384_786, 9.313_225_743_737_054e-10),
        (64, 1 << 48, 100_000_000_000_000, 2.783_033_089_095_514e-34),
        // A power of two: every step of the matrix power is a squaring.
        (30, 1 << 48, 1 << 46, 2.205_502_505_300_220_6e-20),
    ];
    for (j, m, balls, want) in cases {
        close(covered(j, m, balls)[j as usize], want, 1e-13);
    }
}

#[test]
fn covered_distinct_agrees_with_exact_arithmetic() {
    let cases = [
        (3, 5, 1, 3, 0.1),
        (5, 20, 6, 4, 0.197_017_417_330_655_86),
        (6, 10, 3, 7, 0.842_432_870_370_370_4),
        (30, 1_000_000, 23_105, 30, 9.314_110_376_669_315e-10),
        (30, 1_000_000, 1_709, 30, 9.120_575_249_305_767e-40),
    ];
    for (j, m, rounds, k, want) in cases {
        close(covered_distinct(j, m, rounds, k)[j as usize], want, 1e-13);
    }
}

#[test]
fn power_means_agree_with_exact_arithmetic() {
    let cases = [
        (5, 100, 30, 0.001_242_093_808_048_592),
        (12, 8, 9, 0.052_618_650_505_981_53),
        (30, 64, 20, 5.765_999_442_807_833e-17),
        (7, 1_000_000, 700_000, 0.008_193_794_400_339_355),
        (30, 1_000_000, 693_147, 9.314_515_344_068_98e-10),
        (30, 1_000_000, 51_293, 9.313_755_999_573_744e-40),
        (30, 1 << 40, 762_123_384_786, 9.313_225_747_421_647e-10),
        (64, 1 << 48, 100_000_000_000_000, 2.783_033_089_142_242e-34),
    ];
    for (k, m, balls, want) in cases {
        close(power_mean_occupied(k, m, balls), want, 1e-13);
    }
}

#[test]
fn variances_agree_with_exact_arithmetic() {
    let cases = [
        (2, 5, 0.058_593_75),
        (3, 2, 2.0 / 9.0),
        (7, 3, 0.282_382_340_691_378_6),
        (10_000, 4_999, 546.972_050_184_644_2),
        (10_000, 5_001, 547.230_531_487_9),
        (1_000_000, 700_000, 77_370.472_534_584_91),
        (1_000_000, 10_000_000, 45.377_030_382_576_55),
        (1 << 40, 2, 9.094_947_017_721_01e-13),
        (1 << 40, 1_000, 4.542_926_028_479_139e-7),
        (1 << 40, 1_000_000, 0.454_746_206_824_123_35),
        (1 << 40, 762_123_384_786, 84_347_060_747.572_58),
    ];
    for (m, balls, want) in cases {
        close(variance_occupied(m, balls), want, 1e-12);
    }
    assert!((variance_occupied(1_000_000, 700_000).sqrt() - 278.16).abs() < 0.01);
}

#[test]
fn spreads_of_powers_agree_with_exact_arithmetic() {
    let cases = [
        (7, 1_000, 700, 0.001_011_128_136_395_99, 1e-9),
        (30, 64, 20, 1.340_928_784_214_958_6e-16, 1e-11),
        (7, 1_000_000, 700_000, 3.169_165_062_581_003e-5, 1e-7),
        (30, 1_000_000, 693_147, 1.547_994_802_562_266_4e-11, 1e-7),
        (3, 1_000_000_000, 100_000, 6.706_873_645_989_982e-17, 1e-5),
        (64, 1 << 40, 700_000_000_000, 4.052_063_451_171_228e-26, 1e-7),
    ];
    for (k, m, balls, want, relative) in cases {
        close(sd_power_occupied(k, m, balls), want, relative);
    }
}

#[test]
fn a_number_of_bins_that_hardly_varies_has_the_spread_of_two_values() {
    // Two bins, 40 balls: (1/2)^k with probability q = 2^-39, else 1.
    let q = 0.5_f64.powi(39);
    close(sd_power_occupied(3, 2, 40), 0.875 * (q * (1.0 - q)).sqrt(), 1e-9);
    // Two balls, m bins: one bin occupied with probability 1/m, else two.
    let m = 1_u64 << 40;
    let p = (2.0 / m as f64).powi(5);
    close(sd_power_occupied(5, m, 2), p * (1.0 - 0.5_f64.powi(5)) / (m as f64).sqrt(), 1e-9);
}

#[test]
fn edges() {
    assert_eq!(covered(2, 10, 0), [1.0, 0.0, 0.0]);
    assert_eq!(covered(2, 0, 5), [1.0, 0.0, 0.0]);
    assert_eq!(covered(3, 2, 1 << 40), [1.0, 1.0, 1.0, 0.0]);
    assert_eq!(covered_distinct(2, 10, 0, 3), [1.0, 0.0, 0.0]);
    assert_eq!(covered_distinct(2, 10, 3, 0), [1.0, 0.0, 0.0]);
    assert_eq!(covered_distinct(3, 2, 1, 99), [1.0, 1.0, 1.0, 0.0]);
    assert_eq!(power_mean_occupied(0, 10, 10), 1.0);
    assert_eq!(power_mean_occupied(3, 10, 0), 0.0);
    assert_eq!(power_mean_occupied(3, 0, 10), 0.0);
    assert_eq!(mean_occupied(0, 7) + variance_occupied(0, 7) + sd_power_occupied(3, 0, 7), 0.0);
    assert_eq!((mean_occupied(1, 7), variance_occupied(1, 7)), (1.0, 0.0));
    assert!(covered(128, 1 << 48, u64::MAX).iter().all(|p| (0.0..=1.0).contains(p)));
}
