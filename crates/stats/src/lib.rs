//! Intervals, exact tests and sample-size planning for proportions.
#![forbid(unsafe_code)]
