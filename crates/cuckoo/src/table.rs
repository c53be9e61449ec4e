//! Buckets of fingerprints in packed bits.

use std::fmt::Debug;

use amq::InvalidParams;
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

    /// Puts `fingerprint` into a free slot of `bucket`; false when there is none.
    fn put(&mut self, bucket: u64, fingerprint: u32) -> bool;

    /// Puts `fingerprint` into `slot` of a full bucket and gives back what was there.
    fn swap(&mut self, bucket: u64, slot: u32, fingerprint: u32) -> u32;

    /// Undoes a [`swap`](Self::swap) that put `fingerprint` for `evicted`, if it was the last change to the bucket.
    fn swap_back(&mut self, bucket: u64, slot: u32, fingerprint: u32, evicted: u32);

    /// Takes one copy of `fingerprint` out of `bucket`; false when there is none.
    fn take(&mut self, bucket: u64, fingerprint: u32) -> bool;

    /// The fingerprint in `slot` of `bucket`, 0 if it is empty.
    fn get(&self, bucket: u64, slot: u32) -> u32;

    /// All slots empty.
    fn clear(&mut self);

    /// The bits.
    fn bits(&self) -> &BitVec;
}

/// `bits` within what a filter may have.
pub(crate) fn allocate(buckets: u64, bucket_bits: u32) -> Result<BitVec, InvalidParams> {
    BitVec::zeros(buckets.checked_mul(bucket_bits.into()).ok_or(InvalidParams::TooLarge { bits: u64::MAX })?)
}

/// `SLOTS` slots side by side in a bucket.
///
/// A bucket is read in chunks of as many slots as fit a word, and all slots of a chunk are compared at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots<const SLOTS: u32> {
    bits: BitVec,
    width: u32,
    /// Slots of every chunk but the last.
    chunk: u32,
    lanes: Lanes,
    /// The slots of the last chunk, which is the only one where a word holds the bucket.
    last: Lanes,
}

impl<const SLOTS: u32> Slots<SLOTS> {
    #[inline]
    fn start(&self, bucket: u64) -> u64 {
        bucket * u64::from(SLOTS * self.width)
    }

    /// Where the first slot that holds `value` begins.
    #[inline]
    fn find(&self, bucket: u64, value: u32) -> Option<u64> {
        let mut at = self.start(bucket);
        let mut left = SLOTS;
        loop {
            let lanes = if left > self.chunk { self.lanes } else { self.last };
            let found = lanes.equal(self.bits.window(at), value.into());
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

    #[inline]
    fn at(&self, bucket: u64, slot: u32) -> u64 {
        self.start(bucket) + u64::from(slot * self.width)
    }
}

impl<const SLOTS: u32> Table for Slots<SLOTS> {
    const SLOTS: u32 = SLOTS;
    const MIN_BITS: u32 = 2;
    const ALLOWED_BITS: &'static str = "2 to 32 bits";

    fn bucket_bits(fingerprint_bits: u32) -> u32 {
        SLOTS * fingerprint_bits
    }

    fn empty(buckets: u64, fingerprint_bits: u32) -> Result<Self, InvalidParams> {
        const { assert!(SLOTS >= 1 && SLOTS <= 16, "1 to 16 slots") };
        let width = fingerprint_bits;
        let chunk = SLOTS.min(u64::BITS / width);
        let last = (SLOTS - 1) % chunk + 1;
        let bits = allocate(buckets, Self::bucket_bits(width))?;
        Ok(Self { bits, width, chunk, lanes: Lanes::new(width, chunk), last: Lanes::new(width, last) })
    }

    #[inline]
    fn has(&self, bucket: u64, fingerprint: u32) -> bool {
        let mut at = self.start(bucket);
        let mut left = SLOTS;
        let mut found = 0;
        while left > self.chunk {
            found |= self.lanes.equal(self.bits.window(at), fingerprint.into());
            left -= self.chunk;
            at += u64::from(self.chunk * self.width);
        }
        found | self.last.equal(self.bits.window(at), fingerprint.into()) != 0
    }

    #[inline]
    fn put(&mut self, bucket: u64, fingerprint: u32) -> bool {
        let Some(at) = self.find(bucket, 0) else { return false };
        self.bits.write(at, self.width, fingerprint.into());
        true
    }

    #[inline]
    fn swap(&mut self, bucket: u64, slot: u32, fingerprint: u32) -> u32 {
        let evicted = self.get(bucket, slot);
        self.bits.write(self.at(bucket, slot), self.width, fingerprint.into());
        evicted
    }

    fn swap_back(&mut self, bucket: u64, slot: u32, _fingerprint: u32, evicted: u32) {
        self.bits.write(self.at(bucket, slot), self.width, evicted.into());
    }

    fn take(&mut self, bucket: u64, fingerprint: u32) -> bool {
        let Some(at) = self.find(bucket, fingerprint) else { return false };
        self.bits.write(at, self.width, 0);
        true
    }

    #[inline]
    fn get(&self, bucket: u64, slot: u32) -> u32 {
        (self.bits.window(self.at(bucket, slot)) & (u64::MAX >> (64 - self.width))) as u32
    }

    fn clear(&mut self) {
        self.bits.clear();
    }

    fn bits(&self) -> &BitVec {
        &self.bits
    }
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
                    let evicted = table.swap(bucket, slot, value);
                    let place = list.iter().position(|held| *held == evicted).expect("what was evicted was in");
                    let mut undone = table.clone();
                    undone.swap_back(bucket, slot, value, evicted);
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
