//! Buckets of fingerprints in packed bits.

use std::fmt::Debug;
use std::hint::select_unpredictable;

use amq::InvalidParams;
use bits::near::shown;
use bits::{BitVec, Lanes};

/// Where fingerprints are kept. 0 is an empty slot and never a fingerprint.
pub trait Table: Clone + Debug + PartialEq + Send + Sync + Sized + 'static {
    /// Slots of a bucket.
    const SLOTS: u32;
    /// The narrowest fingerprint, in bits.
    const MIN_BITS: u32;
    /// That range in words.
    const ALLOWED_BITS: &'static str;

    /// Bits of a bucket with fingerprints of `fingerprint_bits` bits.
    fn bucket_bits(fingerprint_bits: u32) -> u32;

    /// `buckets` empty buckets.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    fn empty(buckets: u64, fingerprint_bits: u32) -> Result<Self, InvalidParams>;

    /// Whether `fingerprint` is in `bucket`.
    fn has(&self, bucket: u64, fingerprint: u32) -> bool;

    /// Whether `fingerprint` is in one of two buckets, both of which are read whatever the first one holds.
    #[inline]
    fn has_either(&self, buckets: [u64; 2], fingerprint: u32) -> bool {
        // A branch between the two would be a coin toss.
        self.has(buckets[0], fingerprint) | self.has(buckets[1], fingerprint)
    }

    /// Puts `fingerprint` into a free slot of `bucket`; false when there is none.
    fn put(&mut self, bucket: u64, fingerprint: u32) -> bool;

    /// Puts `fingerprint` into a free slot of the first of two buckets, or else of the second; false when both are full.
    #[inline]
    fn put_either(&mut self, buckets: [u64; 2], fingerprint: u32) -> bool {
        self.put(buckets[0], fingerprint) || self.put(buckets[1], fingerprint)
    }

    /// Puts `fingerprint` into a free slot of `bucket`, and if there is none into `slot`; gives back what was there, 0 if
    /// it was free.
    fn push(&mut self, bucket: u64, slot: u32, fingerprint: u32) -> u32;

    /// Whether what is put into a slot stays there until it is taken out.
    const STAYS: bool;

    /// Undoes a [`push`](Self::push) to a full bucket that gave back `evicted`, if it was the last change to the bucket.
    /// Gives back what had been put, which is to be in `held` if [slots do not stay](Self::STAYS).
    fn pull(&mut self, bucket: u64, slot: u32, held: Option<u32>, evicted: u32) -> u32;

    /// Takes one copy of `fingerprint` out of `bucket`; false when there is none.
    fn take(&mut self, bucket: u64, fingerprint: u32) -> bool;

    /// Takes one copy of `fingerprint` out of the first of two buckets, or else out of the second; false when there is
    /// none in either.
    #[inline]
    fn take_either(&mut self, buckets: [u64; 2], fingerprint: u32) -> bool {
        self.take(buckets[0], fingerprint) || self.take(buckets[1], fingerprint)
    }

    /// Asks for the memory of `bucket`.
    fn prefetch(&self, bucket: u64);

    /// The fingerprint in `slot` of `bucket`, 0 if it is empty.
    fn get(&self, bucket: u64, slot: u32) -> u32;

    /// All slots empty.
    fn clear(&mut self);

    /// The bits.
    fn bits(&self) -> &BitVec;

    /// The bits, to be changed: for a reader of saved ones.
    fn bits_mut(&mut self) -> &mut BitVec;

    /// Whether the bits of `bucket` are those that these operations leave for its fingerprints.
    fn is_sound(&self, bucket: u64) -> bool;

    /// Name and number of the saved form.
    const SAVED: (&'static str, u16);
}

/// `bits` within what a filter may have.
pub(crate) fn allocate(buckets: u64, bucket_bits: u32) -> Result<BitVec, InvalidParams> {
    BitVec::zeros(buckets.checked_mul(bucket_bits.into()).ok_or(InvalidParams::TooLarge { bits: u64::MAX })?)
}

/// `SLOTS` slots side by side in a bucket.
///
/// A bucket is read in chunks of as many slots as one read shows, and all slots of a chunk are compared at once. Four slots
/// of up to 16 bits are one chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots<const SLOTS: u32> {
    bits: BitVec,
    width: u32,
    /// Slots of every chunk but the last.
    chunk: u32,
    lanes: Lanes,
    /// The slots of the last chunk, which is the only one where one read shows the bucket.
    last: Lanes,
}

/// The most of `slots` slots that one read shows, wherever the bucket and its chunks begin.
fn chunk_of(slots: u32, width: u32) -> u32 {
    let fits = |chunk: &u32| {
        let (bucket, part) = (slots * width, chunk * width);
        // Chunks begin at multiples of what divides both widths; of that a power of two matters.
        part <= shown(if *chunk < slots { 1 << (bucket | part).trailing_zeros() } else { bucket })
    };
    (1..=slots).rev().find(fits).unwrap_or(1)
}

