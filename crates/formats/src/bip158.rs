//! The block filter of Bitcoin's BIP 158: a Golomb-coded set.
//!
//! ```text
//!  CompactSize N │ N Golomb-Rice codes, P = 19: differences of the sorted values │ zeros up to a byte
//! ```
//!
//! The value of an item is `SipHash-2-4(key, item) N M >> 64` with `M = 784,931`: uniform below `N M`. An absent item has the
//! value of one of the `N` with probability about `1/M`. The key is not in the bytes: for a block it is the first 16 bytes of
//! its hash in the order of the protocol, which is the reverse of how hashes are printed.
//!
//! # Parameters
//! | name | unit | range |
//! |---|---|---|
//! | `N` | items | 0 to 2^32 - 1 |
//!
//! # Space
//! Static: `P + 1 + 1/(e^(2^P/M) - 1)` = 21.05 bits for each item where there are many, against `lg M` = 19.58 of the bound. A
//! query reads the codes one by one up to its value.
//!
//! # Source
//! BIP 158 (O. Osuntokun, A. Akselrod, 2017). Departures: bytes with a value beyond `N M` or with padding that is not zero are
//! refused; no writer makes them.

use amq::InvalidParams;
use siphasher::sip::SipHasher24;

use crate::cursor::{Cursor, push_compact_size};
use crate::error::Damage;
use crate::golomb::{BitReader, BitWriter};
use crate::wire::{Format, Wire, check_range, copied, room};

/// Bits of remainder, `P`.
pub const P: u32 = 19;

/// An absent item is found with a probability of about `1/M`.
pub const M: u64 = 784_931;

/// The most items.
pub const MOST_ITEMS: u64 = u32::MAX as u64;

/// A key of SipHash-2-4.
pub type Key = [u8; 16];

/// A BIP 158 filter. It holds the codes as they are sent; [`contains`](Self::contains) needs the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GolombSet {
    count: u64,
    codes: Vec<u8>,
}

/// The key of a block, from its hash in the order of the protocol.
#[must_use]
pub fn block_key(hash: &[u8; 32]) -> Key {
    let mut key = [0; 16];
    key.copy_from_slice(&hash[..16]);
    key
}

impl GolombSet {
    /// The set of `items`; equal ones count once.
    ///
    /// # Errors
    /// [`InvalidParams`] for more than 2^32 - 1 items and memory that cannot be had.
    pub fn build(key: &Key, items: &[impl AsRef<[u8]>]) -> Result<Self, InvalidParams> {
        let mut distinct = room(items.len() as u64)?;
        distinct.extend(items.iter().map(AsRef::as_ref));
        distinct.sort_unstable();
        distinct.dedup();
        let count = distinct.len() as u64;
        check_range("items", count, 0..=MOST_ITEMS, "0 to 2^32 - 1 distinct items")?;
        let mut values = room(count)?;
        let value = Values::new(key, count);
        values.extend(distinct.into_iter().map(|item| value.of(item)));
        values.sort_unstable();
        // `P + 1` bits for each value, and at most `N M / 2^P` = 1.497 N ones in all.
        let mut writer = BitWriter::after(room((22 * count).div_ceil(8))?);
        let mut last = 0;
        for value in values {
            writer.push_rice(value - last, P);
            last = value;
        }
        Ok(Self { count, codes: writer.into_bytes() })
    }

    /// Whether `item` may be in the set, which was built under `key`.
    #[must_use]
    pub fn contains(&self, key: &Key, item: &[u8]) -> bool {
        let wanted = Values::new(key, self.count).of(item);
        self.values().find(|value| *value >= wanted) == Some(wanted)
    }

    /// Whether any of `items` may be in the set, in one pass over the codes.
    #[must_use]
    pub fn contains_any(&self, key: &Key, items: &[impl AsRef<[u8]>]) -> bool {
        let value = Values::new(key, self.count);
        let mut wanted: Vec<u64> = items.iter().map(|item| value.of(item.as_ref())).collect();
        wanted.sort_unstable();
        let mut values = self.values().peekable();
        wanted.into_iter().any(|wanted| {
            while values.next_if(|value| *value < wanted).is_some() {}
            values.peek() == Some(&wanted)
        })
    }

    /// Items, `N`.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The values, from the lowest on.
    pub fn values(&self) -> impl Iterator<Item = u64> + '_ {
        let mut reader = BitReader::new(&self.codes);
        let mut last = 0;
        (0..self.count).map_while(move |_| {
            // Below `N M`, as was checked when the codes were read or written.
            last += reader.take_rice(P)?;
            Some(last)
        })
    }

    /// The codes without `N`.
    #[must_use]
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }
}

/// From items to values.
struct Values {
    hasher: SipHasher24,
    range: u64,
}

impl Values {
    fn new(key: &Key, count: u64) -> Self {
        Self { hasher: SipHasher24::new_with_key(key), range: range(count) }
    }

    fn of(&self, item: &[u8]) -> u64 {
        ((u128::from(self.hasher.hash(item)) * u128::from(self.range)) >> 64) as u64
    }
}

/// `N M`, below 2^52.
fn range(count: u64) -> u64 {
    count * M
}

impl Wire for GolombSet {
    const FORMAT: Format = Format::Bip158;

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.codes.len() + 9);
        push_compact_size(&mut out, self.count);
        out.extend(&self.codes);
        out
    }

    fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let mut cursor = Cursor::new(bytes);
        let count = cursor.compact_size("N")?;
        check_range("N", count, 0..=MOST_ITEMS, "0 to 2^32 - 1 items")?;
        let codes = cursor.rest();
        let (needed, had) = ((count * u64::from(P + 1)).div_ceil(8), codes.len() as u64);
        if needed > had {
            return Err(Damage::Lie { field: "N", value: count, needed, had });
        }
        let (mut reader, mut last, range) = (BitReader::new(codes), 0u64, range(count));
        for at in 0..count {
            let step = reader.take_rice(P).ok_or(Damage::Values { at, count })?;
            last = last.saturating_add(step);
            if last >= range {
                return Err(Damage::ValueRange { at, value: last, range });
            }
        }
        let left = reader.left();
        if left >= 8 {
            return Err(Damage::Trailing { end: bytes.len() as u64 - left / 8, extra: left / 8 });
        }
        match reader.take(left as u32) {
            Some(0) | None => Ok(Self { count, codes: copied(codes)? }),
            Some(found) => Err(Damage::Padding { bits: left as u32, found: found as u8 }),
        }
    }

    fn summary(&self) -> String {
        let bits = 8.0 * self.codes.len() as f64 / self.count.max(1) as f64;
        format!(
            "Bitcoin BIP 158 filter (Golomb-coded set, P = {P}, M = {M}): {} items in {} bytes of codes, {bits:.1} bits an \
             item. To ask it takes the key, the first 16 bytes of the block's hash, which is not in the bytes.",
            self.count,
            self.codes.len(),
        )
    }
}
