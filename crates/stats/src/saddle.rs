//! Binomial probabilities without cancellation (private).
//!
//! `ln P[S = s]` written with factorials loses every digit at large `n`: at
//! `n = 1e12` the logarithms are near `2.7e13` and their difference near 1. The
//! saddle-point form (C. Loader, "Fast and accurate computation of binomial
//! probabilities", 2000) replaces each factorial by Stirling's formula, whose
//! main parts cancel on paper and leave two deviances and three small remainders:
//!
//! `ln P[S = s] = 1/2 ln(n / (2 pi s (n-s))) + r(n) - r(s) - r(n-s)
//!               - n p H(s / np) - n q H((n-s) / nq)`, `H(t) = t ln t + 1 - t`.

use std::f64::consts::TAU;

/// `x ln(x/mean) + mean - x`, given `delta = x - mean` free of rounding.
fn deviance(x: f64, mean: f64, delta: f64) -> f64 {
    if x == 0.0 {
        return mean;
    }
    let u = delta / mean;
    if u.abs() >= 0.1 {
        return x * (x / mean).ln() - delta;
    }
    // H(1 + u) = u^2/(1*2) - u^3/(2*3) + u^4/(3*4) - ...
    let mut power = u * u;
    let mut sum = 0.5 * power;
    for i in 3..40 {
        power *= -u;
        let term = power / f64::from(i * (i - 1));
        sum += term;
        if term.abs() <= sum * 1e-17 {
            break;
        }
    }
    mean * sum
}

/// Stirling's remainder `r(x) = ln(x! / (sqrt(2 pi x) (x/e)^x))` for a whole `x >= 1`.
fn stirling_remainder(x: f64) -> f64 {
    if x < 16.0 {
        let mut factorial = 1.0;
        let mut i = 2.0;
        while i <= x {
            factorial *= i;
            i += 1.0;
        }
        return f64::ln(factorial) - (x + 0.5) * x.ln() + x - 0.5 * TAU.ln();
    }
    let r = 1.0 / (x * x);
    // Bernoulli numbers over 2i(2i-1).
    (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)))) / x
}

/// `s - n p`, from the rarer of successes and failures so that it survives `n > 2^53`.
pub(crate) fn excess(s: u64, n: u64, p: f64) -> f64 {
    if p <= 0.5 { (n as f64).mul_add(-p, s as f64) } else { (n as f64).mul_add(1.0 - p, -((n - s) as f64)) }
}

/// `ln P[S = s]` for `S` binomial with `n` trials of probability `p`, `s <= n`; minus
/// infinity where `P` is 0.
///
/// Absolute error about `1e-15 (1 + |ln P|)`.
pub(crate) fn ln_pmf(s: u64, n: u64, p: f64) -> f64 {
    let delta = excess(s, n, p);
    let (failures, s, n) = ((n - s) as f64, s as f64, n as f64);
    if n == 0.0 {
        return 0.0;
    }
    if s == 0.0 {
        return n * (-p).ln_1p();
    }
    if failures == 0.0 {
        return n * p.ln();
    }
    let q = 1.0 - p;
    0.5 * (n / (TAU * s * failures)).ln() + stirling_remainder(n)
        - stirling_remainder(s)
        - stirling_remainder(failures)
        - deviance(s, n * p, delta)
        - deviance(failures, n * q, -delta)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, want: f64) {
        assert!((got - want).abs() <= 1e-13 * (1.0 + want.abs()), "{got} {want}");
    }

    #[test]
    fn small_cases_by_hand() {
        // C(4,2)/16, C(5,1) 0.1 0.9^4.
        close(ln_pmf(2, 4, 0.5), 0.375_f64.ln());
        close(ln_pmf(1, 5, 0.1), 0.328_05_f64.ln());
        close(ln_pmf(0, 5, 0.1), 0.590_49_f64.ln());
        close(ln_pmf(5, 5, 0.1), 1e-5_f64.ln());
    }

    #[test]
    fn the_remainder_is_continuous_where_the_method_changes() {
        // mpmath: loggamma(x+1) - (x+1/2) ln x + x - ln(2 pi)/2.
        close(stirling_remainder(15.0), 0.005554733551962801);
        close(stirling_remainder(16.0), 0.005_207_655_919_609_64);
        close(stirling_remainder(1.0), 0.081_061_466_795_327_26);
    }

    #[test]
    fn probabilities_sum_to_one() {
        for (n, p) in [(1, 0.3), (17, 0.01), (300, 0.5), (1_000, 0.97)] {
            let sum: f64 = (0..=n).map(|s| ln_pmf(s, n, p).exp()).sum();
            close(sum, 1.0);
        }
    }
}
