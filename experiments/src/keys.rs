//! Keys: what goes in, and what is asked that did not go in.
//!
//! A [`KeySet`] needs no array: its keys are functions of an index, the members `0..n` and the absent keys
//! beyond, all distinct by construction (a bijection of the counter) and checked by sample before a run.

use std::fmt;
use std::io::Write as _;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use ahash::{HashSet, HashSetExt};
use amq::Digest;
use hashing::mix::mix64;
use hashing::{Hasher, KeyKind};

use crate::error::{HarnessError, nearest};
use crate::key_file::KeyFile;

/// Digests in chunks.
pub trait DigestSource {
    /// The next chunk; `None` at the end. Chunks are never empty.
    fn next_chunk(&mut self) -> Option<&[Digest]>;

    /// All chunks at once, where they stand in memory side by side and none was taken yet; they are then taken.
    fn all(&mut self) -> Option<&[Digest]> {
        None
    }
}

/// One chunk.
pub struct Once<'a>(Option<&'a [Digest]>);

impl<'a> Once<'a> {
    /// All of `digests` at once.
    #[must_use]
    pub fn new(digests: &'a [Digest]) -> Self {
        Self(Some(digests).filter(|digests| !digests.is_empty()))
    }
}

impl DigestSource for Once<'_> {
    fn next_chunk(&mut self) -> Option<&[Digest]> {
        self.0.take()
    }

    fn all(&mut self) -> Option<&[Digest]> {
        self.0.take()
    }
}

/// Keys in one chunk: large enough to hide the call, small enough for the L1 cache.
pub const CHUNK: u64 = 2048;

/// What keys look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Random 64-bit integers: a bijection of a counter.
    Random,
    /// Consecutive integers.
    Sequential,
    /// Consecutive integers with their bytes in big-endian order.
    BigEndian,
    /// An arithmetic progression of integers with step 65,536.
    Arithmetic,
    /// Look-alike addresses of about 40 bytes that differ in a number.
    Text,
    /// The letter K and a number.
    ShortText,
    /// Random keys of exactly 40 bytes.
    Bytes40,
    /// Keys of a file; the absent ones from a second file, or made up.
    File(Arc<KeyFile>),
}

impl Workload {
    /// The names of the generated workloads.
    pub const NAMES: [&'static str; 7] =
        ["random", "sequential", "big-endian", "arithmetic", "text", "short-text", "bytes-40"];

    /// Integers or bytes.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        match self {
            Workload::Random | Workload::Sequential | Workload::BigEndian | Workload::Arithmetic => KeyKind::Integer,
            Workload::Text | Workload::ShortText | Workload::Bytes40 => KeyKind::Bytes,
            Workload::File(file) => file.kind(),
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Workload::Random => "random",
            Workload::Sequential => "sequential",
            Workload::BigEndian => "big-endian",
            Workload::Arithmetic => "arithmetic",
            Workload::Text => "text",
            Workload::ShortText => "short-text",
            Workload::Bytes40 => "bytes-40",
            Workload::File(_) => "file",
        })
    }
}

impl FromStr for Workload {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "random" => Workload::Random,
            "sequential" => Workload::Sequential,
            "big-endian" => Workload::BigEndian,
            "arithmetic" => Workload::Arithmetic,
            "text" => Workload::Text,
            "short-text" => Workload::ShortText,
            "bytes-40" => Workload::Bytes40,
            _ => {
                let near = nearest(name, Self::NAMES).unwrap_or("random");
                return Err(format!(
                    "unknown workload `{name}`, nearest is `{near}`; known: {}",
                    Self::NAMES.join(", ")
                ));
            }
        })
    }
}

/// A short key of bytes.
#[derive(Clone, Copy)]
struct ShortKey {
    bytes: [u8; 64],
    len: usize,
}

impl AsRef<[u8]> for ShortKey {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The members and the absent keys of one filter.
#[derive(Clone, Debug)]
pub struct KeySet {
    workload: Workload,
    members: u64,
    seed: u64,
}

impl KeySet {
    /// `members` keys of `workload`; each seed gives other keys (a file gives the same ones).
    #[must_use]
    pub fn new(workload: Workload, members: u64, seed: u64) -> Self {
        Self { workload, members, seed }
    }

    /// The number of members.
    #[must_use]
    pub fn members(&self) -> u64 {
        self.members
    }

