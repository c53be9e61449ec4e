//! From one digest to the positions of a key: a *scheme* makes a sequence of words, a *reduction* brings
//! them into `0..range`.
//!
//! The two are separate factors because neither is innocent alone: a cubic increment is lost when the
//! reduction keeps only high bits, and reducing before stepping turns a 64-bit progression into one
//! modulo the range, of which there are only `range^2`. Each reduction is a ring ([`Reduction`]), and
//! each scheme is written once over any ring.
//!
//! Some of the pairs are bad, and are here to be measured. The tests `hand_05` and `hand_06` hold the
//! numbers; in short, where the range is a power of two `m` and there are four positions:
//!
//! | scheme | modulo, wide-modulo: all four equal | multiply-shift: all four equal |
//! |---|---|---|
//! | independent | `m^-3` | `m^-3` |
//! | double, double-halves | `1/m` | `1/(3m)` |
//! | double-odd, extended, enhanced | never | `1/(3m)`: small steps are lost below the high bits |
//! | triple | `m^-2` | about `m^-2 / 3` |
//! | worm | always | about `m^-3` at odd ranges, more at even ones ([`Worm`]) |
//! | multiplicative | `4/m` ([`Multiplicative`]) | about `m^-3` |

use std::fmt::Debug;
use std::marker::PhantomData;

use amq::Digest;
use bits::probe::Walk;
use bits::wide::{LANES, Lanes, Wide};

use crate::family::murmur3;
use crate::mix::{GOLDEN, fold_multiply, mix64};

/// The words that a filter's seed puts into the derivation, before the mixing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedWords {
    add: [u64; 3],
    multiply: [u64; 3],
}

impl SeedWords {
    /// The words of `seed`; every seed is allowed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let word = |index: u64| mix64(seed ^ mix64(index.wrapping_add(1)));
        Self { add: [word(0), word(1), word(2)], multiply: [word(3) | 1, word(4) | 1, word(5) | 1] }
    }

    /// The `lane`-th 64-bit word of a key (lane 0..3), mixed with the seed.
    #[inline]
    fn lane(&self, digest: Digest, lane: usize) -> u64 {
        fold_multiply(digest.0 ^ self.add[lane], self.multiply[lane])
    }
}

/// A ring in which a scheme steps, and the way from it to a position.
pub trait Reduction: Copy + Default + Debug + Send + Sync + 'static {
    /// The name in definitions and tables.
    const NAME: &'static str;
    /// A word of the key, brought into the ring.
    fn enter(word: u64, range: u64) -> u64;
    /// [`enter`](Self::enter) in each lane.
    #[inline(always)]
    fn enter_eight<V: Wide>(wide: V, words: V::Vector, range: u64) -> V::Vector {
        wide.of(words.array().map(|word| Self::enter(word, range)))
    }
    /// Addition in the ring.
    fn add(left: u64, right: u64, range: u64) -> u64;
    /// The position, in `0..range`, of an element of the ring.
    fn leave(element: u64, range: u64) -> u64;
    /// [`leave`](Self::leave) in each lane.
    #[inline(always)]
    fn leave_eight<V: Wide>(wide: V, elements: V::Vector, range: u64) -> V::Vector {
        wide.of(elements.array().map(|element| Self::leave(element, range)))
    }
}

/// Reduce first, step modulo the range: the textbook form (Kirsch and Mitzenmacher 2008).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modulo;

impl Reduction for Modulo {
    const NAME: &'static str = "modulo";
    #[inline]
    fn enter(word: u64, range: u64) -> u64 {
        word % range
    }
    #[inline]
    fn add(left: u64, right: u64, range: u64) -> u64 {
        // Both are below `range`; the comparison avoids an overflow for ranges beyond 2^63.
        if left >= range - right { left - (range - right) } else { left + right }
    }
    #[inline]
    fn leave(element: u64, _range: u64) -> u64 {
        element
    }
}

/// Step in 64 bits, then take the remainder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WideModulo;

impl Reduction for WideModulo {
    const NAME: &'static str = "wide-modulo";
    #[inline]
    fn enter(word: u64, _range: u64) -> u64 {
        word
    }
    #[inline]
    fn add(left: u64, right: u64, _range: u64) -> u64 {
        left.wrapping_add(right)
    }
    #[inline]
    fn leave(element: u64, range: u64) -> u64 {
        element % range
    }
}

