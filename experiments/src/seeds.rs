//! Every random choice descends from one root seed through these functions.

use hashing::mix::mix64;
use hashing::{Family, Hasher};

/// A hash of a text, stable across runs and hosts.
#[must_use]
pub fn hash_text(seed: u64, text: &str) -> u64 {
    // XXH3 takes bytes, so the other arm is never used.
    Hasher::new(Family::Xxh3, seed).bytes(text.as_bytes()).map_or(seed, |digest| digest.0)
}

/// The seed of the `index`-th child of `seed` in the stream `name`.
#[must_use]
pub fn child(seed: u64, name: &str, index: u64) -> u64 {
    mix64(hash_text(seed, name) ^ mix64(index.wrapping_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_differ_by_name_index_and_seed() {
        let mut all: Vec<u64> = Vec::new();
        for seed in [0, 1] {
            for name in ["keys", "filter"] {
                all.extend((0..100).map(|index| child(seed, name, index)));
            }
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(child(1, "keys", 0), child(1, "keys", 0));
    }
}
