//! The contenders, each a line, and how a filter of yours joins them.

use amq::{
    BuildError, Class, Decaying, Digest, Given, Goal, IncrementalFilter, InvalidParams, Lines, NamedValue,
    NoFalseNegatives, ParamInfo, Prediction, StaticFilter, Theory,
};
use conformance::Finding;
use hashing::{Derivation, DerivationVisitor, UnknownDerivation};
use serde_json::Value;

use crate::capabilities::Capabilities;
use crate::controls::{Coin, Exact, Inflated, Leaky};
use crate::designs::{FingerprintList, OneHashBitmap};
use crate::erased::{ErasedFilter, build_incremental, build_static};
use crate::error::nearest;
use crate::keys::DigestSource;
use crate::{capabilities, contender};

/// What a contender is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A filter to be measured.
    Variant,
    /// A plain design that variants are measured against; only run by name.
    Baseline,
    /// A filter that the pipeline must judge in a known way; only run by name.
    Control,
    /// A published crate behind an adapter; only run by name, or beside a variant where that is asked for.
    Published,
}

/// Parameters whose type is no longer known: the serialised form of `Filter::Params`.
pub type Params = Value;

type Result<T> = std::result::Result<T, InvalidParams>;
/// Holds filters of parameters and a number of keys to the laws that are wanted by name.
pub type Findings = fn(&Params, u64, &dyn Fn(&str) -> bool) -> Result<Vec<Finding>>;
type Build = fn(&Params, u64, &mut dyn DigestSource) -> std::result::Result<Box<dyn ErasedFilter>, BuildError>;
type Derive = fn(&str, &str) -> std::result::Result<Contender, UnknownDerivation>;

/// What is known of a filter's type beyond its bounds; [`capabilities!`](crate::capabilities!) makes it.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// What the type can do.
    pub capabilities: Capabilities,
    /// Holds filters of parameters and a number of keys to those laws of the type's traits that are wanted by name.
    pub findings: Findings,
    /// Takes keys out, where the type can.
    pub remove: Option<capabilities::Remove>,
    /// Saves and loads, where the type can.
    pub files: Option<capabilities::Files>,
    /// The type as it is written in code.
    pub path: fn() -> &'static str,
}

/// A filter under an id: a row of functions compiled for its type.
#[derive(Clone, Copy, Debug)]
pub struct Contender {
    /// The id: directory, CSV value and style key alike.
    pub id: &'static str,
    /// Variant or control.
    pub role: Role,
    /// Of a published crate, its name and version.
    pub published: Option<&'static str>,
    /// Of a published crate, the ids of the variants that it is of one class with.
    pub beside: &'static [&'static str],
    /// The bound on space it is held to.
    pub class: Class,
    /// Its parameters; empty where the id fixes them all.
    pub params: &'static [ParamInfo],
    /// Whether it promises no false negatives.
    pub no_false_negatives: bool,
    /// See [`Theory::SIZING`].
    pub sizing: Option<&'static str>,
    /// Whether it hashes keys itself: its digests are then the keys, and it is timed with the family `identity` alone.
    pub hashes_itself: bool,
    /// What its type can do, and the laws of it.
    pub traits: Traits,
    size_for: fn(u64, f64) -> Result<Params>,
    size_for_fpr: fn(u64, f64) -> Result<Params>,
    size_with: fn(&Given, u64, Goal) -> Result<Params>,
    params_from: fn(&Given, u64) -> Result<Params>,
    predicted_fpr: fn(&Params, u64) -> Result<Prediction>,
    rate_spread: fn(&Params, u64) -> Result<f64>,
    named_values: fn(&Params, u64) -> Result<Vec<NamedValue>>,
    lines_touched: fn(&Params, u64) -> Result<Option<Lines>>,
    literal: fn(&Params) -> Result<String>,
    build: Build,
    derive: Option<Derive>,
}

