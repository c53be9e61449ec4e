//! Peeling: the order in which every key has a cell of its own.
//!
//! A cell with one key left belongs to that key. Taking the key out leaves other cells with one key, and so on; when all
//! keys are out, fingerprints are assigned backwards, the cell of each key last of all its cells.
//!
//! The table holds for each cell the number of keys and the exclusive or of their words, so that the word of a last
//! key is read off. It depends on the set of keys alone, not on their order, and cells are queued by position: the filter
//! of a set is one filter.

use amq::{Digest, InvalidParams};
use hashing::mix::{fold_multiply, mix_between, mix64};

use crate::cells::{Cells, refill};
use crate::layout::Layout;

/// What a try draws from the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    add: u64,
    between: u64,
    multiply: u64,
}

impl Words {
    /// Try number `number` of `seed`.
    pub(crate) fn new(seed: u64, number: u32) -> Self {
        let own = mix64(seed ^ mix64(u64::from(number) + 1));
        let word = |index: u64| mix64(own ^ mix64(index + 1));
        Self { add: word(0), between: word(1), multiply: word(2) | 1 }
    }

    /// The first word of a key, a bijection of its digest: its top chooses the first cell, its low end is the
    /// fingerprint.
    #[inline]
    pub(crate) fn first(&self, key: Digest) -> u64 {
        mix_between(key.0 ^ self.add, self.between)
    }

    /// The fingerprint, at most `mask`.
    #[inline]
    pub(crate) fn fingerprint(first: u64, mask: u64) -> u64 {
        first & mask
    }

    /// The second word, which chooses the other cells.
    #[inline]
    pub(crate) fn second(&self, first: u64) -> u64 {
        fold_multiply(first, self.multiply)
    }

    /// The cells of a key.
    #[inline]
    pub(crate) fn positions<L: Layout>(&self, layout: &L, first: u64) -> L::Positions {
        layout.positions(first, self.second(first))
    }
}

/// The state of a try. Bytes per cell: 8 of words, 1 of counts, 4 of order; per key 8 of sorted words, where the layout is
/// local, which are given back before the order is taken.
#[derive(Debug, Default)]
pub(crate) struct Peeling {
    words: Vec<u64>,
    counts: Vec<u8>,
    order: Vec<u32>,
    sorted: Vec<u64>,
}

/// Keys from which on they are sorted by place first: the table of fewer stays in the second cache anyway.
const SORT_FROM: usize = 1 << 15;
/// Places that keys are sorted to: 2^10.
const PLACES_LOG: u32 = 10;

