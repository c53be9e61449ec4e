//! x
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
