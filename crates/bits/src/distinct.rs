//! The distinct ones among a key's positions.

use crate::probe::Walk;

/// The most positions: as many as any filter probes.
const MOST: usize = 64;
/// Up to this many positions a small buffer is enough, which costs less to make.
const FEW: usize = 16;

/// Calls `act` once for each distinct one of the next `k` positions, in the order in which they first come.
///
/// All positions are taken before the first call, so that the reads of `act` overlap.
///
/// # Panics
/// When `k` is above 64.
#[inline]
pub fn for_each_distinct(k: u32, walk: impl Walk, act: impl FnMut(u64)) {
    if k as usize <= FEW { within::<FEW>(k, walk, act) } else { within::<MOST>(k, walk, act) }
}

#[inline]
fn within<const N: usize>(k: u32, mut walk: impl Walk, mut act: impl FnMut(u64)) {
    let mut buffer = [0; N];
    let taken = &mut buffer[..k as usize];
    taken.iter_mut().for_each(|slot| *slot = walk.step());
    for (index, at) in taken.iter().enumerate() {
        // Without a branch in the search: it nearly always goes to the end.
        if !taken[..index].iter().fold(false, |seen, earlier| seen | (earlier == at)) {
            act(*at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct(positions: &[u64]) -> Vec<u64> {
        let (mut next, mut seen) = (positions.iter(), Vec::new());
        for_each_distinct(positions.len() as u32, || *next.next().unwrap(), |at| seen.push(at));
        assert!(next.next().is_none(), "all positions are taken");
        seen
    }

    #[test]
    fn each_position_once_in_the_order_they_come() {
        assert_eq!(distinct(&[]), []);
        assert_eq!(distinct(&[5, 3, 5, 0, 3, 0, 7]), [5, 3, 0, 7]);
        assert_eq!(distinct(&[9; 64]), [9]);
        for k in [1, 15, 16, 17, 64] {
            let all: Vec<u64> = (100..100 + k).collect();
            assert_eq!(distinct(&all), all);
        }
    }

    #[test]
    #[should_panic(expected = "65")]
    fn more_than_64_positions_are_refused() {
        for_each_distinct(65, || 0, |_| ());
    }
}
