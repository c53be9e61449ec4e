//! Kernels on one cache line: everything a key needs is in it, so nothing is gained by stopping early, and no branch
//! depends on what is found.

use crate::lines::Words;

/// Whether the bits of a line at `k` positions, below 512, are all set.
#[inline]
#[must_use]
pub fn all_set(line: &Words, k: u32, mut position: impl FnMut() -> u64) -> bool {
    let all = (0..k).fold(u64::MAX, |all, _| {
        let at = position();
        all & line[(at / 64) as usize % 8] >> (at % 64)
    });
    all & 1 == 1
}

/// Sets the bits of a line at `k` positions, below 512.
#[inline]
pub fn set_all(line: &mut Words, k: u32, mut position: impl FnMut() -> u64) {
    for _ in 0..k {
        let at = position();
        line[(at / 64) as usize % 8] |= 1 << (at % 64);
    }
}

/// The word with the bits at `k` positions, below 64.
#[inline]
#[must_use]
pub fn mask(k: u32, mut position: impl FnMut() -> u64) -> u64 {
    (0..k).fold(0, |mask, _| mask | 1 << (position() % 64))
}

/// A half line of eight lanes of 32 bits with a bit in each, from bits of `word`: lane `i` has bit
/// `(word >> (8 (i / 2) + 32 (i % 2))) % 32`.
#[inline]
#[must_use]
pub fn lanes_of_32(word: u64) -> [u64; 4] {
    std::array::from_fn(|pair| {
        let low = word >> (8 * pair) & 31;
        let high = word >> (8 * pair + 32) & 31;
        1 << low | 1 << (high + 32)
    })
}

/// A line of eight lanes of 64 bits with a bit in each, from bits of `word`: lane `i` has bit `(word >> 6 i) % 64`.
#[inline]
#[must_use]
pub fn lanes_of_64(word: u64) -> Words {
    std::array::from_fn(|lane| 1 << (word >> (6 * lane) & 63))
}

/// Whether all bits of `mask` are set in `words`.
#[inline]
#[must_use]
pub fn covers<const N: usize>(words: &[u64; N], mask: &[u64; N]) -> bool {
    words.iter().zip(mask).fold(0, |missing, (word, mask)| missing | (mask & !word)) == 0
}

/// Sets all bits of `mask` in `words`.
#[inline]
pub fn cover<const N: usize>(words: &mut [u64; N], mask: &[u64; N]) {
    words.iter_mut().zip(mask).for_each(|(word, mask)| *word |= mask);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_missing_bit_is_enough_wherever_it_is() {
        for k in 1..=12 {
            let position = |probe: u64| (probe * 83 + 7) % 512;
            let mut line = [0; 8];
            let mut next = (0..).map(position);
            set_all(&mut line, k, || next.next().unwrap());
            assert_eq!(line.iter().map(|word| word.count_ones()).sum::<u32>(), k);
            let mut next = (0..).map(position);
            assert!(all_set(&line, k, || next.next().unwrap()));
            for missing in 0..u64::from(k) {
                let mut damaged = line;
                damaged[(position(missing) / 64) as usize] &= !(1 << (position(missing) % 64));
                let mut next = (0..).map(position);
                assert!(!all_set(&damaged, k, || next.next().unwrap()), "k = {k}, probe {missing}");
            }
        }
    }

    #[test]
    fn masks_have_a_bit_in_each_lane() {
        for seed in 0..1000u64 {
            let word = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed << 40;
            let (narrow, wide) = (lanes_of_32(word), lanes_of_64(word));
            for lane in 0..8 {
                let half = (narrow[lane / 2] >> (32 * (lane % 2))) as u32;
                assert_eq!(half, 1 << (word >> (8 * (lane / 2) + 32 * (lane % 2)) & 31));
                assert_eq!(wide[lane], 1 << (word >> (6 * lane) & 63));
            }
            let mut words = [0; 4];
            assert!(!covers(&words, &narrow));
            cover(&mut words, &narrow);
            assert!(covers(&words, &narrow) && words == narrow);
            let bit = narrow[2] & narrow[2].wrapping_neg();
            words[2] &= !bit;
            assert!(!covers(&words, &narrow));
        }
        let mut next = [3, 5, 3].into_iter();
        assert_eq!(mask(3, || next.next().unwrap()), 0b101000);
    }
}
