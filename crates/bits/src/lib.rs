//! Bit vectors and probe kernels.
#![forbid(unsafe_code)]
