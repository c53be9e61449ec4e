//! How much memory a piece of work takes at its peak: an allocator that counts.
//!
//! A program asks for it with
//!
//! ```
//! #[global_allocator]
//! static HEAP: bits::heap::Counting = bits::heap::Counting;
//! # let (kept, peak) = bits::heap::peak(|| {
//! #     drop(vec![0u8; 3000]);
//! #     vec![0u8; 1000]
//! # });
//! # assert_eq!((kept.len(), peak), (1000, Some(3000)));
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static INSTALLED: AtomicBool = AtomicBool::new(false);

/// The system's allocator, counting bytes: what was asked for, without what the allocator itself adds.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

fn came(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed).wrapping_add(bytes);
    MOST.fetch_max(now, Ordering::Relaxed);
    INSTALLED.store(true, Ordering::Relaxed);
}

fn went(bytes: usize) {
    NOW.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: every call is handed on to the system's allocator as it came, and its answer is handed back; the counters beside
// it are atomics that allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the one that `System` asks for.
        let pointer = unsafe { System.alloc(layout) };
        if !pointer.is_null() {
            came(layout.size());
        }
        pointer
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let pointer = unsafe { System.alloc_zeroed(layout) };
        if !pointer.is_null() {
            came(layout.size());
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        went(layout.size());
        // SAFETY: as above; the pointer came from `System`, as all of this allocator do.
        unsafe { System.dealloc(pointer, layout) };
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let grown = unsafe { System.realloc(pointer, layout, size) };
        if !grown.is_null() {
            // As if both stood side by side, as they do unless the block could grow in place.
            came(size);
            went(layout.size());
        }
        grown
    }
}

/// What `work` gives, and the most bytes that were allocated meanwhile beyond those before, by all threads; `None` where the
/// program does not use [`Counting`]. Not for two pieces of work at once.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let done = work();
    let most = MOST.load(Ordering::Relaxed);
    let peak = INSTALLED.load(Ordering::Relaxed).then(|| most.saturating_sub(before) as u64);
    (done, peak)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In one test, as the counters are those of the whole program; this one has no counting allocator.
    #[test]
    fn the_counting_allocator_counts_and_others_have_no_peak() {
        assert_eq!(peak(|| vec![0u8; 100]).1, None);
        let layout = Layout::from_size_align(1000, 64).unwrap();
        let ((), most) = peak(|| {
            // SAFETY: layouts have a size, blocks are used within it and given back once with their own layout.
            unsafe {
                let block = Counting.alloc(layout);
                let zeros = Counting.alloc_zeroed(layout);
                assert!(!block.is_null() && !zeros.is_null() && *zeros.add(999) == 0);
                *block.add(999) = 7;
                let grown = Counting.realloc(block, layout, 5000);
                assert_eq!(*grown.add(999), 7);
                Counting.dealloc(zeros, layout);
                Counting.dealloc(grown, Layout::from_size_align(5000, 64).unwrap());
            }
        });
        // Both blocks and the grown one beside the one it came from.
        assert_eq!(most, Some(7000));
        assert_eq!(NOW.load(Ordering::Relaxed), 0);
    }
}
