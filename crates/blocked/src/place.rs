//! Where a key goes: its block, and the word that its positions come from.

use amq::Digest;
use hashing::derive::{MultiplyShift, Reduction};
use hashing::mix::{fold_multiply, mix64};

/// The words of a seed. Block and positions come from two mixings with words of their own, so that keys of one block
/// have independent positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    block: (u64, u64),
    inner: (u64, u64),
}

impl Place {
    pub(crate) fn new(seed: u64) -> Self {
        let pair = |stream: u64| (mix64(seed ^ mix64(stream)), mix64(seed ^ mix64(stream + 1)) | 1);
        Self { block: pair(0xb10c), inner: pair(0x1a7e) }
    }

    /// The block of a key, among `blocks`.
    #[inline]
    pub(crate) fn block(&self, key: Digest, blocks: u64) -> u64 {
        MultiplyShift::leave(fold_multiply(key.0 ^ self.block.0, self.block.1), blocks)
    }

    /// The word of a key.
    #[inline]
    pub(crate) fn inner(&self, key: Digest) -> u64 {
        fold_multiply(key.0 ^ self.inner.0, self.inner.1)
    }
}