impl Contender {
    /// A filter that takes keys one by one and promises no false negatives.
    ///
    /// What else its type can do is found by [`contender!`](crate::contender), where the type is named.
    #[must_use]
    pub const fn incremental<F: IncrementalFilter + Theory + NoFalseNegatives + 'static>(id: &'static str) -> Self {
        let traits = Traits { path: std::any::type_name::<F>, ..capabilities!(F) };
        Self::of::<F>(id, traits, |params, seed, keys| build_incremental::<F>(&typed::<F>(params)?, seed, keys))
    }

    /// A filter built from all its keys that promises no false negatives.
    #[must_use]
    pub const fn fixed<F: StaticFilter + Theory + NoFalseNegatives + 'static>(id: &'static str) -> Self {
        let traits = Traits { path: std::any::type_name::<F>, ..capabilities!(F) };
        Self::of::<F>(id, traits, |params, seed, keys| build_static::<F>(&typed::<F>(params)?, seed, keys))
    }

    /// A filter that takes keys one by one and forgets some of them by design.
    #[must_use]
    pub const fn decaying<F: Decaying + Theory + 'static>(id: &'static str) -> Self {
        let traits = Traits { path: std::any::type_name::<F>, ..capabilities!(F) };
        Self::of::<F>(id, traits, |params, seed, keys| build_incremental::<F>(&typed::<F>(params)?, seed, keys))
    }

    const fn of<F: Theory>(id: &'static str, traits: Traits, build: Build) -> Self {
        Self {
            id,
            role: Role::Variant,
            published: None,
            beside: &[],
            class: F::CLASS,
            params: F::PARAMS,
            sizing: F::SIZING,
            no_false_negatives: traits.capabilities.no_false_negatives,
            hashes_itself: false,
            traits,
            size_for: |keys, bits_per_key| erased::<F>(&F::size_for(keys, bits_per_key)?),
            size_for_fpr: |keys, fpr| erased::<F>(&F::size_for_fpr(keys, fpr)?),
            size_with: |given, keys, goal| erased::<F>(&F::size_with(given, keys, goal)?),
            params_from: |given, keys| erased::<F>(&F::params_from(given, keys)?),
            predicted_fpr: |params, keys| Ok(F::predicted_fpr(&typed::<F>(params)?, keys)),
            rate_spread: |params, keys| Ok(F::rate_spread(&typed::<F>(params)?, keys)),
            named_values: |params, keys| Ok(F::named_values(&typed::<F>(params)?, keys)),
            lines_touched: |params, keys| Ok(F::lines_touched(&typed::<F>(params)?, keys)),
            literal: |params| Ok(format!("{:?}", typed::<F>(params)?)),
            build,
            derive: None,
        }
    }

    /// With what was found of its type; see [`contender!`](crate::contender).
    #[must_use]
    pub const fn with_traits(mut self, traits: Traits) -> Self {
        self.traits = traits;
        self
    }

    /// Marks a control.
    #[must_use]
    pub const fn control(mut self) -> Self {
        self.role = Role::Control;
        self
    }

    /// Marks a baseline.
    #[must_use]
    pub const fn baseline(mut self) -> Self {
        self.role = Role::Baseline;
        self
    }

    /// Marks an adapter of a published crate, named with its version; it is shown beside the variants of these ids.
    #[must_use]
    pub const fn published(mut self, version: &'static str, beside: &'static [&'static str]) -> Self {
        self.role = Role::Published;
        self.published = Some(version);
        self.beside = beside;
        self
    }

    /// Marks one that hashes keys itself and takes them as they are in place of digests.
    #[must_use]
    pub const fn hashing_itself(mut self) -> Self {
        self.hashes_itself = true;
        self
    }

    /// Lets a definition name scheme and reduction: `derive` makes the contender of a pair.
    #[must_use]
    pub const fn with_derivations(mut self, derive: Derive) -> Self {
        self.derive = Some(derive);
        self
    }

    /// This contender with another scheme and reduction; `None` where it has no such factor.
    ///
    /// # Errors
    /// [`UnknownDerivation`] names the nearest valid name.
    pub fn derived(&self, scheme: &str, reduction: &str) -> Option<std::result::Result<Contender, UnknownDerivation>> {
        let with_traits = |derived| Contender { traits: self.traits, ..derived };
        self.derive.map(|derive| derive(scheme, reduction).map(with_traits))
    }

    /// Whether a definition may name scheme and reduction for it.
    #[must_use]
    pub fn has_derivations(&self) -> bool {
        self.derive.is_some()
    }

    /// See [`Theory::size_for`].
    ///
    /// # Errors
    /// As there.
    pub fn size_for(&self, keys: u64, bits_per_key: f64) -> Result<Params> {
        (self.size_for)(keys, bits_per_key)
    }

    /// See [`Theory::size_for_fpr`].
    ///
    /// # Errors
    /// As there.
    pub fn size_for_fpr(&self, keys: u64, fpr: f64) -> Result<Params> {
        (self.size_for_fpr)(keys, fpr)
    }

    /// The parameters for a goal, with those given by name where there are any: see [`Theory::size_with`].
    ///
    /// # Errors
    /// As there.
    pub fn size_with(&self, given: &Given, keys: u64, goal: Goal) -> Result<Params> {
        match goal {
            _ if !given.is_empty() => (self.size_with)(given, keys, goal),
            Goal::BitsPerKey(bits_per_key) => self.size_for(keys, bits_per_key),
            Goal::Fpr(fpr) => self.size_for_fpr(keys, fpr),
        }
    }

    /// See [`Theory::params_from`].
    ///
    /// # Errors
    /// As there.
    pub fn params_from(&self, given: &Given, keys: u64) -> Result<Params> {
        (self.params_from)(given, keys)
    }

    /// See [`Theory::predicted_fpr`].
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters that are not this contender's.
    pub fn predicted_fpr(&self, params: &Params, keys: u64) -> Result<Prediction> {
        (self.predicted_fpr)(params, keys)
    }

    /// See [`Theory::rate_spread`].
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters that are not this contender's.
    pub fn rate_spread(&self, params: &Params, keys: u64) -> Result<f64> {
        (self.rate_spread)(params, keys)
    }

    /// See [`Theory::named_values`].
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters that are not this contender's.
    pub fn named_values(&self, params: &Params, keys: u64) -> Result<Vec<NamedValue>> {
        (self.named_values)(params, keys)
    }

    /// See [`Theory::lines_touched`].
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters that are not this contender's.
    pub fn lines_touched(&self, params: &Params, keys: u64) -> Result<Option<Lines>> {
        (self.lines_touched)(params, keys)
    }

    /// The parameters as Rust writes them, without the path of their type.
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters that are not this contender's.
    pub fn literal(&self, params: &Params) -> Result<String> {
        (self.literal)(params)
    }

    /// The findings of the laws that `wanted` names, as far as they are laws of the type's traits, on filters of these
    /// parameters with `keys` keys.
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters that are not this contender's.
    pub fn findings(&self, params: &Params, keys: u64, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Finding>> {
        (self.traits.findings)(params, keys, wanted)
    }

    /// Builds the filter of a stream of keys.
    ///
    /// # Errors
    /// [`BuildError`] for parameters out of range, a refused key or a failed construction.
    pub fn build(
        &self,
        params: &Params,
        seed: u64,
        keys: &mut dyn DigestSource,
    ) -> std::result::Result<Box<dyn ErasedFilter>, BuildError> {
        (self.build)(params, seed, keys)
    }

    /// [`build`](Self::build) from an array of keys.
    ///
    /// # Errors
    /// As there.
    pub fn build_from(
        &self,
        params: &Params,
        seed: u64,
        keys: &[Digest],
    ) -> std::result::Result<Box<dyn ErasedFilter>, BuildError> {
        self.build(params, seed, &mut crate::keys::Once::new(keys))
    }
}

/// The parameters of a type from their serialised form.
///
/// # Errors
/// [`InvalidParams::Unknown`] for those of another type.
pub fn typed<F: Theory>(params: &Params) -> Result<F::Params> {
    serde_json::from_value(params.clone()).map_err(|_| InvalidParams::Unknown {
        name: params.to_string(),
        known: F::PARAMS.iter().map(|info| format!("`{}`", info.name)).collect::<Vec<_>>().join(", "),
    })
}

fn erased<F: Theory>(params: &F::Params) -> Result<Params> {
    serde_json::to_value(params).map_err(|error| InvalidParams::Unknown {
        name: error.to_string(),
        known: "serialisable parameters".to_owned(),
    })
}

/// The contenders of a harness, in the order they are shown.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    contenders: Vec<Contender>,
}

