//! The keys that a timed loop asks for, in the order it does: an array made beforehand.

use amq::Digest;
use hashing::mix::mix64;
use hashing::{Family, Hasher, KeyKind};

use crate::error::HarnessError;
use crate::keys::KeySet;
use crate::studies::Case;

/// Keys asked in a pass at least: more than any branch predictor learns.
const LEAST: u64 = 1 << 16;
/// Keys asked in a pass at most: of a filter beyond the caches they touch 128 MiB of lines or more.
const MOST: u64 = 1 << 21;
/// Keys of the filter for each one that is asked in a pass: of a filter in a cache, each line is read many times.
const SPARING: u64 = 4;

/// Keys that are hashed together: enough to hide the call, and few, since digests take the first cache's room from the filter
/// and a filter that hashes key by key has none.
pub(super) const TOGETHER: usize = 512;

/// Keys in memory.
#[derive(Debug)]
pub(super) enum Keys {
    /// Integers.
    Integers(Vec<u64>),
    /// Keys of 40 bytes.
    Bytes(Vec<[u8; 40]>),
    /// Integers that are their own digests, for filters that hash themselves.
    Raw(Vec<Digest>),
}

impl Keys {
    /// The keys of these indices, as `family` takes them.
    fn of(set: &KeySet, indices: &[u64], raw: bool) -> Result<Self, HarnessError> {
        let count = indices.len();
        let keys = match (set.workload().kind(), raw) {
            (KeyKind::Integer, _) => {
                let identity = Hasher::new(Family::Identity, 0);
                let mut digests = Vec::with_capacity(count);
                for index in indices {
                    set.member_digests(*index..*index + 1, &identity, &mut digests)?;
                }
                if raw { Keys::Raw(digests) } else { Keys::Integers(digests.iter().map(|digest| digest.0).collect()) }
            }
            (KeyKind::Bytes, false) => Keys::Bytes(indices.iter().filter_map(|index| set.array(*index)).collect()),
            (KeyKind::Bytes, true) => Keys::Raw(Vec::new()),
        };
        if keys.len() < count as u64 {
            let why = "there are no keys of 8 or 40 bytes to be timed, or the contender takes integers only";
            return Err(HarnessError::Usage(format!("workload {}: {why}", set.workload())));
        }
        Ok(keys)
    }

    /// Their number.
    pub(super) fn len(&self) -> u64 {
        (match self {
            Keys::Integers(keys) => keys.len(),
            Keys::Bytes(keys) => keys.len(),
            Keys::Raw(keys) => keys.len(),
        }) as u64
    }

    fn bytes(&self) -> u64 {
        self.len() * if matches!(self, Keys::Bytes(_)) { 40 } else { 8 }
    }

    /// Hashes all keys chunk by chunk into `digests` and adds up what `count` says of each chunk.
    pub(super) fn hashed(
        &self,
        hasher: &Hasher,
        digests: &mut Vec<Digest>,
        mut count: impl FnMut(&[Digest]) -> u64,
    ) -> u64 {
        match self {
            Keys::Integers(keys) => keys.chunks(TOGETHER).fold(0, |sum, keys| {
                digests.clear();
                hasher.u64_batch(keys.iter().copied(), digests);
                sum.wrapping_add(count(digests))
            }),
            Keys::Bytes(keys) => keys.chunks(TOGETHER).fold(0, |sum, keys| {
                digests.clear();
                // A family that takes no bytes leaves no digests, and the count tells.
                let _ = hasher.bytes_batch(keys.iter(), digests);
                sum.wrapping_add(count(digests))
            }),
            Keys::Raw(keys) => keys.chunks(TOGETHER).fold(0, |sum, keys| sum.wrapping_add(count(keys))),
        }
    }

    /// All digests, made beforehand; of raw keys there are none but themselves.
    pub(super) fn digests(&self, hasher: &Hasher) -> Vec<Digest> {
        let mut all = Vec::with_capacity(self.len() as usize);
        self.hashed(hasher, &mut Vec::new(), |digests| {
            all.extend_from_slice(digests);
            0
        });
        all
    }

    /// Eight bytes of each key, for the yardstick.
    pub(super) fn words(&self) -> Vec<u64> {
        match self {
            Keys::Integers(keys) => keys.clone(),
            Keys::Bytes(keys) => keys.iter().map(|key| mix64(u64::from_le_bytes(first(key)))).collect(),
            Keys::Raw(keys) => keys.iter().map(|key| key.0).collect(),
        }
    }
}

fn first(key: &[u8; 40]) -> [u8; 8] {
    let mut word = [0; 8];
    word.copy_from_slice(&key[..8]);
    word
}

/// The hash function of a point: of a contender that hashes keys itself, none.
pub(super) fn hasher(case: &Case<'_>) -> Hasher {
    let family = if hashes_itself(case) { Family::Identity } else { case.spec().family };
    Hasher::new(family, case.first().seed("hash"))
}

