//! Loops compiled for the vector instructions that the machine has, chosen at run time.
//!
//! The code is the same for all, plain Rust, so that its results are: only what the compiler may make of it differs. The machine is
//! asked once for a loop, never for a probe.

/// A loop of many steps.
///
/// Implementations mark [`run`](Self::run), and what it calls in every step, `#[inline(always)]`: only what is inlined is
/// compiled anew. (A closure cannot be marked, and is left where it was when it is not short.)
pub trait Loop {
    /// What it comes to.
    type Output;
    /// Runs it.
    fn run(self) -> Self::Output;
}

/// What a loop may be compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The target as the build has it: the twin that every machine runs.
    Plain,
    /// BMI2, and vectors as the build has them: products without fixed registers. For loops that read memory here and there,
    /// which the compiler would turn into gathers, slower than reads.
    Bmi2,
    /// AVX2 and BMI2.
    Avx2,
    /// AVX-512 (F, BW, DQ, VL), AVX2 and BMI2: 64-bit products in vectors.
    Avx512,
}

impl Level {
    /// All levels, from the least.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Bmi2, Self::Avx2, Self::Avx512];

    /// Whether this machine has it. The answer is kept by the standard library, so that asking costs a load.
    #[inline]
    #[must_use]
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        match self {
            Self::Plain => true,
            Self::Bmi2 => is_x86_feature_detected!("bmi2"),
            Self::Avx2 => Self::Bmi2.is_available() && is_x86_feature_detected!("avx2"),
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        matches!(self, Self::Plain)
    }

    /// Runs `work` compiled for this level, or for [`Plain`](Self::Plain) where the machine does not have it.
    #[inline]
    pub fn run<L: Loop>(self, work: L) -> L::Output {
        #[cfg(target_arch = "x86_64")]
        match self {
            // SAFETY: the machine has the features that the function is compiled for, asked just now.
            Self::Bmi2 if self.is_available() => return unsafe { bmi2(work) },
            // SAFETY: as above.
            Self::Avx2 if self.is_available() => return unsafe { avx2(work) },
            // SAFETY: as above.
            Self::Avx512 if self.is_available() => return unsafe { avx512(work) },
            _ => {}
        }
        work.run()
    }
}

/// Runs `work`, whose steps read memory here and there, compiled for the best level that has no wider vectors than the build.
#[inline]
pub fn scattered<L: Loop>(work: L) -> L::Output {
    Level::Bmi2.run(work)
}

/// Runs `work`, whose steps are arithmetic alone, compiled for the best level of this machine.
#[inline]
pub fn widest<L: Loop>(work: L) -> L::Output {
    let best = if Level::Avx512.is_available() { Level::Avx512 } else { Level::Avx2 };
    best.run(work)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn bmi2<L: Loop>(work: L) -> L::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2")]
fn avx2<L: Loop>(work: L) -> L::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi2")]
fn avx512<L: Loop>(work: L) -> L::Output {
    work.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loop that most wants it: products of 64 bits.
    #[derive(Clone, Copy)]
    struct Mix<'a>(&'a [u64]);

    impl Loop for Mix<'_> {
        type Output = Vec<u64>;

        #[inline(always)]
        fn run(self) -> Vec<u64> {
            let mix = |word: &u64| (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ word.rotate_left(7);
            self.0.iter().map(mix).collect()
        }
    }

    #[test]
    fn every_level_computes_the_same() {
        let words: Vec<u64> = (0..1003u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 64)).collect();
        let plain = Mix(&words).run();
        for level in Level::ALL {
            assert_eq!(level.run(Mix(&words)), plain, "{level:?}");
        }
        assert_eq!((widest(Mix(&words)), scattered(Mix(&words))), (plain.clone(), plain));
        assert!(Level::Plain.is_available());
    }
}
