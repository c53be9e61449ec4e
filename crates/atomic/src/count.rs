//! A count that many threads add to.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Lines that the count is spread over; threads take turns to get one, so that so many add without waiting for each other.
const STRIPES: usize = 16;

#[derive(Debug, Default)]
#[repr(align(64))]
struct Stripe(AtomicU64);

/// A sum that is added to through a shared reference.
#[derive(Debug, Default)]
pub(crate) struct Count {
    stripes: [Stripe; STRIPES],
}

/// The stripe of this thread.
fn stripe() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static MINE: Cell<Option<usize>> = const { Cell::new(None) };
    }
    MINE.get().unwrap_or_else(|| {
        let mine = NEXT.fetch_add(1, Ordering::Relaxed) % STRIPES;
        MINE.set(Some(mine));
        mine
    })
}

impl Count {
    /// Begins at `count`.
    pub(crate) fn from(count: u64) -> Self {
        let new = Self::default();
        new.stripes[0].0.store(count, Ordering::Relaxed);
        new
    }

    #[inline]
    pub(crate) fn add(&self, more: u64) {
        self.stripes[stripe()].0.fetch_add(more, Ordering::Relaxed);
    }

    /// The sum; what other threads add meanwhile may be in or not.
    pub(crate) fn sum(&self) -> u64 {
        self.stripes.iter().map(|stripe| stripe.0.load(Ordering::Relaxed)).fold(0, u64::saturating_add)
    }

    /// Bits in memory.
    pub(crate) const BITS: u64 = 8 * size_of::<Self>() as u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_and_stripes_are_shared_out() {
        let count = Count::from(5);
        std::thread::scope(|scope| {
            for _ in 0..40 {
                scope.spawn(|| (0..1000).for_each(|_| count.add(1)));
            }
        });
        assert_eq!((count.sum(), Count::BITS), (40_005, 16 * 512));
        assert!(count.stripes.iter().all(|stripe| stripe.0.load(Ordering::Relaxed) >= 1000));
    }
}
