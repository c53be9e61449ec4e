//! Keys to digests (hash families) and digests to positions (derivation schemes and reductions).
#![forbid(unsafe_code)]
