//! What a type can do, found from the traits it implements, and the laws it is held to for each of them.
//!
//! [`capabilities!`](crate::capabilities!) looks a type's traits up where the type is named, so that nobody types them: an
//! inherent constant whose bound the type meets hides the constant of the same name that every type has.

use std::any::Any;
use std::marker::PhantomData;

use amq::{
    BuildError, Decaying, DecodeError, DeletableFilter, Digest, Encode, Filter, IncrementalFilter, NoFalseNegatives,
    StaticFilter, Theory, Union,
};
use conformance::{Case, Checklist, Finding, one_by_one};
use saved::{Head, KeyHash, Save, SaveError, Variant};

use crate::erased::ErasedFilter;

/// What a type can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Takes keys one by one ([`IncrementalFilter`]).
    pub incremental: bool,
    /// Is built from all its keys ([`StaticFilter`]).
    pub fixed: bool,
    /// Finds every member ([`NoFalseNegatives`]).
    pub no_false_negatives: bool,
    /// Forgets by design ([`Decaying`]).
    pub decaying: bool,
    /// Takes keys out again ([`DeletableFilter`]).
    pub deletable: bool,
    /// Takes in another filter of its kind ([`Union`]).
    pub union: bool,
    /// Has a form for the wire ([`Encode`]).
    pub wire: bool,
    /// Has a saved form ([`Save`]).
    pub saved: bool,
}

/// A filter type under test: a case of it, and the laws gathered so far.
pub struct Subject<F: Filter> {
    case: Case<F>,
    list: Checklist<F>,
}

/// Adds to a subject what a trait brings.
pub type Gain<F> = fn(Subject<F>) -> Subject<F>;

impl<F: Filter> Subject<F> {
    fn gain(self, case: impl FnOnce(Case<F>) -> Case<F>, list: impl FnOnce(Checklist<F>) -> Checklist<F>) -> Self {
        // The harness's unit tests look at no laws (tests/harness_features.rs does); compiling them for all contenders once
        // more takes minutes.
        #[cfg(test)]
        let list = |none| {
            let _ = list;
            none
        };
        Self { case: case(self.case), list: list(self.list) }
    }
}

/// A type whose traits are looked up.
pub struct Of<F>(PhantomData<F>);

/// What is found where a trait is missing.
pub trait Missing {
    /// The type.
    type Type: Filter;
    /// No [`IncrementalFilter`].
    const INCREMENTAL: Option<Gain<Self::Type>> = None;
    /// No [`StaticFilter`].
    const FIXED: Option<Gain<Self::Type>> = None;
    /// No [`NoFalseNegatives`].
    const NO_FALSE_NEGATIVES: Option<Gain<Self::Type>> = None;
    /// No [`Decaying`].
    const DECAYING: Option<Gain<Self::Type>> = None;
    /// No [`DeletableFilter`].
    const DELETABLE: Option<Gain<Self::Type>> = None;
    /// No [`Union`], or keys are not taken one by one.
    const UNION: Option<Gain<Self::Type>> = None;
    /// No [`Union`], or no [`DeletableFilter`].
    const UNION_DELETABLE: Option<Gain<Self::Type>> = None;
    /// No [`Encode`].
    const WIRE: Option<Gain<Self::Type>> = None;
    /// No [`Save`].
    const SAVED: Option<Gain<Self::Type>> = None;
    /// No [`Save`], or no [`Theory`].
    const FILES: Option<Files> = None;
    /// No [`DeletableFilter`].
    const REMOVE: Option<Remove> = None;
}

impl<F: Filter> Missing for Of<F> {
    type Type = F;
}

