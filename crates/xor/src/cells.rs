//! The array of fingerprints: bytes, half words and words where the width is one of these, else packed.

use std::fmt::Debug;

use amq::InvalidParams;
use bits::PackedVec;
use bits::sums;

use crate::layout::Layout;

/// The width of a fingerprint, a type for each of 1 to 32 bits: [`Width`] is implemented for these and no others, so
/// that a filter of 0 or 33 bits does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits<const W: u32>;

/// What depends on the width of a fingerprint.
pub trait Width: Copy + Debug + Send + Sync + 'static {
    /// The array.
    type Cells: Cells;
    /// The width, as a range of the one value it may have.
    const RANGE: &'static str;
    /// Why a lower rate is out of reach, and what would do.
    const TOO_LOW: &'static str;
    /// Why a smaller budget is out of reach, and what would do.
    const TOO_SMALL: &'static str;
}

/// An array of fingerprints, all 0 at first.
pub trait Cells: Clone + Debug + PartialEq + Send + Sync + Sized {
    /// `len` cells of `width` bits.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    fn zeros(len: u64, width: u32) -> Result<Self, InvalidParams>;

    /// Cell `at`.
    ///
    /// # Panics
    /// When `at` lies beyond the last cell.
    fn get(&self, at: u32) -> u64;

    /// The exclusive or of `start`, which fits, and the cells of the two words.
    ///
    /// # Panics
    /// When there are fewer cells than the layout has.
    fn sum<L: Layout>(&self, layout: &L, start: u64, first: u64, second: u64) -> u64;

    /// Sets cell `at` to `value`, which fits.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    fn set(&mut self, at: u32, value: u64);

    /// Bits allocated.
    fn allocated_bits(&self) -> u64;

    /// Bits that `len` cells of `width` bits take when allocated; saturating.
    fn bits_for(len: u64, width: u32) -> u64;
}

/// `len` zeros, tried.
pub(crate) fn zeros<T: Copy + Default>(len: u64) -> Result<Vec<T>, InvalidParams> {
    let mut vector = Vec::new();
    refill(&mut vector, len)?;
    Ok(vector)
}

/// Makes `vector` one of `len` zeros, tried.
pub(crate) fn refill<T: Copy + Default>(vector: &mut Vec<T>, len: u64) -> Result<(), InvalidParams> {
    let bits = len.saturating_mul(8 * size_of::<T>() as u64);
    let too_large = || InvalidParams::TooLarge { bits };
    let len = usize::try_from(len).map_err(|_| too_large())?;
    vector.clear();
    if vector.capacity() < len {
        *vector = bits::memory::reserve(len).ok_or_else(too_large)?;
    }
    vector.resize(len, T::default());
    Ok(())
}

macro_rules! native {
    ($($cell:ident),+) => { $(
        impl Cells for Vec<$cell> {
            fn zeros(len: u64, _width: u32) -> Result<Self, InvalidParams> {
                zeros(len)
            }
            #[inline]
            fn get(&self, at: u32) -> u64 {
                self[at as usize].into()
            }
            #[inline]
            fn sum<L: Layout>(&self, layout: &L, start: u64, first: u64, second: u64) -> u64 {
                sums::sum(layout.places(), self, start as $cell, first, second).into()
            }
            #[inline]
            fn set(&mut self, at: u32, value: u64) {
                self[at as usize] = value as $cell;
            }
            fn allocated_bits(&self) -> u64 {
                self.capacity() as u64 * u64::from($cell::BITS)
            }
            fn bits_for(len: u64, _width: u32) -> u64 {
                len.saturating_mul($cell::BITS.into())
            }
        }
    )+ };
}

native!(u8, u16, u32);

/// Packed cells of `W` bits, and spare ones at the end for a whole word, so that a cell is read from two words without
/// asking whether it lies in both.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed<const W: u32>(PackedVec);

impl<const W: u32> Packed<W> {
    const SPARE: u64 = 64u64.div_ceil(W as u64);
}

impl<const W: u32> Cells for Packed<W> {
    fn zeros(len: u64, _width: u32) -> Result<Self, InvalidParams> {
        PackedVec::zeros(len.saturating_add(Self::SPARE), W).map(Self)
    }

