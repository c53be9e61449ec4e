//! What Bloom-type filters share: ranges of their parameters, sizing, the formulas of one shared array
//! of bits, and what index derivation adds to them.
//!
//! `m` bits, `n` distinct keys, `k` probes per key, `c = m/n` bits per key, `f` the fill (the fraction of
//! set bits). All functions are pure, take sizes in bits and keys, and give probabilities.
#![forbid(unsafe_code)]

pub mod floors;
pub mod fpr;
pub mod ranges;
pub mod sizing;

pub use ranges::{MAX_BITS, MAX_KEYS, MAX_PROBES, MIN_RATE};
