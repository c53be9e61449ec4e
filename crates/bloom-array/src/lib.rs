//! What Bloom filters over one array of bits share: the array, the seed, the derivation, the count of inserts, and what follows
//! from these alone. A variant holds a [`BloomArray`], derefs to it, and adds what makes it one.
//!
//! ```text
//!  digest ──► D::start ──► D::next, D::next, ... ──► positions in 0..m          (shared array)
//!                                                └─► positions in 0..s, slice i  (k slices of s = m/k bits)
//! ```
#![forbid(unsafe_code)]

mod saved;

use std::marker::PhantomData;

use amq::{Digest, Incompatible, InvalidParams, KeyCount, OverPlan, Space};
use bits::BitVec;
use bits::probe::{self, Walk};
use bits::wide::{LANES, Wide};
use bloom_theory::fpr::{self, Cardinality};
use bloom_theory::ranges::{check_bits, check_probes};
use hashing::derive::{Positions, walks};
use hashing::{Derivation, SeedWords};

/// An array of `m` bits in which keys have `k` positions each. `D` turns a digest into positions.
#[derive(Clone, Debug)]
pub struct BloomArray<D: Derivation> {
    k: u32,
    seed: u64,
    words: SeedWords,
    bits: BitVec,
    count: KeyCount,
    derivation: PhantomData<D>,
}

impl<D: Derivation> BloomArray<D> {
    /// `m` bits (1 to 2^48), all 0, for keys of `k` positions (1 to 64).
    ///
    /// # Errors
    /// [`InvalidParams`] for a number out of range and memory that cannot be had.
    pub fn new(m: u64, k: u32, seed: u64) -> Result<Self, InvalidParams> {
        let (m, k) = (check_bits("m", m)?, check_probes(k.into())?);
        let bits = BitVec::zeros(m)?;
        Ok(Self { k, seed, words: SeedWords::new(seed), bits, count: KeyCount::default(), derivation: PhantomData })
    }

    /// Remembers for how many keys the filter was sized, so that [`over_plan`](Self::over_plan) can warn.
    pub fn plan(&mut self, keys: u64) {
        self.count.plan(keys);
    }

    /// A warning once more keys were inserted than planned.
    #[must_use]
    pub fn over_plan(&self) -> Option<OverPlan> {
        self.count.over_plan()
    }

    /// Inserts since the array was empty; a key inserted twice counts twice.
    #[must_use]
    pub fn inserts(&self) -> u64 {
        self.count.inserted()
    }

    /// The array.
    #[must_use]
    pub fn bits(&self) -> &BitVec {
        &self.bits
    }

    /// The array, to be changed: for variants that clear bits or read them from a saved form.
    pub fn bits_mut(&mut self) -> &mut BitVec {
        &mut self.bits
    }

    /// Sets the count of inserts, for variants that read one.
    pub fn set_inserts(&mut self, inserts: u64) {
        self.count.clear();
        self.count.add(inserts);
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Set bits, `X`.
    #[must_use]
    pub fn ones(&self) -> u64 {
        self.bits.count_ones()
    }

    /// The fraction of set bits, in `[0, 1]`.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.ones() as f64 / self.bits.len() as f64
    }

    /// The number of distinct keys, estimated from the fill.
    #[must_use]
    pub fn cardinality(&self) -> Cardinality {
        Cardinality::from_fill(self.bits.len(), self.k, self.ones())
    }

    /// The rate of a shared array with so many set bits: `(X/m)^k`.
    #[must_use]
    pub fn shared_rate_by_fill(&self) -> f64 {
        fpr::rate_at_fill(self.bits.len(), self.k, self.ones())
    }

    /// The rate expected of a shared array after as many *distinct* keys as there were inserts.
    #[must_use]
    pub fn shared_rate_by_inserts(&self) -> f64 {
        fpr::fpr_exact(self.bits.len(), self.k, self.inserts())
    }

    /// The allocated memory of the array.
    #[must_use]
    pub fn array_space(&self) -> Space {
        self.bits.space()
    }

