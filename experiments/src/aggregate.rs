//! From raw rows to one row for each point: pooled counts, intervals, theory, verdict.

use amq::{Claim, Class, Prediction};
use rayon::prelude::*;
use stats::ChiSquare;

use crate::error::HarnessError;
use crate::model::Point;
use crate::record::Record;
use crate::run::Plan;
use crate::spec::Model;
use crate::studies;
use crate::table::{Table, text};
use crate::verdict::{ALPHA, Evidence, Judgement, Verdict, judge, planned_effect};

/// Pairs of column and cell.
type Cells = Vec<(String, String)>;

/// The derived table of a run, a row for each point in the order of the definition.
///
/// # Errors
/// [`HarnessError::Failed`] for counts that are none.
pub fn aggregate(plan: &Plan, rows: &[Record]) -> Result<Table, HarnessError> {
    let mut by_point: std::collections::HashMap<&str, Vec<&Record>> = std::collections::HashMap::new();
    for row in rows {
        by_point.entry(row.point.as_str()).or_default().push(row);
    }
    let none = Vec::new();
    let derived: Vec<Vec<Cells>> = plan
        .points
        .par_iter()
        .map(|point| derive(point, by_point.get(point.identity.as_str()).unwrap_or(&none)))
        .collect::<Result<_, _>>()?;
    let mut table = Table::default();
    for cells in derived.into_iter().flatten() {
        table.push(cells);
    }
    explain(plan, &mut table);
    Ok(table)
}

/// Notes beside each disagreement what the definition says of it.
fn explain(plan: &Plan, table: &mut Table) {
    let notes: Vec<String> = table
        .rows
        .iter()
        .map(|row| {
            let off = [Verdict::AboveTheory.name(), Verdict::BelowTheory.name()].contains(&table.cell(row, "verdict"));
            let mut known = plan.definition.explained.iter();
            let found =
                known.find(|known| known.only.iter().all(|(name, value)| table.cell(row, name) == value.to_string()));
            found.filter(|_| off).map_or_else(String::new, |known| known.why.clone())
        })
        .collect();
    table.columns.push("explanation".to_owned());
    for (row, note) in table.rows.iter_mut().zip(notes) {
        row.push(note);
    }
}

fn derive(point: &Point, rows: &[&Record]) -> Result<Vec<Cells>, HarnessError> {
    let spec = &point.spec;
    let mut cells = Cells::new();
    let mut put = |name: &str, cell: String| cells.push((name.to_owned(), cell));
    put("measure", spec.measure.clone());
    put("point", point.identity.clone());
    put("model", spec.study.map_or(spec.model.name(), |study| study.name).to_owned());
    put("contender", spec.id.clone());
    put("params", spec.params_text());
    put("workload", spec.workload.to_string());
    put("family", spec.family.name().to_owned());
    // k seeds of one hash are a hash of their own to the reader, whatever family feeds them.
    let reseeded = spec.factor("scheme").as_deref() == Some("reseeded");
    put("hash", if reseeded { "murmur3, k seeds" } else { spec.family.name() }.to_owned());
    for (name, value) in &spec.factors {
        if !["workload", "family", "keys", "k", "m", "bits_per_key"].contains(&name.as_str()) {
            // The rate asked for; `fpr` is the measured one.
            put(if name == "fpr" { "target_fpr" } else { name }, value.to_string());
        }
    }
    put("keys", spec.keys.to_string());
    let outcome = if rows.len() < point.rows() as usize {
        "incomplete".to_owned()
    } else {
        rows.iter().map(|row| row.outcome.as_str()).find(|outcome| *outcome != "ok").unwrap_or("ok").to_owned()
    };
    put("outcome", outcome.clone());
    let sum = |of: fn(&Record) -> Option<u64>| rows.iter().filter_map(|row| of(row)).sum::<u64>();
    let has = |of: fn(&Record) -> Option<u64>| rows.iter().any(|row| of(row).is_some());
    let first = |of: fn(&Record) -> Option<u64>| rows.iter().find_map(|row| of(row));
    theory(point, &mut cells);
    let bits =
        first(|row| row.payload_bits).zip(first(|row| row.overhead_bits)).map(|(payload, overhead)| payload + overhead);
    let per_key = bits.map(|bits| bits as f64 / spec.keys.max(1) as f64);
    if spec.contender.is_some() && !cells.iter().any(|(column, _)| column == "bits_per_key") {
        // A filter whose theory does not name it: what was allocated.
        cells.push(("bits_per_key".to_owned(), text(per_key)));
        cells.push(("bound_fpr".to_owned(), text(per_key.map(Class::static_rate))));
    }
    let mut put = |name: &str, cell: String| cells.push((name.to_owned(), cell));
    put("bits", bits.map_or_else(String::new, |bits| bits.to_string()));
    put("bytes_per_key", text(bits.map(|bits| bits as f64 / 8.0 / spec.keys.max(1) as f64)));
    put("filters", if has(|row| row.filters) { sum(|row| row.filters).to_string() } else { String::new() });
    put("probes", if has(|row| row.probes) { sum(|row| row.probes).to_string() } else { String::new() });
    if let Some(study) = spec.study {
        let of_study = studies::table::rows(point, study, rows, &outcome)?;
        return Ok(of_study.into_iter().map(|more| cells.iter().cloned().chain(more).collect()).collect());
    }
    for (name, of) in [
        ("min_ns", (|row: &Record| row.min_ps) as fn(&Record) -> Option<u64>),
        ("median_ns", |row: &Record| row.median_ps),
    ] {
        if point.is_timed() {
            put(name, text(first(of).map(|ps| ps as f64 / 1000.0)));
        }
    }
    match spec.model {
        Model::Rate | Model::WeakSpots | Model::LookupTime | Model::HashSetTime => {
            let evidence = evidence(point, rows);
            let judgement = match evidence.filter(|_| outcome == "ok" || outcome == "law-violated") {
                Some(evidence) => Some((evidence, judge(&evidence).map_err(|error| impossible(point, &error))?)),
                None => None,
            };
            rate_cells(&mut cells, judgement.as_ref(), &outcome);
            let spread = spread_cells(point, rows, judgement.as_ref().map(|(evidence, _)| evidence));
            cells.extend(spread);
            if spec.model == Model::WeakSpots {
                let histogram = rows.iter().find_map(|row| row.histogram.clone());
                let density = histogram.as_ref().map_or_else(String::new, |_| weak_spot_density(point));
                cells.push(("histogram".to_owned(), histogram.unwrap_or_default()));
                cells.push(("density".to_owned(), density));
            }
        }
        Model::Uniformity => cells.extend(uniformity_cells(rows, &outcome)),
        // The digests were checked against single calls before the time was accepted.
        Model::HashTime => {
            let verdict = if outcome == "ok" { Verdict::Agrees } else { Verdict::NotTested };
            cells.push(("verdict".to_owned(), verdict.name().to_owned()));
        }
        Model::Study => {}
    }
    Ok(vec![cells])
}

