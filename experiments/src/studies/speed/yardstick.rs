//! The machine's own yardstick: the simplest filter there could be, one mix and L random lines of an array, one bit each.

use std::sync::Arc;

use hashing::mix::mix64;

use crate::error::HarnessError;
use crate::studies::Case;

/// Words of a cache line of 64 bytes.
const LINE: u64 = 8;
/// Keys whose lines are on their way at once.
const WINDOW: usize = 32;
/// Lines of a key at most.
pub(super) const MOST_LINES: u64 = 16;

/// How the lines are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A loop without branches: the core keeps as many misses in flight as it can.
    Independent,
    /// The lines of 32 keys are asked for before the first of them is read.
    Prefetched,
    /// Each key hangs on the answer before.
    Dependent,
}

impl Way {
    pub(super) const THROUGHPUT: [Way; 2] = [Way::Independent, Way::Prefetched];
}

/// An array in which all bits are set, so that every key is found.
#[derive(Debug)]
pub(super) struct Yardstick {
    words: Vec<u64>,
}

/// A loop over keys that counts those found: all of them. The second argument is laid over each key, so that the same keys have
/// other lines.
type Pass<'a> = Box<dyn Fn(&[u64], u64) -> u64 + Sync + 'a>;

impl Yardstick {
    /// An array of so many bytes, in whole lines, at least one.
    pub(super) fn new(bytes: u64) -> Result<Self, HarnessError> {
        let words = usize::try_from(lines_in(bytes) * LINE).unwrap_or(usize::MAX);
        let mut array = Vec::new();
        array.try_reserve_exact(words).map_err(|_| {
            HarnessError::Failed(format!("no memory for a yardstick of {bytes} bytes: take smaller filters"))
        })?;
        array.resize(words, u64::MAX);
        Ok(Self { words: array })
    }

    /// One of at least so many bytes, shared by filters of about that size.
    pub(super) fn shared(case: &Case<'_>, bytes: u64) -> Result<Arc<Self>, HarnessError> {
        // One array for all filters up to the next power of two: each uses as much of it as it has itself.
        let most = bytes.max(1).next_power_of_two();
        case.shared(&format!("yardstick {most}"), || Ok((Self::new(most)?, most)))
    }

