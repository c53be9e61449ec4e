//! Derivations by name, for code that is compiled for each.
//!
//! Every scheme goes with every reduction. [`with_derivation`] finds a pair by its two names and calls a
//! visitor with the type; a table over all pairs is made by walking [`SCHEMES`] and [`REDUCTIONS`].

use thiserror::Error;

use crate::derive::{
    Derivation, Derive, Double, DoubleHalves, DoubleOdd, Enhanced, Extended, Independent, Modulo, Multiplicative,
    MultiplyShift, Reduction, Reseeded, Scheme, Triple, WideModulo, Worm,
};
use crate::names::nearest;

/// What filters use when nothing else is asked for: of the derivations whose rate cannot be told from that of
/// independent positions down to arrays of 256 bits, the cheapest (experiment `index-derivation`, both figures).
pub type DefaultDerivation = Derive<Multiplicative, MultiplyShift>;

/// Something to do with a derivation that is known by name only.
///
/// ```
/// use hashing::{Derivation, DerivationVisitor, SeedWords, with_derivation};
/// struct First(u64);
/// impl DerivationVisitor for First {
///     type Out = Vec<u64>;
///     fn visit<D: Derivation>(self) -> Vec<u64> {
///         D::positions(amq::Digest(self.0), &SeedWords::new(1), 1000).take(7).collect()
///     }
/// }
/// assert_eq!(with_derivation("triple", "modulo", First(42)).map(|positions| positions.len()), Ok(7));
/// let error = with_derivation("tripel", "modulo", First(42)).unwrap_err();
/// assert!(error.to_string().starts_with("unknown scheme `tripel`, nearest is `triple`; known: independent, "));
/// ```
pub trait DerivationVisitor {
    /// What comes of it.
    type Out;
    /// Called once, with the type that has the names.
    fn visit<D: Derivation>(self) -> Self::Out;
}

/// A name that no scheme or no reduction has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnknownDerivation {
    /// The scheme's name.
    #[error("unknown scheme `{given}`, nearest is `{nearest}`; known: {}", SCHEMES.join(", "))]
    Scheme {
        /// What was given.
        given: String,
        /// The nearest name there is.
        nearest: &'static str,
    },
    /// The reduction's name.
    #[error("unknown reduction `{given}`, nearest is `{nearest}`; known: {}", REDUCTIONS.join(", "))]
    Reduction {
        /// What was given.
        given: String,
        /// The nearest name there is.
        nearest: &'static str,
    },
}

macro_rules! catalog {
    (schemes: $($scheme:ident),+; reductions: $($reduction:ident),+) => {
        /// The names of all schemes, in the order they are shown.
        pub const SCHEMES: &[&str] = &[$($scheme::NAME),+];

        /// The names of all reductions, in the order they are shown.
        pub const REDUCTIONS: &[&str] = &[$($reduction::NAME),+];

        /// Calls `visitor` with the derivation that has the names.
        ///
        /// # Errors
        /// [`UnknownDerivation`] tells which of the names there is not, and the nearest there is.
        pub fn with_derivation<V: DerivationVisitor>(
            scheme: &str,
            reduction: &str,
            visitor: V,
        ) -> Result<V::Out, UnknownDerivation> {
            match scheme {
                $(<$scheme as Scheme>::NAME => with_reduction::<$scheme, V>(reduction, visitor),)+
                _ => Err(UnknownDerivation::Scheme { given: scheme.to_owned(), nearest: nearest(scheme, SCHEMES) }),
            }
        }

        fn with_reduction<S: Scheme, V: DerivationVisitor>(
            reduction: &str,
            visitor: V,
        ) -> Result<V::Out, UnknownDerivation> {
            match reduction {
                $(<$reduction as Reduction>::NAME => Ok(visitor.visit::<Derive<S, $reduction>>()),)+
                _ => Err(UnknownDerivation::Reduction {
                    given: reduction.to_owned(),
                    nearest: nearest(reduction, REDUCTIONS),
                }),
            }
        }
    };
}

catalog! {
    schemes: Independent, Double, DoubleOdd, DoubleHalves, Extended, Enhanced, Triple, Worm, Multiplicative, Reseeded;
    reductions: Modulo, WideModulo, MultiplyShift
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Names;

    impl DerivationVisitor for Names {
        type Out = (&'static str, &'static str);
        fn visit<D: Derivation>(self) -> Self::Out {
            (D::SCHEME, D::REDUCTION)
        }
    }

    #[test]
    fn every_pair_is_found_by_its_names() {
        assert_eq!((SCHEMES.len(), REDUCTIONS.len()), (10, 3));
        for scheme in SCHEMES {
            for reduction in REDUCTIONS {
                assert_eq!(with_derivation(scheme, reduction, Names), Ok((*scheme, *reduction)));
            }
        }
        assert!(SCHEMES.contains(&DefaultDerivation::SCHEME) && REDUCTIONS.contains(&DefaultDerivation::REDUCTION));
    }

    #[test]
    fn unknown_names() {
        let given = "wide-modul".to_owned();
        let error = UnknownDerivation::Reduction { given, nearest: "wide-modulo" };
        assert_eq!(with_derivation("worm", "wide-modul", Names), Err(error));
        let error = UnknownDerivation::Scheme { given: "Worm".to_owned(), nearest: "worm" };
        assert_eq!(with_derivation("Worm", "modulo", Names), Err(error));
    }
}