impl<const SLOTS: u32> Slots<SLOTS> {
    #[inline]
    fn start(&self, bucket: u64) -> u64 {
        bucket * u64::from(SLOTS * self.width)
    }

    #[inline]
    fn at(&self, bucket: u64, slot: u32) -> u64 {
        self.start(bucket) + u64::from(slot * self.width)
    }

    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// Where the first slot that holds `value` begins.
    #[inline(never)]
    fn find(&self, bucket: u64, value: u32) -> Option<u64> {
        let mut at = self.start(bucket);
        let mut left = SLOTS;
        loop {
            let lanes = if left > self.chunk { self.lanes } else { self.last };
            let found = lanes.equal(self.bits.near(at), value.into());
            if found != 0 {
                return Some(at + u64::from(lanes.first_bit(found)));
            }
            if left <= self.chunk {
                return None;
            }
            left -= self.chunk;
            at += u64::from(self.chunk * self.width);
        }
    }

    /// [`find`](Self::find) in the first of two buckets, or else in the second. Where a read shows a bucket the choice
    /// between them is not a branch (measured by `fill` and `remove` of the bench `buckets`).
    #[inline(always)]
    fn find_either(&self, buckets: [u64; 2], value: u32) -> Option<u64> {
        if self.chunk < SLOTS {
            return self.find(buckets[0], value).or_else(|| self.find(buckets[1], value));
        }
        let [first, second] = buckets.map(|bucket| self.start(bucket));
        let here = self.last.equal(self.bits.near(first), value.into());
        let there = self.last.equal(self.bits.near(second), value.into());
        if here | there == 0 {
            return None;
        }
        let at = select_unpredictable(here != 0, first, second);
        let found = select_unpredictable(here != 0, here, there);
        Some(at + u64::from(self.last.first_bit(found)))
    }
}

impl<const SLOTS: u32> Table for Slots<SLOTS> {
    const SLOTS: u32 = SLOTS;
    const MIN_BITS: u32 = 2;
    const ALLOWED_BITS: &'static str = "2 to 32 bits";
    const STAYS: bool = true;

    fn bucket_bits(fingerprint_bits: u32) -> u32 {
        SLOTS * fingerprint_bits
    }

    fn empty(buckets: u64, fingerprint_bits: u32) -> Result<Self, InvalidParams> {
        const { assert!(SLOTS >= 1 && SLOTS <= 16, "1 to 16 slots") };
        let width = fingerprint_bits;
        let chunk = chunk_of(SLOTS, width);
        let last = (SLOTS - 1) % chunk + 1;
        let bits = allocate(buckets, Self::bucket_bits(width))?;
        Ok(Self { bits, width, chunk, lanes: Lanes::new(width, chunk), last: Lanes::new(width, last) })
    }

    #[inline]
    fn has(&self, bucket: u64, fingerprint: u32) -> bool {
        self.has_either([bucket; 2], fingerprint)
    }

    #[inline]
    fn has_either(&self, buckets: [u64; 2], fingerprint: u32) -> bool {
        let [mut first, mut second] = buckets.map(|bucket| self.start(bucket));
        let both = |lanes: Lanes, first, second| {
            lanes.any_equal([self.bits.near(first), self.bits.near(second)], fingerprint.into())
        };
        let mut left = SLOTS;
        let mut found = false;
        while left > self.chunk {
            found |= both(self.lanes, first, second);
            left -= self.chunk;
            first += u64::from(self.chunk * self.width);
            second += u64::from(self.chunk * self.width);
        }
        found | both(self.last, first, second)
    }

    #[inline]
    fn put(&mut self, bucket: u64, fingerprint: u32) -> bool {
        let Some(at) = self.find(bucket, 0) else { return false };
        self.bits.flip(at, fingerprint.into());
        true
    }

    #[inline]
    fn put_either(&mut self, buckets: [u64; 2], fingerprint: u32) -> bool {
        let Some(at) = self.find_either(buckets, 0) else { return false };
        self.bits.flip(at, fingerprint.into());
        true
    }

    #[inline]
    fn push(&mut self, bucket: u64, slot: u32, fingerprint: u32) -> u32 {
        if self.chunk < SLOTS {
            let at = self.find(bucket, 0).unwrap_or_else(|| self.at(bucket, slot));
            let evicted = self.bits.near(at) & self.mask();
            self.bits.flip(at, evicted ^ u64::from(fingerprint));
            return evicted as u32;
        }
        let at = self.start(bucket);
        let word = self.bits.near(at);
        let free = self.last.zero(word);
        // A branch: while moves go on it is predicted, and the next one starts before this one has looked for a free slot
        // (`fill` of the bench `buckets` is a tenth slower without).
        if free != 0 {
            self.bits.flip(at, u64::from(fingerprint) << self.last.first_bit(free));
            return 0;
        }
        let shift = slot * self.width;
        let evicted = word >> shift & self.mask();
        self.bits.flip(at, (evicted ^ u64::from(fingerprint)) << shift);
        evicted as u32
    }

