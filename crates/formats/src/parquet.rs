//! The split-block Bloom filter of Apache Parquet, as it stands in a file: header and bitset.
//!
//! ```text
//!  BloomFilterHeader, Thrift compact:  15 numBytes (zigzag varint) │ 1c 1c 00 00 algorithm: 1, split block
//!                                      1c 1c 00 00 hash: 1, XXH64  │ 1c 1c 00 00 compression: 1, none │ 00
//!  numBytes bytes:  blocks of 8 words of 32 bits, little-endian
//! ```
//!
//! An item is a value in the plain encoding of its column: a text or byte array its bytes without a length, a number its
//! little-endian bytes. With `h = XXH64(item, seed 0)` the block is `(h >> 32) blocks >> 32`, and the bit in word `i` is
//! `low(h) SALT[i] mod 2^32 >> 27`.
//!
//! # Parameters
//! | name | unit | range |
//! |---|---|---|
//! | `numBytes` | bytes | 32 to 2^31 - 32, in steps of 32 |
//!
//! Some readers take less: Arrow C++ wants a power of two from 32 bytes to 128 MiB, and [`ParquetBloom::for_items`] makes
//! such sizes only.
//!
//! # Source
//! Apache Parquet format, `BloomFilter.md` and `parquet.thrift`. Departure: a header that is valid Thrift but not written so
//! (fields in another order, unknown fields, long forms) is refused, because it could not be written again as it came.

use amq::{InvalidParams, Theory};
use blocked::SplitBlock;
use xxhash_rust::xxh64::xxh64;

use crate::cursor::Cursor;
use crate::error::Damage;
use crate::wire::{Format, Wire, check_plan, check_range, fill, room};

/// Bytes of a block.
pub const BLOCK: u64 = 32;

/// The most bytes: blocks within what a signed number of 32 bits can say.
pub const MOST_BYTES: u64 = i32::MAX as u64 / BLOCK * BLOCK;

/// The most bytes that [`ParquetBloom::for_items`] takes, 128 MiB: more is refused by Arrow C++.
pub const MOST_SHARED_BYTES: u64 = 128 << 20;

/// One multiplier for each word of a block.
const SALT: [u32; 8] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// Fields of the header after the first, each a union that holds an empty struct.
const UNIONS: [(&str, &str); 3] =
    [("algorithm", "1 (split block)"), ("hash", "1 (XXH64)"), ("compression", "1 (uncompressed)")];

/// Thrift compact: the next field, of type i32; the next field, of type struct; the end of a struct.
const NEXT_I32: u8 = 0x15;
const NEXT_STRUCT: u8 = 0x1c;
const STOP: u8 = 0;

/// A Parquet split-block Bloom filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParquetBloom {
    blocks: Vec<[u32; 8]>,
}

impl ParquetBloom {
    /// An empty filter of `bytes` bytes, a multiple of 32.
    ///
    /// # Errors
    /// [`InvalidParams`] for a number out of range and memory that cannot be had.
    pub fn new(bytes: u64) -> Result<Self, InvalidParams> {
        let blocks = check_bytes(bytes)?;
        let mut vector = room(blocks)?;
        vector.resize(blocks as usize, [0; 8]);
        Ok(Self { blocks: vector })
    }

    /// An empty filter for `items` distinct items at a false-positive rate of at most `rate`, in a power of two of bytes, as
    /// writers do.
    ///
    /// The formula of the format's page, `-8 n / ln(1 - p^(1/8))` bits, leaves out that blocks are loaded unevenly: for 1 % it
    /// gives 9.68 bits an item, which have 1.46 %. The size here is that of [`SplitBlock`], whose theory counts it in.
    ///
    /// # Errors
    /// [`InvalidParams`] for a rate outside `(0, 1)`, and for one that takes more than 128 MiB.
    pub fn for_items(items: u64, rate: f64) -> Result<Self, InvalidParams> {
        check_plan(rate)?;
        let blocks = SplitBlock::<32>::size_for_fpr(items, rate)?.blocks;
        let bytes = blocks.saturating_mul(BLOCK);
        if bytes > MOST_SHARED_BYTES {
            let why = "more than 128 MiB, which readers refuse; use fewer items or a higher rate";
            return Err(InvalidParams::Unreachable { what: "rate", target: rate.into(), why });
        }
        Self::new(bytes.next_power_of_two())
    }

    /// Adds `item`.
    pub fn insert(&mut self, item: &[u8]) {
        self.insert_hash(xxh64(item, 0));
    }

    /// Whether `item` may have been inserted.
    #[must_use]
    pub fn contains(&self, item: &[u8]) -> bool {
        self.contains_hash(xxh64(item, 0))
    }

    /// Adds the item of this XXH64.
    pub fn insert_hash(&mut self, hash: u64) {
        let block = self.block(hash);
        self.blocks[block].iter_mut().zip(mask(hash)).for_each(|(word, bit)| *word |= bit);
    }

