//! The laws, one function each: `fn(&Case<F>) -> Result<(), Violation>`.
//!
//! | module | for | laws of |
//! |---|---|---|
//! | [`filter`] | [`amq::Filter`] | answers, batches, seeds, space, parameters |
//! | [`incremental`] | [`amq::IncrementalFilter`] | inserting, refusing, clearing |
//! | [`operations`] | [`amq::IncrementalFilter`] | random sequences of operations against the oracle |
//! | [`decay`] | [`amq::Decaying`] | how fast members are forgotten |
//! | [`static_build`] | [`amq::StaticFilter`] | few keys, duplicate keys |
//! | [`union`] | [`amq::Union`] | two filters made one |
//! | [`remove`] | [`amq::DeletableFilter`] | taking keys out |
//! | [`wire`] | [`amq::Encode`] | bytes and back |
//! | [`saved`] | [`saved::Save`](::saved::Save) | files and back |
//! | [`theory`] | [`amq::Theory`] | sizing, prediction, claimed space |
//! | [`rate`] | [`amq::Theory`] | the measured rate |

pub mod decay;
pub mod filter;
pub mod incremental;
mod only_rate;
pub mod operations;
pub mod rate;
pub mod remove;
pub mod saved;
pub mod static_build;
pub mod theory;
pub mod union;
pub mod wire;

use std::panic::{AssertUnwindSafe, catch_unwind};

use amq::{Digest, Filter};

use crate::keys::digests;
use crate::violation::Violation;

/// Absent keys that a law asks for when it compares answers.
pub const PROBES: u64 = 20_000;

/// Streams of keys that are members in no law.
pub(crate) const ABSENT: u64 = 1 << 23;

/// The absent keys of the comparing laws.
pub(crate) fn absent() -> Vec<Digest> {
    digests(ABSENT, 0..PROBES)
}

/// The answers for `keys`, one by one.
pub(crate) fn answers<F: Filter>(filter: &F, keys: &[Digest]) -> Vec<bool> {
    keys.iter().map(|key| filter.contains(*key)).collect()
}

/// The first of `keys` for which `filter` no longer answers as `before`.
pub(crate) fn changed<F: Filter>(filter: &F, keys: &[Digest], before: &[bool]) -> Option<(Digest, bool)> {
    keys.iter()
        .zip(before)
        .find(|(key, before)| filter.contains(**key) != **before)
        .map(|(key, before)| (*key, *before))
}

/// What `call` gives, or its panic as a violation.
pub(crate) fn no_panic<T>(during: &'static str, call: impl FnOnce() -> T) -> Result<T, Violation> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Violation::Panicked { during, message: text.unwrap_or_default() }
    })
}
