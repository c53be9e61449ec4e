//! Fixed seed, fixed bits.
