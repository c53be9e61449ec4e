//! Cuckoo filters: buckets of short fingerprints, each of which has two buckets to be in.
//!
//! ```text
//!  insert x:   x ──► digest ──► fingerprint 9c, bucket 2;  other bucket = partner(2, 9c) = 5
//!
//!  bucket      0          1          2          3          4          5
//!           ┌──────────┬──────────┬──────────┬──────────┬──────────┬──────────┐
//!           │ 1f       │ a0 77    │ 3b 62 d1 │ 04 e8    │          │ 9c 81    │   4 slots each
//!           └──────────┴──────────┴────▲─────┴──────────┴──────────┴────▲─────┘
//!                                      └── partner(5, 9c) ── 9c ────────┘
//!  query y:    is its fingerprint in one of its two buckets?
//! ```
//!
//! The partner is computed from bucket and fingerprint alone, so that a stored fingerprint can be moved to its other
//! bucket to make room. Where both buckets of a new key are full, fingerprints are moved, one making room for the next, up
//! to [`MAX_KICKS`] times; if there still is no room everything is moved back and the insert is refused.
//!
//! # Parameters
//! | name | symbol | unit | range |
//! |---|---|---|---|
//! | `buckets` | `M` | - | 1 to 2^48; with [`Xor`] a power of two |
//! | `slots` | `b` | - | 1 to 16, in the type |
//! | `fingerprint_bits` | `f` | bits | 2 to 32; semi-sorted 4 to 32 |
//!
//! [`CuckooFilter<SLOTS, P>`](CuckooFilter) has plain buckets, [`SemiSortedCuckoo<P>`](SemiSortedCuckoo) four slots that
//! are [semi-sorted](semisorted); `P` [pairs](pairing) the buckets.
//!
//! # Guarantees
//! No false negatives, after a refused insert and after removals neither, as long as only members are removed: removing a
//! false positive takes the fingerprint of some member with it. A refused insert changes nothing, not a bit. A key can be
//! in up to `2b` times. Equal parameters, seed and operations give equal bits, everywhere; the random choice of what to move
//! is part of the state. Fingerprints are uniform on `1..=2^f - 1`, and the rate is [`formulas::Classes::rate`], exact at every
//! size and load at which no key was refused.
//!
//! # Space
//! `M b f` bits rounded up to words of 64; semi-sorted `4 M (f - 1)`. How full a table may be planned: [`sizing`].
//!
//! # Errors
//! [`amq::InvalidParams`] for parameters out of range and memory that cannot be had; [`amq::Full`] for a refused key.
//!
//! # Source
//! B. Fan, D. Andersen, M. Kaminsky, M. Mitzenmacher, CoNEXT 2014; semi-sorting is section 5.2. Departures: any number of
//! buckets by the pairing [`Subtract`]; a fingerprint 0 is never drawn, where the reference code turns it into 1; the
//! two buckets of a key always differ if `M` is even; a refused insert is undone, where the reference code keeps one victim.
//!
//! ```
//! use amq::{DeletableFilter, Digest, Filter, IncrementalFilter, Removal, Theory};
//! use cuckoo::CuckooFilter;
//!
//! let params = <CuckooFilter>::size_for_fpr(1000, 0.01)?;
//! let mut filter = <CuckooFilter>::empty(&params, 42)?;
//! let key = Digest(hashing::mix::mix64(7)); // any uniform 64-bit hash of the key
//! filter.insert(key).expect("it has room for 1000");
//! assert!(filter.contains(key));
//! assert_eq!(filter.remove(key), Removal::Removed);
//! assert!(!filter.contains(key));
//! # Ok::<(), amq::InvalidParams>(())
//! ```
#![forbid(unsafe_code)]

pub mod filter;
pub mod formulas;
pub mod pairing;
pub mod semisorted;
pub mod sizing;
pub mod table;
pub mod theory;

pub use filter::{Cuckoo, CuckooFilter, MAX_KICKS, Params, SemiSortedCuckoo};
pub use pairing::{Pairing, Subtract, Xor};
