//! One file for each kind of filter.

mod blocked;
mod bloom;
mod cuckoo;
mod fuse;
mod quotient;
mod ribbon;
mod scalable;
mod sux;

pub use blocked::SbbfRsSafe;
pub use bloom::{Bloomfilter, Fastbloom, FastbloomFoldhash, FastbloomRs, FastbloomRsCounting};
pub use cuckoo::{AutoscaleCuckooFilter, CuckoofilterAhash};
pub use fuse::{JdbXorfBf8, XorfBinaryFuse8, XorfBinaryFuse16, XorfXor8, XorfilterRsFuse8};
pub use quotient::Qfilter;
pub use ribbon::PleatRibbon7;
pub use scalable::GrowableBloomFilter;
pub use sux::SuxVFilter;
