//! Keys from the user's own files.

use std::ops::Range;
use std::path::{Path, PathBuf};

use ahash::{HashSet, HashSetExt};
use amq::Digest;
use hashing::mix::mix64;
use hashing::{Hasher, KeyKind};

use crate::error::HarnessError;

/// Distinct keys in the order they were read.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Keys {
    Integers(Vec<u64>),
    Bytes { text: Vec<u8>, ends: Vec<usize> },
}

impl Keys {
    fn len(&self) -> usize {
        match self {
            Keys::Integers(keys) => keys.len(),
            Keys::Bytes { ends, .. } => ends.len(),
        }
    }

    fn bytes(&self, index: usize) -> &[u8] {
        match self {
            Keys::Integers(_) => &[],
            Keys::Bytes { text, ends } => &text[if index == 0 { 0 } else { ends[index - 1] }..ends[index]],
        }
    }

    fn digests(&self, indices: Range<u64>, hasher: &Hasher, out: &mut Vec<Digest>) -> Result<(), HarnessError> {
        let indices = indices.start as usize..(indices.end as usize).min(self.len());
        match self {
            Keys::Integers(keys) => hasher.u64_batch(keys[indices].iter().copied(), out),
            Keys::Bytes { .. } => hasher
                .bytes_batch(indices.map(|index| self.bytes(index)), out)
                .map_err(|error| HarnessError::Usage(error.to_string()))?,
        }
        Ok(())
    }
}

/// What was left out of a file, to be reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Keys that stood in the file before.
    pub duplicates: u64,
    /// Empty lines.
    pub empty_lines: u64,
    /// Absent keys that are members.
    pub members: u64,
}

/// The keys of a file, and the absent ones of a second file if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFile {
    path: PathBuf,
    members: Keys,
    absent: Option<Keys>,
    /// What was left out of the file of members.
    pub left_out: LeftOut,
    /// What was left out of the file of absent keys.
    pub absent_left_out: LeftOut,
}

impl KeyFile {
    /// Reads one key a line (any bytes), or raw little-endian `u64` from a file named `*.u64`.
    ///
    /// # Errors
    /// [`HarnessError::Usage`] for a file that is missing, unreadable, without a key, of a length that is no
    /// multiple of 8, or two files of different kinds.
    pub fn read(path: &Path, absent: Option<&Path>) -> Result<Self, HarnessError> {
        let mut known = HashSet::new();
        let (members, left_out) = read_keys(path, |key| known.insert(key.to_vec()))?;
        if members.len() == 0 {
            return Err(HarnessError::Usage(format!("{}: no key in the file: give one key a line", path.display())));
        }
        let mut file =
            Self { path: path.to_owned(), members, absent: None, left_out, absent_left_out: LeftOut::default() };
        if let Some(path) = absent {
            let mut seen = HashSet::new();
            let mut inside = 0;
            let (keys, mut left_out) = read_keys(path, |key| {
                let member = known.contains(key);
                inside += u64::from(member);
                !member && seen.insert(key.to_vec())
            })?;
            left_out.duplicates -= inside;
            left_out.members = inside;
            if keys.len() == 0 {
                return Err(HarnessError::Usage(format!("{}: no key that is not a member", path.display())));
            }
            if matches!(keys, Keys::Integers(_)) != matches!(file.members, Keys::Integers(_)) {
                return Err(HarnessError::Usage(format!(
                    "{} and {}: one holds raw u64 keys and the other lines; give two files of one kind",
                    file.path.display(),
                    path.display()
                )));
            }
            (file.absent, file.absent_left_out) = (Some(keys), left_out);
        }
        Ok(file)
    }

    /// Integers or bytes.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        if matches!(self.members, Keys::Integers(_)) { KeyKind::Integer } else { KeyKind::Bytes }
    }

    /// Distinct members.
    #[must_use]
    pub fn members(&self) -> u64 {
        self.members.len() as u64
    }

    /// Distinct absent keys; `None` when they are made up, without limit.
    #[must_use]
    pub fn absent(&self) -> Option<u64> {
        self.absent.as_ref().map(|keys| keys.len() as u64)
    }

    pub(crate) fn member_digests(
        &self,
        indices: Range<u64>,
        hasher: &Hasher,
        out: &mut Vec<Digest>,
    ) -> Result<(), HarnessError> {
        self.members.digests(indices, hasher, out)
    }

    pub(crate) fn absent_digests(
        &self,
        indices: Range<u64>,
        seed: u64,
        hasher: &Hasher,
        out: &mut Vec<Digest>,
    ) -> Result<(), HarnessError> {
        if let Some(absent) = &self.absent {
            return absent.digests(indices, hasher, out);
        }
        // Made up: 16 random bytes, or a random integer. The odds that one is a member of a file of 10^9 keys
        // are 5e-11 for integers (checked by sample before a run) and nothing for bytes.
        let random = |index: u64| mix64(mix64(seed ^ 0x5eed).wrapping_add(index));
        match self.members {
            Keys::Integers(_) => hasher.u64_batch(indices.map(random), out),
            Keys::Bytes { .. } => hasher
                .bytes_batch(indices.map(|index| format!("{:016x}{:016x}", random(index), index)), out)
                .map_err(|error| HarnessError::Usage(error.to_string()))?,
        }
        Ok(())
    }
}

fn read_keys(path: &Path, mut is_new: impl FnMut(&[u8]) -> bool) -> Result<(Keys, LeftOut), HarnessError> {
    let content = std::fs::read(path)
        .map_err(|error| HarnessError::Usage(format!("{}: cannot read: {error}", path.display())))?;
    let mut left_out = LeftOut::default();
    if path.extension().is_some_and(|extension| extension == "u64") {
        if content.len() % 8 != 0 {
            return Err(HarnessError::Usage(format!(
                "{}: {} bytes are no whole number of 8-byte keys",
                path.display(),
                content.len()
            )));
        }
        let mut keys = Vec::with_capacity(content.len() / 8);
        for key in content.as_chunks::<8>().0 {
            if is_new(key) {
                keys.push(u64::from_le_bytes(*key));
            } else {
                left_out.duplicates += 1;
            }
        }
        return Ok((Keys::Integers(keys), left_out));
    }
    let (mut text, mut ends) = (Vec::with_capacity(content.len()), Vec::new());
    let body = content.strip_suffix(b"\n").unwrap_or(&content);
    for line in body.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            left_out.empty_lines += 1;
        } else if is_new(line) {
            text.extend_from_slice(line);
            ends.push(text.len());
        } else {
            left_out.duplicates += 1;
        }
    }
    Ok((Keys::Bytes { text, ends }, left_out))
}
