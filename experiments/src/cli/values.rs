//! Values on the command line. Each parser says the allowed range and what to do next.

use amq::Number;

/// The most keys: `k n` stays within 64 bits.
pub const MAX_KEYS: u64 = 1 << 56;

/// A number as people write it: `1000000`, `10_000`, `1e6`, `2^40`, `0.01`.
///
/// # Errors
/// The message.
pub fn number(text: &str) -> Result<Number, String> {
    let digits = text.trim().replace('_', "");
    if let Ok(count) = digits.parse::<u64>() {
        return Ok(Number::Integer(count));
    }
    if let Some((base, power)) = digits.split_once('^')
        && let (Ok(base), Ok(power)) = (base.parse::<u64>(), power.parse::<u32>())
        && let Some(count) = base.checked_pow(power)
    {
        return Ok(Number::Integer(count));
    }
    match digits.parse::<f64>() {
        Ok(value) => Ok(Number::Real(value)),
        Err(_) => Err(format!("`{text}` is no number; write 1000000, 1e6, 10_000, 2^20 or 0.01")),
    }
}

fn count(name: &str, text: &str, least: u64, most: u64, hint: &str) -> Result<u64, String> {
    let value = number(text)?;
    // Beyond 2^53 a real number need not be the one that was written, but it is a count, and range is what matters.
    let count = value.as_u64().or_else(|| match value {
        Number::Real(real) if real >= 0.0 && real.fract() == 0.0 && real < 1.8e19 => Some(real as u64),
        _ => None,
    });
    match count {
        Some(count) if (least..=most).contains(&count) => Ok(count),
        _ => Err(format!("{name} = {text} is out of range: a whole number from {least} to {hint}")),
    }
}

/// A number of keys.
///
/// # Errors
/// The message.
pub fn keys(text: &str) -> Result<u64, String> {
    count("keys", text, 0, MAX_KEYS, "2^56; give fewer keys")
}

/// A number of bits in all.
///
/// # Errors
/// The message.
pub fn budget(text: &str) -> Result<u64, String> {
    count("budget", text, 1, 1 << 50, "2^50 bits in all; give fewer bits, or more than none")
}

/// A number of filters.
///
/// # Errors
/// The message.
pub fn filters(text: &str) -> Result<u64, String> {
    count("filters", text, 1, 1_000_000, "1000000; give at least one filter")
}

/// A number of probes of a filter.
///
/// # Errors
/// The message.
pub fn probes(text: &str) -> Result<u64, String> {
    count("probes", text, 0, 1 << 40, "2^40 for each filter; give fewer probes")
}

fn real(name: &str, text: &str, allowed: &str, inside: impl Fn(f64) -> bool) -> Result<f64, String> {
    let value = number(text)?.as_f64();
    if inside(value) { Ok(value) } else { Err(format!("{name} = {text} is out of range: {allowed}")) }
}

/// A false-positive rate to aim at.
///
/// # Errors
/// The message.
pub fn fpr(text: &str) -> Result<f64, String> {
    let allowed = "a probability above 0 and below 1, such as 0.01";
    real("fpr", text, allowed, |value| value > 0.0 && value < 1.0)
}

/// Bits for each key.
///
/// # Errors
/// The message.
pub fn bits_per_key(text: &str) -> Result<f64, String> {
    let allowed = "a finite number of bits above 0, such as 9.6";
    real("bits-per-key", text, allowed, |value| value > 0.0 && value.is_finite())
}

/// A share, of hits among queries.
///
/// # Errors
/// The message.
pub fn share(text: &str) -> Result<f64, String> {
    real("hit-share", text, "a share from 0 to 1, such as 0.5", |value| (0.0..=1.0).contains(&value))
}

/// A parameter by name: `NAME=VALUE`.
///
/// # Errors
/// The message.
pub fn param(text: &str) -> Result<(String, Number), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is no NAME=VALUE; write m=9600"))?;
    Ok((name.trim().to_owned(), number(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        for text in ["1000000", "1_000_000", "1e6", "1E6", "10^6"] {
            assert_eq!(keys(text), Ok(1_000_000), "{text}");
        }
        assert_eq!(keys("2^40"), Ok(1 << 40));
        assert_eq!(param("m=2^40"), Ok(("m".to_owned(), Number::Integer(1 << 40))));
        assert_eq!(param("load=0.95"), Ok(("load".to_owned(), Number::Real(0.95))));
    }

    #[test]
    fn what_is_out_of_range_is_named_with_the_range() {
        for bad in ["-5", "1.5", "1e18", "1000000000000000000", "nan", "inf", "99^99"] {
            let error = keys(bad).unwrap_err();
            assert!(error.contains(bad), "{error}");
        }
        assert!(keys("1e18").unwrap_err().contains("from 0 to 2^56; give fewer keys"));
        assert!(keys("many").unwrap_err().contains("`many` is no number"));
        assert!(filters("0").is_err() && probes("0").is_ok());
        assert!(param("m").is_err() && param("m=x").is_err());
    }

    /// HAND-12 at the command line.
    #[test]
    fn hand_12_rates_out_of_range_are_refused_by_value() {
        for bad in ["0", "1", "-0.1", "2", "10.1", "NaN", "inf", "-inf", "infinity"] {
            let error = fpr(bad).unwrap_err();
            assert!(error.starts_with(&format!("fpr = {bad} is out of range")), "{error}");
        }
        for bad in ["0", "-1", "nan", "inf"] {
            assert!(bits_per_key(bad).is_err(), "{bad}");
        }
        for bad in ["-0.1", "1.1", "nan"] {
            assert!(share(bad).is_err(), "{bad}");
        }
        assert_eq!((share("0"), share("1")), (Ok(0.0), Ok(1.0)));
    }
}