impl Registry {
    /// A registry of these contenders; of two with one id the later one stays.
    #[must_use]
    pub fn new(contenders: impl IntoIterator<Item = Contender>) -> Self {
        let mut registry = Self::default();
        for contender in contenders {
            registry = registry.with(contender);
        }
        registry
    }

    /// The filters of this workspace and the controls.
    #[must_use]
    pub fn workspace() -> Self {
        Self::new(CONTENDERS.iter().copied())
    }

    /// With the published crates, where they are compiled in (feature `peers`).
    #[must_use]
    pub fn with_peers(self) -> Self {
        #[cfg(feature = "peers")]
        return crate::peers::CONTENDERS.iter().copied().fold(self, Self::with);
        #[cfg(not(feature = "peers"))]
        self
    }

    /// The published crates.
    pub fn published(&self) -> impl Iterator<Item = &Contender> {
        self.iter().filter(|contender| contender.role == Role::Published)
    }

    /// Adds a contender, or replaces the one of the same id.
    #[must_use]
    pub fn with(mut self, contender: Contender) -> Self {
        match self.contenders.iter_mut().find(|known| known.id == contender.id) {
            Some(slot) => *slot = contender,
            None => self.contenders.push(contender),
        }
        self
    }

    /// All contenders, controls too.
    pub fn iter(&self) -> impl Iterator<Item = &Contender> {
        self.contenders.iter()
    }

