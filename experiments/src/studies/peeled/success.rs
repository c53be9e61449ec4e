//! How often a try to peel succeeds.

use amq::{Claim, Digest};

use super::Form;
use crate::error::HarnessError;
use crate::studies::{AlongAxis, Case, EXACT, Formula, Observations, Quantity, Study};

/// The most tries of a repetition at one position, unless more are asked for.
const MOST_TRIES: u64 = 24;
/// How far below the peeling threshold nothing peels, at ten thousand keys and more.
const FAR_BELOW: f64 = 0.97;

const SUCCESS_SHARE: &[Quantity] = &[Quantity::share("success")];
const PAIRS: &str = "exp(-C(n,2) / choices): no two keys share all cells";

/// Success of a try against the number of keys.
pub const SUCCESS: Study = Study {
    name: "peel-success",
    about: "share of tries that peel, against the keys from `least` to the point's, `growth` segments above the published size",
    factors: &["least", "work", "tries", "apart", "by", "growth"],
    quantities: SUCCESS_SHARE,
    axis: Some(AlongAxis {
        name: "n",
        positions: |case| {
            let (least, most) = (case.count("least", 30)?, case.keys());
            if case.name("by").is_some() {
                return Ok((least..=most).step_by(case.count("by", 1)? as usize).map(|keys| keys as f64).collect());
            }
            let apart = case.number("apart", 1.0)?;
            Ok(Form::of(case)?.steps(least.min(most), most, |_| apart).into_iter().map(|keys| keys as f64).collect())
        },
    }),
    observe: |case| {
        let (form, positions) = (Form::of(case)?, SUCCESS.positions(case)?);
        let (work, tries, growth) = (case.number("work", 1.0)?, case.count("tries", 1)?, growth(case)?);
        let mut seen = Observations::new(&SUCCESS, positions.len());
        let keys = case.digests(0, case.keys())?;
        for (position, count) in positions.into_iter().enumerate() {
            // Small sets are tried more often: they cost less.
            let tries = ((work / count) as u64).clamp(tries, MOST_TRIES.max(tries));
            let peeled = tried(case, form, (count as u64, growth), tries, &keys[..count as usize])?;
            seen.add(position, 0, peeled, tries);
        }
        Ok(seen)
    },
    formulas: |case, positions| {
        let (form, growth) = (Form::of(case)?, growth(case)?);
        let at = |keys: &f64| {
            let pairs = pairs(form, (*keys as u64, growth), *keys);
            // At its published sizes fuse of 3 has no theory: where segments have just doubled it hardly ever succeeds.
            vec![if form.family == "fuse" && growth == 0 {
                Formula::line("success_pairs", pairs, PAIRS)
            } else {
                Formula::of("success", "success_pairs", pairs, Claim::AtMost, PAIRS)
            }]
        };
        Ok(positions.iter().map(at).collect())
    },
    cost_ns: |spec| spec.keys as f64 * 400.0 * 40.0,
};

fn growth(case: &Case<'_>) -> Result<u32, HarnessError> {
    Ok(case.count("growth", 0)? as u32)
}

/// Tries of this repetition that peel `keys`, in the array for so many keys and so much growth.
fn tried(case: &Case<'_>, form: Form, size: (u64, u32), tries: u64, keys: &[Digest]) -> Result<u64, HarnessError> {
    let (seed, mut peeled) = (case.seed("peel"), 0);
    for number in 0..tries as u32 {
        let one = (form.peels)(size, seed, number, keys).map_err(|error| case.unfit(&error.to_string()))?;
        peeled += u64::from(one);
    }
    Ok(peeled)
}

/// The probability that no two of `keys` keys have all their cells in common, in the array for so many keys and so much
/// growth: two that do cannot be peeled.
fn pairs(form: Form, (planned, growth): (u64, u32), keys: f64) -> f64 {
    (-keys * (keys - 1.0) / 2.0 / (form.choices)(planned, growth)).exp()
}

