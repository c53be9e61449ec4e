//! What a variant gives to the container and takes from it, and the way there and back.

use amq::{DecodeError, Filter, InvalidParams, KeyCount};
use hashing::{Family, IntegerOnly, Keyed};
use thiserror::Error;

use crate::head::{CHECKSUM_BYTES, Head, KeyHash, MOST_WORDS};
use crate::payload::{Payload, Writer};

/// A variant in the header: one for each way from digests to answers. Who changes that way takes a new number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its number. Those below 0x8000 are given in `docs/SAVED-FORM.md`; the others are for filters elsewhere.
    pub id: u16,
    /// Its name.
    pub name: &'static str,
    /// The names of its parameters: first those that the type fixes, then the others.
    pub params: &'static [&'static str],
    /// The names of its words of state.
    pub state: &'static [&'static str],
}

/// What of a filter goes to the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The filter's own seed.
    pub seed: u64,
    /// Keys inserted, and the plan.
    pub count: KeyCount,
    /// The parameters that the type leaves open.
    pub params: Vec<u64>,
    /// What else decides future answers and is in no array.
    pub state: Vec<u64>,
}

impl Fields {
    /// Of these.
    #[must_use]
    pub fn new(seed: u64, count: KeyCount, params: &[u64], state: &[u64]) -> Self {
        Self { seed, count, params: params.to_vec(), state: state.to_vec() }
    }

    /// The parameters.
    ///
    /// # Errors
    /// [`DecodeError::Lie`] for another number of them.
    pub fn params<const N: usize>(&self) -> Result<[u64; N], DecodeError> {
        exactly("parameters", &self.params)
    }

    /// The words of state.
    ///
    /// # Errors
    /// As [`params`](Self::params).
    pub fn state<const N: usize>(&self) -> Result<[u64; N], DecodeError> {
        exactly("words of state", &self.state)
    }

    /// Refuses a number of set places (bits, cells) that so many inserts of `k` positions each do not lead to.
    ///
    /// # Errors
    /// [`DecodeError::State`].
    pub fn check_set(&self, what: &'static str, set: u64, k: u32) -> Result<(), DecodeError> {
        let inserted = self.count.inserted();
        let refused = |why| Err(DecodeError::State { what, value: set, why });
        if set > inserted.saturating_mul(k.into()) {
            return refused("more than so many inserts can set");
        }
        if set == 0 && inserted > 0 {
            return refused("keys were inserted, and each sets one at least");
        }
        Ok(())
    }
}

/// `value` as a parameter of 32 bits.
///
/// # Errors
/// [`InvalidParams::OutOfRange`].
pub fn narrow(name: &'static str, value: u64) -> Result<u32, InvalidParams> {
    u32::try_from(value).map_err(|_| InvalidParams::OutOfRange { name, value: value.into(), allowed: "below 2^32" })
}

fn exactly<const N: usize>(field: &'static str, words: &[u64]) -> Result<[u64; N], DecodeError> {
    let value = words.len() as u64;
    words.try_into().map_err(|_| DecodeError::Lie { field, value, had: 8 * value })
}

/// A filter with a saved form.
///
/// A reader compares the length of the payload with what the parameters say ([`Payload::parts`]) before it allocates, and
/// refuses contents that no sequence of operations leads to.
pub trait Save: Filter {
    /// The variant.
    const VARIANT: Variant;
    /// The values of the first parameters, which the type fixes: widths, slots.
    const FIXED: &'static [u64] = &[];
    /// Scheme and reduction, where they are a parameter of the type.
    const DERIVATION: Option<[&'static str; 2]> = None;

    /// What goes to the header.
    fn fields(&self) -> Fields;

    /// The part of its bits, counters, cells or slots that is in use, in `[0, 1]`.
    fn fill(&self) -> f64;

    /// Writes the arrays.
    ///
    /// # Errors
    /// [`InvalidParams::TooLarge`] when the memory cannot be had.
    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams>;

    /// The filter of these fields and arrays.
    ///
    /// # Errors
    /// [`DecodeError`] for parameters out of range, another length than they say, and impossible contents.
    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError>;
}

/// A filter that cannot be saved.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SaveError {
    /// Memory that cannot be had.
    #[error(transparent)]
    Memory(#[from] InvalidParams),
    /// A hash family whose digests differ between builds.
    #[error(
        "hash family `{family}` gives other digests in other builds: hash keys of a saved filter with another, such as `xxh3`"
    )]
    Unstable {
        /// The family.
        family: Family,
    },
    /// A family that takes no bytes, for keys that are.
    #[error(transparent)]
    IntegerOnly(#[from] IntegerOnly),
    /// A scheme or reduction that has no number in [`codes`](crate::codes).
    #[error("scheme or reduction `{name}` has no number in the saved form: save a filter with one that has")]
    Derivation {
        /// Its name.
        name: &'static str,
    },
}

