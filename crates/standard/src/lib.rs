//! The Bloom filter: one shared array of `m` bits, `k` probes for each key.
//!
//! ```text
//!  insert x:   x ──► digest ──► p0      p1   p2
//!                               ▼       ▼    ▼
//!  bits      0 0 1 0 0 1 0 0 0 1 0 0 0 1 0 1 0 0 1 0
//!                ▲           ▲            ▲
//!  query y:      p0          p1           p2          one 0 is enough: y was never inserted
//! ```
//!
//! Insert sets the bits at the key's `k` positions. A query says yes when all of its `k` positions are
//! set; for a key that was never inserted this happens with probability about `f^k`, `f` being the
//! fraction of set bits. Nothing can be deleted: a bit does not know which keys set it.
//!
//! # Parameters
//! | name | symbol | unit | range |
//! |---|---|---|---|
//! | bits of the array | `m` | bits | 1 to 2^48 |
//! | probes of a key | `k` | - | 1 to 64 |
//!
//! # Guarantees
//! No false negatives. The false-positive rate is [`bloom_theory::fpr::fpr_exact`], on average over keys
//! and seeds, at every size: see [`theory`]. Equal parameters, seed and keys give equal bits, everywhere.
//!
//! # Space
//! `m` bits rounded up to words of 64. At best `k` that is 1.44 times the static bound lg(1/eps).
//!
//! # Errors
//! [`amq::InvalidParams`] for parameters out of range and memory that cannot be had. An insert is never
//! refused; past the planned number of keys the rate rises and [`over_plan`](bloom_array::BloomArray::over_plan) says so.
//!
//! # Source
//! B. H. Bloom, CACM 13(7):422-426, 1970, method 2. Departure: positions are drawn with replacement, as
//! the later literature has it, not `k` distinct ones; the exact formulas of both are in the theory.
//!
//! ```
//! use amq::{Digest, Filter, IncrementalFilter, Theory};
//! use standard::StandardBloom;
//!
//! let params = <StandardBloom>::size_for_fpr(1000, 0.01)?;
//! let mut filter = <StandardBloom>::empty(&params, 42)?;
//! let key = hashing::mix::mix64(7); // any uniform 64-bit hash of the key
//! filter.insert(Digest(key)).expect("a Bloom filter is never full");
//! assert!(filter.contains(Digest(key)));
//! # Ok::<(), amq::InvalidParams>(())
//! ```
#![forbid(unsafe_code)]

pub mod filter;
pub mod theory;

pub use filter::{Params, StandardBloom};
