//! Laws of filters that can take keys out again.

use amq::{DeletableFilter, Digest, Removal};

use super::{ABSENT, absent, answers, changed};
use crate::case::Case;
use crate::keys::{digest, digests};
use crate::violation::Violation;

/// Removing a key that the filter denies gives `Absent` and changes no answer (HAND-20, first part).
///
/// # Errors
/// [`Violation::AbsentRemoved`], [`Violation::RemoveChangedAnswer`].
pub fn removing_the_absent_changes_nothing<F: DeletableFilter>(case: &Case<F>) -> Result<(), Violation> {
    let (mut filter, mut asked) = case.filled(1, 0)?;
    asked.extend(absent());
    let before = answers(&filter, &asked);
    for index in 0..1000 {
        let key = digest(ABSENT + 1, index);
        if filter.contains(key) {
            continue;
        }
        match filter.remove(key) {
            Removal::Absent => {}
            removal => return Err(Violation::AbsentRemoved { key, removal }),
        }
        // All answers after the first and the last few; a change stays, so that one look at the end finds it.
        if !(3..=996).contains(&index)
            && let Some((other, before)) = changed(&filter, &asked, &before)
        {
            return Err(Violation::RemoveChangedAnswer { removed: key, key: other, before });
        }
    }
    match changed(&filter, &asked, &before) {
        Some((key, before)) => Err(Violation::RemoveChangedAnswer { removed: key, key, before }),
        None => Ok(()),
    }
}

/// `remove_batch` does what removals one by one do, and counts those that took a key out: members, keys that come twice, and
/// keys that were never inserted but are denied.
///
/// # Errors
/// [`Violation::RemoveBatchCount`], [`Violation::RemoveBatchDiffers`].
pub fn remove_batch_is_removals<F: DeletableFilter>(case: &Case<F>) -> Result<(), Violation> {
    for seed in 0..3 {
        let ((mut single, members), (mut batch, _)) = (case.filled(seed, seed)?, case.filled(seed, seed)?);
        let denied: Vec<Digest> = absent().into_iter().filter(|key| !single.contains(*key)).collect();
        let (out, _) = members.split_at(members.len() * 3 / 4);
        let (first, rest) = out.split_at(out.len() / 3);
        let (second, mut rest) = rest.split_at(rest.len() / 2);
        let again = &first[..first.len().min(9)];
        let mut batches = vec![[&denied, first].concat(), [again, second].concat()];
        // What is left in short batches: every length, and members at both ends.
        for len in 0.. {
            let (batch, left) = rest.split_at(rest.len().min(len));
            batches.push(batch.to_vec());
            rest = left;
            if rest.is_empty() {
                break;
            }
        }
        let batched = batches.iter().map(|keys| batch.remove_batch(keys)).sum();
        let removed = batches.iter().flatten().filter(|key| single.remove(**key) == Removal::Removed).count() as u64;
        if batched != removed {
            return Err(Violation::RemoveBatchCount { single: removed, batch: batched });
        }
        for key in members.into_iter().chain(absent()) {
            let (single, batch) = (single.contains(key), batch.contains(key));
            if single != batch {
                return Err(Violation::RemoveBatchDiffers { key, single, batch });
            }
        }
    }
    Ok(())
}

/// Taking out every other key leaves the rest found (HAND-20, second part), as do the keys whose removal was
/// refused; until 100,000 keys were inserted, with seeds and keys of their own.
///
/// # Errors
/// [`Violation::MemberAbsent`], [`Violation::FalseNegative`].
pub fn removing_some_keeps_the_others<F: DeletableFilter>(case: &Case<F>) -> Result<(), Violation> {
    for seed in 0..100_000u64.div_ceil(case.keys.max(1)) {
        let (mut filter, keys) = case.filled(seed, seed)?;
        let mut left = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            let out = index % 2 == 0;
            match if out { filter.remove(*key) } else { Removal::Refused } {
                Removal::Removed => {}
                Removal::Refused => left.push(*key),
                Removal::Absent => return Err(Violation::MemberAbsent { key: *key }),
            }
        }
        if let Some(key) = left.iter().find(|key| !filter.contains(**key)) {
            return Err(Violation::FalseNegative { key: *key, keys: left.len() as u64, seed });
        }
    }
    Ok(())
}