macro_rules! gains {
    ($($(#[$doc:meta])* $name:ident($($bound:path),+): $case:expr, $list:expr;)+) => {
        $(impl<F: Filter $(+ $bound)+> Of<F> {
            $(#[$doc])*
            pub const $name: Option<Gain<F>> = Some(|subject| subject.gain($case, $list));
        })+
    };
}

gains! {
    /// Of [`IncrementalFilter`].
    INCREMENTAL(IncrementalFilter): |case| Case { build: one_by_one::<F>, insert: Some(F::insert), ..case }, Checklist::incremental;
    /// Of [`StaticFilter`].
    FIXED(StaticFilter): |case| Case { build: F::build, ..case }, Checklist::static_build;
    /// Of [`NoFalseNegatives`].
    NO_FALSE_NEGATIVES(NoFalseNegatives): Case::no_false_negatives, Checklist::no_false_negatives;
    /// Of [`Decaying`].
    DECAYING(Decaying): Case::decaying, Checklist::decaying;
    /// Of [`DeletableFilter`].
    DELETABLE(DeletableFilter): Case::deletable, Checklist::deletable;
    /// Of [`Union`].
    UNION(Union, IncrementalFilter): Case::union, Checklist::union;
    /// Of [`Union`] and [`DeletableFilter`] together.
    UNION_DELETABLE(Union, DeletableFilter): |case| case, Checklist::union_deletable;
    /// Of [`Encode`].
    WIRE(Encode): |case| case, Checklist::wire;
    /// Of [`Save`].
    SAVED(Save): Case::saved, Checklist::saved;
}

/// Takes keys out of a filter of the type it was made for, and tells how many were taken out; `None` for another type.
pub type Remove = fn(&mut dyn Any, &[Digest]) -> Option<u64>;

impl<F: DeletableFilter + 'static> Of<F> {
    /// Of [`DeletableFilter`].
    pub const REMOVE: Option<Remove> = Some(|filter, keys| {
        let filter = filter.downcast_mut::<F>()?;
        Some(filter.remove_batch(keys))
    });
}

/// The saved form of a filter of the type it was made for, with how its keys were hashed; `None` for another type.
pub type SaveErased = fn(&mut dyn Any, Option<KeyHash>) -> Option<Result<Vec<u8>, SaveError>>;

/// Saves filters of a type and loads them.
#[derive(Clone, Copy, Debug)]
pub struct Files {
    /// Name and number of the variant, names of its parameters and state.
    pub variant: Variant,
    /// Whether a file with this header is of the type.
    pub is_type: fn(&Head) -> bool,
    /// Saves a filter.
    pub save: SaveErased,
    /// The filter of a file.
    pub load: fn(&[u8]) -> Result<Loaded, DecodeError>,
}

/// A filter that was read from a file.
pub struct Loaded {
    /// The filter.
    pub filter: Box<dyn ErasedFilter>,
    /// Its parameters.
    pub params: serde_json::Value,
    /// The part of its bits, counters, cells or slots that is in use.
    pub fill: f64,
}

impl<F: Save + Theory + 'static> Of<F> {
    /// Of [`Save`] and [`Theory`].
    pub const FILES: Option<Files> = Some(Files {
        variant: F::VARIANT,
        is_type: saved::is_type::<F>,
        save: |filter, key_hash| Some(saved::save_hashed(filter.downcast_ref::<F>()?, key_hash)),
        load: |bytes| {
            let filter: F = saved::load(bytes)?;
            // Parameters are numbers, which all have a JSON form.
            let params = serde_json::to_value(filter.params()).unwrap_or_default();
            let fill = filter.fill();
            Ok(Loaded { filter: Box::new(filter), params, fill })
        },
    });
}

/// The findings of those laws of a type that `wanted` names; each is looked at once.
pub fn findings<F: Filter>(
    params: F::Params,
    keys: u64,
    gains: &[Option<Gain<F>>],
    wanted: &dyn Fn(&str) -> bool,
) -> Vec<Finding> {
    let subject = Subject { case: Case::new(params, keys, not_built::<F>), list: Checklist::new() };
    let Subject { case, list } = gains.iter().flatten().fold(subject, |subject, gain| gain(subject));
    let mut seen = std::collections::BTreeSet::new();
    let laws = list.laws().iter().filter(|law| wanted(law.name) && seen.insert(law.name));
    laws.map(|law| Finding { law: law.name, capability: law.capability, result: (law.check)(&case) }).collect()
}

/// Of a type that neither takes keys nor is built from them.
fn not_built<F: Filter>(_params: &F::Params, _seed: u64, keys: &[Digest]) -> Result<F, BuildError> {
    Err(BuildError::Unbuildable { keys: keys.len() as u64, tries: 0 })
}

/// The [`Traits`](crate::registry::Traits) of a type, from the traits it implements.
#[macro_export]
macro_rules! capabilities {
    ($filter:ty) => {{
        #[allow(unused_imports, reason = "a type may have all traits")]
        use $crate::capabilities::{Missing as _, Of};
        $crate::registry::Traits {
            capabilities: $crate::capabilities::Capabilities {
                incremental: Of::<$filter>::INCREMENTAL.is_some(),
                fixed: Of::<$filter>::FIXED.is_some(),
                no_false_negatives: Of::<$filter>::NO_FALSE_NEGATIVES.is_some(),
                decaying: Of::<$filter>::DECAYING.is_some(),
                deletable: Of::<$filter>::DELETABLE.is_some(),
                union: Of::<$filter>::UNION.is_some(),
                wire: Of::<$filter>::WIRE.is_some(),
                saved: Of::<$filter>::SAVED.is_some(),
            },
            findings: |params, keys, wanted| {
                let gains = [
                    // Where a type has both ways, filters under test are made key by key.
                    Of::<$filter>::FIXED,
                    Of::<$filter>::INCREMENTAL,
                    Of::<$filter>::NO_FALSE_NEGATIVES,
                    Of::<$filter>::DECAYING,
                    Of::<$filter>::DELETABLE,
                    Of::<$filter>::UNION,
                    Of::<$filter>::UNION_DELETABLE,
                    Of::<$filter>::WIRE,
                    Of::<$filter>::SAVED,
                ];
                let params = $crate::registry::typed::<$filter>(params)?;
                Ok($crate::capabilities::findings::<$filter>(params, keys, &gains, wanted))
            },
            remove: Of::<$filter>::REMOVE,
            files: Of::<$filter>::FILES,
            path: || stringify!($filter),
        }
    }};
}

/// A [`Contender`](crate::Contender) with all that its type can do:
/// `contender!(incremental::<MyFilter>("my-filter"))`, where the word is a constructor of `Contender`.
#[macro_export]
macro_rules! contender {
    ($kind:ident::<$filter:ty>($id:expr)) => {
        $crate::Contender::$kind::<$filter>($id).with_traits($crate::capabilities!($filter))
    };
}
