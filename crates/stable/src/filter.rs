//! The filter itself.

use std::marker::PhantomData;

use amq::{Digest, Filter, Full, IncrementalFilter, InvalidParams, KeyCount, Space};
use bits::{PackedVec, probe};
use bloom_theory::fpr::rate_at_fill;
use bloom_theory::ranges::{MAX_BITS, check_bits, check_probes};
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
}

impl<C: Decrement, D: Derivation> Filter for StableBloom<C, D> {
    type Params = Params;

    fn params(&self) -> &Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        let mut state = D::start(key, &self.words, self.params.cells);
        probe::all_nonzero(&self.cells, self.params.k, || D::next(&mut state, self.params.cells))
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
