//! Peeling: the order in which every key has a cell of its own.
//!
//! A cell with one key left belongs to that key. Taking the key out leaves other cells with one key, and so on; when all
//! keys are out, fingerprints are assigned backwards, the cell of each key last of all its cells.
//!
//! The table holds for each cell the number of keys and the exclusive or of their digests, so that a last key is read
//! off. It depends on the set of keys alone, not on their order, and cells are queued by position: the filter of a set is
//! one filter.

use amq::{Digest, InvalidParams};
use bits::sums::visit;
use hashing::mix::mix64;

use crate::cells::{Cells, refill};
use crate::layout::Layout;

/// What a try draws from the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    add: u64,
    multiply: u64,
}

/// What a try makes of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hashed {
    /// Its top chooses the first cell; a bijection of the digest.
    pub(crate) first: u64,
    /// Its lower 54 bits choose the other cells.
    pub(crate) second: u64,
    /// Its low end is the fingerprint.
    pub(crate) print: u64,
}

impl Words {
    /// Try number `number` of `seed`.
    pub(crate) fn new(seed: u64, number: u32) -> Self {
        let own = mix64(seed ^ mix64(u64::from(number) + 1));
        let word = |index: u64| mix64(own ^ mix64(index + 1));
        Self { add: word(0), multiply: word(1) | 1 }
    }

    /// One product of the digest, which is uniform already; `high` and `low` are its two words.
    ///
    /// Where a product is good is its middle, on which all bits of both factors bear: the top of `low` chooses the first cell,
    /// the bottom of `high` is the fingerprint, and `high ^ low` below its top the rest. (The top of `high` is the digest's own,
    /// and below that of the multiplier.) The finaliser that stood before a product, of four times as many steps, cost more
    /// than all else of a lookup in cache (`hit` of the benches of `amq-xor`).
    #[inline(always)]
    pub(crate) fn hash(&self, key: Digest) -> Hashed {
        let product = u128::from(key.0 ^ self.add) * u128::from(self.multiply);
        let (high, low) = ((product >> 64) as u64, product as u64);
        Hashed { first: low, second: high ^ low, print: high }
    }
}

/// The state of a try. Bytes per cell: 8 of digests, 1 of counts, 4 of order; per key 8 of sorted digests, where the layout
/// is local, which are given back before the order is taken.
#[derive(Debug, Default)]
pub(crate) struct Peeling {
    table: Vec<u64>,
    counts: Vec<u8>,
    order: Vec<u32>,
    sorted: Vec<Digest>,
}

/// Keys from which on they are sorted by place first: the table of fewer stays in the second cache anyway.
const SORT_FROM: usize = 1 << 17;
/// Places that keys are sorted to: 2^10.
const PLACES_LOG: u32 = 10;