impl Peeling {
    /// Whether all of `keys` can be peeled.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    pub(crate) fn run<L: Layout>(&mut self, layout: &L, words: &Words, keys: &[Digest]) -> Result<bool, InvalidParams> {
        refill(&mut self.words, layout.cells())?;
        refill(&mut self.counts, layout.cells())?;
        let fits = if L::LOCAL && keys.len() >= SORT_FROM {
            self.sort(words, keys)?;
            let sorted = std::mem::take(&mut self.sorted);
            self.fill(layout, words, sorted.iter().copied())
        } else {
            self.fill(layout, words, keys.iter().map(|key| words.first(*key)))
        };
        Ok(fits && self.peel(layout, words)? == keys.len())
    }

    /// First words by their top bits.
    fn sort(&mut self, words: &Words, keys: &[Digest]) -> Result<(), InvalidParams> {
        let place = |first: u64| (first >> (64 - PLACES_LOG)) as usize;
        let mut next = [0usize; 1 << PLACES_LOG];
        keys.iter().for_each(|key| next[place(words.first(*key))] += 1);
        let mut sum = 0;
        for slot in &mut next {
            (*slot, sum) = (sum, sum + *slot);
        }
        refill(&mut self.sorted, keys.len() as u64)?;
        for key in keys {
            let first = words.first(*key);
            let slot = &mut next[place(first)];
            self.sorted[*slot] = first;
            *slot += 1;
        }
        Ok(())
    }

    /// Enters keys by their first words; false when a cell has more of them than can be counted, which distinct keys do
    /// not do to it.
    fn fill<L: Layout>(&mut self, layout: &L, words: &Words, firsts: impl Iterator<Item = u64>) -> bool {
        let mut overflow = false;
        for first in firsts {
            for cell in words.positions(layout, first) {
                let cell = cell as usize;
                overflow |= self.counts[cell] == u8::MAX;
                self.counts[cell] = self.counts[cell].wrapping_add(1);
                self.words[cell] ^= first;
            }
        }
        !overflow
    }

    /// Takes out keys until no cell has a single one; how many. `order` then holds their cells, and `words` at these their
    /// first words.
    fn peel<L: Layout>(&mut self, layout: &L, words: &Words) -> Result<usize, InvalidParams> {
        // A cell is queued when its count comes to one, which happens once. One slot more is written than kept.
        refill(&mut self.order, layout.cells() + 1)?;
        let (order, counts, table) = (&mut self.order, &mut self.counts, &mut self.words);
        let mut end = 0;
        for (cell, count) in counts.iter().enumerate() {
            order[end] = cell as u32;
            end += usize::from(*count == 1);
        }
        let (mut at, mut done) = (0, 0);
        while at < end {
            let own = order[at];
            at += 1;
            if counts[own as usize] != 1 {
                continue; // another cell of its key came first
            }
            order[done] = own;
            done += 1;
            let first = table[own as usize];
            for cell in words.positions(layout, first) {
                let index = cell as usize;
                counts[index] -= 1;
                table[index] ^= first;
                order[end] = cell;
                end += usize::from(counts[index] == 1);
            }
            table[own as usize] = first;
        }
        order.truncate(done);
        Ok(done)
    }

    /// Fingerprints after a run that took out all keys, `mask` being the largest.
    pub(crate) fn assign<L: Layout, C: Cells>(&self, layout: &L, words: &Words, mask: u64, cells: &mut C) {
        for own in self.order.iter().rev() {
            let first = self.words[*own as usize];
            // The cell itself is still 0.
            let print = Words::fingerprint(first, mask);
            let sum = words.positions(layout, first).into_iter().fold(print, |sum, cell| sum ^ cells.get(cell));
            cells.set(*own, sum);
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
                let first = words.first(key);
                let print = Words::fingerprint(first, u64::MAX >> 32);
                for (at, cell) in words.positions(&layout, first).into_iter().enumerate() {
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
        let mut seen: Vec<[u64; 3]> = Vec::new();
        for seed in [0, 1, 2, u64::MAX] {
            for number in 0..100 {
                let Words { add, between, multiply } = Words::new(seed, number);
                seen.push([add, between, multiply]);
            }
        }
        for part in 0..3 {
            let mut all: Vec<u64> = seen.iter().map(|words| words[part]).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 400);
        }
    }

    /// The sum of every key's cells is its fingerprint.
    #[test]
    fn assigned_cells_sum_to_fingerprints() {
        let (layout, words) = (Thirds::new(500, 0).unwrap(), Words::new(7, 0));
        let keys = digests(2, 0..500);
        let mut peeling = Peeling::default();
        assert!(peeling.run(&layout, &words, &keys).unwrap());
        let mut cells: Vec<u16> = Cells::zeros(layout.cells(), 16).unwrap();
        peeling.assign(&layout, &words, 0xffff, &mut cells);
        for key in keys {
            let first = words.first(key);
            let sum = words.positions(&layout, first).into_iter().fold(0, |sum, cell| sum ^ cells.get(cell));
            assert_eq!(sum, Words::fingerprint(first, 0xffff));
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
        assert!(sorted.sorted.is_sorted_by_key(|first| first >> (64 - PLACES_LOG)));
        for peeling in [&mut sorted, &mut plain] {
            refill(&mut peeling.words, layout.cells()).unwrap();
            refill(&mut peeling.counts, layout.cells()).unwrap();
        }
        let firsts = std::mem::take(&mut sorted.sorted);
        assert!(sorted.fill(&layout, &words, firsts.into_iter()));
        assert!(plain.fill(&layout, &words, keys.iter().map(|key| words.first(*key))));
        assert_eq!((&sorted.words, &sorted.counts), (&plain.words, &plain.counts));
    }
}
