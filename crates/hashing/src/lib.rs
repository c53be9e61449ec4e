//! Keys to digests (hash families) and digests to positions (derivation schemes and reductions).
#![forbid(unsafe_code)]

pub mod derive;
pub mod mix;

pub use derive::{Derivation, Derive, Positions, SeedWords};
