//! Static filters by peeling: the xor filter, and the binary fuse filter with 3 and 4 cells for each key.
//!
//! ```text
//!  query y:    y ──► digest ──► fingerprint f, cells p0 p1 p2
//!
//!  xor       │. . p0 . . . . │. . . . . p1 .│. p2 . . . . . │   a cell in each of three thirds
//!  fuse      │. . . │. p0 . │p1 . . │. . p2 │. . . │. . . │     cells in consecutive segments
//!
//!            cells[p0] ^ cells[p1] ^ cells[p2] = f ?            no: y was never a key
//! ```
//!
//! A cell holds `W` bits. The filter is built once from all its keys: a cell that only one key asks is that key's own;
//! without this key others come to have a cell of their own, and so on until none is left (`peel`). Backwards, each
//! key's cell is given the value that makes its sum the fingerprint. This fails now and then, and is tried again with
//! another seed; for an absent key the sum is any value, and right with probability `2^-W`.
//!
//! # Parameters
//! All but one are fixed by the type: [`XorFilter<W>`](XorFilter), [`FuseFilter<ARITY, W>`](FuseFilter).
//!
//! | name | symbol | unit | range |
//! |---|---|---|---|
//! | `fingerprint_bits` | `W` | bits | 1 to 32, that of the type |
//! | `arity` (fuse) | - | cells of a key | 3 or 4, that of the type |
//! | `growth` (fuse) | - | segments | 0 to 24; 8 unless given |
//!
//! # Guarantees
//! No false negatives; the rate is `2^-W` for any keys and any number of them but none, where it is 0. A filter is that of
//! a *set*: neither order nor repetitions of the keys change a bit of it. Construction ends: at most [`MAX_TRIES`] tries, each
//! with a seed of its own, and after every four of them fuse grows by a segment while `growth` allows. Both are on record
//! ([`Peeled::tries`], [`Peeled::grown`]).
//!
//! A key is hashed by one product, on the word of [`amq::Digest`] that digests are uniform. Integers in arithmetic progression, not
//! hashed, still build, in up to 2 tries on average for xor and 1.4 for fuse, 11 at most in 400 seeds.
//!
//! A try fails with probability 0 to 0.15; below 30 keys in fuse of 4 up to 0.55. But where segments have just doubled
//! the published size of fuse of 3 fails more often, and worst at the last `n` of a segment: in 95 % of tries at 3,551 keys,
//! over 98 % at 11,521 and 12,372, 90 % at 37,454. One more segment makes it 0 to 5 % in each.
//!
//! # Space
//! [`Layout::published_cells`] cells of `W` bits: 1.23 for each key and 32 more (xor), 1.125 (fuse of 3) and 1.075 (fuse of 4)
//! in the limit, in whole segments. Widths of 8, 16 and 32 bits are arrays of integers, others packed with a spare word.
//! Building takes [`build_bytes`] beside keys and filter: 13 bytes for each cell (digest 8, count 1, order 4), and fuse of many
//! keys at first 9 for each cell and 8 for each key: 14 to 18 bytes a key. Repeated keys cost a failed try and a sorted copy,
//! 8 bytes a key.
//!
//! # Errors
//! [`amq::InvalidParams`] for parameters that are not the type's, rates and budgets that its width cannot reach, more than
//! [`layout::MAX_KEYS`] keys, memory that cannot be had; [`amq::BuildError::Unbuildable`] when all tries fail.
//!
//! # Source
//! T. M. Graf and D. Lemire, "Xor filters", JEA 25, 2020 (algorithms 1 to 4), and "Binary fuse filters", JEA 27, 2022. Departures:
//! the array grows; fingerprints are taken from bits that choose no cell; the array is peeled once from one end to the other, so
//! that the order of the keys does not matter; sizes are rounded as the reference code in C does (capacity to the nearest
//! whole number); a segment has at least one cell. Sizes lean on the platform's logarithm.
//!
//! ```
//! use amq::{Digest, Filter, StaticFilter, Theory};
//! use xor::FuseFilter;
//!
//! let keys: Vec<Digest> = (0..1000).map(|key| Digest(hashing::mix::mix64(key))).collect(); // any uniform 64-bit hash
//! let params = <FuseFilter<3, 8>>::size_for_fpr(1000, 0.01)?;
//! let filter = <FuseFilter<3, 8>>::build(&params, 42, &keys)?;
//! assert!(filter.contains(keys[7]));
//! # Ok::<(), amq::BuildError>(())
//! ```
#![forbid(unsafe_code)]

pub mod cells;
pub mod filter;
pub mod layout;
mod peel;
pub mod segments;
pub mod theory;
pub mod thirds;

pub use cells::{Bits, Width};
pub use filter::{MAX_TRIES, Peeled, peels};
pub use layout::Layout;
pub use peel::build_bytes;
pub use segments::{Arity, FuseParams, Segments, Ways};
pub use thirds::{Thirds, XorParams};

/// The xor filter with fingerprints of `W` bits, 1 to 32.
pub type XorFilter<const W: u32> = Peeled<Thirds, W>;

/// The binary fuse filter with `ARITY` cells for each key, 3 or 4, and fingerprints of `W` bits, 1 to 32.
pub type FuseFilter<const ARITY: u32, const W: u32> = Peeled<Segments<ARITY>, W>;