    /// The workload.
    #[must_use]
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// Appends the digests of the members of these indices (below [`members`](Self::members)).
    ///
    /// # Errors
    /// [`HarnessError::Usage`] when the hash family takes integers only and the keys are bytes.
    pub fn member_digests(
        &self,
        indices: Range<u64>,
        hasher: &Hasher,
        out: &mut Vec<Digest>,
    ) -> Result<(), HarnessError> {
        match &self.workload {
            Workload::File(file) => file.member_digests(indices, hasher, out),
            _ => self.generate(indices, hasher, out),
        }
    }

    /// Appends the digests of the absent keys of these indices.
    ///
    /// # Errors
    /// As [`member_digests`](Self::member_digests).
    pub fn absent_digests(
        &self,
        indices: Range<u64>,
        hasher: &Hasher,
        out: &mut Vec<Digest>,
    ) -> Result<(), HarnessError> {
        match &self.workload {
            Workload::File(file) => file.absent_digests(indices, self.seed, hasher, out),
            _ => self.generate(self.members + indices.start..self.members + indices.end, hasher, out),
        }
    }

    /// The digests of all members, chunk by chunk.
    #[must_use]
    pub fn source<'a>(&'a self, hasher: &'a Hasher) -> MemberSource<'a> {
        MemberSource { keys: self, hasher, next: 0, chunk: Vec::new(), error: None }
    }

    fn generate(&self, indices: Range<u64>, hasher: &Hasher, out: &mut Vec<Digest>) -> Result<(), HarnessError> {
        // Every filter has keys of its own: another stretch of integers, another part of the bijection.
        let first = self.seed >> 24;
        match self.workload {
            Workload::Random => hasher.u64_batch(indices.map(|index| mix64(self.seed.wrapping_add(index))), out),
            Workload::Sequential => hasher.u64_batch(indices.map(|index| first + index), out),
            Workload::BigEndian => hasher.u64_batch(indices.map(|index| (first + index).swap_bytes()), out),
            Workload::Arithmetic => hasher.u64_batch(indices.map(|index| (first + index) << 16), out),
            Workload::Text | Workload::ShortText | Workload::Bytes40 | Workload::File(_) => {
                return hasher.bytes_batch(indices.map(|index| self.bytes(index)), out).map_err(|error| {
                    HarnessError::Usage(format!("workload {} has keys of bytes: {error}", self.workload))
                });
            }
        }
        Ok(())
    }

    /// The key of an index, where keys are generated integers (members first, then absent ones).
    #[must_use]
    pub fn integer(&self, index: u64) -> Option<u64> {
        // The identity makes the key its own digest.
        let mut digests = Vec::new();
        let identity = Hasher::new(hashing::Family::Identity, 0);
        let generated = self.workload.kind() == KeyKind::Integer && !matches!(self.workload, Workload::File(_));
        (generated && self.generate(index..index + 1, &identity, &mut digests).is_ok()).then(|| digests[0].0)
    }

    /// The key of an index, where keys are generated and have 40 bytes.
    #[must_use]
    pub fn array(&self, index: u64) -> Option<[u8; 40]> {
        (self.workload == Workload::Bytes40).then(|| self.bytes(index)).and_then(|key| key.as_ref().try_into().ok())
    }

    fn bytes(&self, index: u64) -> ShortKey {
        let mut key = ShortKey { bytes: [0; 64], len: 0 };
        let number = (self.seed >> 24) + index;
        let mut rest = &mut key.bytes[..];
        // The buffer holds the longest text with any 64-bit number, so writing cannot fail.
        let _ = match self.workload {
            Workload::Text => write!(rest, "https://example.org/items/{number}/details.html"),
            Workload::ShortText => write!(rest, "K{number}"),
            _ => {
                let words = (0..5).map(|word| mix64(self.seed.wrapping_add(index)).wrapping_add(word * index));
                words.map(u64::to_le_bytes).try_for_each(|word| rest.write_all(&word))
            }
        };
        key.len = 64 - rest.len();
        key
    }

