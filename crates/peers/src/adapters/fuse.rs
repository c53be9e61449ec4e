//! Xor and binary fuse filters: `xorf`, `jdb_xorf`, `xorfilter-rs`.

use ::xor::{Layout, Segments};
use amq::{BuildError, Digest, Prediction, Space};

use crate::models::fixed::{Fixed, FixedParams, Size, check_keys, exact};
use crate::peer::{Built, KeepsMembers, Published};

/// Fingerprints of `W` bits in the published layout of three segments, and `HEADER` bits that the crate counts beside.
pub struct Segmented<const W: u32, const HEADER: u64 = 0>;

impl<const W: u32, const HEADER: u64> Size for Segmented<W, HEADER> {
    const WIDTH: u32 = W;
    const MAX_KEYS: u64 = 1_000_000_000;

    fn bits(keys: u64) -> u64 {
        Segments::<3>::published_cells(keys) * u64::from(W) + HEADER
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

macro_rules! xorf_fuse {
    ($(#[$doc:meta])* $name:ident, $filter:ident, $width:literal) => {
        $(#[$doc])*
        pub struct $name(xorf::$filter);

        impl Published for $name {
            type Model = Fixed<Segmented<$width>>;

            #[inline]
            fn contains(&self, key: u64) -> bool {
                xorf::Filter::contains(&self.0, &key)
            }

            fn space(&self) -> Space {
                cells(self.0.fingerprints.len(), $width)
            }
        }

        impl Built for $name {
            fn build(_params: &FixedParams, _seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
                check_keys(keys.len() as u64, Segmented::<$width>::MAX_KEYS)?;
                let built = xorf::$filter::try_from_iterator(keys.iter().map(|key| key.0));
                built.map(Self).map_err(|_| failed(keys, 1000))
            }
        }

        impl KeepsMembers for $name {}
    };
}

xorf_fuse! {
    /// `xorf`, binary fuse of 8 bits.
    XorfBinaryFuse8, BinaryFuse8, 8
}
xorf_fuse! {
    /// `xorf`, binary fuse of 16 bits.
    XorfBinaryFuse16, BinaryFuse16, 16
}

/// Fingerprints of 8 bits in three blocks: `floor(1.23 n) + 32` cells, rounded down to a multiple of 3.
pub struct Blocks;

impl Size for Blocks {
    const WIDTH: u32 = 8;
    const MAX_KEYS: u64 = 1_000_000_000;

    fn bits(keys: u64) -> u64 {
        ((1.23 * keys as f64) as u64 + 32) / 3 * 3 * 8
    }

    fn prediction(rate: f64, keys: u64) -> Prediction {
        exact(rate, keys)
    }
}

/// `xorf`, xor filter of 8 bits. It does not end on duplicates.
pub struct XorfXor8(xorf::Xor8);

impl Published for XorfXor8 {
    type Model = Fixed<Blocks>;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        xorf::Filter::contains(&self.0, &key)
    }

    fn space(&self) -> Space {
        cells(self.0.fingerprints.len(), 8)
    }
}

impl Built for XorfXor8 {
    fn build(_params: &FixedParams, _seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        check_keys(keys.len() as u64, Blocks::MAX_KEYS)?;
        Ok(Self(xorf::Xor8::from_iterator(keys.iter().map(|key| key.0))))
    }
}

impl KeepsMembers for XorfXor8 {}

/// `xorfilter-rs`, binary fuse of 8 bits, from finished digests, which it mixes.
pub struct XorfilterRsFuse8(xorfilter::Fuse8<xorfilter::NoHash>);

impl Published for XorfilterRsFuse8 {
    type Model = Fixed<Segmented<8>>;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains_key(key)
    }

    fn space(&self) -> Space {
        cells(self.0.finger_prints.len(), 8)
    }
}

impl Built for XorfilterRsFuse8 {
    fn build(_params: &FixedParams, _seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        check_keys(keys.len() as u64, Segmented::<8>::MAX_KEYS)?;
        let words: Vec<u64> = keys.iter().map(|key| key.0).collect();
        let mut filter = xorfilter::Fuse8::new(words.len() as u32);
        filter.build_keys(&words).map_err(|_| failed(keys, 101))?;
        Ok(Self(filter))
    }
}

impl KeepsMembers for XorfilterRsFuse8 {}

/// With a descriptor of 24 bytes.
type Described = Segmented<8, 192>;

/// `jdb_xorf`, binary fuse of 8 bits.
pub struct JdbXorfBf8(jdb_xorf::Bf8);

impl Published for JdbXorfBf8 {
    type Model = Fixed<Described>;

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
        check_keys(keys.len() as u64, Described::MAX_KEYS)?;
        // The crate wants a slice of words.
        let words: Vec<u64> = keys.iter().map(|key| key.0).collect();
        jdb_xorf::Bf8::try_from_slice(words).map(Self).map_err(|_| failed(keys, 1000))
    }
}

impl KeepsMembers for JdbXorfBf8 {}
