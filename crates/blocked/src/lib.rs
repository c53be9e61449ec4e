//! Blocked Bloom filters: a key picks a block and sets its bits there, so that a query reads one cache line.
//!
//! ```text
//!  x ──► digest ──┬─► block b                 ┌──────── block of B bits ────────┐
//!                 └─► k positions in it:      │ 0 1 0 0 1 0 0 0 0 1 0 0 0 0 0 0 │    BlockedBloom<64>, <512>
//!                                             └───▲─────▲─────────▲─────────────┘
//!                     or one in each lane:    │0 1 0 0│0 0 0 1│ ... │1 0 0 0│      SplitBlock<32>, <64>
//! ```
//!
//! | type | block | a key sets | id |
//! |---|---|---|---|
//! | [`BlockedBloom<64>`] | a word of 64 bits | `k` positions | `blocked-64` |
//! | [`BlockedBloom<512>`] | a cache line of 512 bits | `k` positions | `blocked` |
//! | [`SplitBlock<32>`] | half a line, 8 lanes of 32 bits | one position in each lane | `split-block` |
//! | [`SplitBlock<64>`] | a line, 8 lanes of 64 bits | one position in each lane | `split-block-64` |
//!
//! # Parameters
//! | name | symbol | unit | range |
//! |---|---|---|---|
//! | blocks | `M` | - | 1 to 2^48 / B |
//! | probes of a key | `k` | - | 1 to 64 (split: 8) |
//!
//! # Guarantees
//! No false negatives. Keys fall on blocks as balls into bins, and the rate is the mean of the block's own rate over
//! how many it got ([`theory`]): exact at every size, above that of a Bloom filter of the same `m` and `k`, and the more
//! so the lower the rate (512 bits: 1.15 times at 10 bits per key, 2.5 times at 20).
//!
//! # Space
//! `M B` bits rounded up to whole lines of 64 bytes.
//!
//! # Errors
//! [`amq::InvalidParams`] for parameters out of range and memory that cannot be had. An insert is never refused.
//!
//! # Source
//! F. Putze, P. Sanders, J. Singler, ACM JEA 14, 2009, 10.1145/1498698.1594230; the split form as in Apache Impala and
//! Parquet. Departures: the inner rate is the exact one, which matters in so small an array; the split form takes block
//! and positions from one product of the mixed digest, the others their positions from a second mixing.
//!
//! ```
//! use amq::{Digest, Filter, IncrementalFilter, Theory};
//! use blocked::BlockedBloom;
//!
//! let params = BlockedBloom::<512>::size_for_fpr(1000, 0.01)?;
//! let mut filter = BlockedBloom::<512>::empty(&params, 42)?;
//! let key = Digest(hashing::mix::mix64(7)); // any uniform 64-bit hash of the key
//! filter.insert(key).expect("a Bloom filter is never full");
//! assert!(filter.contains(key));
//! # Ok::<(), amq::InvalidParams>(())
//! ```
#![forbid(unsafe_code)]

pub mod blocks;
pub mod filter;
pub mod split;
pub mod theory;

pub use blocks::Blocks;
pub use filter::{BlockedBloom, Params};
pub use split::{SplitBlock, SplitParams};
