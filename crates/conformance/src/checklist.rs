//! The laws at run time.

use amq::{
    Decaying, DeletableFilter, Encode, Filter, IncrementalFilter, NoFalseNegatives, StaticFilter, Theory, Union,
};
use saved::Save;

use crate::case::Case;
use crate::violation::Violation;

/// A law by name.
pub struct Law<F: Filter> {
    /// The name of its function in [`laws`](crate::laws).
    pub name: &'static str,
    /// The capability it belongs to.
    pub capability: &'static str,
    /// The law.
    pub check: fn(&Case<F>) -> Result<(), Violation>,
}

/// What became of one law.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The law's name.
    pub law: &'static str,
    /// The capability it belongs to.
    pub capability: &'static str,
    /// Whether it holds.
    pub result: Result<(), Violation>,
}

/// The laws that a type is held to, gathered by what it can do.
///
/// ```
/// use conformance::{Case, Checklist};
/// fn broken_laws<F: amq::IncrementalFilter + amq::Union>(params: F::Params, keys: u64) -> Vec<&'static str> {
///     let case = Case::<F>::incremental(params, keys).union();
///     let list = Checklist::new().incremental().union();
///     list.run(&case).filter(|finding| finding.result.is_err()).map(|finding| finding.law).collect()
/// }
/// ```
pub struct Checklist<F: Filter> {
    laws: Vec<Law<F>>,
}

impl<F: Filter> Default for Checklist<F> {
    fn default() -> Self {
        Self::new()
    }
}

macro_rules! push {
    ($list:ident, $capability:ident: $($module:ident::$law:ident),+ $(,)?) => {
        $($list.laws.push(Law {
            name: stringify!($law),
            capability: stringify!($capability),
            check: crate::laws::$module::$law::<F>,
        });)+
    };
}

macro_rules! gather {
    ($($capability:ident($bound:path) $doc:literal),+ $(,)?) => {
        $(
            #[doc = $doc]
            #[must_use]
            pub fn $capability(mut self) -> Self where F: $bound {
                crate::__laws!($capability, push self);
                self
            }
        )+
    };
}

impl<F: Filter> Checklist<F> {
    /// No laws.
    #[must_use]
    pub fn new() -> Self {
        Self { laws: Vec::new() }
    }

    gather! {
        incremental(IncrementalFilter) "With the laws of filters that take keys one by one.",
        static_build(StaticFilter) "With the laws of filters that are built from all their keys.",
        no_false_negatives(NoFalseNegatives) "With the law that members are found.",
        decaying(Decaying) "With the laws of filters that forget by design.",
        union(IncrementalUnion) "With the laws of filters that can become one.",
        deletable(DeletableFilter) "With the laws of filters that can take keys out.",
        union_deletable(DeletableUnion) "With the laws of filters that can both become one and take keys out.",
        wire(Encode) "With the laws of filters with a form for the wire.",
        saved(Save) "With the laws of filters with a saved form.",
        theory(Theory) "With the laws of sizing, prediction and the measured rate.",
    }

    /// The laws gathered.
    #[must_use]
    pub fn laws(&self) -> &[Law<F>] {
        &self.laws
    }

    /// Holds `case` against each law in turn.
    pub fn run<'a>(&'a self, case: &'a Case<F>) -> impl Iterator<Item = Finding> + 'a {
        self.laws.iter().map(|law| Finding { law: law.name, capability: law.capability, result: (law.check)(case) })
    }
}

/// Both traits: the laws of a union fill their filters key by key.
pub trait IncrementalUnion: IncrementalFilter + Union {}
impl<F: IncrementalFilter + Union> IncrementalUnion for F {}

/// Both traits: keys are taken out of a union.
pub trait DeletableUnion: DeletableFilter + Union {}
impl<F: DeletableFilter + Union> DeletableUnion for F {}
