//! The filter itself, over any layout.

mod saved;

use amq::{BuildError, Digest, Filter, InvalidParams, NoFalseNegatives, Number, Space, StaticFilter};
use bits::dispatch::{Loop, scattered};

use crate::cells::{Bits, Cells, Width, zeros};
use crate::layout::{Layout, check_keys};
use crate::peel::{Hashed, Peeling, Words};

/// The most tries of a construction, each with a seed of its own.
pub const MAX_TRIES: u32 = 100;
/// Tries at each size before the array grows by a step.
pub const TRIES_PER_SIZE: u32 = 4;

/// Keys that are answered together.
const BLOCK: usize = 256;

/// A static filter of fingerprints of `W` bits: the exclusive or of a key's cells is its fingerprint.
///
/// Under its two names it is [`XorFilter`](crate::XorFilter) and [`FuseFilter`](crate::FuseFilter).
#[derive(Clone, Debug)]
pub struct Peeled<L: Layout, const W: u32>
where
    Bits<W>: Width,
{
    params: L::Params,
    layout: L,
    words: Words,
    cells: <Bits<W> as Width>::Cells,
    /// What sum and fingerprint differ by if the answer is yes: nothing, or, in a filter of no keys, what never happens.
    differ: u64,
    seed: u64,
    keys: u64,
    tries: u32,
    grown: u32,
}

impl<L: Layout, const W: u32> Peeled<L, W>
where
    Bits<W>: Width,
{
    const MASK: u64 = u64::MAX >> (64 - W);

    /// Distinct keys.
    #[must_use]
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// The seed it was built with.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Tries of the construction, the last one successful: 1 to [`MAX_TRIES`].
    #[must_use]
    pub fn tries(&self) -> u32 {
        self.tries
    }

    /// Steps (segments) by which the array is larger than the published size.
    #[must_use]
    pub fn grown(&self) -> u32 {
        self.grown
    }

    /// The layout.
    #[must_use]
    pub fn layout(&self) -> &L {
        &self.layout
    }

    /// The fingerprint stored at `cell`, if there is such a cell.
    #[must_use]
    pub fn cell(&self, cell: u64) -> Option<u32> {
        (cell < self.layout.cells()).then(|| self.cells.get(cell as u32) as u32)
    }

    /// The sum of the cells of `key` and its fingerprint.
    #[inline]
    fn sum(&self, key: Digest) -> u64 {
        let Hashed { first, second, print } = self.words.hash(key);
        self.cells.sum(&self.layout, print & Self::MASK, first, second)
    }

    /// `params` as steps of growth, when they are those of the type.
    pub(crate) fn check(params: &L::Params) -> Result<u32, InvalidParams> {
        let (width, arity, growth) = L::parts(params);
        let wrong = |name, value: u32, allowed| InvalidParams::OutOfRange { name, value: Number::from(value), allowed };
        if width != W {
            return Err(wrong("fingerprint_bits", width, <Bits<W> as Width>::RANGE));
        }
        if arity != L::ARITY {
            return Err(wrong("arity", arity, L::INFO[0].range));
        }
        if growth > L::MAX_GROWTH {
            return Err(wrong("growth", growth, L::INFO[1].range));
        }
        Ok(growth)
    }
}

/// Whether one try peels `keys`, distinct, in `layout`: for the study of sizes. Try 0 of a seed is the first one of
/// [`StaticFilter::build`].
///
/// # Errors
/// [`InvalidParams::TooLarge`] when the memory cannot be had.
pub fn peels<L: Layout>(layout: &L, seed: u64, number: u32, keys: &[Digest]) -> Result<bool, InvalidParams> {
    Peeling::default().run(layout, &Words::new(seed, number), keys)
}

/// A sorted copy of `keys` without repetitions.
fn distinct(keys: &[Digest]) -> Result<Vec<Digest>, InvalidParams> {
    let mut copy: Vec<Digest> = zeros(keys.len() as u64)?;
    copy.copy_from_slice(keys);
    copy.sort_unstable();
    copy.dedup();
    Ok(copy)
}

/// What a number of tries came to.
struct Found<L> {
    layout: L,
    words: Words,
    tries: u32,
    grown: u32,
}

