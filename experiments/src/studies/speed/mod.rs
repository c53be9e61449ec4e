//! Studies of speed: what an operation costs, beside what the memory allows.
//!
//! Every repetition is one round. Rounds of all contenders of a group (the same measure, number of keys and workload)
//! alternate, A B C A B C ..., so that what slows the machine down for a while meets all of them; a filter that is only asked
//! is built once and kept. Each loop is run once untimed, which warms it up and gives its answer; the timed passes must give
//! the same, or the row is `wrong-answer` and has no time.
//!
//! ```text
//! key array ──hash, in chunks──> digests ──filter──> count of positives     hit_ns, miss_ns, ...   end to end
//!                                digests ──filter──> count of positives     filter_hit_ns, ...     filter alone
//! key array ──hash, in chunks──> digests ──sum                              dry_ns
//! key array ──one mix, L lines of an array as large as the filter           limit_hit_ns, ...      the machine's yardstick
//! ```
//!
//! The dry run and the limit stand in columns of their own and are never subtracted. A contender that hashes keys itself
//! gets the keys in place of digests and has no time without hashing.

mod asked;
mod build;
mod clock;
mod held;
mod insert;
mod latency;
mod lookup;
mod memory;
mod mix;
mod scaling;
mod sharing;
#[cfg(test)]
mod tests;
mod yardstick;

pub use build::BUILD;
pub use insert::INSERT;
pub use latency::LATENCY;
pub use lookup::LOOKUP;
pub use memory::MEMORY;
pub use mix::MIX;
pub use scaling::SCALING;
pub use sharing::SHARING;

/// The factors of all studies of speed: `copy` names the same contender twice, for an A/A control.
const FACTORS: &[&str] = &["copy"];
