//! Vectors of AVX-512 (F, DQ, VL).

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Sub};

use super::{LANES, Lanes, Wide, WideLoop};
use crate::dispatch::Level;

/// The proof that this machine has AVX-512.
#[derive(Clone, Copy, Debug)]
pub struct Vectors(());

/// Eight words in a register. There is none without [`Vectors`].
#[derive(Clone, Copy, Debug)]
pub struct Z(__m512i);

impl Vectors {
    /// The proof, if the machine has it. The answer is kept by the standard library, so that asking costs a load.
    #[inline]
    #[must_use]
    pub fn detect() -> Option<Self> {
        Level::Avx512.is_available().then_some(Self(()))
    }

    /// Runs `work` compiled for these vectors.
    #[inline]
    pub fn run<L: WideLoop>(self, work: L) -> L::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi2")]
        fn compiled<L: WideLoop>(work: L, wide: Vectors) -> L::Output {
            work.run(wide)
        }
        // SAFETY: `self` was made by `detect`, which asks for all of these.
        unsafe { compiled(work, self) }
    }
}

/// `vpmuludq`. The intrinsic is a product of 64 bits to the compiler, and where it has lost sight of a half that is 0 it
/// becomes one, of three times the steps (`hit` of the benches of `amq-standard`).
#[inline]
#[target_feature(enable = "avx512f")]
fn multiply_halves(left: __m512i, right: __m512i) -> __m512i {
    let product;
    // SAFETY: one instruction on registers.
    unsafe {
        std::arch::asm!(
            "vpmuludq {product}, {left}, {right}",
            product = lateout(zmm_reg) product, left = in(zmm_reg) left, right = in(zmm_reg) right,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    product
}

impl Wide for Vectors {
    type Vector = Z;

    #[inline(always)]
    fn of(self, words: [u64; LANES]) -> Z {
        // SAFETY: the array has 64 bytes, and the load needs no alignment; `self` proves the instructions.
        Z(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn all(self, word: u64) -> Z {
        // SAFETY: `self` proves the instructions.
        Z(unsafe { _mm512_set1_epi64(word as i64) })
    }

    #[inline(always)]
    fn words(self, memory: &[u64], index: Z, lanes: u8) -> Z {
        let within = index.below(self.all(memory.len() as u64));
        assert!(lanes & !within == 0, "an index beyond {} words", memory.len());
        // SAFETY: every index that is read is below the length; `self` proves the instructions.
        // Into zeros: into ones, which the compiler makes of the register's last contents, each read waits for the one before
        // (`hit` of the benches of `amq-standard`: 17 ns).
        Z(unsafe { _mm512_mask_i64gather_epi64::<8>(_mm512_setzero_si512(), lanes, index.0, memory.as_ptr().cast()) })
    }

    #[inline(always)]
    fn bytes(self, memory: &[u8], at: Z) -> Z {
        let ends = memory.len() as u64;
        assert!(ends >= 4 && at.below(self.all(ends - 3)) == u8::MAX, "four bytes beyond {ends}");
        // SAFETY: four bytes from every place on are within the memory; `self` proves the instructions.
        Z(unsafe { _mm512_cvtepu32_epi64(_mm512_i64gather_epi32::<1>(at.0, memory.as_ptr().cast())) })
    }
}

macro_rules! operations {
    ($($operation:ident $method:ident $instruction:ident;)+) => { $(
        impl $operation for Z {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: there is no `Z` on a machine without the instructions.
                Self(unsafe { $instruction(self.0, other.0) })
            }
        }
    )+ };
}

operations! {
    Add add _mm512_add_epi64;
    Sub sub _mm512_sub_epi64;
    BitAnd bitand _mm512_and_si512;
    BitOr bitor _mm512_or_si512;
    BitXor bitxor _mm512_xor_si512;
}

/// Methods of one instruction, whose result is wrapped.
macro_rules! methods {
    ($($method:ident $instruction:ident $wrap:path as $output:ty;)+) => { $(
        #[inline(always)]
        fn $method(self, other: Self) -> $output {
            // SAFETY: there is no `Z` on a machine without the instructions.
            $wrap(unsafe { $instruction(self.0, other.0) })
        }
    )+ };
}

impl Lanes for Z {
    #[inline(always)]
    fn array(self) -> [u64; LANES] {
        let mut words = [0; LANES];
        // SAFETY: the array has 64 bytes, and the store needs no alignment; there is no `Z` without the instructions.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) };
        words
    }

    #[inline(always)]
    fn down(self, bits: u32) -> Self {
        // SAFETY: there is no `Z` on a machine without the instructions.
        Self(unsafe { _mm512_srlv_epi64(self.0, _mm512_set1_epi64(bits.into())) })
    }

    #[inline(always)]
    fn up(self, bits: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sllv_epi64(self.0, _mm512_set1_epi64(bits.into())) })
    }

    #[inline(always)]
    fn up_by(self, bits: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sllv_epi64(self.0, _mm512_and_si512(bits.0, _mm512_set1_epi64(63))) })
    }

    #[inline(always)]
    fn down_by(self, bits: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_srlv_epi64(self.0, _mm512_and_si512(bits.0, _mm512_set1_epi64(63))) })
    }

    #[inline(always)]
    fn picked(self, lanes: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_permutexvar_epi64(lanes.0, self.0) })
    }

    methods! {
        least _mm512_min_epu64 Self as Self;
        halves multiply_halves Self as Self;
        low _mm512_mullo_epi64 Self as Self;
        common _mm512_test_epi64_mask u8::from as u8;
        same _mm512_cmpeq_epu64_mask u8::from as u8;
        below _mm512_cmplt_epu64_mask u8::from as u8;
    }
}
