//! Eight words at a time: arithmetic and scattered reads in vectors, written once for every machine.
//!
//! A loop over [`Wide`] is compiled twice: for [`Vectors`] (AVX-512), where a word is a lane, and for [`Words`], the twin that
//! any machine runs and tests compare with. Processors whose microcode slows scattered reads down (the mitigation of gather data
//! sampling) were not measured.

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Sub};

/// Lanes of a vector.
pub const LANES: usize = 8;

/// What makes vectors. The type is the proof that the machine has what they are made of.
pub trait Wide: Copy {
    /// Eight words of 64 bits.
    type Vector: Lanes;

    /// The vector of these words.
    fn of(self, words: [u64; LANES]) -> Self::Vector;

    /// The same word in each lane.
    #[inline(always)]
    fn all(self, word: u64) -> Self::Vector {
        self.of([word; LANES])
    }

    /// `memory[index]` in each lane of `lanes` (bit `i` for lane `i`), 0 in the others.
    ///
    /// # Panics
    /// When an index in one of these lanes lies beyond the memory.
    fn words(self, memory: &[u64], index: Self::Vector, lanes: u8) -> Self::Vector;

    /// The four bytes from byte `at` on as a little-endian number in each lane, and zeros above.
    ///
    /// # Panics
    /// When the memory ends before one of them does.
    fn bytes(self, memory: &[u8], at: Self::Vector) -> Self::Vector;
}

/// Arithmetic of vectors: wrapping, in each lane alone.
pub trait Lanes:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    /// The words.
    fn array(self) -> [u64; LANES];
    /// Shifted down by so many bits, below 64.
    fn down(self, bits: u32) -> Self;
    /// Shifted up by so many bits, below 64.
    fn up(self, bits: u32) -> Self;
    /// Each shifted up by the bits that the same lane of `bits` says, modulo 64.
    fn up_by(self, bits: Self) -> Self;
    /// Each shifted down by the bits that the same lane of `bits` says, modulo 64.
    fn down_by(self, bits: Self) -> Self;
    /// The word in the lane that each lane of `lanes` says, modulo 8.
    fn picked(self, lanes: Self) -> Self;
    /// The lesser one.
    fn least(self, other: Self) -> Self;
    /// The product of the lower halves.
    fn halves(self, other: Self) -> Self;
    /// The lower word of the product.
    fn low(self, other: Self) -> Self;
    /// The lanes (bit `i` for lane `i`) in which both have a bit in common.
    fn common(self, other: Self) -> u8;
    /// The lanes in which both are equal.
    fn same(self, other: Self) -> u8;
    /// The lanes in which this one is less.
    fn below(self, other: Self) -> u8;

    /// The upper word of the product.
    #[inline(always)]
    fn high(self, other: Self) -> Self {
        self.product(other).1
    }

    /// The upper word of the product with words of `half` bits.
    #[inline(always)]
    fn scaled(self, half: Self) -> Self {
        (self.down(32).halves(half) + self.halves(half).down(32)).down(32)
    }

    /// Both words of the product, the lower one first.
    #[inline(always)]
    fn product(self, other: Self) -> (Self, Self) {
        let (left, right) = (self.down(32), other.down(32));
        let low = self.halves(other);
        let middle = left.halves(other) + low.down(32);
        let cross = self.halves(right) + middle.low_half();
        let high = left.halves(right) + middle.down(32) + cross.down(32);
        (cross.up(32) | low.low_half(), high)
    }

    /// Without the upper halves.
    #[inline(always)]
    fn low_half(self) -> Self {
        self.up(32).down(32)
    }

    /// Turned up by so many bits, 1 to 63.
    #[inline(always)]
    fn turned(self, bits: u32) -> Self {
        self.up(bits) | self.down(64 - bits)
    }
}

