//! Asking for memory before it is needed.

/// Asks the memory system for the cache line of `slice[index]`, without waiting for it; nothing where the machine has no
/// such instruction. An index beyond the slice is harmless, and useless.
#[inline(always)]
pub fn read<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = slice.as_ptr().wrapping_add(index);
        // SAFETY: SSE is part of the target; a prefetch is a hint that reads nothing into the program and never faults,
        // whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

#[cfg(test)]
mod tests {
    #[test]
    fn any_index_is_harmless() {
        let words = [1u64; 8];
        for index in [0, 7, 8, 1 << 40, usize::MAX] {
            super::read(&words, index);
            super::read::<u64>(&[], index);
        }
        assert_eq!(words, [1; 8]);
    }
}
