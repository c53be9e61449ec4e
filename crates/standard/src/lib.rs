//! The Bloom filter with one shared array of m bits.
#![forbid(unsafe_code)]
