//! Keys to digests (hash families) and digests to positions (derivation schemes and reductions).
//!
//! ```text
//! key ──Key──> bytes or u64 ──Hasher (family, seed)──> Digest ──Derivation (scheme, reduction, seed)──> positions
//! ```
//!
//! The two halves are separate factors of an experiment, each with a seed of its own:
//!
//! | half | defaults | choose by name | compiled for the choice |
//! |---|---|---|---|
//! | keys to digests | [`Mixer`] for `u64`, XXH3 for bytes | [`Family`] (`FromStr`) | [`Hasher::u64_batch`], [`Hasher::bytes_batch`] |
//! | digests to positions | [`DefaultDerivation`] | [`with_derivation`] | [`DerivationVisitor`] |
//!
//! Everything but `ahash` gives the same digests on every platform and in every release; the tests hold
//! golden values. `std::hash::Hash` is not used: what it feeds to a hasher is not stable (lengths and
//! discriminants of platform width, native byte order). [`Key`] says which bytes a key is instead.
//!
//! A [`Digest`](amq::Digest) has 64 bits, so distinct keys collide with probability `2^-64` a pair, which
//! puts a floor of about `n * 2^-64` under every false-positive rate.
#![forbid(unsafe_code)]

pub mod catalog;
pub mod derive;
pub mod family;
mod hasher;
mod key;
mod keyed;
pub mod mix;
mod names;

pub use catalog::{DefaultDerivation, DerivationVisitor, REDUCTIONS, SCHEMES, UnknownDerivation, with_derivation};
pub use derive::{Derivation, Derive, Positions, SeedWords};
pub use family::{Family, IntegerOnly, KeyKind, Mixer, UnknownFamily};
pub use hasher::{Hasher, KeyHasher};
pub use key::Key;
pub use keyed::Keyed;
