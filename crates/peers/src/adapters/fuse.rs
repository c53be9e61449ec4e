//! Xor and binary fuse filters: `xorf`, `jdb_xorf`.

use ::xor::{Layout, Segments};
use amq::{BuildError, Digest, Prediction, Space};

use crate::models::fixed::{Fixed, FixedParams, Size, check_keys, exact};
use crate::peer::{Built, KeepsMembers, Published};

/// Fingerprints of `W` bits in the published layout of three segments.
pub struct Segmented<const W: u32>;

impl<const W: u32> Size for Segmented<W> {
    const WIDTH: u32 = W;
    const MAX_KEYS: u64 = 1_000_000_000;

    fn bits(keys: u64) -> u64 {
        Segments::<3>::published_cells(keys) * u64::from(W)
    }

    fn prediction(rate: f64, keys: u64) -> Prediction {
        exact(rate, keys)
    }
}

/// What the crate's error means: the cause is duplicates, or a great misfortune.
fn failed(keys: &[Digest], tries: u32) -> BuildError {
    BuildError::Unbuildable { keys: keys.len() as u64, tries }
}

fn cells(cells: usize, width: u64) -> Space {
    Space { payload_bits: cells as u64 * width, overhead_bits: 0 }
}

/// `xorf`, binary fuse of 8 bits.
pub struct XorfBinaryFuse8(xorf::BinaryFuse8);

impl Published for XorfBinaryFuse8 {
    type Model = Fixed<Segmented<8>>;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        xorf::Filter::contains(&self.0, &key)
    }

    fn space(&self) -> Space {
        cells(self.0.fingerprints.len(), 8)
    }
}

impl Built for XorfBinaryFuse8 {
    fn build(_params: &FixedParams, _seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        check_keys(keys.len() as u64, Segmented::<8>::MAX_KEYS)?;
        let built = xorf::BinaryFuse8::try_from_iterator(keys.iter().map(|key| key.0));
        built.map(Self).map_err(|_| failed(keys, 1000))
    }
}

impl KeepsMembers for XorfBinaryFuse8 {}

/// `jdb_xorf`, binary fuse of 8 bits.
pub struct JdbXorfBf8(jdb_xorf::Bf8);

impl Published for JdbXorfBf8 {
    type Model = Fixed<Segmented<8>>;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.has_key(key)
    }

    /// The crate counts its descriptor, and allocates nothing else for no keys.
    fn space(&self) -> Space {
        let payload_bits = 8 * self.0.fingerprints.len() as u64;
        Space { payload_bits, overhead_bits: self.0.bits() as u64 - payload_bits }
    }
}

impl Built for JdbXorfBf8 {
    fn build(_params: &FixedParams, _seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        check_keys(keys.len() as u64, Segmented::<8>::MAX_KEYS)?;
        // The crate wants a slice of words.
        let words: Vec<u64> = keys.iter().map(|key| key.0).collect();
        jdb_xorf::Bf8::try_from_slice(words).map(Self).map_err(|_| failed(keys, 1000))
    }
}

impl KeepsMembers for JdbXorfBf8 {}
