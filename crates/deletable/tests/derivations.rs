//! The laws of prediction for every derivation: what it claims is what it keeps.
use conformance::{Case, laws};
use deletable::{DeletableBloom, Params};
use hashing::{Derivation, DerivationVisitor, REDUCTIONS, SCHEMES, with_derivation};

/// Holds the laws at one case.
struct Held(Params, u64);

impl DerivationVisitor for Held {
    type Out = Vec<String>;
    fn visit<D: Derivation>(self) -> Vec<String> {
        let case = Case::<DeletableBloom<D>>::incremental(self.0, self.1);
        let laws = [
            ("predictions", laws::theory::predictions_are_sound as fn(&Case<DeletableBloom<D>>) -> _),
            ("theory", laws::rate::rate_follows_theory),
            ("contents", laws::rate::rate_follows_contents),
        ];
        let broken = laws.into_iter().filter_map(|(name, law)| law(&case).err().map(|violation| (name, violation)));
        broken.map(|(name, v)| format!("{}/{} {case:?}: {name}: {v}", D::SCHEME, D::REDUCTION)).collect()
    }
}

#[test]
fn every_derivation_keeps_what_it_claims() {
    let mut broken = Vec::new();
    for scheme in SCHEMES {
        for reduction in REDUCTIONS {
            for (m, k, keys) in [(9600, 7, 1000), (1021, 5, 150), (256, 4, 40)] {
                broken.extend(
                    with_derivation(scheme, reduction, Held(Params { m, k, regions: m / 4 }, keys))
                        .expect("known names"),
                );
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