    /// The loop that reads `lines` lines of the first `bytes` bytes for each key; `None` for more than [`MOST_LINES`].
    pub(super) fn pass(&self, way: Way, lines: u64, bytes: u64) -> Option<Pass<'_>> {
        let words = &self.words[..((lines_in(bytes) * LINE) as usize).min(self.words.len())];
        macro_rules! each {
            ($($count:literal)*) => {
                match (way, lines) {
                    $(
                        (Way::Independent, $count) => Some(Box::new(move |keys: &[u64], salt| independent::<$count>(words, keys, salt)) as Pass<'_>),
                        (Way::Prefetched, $count) => Some(Box::new(move |keys: &[u64], salt| prefetched::<$count>(words, keys, salt)) as Pass<'_>),
                        (Way::Dependent, $count) => Some(Box::new(move |keys: &[u64], salt| dependent::<$count>(words, keys, salt)) as Pass<'_>),
                    )*
                    _ => None,
                }
            };
        }
        each!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    }
}

fn lines_in(bytes: u64) -> u64 {
    bytes.div_ceil(8 * LINE).max(1)
}

/// The places of a key: a word in a random line for each, and the key's bits there.
struct Places {
    next: u64,
    step: u64,
    lines: u64,
}

impl Places {
    #[inline(always)]
    fn new(words: &[u64], key: u64) -> Self {
        let next = mix64(key);
        Self { next, step: next.rotate_left(32) | 1, lines: words.len() as u64 / LINE }
    }

    /// The index of a word, and the bit in it.
    #[inline(always)]
    fn place(&mut self) -> (usize, u32) {
        let at = self.next;
        self.next = at.wrapping_add(self.step);
        let line = ((u128::from(at) * u128::from(self.lines)) >> 64) as u64;
        ((line * LINE + at % LINE) as usize, (at >> 3) as u32 % 64)
    }
}

/// 1 if the key's bits are all set. No branch hangs on what is read.
#[inline(always)]
fn found<const L: usize>(words: &[u64], key: u64) -> u64 {
    let mut places = Places::new(words, key);
    let mut all = 1;
    for _ in 0..L {
        let (word, bit) = places.place();
        all &= words[word] >> bit;
    }
    all
}

fn independent<const L: usize>(words: &[u64], keys: &[u64], salt: u64) -> u64 {
    keys.iter().map(|key| found::<L>(words, *key ^ salt)).sum()
}

fn prefetched<const L: usize>(words: &[u64], keys: &[u64], salt: u64) -> u64 {
    let mut held = [[(0usize, 0u32); L]; WINDOW];
    let mut sum = 0;
    for keys in keys.chunks(WINDOW) {
        for (key, places) in keys.iter().zip(&mut held) {
            let mut all = Places::new(words, *key ^ salt);
            for place in places {
                *place = all.place();
                bits::prefetch::read(words, place.0);
            }
        }
        for (_, places) in keys.iter().zip(&held) {
            sum += places.iter().fold(1, |all, (word, bit)| all & (words[*word] >> bit));
        }
    }
    sum
}

fn dependent<const L: usize>(words: &[u64], keys: &[u64], salt: u64) -> u64 {
    let (mut sum, mut change) = (0, salt);
    for key in keys {
        let answer = found::<L>(words, key ^ change);
        sum += answer;
        change = salt ^ answer ^ 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ways find the same keys in an array with holes, as many as is due.
    #[test]
    fn all_ways_read_the_same_bits() {
        let mut yardstick = Yardstick::new(1 << 16).unwrap();
        yardstick
            .words
            .iter_mut()
            .enumerate()
            .for_each(|(index, word)| *word = mix64(index as u64) | mix64(!(index as u64)));
        let keys: Vec<u64> = (0..20_001).map(mix64).collect();
        for lines in 1..=MOST_LINES {
            let count = |way| yardstick.pass(way, lines, 1 << 16).unwrap()(&keys, 0);
            assert_eq!(count(Way::Independent), count(Way::Prefetched), "{lines}");
            let expected = 20_001.0 * 0.75f64.powi(lines as i32);
            let found = count(Way::Independent) as f64;
            assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{lines}: {found} of {expected}");
        }
        assert!(yardstick.pass(Way::Independent, MOST_LINES + 1, 1).is_none());
    }

    /// With another salt the same keys have other lines, in every way to read them.
    #[test]
    fn a_salt_moves_the_keys() {
        let mut yardstick = Yardstick::new(1 << 16).unwrap();
        yardstick
            .words
            .iter_mut()
            .enumerate()
            .for_each(|(index, word)| *word = u64::from(index % 2 == 0).wrapping_neg());
        let keys: Vec<u64> = (0..64).map(mix64).collect();
        for way in [Way::Independent, Way::Prefetched, Way::Dependent] {
            let pass = yardstick.pass(way, 1, 1 << 16).unwrap();
            let counts: std::collections::BTreeSet<u64> = (0..32).map(|salt| pass(&keys, mix64(salt))).collect();
            assert!(counts.len() > 5, "{way:?}: {counts:?}");
        }
    }

    /// The whole array is used, and nothing but the part asked for.
    #[test]
    fn the_footprint_is_the_one_asked_for() {
        let words = [0u64; 8 * 100];
        let mut seen = std::collections::BTreeSet::new();
        for key in 0..10_000 {
            let mut places = Places::new(&words, key);
            seen.extend((0..3).map(|_| places.place().0));
        }
        assert_eq!(seen.len(), words.len());
        let mut yardstick = Yardstick::new(64 * 200).unwrap();
        yardstick.words[8 * 100..].fill(0);
        let keys: Vec<u64> = (0..1000).collect();
        assert_eq!(yardstick.pass(Way::Dependent, 3, 64 * 100).unwrap()(&keys, 0), 1000);
        assert!(yardstick.pass(Way::Dependent, 3, 64 * 200).unwrap()(&keys, 0) < 500);
    }
}
