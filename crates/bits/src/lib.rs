//! Bit vectors: the memory under the filters.
//!
//! Allocation is tried, never assumed: an absurd size is an error value, not an abort.
#![forbid(unsafe_code)]

pub mod bitvec;
pub mod lanes;
pub mod packed;
pub mod probe;

pub use bitvec::BitVec;
pub use lanes::Lanes;
pub use packed::PackedVec;
