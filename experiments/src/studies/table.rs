//! The derived rows of a study: one for each position of each point.

use amq::Claim;

use super::judge::BOOTSTRAP_SEED;
use super::{Case, Formula, Judged, Kind, Observations, Study, judge};
use crate::error::HarnessError;
use crate::model::Point;
use crate::record::Record;
use crate::table::text;
use crate::verdict::{Verdict, planned_effect};

/// Pairs of column and cell.
type Cells = Vec<(String, String)>;

/// Cells of each position: the axis, the formulas, the quantities with intervals and verdicts.
///
/// # Errors
/// [`HarnessError`] for raw rows of another shape and factors out of range.
pub fn rows(point: &Point, study: &Study, records: &[&Record], outcome: &str) -> Result<Vec<Cells>, HarnessError> {
    if point.spec.params.is_err() {
        return Ok(vec![vec![("verdict".to_owned(), Verdict::NotTested.name().to_owned())]]);
    }
    let case = Case::new(point, study, 0);
    let positions = study.positions(&case)?;
    let formulas = (study.formulas)(&case, &positions)?;
    if formulas.len() != positions.len() {
        let why = format!("{} positions, {} sets of formulas", positions.len(), formulas.len());
        return Err(HarnessError::Failed(format!("study `{}`: {why}", study.name)));
    }
    let observed: Vec<Observations> = records
        .iter()
        .filter_map(|record| record.observed.as_ref())
        .map(|text| Observations::from_text(text, study, positions.len()))
        .collect::<Result<_, _>>()
        .map_err(|why| HarnessError::Failed(format!("study `{}`: {why}: the raw rows were changed", study.name)))?;
    positions
        .iter()
        .zip(&formulas)
        .enumerate()
        .map(|(position, (x, formulas))| {
            let mut cells = Cells::new();
            if let Some(axis) = study.axis {
                cells.push((axis.name.to_owned(), text(Some(*x))));
            }
            let at = |quantity| observed.iter().map(|seen| seen.get(position, quantity)).collect::<Vec<_>>();
            quantities(point, study, at, formulas, outcome, &mut cells)?;
            Ok(cells)
        })
        .collect()
}

fn quantities(
    point: &Point,
    study: &Study,
    at: impl Fn(usize) -> Vec<(u64, u64)>,
    formulas: &[Formula],
    outcome: &str,
    cells: &mut Cells,
) -> Result<(), HarnessError> {
    let mut put = |name: &str, cell: String| cells.push((name.to_owned(), cell));
    for formula in formulas {
        put(formula.name, text(Some(formula.value)));
    }
    let mut verdicts = Vec::new();
    let mut tested: Option<(Formula, f64, Judged)> = None;
    for (index, quantity) in study.quantities.iter().enumerate() {
        let pairs = at(index);
        // A quantity may be held against several: a bound from each side.
        let about: Vec<Option<&Formula>> =
            formulas.iter().filter(|formula| formula.tests == Some(quantity.name)).map(Some).collect();
        for (which, formula) in if about.is_empty() { vec![None] } else { about }.into_iter().enumerate() {
            let effect = point.spec.amount.effect.unwrap_or_else(|| formula.map_or(1.0, |of| planned_effect(of.value)));
            let judged = judge(quantity.kind, &pairs, formula, effect).map_err(|error| {
                HarnessError::Failed(format!("study `{}`: {error}: the raw rows were changed", study.name))
            })?;
            if which == 0 {
                put(quantity.name, text(judged.value));
                let spread = if quantity.kind == Kind::Time { "_median" } else { "" };
                if quantity.kind == Kind::Time {
                    put(&format!("{}_median", quantity.name), text(judged.median));
                }
                put(&format!("{}{spread}_low", quantity.name), text(judged.low));
                put(&format!("{}{spread}_high", quantity.name), text(judged.high));
                put(&format!("{}_trials", quantity.name), judged.trials.to_string());
                if let Some(other) =
                    quantity.over.and_then(|name| study.quantities.iter().position(|of| of.name == name))
                {
                    for (column, cell) in over(quantity.name, study.quantities[other].name, &pairs, &at(other)) {
                        put(&column, cell);
                    }
                }
            }
            if let (Some(formula), Some(verdict)) = (formula, judged.verdict) {
                verdicts.push(verdict);
                // The row speaks of the test that went worst.
                let worse = tested.as_ref().is_none_or(|(_, _, before)| {
                    let p = |judged: &Judged| judged.p_value.unwrap_or(1.0);
                    p(&judged) < p(before)
                });
                if worse {
                    tested = Some((*formula, effect, judged));
                }
            }
        }
    }
    put("claim", tested.map_or("", |(formula, _, _)| formula.claim.name()).to_owned());
    put("source", tested.map_or("", |(formula, _, _)| formula.source).to_owned());
    put("effect", text(tested.map(|(_, effect, _)| effect)));
    put("detectable", text(tested.and_then(|(_, _, judged)| judged.detectable)));
    put("p_value", text(tested.and_then(|(_, _, judged)| judged.p_value)));
    put("verdict", overall(&verdicts, formulas, outcome).map_or("", Verdict::name).to_owned());
    Ok(())
}

/// A time over another one of the same repetitions: least over least, and the median of the ratios with its interval.
fn over(name: &str, other: &str, above: &[(u64, u64)], below: &[(u64, u64)]) -> [(String, String); 4] {
    let both = above.iter().zip(below).filter(|((_, n), (_, m))| *n > 0 && *m > 0);
    let each = |(sum, trials): &(u64, u64)| *sum as f64 / *trials as f64;
    let (above, below): (Vec<f64>, Vec<f64>) = both.map(|(above, below)| (each(above), each(below))).unzip();
    let least = |values: &[f64]| values.iter().copied().reduce(f64::min);
    let of_least = least(&above).zip(least(&below)).map(|(above, below)| above / below);
    let median = stats::median_ratio(&above, &below, 0.95, BOOTSTRAP_SEED).ok();
    // `batch_hit_ns` over `limit_hit_ns` is `batch_hit_over_limit`.
    let word = other.split('_').next().unwrap_or(other);
    let stem = format!("{}_over_{word}", name.trim_end_matches("_ns"));
    [
        (format!("{stem}_median"), text(median.map(|of| of.0))),
        (format!("{stem}_median_low"), text(median.map(|of| of.1.low))),
        (format!("{stem}_median_high"), text(median.map(|of| of.1.high))),
        (stem, text(of_least)),
    ]
}

/// The worst of all tests; a row without anything to test has none.
fn overall(verdicts: &[Verdict], formulas: &[Formula], outcome: &str) -> Option<Verdict> {
    let claims = formulas.iter().any(|formula| formula.tests.is_some() && formula.claim != Claim::Limit);
    if outcome != "ok" {
        return (claims || !verdicts.is_empty()).then_some(Verdict::NotTested);
    }
    let worst = [Verdict::LawViolated, Verdict::AboveTheory, Verdict::BelowTheory, Verdict::NotTested, Verdict::Agrees];
    worst.into_iter().find(|verdict| verdicts.contains(verdict))
}
