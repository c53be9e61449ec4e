//! The standard normal law, accurate in its tails.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use statrs::function::erf::{erfc, erfc_inv};

use crate::error::{StatsError, inside_unit};

/// `P[Z <= z]`, `Z` standard normal: `erfc(-z / sqrt 2) / 2`; NaN for NaN.
///
/// Relative error below `1e-13` for `z >= -37`, 0 below about -38.5.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z * FRAC_1_SQRT_2)
}

/// `P[Z >= z]`, `Z` standard normal; equal to [`normal_cdf`] of `-z`.
pub fn normal_sf(z: f64) -> f64 {
    normal_cdf(-z)
}

/// `ln P[Z >= z]`, also where the probability itself underflows.
pub(crate) fn ln_sf(z: f64) -> f64 {
    if z < 30.0 {
        return normal_sf(z).ln();
    }
    // Mills' ratio, divergent but good to 1e-12 from z = 30 on.
    let r = 1.0 / (z * z);
    let series = r * (-1.0 + r * (3.0 + r * (-15.0 + r * 105.0)));
    -0.5 * z * z - z.ln() - 0.5 * TAU.ln() + series.ln_1p()
}

/// The `z` with `P[Z <= z] = probability`, for a probability strictly between 0 and 1.
///
/// For a tail of `alpha` above, ask for `-normal_quantile(alpha)`, not for the quantile
/// of `1 - alpha`. Method: inverse complementary error function, then one Newton step
/// on the logarithm of the tail; relative error below `1e-13`.
///
/// # Errors
///
/// [`StatsError::NotInsideUnit`] otherwise, NaN included.
pub fn normal_quantile(probability: f64) -> Result<f64, StatsError> {
    let p = inside_unit("probability", probability)?;
    if p > 0.5 {
        return Ok(-lower_quantile(1.0 - p));
    }
    Ok(lower_quantile(p))
}

/// The quantile for `0 < p <= 1/2`.
fn lower_quantile(p: f64) -> f64 {
    let z = -std::f64::consts::SQRT_2 * erfc_inv(2.0 * p);
    let cdf = normal_cdf(z);
    let density = (-0.5 * z * z).exp() / TAU.sqrt();
    if cdf > 0.0 && density > 0.0 { z - (cdf / p).ln() * cdf / density } else { z }
}