    /// Whether the item of this XXH64 may have been inserted.
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        self.blocks[self.block(hash)].iter().zip(mask(hash)).all(|(word, bit)| word & bit != 0)
    }

    fn block(&self, hash: u64) -> usize {
        // Below 2^26 blocks, so the product fits.
        (((hash >> 32) * self.blocks.len() as u64) >> 32) as usize
    }

    /// The blocks.
    #[must_use]
    pub fn blocks(&self) -> &[[u32; 8]] {
        &self.blocks
    }

    /// `numBytes`.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        BLOCK * self.blocks.len() as u64
    }

    /// The bitset without its header.
    #[must_use]
    pub fn bitset(&self) -> Vec<u8> {
        self.blocks.iter().flatten().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A filter of a bitset without its header.
    ///
    /// # Errors
    /// [`InvalidParams`] for a length that is no multiple of 32 or out of range, and memory that cannot be had.
    pub fn from_bitset(bytes: &[u8]) -> Result<Self, InvalidParams> {
        let mut blocks = room(check_bytes(bytes.len() as u64)?)?;
        let words = |block: &[u8; 32]| {
            let mut words = [0; 8];
            words.iter_mut().zip(block.as_chunks::<4>().0).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
            words
        };
        blocks.extend(bytes.as_chunks::<32>().0.iter().map(words));
        Ok(Self { blocks })
    }
}

/// One bit for each word of a block.
fn mask(hash: u64) -> [u32; 8] {
    SALT.map(|salt| 1 << ((hash as u32).wrapping_mul(salt) >> 27))
}

/// The blocks in so many bytes.
fn check_bytes(bytes: u64) -> Result<u64, InvalidParams> {
    const ALLOWED: &str = "32 to 2,147,483,616 bytes, in steps of 32";
    check_range("numBytes", bytes, BLOCK..=MOST_BYTES, ALLOWED)?;
    if !bytes.is_multiple_of(BLOCK) {
        return Err(InvalidParams::OutOfRange { name: "numBytes", value: bytes.into(), allowed: ALLOWED });
    }
    Ok(bytes / BLOCK)
}

/// Reads a zigzag varint that says how many bytes there are.
fn read_count(cursor: &mut Cursor) -> Result<u64, Damage> {
    const FIELD: &str = "numBytes";
    let (mut zigzag, mut read) = (0u64, 0);
    loop {
        let byte = cursor.byte(FIELD)?;
        zigzag |= u64::from(byte & 0x7f) << (7 * read);
        read += 1;
        // Five groups of seven bits hold a number of 32 bits and no more are looked at.
        if byte < 0x80 || read == 5 {
            let too_long = byte >= 0x80 || zigzag > u64::from(u32::MAX);
            // Odd zigzags are negative numbers; both kinds are shown as the bits they are.
            if too_long || zigzag % 2 == 1 {
                let allowed = "a zigzag varint of 32 bits that is not negative";
                let value = zigzag.into();
                return Err(InvalidParams::OutOfRange { name: "numBytes as zigzag", value, allowed }.into());
            }
            let shortest = varint(zigzag).len() as u64;
            if read as u64 != shortest {
                return Err(Damage::NotShortest { field: FIELD, value: zigzag / 2, found: read as u64, shortest });
            }
            return Ok(zigzag / 2);
        }
    }
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// Reads a union of the header, of which only the first choice is known.
fn read_union(cursor: &mut Cursor, field: &'static str, known: &'static str) -> Result<(), Damage> {
    cursor.fixed(field, NEXT_STRUCT)?;
    let at = cursor.at();
    match cursor.byte(field)? {
        NEXT_STRUCT => {}
        // Another field of the union, by how far it is from field 0.
        found if found & 0x0f == NEXT_STRUCT & 0x0f && found >> 4 > 1 => {
            return Err(Damage::Unknown { field, found: (found >> 4).into(), known });
        }
        found => return Err(Damage::Fixed { field, at, found, expected: NEXT_STRUCT }),
    }
    cursor.fixed(field, STOP)?;
    cursor.fixed(field, STOP)
}

impl Wire for ParquetBloom {
    const FORMAT: Format = Format::Parquet;

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes() as usize + 20);
        out.push(NEXT_I32);
        out.extend(varint(2 * self.bytes()));
        UNIONS.iter().for_each(|_| out.extend([NEXT_STRUCT, NEXT_STRUCT, STOP, STOP]));
        out.push(STOP);
        out.extend(self.blocks.iter().flatten().flat_map(|word| word.to_le_bytes()));
        out
    }

    fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let mut cursor = Cursor::new(bytes);
        cursor.fixed("numBytes", NEXT_I32)?;
        let count = read_count(&mut cursor)?;
        for (field, known) in UNIONS {
            read_union(&mut cursor, field, known)?;
        }
        cursor.fixed("the header's end", STOP)?;
        check_bytes(count)?;
        let bitset = cursor.take("bitset", count)?;
        cursor.end()?;
        Ok(Self::from_bitset(bitset)?)
    }

    fn summary(&self) -> String {
        let ones = self.blocks.iter().flatten().map(|word| u64::from(word.count_ones())).sum();
        format!(
            "Apache Parquet split-block Bloom filter (XXH64, uncompressed): {} bytes in {} blocks of 256 bits, {}.",
            self.bytes(),
            self.blocks.len(),
            fill(ones, 8 * self.bytes()),
        )
    }
}
