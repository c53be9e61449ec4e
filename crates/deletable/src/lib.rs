//! The deletable Bloom filter: a Bloom filter with a map of where bits are shared, so that most keys can be taken out.
//!
//! ```text
//!  bits      0 0 1 0 0 1 | 0 0 0 1 0 0 | 0 1 0 1 0 0      m bits in regions of ceil(m/r)
//!                    ▲             ▲         ▲
//!  x and y have:     x, y          x         y
//!  map               1             0         0            r marks: 1 where an insert met a set bit
//!
//!  remove x:   its bit in the middle is cleared, the one on the left stays: y may have it (and does)
//! ```
//!
//! | `remove` gives | when | what is done |
//! |---|---|---|
//! | `Absent` | a bit of the key is 0 | nothing |
//! | `Removed` | one of its regions has no mark | its bits in such regions are cleared; it is no longer found |
//! | `Refused` | all of its regions are marked | nothing; the key stays found |
//!
//! Marks are never taken back. So a key that is inserted twice marks all of its regions, stays for good, and spoils
//! these regions for others ([`theory::deletable_after_repeats`]). A position that a key has twice is no collision.
//!
//! # Parameters
//! | name | symbol | unit | range |
//! |---|---|---|---|
//! | bits of the array | `m` | bits | 1 to 2^48 |
//! | probes of a key | `k` | - | 1 to 64 |
//! | bits of the map | `r`, `regions` | bits | 1 to `m`; [`theory::default_regions`] if not given: one for four bits |
//!
//! # Guarantees
//! No false negatives, as long as only members are removed: taking out a false positive clears bits of others. While
//! nothing is removed the rate is Bloom's ([`bloom_theory::fpr::fpr_exact`]); after removals it lies between that of the
//! members and that of all keys ever inserted. How many members can be removed is in [`theory`]: less than is widely quoted.
//!
//! # Space
//! `m` bits of array and `r` bits of map, each rounded up to words of 64. The map counts as overhead.
//!
//! # Errors
//! [`amq::InvalidParams`] for parameters out of range and memory that cannot be had. An insert is never refused.
//!
//! # Source
//! C. E. Rothenberg, C. Macapuna, F. Verdi, M. Magalhaes, IEEE Comm. Letters 14(6):557-559, 2010 (arXiv 1005.0352).
//! Departures: the map is beside the `m` bits, not among them; a key's own repeated positions mark nothing.
//!
//! ```
//! use amq::{DeletableFilter, Digest, Filter, IncrementalFilter, Removal, Theory};
//! use deletable::DeletableBloom;
//!
//! let params = <DeletableBloom>::size_for_fpr(1000, 0.01)?;
//! let mut filter = <DeletableBloom>::empty(&params, 42)?;
//! let key = Digest(hashing::mix::mix64(7)); // any uniform 64-bit hash of the key
//! filter.insert(key).expect("a Bloom filter is never full");
//! assert_eq!(filter.remove(key), Removal::Removed);
//! assert!(!filter.contains(key));
//! # Ok::<(), amq::InvalidParams>(())
//! ```
#![forbid(unsafe_code)]

pub mod filter;
pub mod theory;

pub use filter::{DeletableBloom, Params};
