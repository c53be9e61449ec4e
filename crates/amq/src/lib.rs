//! What every approximate-membership filter of this workspace agrees on.
//!
//! A *filter* answers "was this key inserted?" with *no* (always right, for most variants) or *yes*
//! (wrong for a fraction of the absent keys, the false-positive rate). This crate holds the traits and
//! the small types they speak in; it has no filter and no `unsafe`.
//!
//! ```text
//! Filter ─┬─ IncrementalFilter ─── DeletableFilter
//!         ├─ StaticFilter                              what it can do
//!         ├─ Union
//!         ├─ Encode
//!         └─ SharedInsert                              by many threads at once; Monotone: what can be made so
//! NoFalseNegatives                                     what it promises (a law, tested by `conformance`)
//! Theory                                               what its paper predicts
//! Decaying                                             how fast it forgets, if it does
//! ```
//!
//! A type implements exactly the traits it can keep; there are no default methods that fail.
//! Filters take a [`Digest`], never a key: hashing is a factor of its own (crate `hashing`).
//!
//! Read on: [`filter`] for the operations, [`theory`] for predictions and claims, [`params`] for how
//! parameters are named and refused, [`bound`] for the space no filter of a class can go below.
#![forbid(unsafe_code)]

pub mod bound;
pub mod error;
pub mod filter;
pub mod params;
pub mod plan;
pub mod shared;
pub mod theory;

pub use bound::Class;
pub use error::{BuildError, DecodeError, Full, Incompatible, InvalidParams};
pub use filter::{
    DeletableFilter, Digest, Encode, Filter, IncrementalFilter, NoFalseNegatives, Removal, Space, StaticFilter, Union,
};
pub use params::{Given, Number, ParamInfo};
pub use plan::{KeyCount, OverPlan};
pub use shared::{Layout, Monotone, SharedInsert};
pub use theory::{Claim, Decaying, Goal, Lines, NamedValue, Prediction, Theory};