    /// Checks on the first keys that members are distinct and that no absent key is a member (a workload
    /// that repeats itself makes every rate a lie).
    ///
    /// # Errors
    /// [`HarnessError::Failed`] with the first repetition.
    pub fn check(&self, hasher: &Hasher, members: u64, absent: u64) -> Result<(), HarnessError> {
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        self.member_digests(0..members.min(self.members), hasher, &mut inside)?;
        self.absent_digests(0..absent, hasher, &mut outside)?;
        check_digests(&inside, &outside)
            .map_err(|why| HarnessError::Failed(format!("workload {}: {why}", self.workload)))
    }
}

/// That members are distinct and absent keys are none of them; the message names the first that is not.
fn check_digests(members: &[Digest], absent: &[Digest]) -> Result<(), String> {
    let mut seen = HashSet::with_capacity(members.len());
    if let Some(index) = members.iter().position(|digest| !seen.insert(digest.0)) {
        return Err(format!("it repeats itself: key {index} of {} was there before", members.len()));
    }
    match absent.iter().position(|digest| seen.contains(&digest.0)) {
        Some(index) => Err(format!("absent key {index} is one of the {} members", members.len())),
        None => Ok(()),
    }
}

/// The members of a key set, chunk by chunk.
pub struct MemberSource<'a> {
    keys: &'a KeySet,
    hasher: &'a Hasher,
    next: u64,
    chunk: Vec<Digest>,
    error: Option<HarnessError>,
}

impl MemberSource<'_> {
    /// The error that ended the stream early, if one did.
    ///
    /// # Errors
    /// That error.
    pub fn finish(self) -> Result<(), HarnessError> {
        self.error.map_or(Ok(()), Err)
    }
}

impl DigestSource for MemberSource<'_> {
    fn next_chunk(&mut self) -> Option<&[Digest]> {
        let end = (self.next + CHUNK).min(self.keys.members);
        if self.next == end || self.error.is_some() {
            return None;
        }
        self.chunk.clear();
        if let Err(error) = self.keys.member_digests(self.next..end, self.hasher, &mut self.chunk) {
            self.error = Some(error);
            return None;
        }
        self.next = end;
        Some(&self.chunk)
    }
}

#[cfg(test)]
mod tests {
    use hashing::Family;

    use super::*;

    #[test]
    fn generated_keys_are_distinct_and_absent_keys_are_absent() {
        for name in Workload::NAMES {
            let workload: Workload = name.parse().unwrap();
            assert_eq!(workload.to_string(), name);
            let family = if workload.kind() == KeyKind::Bytes { Family::Xxh3 } else { Family::Mixer };
            for seed in [0, 1, u64::MAX] {
                let keys = KeySet::new(workload.clone(), 50_000, seed);
                keys.check(&Hasher::new(family, 7), 50_000, 50_000).unwrap();
            }
        }
    }

    #[test]
    fn the_source_gives_every_member_once_in_order() {
        let keys = KeySet::new(Workload::Random, 3 * CHUNK + 5, 9);
        let hasher = Hasher::new(Family::Mixer, 1);
        let mut all = Vec::new();
        keys.member_digests(0..keys.members(), &hasher, &mut all).unwrap();
        let mut streamed = Vec::new();
        let mut source = keys.source(&hasher);
        while let Some(chunk) = source.next_chunk() {
            streamed.extend_from_slice(chunk);
        }
        assert_eq!(streamed, all);
    }

    #[test]
    fn keys_of_40_bytes_have_40_bytes() {
        let keys = KeySet::new(Workload::Bytes40, 10, 3);
        assert_eq!(keys.bytes(5).as_ref().len(), 40);
        let text = KeySet::new(Workload::Text, 10, u64::MAX);
        assert!(text.bytes(u64::from(u32::MAX)).as_ref().ends_with(b".html"));
    }

    #[test]
    fn an_integer_family_refuses_keys_of_bytes() {
        let keys = KeySet::new(Workload::Text, 10, 0);
        let error = keys.check(&Hasher::new(Family::Tabulation, 0), 10, 10).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("text"), "{error}");
    }

    /// HAND-38: a workload that repeats itself stops the run. Past 1,114,111 every counter becomes the same
    /// replacement character.
    #[test]
    fn hand_38_repetition_is_found() {
        let hasher = Hasher::new(Family::Xxh3, 0);
        let digest = |counter: u32| {
            let letter = char::from_u32(counter).unwrap_or(char::REPLACEMENT_CHARACTER);
            hasher.bytes(letter.to_string().as_bytes()).unwrap()
        };
        let members: Vec<Digest> = (0..1_200_000).map(digest).collect();
        let error = check_digests(&members, &[]).unwrap_err();
        assert!(error.contains("repeats itself"), "{error}");
        let error = check_digests(&members[..1000], &[digest(5000), digest(999)]).unwrap_err();
        assert!(error.contains("absent key 1 is one of the 1000 members"), "{error}");
    }
}