impl Peeling {
    /// Whether all of `keys` can be peeled.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    pub(crate) fn run<L: Layout>(&mut self, layout: &L, words: &Words, keys: &[Digest]) -> Result<bool, InvalidParams> {
        refill(&mut self.table, layout.cells())?;
        refill(&mut self.counts, layout.cells())?;
        let fits = if L::LOCAL && keys.len() >= SORT_FROM {
            self.sort(words, keys)?;
            let sorted = std::mem::take(&mut self.sorted);
            self.fill(layout, words, &sorted)
        } else {
            self.fill(layout, words, keys)
        };
        Ok(fits && self.peel(layout, words)? == keys.len())
    }

    /// Keys by the top bits of their first words.
    fn sort(&mut self, words: &Words, keys: &[Digest]) -> Result<(), InvalidParams> {
        let place = |key: &Digest| (words.hash(*key).first >> (64 - PLACES_LOG)) as usize;
        let mut next = [0usize; 1 << PLACES_LOG];
        keys.iter().for_each(|key| next[place(key)] += 1);
        let mut sum = 0;
        for slot in &mut next {
            (*slot, sum) = (sum, sum + *slot);
        }
        refill(&mut self.sorted, keys.len() as u64)?;
        for key in keys {
            let slot = &mut next[place(key)];
            self.sorted[*slot] = *key;
            *slot += 1;
        }
        Ok(())
    }

    /// Enters keys; false when a cell has more of them than can be counted, which distinct keys do not do to it.
    fn fill<L: Layout>(&mut self, layout: &L, words: &Words, keys: &[Digest]) -> bool {
        let mut overflow = false;
        for key in keys {
            let Hashed { first, second, .. } = words.hash(*key);
            visit(layout.places(), (&mut self.counts, &mut self.table), (first, second), |_, count, cell| {
                overflow |= *count == u8::MAX;
                *count = count.wrapping_add(1);
                *cell ^= key.0;
            });
        }
        !overflow
    }

    /// Takes out keys until no cell has a single one; how many. `order` then holds their cells, and `table` at these the
    /// keys.
    ///
    /// The array is walked once, a stretch at a time, and what a stretch sets free is taken out before the next one: in a local
    /// layout all that is touched lies near the stretch, and within one the first in is the first out, so that the machine has
    /// many cells under way at once (`build` of the benches of `amq-xor`).
    fn peel<L: Layout>(&mut self, layout: &L, words: &Words) -> Result<usize, InvalidParams> {
        // A cell is queued when its count comes to one, which happens once. One slot more is written than kept.
        refill(&mut self.order, layout.cells() + 1)?;
        let (order, counts, table) = (&mut self.order[..], &mut self.counts[..], &mut self.table[..]);
        let stretch = layout.stretch();
        let (mut at, mut done, mut end) = (0, 0, 0);
        for start in (0..counts.len()).step_by(stretch) {
            let stop = counts.len().min(start + stretch);
            for (cell, count) in (start..).zip(&counts[start..stop]) {
                order[end] = cell as u32;
                end += usize::from(*count == 1);
            }
            while at < end {
                let own = order[at];
                at += 1;
                if counts[own as usize] != 1 {
                    continue; // another cell of its key came first
                }
                order[done] = own;
                done += 1;
                let key = table[own as usize];
                let Hashed { first, second, .. } = words.hash(Digest(key));
                visit(layout.places(), (counts, table), (first, second), |position, count, cell| {
                    *count -= 1;
                    *cell ^= key;
                    order[end] = position;
                    end += usize::from(*count == 1);
                });
                table[own as usize] = key;
            }
        }
        self.order.truncate(done);
        Ok(done)
    }

    /// Fingerprints after a run that took out all keys, `mask` being the largest.
    pub(crate) fn assign<L: Layout, C: Cells>(&self, layout: &L, words: &Words, mask: u64, cells: &mut C) {
        for own in self.order.iter().rev() {
            let Hashed { first, second, print } = words.hash(Digest(self.table[*own as usize]));
            // The cell itself is still 0.
            cells.set(*own, cells.sum(layout, print & mask, first, second));
        }
    }
}

#[cfg(test)]
mod tests {
    use conformance::keys::digests;

    use super::*;
    use crate::segments::Segments;
    use crate::thirds::Thirds;