/// Counts that no run gives.
fn impossible(point: &Point, error: &stats::StatsError) -> HarnessError {
    let (measure, identity) = (&point.spec.measure, &point.identity);
    HarnessError::Failed(format!("measure `{measure}`, point {identity}: {error}: the raw rows were changed"))
}

/// The formulas of the contender at this point, each a column.
fn theory(point: &Point, cells: &mut Cells) {
    let spec = &point.spec;
    let (Some(contender), Ok(params)) = (&spec.contender, &spec.params) else { return };
    let Ok(values) = contender.named_values(params, spec.keys) else { return };
    for value in values {
        cells.push((value.name.to_owned(), text(Some(value.value))));
    }
    let cell =
        |name: &str| cells.iter().find(|(column, _)| column == name).and_then(|(_, cell)| cell.parse::<f64>().ok());
    let shared = cell("m").zip(cell("k")).map(|(m, k)| bloom_theory::fpr::fpr_exact(m as u64, k as u32, spec.keys));
    let bound = cell("bits_per_key").map(Class::static_rate);
    cells.push(("shared_fpr".to_owned(), text(shared)));
    let rate = contender.predicted_fpr(params, spec.keys).ok().map(|prediction| prediction.rate);
    cells.push(("bloom_bits_per_key".to_owned(), text(rate.map(bloom_bits_per_key))));
    if bound.is_some() {
        cells.push(("bound_fpr".to_owned(), text(bound)));
    }
}

/// Bits per key of a standard Bloom filter at its best (real) number of probes: `lg(1/eps) / ln 2`.
fn bloom_bits_per_key(rate: f64) -> f64 {
    Class::Static.bits_per_key(rate) / std::f64::consts::LN_2
}

