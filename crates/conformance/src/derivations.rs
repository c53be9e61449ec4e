//! The laws of prediction for every way from a digest to positions.

/// Makes a test that holds the laws of prediction and rate against every scheme with every reduction of `hashing`, on which
/// the crate that calls must depend. `known` are the beginnings of what is known not to hold; one that is mended is an error too.
///
/// ```text
/// conformance::derivations! {
///     filter<D>: standard::StandardBloom<D>,
///     cases: [standard::Params { m: 9600, k: 7 } => 1000],
///     known: [],
/// }
/// ```
#[macro_export]
macro_rules! derivations {
    (
        filter<$derivation:ident>: $filter:ty,
        cases: [$($params:expr => $keys:expr),+ $(,)?],
        known: [$($known:expr),* $(,)?] $(,)?
    ) => {
        /// Holds the laws at all cases.
        struct Held;

        impl ::hashing::DerivationVisitor for Held {
            type Out = Vec<String>;
            fn visit<$derivation: ::hashing::Derivation>(self) -> Vec<String> {
                let laws = [
                    ("predictions", $crate::laws::theory::predictions_are_sound as fn(&$crate::Case<$filter>) -> _),
                    ("theory", $crate::laws::rate::rate_follows_theory),
                    ("contents", $crate::laws::rate::rate_follows_contents),
                ];
                let name = format!("{}/{}", $derivation::SCHEME, $derivation::REDUCTION);
                let cases = [$($crate::Case::<$filter>::incremental($params, $keys)),+];
                let held = cases.iter().flat_map(|case| laws.iter().map(move |(law, holds)| (case, law, holds(case))));
                held.filter_map(|(case, law, result)| Some(format!("{name} {case:?}: {law}: {}", result.err()?))).collect()
            }
        }

        #[test]
        fn every_derivation_keeps_what_it_claims() {
            let known: &[&str] = &[$($known),*];
            let pairs = ::hashing::SCHEMES.iter().flat_map(|scheme| ::hashing::REDUCTIONS.iter().map(move |it| (scheme, it)));
            let broken = pairs.flat_map(|(scheme, reduction)| {
                ::hashing::with_derivation(scheme, reduction, Held).expect("names of `hashing`")
            });
            let (old, new): (Vec<_>, Vec<_>) =
                broken.partition(|text| known.iter().any(|known| text.starts_with(known)));
            assert!(new.is_empty(), "{}", new.join("\n"));
            assert_eq!(old.len(), known.len(), "mended: take it out of `known`");
        }
    };
}
