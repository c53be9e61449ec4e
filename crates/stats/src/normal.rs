//! The standard normal law, accurate in its tails.

use std::f64::consts::{SQRT_2, TAU};

use statrs::function::erf::erfc_inv;

use crate::error::{StatsError, inside_unit};

/// Where the series gives way to the continued fraction.
const SWITCH: f64 = 2.0;

/// The density `exp(-z^2/2) / sqrt(2 pi)`.
pub(crate) fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / TAU.sqrt()
}

/// Mills' ratio `P[Z >= z] / density(z)` for `z >= 2`: Laplace's continued fraction
/// `1/(z + 1/(z + 2/(z + 3/(z + ...))))`, from the inside out.
///
/// (M. Abramowitz and I. A. Stegun, "Handbook of mathematical functions", 1964, 26.2.14.)
/// After `n` levels the relative error is about `exp(-2 z sqrt(2n))`.
fn mills(z: f64) -> f64 {
    let levels = (400.0 / (z * z)) as u32 + 5;
    (1..=levels).rev().fold(z, |tail, i| z + f64::from(i) / tail).recip()
}

/// `P[0 <= Z <= z]` for `0 <= z <= 2`: `density(z) (z + z^3/3 + z^5/(3 5) + ...)`
/// (Abramowitz and Stegun 26.2.11), all terms positive.
fn centre(z: f64) -> f64 {
    let (mut term, mut sum, mut i) = (z, z, 3.0);
    while term > sum * 1e-18 {
        term *= z * z / i;
        sum += term;
        i += 2.0;
    }
    density(z) * sum
}

/// `P[Z >= z]`, `Z` standard normal; NaN for NaN.
///
/// Relative error below `1e-13` up to `z = 37`, where the probability is `1e-300`;
/// it underflows to 0 near 38.5. The library `erfc` is not used: its error is `1e-10` here.
pub fn normal_sf(z: f64) -> f64 {
    if z.is_nan() {
        z
    } else if z > SWITCH {
        density(z) * mills(z)
    } else if z >= 0.0 {
        0.5 - centre(z)
    } else if z >= -SWITCH {
        0.5 + centre(-z)
    } else {
        1.0 - normal_sf(-z)
    }
}

/// `P[Z <= z]`, `Z` standard normal; equal to [`normal_sf`] of `-z`.
pub fn normal_cdf(z: f64) -> f64 {
    normal_sf(-z)
}

/// `ln P[Z >= z]`, also where the probability itself underflows.
pub(crate) fn ln_sf(z: f64) -> f64 {
    if z > SWITCH { -0.5 * z * z - 0.5 * TAU.ln() + mills(z).ln() } else { normal_sf(z).ln() }
}

/// The `z` with `P[Z <= z] = probability`, for a probability strictly between 0 and 1.
///
/// For a tail of `alpha` above, ask for `-normal_quantile(alpha)`, not for the quantile
/// of `1 - alpha`. Method: inverse complementary error function, then one Newton step
/// on the logarithm of the tail; error below `1e-13`.
///
/// # Errors
///
/// [`StatsError::NotInsideUnit`] otherwise, NaN included.
pub fn normal_quantile(probability: f64) -> Result<f64, StatsError> {
    let p = inside_unit("probability", probability)?;
    Ok(if p > 0.5 { upper_quantile(1.0 - p) } else { -upper_quantile(p) })
}

/// The `z` with `P[Z >= z] = tail`, for `0 < tail <= 1/2`.
fn upper_quantile(tail: f64) -> f64 {
    let z = SQRT_2 * erfc_inv(2.0 * tail);
    if z <= 0.0 || !z.is_finite() {
        return 0.0_f64.max(z);
    }
    // d ln P / dz = -density / P, the inverse of Mills' ratio.
    let ratio = if z > SWITCH { mills(z) } else { normal_sf(z) / density(z) };
    z + (ln_sf(z) - tail.ln()) * ratio
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want.abs(), "got {got:e}, want {want:e}");
    }

    #[test]
    fn tails_agree_with_mpmath() {
        // mpmath, 30 digits: erfc(z/sqrt(2))/2.
        close(normal_sf(0.0), 0.5, 1e-16);
        close(normal_sf(1.0), 0.158_655_253_931_457_05, 1e-14);
        close(normal_sf(-1.0), 0.841_344_746_068_542_9, 1e-14);
        close(normal_sf(5.327), 4.992_408_187_460_169e-8, 1e-13);
        close(normal_cdf(-10.0), 7.619_853_024_160_526e-24, 1e-13);
        close(normal_sf(37.0), 5.725_571_222_524_577e-300, 1e-13);
        close(normal_sf(-10.0), 1.0, 1e-16);
    }

    #[test]
    fn both_methods_meet_at_the_switch() {
        // mpmath: erfc(sqrt(2))/2 and at 2.000001, with slope -density(2).
        close(0.5 - centre(2.0), 0.022_750_131_948_179_21, 1e-13);
        close(density(2.0) * mills(2.0), 0.022_750_131_948_179_21, 1e-13);
    }

    #[test]
    fn the_logarithm_outlives_the_probability() {
        close(ln_sf(37.0), 5.725_571_222_524_577e-300_f64.ln(), 1e-14);
        // mpmath: log(erfc(100/sqrt(2))/2).
        close(ln_sf(100.0), -5_005.524_208_694_205, 1e-14);
        assert_eq!(normal_sf(100.0), 0.0);
        assert_eq!(ln_sf(f64::INFINITY), f64::NEG_INFINITY);
    }

    #[test]
    fn quantiles_agree_with_mpmath_and_invert_the_tail() {
        close(normal_quantile(1e-7).unwrap(), -5.199_337_582_192_817, 1e-14);
        close(normal_quantile(0.3).unwrap(), -0.524_400_512_708_040_8, 1e-13);
        close(normal_quantile(0.975).unwrap(), 1.959_963_984_540_054_2, 1e-13);
        close(normal_quantile(1e-300).unwrap(), -37.047_096_299_361_2, 1e-14);
        assert_eq!(normal_quantile(0.5).unwrap(), 0.0);
        for p in [1e-200, 1e-20, 1e-3, 0.02, 0.2, 0.499_999] {
            close(normal_cdf(normal_quantile(p).unwrap()), p, 1e-11);
        }
    }

    #[test]
    fn bad_input_is_an_error() {
        for p in [0.0, 1.0, -0.1, 2.0, f64::NAN, f64::INFINITY] {
            assert!(normal_quantile(p).is_err(), "{p}");
        }
        assert!(normal_sf(f64::NAN).is_nan());
        assert_eq!(normal_sf(f64::INFINITY), 0.0);
        assert_eq!(normal_sf(f64::NEG_INFINITY), 1.0);
    }
}
