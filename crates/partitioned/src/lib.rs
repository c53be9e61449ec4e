//! The partitioned Bloom filter: `k` slices of `s` bits, each with one probe of every key.
//!
//! ```text
//!             slice 0       slice 1       slice 2
//!  bits      0 0 1 0 0 1 | 0 1 0 0 1 0 | 0 0 0 1 1 0        m = k s
//!                ▲           ▲                 ▲
//!  x:            p0          p1                p2           one position in each slice
//! ```
//!
//! A key never sets two of its probes on one bit, so every key has the same false-positive rate, the
//! product of the slices' fills. The price is a slightly higher fill than one shared array would have.
//!
//! # Parameters
//! | name | symbol | unit | range |
//! |---|---|---|---|
//! | bits of all slices | `m` | bits | `k` to 2^48; used is `k floor(m/k)` |
//! | slices, probes of a key | `k` | - | 1 to 64 |
//!
//! # Guarantees
//! No false negatives. The false-positive rate is exactly [`theory::fpr_exact`], with no approximation:
//! slices are independent. Equal parameters, seed and keys give equal bits, everywhere.
//!
//! # Space
//! `k` slices of `floor(m/k)` bits, laid end to end, rounded up to words of 64.
//!
//! # Errors
//! [`amq::InvalidParams`] for parameters out of range (a slice needs a bit) and memory that cannot be had.
//!
//! # Source
//! J. K. Mullin, CACM 26(8), 1983; analysed by Kirsch and Mitzenmacher, RSA 33(2), 2008, and P. S. Almeida,
//! IEEE Trans. Computers, 2023 (arXiv 2009.11789). No departures.
//!
//! ```
//! use amq::{Digest, Filter, IncrementalFilter, Theory};
//! use partitioned::PartitionedBloom;
//!
//! let params = <PartitionedBloom>::size_for_fpr(1000, 0.01)?;
//! assert_eq!((params.slice_bits, params.k), (1370, 7));
//! let mut filter = <PartitionedBloom>::empty(&params, 42)?;
//! let key = hashing::mix::mix64(7); // any uniform 64-bit hash of the key
//! filter.insert(Digest(key)).expect("a Bloom filter is never full");
//! assert!(filter.contains(Digest(key)));
//! # Ok::<(), amq::InvalidParams>(())
//! ```
#![forbid(unsafe_code)]

pub mod filter;
pub mod theory;

pub use filter::{Params, PartitionedBloom};
