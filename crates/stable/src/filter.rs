//! The filter itself.

mod saved;

use std::marker::PhantomData;

use amq::{Digest, Filter, Full, IncrementalFilter, InvalidParams, KeyCount, Space};
use bits::{PackedVec, probe};
use bloom_theory::fpr::rate_at_fill;
use bloom_theory::ranges::{MAX_BITS, check_bits, check_probes};
use hashing::derive::{Positions, walks};
use hashing::{DefaultDerivation, Derivation, SeedWords};
use serde::{Deserialize, Serialize};

use crate::decrement::{Decrement, Draws, Run};

/// The largest value of a cell: 8 bits.
pub const MAX_VALUE: u32 = 255;

/// The geometry of a [`StableBloom`], and two numbers that only the theory reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Cells, 1 to 2^48 bits in all.
    pub cells: u64,
    /// Cells that a key sets and a query reads, 1 to 64.
    pub k: u32,
    /// Cells that an arrival lowers, 1 to `cells`.
    pub p: u64,
    /// What a cell is set to, 1 to 255; a cell has as many bits as this number.
    pub max: u32,
    /// The false-positive rate that `p` was chosen for, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// The gap, in arrivals, that the theory's false-negative rate is shown for; the number of keys if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<u64>,
}

impl Params {
    /// Parameters of a filter, with nothing for the theory.
    #[must_use]
    pub const fn new(cells: u64, k: u32, p: u64, max: u32) -> Self {
        Self { cells, k, p, max, fps: None, gap: None }
    }

    /// Bits of a cell: `d = ceil(lg(max + 1))`.
    #[must_use]
    pub const fn cell_bits(&self) -> u32 {
        u32::BITS - self.max.leading_zeros()
    }

    /// Refuses values out of range.
    ///
    /// # Errors
    /// [`InvalidParams`] with the first one.
    pub fn check(&self) -> Result<(), InvalidParams> {
        check_bits("cells", self.cells)?;
        check_probes(self.k.into())?;
        if !(1..=MAX_VALUE).contains(&self.max) {
            return Err(InvalidParams::OutOfRange { name: "max", value: self.max.into(), allowed: "1 to 255" });
        }
        if !(1..=self.cells).contains(&self.p) {
            let allowed = "1 to the number of cells; without decrements it is a Bloom filter";
            return Err(InvalidParams::OutOfRange { name: "p", value: self.p.into(), allowed });
        }
        if let Some(fps) = self.fps.filter(|fps| !(*fps > 0.0 && *fps < 1.0)) {
            let allowed = "a probability above 0 and below 1, or none";
            return Err(InvalidParams::OutOfRange { name: "fps", value: fps.into(), allowed });
        }
        let bits = self.cells.saturating_mul(self.cell_bits().into());
        if bits > MAX_BITS { Err(InvalidParams::TooLarge { bits }) } else { Ok(()) }
    }
}

/// A stable Bloom filter. `C` chooses the cells to lower, `D` turns a digest into positions.
#[derive(Clone, Debug)]
pub struct StableBloom<C: Decrement = Run, D: Derivation = DefaultDerivation> {
    params: Params,
    seed: u64,
    words: SeedWords,
    cells: PackedVec,
    draws: Draws,
    count: KeyCount,
    kind: PhantomData<(C, D)>,
}

impl<C: Decrement, D: Derivation> StableBloom<C, D> {
    /// Cells at 0.
    #[must_use]
    pub fn zeros(&self) -> u64 {
        self.params.cells - self.cells.count_nonzero()
    }

    /// The fraction of cells at 0, in `[0, 1]`.
    #[must_use]
    pub fn zero_fraction(&self) -> f64 {
        self.zeros() as f64 / self.params.cells as f64
    }

    /// The rate of this very filter: `(X/m)^k`, `X` the cells above 0.
    #[must_use]
    pub fn rate_by_cells(&self) -> f64 {
        rate_at_fill(self.params.cells, self.params.k, self.cells.count_nonzero())
    }

    /// The cells.
    #[must_use]
    pub fn cells(&self) -> &PackedVec {
        &self.cells
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The cells of a key, one after the other.
    #[inline]
    fn walk(&self, key: Digest) -> Positions<D> {
        D::positions(key, &self.words, self.params.cells)
    }

    /// The cells of each key.
    #[inline]
    fn walks<'a>(&self, keys: &'a [Digest]) -> impl Fn(usize) -> Positions<D> + use<'a, C, D> {
        walks(keys, &self.words, self.params.cells)
    }
}

impl<C: Decrement, D: Derivation> Filter for StableBloom<C, D> {
    type Params = Params;

    fn params(&self) -> &Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        probe::all_let_in(&self.cells, self.params.k, self.walk(key))
    }

    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        assert_eq!(keys.len(), out.len(), "one answer for each key");
        probe::all_let_in_batch(&self.cells, self.params.k, self.walks(keys), out);
    }

    fn count_contained(&self, keys: &[Digest]) -> u64 {
        probe::count_let_in(&self.cells, self.params.k, keys.len(), self.walks(keys))
    }

    fn space(&self) -> Space {
        self.cells.space()
    }
}

