//! The memory's limit by itself, without any filter.

use super::clock::time;
use super::yardstick::{MOST_LINES, Way, Yardstick};
use crate::error::HarnessError;
use crate::studies::{Case, Formula, Observations, Quantity, Study};
use hashing::mix::mix64;

/// Keys of a pass.
const KEYS: u64 = 1 << 19;
/// Keys of a pass where each waits for the last.
const DEPENDENT_KEYS: usize = 1 << 16;
const WAYS: [Way; 3] = [Way::Independent, Way::Prefetched, Way::Dependent];

/// See [`Study::about`].
pub const MEMORY: Study = Study {
    name: "memory-limit",
    about: "time of reading so many random cache lines of an array for a key: independent, prefetched, dependent",
    factors: &["bytes", "lines"],
    quantities: &[
        Quantity::time("independent_ns"),
        Quantity::time("prefetched_ns"),
        Quantity::time("dependent_ns"),
        Quantity::mean("mebibytes"),
    ],
    axis: None,
    observe,
    formulas: |_, _| Ok(vec![Vec::<Formula>::new()]),
    cost_ns: |_| 1e8,
};

fn observe(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let (bytes, lines) = (case.count("bytes", 64)?, case.count("lines", 1)?);
    if lines > MOST_LINES {
        return Err(HarnessError::Usage(format!(
            "study `memory-limit`: lines = {lines} is out of range: 1 to {MOST_LINES}"
        )));
    }
    let yardstick = Yardstick::shared(case, bytes)?;
    let seed = case.first().seed("keys");
    let keys = case.shared("words", || {
        let keys: Vec<u64> = (0..KEYS).map(|index| mix64(seed.wrapping_add(index))).collect();
        Ok::<_, HarnessError>((keys, 8 * KEYS))
    })?;
    let mut seen = Observations::new(&MEMORY, 1);
    for (quantity, way) in WAYS.into_iter().enumerate() {
        let Some(pass) = yardstick.pass(way, lines, bytes) else { continue };
        let keys = if way == Way::Dependent { &keys[..DEPENDENT_KEYS] } else { &keys[..] };
        // Other lines in each pass: the same ones would be in a cache, however large the array.
        let mut passes = 0u64;
        let fresh = || {
            passes += 1;
            pass(keys, mix64(passes))
        };
        match time(keys.len() as u64, Some(keys.len() as u64), fresh) {
            Ok((Some(ps), _)) => seen.add(0, quantity, ps, keys.len() as u64),
            Ok((None, _)) => {}
            Err(refused) => return Ok(Observations::failed(&MEMORY, 1, refused.name())),
        }
    }
    seen.add(0, WAYS.len(), bytes, 1 << 20);
    Ok(seen)
}
