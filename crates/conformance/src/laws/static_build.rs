//! Laws of filters that are built once from all their keys.

use amq::{Digest, StaticFilter};

use super::{absent, no_panic};
use crate::case::Case;
use crate::keys::digests;
use crate::violation::Violation;

fn all_found<F: StaticFilter>(filter: &F, keys: &[Digest], seed: u64) -> Result<(), Violation> {
    match keys.iter().find(|key| !filter.contains(**key)) {
        Some(key) => Err(Violation::FalseNegative { key: *key, keys: keys.len() as u64, seed }),
        None => Ok(()),
    }
}

/// Copies of a key count once (HAND-16): two copies, a thousand, and every key of a whole set twice, which
/// answers as the set does.
///
/// # Errors
/// [`Violation::Refused`], [`Violation::FalseNegative`], [`Violation::NotReproducible`].
pub fn duplicates_count_once<F: StaticFilter>(case: &Case<F>) -> Result<(), Violation> {
    let keys = digests(0, 0..case.keys);
    for (seed, copies) in [2, 1000].into_iter().enumerate() {
        let copies = vec![keys.first().copied().unwrap_or_default(); copies];
        all_found(&no_panic("build", || case.filter(seed as u64, &copies))??, &copies, seed as u64)?;
    }
    let twice: Vec<Digest> = keys.iter().chain(&keys).copied().collect();
    let (once, twice) = (case.filter(3, &keys)?, no_panic("build", || case.filter(3, &twice))??);
    all_found(&twice, &keys, 3)?;
    for key in absent() {
        let (first, second) = (once.contains(key), twice.contains(key));
        if first != second {
            return Err(Violation::NotReproducible { key, first, second });
        }
    }
    Ok(())
}

/// None, one, two and three keys build, and are found (HAND-17), under a hundred seeds.
///
/// # Errors
/// [`Violation::Refused`], [`Violation::FalseNegative`], [`Violation::Panicked`].
pub fn few_keys_build<F: StaticFilter>(case: &Case<F>) -> Result<(), Violation> {
    for seed in 0..100 {
        for size in 0..=3 {
            let keys = digests(seed, 0..size);
            all_found(&no_panic("build", || case.filter(seed, &keys))??, &keys, seed)?;
        }
    }
    Ok(())
}

/// Digests that are consecutive integers build (HAND-18): a filter may not lean on its digests' low bits being
/// random for its construction to end.
///
/// # Errors
/// [`Violation::Refused`], [`Violation::FalseNegative`], [`Violation::Panicked`].
pub fn consecutive_digests_build<F: StaticFilter>(case: &Case<F>) -> Result<(), Violation> {
    for seed in 0..5 {
        let keys: Vec<Digest> = (0..case.keys).map(Digest).collect();
        all_found(&no_panic("build", || case.filter(seed, &keys))??, &keys, seed)?;
    }
    Ok(())
}
