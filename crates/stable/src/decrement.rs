//! Which cells an arrival lowers.

use std::fmt::Debug;

use bits::PackedVec;
use hashing::mix::mix64;

/// 2^64 over the golden ratio, odd: the step of SplitMix64.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Keeps the draws of a seed apart from the words that positions are derived with.
const TAG: u64 = u64::from_le_bytes(*b"stable\0\0");

/// The random draws of a filter: SplitMix64, so that its whole state is the number of draws made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    key: u64,
    made: u64,
}

impl Draws {
    /// The draws of `seed`, from the first one.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { key: mix64(seed ^ TAG), made: 0 }
    }

    /// The draws of `seed` once `made` were made.
    #[must_use]
    pub fn after(seed: u64, made: u64) -> Self {
        Self { made, ..Self::new(seed) }
    }

    /// The next draw, uniform in `0..range` but for `range / 2^64`.
    #[inline]
    pub fn below(&mut self, range: u64) -> u64 {
        self.made = self.made.wrapping_add(1);
        let word = mix64(self.key.wrapping_add(self.made.wrapping_mul(STEP)));
        ((u128::from(word) * u128::from(range)) >> 64) as u64
    }

    /// Draws made so far.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.made
    }
}

/// How the lowered cells of one arrival hang together: what the theory needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// `p` distinct cells in a row: neighbours fade together.
    Run,
    /// `p` draws with replacement.
    Independent,
}

/// A way to lower `p` cells at each arrival; a cell at 0 stays there.
pub trait Decrement: Copy + Default + Debug + Send + Sync + 'static {
    /// The name in tables.
    const NAME: &'static str;
    /// Its law.
    const LAW: Law;
    /// Lowers `p` of `cells`, `p` at most their number.
    fn apply(cells: &mut PackedVec, p: u64, draws: &mut Draws);
}

/// `p` consecutive cells (modulo `m`) from a random start: one draw for an arrival, what the paper proposes for speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run;

impl Decrement for Run {
    const NAME: &'static str = "run";
    const LAW: Law = Law::Run;

    #[inline]
    fn apply(cells: &mut PackedVec, p: u64, draws: &mut Draws) {
        let start = draws.below(cells.len());
        let head = p.min(cells.len() - start);
        cells.decrement_run(start, head);
        cells.decrement_run(0, p - head);
    }
}

/// `p` cells drawn independently, so that one cell may be lowered more than once: `p` draws for an arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Independent;

impl Decrement for Independent {
    const NAME: &'static str = "independent";
    const LAW: Law = Law::Independent;

    #[inline]
    fn apply(cells: &mut PackedVec, p: u64, draws: &mut Draws) {
        for _ in 0..p {
            let at = draws.below(cells.len());
            cells.decrement(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(cells: u64) -> PackedVec {
        let mut full = PackedVec::zeros(cells, 2).unwrap();
        (0..cells).for_each(|at| full.set(at, 3));
        full
    }

    fn lowered(cells: &PackedVec) -> Vec<u64> {
        (0..cells.len()).map(|at| 3 - cells.get(at)).collect()
    }

    #[test]
    fn a_run_is_a_run_modulo_the_number_of_cells() {
        let mut wrapped = 0;
        for seed in 0..200 {
            let (mut cells, mut draws) = (full(10), Draws::new(seed));
            Run::apply(&mut cells, 4, &mut draws);
            let (lowered, start) = (lowered(&cells), Draws::new(seed).below(10));
            let expected: Vec<u64> = (0..10).map(|at| u64::from((at + 10 - start) % 10 < 4)).collect();
            assert_eq!((lowered, draws.made()), (expected, 1));
            wrapped += u64::from(start > 6);
        }
        assert!((30..=90).contains(&wrapped), "{wrapped} of 200 go around");
    }

    #[test]
    fn a_run_may_be_all_cells() {
        let mut cells = full(7);
        Run::apply(&mut cells, 7, &mut Draws::new(3));
        assert_eq!(lowered(&cells), [1; 7]);
    }

    #[test]
    fn independent_cells_are_those_drawn_and_stop_at_0() {
        let (mut cells, mut draws, mut again) = (full(5), Draws::new(9), Draws::new(9));
        Independent::apply(&mut cells, 12, &mut draws);
        let mut expected = [0; 5];
        (0..12).for_each(|_| expected[again.below(5) as usize] += 1);
        let capped = expected.iter().map(|count: &u64| (*count).min(3)).collect();
        assert_eq!((lowered(&cells), draws.made()), (capped, 12));
        for _ in 0..20 {
            Independent::apply(&mut cells, 12, &mut draws);
        }
        assert_eq!(cells.count_nonzero(), 0);
    }

    /// Null: draws are uniform, one by one and in pairs. Chi-square with 99 degrees of freedom over 100,000 draws,
    /// alpha = 1e-7 each; the smallest effect is a deviation of all cells by 4.5 %.
    #[test]
    fn draws_are_uniform_one_by_one_and_in_pairs() {
        let (mut single, mut pairs, mut draws, mut last) = (vec![0u64; 100], vec![0u64; 100], Draws::new(1), 0);
        for _ in 0..100_000 {
            let draw = draws.below(100);
            single[draw as usize] += 1;
            pairs[(last / 10 * 10 + draw / 10) as usize] += 1;
            last = draw;
        }
        for counts in [single, pairs] {
            let fit = stats::chi_square_uniform(&counts).unwrap();
            assert!(fit.p_value > 1e-7, "{fit:?}");
        }
    }
}
