//! The saved form of every filter: one versioned, little-endian container, read without prior knowledge.
//!
//! ```text
//!  byte 0      8        10       12          16     24    32        40       48        56      64
//!  ┌──────────┬────────┬────────┬───────────┬──────┬─────┬─────────┬────────┬─────────┬───────┬────────────────┐
//!  │ magic    │version │variant │derivation,│key   │seed │inserted │planned │payload  │counts │ parameters,    │
//!  │          │        │        │families   │seed  │     │         │        │bytes    │       │ state: u64 each│
//!  └──────────┴────────┴────────┴───────────┴──────┴─────┴─────────┴────────┴─────────┴───────┴────────────────┘
//!   then the payload, and CRC-32 of all before
//! ```
//!
//! `docs/SAVED-FORM.md` has the table of fields and of each variant's parameters, state and payload.
//!
//! [`save`] and [`load`] are for filters of digests; [`save_keyed`] and [`load_keyed`] keep the hash of the keys too. Variants implement [`Save`].
//!
//! # Guarantees
//! What is read back gives every future answer as the filter that was saved: the state that decides them (random draws,
//! stuck counters, tries) is saved. Equal filters have equal bytes, on every machine. Bytes that [`load`] takes are those
//! that [`save`] gives for the filter it made of them.
//!
//! # Errors
//! [`amq::DecodeError`] for bytes that are cut, changed, too long or lie. The payload's length follows from the parameters
//! and is compared with what is there before anything is allocated. CRC-32 finds every change within 32 consecutive bits,
//! and others but one in 2^32; it is no signature.
//!
//! ```
//! # use hashing::{KeyHasher, Keyed};
//! # use amq::{DecodeError, Digest, Filter, InvalidParams, KeyCount, Space};
//! # #[derive(Clone)] struct None(());
//! # impl Filter for None {
//! #     type Params = ();
//! #     fn params(&self) -> &() { &self.0 }
//! #     fn contains(&self, _: Digest) -> bool { false }
//! #     fn space(&self) -> Space { Space::default() }
//! # }
//! # impl saved::Save for None {
//! #     const VARIANT: saved::Variant = saved::Variant { id: 0xffff, name: "none", params: &[], state: &[] };
//! #     fn fields(&self) -> saved::Fields { saved::Fields::new(7, KeyCount::default(), &[], &[]) }
//! #     fn fill(&self) -> f64 { 0.0 }
//! #     fn write(&self, _: &mut saved::Writer) -> Result<(), InvalidParams> { Ok(()) }
//! #     fn read(_: &saved::Fields, payload: saved::Payload<'_>) -> Result<Self, DecodeError> { payload.parts([]).map(|_: [_; 0]| None(())) }
//! # }
//! let filter = Keyed::new(None(()), KeyHasher::new(42));
//! let bytes = saved::save_keyed(&filter)?;
//! // In another process, on another machine:
//! let same = saved::load_keyed::<None>(&bytes)?;
//! assert_eq!(same.contains("text"), filter.contains("text"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod codes;
mod head;
mod payload;
mod save;

pub use head::{CHECKSUM_BYTES, HEAD_BYTES, Head, KeyHash, MAGIC, VERSION};
pub use payload::{Part, Payload, Writer};
pub use save::{Fields, Save, SaveError, Variant, is_type, load, load_keyed, narrow, save, save_hashed, save_keyed};
