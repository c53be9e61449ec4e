//! Four slots in 4 bits less: the low half-bytes of a bucket's fingerprints are kept as a sorted quadruple.
//!
//! The order of the slots tells nothing, so it need not be stored. Of the quadruples of half-bytes only the sorted ones
//! are coded, `C(19, 4) = 3876` of them in 12 bits instead of 16. They are numbered in the combinatorial number system:
//! `n0 <= n1 <= n2 <= n3` is number `C(n0, 1) + C(n1 + 1, 2) + C(n2 + 2, 3) + C(n3 + 3, 4)`.
//!
//! ```text
//! bucket   code: 12 bits | rest of slot 0 | slot 1 | slot 2 | slot 3      f - 4 bits each, 4 (f - 1) in all
//! ```

use amq::InvalidParams;
use bits::BitVec;

use crate::table::{Table, allocate};

/// Sorted quadruples of half-bytes.
const CODES: usize = 3876;
/// Bits of a code.
const CODE_BITS: u32 = 12;
/// Bits of a fingerprint that the code holds.
const NIBBLE: u32 = 4;

const fn choose(n: u64, k: u64) -> u64 {
    let (mut product, mut step) = (1, 0);
    while step < k {
        if n < k {
            return 0;
        }
        product = product * (n - step) / (step + 1);
        step += 1;
    }
    product
}

/// Entry `[j][n]`: what half-byte `n` at place `j` adds to the code.
const PLACES: [[u16; 16]; 4] = {
    let mut places = [[0; 16]; 4];
    let mut place = 0;
    while place < 4 {
        let mut nibble = 0;
        while nibble < 16 {
            places[place][nibble] = choose((nibble + place) as u64, place as u64 + 1) as u16;
            nibble += 1;
        }
        place += 1;
    }
    places
};

/// The four half-bytes of each code, the smallest one lowest. Program text, the same for all filters: 7,752 bytes.
static QUADRUPLES: [u16; CODES] = {
    let mut all = [0; CODES];
    let mut code = 0;
    let (mut a, mut b, mut c, mut d) = (0, 0, 0, 0);
    while code < CODES {
        all[code] = a | b << 4 | c << 8 | d << 12;
        code += 1;
        // The next one in the order of the codes: the largest half-byte weighs most.
        if a < b {
            a += 1;
        } else if b < c {
            (a, b) = (0, b + 1);
        } else if c < d {
            (a, b, c) = (0, 0, c + 1);
        } else {
            (a, b, c, d) = (0, 0, 0, d + 1);
        }
    }
    all
};

/// Four slots, semi-sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemiSorted {
    bits: BitVec,
    /// Bits of a fingerprint beyond the half-byte.
    rest: u32,
}

/// Fingerprints with their half-byte in the highest bits: as numbers they are in the order in which they are stored.
type Quad = [u32; 4];

impl SemiSorted {
    #[inline]
    fn width(&self) -> u32 {
        CODE_BITS + 4 * self.rest
    }

    #[inline]
    fn read(&self, bucket: u64) -> Quad {
        let at = bucket * u64::from(self.width());
        let low = self.bits.window(at);
        let high = if self.width() > 64 { self.bits.window(at + 64) } else { 0 };
        let mut value = u128::from(high) << 64 | u128::from(low);
        let nibbles = QUADRUPLES[(value & ((1 << CODE_BITS) - 1)) as usize % CODES];
        value >>= CODE_BITS;
        let mask = (1u32 << self.rest) - 1;
        let slot = |index: u32| {
            let nibble = u32::from(nibbles >> (NIBBLE * index) & 15);
            nibble << 28 | (value >> (self.rest * index)) as u32 & mask
        };
        [slot(0), slot(1), slot(2), slot(3)]
    }

    fn write(&mut self, bucket: u64, mut quad: Quad) {
        quad.sort_unstable();
        let mut value = 0u128;
        let mut code = 0;
        for (index, slot) in quad.into_iter().enumerate().rev() {
            code += PLACES[index][(slot >> 28) as usize];
            value = value << self.rest | u128::from(slot & 0x0fff_ffff);
        }
        value = value << CODE_BITS | u128::from(code);
        let (at, width) = (bucket * u64::from(self.width()), self.width());
        self.bits.write(at, width.min(64), value as u64);
        if width > 64 {
            self.bits.write(at + 64, width - 64, (value >> 64) as u64);
        }
    }