/// Success of a try against the size of the array.
pub const SUCCESS_OF_SIZES: Study = Study {
    name: "peel-success-of-sizes",
    about: "share of tries that peel, against cells per key: fewer and more keys in the array that is published for the point's",
    factors: &["tries", "from", "to", "step"],
    quantities: SUCCESS_SHARE,
    axis: Some(AlongAxis {
        name: "cells_per_key",
        positions: |case| {
            let (from, to, step) = (case.number("from", 0.5)?, case.number("to", 0.5)?, case.number("step", 1e-3)?);
            Ok((0..=((to - from) / step + 1e-9) as u32).map(|number| from + f64::from(number) * step).collect())
        },
    }),
    observe: |case| {
        let (form, tries) = (Form::of(case)?, case.count("tries", 1)?);
        let positions = SUCCESS_OF_SIZES.positions(case)?;
        let mut seen = Observations::new(&SUCCESS_OF_SIZES, positions.len());
        let most = positions.iter().map(|cells| held(form, case.keys(), *cells)).max().unwrap_or(0);
        let keys = case.digests(0, most)?;
        for (position, cells) in positions.into_iter().enumerate() {
            let keys = &keys[..held(form, case.keys(), cells) as usize];
            seen.add(position, 0, tried(case, form, (case.keys(), 0), tries, keys)?, tries);
        }
        Ok(seen)
    },
    formulas: |case, positions| {
        let (form, planned) = (Form::of(case)?, case.keys());
        let threshold = form.threshold.recip();
        let at = |cells: &f64| {
            let formula = if *cells < FAR_BELOW * threshold {
                let source = "below the peeling threshold a core remains";
                Formula::of("success", "success_pairs", 0.0, EXACT, source)
            } else {
                let pairs = pairs(form, (planned, 0), held(form, planned, *cells) as f64);
                Formula::of("success", "success_pairs", pairs, Claim::AtMost, PAIRS)
            };
            let limit = Formula::line("success_limit", f64::from(*cells > threshold), "peeling threshold as n grows");
            let published = (form.published_cells)(planned) as f64 / planned as f64;
            vec![formula, limit, Formula::line("published_cells_per_key", published, "Graf and Lemire")]
        };
        Ok(positions.iter().map(at).collect())
    },
    cost_ns: |spec| spec.keys as f64 * 500.0 * 40.0,
};

/// Keys for so many cells each.
fn held(form: Form, planned: u64, cells_per_key: f64) -> u64 {
    ((form.published_cells)(planned) as f64 / cells_per_key).round() as u64
}

#[cfg(test)]
mod tests {
    use super::super::FORMS;
    use super::*;

    /// 10 keys in thirds of 14 cells: 45 pairs, 14^3 choices. 1000 keys in fuse of 3: 11 segments of 128 cells, of which 9
    /// can be the first. FIELD 8 has 98.4 % for xor of 10 keys.
    #[test]
    fn pairs_of_keys_that_share_their_cells() {
        let near = |left: f64, right: f64| assert!((left - right).abs() < 1e-9, "{left} and {right}");
        near(pairs(FORMS[0], (10, 0), 10.0), (-45.0f64 / 2744.0).exp());
        near(pairs(FORMS[1], (1000, 0), 1000.0), (-499_500.0f64 / (9.0 * 128.0 * 128.0 * 128.0)).exp());
        near(pairs(FORMS[1], (1000, 2), 1000.0), (-499_500.0f64 / (11.0 * 128.0 * 128.0 * 128.0)).exp());
        near(pairs(FORMS[2], (100, 0), 100.0), (-4950.0f64 / (18.0 * 4096.0)).exp());
    }

    #[test]
    fn the_array_is_that_of_the_planned_keys() {
        assert_eq!(held(FORMS[0], 1_000_000, 1.0), 1_230_030);
        assert_eq!(held(FORMS[1], 1_000_000, 1.130_496), 1_000_000);
    }
}