    fn pull(&mut self, bucket: u64, slot: u32, _held: Option<u32>, evicted: u32) -> u32 {
        let held = self.get(bucket, slot);
        self.bits.flip(self.at(bucket, slot), (held ^ evicted).into());
        held
    }

    #[inline]
    fn take(&mut self, bucket: u64, fingerprint: u32) -> bool {
        let Some(at) = self.find(bucket, fingerprint) else { return false };
        self.bits.flip(at, fingerprint.into());
        true
    }

    #[inline]
    fn take_either(&mut self, buckets: [u64; 2], fingerprint: u32) -> bool {
        let Some(at) = self.find_either(buckets, fingerprint) else { return false };
        self.bits.flip(at, fingerprint.into());
        true
    }

    #[inline]
    fn prefetch(&self, bucket: u64) {
        self.bits.prefetch(self.start(bucket));
    }

    #[inline]
    fn get(&self, bucket: u64, slot: u32) -> u32 {
        (self.bits.near(self.at(bucket, slot)) & self.mask()) as u32
    }

    fn clear(&mut self) {
        self.bits.clear();
    }

    fn bits(&self) -> &BitVec {
        &self.bits
    }

    fn bits_mut(&mut self) -> &mut BitVec {
        &mut self.bits
    }

    fn is_sound(&self, _bucket: u64) -> bool {
        true
    }

    const SAVED: (&'static str, u16) = ("cuckoo", 9);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Random operations on two neighbouring buckets of a table of three against sorted lists; a third one stays empty.
    pub(crate) fn behaves_as_multisets<T: Table>(fingerprint_bits: u32) {
        let max = u32::MAX >> (32 - fingerprint_bits);
        let mut table = T::empty(3, fingerprint_bits).unwrap();
        let mut lists = [vec![], vec![]];
        let mut state = u64::from(fingerprint_bits) << 8 | u64::from(T::SLOTS);
        for round in 0..3000 {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let random = hashing::mix::mix64(state);
            let (bucket, slot) = (random & 1, (random >> 8) as u32 % T::SLOTS);
            // Few values, so that some repeat, among them the extremes.
            let value =
                [1, max, max >> 1, 0x9abc_def1 & max, (random >> 32) as u32 & max][(random >> 4) as usize % 5].max(1);
            let list = &mut lists[bucket as usize];
            let full = list.len() == T::SLOTS as usize;
            match random >> 16 & 3 {
                0 | 1 => {
                    assert_eq!(table.put(bucket, value), !full, "{fingerprint_bits} bits, round {round}");
                    if !full {
                        list.push(value);
                    }
                }
                2 => {
                    let place = list.iter().position(|held| *held == value);
                    assert_eq!(table.take(bucket, value), place.is_some(), "{fingerprint_bits} bits, round {round}");
                    if let Some(place) = place {
                        list.swap_remove(place);
                    }
                }
                _ if full => {
                    let before = table.clone();
                    let evicted = table.push(bucket, slot, value);
                    let place = list.iter().position(|held| *held == evicted).expect("what was evicted was in");
                    let mut undone = table.clone();
                    let held = (!T::STAYS).then_some(value);
                    assert_eq!(undone.pull(bucket, slot, held, evicted), value, "{fingerprint_bits} bits");
                    assert_eq!(undone, before, "{fingerprint_bits} bits, round {round}");
                    list[place] = value;
                }
                _ => {}
            }
            for (bucket, list) in (0..).zip(&mut lists) {
                list.sort_unstable();
                let mut held: Vec<u32> =
                    (0..T::SLOTS).map(|slot| table.get(bucket, slot)).filter(|value| *value != 0).collect();
                held.sort_unstable();
                assert_eq!(&held, list, "{fingerprint_bits} bits, round {round}");
                for value in [1, max, value] {
                    assert_eq!(
                        table.has(bucket, value),
                        list.contains(&value),
                        "{fingerprint_bits} bits, round {round}"
                    );
                }
            }
            assert!((0..T::SLOTS).all(|slot| table.get(2, slot) == 0), "{fingerprint_bits} bits, round {round}");
        }
    }

    #[test]
    fn buckets_are_multisets_at_every_width() {
        for width in 2..=32 {
            behaves_as_multisets::<Slots<1>>(width);
            behaves_as_multisets::<Slots<2>>(width);
            behaves_as_multisets::<Slots<3>>(width);
            behaves_as_multisets::<Slots<4>>(width);
            behaves_as_multisets::<Slots<7>>(width);
            behaves_as_multisets::<Slots<8>>(width);
            behaves_as_multisets::<Slots<16>>(width);
        }
    }
}
