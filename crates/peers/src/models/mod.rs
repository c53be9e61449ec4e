//! The constructions that published filters have, each with its sizing and its prediction.

pub mod array;
pub mod blocks;
pub mod buckets;
pub mod fixed;
pub mod quotient;
pub mod slices;
pub mod tables;
