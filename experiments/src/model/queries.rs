//! The keys a timed loop asks for, laid out in memory beforehand.

use amq::Digest;
use hashing::{Hasher, KeyKind};

use super::Point;
use crate::error::HarnessError;
use crate::keys::{CHUNK, KeySet};

/// Keys asked in one round, at most.
const MOST: u64 = 1 << 20;
/// Keys asked in one round, at least: a small set is asked again.
const LEAST: u64 = 1 << 16;

/// Keys in the order they are asked.
pub(super) enum Keys {
    /// Integers.
    Integers(Vec<u64>),
    /// Keys of 40 bytes.
    Bytes(Vec<[u8; 40]>),
}

/// The keys of a round.
pub(super) struct Queries {
    /// The keys.
    pub keys: Keys,
    /// Whether they are members; otherwise none of them is.
    pub members: bool,
}

impl Queries {
    /// Members or absent keys of `set`, as the point's factor `query` says.
    pub(super) fn new(point: &Point, set: &KeySet) -> Result<Self, HarnessError> {
        let members = point.spec.factor("query").as_deref() == Some("hit");
        let n = set.members();
        let count = if members { n.clamp(LEAST, MOST) } else { MOST };
        let indices = (0..count).map(|index| if members { index % n.max(1) } else { n + index });
        let keys = match set.workload().kind() {
            KeyKind::Integer => Keys::Integers(indices.filter_map(|index| set.integer(index)).collect()),
            KeyKind::Bytes => Keys::Bytes(indices.filter_map(|index| set.array(index)).collect()),
        };
        let queries = Self { keys, members };
        if queries.len() < count {
            let why = format!("workload {} has no keys of 8 or 40 bytes to be timed", set.workload());
            return Err(HarnessError::Usage(why));
        }
        Ok(queries)
    }

    /// Their number.
    pub(super) fn len(&self) -> u64 {
        match &self.keys {
            Keys::Integers(keys) => keys.len() as u64,
            Keys::Bytes(keys) => keys.len() as u64,
        }
    }

    /// Hashes all keys, chunk by chunk, and adds up what `count` says of each chunk.
    pub(super) fn count_hashed(
        &self,
        hasher: &Hasher,
        digests: &mut Vec<Digest>,
        count: impl Fn(&[Digest]) -> u64,
    ) -> u64 {
        let mut hits = 0;
        match &self.keys {
            Keys::Integers(keys) => {
                for chunk in keys.chunks(CHUNK as usize) {
                    digests.clear();
                    hasher.u64_batch(chunk.iter().copied(), digests);
                    hits += count(digests);
                }
            }
            Keys::Bytes(keys) => {
                for chunk in keys.chunks(CHUNK as usize) {
                    digests.clear();
                    // A family that takes no bytes leaves no digests, and the count tells.
                    let _ = hasher.bytes_batch(chunk.iter(), digests);
                    hits += count(digests);
                }
            }
        }
        hits
    }
}
