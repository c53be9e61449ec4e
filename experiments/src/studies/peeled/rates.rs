//! The rate at every width of fingerprints, also of those that no contender has.

use amq::{Digest, Given, StaticFilter, Theory};
use xor::{FuseFilter, XorFilter};

use crate::error::HarnessError;
use crate::keys::CHUNK;
use crate::studies::{Case, EXACT, Formula, Observations, Quantity, Study};

/// The rate against the width.
pub const RATES: Study = Study {
    name: "peeled-rates",
    about: "false-positive rate of `layout` (xor, fuse, fuse4) with fingerprints of `width` bits",
    factors: &["layout", "width"],
    quantities: &[Quantity::share("fpr")],
    axis: None,
    observe: |case| {
        let layout = case.name("layout").unwrap_or_default();
        let width = case.count("width", 1)?;
        let row = BUILDS.iter().find(|(name, bits, _)| *name == layout && u64::from(*bits) == width);
        let Some((_, _, rate)) = row else {
            return Err(case.unfit(&format!("no `{layout}` of {width} bits: xor, fuse, fuse4 of 2, 4, 6, 8, 10, 12")));
        };
        let mut seen = Observations::new(&RATES, 1);
        let (hits, probes) = rate(case)?;
        seen.add(0, 0, hits, probes);
        Ok(seen)
    },
    formulas: |case, _| {
        let rate = (-case.number("width", 1.0)?).exp2();
        Ok(vec![vec![Formula::of("fpr", "predicted_fpr", rate, EXACT, "2^-W: fingerprints independent of positions")]])
    },
    cost_ns: |spec| spec.keys as f64 * 100.0 + spec.amount.most_probes as f64 / spec.amount.filters as f64 * 7.0,
};

type Rate = fn(&Case<'_>) -> Result<(u64, u64), HarnessError>;

macro_rules! builds {
    ($($width:literal),*) => {
        &[$(
            ("xor", $width, rate::<XorFilter<$width>> as Rate),
            ("fuse", $width, rate::<FuseFilter<3, $width>>),
            ("fuse4", $width, rate::<FuseFilter<4, $width>>),
        )*]
    };
}

const BUILDS: &[(&str, u32, Rate)] = builds![2, 4, 6, 8, 10, 12];

/// Absent keys that a filter of this repetition's members says yes to, of all that were asked.
fn rate<F: StaticFilter + Theory>(case: &Case<'_>) -> Result<(u64, u64), HarnessError> {
    let unfit = |error: String| case.unfit(&error);
    let (keys, probes) = (case.keys(), case.probes());
    let params = F::params_from(&Given::default(), keys).map_err(|error| unfit(error.to_string()))?;
    let members: Vec<Digest> = case.digests(0, keys)?;
    let filter = F::build(&params, case.seed("filter"), &members).map_err(|error| unfit(error.to_string()))?;
    if filter.count_contained(&members) < keys {
        return Err(unfit("a member was denied".to_owned()));
    }
    let mut hits = 0;
    for start in (keys..keys + probes).step_by(CHUNK as usize) {
        hits += filter.count_contained(&case.digests(start, (start + CHUNK).min(keys + probes))?);
    }
    Ok((hits, probes))
}
