//! Intervals, exact tests and sample-size planning for proportions, and the
//! balls-into-bins laws that theories of hashing share.
//!
//! The crate knows nothing of filters. Its subject is one number, a rate `p`,
//! seen through `successes` out of `trials`, at probabilities as small as `1e-12`
//! and error levels as small as `1e-7`. Tails are therefore computed to a small
//! *relative* error, never as one minus something.
//!
//! | module | question |
//! |---|---|
//! | [`interval`] | which rates are compatible with the counts? |
//! | [`binomial`] | could this rate have produced the counts? |
//! | [`mixture`] | the same, when the rate itself varies from draw to draw |
//! | [`chi_square`] | do counts follow a table of expectations? |
//! | [`moments`] | is the spread of repeated measurements the expected one? |
//! | [`plan`] | how many trials, and what could they show? |
//! | [`normal`] | the normal law and its quantile |
//! | [`occupancy`] | how many bins are occupied after so many balls? |
//! | [`bootstrap`] | what do they say of their median, whatever their law? |
//! | [`sample`] | what do repetitions of unknown spread say of their mean? |
//!
//! Bad input (NaN, no trials, more successes than trials, a probability outside
//! `[0, 1]`) is a [`StatsError`] that names the value and the allowed range.
//!
//! ```
//! use stats::{Alternative, binomial_test, clopper_pearson};
//!
//! let interval = clopper_pearson(8_190, 1_000_000, 0.95)?;
//! assert!(interval.low < 0.0082 && 0.0082 < interval.high);
//! assert!(binomial_test(8_190, 1_000_000, 0.0082, Alternative::TwoSided)? > 0.9);
//! # Ok::<(), stats::StatsError>(())
//! ```
#![forbid(unsafe_code)]

pub mod binomial;
pub mod bootstrap;
pub mod chi_square;
pub mod interval;
pub mod mixture;
pub mod moments;
pub mod normal;
pub mod occupancy;
pub mod plan;
pub mod sample;

mod chain;
mod error;
mod quadrature;
mod saddle;
mod tail;

pub use binomial::{Alternative, binomial_cdf, binomial_sf, binomial_test};
pub use bootstrap::{bootstrap_interval, median, median_interval, median_ratio};
pub use chi_square::{ChiSquare, chi_square_fit, chi_square_uniform};
pub use error::StatsError;
pub use interval::{Interval, clopper_pearson, wilson};
pub use mixture::overdispersed_test;
pub use moments::{mean, sample_variance, variance_test};
pub use normal::{normal_cdf, normal_quantile, normal_sf};
pub use plan::{detectable_effect, filters_for_effect, probes_for_effect};
pub use sample::{Moments, detectable_distance, difference_test, mean_interval, mean_test};
