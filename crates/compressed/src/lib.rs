//! The compressed Bloom filter: sparse in memory, entropy-coded on the wire.
//!
//! ```text
//!  sender                                 wire                        receiver
//!  m bits, k small, p << 1/2   gaps   ┌──────────────────────────┐    the same m bits
//!  0 0 1 0 0 0 0 1 0 0 0 0 0 ──────►  │m k seed n ones│ANS│check │ ──► 0 0 1 0 0 0 0 1 0 0 0 0 0
//!      └── 4 ───┘              coder  └──────────────────────────┘     queried as a Bloom filter
//!                                       about m H(p) bits
//! ```
//!
//! A Bloom filter that is sent need not be half full. With `z` bits for each key on the wire, the `k = z ln 2` that is
//! best for an array of that size is the *worst*: fewer probes in a larger, sparser array, compressed to the same size,
//! give a lower rate. The price is memory at both ends and the time to code.
//!
//! # Parameters
//! | name | symbol | unit | range |
//! |---|---|---|---|
//! | bits of the array in memory | `m` | bits | 1 to 2^48 |
//! | probes of a key | `k` | - | 1 to 64 |
//!
//! Sizing by bits per key or by rate is about the *wire*. It picks `k` from 1 to 3, the best of those whose array takes
//! at most [`sizing::MEMORY_BITS_PER_KEY`] bits per key; for a `k` of one's own there is [`sizing::size_for_probes`].
//!
//! # Guarantees
//! No false negatives, before and after the wire. The decoded filter equals the sent one bit for bit. The false-positive
//! rate is [`bloom_theory::fpr::fpr_exact`]. Bytes that are damaged or lie are a typed error, never a panic.
//!
//! # Space
//! [`amq::Filter::space`] is that of the wire, by really coding the filter: the coder's words as payload, header and
//! checksum as overhead (ask once: it takes as long). The array is [`memory_bits`](amq::Filter::memory_bits).
//!
//! # Errors
//! [`amq::InvalidParams`] for parameters out of range, [`amq::DecodeError`] for bytes. An insert is never refused.
//!
//! # Source
//! M. Mitzenmacher, "Compressed Bloom filters", IEEE/ACM ToN 10(5):604-612, 2002. Departures: the exact number of ones is
//! sent and gives the coder its probability; gaps are coded, not single bits (the same size, less time); asymmetric
//! numeral systems (crate `constriction`) in place of arithmetic coding; the wire form carries a checksum.
//!
//! ```
//! use amq::{Digest, Encode, Filter, IncrementalFilter, Theory};
//! use compressed::CompressedBloom;
//!
//! let params = CompressedBloom::size_for(1000, 8.0)?; // bits per key on the wire
//! let mut filter = CompressedBloom::empty(&params, 42)?;
//! filter.insert(Digest(hashing::mix::mix64(7)))?;
//! let received = CompressedBloom::decode(&filter.encode(), 1 << 30)?;
//! assert_eq!(received, filter);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod entropy;
pub mod filter;
mod gaps;
pub mod sizing;
pub mod theory;
pub mod wire;

pub use filter::{CompressedBloom, Params};
