//! Values as counters: those at the positions of a key are raised and lowered by one, each distinct one once.

use crate::fields::{Change, FieldVec};
use crate::probe::{Walk, ahead};

/// The most positions of a key.
const MOST: usize = 64;
/// Up to this many positions a small buffer is enough, which costs less to make.
const FEW: usize = 8;

/// What [`lower_all`] found at the positions of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowered {
    /// A counter of 0; nothing was changed.
    Absent,
    /// Counters at the ceiling only, which are not lowered.
    Stuck,
    /// At least one counter below the ceiling; those were lowered.
    Some,
}

/// Finds what to write at the next positions, one for each place in `changes`, before anything is written: `change` gives
/// the new count for the one that is there.
///
/// A position that comes twice has the same count both times, so the same new one is written twice: distinct positions
/// count once without being looked for (measured by `fill` and `remove` of the bench `counters` of `amq-counting`).
#[inline(always)]
fn find<const W: u32>(
    values: &FieldVec<W>,
    changes: &mut [Change],
    mut walk: impl Walk,
    mut change: impl FnMut(u64) -> u64,
) {
    changes.iter_mut().for_each(|found| *found = values.change(walk.step(), &mut change));
}

/// Raises the counter at each distinct one of the next `k` positions by one, but not above the ceiling
/// [`MAX`](FieldVec::MAX).
///
/// # Panics
/// When `k` is above 64.
#[inline]
pub fn raise_all<const W: u32>(values: &mut FieldVec<W>, k: u32, walk: impl Walk) {
    if k as usize <= FEW { raise::<FEW, W>(values, k, walk) } else { raise::<MOST, W>(values, k, walk) }
}

#[inline]
fn raise<const N: usize, const W: u32>(values: &mut FieldVec<W>, k: u32, walk: impl Walk) {
    let one_more = |count| count + u64::from(count < FieldVec::<W>::MAX);
    let mut buffer = [Change::default(); N];
    let changes = &mut buffer[..k as usize];
    find(values, changes, walk, one_more);
    changes.iter().for_each(|change| values.write(*change));
}

/// [`raise_all`] for each of `keys` keys, at the positions that `walk(i)` gives, in order.
///
/// # Panics
/// When `k` is above 64.
pub fn raise_all_batch<const W: u32, P: Walk>(
    values: &mut FieldVec<W>,
    k: u32,
    keys: usize,
    walk: impl FnMut(usize) -> P,
) {
    ahead(values, k, keys, walk, |values, walk| raise_all(values, k, walk));
}

/// Lowers the counter at each distinct one of the next `k` positions by one, but for those at the ceiling; if one of them
/// is 0, nothing is done.
///
/// # Panics
/// When `k` is above 64.
#[inline]
pub fn lower_all<const W: u32>(values: &mut FieldVec<W>, k: u32, walk: impl Walk) -> Lowered {
    if k as usize <= FEW { lower::<FEW, W>(values, k, walk) } else { lower::<MOST, W>(values, k, walk) }
}

#[inline]
fn lower<const N: usize, const W: u32>(values: &mut FieldVec<W>, k: u32, walk: impl Walk) -> Lowered {
    let (mut absent, mut free) = (false, false);
    let mut buffer = [Change::default(); N];
    let changes = &mut buffer[..k as usize];
    find(values, changes, walk, |count| {
        let lowered = count < FieldVec::<W>::MAX;
        absent |= count == 0;
        free |= lowered;
        count.wrapping_sub(lowered.into())
    });
    if absent {
        return Lowered::Absent;
    }
    changes.iter().for_each(|change| values.write(*change));
    if free { Lowered::Some } else { Lowered::Stuck }
}

/// [`lower_all`] for each of `keys` keys, at the positions that `walk(i)` gives, in order; `found` is told what was found for
/// each.
///
/// # Panics
/// When `k` is above 64.
pub fn lower_all_batch<const W: u32, P: Walk>(
    values: &mut FieldVec<W>,
    k: u32,
    keys: usize,
    walk: impl FnMut(usize) -> P,
    mut found: impl FnMut(Lowered),
) {
    ahead(values, k, keys, walk, |values, walk| found(lower_all(values, k, walk)));
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: u64 = 40;

    /// Positions of key `key`, some of them twice.
    fn walk(key: u64) -> impl FnMut() -> u64 {
        let mut state = key;
        move || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 40) % LEN
        }
    }

    fn distinct(key: u64, k: u32) -> Vec<u64> {
        let mut next = walk(key);
        let mut positions: Vec<u64> = (0..k).map(|_| next()).collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    /// Random raises and lowers against a list of counts, which looks for distinct positions. Gives back how often each
    /// answer was seen.
    fn like_a_list<const W: u32>(k: u32) -> [u32; 3] {
        let mut values = FieldVec::<W>::zeros(LEN).unwrap();
        let mut list = vec![0u64; LEN as usize];
        let max = FieldVec::<W>::MAX;
        let mut seen = [0; 3];
        for step in 0..400u64 {
            let key = step * step % 23;
            let positions = distinct(key, k);
            // Mostly up for a while, then down.
            if (step / 40 + step % 5 / 4) % 2 == 0 {
                raise_all(&mut values, k, walk(key));
                positions.iter().for_each(|at| list[*at as usize] = (list[*at as usize] + 1).min(max));
            } else {
                let counts: Vec<u64> = positions.iter().map(|at| list[*at as usize]).collect();
                let expected = match () {
                    () if counts.contains(&0) => Lowered::Absent,
                    () if counts.iter().all(|count| *count == max) => Lowered::Stuck,
                    () => Lowered::Some,
                };
                seen[expected as usize] += 1;
                assert_eq!(lower_all(&mut values, k, walk(key)), expected, "{W} bits, k = {k}, step {step}");
                if expected == Lowered::Some {
                    positions.iter().for_each(|at| list[*at as usize] -= u64::from(list[*at as usize] < max));
                }
            }
            assert!(values.iter().eq(list.iter().copied()), "{W} bits, k = {k}, step {step}");
        }
        seen
    }

    #[test]
    fn each_distinct_position_counts_once() {
        let mut seen = [0; 3];
        for k in [1, 2, 7, 8, 9, 15, 40, 64] {
            let widths = [like_a_list::<1>(k), like_a_list::<2>(k), like_a_list::<3>(k), like_a_list::<4>(k)];
            for counts in widths.into_iter().chain([like_a_list::<16>(k)]) {
                seen.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
            }
        }
        assert!(seen.iter().all(|count| *count > 100), "every answer is tested: {seen:?}");
    }

    /// In a near array and in a far one.
    #[test]
    fn a_batch_is_its_single_raises() {
        for len in [1000, 1 << 24] {
            let at = |key: usize| {
                let mut next = walk(key as u64);
                move || next() * (len / LEN)
            };
            let (mut batch, mut single) = (FieldVec::<4>::zeros(len).unwrap(), FieldVec::<4>::zeros(len).unwrap());
            raise_all_batch(&mut batch, 7, 100, at);
            (0..100).for_each(|key| raise_all(&mut single, 7, at(key)));
            assert_eq!(batch, single);
            assert!(batch.iter().any(|count| count > 0));
        }
    }

    #[test]
    #[should_panic(expected = "65")]
    fn more_than_64_positions_are_refused() {
        raise_all(&mut FieldVec::<4>::zeros(10).unwrap(), 65, || 0);
    }
}