/// Whether the contender hashes keys itself.
pub(super) fn hashes_itself(case: &Case<'_>) -> bool {
    case.spec().contender.is_some_and(|contender| contender.hashes_itself)
}

/// The members and as many absent keys as are asked.
fn set(case: &Case<'_>) -> KeySet {
    KeySet::new(case.spec().workload.clone(), case.keys() + MOST, case.first().seed("keys"))
}

/// Queries of one share of members with their digests.
#[derive(Debug)]
pub(super) struct Asked {
    /// The keys.
    pub keys: Keys,
    /// Their digests.
    pub digests: Vec<Digest>,
    /// Members among them.
    pub members: u64,
}

impl Asked {
    /// Keys of which `share` are members, in random order; the same for all contenders and rounds, up to the hash.
    pub(super) fn new(case: &Case<'_>, share: f64) -> Result<(Self, u64), HarnessError> {
        let (n, seed) = (case.keys(), case.first().seed("queries"));
        let count = (n / SPARING).clamp(LEAST, MOST);
        let mut members = 0;
        let mut indices: Vec<u64> = (0..count)
            .map(|index| {
                // 53 bits make a uniform number in [0, 1).
                let random = (mix64(seed.wrapping_add(index)) >> 11) as f64 / (1u64 << 53) as f64;
                if random < share {
                    members += 1;
                    // From all over the order in which they were inserted.
                    (u128::from(index) * u128::from(n) / u128::from(count)) as u64
                } else {
                    n + index
                }
            })
            .collect();
        shuffle(&mut indices, seed);
        let keys = Keys::of(&set(case), &indices, hashes_itself(case))?;
        let digests = match &keys {
            Keys::Raw(_) => Vec::new(),
            keys => keys.digests(&hasher(case)),
        };
        let bytes = keys.bytes() + 8 * digests.len() as u64;
        Ok((Self { keys, digests, members }, bytes))
    }

    /// The digests that stand in memory: those made beforehand, or the keys that are their own.
    pub(super) fn in_memory(&self) -> &[Digest] {
        match &self.keys {
            Keys::Raw(keys) => keys,
            _ => &self.digests,
        }
    }
}

/// Fisher and Yates.
fn shuffle(indices: &mut [u64], seed: u64) {
    for last in (1..indices.len()).rev() {
        let random = mix64(seed ^ (last as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        indices.swap(last, ((u128::from(random) * (last as u128 + 1)) >> 64) as usize);
    }
}

/// All members in the order they are inserted, with their size in bytes.
pub(super) fn members(case: &Case<'_>) -> Result<(Keys, u64), HarnessError> {
    let set = KeySet::new(case.spec().workload.clone(), case.keys(), case.first().seed("keys"));
    let raw = hashes_itself(case);
    let keys = match set.workload().kind() {
        KeyKind::Integer => {
            let identity = Hasher::new(Family::Identity, 0);
            let mut digests = Vec::with_capacity(case.keys() as usize);
            set.member_digests(0..case.keys(), &identity, &mut digests)?;
            if raw { Keys::Raw(digests) } else { Keys::Integers(digests.iter().map(|digest| digest.0).collect()) }
        }
        KeyKind::Bytes => Keys::of(&set, &(0..case.keys()).collect::<Vec<_>>(), raw)?,
    };
    let bytes = keys.bytes();
    Ok((keys, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffled_indices_are_a_permutation_in_another_order() {
        let mut indices: Vec<u64> = (0..1000).collect();
        shuffle(&mut indices, 7);
        assert!(indices.windows(2).filter(|pair| pair[0] < pair[1]).count() < 600);
        indices.sort_unstable();
        assert!(indices.iter().copied().eq(0..1000));
    }

    #[test]
    fn digests_of_keys_are_those_of_single_hashes() {
        let set = KeySet::new(crate::keys::Workload::Random, 5000, 3);
        let indices: Vec<u64> = (0..5000).rev().collect();
        let hasher = Hasher::new(Family::Mixer, 9);
        let keys = Keys::of(&set, &indices, false).unwrap();
        let Keys::Integers(integers) = &keys else { panic!("integers are integers") };
        let expected: Vec<Digest> = integers.iter().map(|key| hasher.u64(*key)).collect();
        assert_eq!(keys.digests(&hasher), expected);
        let mut members = Vec::new();
        set.member_digests(4999..5000, &hasher, &mut members).unwrap();
        assert_eq!(members[0], expected[0]);
        // What hashes itself gets the keys.
        let raw = Keys::of(&set, &indices, true).unwrap();
        assert_eq!(raw.words(), *integers);
        assert_eq!(keys.words(), *integers);
    }

    #[test]
    fn keys_of_40_bytes_are_not_for_what_takes_integers() {
        let set = KeySet::new(crate::keys::Workload::Bytes40, 10, 3);
        assert_eq!(Keys::of(&set, &[0, 9], false).unwrap().bytes(), 80);
        assert!(Keys::of(&set, &[0, 9], true).unwrap_err().to_string().contains("bytes-40"));
    }
}