impl<C: Decrement, D: Derivation> IncrementalFilter for StableBloom<C, D> {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        params.check()?;
        Ok(Self {
            params: *params,
            seed,
            words: SeedWords::new(seed),
            cells: PackedVec::zeros(params.cells, params.cell_bits())?,
            draws: Draws::new(seed),
            count: KeyCount::default(),
            kind: PhantomData,
        })
    }

    /// One arrival of the stream: lowers `p` cells, then sets the key's own. In this order the key is found right
    /// after its insert; in the other it might not be.
    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let Params { cells, k, p, max, .. } = self.params;
        C::apply(&mut self.cells, p, &mut self.draws);
        let mut state = D::start(key, &self.words, cells);
        for _ in 0..k {
            self.cells.set(D::next(&mut state, cells), max.into());
        }
        self.count.add(1);
        Ok(())
    }

    fn inserted(&self) -> u64 {
        self.count.inserted()
    }

    fn clear(&mut self) {
        self.cells.clear();
        self.draws = Draws::new(self.seed);
        self.count.clear();
    }
}

#[cfg(test)]
mod tests {
    use conformance::keys::{digest, digests};

    use super::*;
    use crate::decrement::Independent;

    fn filled(params: Params, keys: u64) -> StableBloom {
        let mut filter = StableBloom::empty(&params, 7).unwrap();
        filter.insert_batch(&digests(0, 0..keys)).unwrap();
        filter
    }

    #[test]
    fn parameters_out_of_range_are_refused_by_value() {
        for (params, text) in [
            (Params::new(0, 3, 1, 1), "cells = 0 is out of range: 1 to 2^48 bits"),
            (Params::new(100, 0, 1, 1), "k = 0 is out of range: 1 to 64 probes"),
            (Params::new(100, 3, 1, 0), "max = 0 is out of range: 1 to 255"),
            (Params::new(100, 3, 1, 256), "max = 256 is out of range: 1 to 255"),
            (
                Params::new(100, 3, 0, 1),
                "p = 0 is out of range: 1 to the number of cells; without decrements it is a Bloom filter",
            ),
            (
                Params { fps: Some(f64::NAN), ..Params::new(100, 3, 1, 1) },
                "fps = NaN is out of range: a probability above 0 and below 1, or none",
            ),
        ] {
            assert_eq!(StableBloom::<Run>::empty(&params, 1).unwrap_err().to_string(), text);
        }
        // In range, but more memory than there is: an error value, and the process lives.
        for params in [Params::new(1 << 47, 3, 1, 3), Params::new(1 << 48, 3, 1, 255)] {
            let refused = StableBloom::<Run>::empty(&params, 1).map(|filter| filter.params);
            assert!(matches!(refused, Err(InvalidParams::TooLarge { .. })), "{refused:?}");
        }
    }

    #[test]
    fn cells_are_as_wide_as_their_value() {
        for (max, bits) in [(1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (15, 4), (255, 8)] {
            let filter = filled(Params::new(100, 3, 1, max), 0);
            assert_eq!((filter.params.cell_bits(), filter.space().payload_bits), (bits, 100 * u64::from(bits)));
        }
    }

    /// An arrival, cell by cell: first the run is lowered, then the key's cells are set. In the other order the key
    /// would be lowered too.
    #[test]
    fn an_arrival_lowers_and_then_sets() {
        let params = Params::new(101, 3, 40, 5);
        let (mut filter, mut plain, mut draws) = (filled(params, 0), [0u64; 101], Draws::new(7));
        let words = SeedWords::new(7);
        for key in digests(0, 0..300) {
            filter.insert(key).unwrap();
            let start = draws.below(101);
            for at in (start..start + 40).map(|at| (at % 101) as usize) {
                plain[at] = plain[at].saturating_sub(1);
            }
            for at in DefaultDerivation::positions(key, &words, 101).take(3) {
                plain[at as usize] = 5;
            }
            assert!(filter.contains(key));
            assert!((0..101).all(|at| filter.cells.get(at) == plain[at as usize]));
        }
        let zeros = plain.iter().filter(|cell| **cell == 0).count() as u64;
        assert_eq!((filter.zeros(), filter.inserted(), filter.seed()), (zeros, 300, 7));
        assert_eq!(filter.zero_fraction(), zeros as f64 / 101.0);
        assert_eq!(filter.rate_by_cells(), ((101 - zeros) as f64 / 101.0).powi(3));
    }

    /// HAND-44: cleared is new, the draws too.
    #[test]
    fn hand_44_cleared_is_new() {
        let params = Params::new(1000, 3, 10, 3);
        let mut filter = filled(params, 500);
        filter.clear();
        assert_eq!((filter.zeros(), filter.inserted()), (1000, 0));
        filter.insert_batch(&digests(0, 0..200)).unwrap();
        let new = filled(params, 200);
        assert_eq!((filter.cells(), filter.draws), (new.cells(), new.draws));
    }

    #[test]
    fn one_cell() {
        let mut filter = filled(Params::new(1, 1, 1, 1), 0);
        assert!(!filter.contains(Digest(5)));
        filter.insert(Digest(5)).unwrap();
        assert!(filter.contains(Digest(5)) && filter.contains(Digest(6)));
    }

    #[test]
    fn both_forms_lower_as_much_in_the_mean() {
        let params = Params::new(2000, 3, 30, 7);
        let mut independent = StableBloom::<Independent>::empty(&params, 7).unwrap();
        (0..5000).for_each(|index| independent.insert(digest(0, index)).unwrap());
        let difference = independent.zero_fraction() - filled(params, 5000).zero_fraction();
        assert!(difference.abs() < 0.06, "{difference}");
    }
}
