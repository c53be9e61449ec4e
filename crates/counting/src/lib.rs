//! The counting Bloom filter: counters of `W` bits in place of bits, so that keys can be taken out again.
//!
//! ```text
//!  insert x:   x ──► digest ──► p0      p1   p2         +1 each, not above the ceiling 2^W - 1
//!                               ▼       ▼    ▼
//!  counters  0 0 1 0 0 2 0 0 0 1 0 0 0 3 0 1 0 0 1 0    W bits each, packed
//!                ▲           ▲            ▲
//!  query y:      p0          p1           p2            one 0 is enough: y is not in
//! ```
//!
//! A position that a key has twice is counted once, by insert and remove alike. A counter that reaches its ceiling
//! is stuck there for good: it no longer knows its keys, so lowering it could deny a member.
//!
//! | `remove` gives | when | what is done |
//! |---|---|---|
//! | `Absent` | a counter of the key is 0 | nothing |
//! | `Removed` | not all of its counters are stuck | those that are not are lowered by one |
//! | `Refused` | all of its counters are stuck | nothing; the key stays found |
//!
//! # Parameters
//! | name | symbol | unit | range |
//! |---|---|---|---|
//! | counters | `m` | counters | 1 to 2^48 |
//! | probes of a key | `k` | - | 1 to 64 |
//! | bits of a counter | `W`, `counter_bits` | bits | 1 to 16, fixed by the type and the id (`counting-4`) |
//!
//! # Guarantees
//! No false negatives, as long as only members are removed: taking out a false positive lowers counters of others,
//! and `contains` before `remove` does not help against that ([`theory::churn::denied_after_wrong_removals`]). While no
//! counter is stuck the filter is the one its members alone would make, with Bloom's false-positive rate
//! ([`bloom_theory::fpr::fpr_exact`]); how often counters stick, and what that does under churn, is in [`theory`].
//!
//! # Space
//! `m W` bits rounded up to words of 64: `W` times a Bloom filter.
//!
//! # Errors
//! [`amq::InvalidParams`] for parameters out of range and memory that cannot be had. An insert is never refused.
//!
//! # Source
//! L. Fan, P. Cao, J. Almeida, A. Z. Broder, IEEE/ACM ToN 8(3):281-293, 2000, section V-C. Departures: distinct
//! positions count once, where the paper's analysis counts draws; `Refused` is ours.
//!
//! ```
//! use amq::{DeletableFilter, Digest, Filter, IncrementalFilter, Removal, Theory};
//! use counting::CountingBloom;
//!
//! let params = CountingBloom::<4>::size_for_fpr(1000, 0.01)?;
//! let mut filter = CountingBloom::<4>::empty(&params, 42)?;
//! let key = Digest(hashing::mix::mix64(7)); // any uniform 64-bit hash of the key
//! filter.insert(key).expect("a counting filter is never full");
//! assert_eq!(filter.remove(key), Removal::Removed);
//! assert!(!filter.contains(key));
//! # Ok::<(), amq::InvalidParams>(())
//! ```
#![forbid(unsafe_code)]

pub mod filter;
pub mod theory;

pub use filter::{CountingBloom, Params};
