//! The Bloom filter with k slices of its own.
#![forbid(unsafe_code)]
