//! Bit vectors: the memory under the filters.
//!
//! Allocation is tried, never assumed: an absurd size is an error value, not an abort.
//!
//! The one crate with `unsafe` code: prefetches and vector instructions, each with a twin that any machine runs.

pub mod bitvec;
pub mod block;
pub mod counters;
pub mod dispatch;
pub mod distinct;
pub mod fields;
pub mod heap;
pub mod lanes;
pub mod lines;
pub mod memory;
pub mod near;
pub mod packed;
pub mod prefetch;
pub mod probe;
pub mod split;
pub mod sums;
pub mod wide;

pub use bitvec::BitVec;
pub use distinct::for_each_distinct;
pub use fields::FieldVec;
pub use lanes::Lanes;
pub use lines::LineVec;
pub use packed::PackedVec;