/// Whether a file with this header is of type `F`.
#[must_use]
pub fn is_type<F: Save>(head: &Head) -> bool {
    check_type::<F>(head).is_ok()
}

fn check_type<F: Save>(head: &Head) -> Result<(), DecodeError> {
    let differs = |what, found: String, expected: String| Err(DecodeError::Type { what, found, expected });
    let Variant { id, name, params, state } = F::VARIANT;
    if head.variant != id {
        return differs("variant", head.variant.to_string(), format!("{id}, {name}"));
    }
    for (field, found, expected) in [("parameters", &head.params, params), ("words of state", &head.state, state)] {
        if found.len() != expected.len() {
            return differs(field, found.len().to_string(), expected.len().to_string());
        }
    }
    for ((name, found), expected) in params.iter().zip(&head.params).zip(F::FIXED) {
        if found != expected {
            return differs(name, found.to_string(), expected.to_string());
        }
    }
    if head.derivation != F::DERIVATION {
        let words = |derivation: Option<[&str; 2]>| derivation.map_or("its own".to_owned(), |pair| pair.join(" "));
        return differs("derivation", words(head.derivation), words(F::DERIVATION));
    }
    Ok(())
}

/// The saved form of a filter of digests that `key_hash` made, if it is known.
///
/// # Errors
/// As [`save`] and [`save_keyed`], and [`SaveError::IntegerOnly`].
pub fn save_hashed<F: Save>(filter: &F, key_hash: Option<KeyHash>) -> Result<Vec<u8>, SaveError> {
    let Fields { seed, count, params, state } = filter.fields();
    let params: Vec<u64> = F::FIXED.iter().copied().chain(params).collect();
    debug_assert!(params.len() == F::VARIANT.params.len() && state.len() == F::VARIANT.state.len());
    const { assert!(F::VARIANT.params.len() <= MOST_WORDS && F::VARIANT.state.len() <= MOST_WORDS) };
    let (variant, derivation) = (F::VARIANT.id, F::DERIVATION);
    let mut head = Head { variant, derivation, key_hash, seed, count, params, state, payload_bytes: 0 };
    let mut writer = Writer { out: head.bytes()? };
    filter.write(&mut writer)?;
    let start = head.byte_len();
    head.payload_bytes = (writer.out.len() - start) as u64;
    writer.out[..start].copy_from_slice(&head.bytes()?);
    let checksum = crc32fast::hash(&writer.out);
    writer.bytes(&checksum.to_le_bytes())?;
    debug_assert_eq!(writer.out.len() as u64, start as u64 + head.payload_bytes + CHECKSUM_BYTES as u64);
    Ok(writer.out)
}

fn from_head<F: Save>(head: &Head, payload: &[u8]) -> Result<F, DecodeError> {
    check_type::<F>(head)?;
    let params = &head.params[F::FIXED.len().min(head.params.len())..];
    let fields = Fields::new(head.seed, head.count, params, &head.state);
    F::read(&fields, Payload { bytes: payload })
}

/// The saved form of a filter of digests. Takes its size in memory once more.
///
/// # Errors
/// [`SaveError::Memory`] when that cannot be had.
pub fn save<F: Save>(filter: &F) -> Result<Vec<u8>, SaveError> {
    save_hashed(filter, None)
}

/// The saved form of a filter of keys: with the families and the seed that hash them.
///
/// # Errors
/// As [`save`], and [`SaveError::Unstable`].
pub fn save_keyed<F: Save>(filter: &Keyed<F>) -> Result<Vec<u8>, SaveError> {
    save_hashed(filter.filter(), Some(filter.hasher().into()))
}

/// The filter of digests that `bytes` are the saved form of, whether they say how keys are hashed or not.
///
/// # Errors
/// [`DecodeError`] for bytes that are cut, changed, too long, of another type or lie about their contents.
pub fn load<F: Save>(bytes: &[u8]) -> Result<F, DecodeError> {
    let (head, payload) = Head::read(bytes)?;
    from_head(&head, payload)
}

/// The filter of keys that `bytes` are the saved form of.
///
/// # Errors
/// As [`load`], and [`DecodeError::Type`] for a filter of digests, of which nobody knows how its keys were hashed.
pub fn load_keyed<F: Save>(bytes: &[u8]) -> Result<Keyed<F>, DecodeError> {
    let (head, payload) = Head::read(bytes)?;
    let no_hash = || DecodeError::Type {
        what: "hash of its keys",
        found: "unknown".to_owned(),
        expected: "one that is known: load digests and hash keys as they were".to_owned(),
    };
    let hasher = head.key_hash.and_then(|key_hash| key_hash.hasher().ok()).ok_or_else(no_hash)?;
    Ok(Keyed::new(from_head(&head, payload)?, hasher))
}