    /// Null: four bits of the fingerprint, at either end of 32, and four of a position, at either end of its range, are
    /// independent and uniform. Chi-square with 255 degrees of freedom over 2^18 keys at 1e-7; smallest effect 4 % in all
    /// cells. A fingerprint taken from bits that choose a position makes whole rows of the table empty.
    #[test]
    fn fingerprints_are_independent_of_positions() {
        fn check<L: Layout>() {
            let layout = L::new(1_000_000, 0).unwrap();
            let cells = layout.cells();
            let words = Words::new(3, 0);
            let mut tables = vec![[0u64; 256]; 4 * L::ARITY as usize];
            for key in digests(1, 0..1 << 18) {
                let Hashed { first, second, print } = words.hash(key);
                let print = print & u64::MAX >> 32;
                for (at, cell) in layout.positions(first, second).into_iter().enumerate() {
                    assert!(u64::from(cell) < cells);
                    let low = (cell % 16) as usize;
                    let middle = (cell / 256 % 16) as usize;
                    for (table, position, print) in
                        [(0, low, print), (1, low, print >> 28), (2, middle, print), (3, middle, print >> 28)]
                    {
                        tables[4 * at + table][16 * position + (print % 16) as usize] += 1;
                    }
                }
            }
            for (number, table) in tables.iter().enumerate() {
                let fit = stats::chi_square_uniform(table).unwrap();
                // Bit 8 to 11 of a cell in a third are uniform to within the last, incomplete, 4096 of 410,010.
                assert!(fit.p_value > 1e-7, "arity {}, table {number}: {fit:?}", L::ARITY);
            }
        }
        check::<Segments<3>>();
        check::<Segments<4>>();
        check::<Thirds>();
    }

    /// Every try has words of its own, and so has every seed.
    #[test]
    fn tries_and_seeds_have_words_of_their_own() {
        let mut seen: Vec<[u64; 2]> = Vec::new();
        for seed in [0, 1, 2, u64::MAX] {
            for number in 0..100 {
                let Words { add, multiply } = Words::new(seed, number);
                seen.push([add, multiply]);
            }
        }
        for part in 0..2 {
            let mut all: Vec<u64> = seen.iter().map(|words| words[part]).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 400);
        }
    }

    /// The sum of every key's cells is its fingerprint.
    #[test]
    fn assigned_cells_sum_to_fingerprints() {
        let layout = Thirds::new(500, 0).unwrap();
        let keys = digests(2, 0..500);
        let mut peeling = Peeling::default();
        let tries = (0..10).map(|number| Words::new(7, number));
        let words = tries.into_iter().find(|words| peeling.run(&layout, words, &keys).unwrap()).unwrap();
        let mut cells: Vec<u16> = Cells::zeros(layout.cells(), 16).unwrap();
        peeling.assign(&layout, &words, 0xffff, &mut cells);
        for key in keys {
            let Hashed { first, second, print } = words.hash(key);
            let sum = layout.positions(first, second).into_iter().fold(0, |sum, cell| sum ^ cells.get(cell));
            assert_eq!(sum, print & 0xffff);
        }
    }

    /// A key that is there twice is never peeled, and no number of copies looks like one: counts do not wrap.
    #[test]
    fn copies_are_never_peeled() {
        let (layout, words) = (Segments::<3>::new(1000, 0).unwrap(), Words::new(7, 0));
        for copies in [2, 255, 256, 257, 513] {
            let keys = vec![Digest(5); copies];
            assert!(!Peeling::default().run(&layout, &words, &keys).unwrap(), "{copies} copies");
        }
    }

    /// With and without sorting, one table: the same cells come out.
    #[test]
    fn sorting_changes_nothing() {
        let keys = digests(1, 0..SORT_FROM as u64);
        let (layout, words) = (Segments::<4>::new(SORT_FROM as u64, 0).unwrap(), Words::new(7, 0));
        let (mut sorted, mut plain) = (Peeling::default(), Peeling::default());
        sorted.sort(&words, &keys).unwrap();
        assert!(sorted.sorted.is_sorted_by_key(|key| words.hash(*key).first >> (64 - PLACES_LOG)));
        for peeling in [&mut sorted, &mut plain] {
            refill(&mut peeling.table, layout.cells()).unwrap();
            refill(&mut peeling.counts, layout.cells()).unwrap();
        }
        let keys_by_place = std::mem::take(&mut sorted.sorted);
        assert!(sorted.fill(&layout, &words, &keys_by_place));
        assert!(plain.fill(&layout, &words, &keys));
        assert_eq!((&sorted.table, &sorted.counts), (&plain.table, &plain.counts));
    }
}