    #[inline]
    fn get(&self, at: u32) -> u64 {
        let bit = u64::from(at) * u64::from(W);
        let (word, shift) = ((bit / 64) as usize, bit % 64);
        let words = &self.0.words()[word..word + 2];
        // Shifted in two steps: one of 64, for shift = 0, is none that a machine has.
        (words[0] >> shift | words[1] << 1 << (63 - shift)) & (u64::MAX >> (64 - W))
    }

    #[inline]
    fn sum<L: Layout>(&self, layout: &L, start: u64, first: u64, second: u64) -> u64 {
        layout.positions(first, second).into_iter().fold(start, |sum, cell| sum ^ self.get(cell))
    }

    #[inline]
    fn set(&mut self, at: u32, value: u64) {
        self.0.set(at.into(), value);
    }

    fn allocated_bits(&self) -> u64 {
        self.0.space().total_bits()
    }

    fn bits_for(len: u64, _width: u32) -> u64 {
        len.saturating_add(Self::SPARE).saturating_mul(W.into()).checked_next_multiple_of(64).unwrap_or(u64::MAX)
    }
}

macro_rules! widths {
    ($($width:literal => $cells:ty),+ $(,)?) => { $(
        impl Width for Bits<$width> {
            type Cells = $cells;
            const RANGE: &'static str = concat!($width, ", fixed by the type");
            const TOO_LOW: &'static str = concat!(
                "fingerprints of ", $width, " bits have a rate of 2^-", $width,
                ": ask for no less, or take wider ones (8 bits reach 3.91e-3, 16 bits 1.53e-5, 32 bits 2.33e-10)"
            );
            const TOO_SMALL: &'static str = concat!(
                "fingerprints of ", $width, " bits are stored in 1.23 (xor), 1.125 (fuse of 3) or 1.075 (fuse of 4) ",
                "cells a key, and more for few keys, with room for one more segment: give more bits or take narrower ones"
            );
        }
    )+ };
}

widths! {
    1 => Packed<1>, 2 => Packed<2>, 3 => Packed<3>, 4 => Packed<4>, 5 => Packed<5>, 6 => Packed<6>, 7 => Packed<7>,
    8 => Vec<u8>, 9 => Packed<9>, 10 => Packed<10>, 11 => Packed<11>, 12 => Packed<12>, 13 => Packed<13>,
    14 => Packed<14>, 15 => Packed<15>, 16 => Vec<u16>, 17 => Packed<17>, 18 => Packed<18>, 19 => Packed<19>,
    20 => Packed<20>, 21 => Packed<21>, 22 => Packed<22>, 23 => Packed<23>, 24 => Packed<24>, 25 => Packed<25>,
    26 => Packed<26>, 27 => Packed<27>, 28 => Packed<28>, 29 => Packed<29>, 30 => Packed<30>, 31 => Packed<31>,
    32 => Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_cell_is_kept<C: Cells>(width: u32) {
        for len in [1u32, 2, 63, 64, 65, 201] {
            let mut cells = C::zeros(len.into(), width).unwrap();
            assert_eq!(cells.allocated_bits(), C::bits_for(len.into(), width), "{len} cells of {width} bits");
            assert!(cells.allocated_bits() >= u64::from(len * width));
            let value = |at: u32| u64::from(at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - width);
            assert!((0..len).all(|at| cells.get(at) == 0));
            (0..len).for_each(|at| cells.set(at, value(at)));
            assert!((0..len).all(|at| cells.get(at) == value(at)), "{len} cells of {width} bits");
        }
    }

    #[test]
    fn every_cell_is_kept_in_every_form() {
        every_cell_is_kept::<Vec<u8>>(8);
        every_cell_is_kept::<Vec<u16>>(16);
        every_cell_is_kept::<Vec<u32>>(32);
        every_cell_is_kept::<Packed<1>>(1);
        every_cell_is_kept::<Packed<7>>(7);
        every_cell_is_kept::<Packed<13>>(13);
        every_cell_is_kept::<Packed<16>>(16);
        every_cell_is_kept::<Packed<31>>(31);
    }

    #[test]
    fn absurd_lengths_are_error_values() {
        assert!(matches!(<Vec<u8> as Cells>::zeros(1 << 62, 8), Err(InvalidParams::TooLarge { bits: u64::MAX })));
        assert!(matches!(Packed::<9>::zeros(u64::MAX, 9), Err(InvalidParams::TooLarge { .. })));
        assert_eq!((<Vec<u32>>::bits_for(u64::MAX, 32), Packed::<9>::bits_for(u64::MAX, 9)), (u64::MAX, u64::MAX));
    }
}
