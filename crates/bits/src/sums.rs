//! Sums of cells: the probe of filters by peeling, whose answer is the exclusive or of a few cells.
//!
//! A layout brings the two words of a key to its cells. That all of them lie within the array is proven here, next to the
//! arithmetic, so that a probe needs one check of the array's length instead of one for each cell (`hit` of the benches of
//! `amq-xor`).

use std::ops::BitXor;

/// The upper word of the product: brings a uniform word into `0..range`.
#[inline]
fn scale(word: u64, range: u32) -> u32 {
    ((u128::from(word) * u128::from(range)) >> 64) as u32
}

/// The way from two uniform words to the cells of a key.
///
/// # Safety
/// Every position lies below [`cells`](Self::cells), for any two words.
pub unsafe trait Places: Copy {
    /// The cells of a key.
    type Positions: Copy + AsRef<[u32]> + IntoIterator<Item = u32>;

    /// Cells in all; at most 2^32.
    fn cells(&self) -> u64;

    /// The cells of a key, all different.
    fn positions(&self, first: u64, second: u64) -> Self::Positions;
}

/// The exclusive or of the cells that `places` gives the two words, `start` included.
///
/// # Panics
/// When `cells` has fewer cells than the layout.
#[inline]
pub fn sum<P: Places, T: Copy + BitXor<Output = T>>(places: &P, cells: &[T], start: T, first: u64, second: u64) -> T {
    assert!(cells.len() as u64 >= places.cells(), "{} cells for a layout of {}", cells.len(), places.cells());
    // SAFETY: by the contract of `Places` a position is below `places.cells()`, which is no more than the length.
    let cell = |position: u32| unsafe { *cells.get_unchecked(position as usize) };
    places.positions(first, second).into_iter().fold(start, |sum, position| sum ^ cell(position))
}

/// Calls `each` with the cells of two arrays that `places` gives the two words, one after the other, and their positions.
///
/// # Panics
/// When one of the arrays has fewer cells than the layout.
#[inline(always)]
pub fn visit<P: Places, A, B>(
    places: &P,
    (left, right): (&mut [A], &mut [B]),
    (first, second): (u64, u64),
    mut each: impl FnMut(u32, &mut A, &mut B),
) {
    let shorter = left.len().min(right.len());
    assert!(shorter as u64 >= places.cells(), "{shorter} cells for a layout of {}", places.cells());
    for position in places.positions(first, second) {
        // SAFETY: by the contract of `Places` a position is below `places.cells()`, which is no more than either length; the
        // two arrays are borrowed apart, and the cells of one position are given back before the next.
        let (left, right) =
            unsafe { (left.get_unchecked_mut(position as usize), right.get_unchecked_mut(position as usize)) };
        each(position, left, right);
    }
}

/// Segments of equal length, a power of two; the `ARITY` cells of a key in consecutive ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments<const ARITY: usize> {
    segment: u32,
    /// Cells in which the lowest cell of a key can be: all but those of the last `ARITY - 1` segments.
    starts: u32,
}

impl<const ARITY: usize> Segments<ARITY> {
    /// `segments` segments of `2^log` cells. None for fewer segments than cells of a key, segments of more than 2^18
    /// cells and more than 2^32 cells in all.
    #[must_use]
    pub fn new(log: u32, segments: u64) -> Option<Self> {
        let cells = 1u64.checked_shl(log).filter(|_| log <= 18)?.checked_mul(segments)?;
        if cells > 1 << 32 || segments < ARITY as u64 || !(2..=4).contains(&ARITY) {
            return None;
        }
        let starts = (segments - ARITY as u64 + 1) << log;
        Some(Self { segment: 1 << log, starts: u32::try_from(starts).ok()? })
    }

    /// Cells of a segment.
    #[inline]
    #[must_use]
    pub fn segment(&self) -> u32 {
        self.segment
    }
}

// SAFETY: `scale` brings the lowest cell below `starts`, a multiple of the segment, so it lies in one of the first
// `starts / segment` segments; cell `i` lies in the `i`-th segment after it, since an exclusive or with less than a segment
// does not leave a segment that is a power of two and aligned to its length; there are `ARITY - 1` segments beyond `starts`.
// No sum exceeds 2^32 - 1, as `new` lets no more than 2^32 cells through.
unsafe impl<const ARITY: usize> Places for Segments<ARITY> {
    type Positions = [u32; ARITY];

    #[inline]
    fn cells(&self) -> u64 {
        u64::from(self.starts) + (ARITY as u64 - 1) * u64::from(self.segment)
    }