/// Step in 64 bits, then keep the high word of `element * range` (Lemire 2019): no division.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MultiplyShift;

impl Reduction for MultiplyShift {
    const NAME: &'static str = "multiply-shift";
    #[inline]
    fn enter(word: u64, _range: u64) -> u64 {
        word
    }
    #[inline(always)]
    fn enter_eight<V: Wide>(_wide: V, words: V::Vector, _range: u64) -> V::Vector {
        words
    }
    #[inline]
    fn add(left: u64, right: u64, _range: u64) -> u64 {
        left.wrapping_add(right)
    }
    #[inline]
    fn leave(element: u64, range: u64) -> u64 {
        ((u128::from(element) * u128::from(range)) >> 64) as u64
    }
    #[inline(always)]
    fn leave_eight<V: Wide>(wide: V, elements: V::Vector, range: u64) -> V::Vector {
        if range >> 32 == 0 { elements.scaled(wide.all(range)) } else { elements.high(wide.all(range)) }
    }
}

/// The state of a key's sequence of positions.
///
/// Three words are enough for every scheme; what they mean is the scheme's own affair.
#[derive(Clone, Copy, Debug)]
pub struct State {
    x: u64,
    y: u64,
    z: u64,
}

/// A sequence of positions for a key.
pub trait Scheme: Copy + Default + Debug + Send + Sync + 'static {
    /// The name in definitions and tables.
    const NAME: &'static str;
    /// The state before the first position.
    fn start<R: Reduction>(digest: Digest, seed: &SeedWords, range: u64) -> State;
    /// The next position, in `0..range`.
    fn next<R: Reduction>(state: &mut State, range: u64) -> u64;
    /// The next eight positions.
    #[inline(always)]
    fn eight<R: Reduction, V: Wide>(wide: V, state: &mut State, range: u64) -> V::Vector {
        wide.of(std::array::from_fn(|_| Self::next::<R>(state, range)))
    }
}