    /// Replaces one copy of `old` by `new`; false when there is none.
    fn replace(&mut self, bucket: u64, old: u32, new: u32) -> bool {
        let mut quad = self.read(bucket);
        let Some(slot) = quad.iter().position(|held| *held == old) else { return false };
        quad[slot] = new;
        self.write(bucket, quad);
        true
    }
}

#[inline]
fn turned(fingerprint: u32) -> u32 {
    fingerprint.rotate_right(NIBBLE)
}

impl Table for SemiSorted {
    const SLOTS: u32 = 4;
    const MIN_BITS: u32 = NIBBLE;
    const ALLOWED_BITS: &'static str = "4 to 32 bits";
    const STAYS: bool = false;

    fn bucket_bits(fingerprint_bits: u32) -> u32 {
        4 * fingerprint_bits - 4
    }

    fn empty(buckets: u64, fingerprint_bits: u32) -> Result<Self, InvalidParams> {
        Ok(Self { bits: allocate(buckets, Self::bucket_bits(fingerprint_bits))?, rest: fingerprint_bits - NIBBLE })
    }

    #[inline]
    fn has(&self, bucket: u64, fingerprint: u32) -> bool {
        let value = turned(fingerprint);
        self.read(bucket).iter().fold(false, |found, held| found | (*held == value))
    }

    fn put(&mut self, bucket: u64, fingerprint: u32) -> bool {
        let mut quad = self.read(bucket);
        // 0 is the smallest: an empty slot comes first.
        if quad[0] != 0 {
            return false;
        }
        quad[0] = turned(fingerprint);
        self.write(bucket, quad);
        true
    }

    fn push(&mut self, bucket: u64, slot: u32, fingerprint: u32) -> u32 {
        let mut quad = self.read(bucket);
        // 0 is the smallest: an empty slot comes first.
        let slot = if quad[0] == 0 { 0 } else { slot as usize };
        let evicted = std::mem::replace(&mut quad[slot], turned(fingerprint));
        self.write(bucket, quad);
        evicted.rotate_left(NIBBLE)
    }

    fn pull(&mut self, bucket: u64, _slot: u32, held: Option<u32>, evicted: u32) -> u32 {
        let held = held.unwrap_or_default();
        self.replace(bucket, turned(held), turned(evicted));
        held
    }

    fn prefetch(&self, bucket: u64) {
        self.bits.prefetch(bucket * u64::from(self.width()));
    }

    fn take(&mut self, bucket: u64, fingerprint: u32) -> bool {
        self.replace(bucket, turned(fingerprint), 0)
    }

    fn get(&self, bucket: u64, slot: u32) -> u32 {
        self.read(bucket)[slot as usize].rotate_left(NIBBLE)
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

    fn is_sound(&self, bucket: u64) -> bool {
        let code = self.bits.window(bucket * u64::from(self.width())) & ((1 << CODE_BITS) - 1);
        code < CODES as u64 && self.read(bucket).is_sorted()
    }

    const SAVED: (&'static str, u16) = ("cuckoo-semisorted", 10);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::behaves_as_multisets;

    #[test]
    fn buckets_are_multisets_at_every_width() {
        (4..=32).for_each(behaves_as_multisets::<SemiSorted>);
    }

    /// C(19, 4) = 3876 sorted quadruples, each with a code of its own, all below 2^12.
    #[test]
    fn codes_number_the_sorted_quadruples() {
        assert_eq!(choose(19, 4), CODES as u64);
        for (code, packed) in QUADRUPLES.iter().enumerate() {
            let nibbles: Vec<u16> = (0..4).map(|index| packed >> (4 * index) & 15).collect();
            assert!(nibbles.is_sorted(), "{code}: {nibbles:?}");
            let sum: u16 = (0..4).map(|index| PLACES[index][nibbles[index] as usize]).sum();
            assert_eq!(usize::from(sum), code);
        }
    }

    /// One bit less for each slot, at every width.
    #[test]
    fn a_bit_is_saved_for_each_slot() {
        for width in 4..=32 {
            let plain = crate::table::Slots::<4>::bucket_bits(width);
            assert_eq!(SemiSorted::bucket_bits(width) + 4, plain);
            assert_eq!(SemiSorted::empty(10, width).unwrap().width() + 4, plain);
        }
    }
}