fn evidence(point: &Point, rows: &[&Record]) -> Option<Evidence> {
    let spec = &point.spec;
    let sum = |of: fn(&Record) -> Option<u64>| rows.iter().map(|row| of(row)).sum::<Option<u64>>();
    let exact = Prediction { rate: 0.0, claim: Claim::Exact, source: "a set answers exactly" };
    let (prediction, mut spread, promises) = match (&spec.contender, &spec.params) {
        (Some(contender), Ok(params)) => (
            contender.predicted_fpr(params, spec.keys).ok()?,
            contender.rate_spread(params, spec.keys).ok()?,
            contender.no_false_negatives,
        ),
        (None, _) if spec.model == Model::HashSetTime => (exact, 0.0, true),
        _ => return None,
    };
    let filters = sum(|row| row.filters)?;
    if spec.model == Model::WeakSpots {
        // The same absent keys throughout: their own rates vary too, and are drawn once for each key.
        let keys = point.plan.probes_per_filter as f64;
        spread = spread.hypot(weak_spot_spread(point) * (filters as f64 / keys).sqrt());
    }
    Some(Evidence {
        filters,
        probes: sum(|row| row.probes)?,
        false_positives: sum(|row| row.false_positives)?,
        false_negatives: sum(|row| row.false_negatives)?,
        no_false_negatives: promises,
        prediction,
        spread,
        expected_by_contents: rows.iter().map(|row| row.expected_by_contents).sum(),
        effect: spec.amount.effect.unwrap_or_else(|| planned_effect(prediction.rate)),
    })
}

/// Standard deviation, over absent keys, of the rate of one key: keys whose probes fall on fewer bits are hit
/// more often. 0 for slices.
fn weak_spot_spread(point: &Point) -> f64 {
    weak_spot_mixture(point).map_or(0.0, |mixture| {
        let mean: f64 = mixture.iter().map(|(share, rate)| share * rate).sum();
        mixture.iter().map(|(share, rate)| share * (rate - mean).powi(2)).sum::<f64>().sqrt()
    })
}

/// Shares of absent keys with `d` distinct probes, and the rate of such a key, in a shared array.
#[must_use]
pub fn weak_spot_mixture(point: &Point) -> Option<Vec<(f64, f64)>> {
    let params = point.spec.params.as_ref().ok()?;
    let (m, k) = (params.get("m")?.as_u64()?, u32::try_from(params.get("k")?.as_u64()?).ok()?);
    let rates = stats::occupancy::covered(k, m, u64::from(k) * point.spec.keys);
    // P(d distinct of k draws), by adding one draw at a time.
    let mut shares = vec![0.0; k as usize + 1];
    shares[0] = 1.0;
    for _ in 0..k {
        for d in (0..=k as usize).rev() {
            let stay = shares[d] * d as f64 / m as f64;
            let come = if d > 0 { shares[d - 1] * (1.0 - (d as f64 - 1.0) / m as f64) } else { 0.0 };
            shares[d] = stay + come;
        }
    }
    Some(shares.into_iter().zip(rates).collect())
}

fn rate_cells(cells: &mut Cells, judged: Option<&(Evidence, Judgement)>, outcome: &str) {
    let mut put = |name: &str, cell: String| cells.push((name.to_owned(), cell));
    let count = |of: fn(&Evidence) -> u64| judged.map_or_else(String::new, |(evidence, _)| of(evidence).to_string());
    put("false_positives", count(|evidence| evidence.false_positives));
    put("false_negatives", count(|evidence| evidence.false_negatives));
    let of = |of: fn(&Judgement) -> Option<f64>| text(judged.and_then(|(_, judgement)| of(judgement)));
    put("fpr", of(|judgement| judgement.fpr));
    put("fpr_low", of(|judgement| judgement.fpr_low));
    put("fpr_high", of(|judgement| judgement.fpr_high));
    put("predicted_fpr", text(judged.map(|(evidence, _)| evidence.prediction.rate)));
    put("claim", judged.map_or("", |(evidence, _)| evidence.prediction.claim.name()).to_owned());
    put("source", judged.map_or("", |(evidence, _)| evidence.prediction.source).to_owned());
    put("effect", text(judged.map(|(evidence, _)| evidence.effect)));
    put("detectable", of(|judgement| judgement.detectable));
    put("p_value", of(|judgement| judgement.p_value));
    put("contents_p_value", of(|judgement| judgement.contents_p_value));
    put("verdict", verdict(judged, outcome).name().to_owned());
}

fn verdict(judged: Option<&(Evidence, Judgement)>, outcome: &str) -> Verdict {
    match judged {
        // A lookup of members only: nothing absent was asked, and every member was found.
        Some((evidence, judgement))
            if evidence.probes == 0 && judgement.verdict == Verdict::NotTested && outcome == "ok" =>
        {
            Verdict::Agrees
        }
        Some((_, judgement)) => judgement.verdict,
        None => Verdict::NotTested,
    }
}

/// The columns of [`spread_cells`].
const SPREAD: [&str; 6] =
    ["spread", "predicted_spread", "spread_p_value", "spread_verdict", "relative_rates", "density"];

