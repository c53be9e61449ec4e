//! Words whose bits are set through a shared reference: the kernel that the model checker runs.

use std::sync::atomic::{AtomicU64, Ordering};

use amq::InvalidParams;

/// How words are read and set.
///
/// Relaxed is enough for what is promised. A read-modify-write is atomic in any order, so no bit is lost; each word has one
/// order of changes that all threads see, and its bits only go from 0 to 1, so what was seen set stays set. Nothing else is
/// published through a filter: who has to see an insert of another thread must be told that it happened (a join, a lock, a
/// channel), and that orders the words before it too. A yes alone proves nothing, since it may be a false positive.
pub const ORDERING: Ordering = Ordering::Relaxed;

/// Words in a cache line.
const LINE: usize = 8;

/// A word of 64 bits that threads share.
pub trait Cell: Send + Sync {
    /// With these bits.
    fn new(bits: u64) -> Self;

    /// The bits.
    fn load(&self) -> u64;

    /// Sets bits in one step; the bits there were before.
    fn fetch_or(&self, bits: u64) -> u64;
}

impl Cell for AtomicU64 {
    #[inline]
    fn new(bits: u64) -> Self {
        AtomicU64::new(bits)
    }

    #[inline]
    fn load(&self) -> u64 {
        self.load(ORDERING)
    }

    #[inline]
    fn fetch_or(&self, bits: u64) -> u64 {
        self.fetch_or(bits, ORDERING)
    }
}

#[derive(Debug)]
#[repr(align(64))]
struct Line<C>([C; LINE]);

/// Words in cache lines.
#[derive(Debug)]
pub struct Words<C = AtomicU64> {
    lines: Vec<Line<C>>,
}

impl<C: Cell> Words<C> {
    /// `count` words, rounded up to whole lines of eight: the ones given, then zeros.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    pub fn new(count: u64, mut words: impl Iterator<Item = u64>) -> Result<Self, InvalidParams> {
        let lines = count.div_ceil(LINE as u64);
        let too_large = || InvalidParams::TooLarge { bits: count.saturating_mul(64) };
        let room = usize::try_from(lines).ok().and_then(bits::memory::reserve);
        let mut vector: Vec<Line<C>> = room.ok_or_else(too_large)?;
        vector.extend((0..lines).map(|_| Line(std::array::from_fn(|_| C::new(words.next().unwrap_or(0))))));
        Ok(Self { lines: vector })
    }

    #[inline]
    fn cell(&self, word: u64) -> &C {
        &self.lines[(word / LINE as u64) as usize].0[(word % LINE as u64) as usize]
    }

    /// Sets bits of a word; whether one of them was 0 and this call set it.
    ///
    /// Bits that are there already are only read, which leaves the line with all who have it.
    ///
    /// # Panics
    /// For a word there is not.
    #[inline]
    pub fn set(&self, word: u64, bits: u64) -> bool {
        let cell = self.cell(word);
        cell.load() & bits != bits && cell.fetch_or(bits) & bits != bits
    }

    /// Whether all these bits of a word are set.
    ///
    /// # Panics
    /// For a word there is not.
    #[inline]
    #[must_use]
    pub fn covers(&self, word: u64, bits: u64) -> bool {
        self.cell(word).load() & bits == bits
    }

    /// All words, with those that fill the last line.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.lines.iter().flat_map(|line| &line.0).map(Cell::load)
    }

    /// Bits allocated.
    #[must_use]
    pub fn allocated_bits(&self) -> u64 {
        64 * LINE as u64 * self.lines.capacity() as u64
    }

    /// Sets all bits to 0.
    pub fn clear(&mut self) {
        self.lines.iter_mut().flat_map(|line| &mut line.0).for_each(|cell| *cell = C::new(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Plain = Words<AtomicU64>;

    #[test]
    fn words_are_as_given_and_lines_are_whole() {
        let words = Plain::new(9, 1..=9).unwrap();
        let expected: Vec<u64> = (1..=9).chain([0; 7]).collect();
        assert_eq!((words.iter().collect::<Vec<_>>(), words.allocated_bits()), (expected, 1024));
        assert!(std::ptr::from_ref(words.cell(8)).addr().is_multiple_of(64));
        assert!(matches!(Plain::new(1 << 60, 0..0), Err(InvalidParams::TooLarge { .. })));
        assert!(matches!(Plain::new(u64::MAX, 0..0), Err(InvalidParams::TooLarge { bits: u64::MAX })));
    }

    #[test]
    fn every_bit_is_set_once_and_none_is_disturbed() {
        let mut words = Plain::new(3, 0..0).unwrap();
        for bit in 0..192u64 {
            let (word, mask) = (bit / 64, 1 << (bit % 64));
            assert!(!words.covers(word, mask));
            assert!(words.set(word, mask) && !words.set(word, mask));
            assert!(words.covers(word, mask));
            assert_eq!(words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>(), bit + 1);
        }
        words.clear();
        assert!(words.iter().all(|word| word == 0));
    }
}