macro_rules! scheme {
    ($(#[$doc:meta])* $name:ident, $text:literal, start($digest:ident, $seed:ident, $r1:ident, $R1:ident) $start:block, next($state:ident, $r2:ident, $R2:ident) $next:block $(, eight($wide:ident, $state8:ident, $r8:ident, $R8:ident) $eight:block)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;
        impl Scheme for $name {
            const NAME: &'static str = $text;
            #[inline]
            fn start<$R1: Reduction>($digest: Digest, $seed: &SeedWords, $r1: u64) -> State $start
            #[inline]
            fn next<$R2: Reduction>($state: &mut State, $r2: u64) -> u64 $next
            $(
                #[inline(always)]
                fn eight<$R8: Reduction, V: Wide>($wide: V, $state8: &mut State, $r8: u64) -> V::Vector $eight
            )?
        }
    };
}

scheme! {
    /// A fresh mix of digest and index for every position: the yardstick, and the slowest.
    Independent, "independent",
    start(digest, seed, _range, R) { State { x: seed.lane(digest, 0), y: 0, z: 0 } },
    next(state, range, R) {
        state.y = state.y.wrapping_add(GOLDEN);
        R::leave(R::enter(mix64(state.x ^ state.y), range), range)
    }
}

scheme! {
    /// `a + i b` (Kirsch and Mitzenmacher 2008).
    Double, "double",
    start(digest, seed, range, R) {
        State { x: R::enter(seed.lane(digest, 0), range), y: R::enter(seed.lane(digest, 1), range), z: 0 }
    },
    next(state, range, R) {
        let out = R::leave(state.x, range);
        state.x = R::add(state.x, state.y, range);
        out
    }
}

scheme! {
    /// `a + i b` with `b` made odd, so that it is never 0 where the range is a power of two.
    DoubleOdd, "double-odd",
    start(digest, seed, range, R) {
        State { x: R::enter(seed.lane(digest, 0), range), y: R::enter(seed.lane(digest, 1) | 1, range), z: 0 }
    },
    next(state, range, R) { Double::next::<R>(state, range) }
}

scheme! {
    /// `a + i b` from the two 32-bit halves of the digest as they are, without seed or further mixing:
    /// what many libraries do. A weak hash family shows through it.
    DoubleHalves, "double-halves",
    start(digest, _seed, range, R) {
        // For rings of 64 bits the halves are spread to the high word, where a multiply-shift looks.
        let spread = |half: u64| if R::enter(u64::MAX, range) == u64::MAX { half << 32 | half } else { half };
        let (low, high) = (digest.0 & 0xffff_ffff, digest.0 >> 32);
        State { x: R::enter(spread(low), range), y: R::enter(spread(high), range), z: 0 }
    },
    next(state, range, R) { Double::next::<R>(state, range) }
}

scheme! {
    /// `a + i b + i^2` (the extended form of Kirsch and Mitzenmacher 2008).
    Extended, "extended",
    start(digest, seed, range, R) {
        let b = R::enter(seed.lane(digest, 1), range);
        State { x: R::enter(seed.lane(digest, 0), range), y: R::add(b, R::enter(1, range), range), z: 0 }
    },
    next(state, range, R) {
        let out = R::leave(state.x, range);
        state.x = R::add(state.x, state.y, range);
        state.y = R::add(state.y, R::enter(2, range), range);
        out
    }
}

scheme! {
    /// `a + i b + (i^3 - i)/6` (Dillinger and Manolios, FMCAD 2004).
    Enhanced, "enhanced",
    start(digest, seed, range, R) {
        State { x: R::enter(seed.lane(digest, 0), range), y: R::enter(seed.lane(digest, 1), range), z: 0 }
    },
    next(state, range, R) {
        let out = R::leave(state.x, range);
        state.z += 1;
        state.x = R::add(state.x, state.y, range);
        state.y = R::add(state.y, R::enter(state.z, range), range);
        out
    }
}

scheme! {
    /// `a + i b + c i(i-1)/2` (Dillinger and Manolios, FMCAD 2004).
    Triple, "triple",
    start(digest, seed, range, R) {
        State {
            x: R::enter(seed.lane(digest, 0), range),
            y: R::enter(seed.lane(digest, 1), range),
            z: R::enter(seed.lane(digest, 2), range),
        }
    },
    next(state, range, R) {
        let out = R::leave(state.x, range);
        state.x = R::add(state.x, state.y, range);
        state.y = R::add(state.y, state.z, range);
        out
    }
}

scheme! {
    /// Worm hashing (Dillinger 2021): the high word of a wide multiplication by the range is the position,
    /// the low word goes on. An even range would push entropy out at the bottom, so the word that goes
    /// on is multiplied by `range | 1`.
    ///
    /// It is itself with multiply-shift and an odd range `m` only: positions 0 and 1 then agree for one
    /// key in `m`. At an even `m` they agree for two in `m + 1`. With a modulo reduction and a power of two
    /// every key has one position only, since `m + 1 = 1` modulo `m`.
    Worm, "worm",
    start(digest, seed, _range, R) { State { x: seed.lane(digest, 0), y: 0, z: 0 } },
    next(state, range, R) {
        let out = R::leave(R::enter(state.x, range), range);
        state.x = state.x.wrapping_mul(range | 1);
        out
    }
}

scheme! {
    /// `h C^i` modulo 2^64 with the fixed [`MULTIPLIER`] `C`: a multiplicative congruential sequence, one
    /// multiplication for a position.
    ///
    /// Its quality is in the high bits, which multiply-shift takes. The lowest bits hardly change: `C` is 1
    /// modulo 4, so with a modulo reduction and an even range all positions of a key are equal modulo 2 (and
    /// modulo 4, where 4 divides the range), which ruins the filter.
    Multiplicative, "multiplicative",
    start(digest, seed, _range, R) { State { x: seed.lane(digest, 0), y: 0, z: 0 } },
    next(state, range, R) {
        let out = R::leave(R::enter(state.x, range), range);
        state.x = state.x.wrapping_mul(MULTIPLIER);
        out
    },
    eight(wide, state, range, R) {
        let words = wide.all(state.x).low(wide.of(POWERS));
        state.x = state.x.wrapping_mul(POWERS[LANES - 1]).wrapping_mul(MULTIPLIER);
        R::leave_eight(wide, R::enter_eight(wide, words, range), range)
    }
}

scheme! {
    /// One hash under seeds `s, s + 1, ..., s + k - 1`: MurmurHash3 x86-32 of the digest's 8 bytes, which with the
    /// family `identity` is the key itself. What the simplest libraries do, and what a popular claim says is two to five
    /// times worse than independent hashes. Words have 32 bits, so ranges beyond 2^32 are not reached in full.
    Reseeded, "reseeded",
    start(digest, seed, _range, R) { State { x: digest.0, y: seed.add[0], z: 0 } },
    next(state, range, R) {
        let word = u64::from(murmur3::x86_32(&state.x.to_le_bytes(), state.y as u32));
        state.y = state.y.wrapping_add(1);
        // Both halves alike: a modulo sees 32 good bits, and so does a multiply-shift.
        R::leave(R::enter(word << 32 | word, range), range)
    }
}

/// The multiplier of [`Multiplicative`], from Steele and Vigna, "Computationally easy, spectrally good
/// multipliers for congruential pseudorandom number generators" (Software: Practice and Experience 52,
/// 2022), one of those for 64-bit multiplicative generators.
///
/// Its figures of merit in dimensions 2 to 8 (shortest vector of the dual lattice of the full-period
/// sequence, modulo 2^62, as a part of the longest that any lattice can have) are 0.970, 0.844, 0.841,
/// 0.793, 0.820, 0.823, 0.758, computed outside of this program with LLL and full enumeration. A test
/// computes the two-dimensional figures of all powers up to 32, on which any two positions depend.
pub const MULTIPLIER: u64 = 0xf135_7aea_2e62_a9c5;

/// Powers 0 to 7 of [`MULTIPLIER`].
const POWERS: [u64; LANES] = {
    let mut powers = [1u64; LANES];
    let mut power = 1;
    while power < LANES {
        powers[power] = powers[power - 1].wrapping_mul(MULTIPLIER);
        power += 1;
    }
    powers
};

/// A scheme and a reduction together: what a Bloom-type filter is generic over.
pub trait Derivation: Copy + Default + Debug + Send + Sync + 'static {
    /// The scheme's name.
    const SCHEME: &'static str;
    /// The reduction's name.
    const REDUCTION: &'static str;
    /// The state before the first position.
    fn start(digest: Digest, seed: &SeedWords, range: u64) -> State;
    /// The next position, in `0..range`; `range` is the one given to [`start`](Self::start) and at least 1.
    fn next(state: &mut State, range: u64) -> u64;
    /// The next eight positions.
    fn eight<V: Wide>(wide: V, state: &mut State, range: u64) -> V::Vector;

    /// The positions of a key, without end.
    #[inline]
    fn positions(digest: Digest, seed: &SeedWords, range: u64) -> Positions<Self> {
        Positions { state: Self::start(digest, seed, range), range, derivation: PhantomData }
    }
}

