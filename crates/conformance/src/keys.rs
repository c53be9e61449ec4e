//! Digests for the laws: distinct, uniform, from a stream number and an index.
//!
//! The 64-bit finaliser "moremur" (P. Evensen, 2019) is a bijection of the counter `stream * 2^40 + index`, so
//! no two digests are ever equal, whatever their streams. It is not one of the mixers of `hashing`.

use std::ops::Range;

use amq::Digest;

/// Indices of one stream.
pub const STREAM: u64 = 1 << 40;

/// Digest `index` of `stream`.
///
/// # Panics
/// When `stream` is 2^24 or more, or `index` 2^40 or more.
#[inline]
#[must_use]
pub fn digest(stream: u64, index: u64) -> Digest {
    assert!(stream < 1 << 24 && index < STREAM, "stream {stream}, index {index}");
    let mut word = stream * STREAM + index;
    word ^= word >> 27;
    word = word.wrapping_mul(0x3c79_ac49_2ba7_b653);
    word ^= word >> 33;
    word = word.wrapping_mul(0x1c69_b3f7_4ac4_ae35);
    Digest(word ^ word >> 27)
}

/// The digests of `range` in `stream`.
///
/// # Panics
/// As [`digest`].
#[must_use]
pub fn digests(stream: u64, range: Range<u64>) -> Vec<Digest> {
    range.map(|index| digest(stream, index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Null: the top and the bottom byte of the digests are uniform. Chi-square with 255 degrees of freedom over
    /// 2^20 digests, alpha = 1e-7 for each of four tests; the smallest effect is a relative
    /// deviation of all cells by 1.6 %: a noncentrality of 2^20 * 0.016^2 = 268 passes the critical value, about 383.
    #[test]
    fn digests_are_uniform_at_both_ends() {
        for stream in [0, 77] {
            let keys = digests(stream, 0..1 << 20);
            for shift in [0, 56] {
                let mut counts = vec![0u64; 256];
                keys.iter().for_each(|key| counts[(key.0 >> shift) as usize & 255] += 1);
                let fit = stats::chi_square_uniform(&counts).unwrap();
                assert!(fit.p_value > 1e-7, "stream {stream}, shift {shift}: {fit:?}");
            }
        }
    }

    #[test]
    fn streams_do_not_meet() {
        let mut all: Vec<_> = (0..100).flat_map(|stream| digests(stream, 0..1000)).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 100_000);
    }

    #[test]
    #[should_panic(expected = "stream 16777216")]
    fn a_stream_too_many_is_refused() {
        let _ = digest(1 << 24, 0);
    }
}
