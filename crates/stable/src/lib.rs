//! The stable Bloom filter: cells that decay, so that a stream without end never fills it.
//!
//! ```text
//!  insert x:  1. lower p cells        ┌── p = 4 in a row, from a random start ──┐
//!
//!  cells (d = 2 bits)   0  3  0  0  1 [3  2  0  1] 0  3  0  2  0
//!                                      ▼  ▼     ▼
//!                       0  3  0  0  1 [2  1  0  0] 0  3  0  2  0
//!
//!             2. set the k cells of x to Max = 3, whatever they held
//!                       0  3  0  3  1  2  1  0  0  0  3  3  2  0
//!
//!  query y:   yes when none of y's k cells is 0
//! ```
//!
//! Each arrival lowers `p` cells and sets `k`. The fraction of zeros converges to the stable point, and with it the
//! false-positive rate, whatever comes; the price is that a key whose cells fade before it returns is denied.
//!
//! # Parameters
//! | name | symbol | unit | range |
//! |---|---|---|---|
//! | cells | `m` | cells of `d = ceil(lg(Max + 1))` bits | 1 to 2^48 bits in all |
//! | probes of a key | `k`, `K` | - | 1 to 64 |
//! | decrements of an arrival | `p`, `P` | cells | 1 to `m` |
//! | value set | `max`, `Max` | - | 1 to 255 |
//! | how cells to lower are drawn | `C` | - | [`Run`] (default), [`Independent`] |
//!
//! # Guarantees
//! False negatives, by design, as [`amq::Decaying`] predicts them by age; none right after the insert.
//! The expected false-positive rate after any number of arrivals is in [`theory`]. The draws are part of the filter:
//! equal parameters, seed and keys in the same order give equal cells, everywhere.
//!
//! # Space
//! `d m` bits rounded up to words of 64, for any number of keys. Sized so that half of the keys are still known after
//! `n` arrivals, `40 n` bits for a stable rate of 1 %: see [`sizing`].
//!
//! # Errors
//! [`amq::InvalidParams`] for parameters out of range and memory that cannot be had. An insert is never refused.
//!
//! # Source
//! F. Deng and D. Rafiei, SIGMOD 2006:25-36. Departures: a key's positions are drawn with replacement; `P` is rounded up;
//! rates are exact expectations where the paper has the limit of large `m`, in which cells are independent.
//!
//! ```
//! use amq::{Decaying, Digest, Filter, IncrementalFilter, Theory};
//! use stable::StableBloom;
//!
//! let params = <StableBloom>::size_for_fpr(1000, 0.01)?;
//! let mut filter = <StableBloom>::empty(&params, 42)?;
//! let key = hashing::mix::mix64(7); // any uniform 64-bit hash of the key
//! filter.insert(Digest(key)).expect("a stable filter is never full");
//! assert!(filter.contains(Digest(key)));
//! assert!(<StableBloom>::predicted_fnr(&params, 1000).rate < 0.51);
//! # Ok::<(), amq::InvalidParams>(())
//! ```
#![forbid(unsafe_code)]

pub mod chain;
pub mod decrement;
pub mod filter;
pub mod paper;
pub mod rates;
mod series;
pub mod sizing;
pub mod theory;

pub use decrement::{Independent, Run};
pub use filter::{Params, StableBloom};