/// Scheme `S` with reduction `R`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Derive<S, R>(PhantomData<(S, R)>);

impl<S: Scheme, R: Reduction> Derivation for Derive<S, R> {
    const SCHEME: &'static str = S::NAME;
    const REDUCTION: &'static str = R::NAME;
    #[inline]
    fn start(digest: Digest, seed: &SeedWords, range: u64) -> State {
        S::start::<R>(digest, seed, range)
    }
    #[inline]
    fn next(state: &mut State, range: u64) -> u64 {
        S::next::<R>(state, range)
    }
    #[inline(always)]
    fn eight<V: Wide>(wide: V, state: &mut State, range: u64) -> V::Vector {
        S::eight::<R, V>(wide, state, range)
    }
}

/// The positions in `0..range` of each of `keys`, by its index. What they come from is copied, so that loops keep it in registers.
#[inline]
pub fn walks<'a, D: Derivation>(
    keys: &'a [Digest],
    seed: &SeedWords,
    range: u64,
) -> impl Fn(usize) -> Positions<D> + use<'a, D> {
    let seed = *seed;
    move |index| D::positions(keys[index], &seed, range)
}

/// The endless sequence of a key's positions.
#[derive(Clone, Copy, Debug)]
pub struct Positions<D> {
    state: State,
    range: u64,
    derivation: PhantomData<D>,
}

impl<D: Derivation> Iterator for Positions<D> {
    type Item = u64;
    #[inline]
    fn next(&mut self) -> Option<u64> {
        Some(D::next(&mut self.state, self.range))
    }
}

impl<D: Derivation> Walk for Positions<D> {
    #[inline(always)]
    fn step(&mut self) -> u64 {
        D::next(&mut self.state, self.range)
    }
    #[inline(always)]
    fn eight<V: Wide>(&mut self, wide: V) -> V::Vector {
        D::eight(wide, &mut self.state, self.range)
    }
}

#[cfg(test)]
mod tests;