/// Tries `keys` until one peels.
///
/// `repeated` is asked once, after the first failure: keys that occur twice can never be peeled, and are the likelier
/// cause. If it says so the search ends with `Ok(None)`.
fn search<L: Layout>(
    peeling: &mut Peeling,
    seed: u64,
    growth: u32,
    keys: &[Digest],
    mut repeated: impl FnMut() -> Result<bool, InvalidParams>,
) -> Result<Option<Found<L>>, BuildError> {
    let count = keys.len() as u64;
    for number in 0..MAX_TRIES {
        let grown = (number / TRIES_PER_SIZE).min(growth);
        let (layout, words) = (L::new(count, grown)?, Words::new(seed, number));
        if peeling.run(&layout, &words, keys)? {
            return Ok(Some(Found { layout, words, tries: number + 1, grown }));
        }
        if number == 0 && repeated()? {
            return Ok(None);
        }
    }
    Err(BuildError::Unbuildable { keys: count, tries: MAX_TRIES })
}

impl<L: Layout, const W: u32> StaticFilter for Peeled<L, W>
where
    Bits<W>: Width,
{
    fn build(params: &L::Params, seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        let growth = Self::check(params)?;
        check_keys(keys.len() as u64)?;
        let mut peeling = Peeling::default();
        let mut sorted = Vec::new();
        let first = search::<L>(&mut peeling, seed, growth, keys, || {
            let once = distinct(keys)?;
            let repeated = once.len() < keys.len();
            if repeated {
                sorted = once;
            }
            Ok(repeated)
        })?;
        let (found, count) = match first {
            Some(found) => (found, keys.len()),
            // Without the repetitions, from the first try on: the filter is that of the set.
            None => match search::<L>(&mut peeling, seed, growth, &sorted, || Ok(false))? {
                Some(found) => (found, sorted.len()),
                None => return Err(BuildError::Unbuildable { keys: sorted.len() as u64, tries: MAX_TRIES }),
            },
        };
        let Found { layout, words, tries, grown } = found;
        let mut cells = <<Bits<W> as Width>::Cells as Cells>::zeros(layout.cells(), W)?;
        peeling.assign(&layout, &words, Self::MASK, &mut cells);
        let differ = if count == 0 { Self::MASK + 1 } else { 0 };
        Ok(Self { params: params.clone(), layout, words, cells, differ, seed, keys: count as u64, tries, grown })
    }
}

impl<L: Layout, const W: u32> Filter for Peeled<L, W>
where
    Bits<W>: Width,
{
    type Params = L::Params;

    fn params(&self) -> &L::Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        self.sum(key) == self.differ
    }

    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        assert_eq!(keys.len(), out.len(), "one answer for each key");
        scattered(Blocks {
            filter: self,
            keys,
            each: |start, answers: &[bool]| {
                out[start..start + answers.len()].copy_from_slice(answers);
            },
        });
    }

    fn count_contained(&self, keys: &[Digest]) -> u64 {
        let mut yes = 0;
        let each = |_, answers: &[bool]| yes += answers.iter().map(|answer| u64::from(*answer)).sum::<u64>();
        scattered(Blocks { filter: self, keys, each });
        yes
    }

    fn space(&self) -> Space {
        let payload_bits = self.layout.cells() * u64::from(W);
        Space { payload_bits, overhead_bits: self.cells.allocated_bits() - payload_bits }
    }
}

/// Single lookups one after the other, a block at a time. They branch nowhere, so that the machine has the cells of many keys
/// under way by itself.
struct Blocks<'a, L: Layout, const W: u32, E>
where
    Bits<W>: Width,
{
    filter: &'a Peeled<L, W>,
    keys: &'a [Digest],
    /// Takes the place of a block's first key and the answers for the block.
    each: E,
}

impl<L: Layout, const W: u32, E: FnMut(usize, &[bool])> Loop for Blocks<'_, L, W, E>
where
    Bits<W>: Width,
{
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        // Answers go to a place of their own first, of which the compiler knows that no part of the filter lies in it: it then
        // reads the filter's words once (`batch` of the benches of this crate).
        let mut answers = [false; BLOCK];
        for (number, keys) in self.keys.chunks(BLOCK).enumerate() {
            for (key, answer) in keys.iter().zip(&mut answers) {
                *answer = self.filter.contains(*key);
            }
            (self.each)(number * BLOCK, &answers[..keys.len()]);
        }
    }
}

impl<L: Layout, const W: u32> NoFalseNegatives for Peeled<L, W> where Bits<W>: Width {}