/// A loop over vectors.
///
/// Implementations mark [`run`](Self::run), and what it calls in every step, `#[inline(always)]`.
pub trait WideLoop {
    /// What it comes to.
    type Output;
    /// Runs it with vectors.
    fn run<V: Wide>(self, wide: V) -> Self::Output;
    /// The same result without vectors, as fast as that goes.
    fn narrow(self) -> Self::Output;
}

/// Runs `work` with vectors where the machine has them, else [`narrow`](WideLoop::narrow). The machine is asked once.
#[inline]
pub fn run<L: WideLoop>(work: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(vectors) = Vectors::detect() {
        return vectors.run(work);
    }
    work.narrow()
}

/// Vectors as arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words;

/// Eight words in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array([u64; LANES]);

impl Wide for Words {
    type Vector = Array;

    #[inline(always)]
    fn of(self, words: [u64; LANES]) -> Array {
        Array(words)
    }

    #[inline(always)]
    fn words(self, memory: &[u64], index: Array, lanes: u8) -> Array {
        let word = |lane: usize| {
            if lanes >> lane & 1 == 1 { memory[index.0[lane] as usize] } else { 0 }
        };
        Array(std::array::from_fn(word))
    }

    #[inline(always)]
    fn bytes(self, memory: &[u8], at: Array) -> Array {
        let word = |at: u64| u32::from_le_bytes(std::array::from_fn(|byte| memory[at as usize + byte]));
        Array(at.0.map(|at| word(at).into()))
    }
}

impl Array {
    #[inline(always)]
    fn map(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|lane| with(self.0[lane], other.0[lane])))
    }

    #[inline(always)]
    fn lanes_where(self, other: Self, holds: impl Fn(u64, u64) -> bool) -> u8 {
        (0..LANES).fold(0, |lanes, lane| lanes | u8::from(holds(self.0[lane], other.0[lane])) << lane)
    }
}

macro_rules! by_lane {
    ($($operation:ident $method:ident $with:expr;)+) => { $(
        impl $operation for Array {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.map(other, $with)
            }
        }
    )+ };
}

by_lane! {
    Add add u64::wrapping_add;
    Sub sub u64::wrapping_sub;
    BitAnd bitand |left, right| left & right;
    BitOr bitor |left, right| left | right;
    BitXor bitxor |left, right| left ^ right;
}

impl Lanes for Array {
    #[inline(always)]
    fn array(self) -> [u64; LANES] {
        self.0
    }
    #[inline(always)]
    fn down(self, bits: u32) -> Self {
        Self(self.0.map(|word| word >> bits))
    }
    #[inline(always)]
    fn up(self, bits: u32) -> Self {
        Self(self.0.map(|word| word << bits))
    }
    #[inline(always)]
    fn up_by(self, bits: Self) -> Self {
        self.map(bits, |word, bits| word << (bits % 64))
    }
    #[inline(always)]
    fn down_by(self, bits: Self) -> Self {
        self.map(bits, |word, bits| word >> (bits % 64))
    }
    #[inline(always)]
    fn picked(self, lanes: Self) -> Self {
        Self(lanes.0.map(|lane| self.0[lane as usize % LANES]))
    }
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        self.map(other, u64::min)
    }
    #[inline(always)]
    fn halves(self, other: Self) -> Self {
        self.map(other, |left, right| u64::from(left as u32) * u64::from(right as u32))
    }
    #[inline(always)]
    fn low(self, other: Self) -> Self {
        self.map(other, u64::wrapping_mul)
    }
    #[inline(always)]
    fn common(self, other: Self) -> u8 {
        self.lanes_where(other, |left, right| left & right != 0)
    }
    #[inline(always)]
    fn same(self, other: Self) -> u8 {
        self.lanes_where(other, |left, right| left == right)
    }
    #[inline(always)]
    fn below(self, other: Self) -> u8 {
        self.lanes_where(other, |left, right| left < right)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
pub use avx512::{Vectors, Z};

#[cfg(test)]
mod tests;
