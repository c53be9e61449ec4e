//! Memory: how much a filter will take, how much there is, and how many filters live at a time.

use super::Sized;

/// Filters that live at the same time take at most this together.
const TOGETHER: u64 = 3 << 29;
/// Bits per key of a contender that names none: a hash set of digests while it doubles.
const UNKNOWN_BITS_PER_KEY: f64 = 400.0;

/// The bytes of a filter in RAM by its own theory; `bits_per_key` may be those of a form for the wire.
pub(super) fn expected_bytes(sized: &Sized, keys: u64) -> u64 {
    let values = sized.contender.named_values(&sized.params, keys).unwrap_or_default();
    let value = |name: &str| values.iter().find(|row| row.name == name).map(|row| row.value);
    let named = value("memory_bits_per_key").or_else(|| value("bits_per_key"));
    let bits_per_key = named.filter(|bits| bits.is_finite() && *bits > 0.0).unwrap_or(UNKNOWN_BITS_PER_KEY);
    (bits_per_key * keys.max(1) as f64 / 8.0) as u64
}

/// How many filters of so many bytes live at the same time.
pub(super) fn at_a_time(bytes: u64, filters: u64) -> u64 {
    (TOGETHER / bytes.max(1)).clamp(1, filters.max(1))
}

/// Bytes that the system says it can give without swapping; `None` where it does not say.
pub(super) fn available() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let free = line.split_whitespace().next()?.parse::<u64>().ok()? * 1024;
    Some(free.min(control_group().unwrap_or(u64::MAX)))
}

/// What the process's control group has left, where it has a limit.
fn control_group() -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse::<u64>().ok();
    Some(read("memory.max")?.saturating_sub(read("memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    /// 8 bits on the wire, 96.9 in memory.
    #[test]
    fn a_compressed_filter_takes_its_array() {
        let contender = *Registry::workspace().get("compressed").unwrap();
        let keys = 1_000_000;
        let params = serde_json::json!({ "m": 96_900_032, "k": 1 });
        let sized = Sized::new(contender, params, keys).unwrap();
        assert_eq!(expected_bytes(&sized, keys), 96_900_032 / 8);
    }

    #[test]
    fn a_large_filter_lives_alone() {
        let contender = *Registry::workspace().get("standard").unwrap();
        let keys = 1_000_000_000;
        let sized = Sized::new(contender, contender.size_for(keys, 9.6).unwrap(), keys).unwrap();
        let bytes = expected_bytes(&sized, keys);
        assert_eq!(bytes, 1_200_000_000);
        assert_eq!(at_a_time(bytes, 16), 1);
        assert_eq!(at_a_time(1 << 20, 16), 16);
        assert_eq!(at_a_time(1 << 29, 16), 3);
        assert_eq!(at_a_time(0, 0), 1);
    }
}
