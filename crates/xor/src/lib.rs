//! Static filters by peeling.
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
pub use segments::{Arity, FuseParams, Segments, Ways};
pub use thirds::{Thirds, XorParams};

/// The xor filter with fingerprints of `W` bits, 1 to 32.
pub type XorFilter<const W: u32> = Peeled<Thirds, W>;

/// The binary fuse filter with `ARITY` cells for each key, 3 or 4, and fingerprints of `W` bits, 1 to 32.
pub type FuseFilter<const ARITY: u32, const W: u32> = Peeled<Segments<ARITY>, W>;