    /// The variants, without baselines and controls.
    pub fn variants(&self) -> impl Iterator<Item = &Contender> {
        self.iter().filter(|contender| contender.role == Role::Variant)
    }

    /// The contender of an id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Contender> {
        self.iter().find(|contender| contender.id == id)
    }

    /// The contender of an id, or a message that names the nearest one.
    ///
    /// # Errors
    /// The message.
    pub fn find(&self, id: &str) -> std::result::Result<&Contender, String> {
        self.get(id).ok_or_else(|| {
            let near = nearest(id, self.iter().map(|contender| contender.id)).unwrap_or("none");
            let known = self.iter().map(|contender| contender.id).collect::<Vec<_>>().join(", ");
            format!("unknown contender `{id}`, nearest is `{near}`; known: {known}")
        })
    }
}

macro_rules! derivations {
    ($id:literal, $filter:ident :: $name:ident) => {{
        struct Visit;
        impl DerivationVisitor for Visit {
            type Out = Contender;
            fn visit<D: Derivation>(self) -> Contender {
                // Laws are compiled for the default derivation alone: thirty of each would take minutes.
                Contender::incremental::<$filter::$name<D>>($id)
            }
        }
        contender!(incremental::<$filter::$name>($id))
            .with_derivations(|scheme, reduction| hashing::with_derivation(scheme, reduction, Visit))
    }};
}

/// The lines of [`CONTENDERS`], each with the traits of its type.
macro_rules! contenders {
    ([$($done:expr,)*]) => { &[$($done),*] };
    ([$($done:expr,)*] derivations!($($line:tt)*), $($rest:tt)*) => {
        contenders!([$($done,)* derivations!($($line)*),] $($rest)*)
    };
    ([$($done:expr,)*] Contender::$kind:ident::<$filter:ty>($id:literal)$(.$role:ident())?, $($rest:tt)*) => {
        contenders!([$($done,)* contender!($kind::<$filter>($id))$(.$role())?,] $($rest)*)
    };
    (Contender $($rest:tt)*) => { contenders!([] Contender $($rest)*) };
    (derivations $($rest:tt)*) => { contenders!([] derivations $($rest)*) };
}

