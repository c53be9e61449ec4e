//! Laws of filters with a form for the wire.

use amq::Encode;

use super::{absent, no_panic};
use crate::case::Case;
use crate::violation::Violation;

/// The filter that is decoded from a filter's wire form is that filter: parameters, space, all answers, and the wire
/// form again; for no keys, one, and all of the case's. `coded_bits` is the size of the form.
///
/// # Errors
/// [`Violation::WireUnread`], [`Violation::WireDiffers`], [`Violation::WireSize`].
pub fn decoding_undoes_encoding<F: Encode>(case: &Case<F>) -> Result<(), Violation> {
    for (seed, size) in [0, 1, case.keys].into_iter().enumerate() {
        let keys = crate::keys::digests(seed as u64, 0..size);
        let filter = case.filter(seed as u64, &keys)?;
        let bytes = filter.encode();
        let (bits, len) = (filter.coded_bits(), bytes.len() as u64);
        if bits != 8 * len {
            return Err(Violation::WireSize { bits, bytes: len });
        }
        let back = no_panic("decode", || F::decode(&bytes, u64::MAX))?.map_err(Violation::WireUnread)?;
        for key in keys.into_iter().chain(absent()) {
            if filter.contains(key) != back.contains(key) {
                return Err(Violation::WireDiffers { what: "the answer for a key" });
            }
        }
        for (what, equal) in [
            ("the parameters", filter.params() == back.params()),
            ("the space", filter.space() == back.space()),
            ("the wire form", back.encode() == bytes),
        ] {
            if !equal {
                return Err(Violation::WireDiffers { what });
            }
        }
    }
    Ok(())
}

/// Bytes that were cut or in which a bit was changed are refused: every length, and a bit of every byte, of up to 500
/// places in forms that are longer.
///
/// # Errors
/// [`Violation::DamageAccepted`], [`Violation::Panicked`].
pub fn damage_is_refused<F: Encode>(case: &Case<F>) -> Result<(), Violation> {
    let (filter, _) = case.filled(1, 0)?;
    let bytes = filter.encode();
    for byte in (0..bytes.len()).step_by(bytes.len().div_ceil(500).max(1)) {
        let mut changed = bytes.clone();
        changed[byte] ^= 1 << (byte % 8);
        for (damage, bytes) in [("cut", &bytes[..byte]), ("a changed bit", &changed)] {
            // Bits enough for the filter itself: a lie about its size is not to be allocated.
            let most_bits = filter.space().total_bits().saturating_mul(64);
            if no_panic("decode", || F::decode(bytes, most_bits))?.is_ok() {
                return Err(Violation::DamageAccepted { damage, byte });
            }
        }
    }
    Ok(())
}
