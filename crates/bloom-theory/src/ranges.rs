//! The ranges of parameters, checked once for all Bloom-type filters.

use amq::InvalidParams;

/// The largest array: 2^48 bits, 32 TiB.
pub const MAX_BITS: u64 = 1 << 48;
/// The most probes for a key. At best `k` this is a rate of 2^-64, below what 64-bit digests can tell.
pub const MAX_PROBES: u32 = 64;
/// The most keys: 2^56, so that `k n` stays within 64 bits.
pub const MAX_KEYS: u64 = 1 << 56;
/// The lowest rate that sizing aims at.
pub const MIN_RATE: f64 = 1e-15;

/// `m` in `1..=2^48`.
///
/// # Errors
/// [`InvalidParams::OutOfRange`] with the value.
pub fn check_bits(name: &'static str, bits: u64) -> Result<u64, InvalidParams> {
    if (1..=MAX_BITS).contains(&bits) {
        return Ok(bits);
    }
    Err(InvalidParams::OutOfRange { name, value: bits.into(), allowed: "1 to 2^48 bits" })
}

/// `k` in `1..=64`.
///
/// # Errors
/// [`InvalidParams::OutOfRange`] with the value.
pub fn check_probes(k: u64) -> Result<u32, InvalidParams> {
    match u32::try_from(k) {
        Ok(k) if (1..=MAX_PROBES).contains(&k) => Ok(k),
        _ => Err(InvalidParams::OutOfRange { name: "k", value: k.into(), allowed: "1 to 64 probes" }),
    }
}

/// `n` in `0..=2^56`.
///
/// # Errors
/// [`InvalidParams::OutOfRange`] with the value.
pub fn check_keys(keys: u64) -> Result<u64, InvalidParams> {
    if keys <= MAX_KEYS {
        return Ok(keys);
    }
    Err(InvalidParams::OutOfRange { name: "keys", value: keys.into(), allowed: "at most 2^56" })
}

/// A rate to aim at, in `[1e-15, 1)`.
///
/// # Errors
/// [`InvalidParams::OutOfRange`] with the value.
pub fn check_rate(fpr: f64) -> Result<f64, InvalidParams> {
    if (MIN_RATE..1.0).contains(&fpr) {
        return Ok(fpr);
    }
    Err(InvalidParams::OutOfRange {
        name: "fpr",
        value: fpr.into(),
        allowed: "a probability from 1e-15 (what 64-bit digests can tell) to below 1",
    })
}

/// Bits per key to stay within: finite and above 0.
///
/// # Errors
/// [`InvalidParams::OutOfRange`] with the value.
pub fn check_bits_per_key(bits_per_key: f64) -> Result<f64, InvalidParams> {
    if bits_per_key.is_finite() && bits_per_key > 0.0 {
        return Ok(bits_per_key);
    }
    Err(InvalidParams::OutOfRange {
        name: "bits_per_key",
        value: bits_per_key.into(),
        allowed: "a finite number of bits above 0",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HAND-12: a rate out of range is a typed error, each time.
    #[test]
    fn hand_12_rates_out_of_range_are_refused() {
        for fpr in [0.0, 1.0, -0.1, 2.0, 10.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-300] {
            let error = check_rate(fpr).unwrap_err().to_string();
            assert!(error.starts_with("fpr = ") && error.contains("1e-15"), "{error}");
        }
        assert_eq!(check_rate(0.01), Ok(0.01));
        assert_eq!(check_rate(1e-15), Ok(1e-15));
    }

    #[test]
    fn edges_of_every_range() {
        assert!(check_bits("m", 0).is_err() && check_bits("m", MAX_BITS + 1).is_err());
        assert_eq!(check_bits("m", MAX_BITS), Ok(MAX_BITS));
        assert_eq!(check_bits("m", 1), Ok(1));
        assert!(check_probes(0).is_err() && check_probes(65).is_err() && check_probes(u64::MAX).is_err());
        assert_eq!((check_probes(1), check_probes(64)), (Ok(1), Ok(64)));
        assert!(check_keys(MAX_KEYS + 1).is_err());
        assert_eq!((check_keys(0), check_keys(MAX_KEYS)), (Ok(0), Ok(MAX_KEYS)));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(check_bits_per_key(bad).is_err());
        }
        assert_eq!(check_bits_per_key(9.6), Ok(9.6));
    }
}
