//! How often a try to peel succeeds.

use amq::Claim;

use super::Form;
use crate::error::HarnessError;
use crate::studies::{AlongAxis, Case, Formula, Observations, Quantity, Study};

/// The least success of a try that the crate documents: at the published size of xor and of fuse of 4, and of fuse of 3
/// with one more segment.
const DOCUMENTED: f64 = 0.85;

/// Success of a try against the number of keys.
pub const SUCCESS: Study = Study {
    name: "peel-success",
    about: "share of tries that peel, against the keys from `least` to the point's, `segments_more` above the published size",
    factors: &["least", "tries", "apart", "by", "segments_more"],
    quantities: &[Quantity::share("success")],
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
        let (tries, growth) = (case.count("tries", 1)?, segments_more(case)?);
        let mut seen = Observations::new(&SUCCESS, positions.len());
        let keys = case.digests(0, case.keys())?;
        for (position, count) in positions.into_iter().enumerate() {
            let peeled = tried(case, tries, |seed, number| (form.peels)(growth, seed, number, &keys[..count as usize]))?;
            seen.add(position, 0, peeled, tries);
        }
        Ok(seen)
    },
    formulas: |case, positions| {
        let (form, growth) = (Form::of(case)?, segments_more(case)?);
        let documented = if form.family == "fuse" && growth == 0 {
            // Where segments have just doubled, hardly ever.
            Formula::line("documented", f64::NAN, "none")
        } else {
            Formula::of("success", "documented", DOCUMENTED, Claim::AtLeast, "documented: a try fails in 0 to 15 %")
        };
        let cells = |keys: &f64| {
            let keys = *keys as u64;
            ((form.published_cells)(keys) + u64::from(growth) * (form.step_cells)(keys)) as f64 / keys as f64
        };
        Ok(positions.iter().map(|keys| vec![documented, Formula::line("cells_per_key", cells(keys), "geometry")]).collect())
    },
    cost_ns: |spec| spec.keys as f64 * 2000.0 * 40.0,
};

fn segments_more(case: &Case<'_>) -> Result<u32, HarnessError> {
    Ok(case.count("segments_more", 0)? as u32)
}

/// Tries of this repetition that peel.
fn tried(
    case: &Case<'_>,
    tries: u64,
    peels: impl Fn(u64, u32) -> Result<bool, amq::InvalidParams>,
) -> Result<u64, HarnessError> {
    let (seed, mut peeled) = (case.seed("peel"), 0);
    for number in 0..tries as u32 {
        peeled += u64::from(peels(seed, number).map_err(|error| case.unfit(&error.to_string()))?);
    }
    Ok(peeled)
}

/// Success of a try against the size of the array.
pub const SUCCESS_OF_SIZES: Study = Study {
    name: "peel-success-of-sizes",
    about: "share of tries that peel, against cells per key around the peeling threshold",
    factors: &["tries"],
    quantities: &[Quantity::share("success")],
    axis: Some(AlongAxis {
        name: "cells_per_key",
        positions: |case| {
            let sizes = sizes(case)?;
            Ok(sizes.into_iter().map(|cells| cells as f64 / case.keys() as f64).collect())
        },
    }),
    observe: |case| {
        let (form, sizes, tries) = (Form::of(case)?, sizes(case)?, case.count("tries", 1)?);
        let mut seen = Observations::new(&SUCCESS_OF_SIZES, sizes.len());
        let keys = case.digests(0, case.keys())?;
        for (position, cells) in sizes.into_iter().enumerate() {
            let peeled = tried(case, tries, |seed, number| (form.peels_in)(cells, seed, number, &keys))?;
            seen.add(position, 0, peeled, tries);
        }
        Ok(seen)
    },
    formulas: |case, positions| {
        let form = Form::of(case)?;
        let threshold = form.threshold.recip();
        let published = (form.published_cells)(case.keys()) as f64 / case.keys() as f64;
        let at = |cells: &f64| {
            let source = "peeling threshold as n grows";
            let mut all = vec![
                Formula::line("threshold_cells", threshold, source),
                Formula::line("published_cells_per_key", published, "Graf and Lemire"),
            ];
            if *cells < threshold {
                // Below it a core that is a good part of the keys is left.
                all.push(Formula::of("success", "limit", 0.5, Claim::AtMost, source));
            }
            all
        };
        Ok(positions.iter().map(at).collect())
    },
    cost_ns: |spec| spec.keys as f64 * 500.0 * 40.0,
};

/// Arrays from 6 % below the threshold to 16 % above it, about a per cent apart.
fn sizes(case: &Case<'_>) -> Result<Vec<u64>, HarnessError> {
    let (form, keys) = (Form::of(case)?, case.keys());
    let (grain, threshold) = ((form.grain)(keys), keys as f64 / form.threshold);
    let step = ((threshold * 0.01) as u64 / grain).max(1) * grain;
    let least = (threshold * 0.94) as u64 / grain * grain;
    let all = (0..).map(|number| least + number * step);
    Ok(all.take_while(|cells| *cells as f64 <= threshold * 1.16).collect())
}
