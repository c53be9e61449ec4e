//! The space that no filter of a class can go below.

/// What a filter must be able to do decides which lower bound on space it is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// All keys known at construction, or inserts only: `lg(1/eps)` bits per key
    /// (Carter, Floyd, Gill, Markowsky, Wegman, STOC 1978).
    ///
    /// Insert-only filters obey a slightly larger bound, `C(eps) lg(1/eps)` with an unknown constant
    /// `C(eps) > 1` (Lovett and Porat, FOCS 2010); the static bound is the one with a number.
    Static,
    /// Inserts and deletes: `H(eps)/eps` bits per key, which is `lg(1/eps) + lg e - O(eps)`
    /// (Kuszmaul and Walzer, STOC 2024).
    Dynamic,
}

impl Class {
    /// The fewest bits per key at false-positive rate `eps`, for `eps` in `(0, 1)`; 0 at `eps >= 1`, infinite
    /// at 0, NaN for what is no probability.
    #[must_use]
    pub fn bits_per_key(self, eps: f64) -> f64 {
        if eps.is_nan() || eps < 0.0 {
            return f64::NAN;
        }
        if eps == 0.0 {
            return f64::INFINITY;
        }
        if eps >= 1.0 {
            return 0.0;
        }
        match self {
            Class::Static => -eps.log2(),
            // H(eps)/eps = lg(1/eps) - (1-eps)/eps lg(1-eps), with ln_1p so that it holds for tiny eps.
            Class::Dynamic => -eps.log2() - (1.0 - eps) / eps * (-eps).ln_1p() * std::f64::consts::LOG2_E,
        }
    }

    /// The lowest false-positive rate that `bits_per_key` allow in the static class: `2^-c`.
    #[must_use]
    pub fn static_rate(bits_per_key: f64) -> f64 {
        (-bits_per_key).exp2()
    }

    /// The name in tables: `static` or `dynamic`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Static => "static",
            Class::Dynamic => "dynamic",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() < 5e-7, "{left} and {right}");
    }

    /// Values of H(eps)/eps and lg(1/eps) computed with 50 digits outside of this program.
    #[test]
    fn bounds_at_known_rates() {
        close(Class::Static.bits_per_key(0.01), 6.643_856);
        close(Class::Dynamic.bits_per_key(0.01), 8.079_314);
        close(Class::Static.bits_per_key(0.001), 9.965_784);
        close(Class::Dynamic.bits_per_key(0.001), 11.407_758);
        close(Class::Static.bits_per_key(2f64.powi(-8)), 8.0);
        close(Class::Dynamic.bits_per_key(2f64.powi(-8)), 9.439_874);
    }

    #[test]
    fn edges() {
        for class in [Class::Static, Class::Dynamic] {
            assert_eq!(class.bits_per_key(1.0), 0.0);
            assert_eq!(class.bits_per_key(0.0), f64::INFINITY);
            assert!(class.bits_per_key(f64::NAN).is_nan());
            assert!(class.bits_per_key(-0.1).is_nan());
        }
        close(Class::Dynamic.bits_per_key(1e-300) - Class::Static.bits_per_key(1e-300), std::f64::consts::LOG2_E);
        assert_eq!(Class::static_rate(8.0), 0.003_906_25);
    }
}
