//! Laws of filters that take keys one by one.

use amq::{Digest, IncrementalFilter};

use super::{absent, answers, changed};
use crate::case::Case;
use crate::keys::{digest, digests};
use crate::violation::Violation;

fn counted<F: IncrementalFilter>(filter: &F, expected: u64) -> Result<(), Violation> {
    let counted = filter.inserted();
    if counted == expected { Ok(()) } else { Err(Violation::InsertedCount { expected, counted }) }
}

/// A key is found right after its insert, repeated keys too, and `inserted` counts the accepted ones.
///
/// # Errors
/// [`Violation::FalseNegative`], [`Violation::InsertedCount`].
pub fn insert_then_contains<F: IncrementalFilter>(case: &Case<F>) -> Result<(), Violation> {
    for seed in 0..3 {
        let mut filter = case.filter(seed, &[])?;
        counted(&filter, 0)?;
        for index in 0..case.keys {
            let key = digest(seed, index - index % 5 / 4); // every fifth repeats the one before
            if filter.insert(key).is_err() {
                break; // only new keys are promised room for
            }
            if !filter.contains(key) {
                return Err(Violation::FalseNegative { key, keys: index + 1, seed });
            }
            counted(&filter, index + 1)?;
        }
    }
    Ok(())
}

/// A refused insert changes no answer, neither for accepted keys nor for absent ones, and is not counted.
/// Inserts go on to four times the case's keys; a filter that refuses none has nothing to break.
///
/// # Errors
/// [`Violation::FailedInsertChangedAnswer`], [`Violation::InsertedCount`]; [`Violation::InsertBatchResult`] when
/// the same inserts into an equal filter are not refused.
pub fn failed_insert_changes_nothing<F: IncrementalFilter>(case: &Case<F>) -> Result<(), Violation> {
    for seed in 0..4 {
        let keys = digests(seed, 0..4 * case.keys.max(16));
        let mut filter = case.filter(seed, &[])?;
        let Some(first) = keys.iter().position(|key| filter.insert(*key).is_err()) else { continue };
        // Again up to the refusal, now that its place is known, with all answers noted before it.
        let mut filter = case.filter(seed, &keys[..first])?;
        let mut asked = keys[..first].to_vec();
        asked.extend(absent());
        let before = answers(&filter, &asked);
        for refused in &keys[first..keys.len().min(first + 20)] {
            match filter.insert(*refused) {
                Ok(()) if *refused == keys[first] => {
                    return Err(Violation::NotReproducible { key: *refused, first: false, second: true });
                }
                Ok(()) => break, // a later key may still find room
                Err(full) => {
                    counted(&filter, first as u64)?;
                    if full.inserted != first as u64 {
                        return Err(Violation::InsertedCount { expected: first as u64, counted: full.inserted });
                    }
                }
            }
            if let Some((key, before)) = changed(&filter, &asked, &before) {
                return Err(Violation::FailedInsertChangedAnswer { refused: *refused, key, before });
            }
        }
    }
    Ok(())
}

/// `insert_batch` does what inserts one by one do, up to and including the first refusal.
///
/// # Errors
/// [`Violation::InsertBatchResult`], [`Violation::InsertBatchDiffers`], [`Violation::InsertedCount`].
pub fn insert_batch_is_inserts<F: IncrementalFilter>(case: &Case<F>) -> Result<(), Violation> {
    let whole = case.keys;
    for (seed, len) in [0, 1, 2, 3, 7, 8, 9, 63, 64, 65, whole, 4 * whole.max(16)].into_iter().enumerate() {
        let seed = seed as u64;
        let keys = digests(seed, 0..len);
        let (mut single, mut batch) = (case.filter(seed, &[])?, case.filter(seed, &[])?);
        // In two parts, so that the second batch meets a filter that is not empty.
        let (head, tail) = keys.split_at(keys.len() / 3);
        let batched = batch.insert_batch(head).and_then(|()| batch.insert_batch(tail));
        let one_by_one = keys.iter().try_for_each(|key| single.insert(*key));
        if batched != one_by_one {
            return Err(Violation::InsertBatchResult { single: one_by_one, batch: batched });
        }
        counted(&batch, single.inserted())?;
        for key in keys.into_iter().chain(absent()) {
            let (single, batch) = (single.contains(key), batch.contains(key));
            if single != batch {
                return Err(Violation::InsertBatchDiffers { key, single, batch });
            }
        }
    }
    Ok(())
}

/// A cleared filter is a new one (HAND-44): nothing is found, nothing counted, and after further inserts it
/// answers as a new filter of these inserts.
///
/// # Errors
/// [`Violation::ClearDiffers`], [`Violation::InsertedCount`].
pub fn clear_is_new<F: IncrementalFilter>(case: &Case<F>) -> Result<(), Violation> {
    for seed in 0..3 {
        let (mut filter, old) = case.filled(seed, 2 * seed)?;
        filter.clear();
        counted(&filter, 0)?;
        let new = digests(2 * seed + 1, 0..case.keys / 2);
        let asked: Vec<Digest> = old.into_iter().chain(new.iter().copied()).chain(absent()).collect();
        compare(&case.filter(seed, &[])?, &filter, &asked)?;
        for key in &new {
            filter.insert(*key).map_err(|full| Violation::Refused(full.into()))?;
        }
        counted(&filter, new.len() as u64)?;
        compare(&case.filter(seed, &new)?, &filter, &asked)?;
    }
    Ok(())
}

fn compare<F: IncrementalFilter>(fresh: &F, cleared: &F, keys: &[Digest]) -> Result<(), Violation> {
    for key in keys {
        let (fresh, cleared) = (fresh.contains(*key), cleared.contains(*key));
        if fresh != cleared {
            return Err(Violation::ClearDiffers { key: *key, fresh, cleared });
        }
    }
    Ok(())
}