    /// The positions of a key in the shared array, with repetitions.
    pub fn positions(&self, key: Digest) -> impl Iterator<Item = u64> + '_ {
        D::positions(key, &self.words, self.bits.len()).take(self.k as usize)
    }

    /// The positions of a key in a range, one after the other.
    #[inline]
    pub fn walk(&self, key: Digest, range: u64) -> Positions<D> {
        D::positions(key, &self.words, range)
    }

    /// The positions of each key in the shared array.
    #[inline]
    fn walks<'a>(&self, keys: &'a [Digest]) -> impl Fn(usize) -> Positions<D> + use<'a, D> {
        walks(keys, &self.words, self.bits.len())
    }

    /// The positions of each key, one in each slice of `s` bits.
    #[inline]
    fn walks_in_slices<'a>(&self, keys: &'a [Digest], s: u64) -> impl Fn(usize) -> InSlices<D> + use<'a, D> {
        let within = walks::<D>(keys, &self.words, s);
        move |index| InSlices::new(within(index), s)
    }

    /// Whether the key's positions in the shared array are all set.
    #[inline]
    #[must_use]
    pub fn has(&self, key: Digest) -> bool {
        probe::all_let_in(&self.bits, self.k, self.walk(key, self.bits.len()))
    }

    /// [`has`](Self::has) for many keys, with many reads under way at once.
    ///
    /// # Panics
    /// When the two slices differ in length.
    pub fn has_batch(&self, keys: &[Digest], out: &mut [bool]) {
        assert_eq!(keys.len(), out.len(), "one answer for each key");
        probe::all_let_in_batch(&self.bits, self.k, self.walks(keys), out);
    }

    /// How many of `keys` [`has`](Self::has).
    #[must_use]
    pub fn count(&self, keys: &[Digest]) -> u64 {
        probe::count_let_in(&self.bits, self.k, keys.len(), self.walks(keys))
    }

    /// Sets the positions of keys in the shared array.
    #[inline]
    pub fn put(&mut self, keys: &[Digest]) {
        let walks = self.walks(keys);
        probe::set_all_batch(&mut self.bits, self.k, keys.len(), walks);
        self.count.add(keys.len() as u64);
    }

    /// The positions of a key, one in each slice of `s` bits, one after the other.
    #[inline]
    pub fn walk_slices(&self, key: Digest, s: u64) -> InSlices<D> {
        InSlices::new(self.walk(key, s), s)
    }

    /// Whether the key's positions, one in each slice of `s` bits, are all set; `k s` is `m`.
    #[inline]
    #[must_use]
    pub fn has_in_slices(&self, key: Digest, s: u64) -> bool {
        probe::all_let_in(&self.bits, self.k, self.walk_slices(key, s))
    }

    /// [`has_in_slices`](Self::has_in_slices) for many keys, with many reads under way at once.
    ///
    /// # Panics
    /// When the two slices differ in length.
    pub fn has_in_slices_batch(&self, keys: &[Digest], s: u64, out: &mut [bool]) {
        assert_eq!(keys.len(), out.len(), "one answer for each key");
        probe::all_let_in_batch(&self.bits, self.k, self.walks_in_slices(keys, s), out);
    }

    /// How many of `keys` [`has_in_slices`](Self::has_in_slices).
    #[must_use]
    pub fn count_in_slices(&self, keys: &[Digest], s: u64) -> u64 {
        probe::count_let_in(&self.bits, self.k, keys.len(), self.walks_in_slices(keys, s))
    }

    /// Sets the positions of keys, one in each slice of `s` bits; `k s` is `m`.
    #[inline]
    pub fn put_in_slices(&mut self, keys: &[Digest], s: u64) {
        let walks = self.walks_in_slices(keys, s);
        probe::set_all_batch(&mut self.bits, self.k, keys.len(), walks);
        self.count.add(keys.len() as u64);
    }

    /// Counts an insert whose bits the variant set itself.
    #[inline]
    pub fn count_insert(&mut self) {
        self.count.add(1);
    }

    /// Forgets all keys.
    pub fn reset(&mut self) {
        self.bits.clear();
        self.count.clear();
    }

    /// Whether the positions of keys are the same in both.
    ///
    /// # Errors
    /// [`Incompatible`] with the first of `k`, seed and `m` that differs.
    pub fn check_same(&self, other: &Self) -> Result<(), Incompatible> {
        self.check_parts(other.k, other.seed, other.bits.len())
    }

    /// [`check_same`](Self::check_same) against the numbers of an array that is not there.
    ///
    /// # Errors
    /// As there.
    pub fn check_parts(&self, k: u32, seed: u64, m: u64) -> Result<(), Incompatible> {
        for (property, left, right) in
            [("k", u64::from(self.k), u64::from(k)), ("seed", self.seed, seed), ("m", self.bits.len(), m)]
        {
            if left != right {
                return Err(Incompatible { property, left: left.into(), right: right.into() });
            }
        }
        Ok(())
    }

    /// Sets the bits of `other`, whose inserts count too.
    ///
    /// # Errors
    /// As [`check_same`](Self::check_same); then nothing was changed.
    pub fn unite(&mut self, other: &Self) -> Result<(), Incompatible> {
        self.check_same(other)?;
        self.bits.union(&other.bits)?;
        self.count.add(other.inserts());
        Ok(())
    }
}

