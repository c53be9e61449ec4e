//! Filters as other systems save them, read and written byte for byte.
//!
//! | type | system | hash | changes after building |
//! |---|---|---|---|
//! | [`Bip37Bloom`] | Bitcoin, `filterload` payload (BIP 37) | MurmurHash3 x86-32, `k` seeds | takes items |
//! | [`ParquetBloom`] | Apache Parquet, split-block Bloom filter | XXH64, seed 0, eight salts | takes items |
//! | [`GuavaBloom`] | Guava `BloomFilter.writeTo` | MurmurHash3 x64-128, double hashing | takes items |
//! | [`GolombSet`] | Bitcoin, block filter (BIP 158) | SipHash-2-4 under a key | none |
//!
//! These filters hash bytes in their own ways, so they stand beside the filters of digests and do not implement the
//! traits of `amq`. What they share is [`Wire`]: a form in bytes. [`recognise`] tells which of them some bytes can be.
//! `docs/FORMATS.md` has each layout and where its test vectors are from.
//!
//! # Guarantees
//! No false negatives. Bytes that are read are written again as the same bytes: what could not be (trailing bytes, lengths
//! in more bytes than needed, padding that is not zero) is refused when it is read.
//!
//! # Errors
//! [`FormatError`] for bytes, [`amq::InvalidParams`] for parameters. Nothing is allocated that the input does not back.
//!
//! ```
//! use formats::{Bip37Bloom, Format, Wire, recognise};
//!
//! let mut filter = Bip37Bloom::for_items(3, 0.01, 0, 1)?;
//! filter.insert(b"an item");
//! let read = Bip37Bloom::decode(&filter.encode())?;
//! assert!(read.contains(b"an item"));
//! assert_eq!(recognise(&filter.encode())[0].format, Format::Bip37);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod bip158;
pub mod bip37;
mod cursor;
pub mod error;
mod golomb;
pub mod guava;
pub mod parquet;
pub mod wire;

pub use bip37::Bip37Bloom;
pub use bip158::GolombSet;
pub use error::FormatError;
pub use guava::{GuavaBloom, Strategy};
pub use parquet::ParquetBloom;
pub use wire::{Evidence, Format, Recognised, Wire, recognise};
