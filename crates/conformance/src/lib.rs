//! The laws of amq as a reusable suite with an exact oracle.
#![forbid(unsafe_code)]
