//! Memory for filters: tried, never assumed, and on request in large pages.

use std::cell::Cell;

/// Bytes of a large page; memory below it is never asked for in large pages.
pub const HUGE_PAGE: usize = 2 << 20;

thread_local! {
    static HUGE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `make` so that the arrays it allocates on this thread, and that are a large page or more, ask the system for large
/// pages: fewer misses of the address cache in far arrays (`small-pages` and `large-pages` of the benches of `amq-standard`).
///
/// The request is a hint. On Linux it is granted where [`huge_pages`] says so, elsewhere it does nothing.
pub fn with_huge_pages<T>(make: impl FnOnce() -> T) -> T {
    /// Restores what was asked before, also when `make` panics.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            HUGE.set(self.0);
        }
    }
    let _before = Before(HUGE.replace(true));
    make()
}

/// Whether the system grants large pages to who asks.
#[must_use]
pub fn huge_pages() -> bool {
    std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled")
        .is_ok_and(|policy| policy.contains("[madvise]") || policy.contains("[always]"))
}

/// An empty vector with room for `count` values; none where the memory cannot be had.
#[must_use]
pub fn reserve<T>(count: usize) -> Option<Vec<T>> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(count).ok()?;
    if HUGE.get() {
        ask_for_huge_pages(&vector);
    }
    Some(vector)
}

/// Asks for large pages in the part of the vector's memory that is made of whole ones.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages<T>(vector: &Vec<T>) {
    let start = vector.as_ptr().addr();
    let end = start + vector.capacity() * size_of::<T>();
    let (first, last) = (start.next_multiple_of(HUGE_PAGE), end / HUGE_PAGE * HUGE_PAGE);
    if first < last {
        let pages = vector.as_ptr().with_addr(first).cast_mut().cast();
        // SAFETY: the range lies within an allocation of our own; the advice changes no contents and ends with the pages.
        // A refusal leaves small pages, so what is returned tells nothing that is needed.
        unsafe { libc::madvise(pages, last - first, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages<T>(_: &Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_as_asked_with_and_without_large_pages() {
        for len in [0, 1, 1 << 18, (5 << 18) + 3] {
            let small = reserve::<u64>(len).unwrap();
            let huge = with_huge_pages(|| reserve::<u64>(len).unwrap());
            assert_eq!((small.capacity(), huge.capacity(), huge.len()), (len, len, 0));
        }
        assert!(reserve::<u64>(usize::MAX / 16).is_none());
        assert!(with_huge_pages(|| reserve::<u64>(usize::MAX / 16)).is_none());
    }

    /// The kernel's own account of this memory: large pages are there when asked for, and none when not.
    #[test]
    #[cfg(target_os = "linux")]
    fn large_pages_are_granted_where_the_system_says_so() {
        let granted = |huge: bool| {
            let make = || {
                let mut vector = reserve::<u64>(16 * HUGE_PAGE / 8).unwrap();
                vector.resize(16 * HUGE_PAGE / 8, 1);
                vector
            };
            let vector = if huge { with_huge_pages(make) } else { make() };
            let middle = vector.as_ptr().addr() + 8 * HUGE_PAGE;
            let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
            let mut within = false;
            for line in maps.lines() {
                if let Some((start, rest)) = line.split_once('-')
                    && let (Ok(start), Some(Ok(end))) = (
                        usize::from_str_radix(start, 16),
                        rest.split(' ').next().map(|end| usize::from_str_radix(end, 16)),
                    )
                {
                    within = (start..end).contains(&middle);
                }
                if within && let Some(size) = line.strip_prefix("AnonHugePages:") {
                    return size.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
                }
            }
            panic!("no mapping of this address")
        };
        let policy = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
        if huge_pages() {
            assert!(granted(true) > 0, "{policy}");
        }
        if !policy.contains("[always]") {
            assert_eq!(granted(false), 0, "{policy}");
        }
    }

    #[test]
    fn the_request_ends_with_its_scope() {
        assert!(!HUGE.get());
        assert!(with_huge_pages(|| HUGE.get() && with_huge_pages(|| HUGE.get()) && HUGE.get()));
        assert!(std::panic::catch_unwind(|| with_huge_pages(|| panic!("on purpose"))).is_err());
        assert!(!HUGE.get());
    }
}
