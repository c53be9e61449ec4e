//! Studies of the filters that are built by peeling: xor and binary fuse.

mod build;
mod rates;
mod space;
mod success;

pub use build::BUILD;
pub use rates::RATES;
pub use space::SPACE;
pub use success::{SUCCESS, SUCCESS_OF_SIZES};

use amq::{Digest, InvalidParams};
use xor::{Layout, Segments, Thirds};

use super::Case;
use crate::error::HarnessError;

/// Whether try `number` of a seed peels keys in the array for so many keys and so many steps of growth.
type Peels = fn(size: (u64, u32), seed: u64, number: u32, keys: &[Digest]) -> Result<bool, InvalidParams>;

/// What a contender's id says of its layout.
#[derive(Clone, Copy)]
struct Form {
    /// The id up to the width.
    family: &'static str,
    published_cells: fn(u64) -> u64,
    step_cells: fn(u64) -> u64,
    /// Keys per cell.
    threshold: f64,
    limit: f64,
    peels: Peels,
    /// Ways to choose the cells of a key, all alike, in that array.
    choices: fn(keys: u64, growth: u32) -> f64,
}

const fn form<L: Layout>(family: &'static str, choices: fn(u64, u32) -> f64) -> Form {
    Form {
        family,
        published_cells: L::published_cells,
        step_cells: L::step_cells,
        threshold: L::THRESHOLD,
        limit: L::LIMIT,
        peels: |(planned, growth), seed, number, keys| xor::peels(&L::new(planned, growth)?, seed, number, keys),
        choices,
    }
}

/// The first cell is one of all segments but the last ones, each other one of its segment.
fn segment_choices<L: Layout>(keys: u64, growth: u32) -> f64 {
    let segment = L::step_cells(keys) as f64;
    let cells = L::published_cells(keys) as f64 + f64::from(growth) * segment;
    (cells - f64::from(L::ARITY - 1) * segment) * segment.powi(L::ARITY as i32 - 1)
}

const FORMS: [Form; 3] = [
    form::<Thirds>("xor", |keys, _| (Thirds::published_cells(keys) as f64 / 3.0).powi(3)),
    form::<Segments<3>>("fuse", segment_choices::<Segments<3>>),
    form::<Segments<4>>("fuse4", segment_choices::<Segments<4>>),
];

impl Form {
    fn of(case: &Case<'_>) -> Result<Self, HarnessError> {
        let family = case.spec().id.split('-').next().unwrap_or_default();
        FORMS
            .into_iter()
            .find(|form| form.family == family)
            .ok_or_else(|| case.unfit("a filter that is built by peeling is needed: xor-8, fuse-8, fuse4-8, ..."))
    }

    /// Numbers of keys from `least` to `most`: the last one of each size of the array and the first one of the next, as long
    /// as they are `apart(n)` or more from the ones before; where sizes come one by one, that far apart.
    fn steps(self, least: u64, most: u64, apart: impl Fn(u64) -> f64) -> Vec<u64> {
        let mut all = vec![least];
        let mut last = least;
        while last < most {
            let near = ((last as f64 * apart(last)) as u64).clamp(last + 1, most);
            let (cells, mut low, mut high) = ((self.published_cells)(near), near, most);
            if (self.published_cells)(most) == cells {
                break;
            }
            // Cells never fall as keys come, where the length of a segment doubles neither: the next change is found.
            while high - low > 1 {
                let middle = u64::midpoint(low, high);
                if (self.published_cells)(middle) == cells { low = middle } else { high = middle }
            }
            // Without segments each size is its own.
            all.extend(if (self.step_cells)(low) == 0 { vec![high] } else { vec![low, high] });
            last = high;
        }
        all.push(most);
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends of the zone where the published sizing of fuse of 3 fails, which ends at 11,521 keys.
    #[test]
    fn steps_are_where_the_array_grows() {
        let steps = FORMS[1].steps(1000, 100_000, |_| 1.0);
        for pair in steps[1..steps.len() - 1].chunks(2) {
            assert_eq!(pair[0] + 1, pair[1]);
            assert_ne!((FORMS[1].published_cells)(pair[0]), (FORMS[1].published_cells)(pair[1]), "{pair:?}");
        }
        for worst in [3551, 11_521, 12_372, 37_454] {
            assert!(steps.contains(&worst) && steps.contains(&(worst + 1)), "{worst}");
        }
        assert!(steps.is_sorted() && steps[0] == 1000 && steps.ends_with(&[100_000]));
        assert!(FORMS[1].steps(1000, 100_000, |_| 1.5).len() < steps.len() / 3);
        assert_eq!(FORMS[0].steps(7, 7, |_| 1.1), [7]);
    }

    #[test]
    fn arrays_peel_or_not() {
        let keys: Vec<Digest> = (0..3000u64).map(|key| Digest(hashing::mix::mix64(key))).collect();
        for form in FORMS {
            let peeled = |keys| (0..64).filter(|seed| (form.peels)((2000, 0), *seed, 0, keys) == Ok(true)).count();
            // Two keys with the same cells are one try in two hundred.
            assert!(peeled(&keys[..1500]) >= 60, "{}", form.family);
            assert_eq!(peeled(&keys), 0, "{}", form.family);
        }
    }
}