/// Measured and predicted spread of the rates of single filters, where rows hold one filter each.
fn spread_cells(point: &Point, rows: &[&Record], evidence: Option<&Evidence>) -> Cells {
    if !point.has_spread() {
        return Cells::new();
    }
    let cells = evidence.and_then(|evidence| spread_values(point, rows, evidence)).unwrap_or_default();
    SPREAD.map(str::to_owned).into_iter().zip(cells).collect()
}

/// None of them where there are no rates to judge.
fn spread_values(point: &Point, rows: &[&Record], evidence: &Evidence) -> Option<[String; 6]> {
    let probes = point.plan.probes_per_filter as f64;
    let rates: Vec<f64> = rows.iter().filter_map(|row| row.false_positives).map(|hits| hits as f64 / probes).collect();
    let p = evidence.prediction.rate;
    let sigma2 = p * (1.0 - p) / probes + evidence.spread.powi(2);
    let test = stats::variance_test(&rates, sigma2).ok()?;
    let measured = stats::sample_variance(&rates).ok().map(f64::sqrt);
    let relative: Vec<String> = rates.iter().map(|rate| format!("{:.6}", rate / p)).collect();
    let verdict = match (test.p_value < ALPHA / 2.0, test.p_too_regular < ALPHA / 2.0) {
        (true, _) => Verdict::AboveTheory,
        (_, true) => Verdict::BelowTheory,
        _ => Verdict::Agrees,
    };
    Some([
        text(measured),
        text(Some(sigma2.sqrt())),
        text(Some(test.two_sided())),
        verdict.name().to_owned(),
        relative.join(" "),
        normal_density(1.0, sigma2.sqrt() / p, rates.len() as f64),
    ])
}

/// The normal density times `weight` as `x:density` pairs.
fn normal_density(mean: f64, sd: f64, weight: f64) -> String {
    let at = |z: f64| weight * (-0.5 * z * z).exp() / (sd * std::f64::consts::TAU.sqrt());
    let pairs = (-40..=40).map(|step| f64::from(step) / 10.0).map(|z| format!("{:.6e}:{:.6e}", mean + z * sd, at(z)));
    pairs.collect::<Vec<_>>().join(" ")
}

/// The density of a key's measured rate: a binomial around the rate of its number of distinct probes.
fn weak_spot_density(point: &Point) -> String {
    let filters = point.plan.filters as f64;
    let mixture = match (weak_spot_mixture(point), evidence_rate(point)) {
        (Some(mixture), _) => mixture,
        (None, Some(rate)) => vec![(1.0, rate)],
        (None, None) => return String::new(),
    };
    let most = mixture.iter().filter(|(share, _)| *share > 1e-6).map(|(_, rate)| *rate).fold(0.0, f64::max);
    let density = |x: f64| -> f64 {
        let each = mixture.iter().filter(|(share, rate)| *share > 0.0 && *rate > 0.0);
        each.map(|(share, rate)| {
            let sd = (rate * (1.0 - rate) / filters).sqrt();
            share * (-0.5 * ((x - rate) / sd).powi(2)).exp() / (sd * std::f64::consts::TAU.sqrt())
        })
        .sum()
    };
    let pairs = (0..=600)
        .map(|step| f64::from(step) / 600.0 * (most + 6.0 * (most / filters).sqrt()))
        .map(|x| format!("{x:.5e}:{:.5e}", density(x)));
    pairs.collect::<Vec<_>>().join(" ")
}

fn evidence_rate(point: &Point) -> Option<f64> {
    let (contender, params) = (point.spec.contender.as_ref()?, point.spec.params.as_ref().ok()?);
    contender.predicted_fpr(params, point.spec.keys).ok().map(|prediction| prediction.rate)
}

fn uniformity_cells(rows: &[&Record], outcome: &str) -> Cells {
    let sums = rows.iter().find_map(|row| Some((row.probes?, row.buckets?, row.bucket_counts_squared?)));
    let test = sums.filter(|(keys, _, _)| *keys > 0).map(|(keys, buckets, squares)| {
        let statistic = buckets as f64 * squares as f64 / keys as f64 - keys as f64;
        ChiSquare::new(statistic.max(0.0), buckets - 1)
    });
    let ratio = test.as_ref().map(|test| test.statistic / test.degrees as f64);
    let verdict = match &test {
        Some(test) if test.p_value < ALPHA / 2.0 => Verdict::AboveTheory,
        Some(test) if test.p_too_regular < ALPHA / 2.0 => Verdict::BelowTheory,
        Some(_) if outcome == "ok" => Verdict::Agrees,
        _ => Verdict::NotTested,
    };
    vec![
        ("chi_square_ratio".to_owned(), text(ratio)),
        ("p_value".to_owned(), text(test.as_ref().map(ChiSquare::two_sided))),
        ("verdict".to_owned(), verdict.name().to_owned()),
    ]
}
