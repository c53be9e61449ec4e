//! Published filter crates behind the traits of `amq`, so that they stand in the same run as the filters of this workspace.
//!
//! Everything here is behind the feature `peers`; without it this crate is empty and nothing of the others is compiled.
//!
//! ```text
//! a published crate ── an adapter: Published, Growing | Built, Removing     how it is called
//!        └── its Model                                                     how it is sized, what it should do
//!                 └──── Peer<P>: the traits of `amq`, made of both
//! ```
//!
//! # Conventions
//! - An adapter gives the crate the digest as a `u64` key and lets it hash with the fastest hasher it takes, seeded where that
//!   can be. Where the crate wants a finished hash (`sbbf-rs-safe`), the digest is that hash.
//! - Sizes and numbers of probes are chosen by the crate's own rules: what it does with a target is part of what is measured.
//! - Space is what the crate allocates on the heap.
//! - Predictions are those of the construction that the crate really has. Where its positions follow from each other in a way
//!   that no theory covers, the claim is approximate.
//! - What a crate breaks of the laws of `amq` is listed in `tests/conformance.rs`, one list a peer.
#![forbid(unsafe_code)]

#[cfg(feature = "peers")]
mod adapters;
#[cfg(feature = "peers")]
pub mod models;
#[cfg(feature = "peers")]
pub mod peer;

#[cfg(feature = "peers")]
pub use adapters::*;
#[cfg(feature = "peers")]
pub use peer::{Built, Growing, KeepsMembers, Model, Peer, Published, Removing};
