//! What an update costs, by the share of new keys.

use amq::{Claim, Filter};
use bloom_theory::fpr::fill;
use compressed::CompressedBloom;
use compressed::entropy::{binary_entropy, delta_grown, delta_replaced};
use compressed::sizing::wire_bits;
use compressed::wire::frame_bytes;

use super::filled;
use crate::error::HarnessError;
use crate::studies::{AlongAxis, Case, Formula, Observations, Quantity, Study};

/// Bytes of an update's frame that a filter's does not have: the fingerprint of the version it is against.
const BASE_BYTES: u64 = 8;

/// The update from a filter of `keys` keys to one with so many new ones, added (`update = "grown"`) or in place of old
/// ones (`update = "replaced"`). It is applied, and must give the new filter.
pub const DELTA: Study = Study {
    name: "compressed-delta",
    about: "coded size of an update by the share of new keys, added or in place of old ones",
    factors: &["update"],
    quantities: &[Quantity::mean("delta_bits_per_key")],
    axis: Some(AlongAxis {
        name: "new_share",
        positions: |_| Ok((0..=15).map(|step| (10f64.powf(f64::from(step) / 6.0 - 2.5) * 1e9).round() / 1e9).collect()),
    }),
    observe,
    formulas: |case, positions| {
        let params = case.params::<CompressedBloom>()?;
        let (m, k, keys) = (params.m, params.k, case.keys());
        let replaced = is_replaced(case)?;
        let at = |share: f64| {
            let new = new_keys(keys, share);
            let part = if replaced { delta_replaced(m, k, keys, new) } else { delta_grown(m, k, keys, new) };
            let frame = 8 * (BASE_BYTES + frame_bytes(m, keys + new, (part * m as f64) as u64));
            // As for a filter: a word and a half for the coder's start and its last word.
            let expected = m as f64 * binary_entropy(part) + frame as f64 + 48.0;
            // Rounded probabilities, two words for start and end, and a byte of the frame's counts.
            let claim = Claim::Approximate { rel: 0.0002 + 72.0 / expected };
            let after = if replaced { keys } else { keys + new };
            let mut all = vec![
                Formula::of(
                    "delta_bits_per_key",
                    "expected_delta",
                    expected / keys as f64,
                    claim,
                    "m H(share of bits that differ), header, checksum, coder",
                ),
                Formula::line("whole_filter", wire_bits(m, k, after) / keys as f64, "the new filter's wire form"),
            ];
            if !replaced {
                // Only zeros of the old version can change.
                let zeros = 1.0 - fill(m, k, keys);
                let informed = m as f64 * zeros * binary_entropy(fill(m, k, new)) / keys as f64;
                all.push(Formula::line("informed_coder", informed, "m p H(1 - (1 - 1/m)^(k new))"));
            }
            all
        };
        Ok(positions.iter().map(|share| at(*share)).collect())
    },
    cost_ns: |spec| spec.keys as f64 * 2000.0,
};

fn is_replaced(case: &Case<'_>) -> Result<bool, HarnessError> {
    match case.name("update").as_deref() {
        Some("grown") => Ok(false),
        Some("replaced") => Ok(true),
        other => Err(case.unfit(&format!("update = {}: `grown` or `replaced`", other.unwrap_or("nothing")))),
    }
}

fn new_keys(keys: u64, share: f64) -> u64 {
    (keys as f64 * share).round().max(1.0) as u64
}

fn observe(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let (keys, replaced) = (case.keys(), is_replaced(case)?);
    let positions = DELTA.positions(case)?;
    let most = positions.iter().map(|share| new_keys(keys, *share)).max().unwrap_or(0);
    let all = case.digests(0, keys + most)?;
    let old = filled(case, &all[..keys as usize])?;
    let mut seen = Observations::new(&DELTA, positions.len());
    for (position, share) in positions.iter().enumerate() {
        let new = new_keys(keys, *share);
        let from = if replaced { new } else { 0 };
        let newer = filled(case, &all[from as usize..(keys + new) as usize])?;
        let delta = newer.delta_from(&old).map_err(|error| case.unfit(&error.to_string()))?;
        let mut updated = old.clone();
        updated.apply(&delta).map_err(|error| case.unfit(&error.to_string()))?;
        if updated.bits() != newer.bits() || updated.params() != newer.params() {
            return Err(HarnessError::Failed("an update did not give the newer filter".to_owned()));
        }
        seen.add(position, 0, 8 * delta.len() as u64, keys);
    }
    Ok(seen)
}