    #[inline]
    fn positions(&self, first: u64, second: u64) -> [u32; ARITY] {
        let (lowest, mask) = (scale(first, self.starts), self.segment - 1);
        // Eighteen bits of the second word choose the place in a segment.
        std::array::from_fn(|i| match i {
            0 => lowest,
            _ => (lowest + i as u32 * self.segment) ^ (second >> (18 * (ARITY - 1 - i))) as u32 & mask,
        })
    }
}

/// Three thirds of equal length, a cell of a key in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thirds {
    third: u32,
}

impl Thirds {
    /// Three times `third` cells. None for 0 and for more than 2^32 cells in all.
    #[must_use]
    pub fn new(third: u64) -> Option<Self> {
        (1..=(1 << 32) / 3).contains(&third).then_some(Self { third: third as u32 })
    }
}

// SAFETY: `scale` brings a word below `third`, so that the cell plus none, one or two thirds is below one, two or three
// thirds; `new` lets no more than 2^32 cells through, so that no sum overflows.
unsafe impl Places for Thirds {
    type Positions = [u32; 3];

    #[inline]
    fn cells(&self) -> u64 {
        3 * u64::from(self.third)
    }

    #[inline]
    fn positions(&self, first: u64, second: u64) -> [u32; 3] {
        let third = self.third;
        let other = |rotate| scale(second.rotate_left(rotate), third);
        // From bits 43 and 21 downwards: the top of a word that comes of a product is not its best.
        [scale(first, third), third + other(20), 2 * third + other(42)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with every bit pattern that a bound may break on, and many others.
    fn words() -> impl Iterator<Item = (u64, u64)> {
        let edge = [0, 1, u64::MAX >> 32, u64::MAX << 32, u64::MAX - 1, u64::MAX];
        let edges = edge.into_iter().flat_map(move |first| edge.map(|second| (first, second)));
        let mixed =
            (1..2000u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15), i.wrapping_mul(0xbf58_476d_1ce4_e5b9)));
        edges.chain(mixed)
    }

    /// Positions are different and below the number of cells; the sum is that of checked reads, and every visit meets the same
    /// cells.
    fn probes_stay_within<P: Places + std::fmt::Debug>(places: P) {
        let len = places.cells();
        let small = len <= 1 << 20;
        let mut cells: Vec<u16> = (0..if small { len } else { 0 }).map(|i| (i * 0x9e37 % 65_521) as u16).collect();
        let mut numbers: Vec<u32> = (0..cells.len() as u32).collect();
        for (first, second) in words() {
            let positions = places.positions(first, second);
            let all = positions.as_ref();
            assert!(all.iter().all(|cell| u64::from(*cell) < len), "{places:?}: {all:?}");
            assert!(all.iter().enumerate().all(|(i, cell)| !all[..i].contains(cell)), "{places:?}: {all:?}");
            if small {
                let checked = all.iter().fold(77, |sum, cell| sum ^ cells[*cell as usize]);
                assert_eq!(sum(&places, &cells, 77, first, second), checked, "{places:?}");
                let mut visited = 77;
                visit(&places, (&mut cells, &mut numbers), (first, second), |position, cell, number| {
                    assert_eq!(position, *number);
                    visited ^= *cell;
                });
                assert_eq!(visited, checked, "{places:?}");
            }
        }
    }

    #[test]
    fn every_probe_stays_within_the_cells() {
        for third in [1, 2, 3, 1000, 333_333, (1 << 32) / 3] {
            probes_stay_within(Thirds::new(third).unwrap());
        }
        for (log, segments) in [(0, 4), (0, 13), (3, 4), (3, 100), (10, 15), (18, 4), (18, 1 << 14)] {
            probes_stay_within(Segments::<3>::new(log, segments).unwrap());
            probes_stay_within(Segments::<4>::new(log, segments).unwrap());
        }
    }

    #[test]
    fn layouts_that_no_cell_could_be_found_in_are_refused() {
        assert!(Thirds::new(0).is_none() && Thirds::new((1 << 32) / 3 + 1).is_none());
        for (log, segments) in [(0, 2), (19, 10), (64, 10), (18, (1 << 14) + 1), (18, u64::MAX)] {
            assert!(Segments::<3>::new(log, segments).is_none(), "{segments} segments of 2^{log}");
        }
        assert!(Segments::<4>::new(0, 3).is_none() && Segments::<1>::new(4, 9).is_none());
    }

    #[test]
    #[should_panic(expected = "29 cells for a layout of 30")]
    fn too_few_cells_are_refused() {
        sum(&Thirds::new(10).unwrap(), &[0u8; 29], 0, 1, 1);
    }

    #[test]
    #[should_panic(expected = "29 cells for a layout of 30")]
    fn too_few_cells_are_refused_on_either_side() {
        visit(&Thirds::new(10).unwrap(), (&mut [0u8; 30], &mut [0u8; 29]), (1, 1), |_, _, _| {});
    }
}
