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
            let sum = words.positions(layout, first).into_iter().fold(first & mask, |sum, cell| sum ^ cells.get(cell));
            cells.set(*own, sum);
        }
    }
}
