//! What the fuzz targets hold readers to.
#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

/// Bytes that a reader may allocate whatever its input is: messages, and the tables of a coder.
const TABLES: u64 = 8192;

/// Runs a reader within 100 ms (the best of three tries, where the machine is busy) and ten times its input, or `allowed` bytes
/// if these are more.
///
/// # Panics
/// When it takes more.
pub fn held<T>(bytes: &[u8], allowed: u64, mut read: impl FnMut() -> T) -> T {
    let mut slowest = Duration::ZERO;
    for _ in 0..3 {
        let start = Instant::now();
        let (done, peak) = bits::heap::peak(&mut read);
        let most = allowed.max(10 * bytes.len() as u64) + TABLES;
        assert!(peak.is_some_and(|peak| peak <= most), "{peak:?} bytes for {} of input", bytes.len());
        slowest = start.elapsed();
        if slowest < Duration::from_millis(100) {
            return done;
        }
    }
    panic!("{slowest:?} for {} bytes of input", bytes.len());
}