/// Positions of a key, one in each slice of `s` bits.
#[derive(Clone, Copy, Debug)]
pub struct InSlices<D> {
    within: Positions<D>,
    start: u64,
    s: u64,
}

impl<D: Derivation> InSlices<D> {
    #[inline]
    fn new(within: Positions<D>, s: u64) -> Self {
        Self { within, start: 0, s }
    }
}

impl<D: Derivation> Walk for InSlices<D> {
    #[inline(always)]
    fn step(&mut self) -> u64 {
        let position = self.start + self.within.step();
        self.start += self.s;
        position
    }

    #[inline(always)]
    fn eight<V: Wide>(&mut self, wide: V) -> V::Vector {
        let starts = wide.of(std::array::from_fn(|slice| slice as u64 * self.s)) + wide.all(self.start);
        self.start += LANES as u64 * self.s;
        self.within.eight(wide) + starts
    }
}

#[cfg(test)]
mod tests {
    use bits::wide::Lanes;
    use conformance::keys::digests;
    use hashing::DefaultDerivation;

    use super::*;

    type Array = BloomArray<DefaultDerivation>;

    /// A key sets its positions and no other bit; the extreme digests too.
    #[test]
    fn a_key_sets_its_positions() {
        for key in [Digest(0), Digest(u64::MAX), digests(0, 3..4)[0]] {
            let mut array = Array::new(9586, 7, 7).unwrap();
            assert!(!array.has(key));
            array.put(&[key]);
            let mut expected = BitVec::zeros(9586).unwrap();
            array.positions(key).for_each(|at| {
                expected.set(at);
            });
            assert!(array.has(key) && array.bits() == &expected && array.inserts() == 1);
        }
    }

    #[test]
    fn a_key_sets_one_bit_in_each_slice() {
        let mut array = Array::new(700, 7, 3).unwrap();
        for key in digests(0, 0..5) {
            assert!(!array.has_in_slices(key, 100));
            array.reset();
            array.put_in_slices(&[key], 100);
            assert!(array.has_in_slices(key, 100));
            assert!((0..7).all(|slice| array.bits().count_ones_in(100 * slice, 100 * slice + 100) == 1));
        }
    }

    /// Slices in eights are those one by one, across more than two eights.
    #[test]
    fn slices_in_eights_are_those_one_by_one() {
        let array = Array::new(6400, 64, 3).unwrap();
        for key in digests(0, 0..20) {
            let (mut eight, mut single) = (array.walk_slices(key, 100), array.walk_slices(key, 100));
            for _ in 0..8 {
                assert_eq!(eight.eight(bits::wide::Words).array(), std::array::from_fn(|_| single.step()));
            }
        }
    }

    #[test]
    fn what_differs_is_named_and_nothing_changes() {
        let mut array = Array::new(1000, 3, 7).unwrap();
        array.put(&[Digest(1)]);
        let before = array.bits().clone();
        for (m, k, seed, text) in [
            (1001, 3, 7, "the filters differ in m: 1000 and 1001"),
            (1000, 4, 7, "the filters differ in k: 3 and 4"),
            (1000, 3, 8, "the filters differ in seed: 7 and 8"),
        ] {
            let other = Array::new(m, k, seed).unwrap();
            assert_eq!(array.unite(&other).unwrap_err().to_string(), text);
            assert_eq!((array.bits(), array.inserts()), (&before, 1));
        }
    }
}
