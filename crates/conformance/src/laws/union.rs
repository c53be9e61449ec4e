//! Laws of filters that can become one.

use amq::{DeletableFilter, Digest, Incompatible, IncrementalFilter, Removal, Union};

use super::{absent, answers, changed};
use crate::case::Case;
use crate::keys::digests;
use crate::violation::Violation;

/// The union answers as the filter does into which both sets were inserted, and says yes wherever one of the
/// two did; so does the union with an empty filter and with itself.
///
/// # Errors
/// [`Violation::UnionDiffers`]; [`Violation::Refused`] is not expected of equal parameters.
pub fn union_is_both<F: Union + IncrementalFilter>(case: &Case<F>) -> Result<(), Violation> {
    for seed in 0..3 {
        let (left, right) = (case.filled(seed, 2 * seed)?, case.filled(seed, 2 * seed + 1)?);
        let half = left.1.len() / 2;
        let keys: Vec<Digest> = left.1[..half].iter().chain(&right.1[half..]).copied().collect();
        let asked: Vec<Digest> = left.1.iter().chain(&right.1).copied().chain(absent()).collect();
        let both = case.filter(seed, &keys)?;
        let mut union = case.filter(seed, &left.1[..half])?;
        for other in [case.filter(seed, &right.1[half..])?, case.filter(seed, &[])?, both] {
            let allowed = (answers(&union, &asked), answers(&other, &asked));
            accepted(union.union(&other))?;
            if let Some(at) =
                (0..asked.len()).find(|at| (allowed.0[*at] || allowed.1[*at]) && !union.contains(asked[*at]))
            {
                return Err(Violation::UnionDiffers { key: asked[at], union: false, both: true });
            }
            let both = case.filter(seed, &keys)?;
            for key in &asked {
                let (union, both) = (union.contains(*key), both.contains(*key));
                if union != both {
                    return Err(Violation::UnionDiffers { key: *key, union, both });
                }
            }
        }
    }
    Ok(())
}

/// Taking keys out of a union leaves the rest found, as do the keys whose removal was refused: all keys of one of the two,
/// all of the other, or every other key of both. The two filters have half of the case's keys each, none in common; until
/// 30,000 keys were inserted, with seeds and keys of their own.
///
/// # Errors
/// [`Violation::MemberAbsent`], [`Violation::FalseNegative`]; [`Violation::IncompatibleUnnamed`] is not expected of equal
/// parameters.
pub fn union_survives_removals<F: Union + DeletableFilter>(case: &Case<F>) -> Result<(), Violation> {
    let half = case.keys as usize / 2;
    let leaving: [fn(usize, usize) -> bool; 3] =
        [|index, half| index < half, |index, half| index >= half, |index, _| index % 2 == 0];
    for seed in 0..10_000u64.div_ceil(case.keys.max(1)) {
        let keys = digests(seed, 0..case.keys);
        let other = case.filter(seed, &keys[half..])?;
        for out in leaving {
            let mut union = case.filter(seed, &keys[..half])?;
            accepted(union.union(&other))?;
            let mut left = Vec::new();
            for (index, key) in keys.iter().enumerate() {
                match if out(index, half) { union.remove(*key) } else { Removal::Refused } {
                    Removal::Removed => {}
                    Removal::Refused => left.push(*key),
                    Removal::Absent => return Err(Violation::MemberAbsent { key: *key }),
                }
            }
            if let Some(key) = left.iter().find(|key| !union.contains(**key)) {
                return Err(Violation::FalseNegative { key: *key, keys: left.len() as u64, seed });
            }
        }
    }
    Ok(())
}

fn accepted(result: Result<(), Incompatible>) -> Result<(), Violation> {
    result.map_err(|Incompatible { property, left, right }| Violation::IncompatibleUnnamed {
        property,
        left: left.to_string(),
        right: right.to_string(),
    })
}

/// Filters of different seeds are not united: the refusal names both seeds and leaves both as they were.
///
/// # Errors
/// As [`union_refuses`].
pub fn union_refuses_another_seed<F: Union + IncrementalFilter>(case: &Case<F>) -> Result<(), Violation> {
    refused(case.filled(1, 0)?, case.filled(2, 1)?, "seed")
}

/// Filters of different parameters are not united (HAND-32): the refusal names two values that differ and
/// leaves both filters as they were. Equal parameters have nothing to refuse.
///
/// # Errors
/// [`Violation::UnionAccepted`], [`Violation::IncompatibleUnnamed`], [`Violation::UnionChangedOperand`].
pub fn union_refuses<F: Union + IncrementalFilter>(left: &Case<F>, right: &Case<F>) -> Result<(), Violation> {
    if left.params == right.params {
        return Ok(());
    }
    refused(left.filled(1, 0)?, right.filled(1, 1)?, "parameters")
}

fn refused<F: Union>(
    (mut left, left_keys): (F, Vec<Digest>),
    (right, right_keys): (F, Vec<Digest>),
    difference: &'static str,
) -> Result<(), Violation> {
    let asked: Vec<Digest> = left_keys.into_iter().chain(right_keys).chain(absent()).collect();
    let before = (answers(&left, &asked), answers(&right, &asked));
    let Err(Incompatible { property, left: one, right: other }) = left.union(&right) else {
        return Err(Violation::UnionAccepted { difference });
    };
    if let Some((key, before)) = changed(&left, &asked, &before.0).or_else(|| changed(&right, &asked, &before.1)) {
        return Err(Violation::UnionChangedOperand { key, before });
    }
    if one == other || property.is_empty() {
        return Err(Violation::IncompatibleUnnamed { property, left: one.to_string(), right: other.to_string() });
    }
    Ok(())
}
