//! Several values in one word, compared at once without a branch.

/// A word as `count` lanes of `width` bits each, the first one lowest; bits above the last lane are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The lowest bit of every lane.
    ones: u64,
    /// The highest bit of every lane.
    high: u64,
    width: u32,
}

impl Lanes {
    /// `count` lanes of `width` bits.
    ///
    /// # Panics
    /// When the lanes are wider than a word together, or have no bits.
    #[must_use]
    pub fn new(width: u32, count: u32) -> Self {
        assert!(width >= 1 && u64::from(width) * u64::from(count) <= 64, "{count} lanes of {width} bits");
        let ones = (0..count).fold(0, |ones, lane| ones | 1 << (lane * width));
        Self { ones, high: ones << (width - 1), width }
    }

    /// The bits of a lane.
    #[inline]
    #[must_use]
    pub fn width(self) -> u32 {
        self.width
    }

    /// The highest bit of each lane that equals `value`, a value of one lane; no other bit is set.
    #[inline]
    #[must_use]
    pub fn equal(self, word: u64, value: u64) -> u64 {
        self.zero(word ^ value.wrapping_mul(self.ones))
    }

    /// Whether a lane of one of two words equals `value`, a value of one lane: less work than telling which.
    ///
    /// Taking one from each lane borrows into the highest bit of a lane that is 0, and from there into lanes above it:
    /// whether there is one is exact.
    #[inline]
    #[must_use]
    pub fn any_equal(self, words: [u64; 2], value: u64) -> bool {
        let all = value.wrapping_mul(self.ones);
        let borrowed = words.map(|word| (word ^ all).wrapping_sub(self.ones) & !(word ^ all));
        (borrowed[0] | borrowed[1]) & self.high != 0
    }

    /// The highest bit of each lane that is 0; no other bit is set.
    ///
    /// Exact for every lane: all bits of a lane but the highest are added to a lane of ones below it, which
    /// carries into the highest bit unless they are 0, and never further.
    #[inline]
    #[must_use]
    pub fn zero(self, word: u64) -> u64 {
        let low = self.high - self.ones;
        !(((word & low) + low) | word) & self.high
    }

    /// The lane of the lowest bit in an answer of [`equal`](Self::equal) or [`zero`](Self::zero) that is not 0, as the
    /// offset of its first bit.
    #[inline]
    #[must_use]
    pub fn first_bit(self, answer: u64) -> u32 {
        answer.trailing_zeros() + 1 - self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every width and number of lanes, with equal, neighbouring and extreme values, against one lane at a time.
    #[test]
    fn lanes_are_compared_exactly() {
        for width in 1..=64u32 {
            let max = u64::MAX >> (64 - width);
            for count in 0..=64 / width {
                let lanes = Lanes::new(width, count);
                let all = |value| (0..count).fold(0, |word, lane| word | value << (lane * width));
                for round in 0..50u64 {
                    let mut word = round.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    for value in [0, 1 & max, max, max >> 1, max - (max >> 1), word & max] {
                        // Some lanes become the value, or differ from it by one bit.
                        for lane in 0..count {
                            let shift = lane * width;
                            let near = [word >> shift & max, value, value ^ 1, value ^ (max - (max >> 1))];
                            word = word & !(max << shift) | near[(round as usize + lane as usize * 3) % 4] << shift;
                        }
                        let mut expected = 0;
                        for lane in 0..count {
                            let equal = word >> (lane * width) & max == value;
                            expected |= u64::from(equal) << (lane * width + width - 1);
                        }
                        assert_eq!(lanes.equal(word, value), expected, "{count} lanes of {width}, {word:x}, {value:x}");
                        // Of a word of which no lane is the value, only the other one counts.
                        for pair in [[word, !all(value)], [!all(value), word]] {
                            assert_eq!(lanes.any_equal(pair, value), expected != 0, "{pair:x?}, {value:x}");
                        }
                        if expected != 0 {
                            let first = lanes.first_bit(expected);
                            assert_eq!((first % width, word >> first & max), (0, value));
                        }
                    }
                }
            }
        }
    }
}
