//! Bloom-type filters that many threads insert into at once, without locks.
//!
//! ```text
//!  thread 1: insert x ──► fetch_or word 3, 8, 8 ┐
//!  thread 2: insert y ──► fetch_or word 1, 3, 5 ├──► the same words as on one thread, in any order
//!  thread 3: ask z    ──► load word 0, 2, ...   ┘
//! ```
//!
//! | type | the sequential filter |
//! |---|---|
//! | [`AtomicStandard`] | [`StandardBloom`](standard::StandardBloom) |
//! | [`AtomicBlocked<B>`] | [`BlockedBloom<B>`](blocked::BlockedBloom), 64 or 512 bits |
//! | [`AtomicSplit<W>`] | [`SplitBlock<W>`](blocked::SplitBlock), lanes of 32 or 64 bits |
//! | [`Atomic<F>`] | any [`Monotone`](amq::Monotone) filter `F` |
//!
//! # Parameters
//! Those of the sequential filter.
//!
//! # Guarantees
//! No insert is lost. Once the threads are done, the words are those of the sequential filter of the same parameters, seed and
//! keys: [`freeze`](Atomic::freeze) gives it, [`thaw`](Atomic::thaw) comes back. What *was new* means while others insert is
//! said at [`insert_shared`](amq::SharedInsert::insert_shared). Bits only go from 0 to 1, so a key that was once found stays found.
//! Checked by every interleaving of a small kernel ([`words`], `tests/loom.rs`) and with real threads.
//!
//! # Space
//! The words of the sequential filter, rounded up to cache lines, and a count of inserts in sixteen lines: threads would wait
//! for each other at one.
//!
//! # Errors
//! [`amq::InvalidParams`] for parameters out of range and memory that cannot be had. An insert is never refused.
//!
//! ```
//! use amq::{Digest, Filter, SharedInsert, Theory};
//! use atomic::AtomicStandard;
//!
//! let params = <standard::StandardBloom>::size_for_fpr(1000, 0.01)?;
//! let filter = <AtomicStandard>::new(&params, 42)?;
//! std::thread::scope(|scope| {
//!     scope.spawn(|| filter.insert_shared(Digest(1 << 40)));
//!     scope.spawn(|| filter.insert_shared(Digest(2 << 40)));
//! });
//! assert!(filter.contains(Digest(1 << 40)) && filter.contains(Digest(2 << 40)));
//! let sequential = filter.freeze()?;
//! assert!(sequential.contains(Digest(1 << 40)));
//! # Ok::<(), amq::InvalidParams>(())
//! ```
#![forbid(unsafe_code)]

mod count;
pub mod filter;
pub mod striped;
pub mod words;

pub use filter::{Atomic, AtomicBlocked, AtomicSplit, AtomicStandard};
pub use striped::Striped;
pub use words::{Cell, ORDERING, Words};
