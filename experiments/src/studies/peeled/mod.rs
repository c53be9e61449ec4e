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
    /// Whether one try peels keys in the layout of so many steps of growth.
    peels: fn(growth: u32, seed: u64, number: u32, keys: &[Digest]) -> Result<bool, InvalidParams>,
    /// The same in a layout of about so many cells, in segments of the published length.
    peels_in: fn(cells: u64, seed: u64, number: u32, keys: &[Digest]) -> Result<bool, InvalidParams>,
    /// Sizes of arrays for so many keys come in steps of so many cells.
    grain: fn(u64) -> u64,
}

const fn form<L: Layout>(
    family: &'static str,
    grain: fn(u64) -> u64,
    peels_in: fn(u64, u64, u32, &[Digest]) -> Result<bool, InvalidParams>,
) -> Form {
    Form {
        family,
        published_cells: L::published_cells,
        step_cells: L::step_cells,
        threshold: L::THRESHOLD,
        limit: L::LIMIT,
        peels: |growth, seed, number, keys| {
            xor::peels(&L::new(keys.len() as u64, growth)?, seed, number, keys)
        },
        peels_in,
        grain,
    }
}

macro_rules! segments {
    ($family:literal, $arity:literal) => {
        form::<Segments<$arity>>($family, Segments::<$arity>::segment_for, |cells, seed, number, keys| {
            let segment = Segments::<$arity>::segment_for(keys.len() as u64);
            let layout = Segments::<$arity>::with_segments(segment.ilog2(), cells / segment)?;
            xor::peels(&layout, seed, number, keys)
        })
    };
}

const FORMS: [Form; 3] = [
    form::<Thirds>(
        "xor",
        |_| 3,
        |cells, seed, number, keys| xor::peels(&Thirds::with_third(cells / 3)?, seed, number, keys),
    ),
    segments!("fuse", 3),
    segments!("fuse4", 4),
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
            all.extend([low, high]);
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
    fn sizes_of_ones_own_peel_or_not() {
        let keys: Vec<Digest> = (0..2000u64).map(|key| Digest(hashing::mix::mix64(key))).collect();
        for form in FORMS {
            let grain = (form.grain)(2000);
            let sized = |cells: f64| (cells * 2000.0) as u64 / grain * grain;
            assert_eq!((form.peels_in)(sized(1.5), 1, 0, &keys), Ok(true), "{}", form.family);
            assert_eq!((form.peels_in)(sized(0.95), 1, 0, &keys), Ok(false), "{}", form.family);
        }
    }
}
