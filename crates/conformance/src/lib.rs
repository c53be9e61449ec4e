//! The laws of `amq`, as a suite that any filter can be held to.
//!
//! ```text
//! Case (parameters, keys, how to build) ──law──> Result<(), Violation>
//!          │                                       the values that break it
//!          ├── suite!      one #[test] for each law: a variant's tests/conformance.rs
//!          └── Checklist   the same laws at run time: feature matrix, judging published crates
//! ```
//!
//! Each law is a function in [`laws`], generic over the traits it needs. It holds the filter against an exact
//! oracle (a hash set of digests), against itself (batch against single, twice the same) or against its own
//! theory. Filters are built from digests that this crate makes ([`keys`]), not from those of `hashing`, so that
//! the keys owe nothing to the code under test.
//!
//! The laws that lean on chance use fixed keys and seeds and a level of [`ALPHA`]; each names its null
//! hypothesis, its statistic and the smallest effect it can see. Where a case cannot show an effect of that
//! size the law says [`Violation::Untested`] instead of passing.
//!
//! A variant's `tests/conformance.rs` is one call of [`suite!`].
#![forbid(unsafe_code)]

mod case;
mod checklist;
mod derivations;
pub mod frozen;
pub mod keys;
pub mod laws;
mod operation;
mod suite;
mod violation;

pub use case::{Build, Case, Insert, Reload, Unite, one_by_one};
pub use checklist::{Checklist, Finding, Law};
pub use laws::rate::{ALPHA, EFFECT, POWER};
pub use operation::Operation;
pub use violation::{Level, Violation};
