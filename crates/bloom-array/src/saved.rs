//! The array in a saved form.

use amq::{DecodeError, KeyCount};
use hashing::Derivation;
use saved::{Fields, Part};

use crate::BloomArray;

impl<D: Derivation> BloomArray<D> {
    /// Scheme and reduction by name.
    pub const DERIVATION: [&'static str; 2] = [D::SCHEME, D::REDUCTION];

    /// Sets inserts and plan, for variants that read them.
    pub fn set_key_count(&mut self, count: KeyCount) {
        self.count = count;
    }

    /// What goes to the header, with a variant's parameters and state.
    #[must_use]
    pub fn fields(&self, params: &[u64], state: &[u64]) -> Fields {
        Fields::new(self.seed, self.count, params, state)
    }

    /// The array of `m` bits that was saved as `bits`, for keys of `k` positions.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn restore(fields: &Fields, m: u64, k: u32, bits: Part<'_>) -> Result<Self, DecodeError> {
        let mut array = Self::new(m, k, fields.seed)?;
        bits.copy_to(&mut array.bits);
        array.count = fields.count;
        Ok(array)
    }
}
