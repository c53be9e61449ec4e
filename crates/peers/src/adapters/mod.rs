//! One file for each kind of filter.

mod blocked;
mod bloom;
mod cuckoo;
mod fuse;

pub use blocked::SbbfRsSafe;
pub use bloom::{Fastbloom, FastbloomFoldhash, FastbloomRs, FastbloomRsCounting};
pub use cuckoo::CuckoofilterAhash;
pub use fuse::{JdbXorfBf8, XorfBinaryFuse8};