/// A key inserted once is removed once (HAND-21): then it is denied, a second removal gives `Absent`, and the
/// others are still found. The key is one that the others alone do not account for.
///
/// # Errors
/// [`Violation::MemberAbsent`], [`Violation::RemovedButFound`], [`Violation::AbsentRemoved`],
/// [`Violation::FalseNegative`].
pub fn removing_twice_removes_once<F: DeletableFilter>(case: &Case<F>) -> Result<(), Violation> {
    for seed in 0..50 {
        let (others, keys) = case.filled(seed, seed)?;
        let Some((key, rest)) = keys.split_last() else { return Ok(()) };
        let key = *key;
        drop(others);
        if case.filter(seed, rest)?.contains(key) {
            continue;
        }
        let mut filter = case.filter(seed, &keys)?;
        match filter.remove(key) {
            Removal::Removed => {}
            Removal::Refused => continue,
            Removal::Absent => return Err(Violation::MemberAbsent { key }),
        }
        if filter.contains(key) {
            return Err(Violation::RemovedButFound { key });
        }
        match filter.remove(key) {
            Removal::Absent => {}
            removal => return Err(Violation::AbsentRemoved { key, removal }),
        }
        found(&filter, rest, seed)?;
    }
    Ok(())
}

/// Copies of one key that are inserted: few, and more than a counter of 4, 8 and 16 bits can tell apart.
const COPIES: [u64; 4] = [3, 40, 300, 70_000];

/// A key that was inserted more often than it was removed is found, and so are the others: among no other keys, half of
/// the case's and all of them. Up to 70,000 copies are inserted, until one is refused, and all but one are taken out, so
/// that a counter that stuck at its ceiling and is lowered all the same runs out before its key does.
///
/// # Errors
/// [`Violation::MemberAbsent`], [`Violation::FalseNegative`]; [`Violation::Untested`] where no second copy was ever taken.
pub fn copies_outlive_fewer_removals<F: DeletableFilter>(case: &Case<F>) -> Result<(), Violation> {
    let mut most = 0;
    for (seed, others) in (0..).zip([0, case.keys / 2, case.keys]) {
        let others = digests(seed, 0..others);
        let key = digest(ABSENT + 2, seed);
        for copies in COPIES {
            let mut filter = case.filter(seed, &others)?;
            let accepted = (0..copies).take_while(|_| filter.insert(key).is_ok()).count() as u64;
            for _ in 1..accepted {
                if filter.remove(key) == Removal::Absent {
                    return Err(Violation::MemberAbsent { key });
                }
                found(&filter, &[key], seed)?;
            }
            found(&filter, &others, seed)?;
            most = most.max(accepted);
            if accepted < copies {
                break;
            }
        }
    }
    if most < 2 {
        return Err(Violation::Untested { why: "a second copy of a key is refused", needed: 2, had: most });
    }
    Ok(())
}

/// A key that is alone in a filter can be taken out of it, and leaves an empty filter: here no other key gives a reason for
/// `Refused`, which the other laws must accept, and a filter that refuses everything would pass them all.
///
/// # Errors
/// [`Violation::LoneKeyKept`], [`Violation::RemovedButFound`], [`Violation::EmptySaysYes`].
pub fn a_lone_key_leaves_nothing<F: DeletableFilter>(case: &Case<F>) -> Result<(), Violation> {
    let all = absent();
    for seed in 0..1000 {
        let key = digest(seed, 0);
        let mut filter = case.filter(seed, &[key])?;
        match filter.remove(key) {
            Removal::Removed => {}
            removal => return Err(Violation::LoneKeyKept { key, removal }),
        }
        if filter.contains(key) {
            return Err(Violation::RemovedButFound { key });
        }
        // All absent keys after the first few; what else stays behind differs from seed to seed.
        let asked = if seed < 3 { &all[..] } else { &all[..100] };
        if let Some(key) = asked.iter().find(|key| filter.contains(**key)) {
            return Err(Violation::EmptySaysYes { key: *key });
        }
    }
    Ok(())
}

fn found<F: DeletableFilter>(filter: &F, keys: &[Digest], seed: u64) -> Result<(), Violation> {
    match keys.iter().find(|key| !filter.contains(**key)) {
        Some(key) => Err(Violation::FalseNegative { key: *key, keys: keys.len() as u64, seed }),
        None => Ok(()),
    }
}
