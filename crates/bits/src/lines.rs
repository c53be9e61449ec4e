//! Words in cache lines: memory for filters that keep a key within one.

use amq::{Incompatible, InvalidParams, Space};

use crate::memory;

/// 64-bit words of a line.
pub const LINE: usize = 8;

/// A cache line of words.
pub type Words = [u64; LINE];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
struct Line(Words);

/// Lines of 512 bits, each within one cache line of 64 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineVec {
    lines: Vec<Line>,
}

impl LineVec {
    /// `lines` lines of zeros.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    pub fn zeros(lines: u64) -> Result<Self, InvalidParams> {
        let too_large = || InvalidParams::TooLarge { bits: lines.saturating_mul(64 * LINE as u64) };
        let count = usize::try_from(lines).map_err(|_| too_large())?;
        let mut vector = memory::reserve(count).ok_or_else(too_large)?;
        vector.resize(count, Line([0; LINE]));
        Ok(Self { lines: vector })
    }

    /// The number of lines.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.lines.len() as u64
    }

    /// Whether there are no lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The words of a line.
    ///
    /// # Panics
    /// For a line there is not.
    #[inline]
    #[must_use]
    pub fn line(&self, index: u64) -> &Words {
        &self.lines[index as usize].0
    }

    /// The words of a line, to be changed.
    ///
    /// # Panics
    /// For a line there is not.
    #[inline]
    pub fn line_mut(&mut self, index: u64) -> &mut Words {
        &mut self.lines[index as usize].0
    }

    /// The lines as blocks of `N` words, which divide a line.
    #[inline]
    #[must_use]
    pub fn blocks<const N: usize>(&self) -> &[[u64; N]] {
        const { assert!(N > 0 && LINE.is_multiple_of(N)) };
        let blocks = self.lines.len() * LINE / N;
        // SAFETY: a line is `LINE` words and nothing else, since 8 words of 8 bytes are its alignment; so the lines are
        // `LINE / N` times as many blocks of `N` words, without gaps.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), blocks) }
    }

    /// [`blocks`](Self::blocks), to be changed.
    #[inline]
    pub fn blocks_mut<const N: usize>(&mut self) -> &mut [[u64; N]] {
        const { assert!(N > 0 && LINE.is_multiple_of(N)) };
        let blocks = self.lines.len() * LINE / N;
        // SAFETY: as for `blocks`; the lines are borrowed for as long as the blocks.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), blocks) }
    }

    /// All words, line by line.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.lines.iter().flat_map(|line| line.0)
    }

    /// Set bits.
    #[must_use]
    pub fn count_ones(&self) -> u64 {
        self.words().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Sets all bits to 0.
    pub fn clear(&mut self) {
        self.lines.fill(Line([0; LINE]));
    }

    /// Sets the bits that are set in `other`.
    ///
    /// # Errors
    /// [`Incompatible`] for another number of lines.
    pub fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        if self.len() != other.len() {
            return Err(Incompatible { property: "lines", left: self.len().into(), right: other.len().into() });
        }
        for (left, right) in self.lines.iter_mut().zip(&other.lines) {
            left.0.iter_mut().zip(right.0).for_each(|(left, right)| *left |= right);
        }
        Ok(())
    }

    /// The space of `used` bits in these lines.
    #[must_use]
    pub fn space(&self, used: u64) -> Space {
        let allocated = (self.lines.capacity() * 64 * LINE) as u64;
        Space { payload_bits: used, overhead_bits: allocated.saturating_sub(used) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_starts_a_cache_line() {
        let lines = LineVec::zeros(9).unwrap();
        assert!((0..9).all(|index| std::ptr::from_ref(lines.line(index)).addr().is_multiple_of(64)));
        assert_eq!(lines.space(9 * 512), Space { payload_bits: 9 * 512, overhead_bits: 0 });
    }

    #[test]
    fn every_bit_can_be_set_and_none_is_disturbed() {
        let mut lines = LineVec::zeros(3).unwrap();
        for bit in 0..3 * 512u64 {
            assert_eq!(lines.count_ones(), bit);
            lines.line_mut(bit / 512)[(bit % 512 / 64) as usize] |= 1 << (bit % 64);
        }
        lines.clear();
        assert_eq!(lines, LineVec::zeros(3).unwrap());
    }

    #[test]
    fn blocks_are_parts_of_lines() {
        let mut lines = LineVec::zeros(3).unwrap();
        lines.blocks_mut::<4>().iter_mut().enumerate().for_each(|(block, words)| words[1] = block as u64);
        lines.blocks_mut::<1>()[23] = [7];
        assert_eq!((lines.blocks::<4>().len(), lines.blocks::<8>().len(), lines.blocks::<1>().len()), (6, 3, 24));
        assert_eq!((lines.line(1)[1], lines.line(1)[5], lines.line(2)[5], lines.line(2)[7]), (2, 3, 5, 7));
        assert_eq!(lines.blocks::<8>()[2], *lines.line(2));
        assert!(LineVec::zeros(0).unwrap().blocks::<4>().is_empty());
    }

    #[test]
    fn unions_and_sizes() {
        let (mut left, mut right) = (LineVec::zeros(2).unwrap(), LineVec::zeros(2).unwrap());
        left.line_mut(0)[1] = 5;
        right.line_mut(0)[1] = 3;
        right.line_mut(1)[7] = 1;
        left.union(&right).unwrap();
        assert_eq!((left.line(0)[1], left.line(1)[7]), (7, 1));
        let error = left.union(&LineVec::zeros(1).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "the filters differ in lines: 2 and 1");
        assert!(matches!(LineVec::zeros(1 << 57), Err(InvalidParams::TooLarge { .. })));
        assert!(LineVec::zeros(0).unwrap().is_empty());
    }
}