/// One line for each contender. A new variant adds its line here.
const CONTENDERS: &[Contender] = contenders![
    derivations!("standard", standard::StandardBloom),
    derivations!("partitioned", partitioned::PartitionedBloom),
    Contender::incremental::<blocked::BlockedBloom<512>>("blocked"),
    Contender::incremental::<blocked::BlockedBloom<64>>("blocked-64"),
    Contender::incremental::<blocked::SplitBlock<32>>("split-block"),
    Contender::incremental::<blocked::SplitBlock<64>>("split-block-64"),
    Contender::incremental::<counting::CountingBloom<2>>("counting-2"),
    Contender::incremental::<counting::CountingBloom<3>>("counting-3"),
    Contender::incremental::<counting::CountingBloom<4>>("counting-4"),
    Contender::incremental::<counting::CountingBloom<8>>("counting-8"),
    Contender::incremental::<counting::CountingBloom<16>>("counting-16"),
    Contender::incremental::<deletable::DeletableBloom>("deletable"),
    Contender::decaying::<stable::StableBloom>("stable"),
    Contender::incremental::<compressed::CompressedBloom>("compressed"),
    Contender::incremental::<cuckoo::CuckooFilter<1>>("cuckoo-1"),
    Contender::incremental::<cuckoo::CuckooFilter<2>>("cuckoo-2"),
    Contender::incremental::<cuckoo::CuckooFilter<4>>("cuckoo"),
    Contender::incremental::<cuckoo::CuckooFilter<8>>("cuckoo-8"),
    Contender::incremental::<cuckoo::CuckooFilter<4, cuckoo::Xor>>("cuckoo-pow2"),
    Contender::incremental::<cuckoo::SemiSortedCuckoo>("cuckoo-semisorted"),
    Contender::fixed::<xor::XorFilter<8>>("xor-8"),
    Contender::fixed::<xor::XorFilter<16>>("xor-16"),
    Contender::fixed::<xor::XorFilter<32>>("xor-32"),
    Contender::fixed::<xor::FuseFilter<3, 8>>("fuse-8"),
    Contender::fixed::<xor::FuseFilter<3, 16>>("fuse-16"),
    Contender::fixed::<xor::FuseFilter<4, 8>>("fuse4-8"),
    Contender::fixed::<xor::FuseFilter<4, 16>>("fuse4-16"),
    Contender::fixed::<FingerprintList>("fingerprint-list").baseline(),
    Contender::incremental::<OneHashBitmap>("one-hash-bitmap").baseline(),
    Contender::incremental::<Exact>("exact").control(),
    Contender::incremental::<Coin>("coin").control(),
    Contender::incremental::<Inflated>("inflated").control(),
    Contender::incremental::<Leaky>("leaky").control(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_found() {
        let registry = Registry::workspace();
        assert_eq!(registry.iter().count(), CONTENDERS.len());
        assert!(registry.find("standard").is_ok());
        let message = registry.find("standart").unwrap_err();
        assert!(
            message.starts_with("unknown contender `standart`, nearest is `standard`; known: standard, "),
            "{message}"
        );
    }

    #[test]
    fn a_contender_of_the_same_id_replaces() {
        let registry = Registry::workspace().with(Contender::incremental::<Coin>("standard").control());
        assert_eq!(registry.get("standard").map(|contender| contender.role), Some(Role::Control));
        assert_eq!(registry.variants().count(), Registry::workspace().variants().count() - 1);
    }

    #[test]
    fn parameters_of_another_shape_are_refused() {
        let registry = Registry::workspace();
        let standard = registry.get("standard").unwrap();
        let wrong = serde_json::json!({"slice_bits": 10, "k": 3});
        assert!(matches!(standard.predicted_fpr(&wrong, 10), Err(InvalidParams::Unknown { .. })));
    }
}
