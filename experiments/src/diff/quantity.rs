//! What is counted or timed at a point, and how two of them are compared.

use stats::{Alternative, Moments, StatsError};

use crate::error::HarnessError;
use crate::record::Record;
use crate::spec::Definition;
use crate::studies::{Kind, Observations, Study};

/// Of the resamples behind the interval of a ratio of times: equal inputs give equal tables.
const BOOTSTRAP_SEED: u64 = 1;

/// One quantity of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Its name in tables.
    pub name: String,
    /// The columns of raw rows that it stands for.
    pub columns: &'static [&'static str],
    kind: Kind,
    /// Sum and trials of each row.
    pairs: Vec<(u64, u64)>,
    /// Number, mean and variance over filters, where they are known; of rows otherwise.
    moments: Option<Moments>,
}

/// How two of them stand to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The second over the first.
    pub ratio: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Of the null hypothesis that both are the same; none where too few filters were measured, and for times.
    pub p_value: Option<f64>,
}

impl Quantity {
    fn new(name: &str, columns: &'static [&'static str], kind: Kind, pairs: Vec<(u64, u64)>) -> Option<Self> {
        let seen: Vec<(u64, u64)> = pairs.into_iter().filter(|(_, trials)| *trials > 0).collect();
        if seen.is_empty() {
            return None;
        }
        let rates: Vec<f64> = seen.iter().map(|(sum, trials)| *sum as f64 / *trials as f64).collect();
        Some(Self { name: name.to_owned(), columns, kind, moments: Moments::of(&rates).ok(), pairs: seen })
    }

    /// Whether it is a time.
    #[must_use]
    pub fn is_time(&self) -> bool {
        self.kind == Kind::Time
    }

    /// What was counted, row by row.
    #[must_use]
    pub fn counts(&self) -> &[(u64, u64)] {
        &self.pairs
    }

    /// All sums over all trials; of a time the least, in nanoseconds.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        if self.is_time() {
            return self.times().into_iter().reduce(f64::min).map(|ps| ps / 1000.0);
        }
        let (sum, trials) = self.total();
        Some(sum as f64 / trials as f64)
    }

    fn times(&self) -> Vec<f64> {
        self.pairs.iter().map(|(ps, operations)| *ps as f64 / *operations as f64).collect()
    }

    fn total(&self) -> (u64, u64) {
        self.pairs.iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }
}

/// The quantities of a point's rows.
///
/// # Errors
/// [`HarnessError`] for rows that are not those of the definition.
pub fn of(definition: &Definition, rows: &[&Record]) -> Result<Vec<Quantity>, HarnessError> {
    let mut all = Vec::new();
    let both = |above: fn(&Record) -> Option<u64>, below: fn(&Record) -> Option<u64>| {
        rows.iter().filter_map(|row| Some((above(row)?, below(row)?))).collect::<Vec<_>>()
    };
    let positives = both(|row| row.false_positives, |row| row.probes);
    if let Some(mut rate) =
        Quantity::new("fpr", &["false_positives", "false_positives_squared"], Kind::Share, positives)
    {
        // A row may hold several filters; their squares tell of each.
        rate.moments = of_filters(rows).or(rate.moments);
        all.push(rate);
    }
    let asked = |row: &Record| row.filters.map(|filters| filters * row.keys);
    all.extend(Quantity::new("fnr", &["false_negatives"], Kind::Share, both(|row| row.false_negatives, asked)));
    let bits = |row: &Record| Some(row.payload_bits? + row.overhead_bits?);
    all.extend(Quantity::new("bits", &["payload_bits", "overhead_bits"], Kind::Mean, both(bits, |_| Some(1))));
    for (name, of) in
        [("min_ns", (|row: &Record| row.min_ps) as fn(&Record) -> Option<u64>), ("median_ns", |row| row.median_ps)]
    {
        all.extend(Quantity::new(name, &[], Kind::Time, both(of, |_| Some(1))));
    }
    all.extend(of_study(definition, rows)?);
    Ok(all)
}

/// Moments over filters, from sums and sums of squares.
fn of_filters(rows: &[&Record]) -> Option<Moments> {
    let sum = |of: fn(&Record) -> Option<u64>| rows.iter().map(|row| of(row)).sum::<Option<u64>>();
    let (filters, probes) = (sum(|row| row.filters)?, sum(|row| row.probes)?);
    let (positives, squares) = (sum(|row| row.false_positives)?, sum(|row| row.false_positives_squared)?);
    Moments::of_counts(filters, positives, squares, probes as f64 / filters as f64).ok()
}

/// What the study of the measure saw, at each position.
fn of_study(definition: &Definition, rows: &[&Record]) -> Result<Vec<Quantity>, HarnessError> {
    let Some(first) = rows.iter().find(|row| row.observed.is_some()) else { return Ok(Vec::new()) };
    let measure = definition.measure.iter().find(|measure| measure.name == first.measure);
    let name = measure.and_then(|measure| measure.study.as_deref()).unwrap_or_default();
    let study = Study::find(name)
        .map_err(|why| HarnessError::Failed(format!("{}: measure `{}`: {why}", definition.id, first.measure)))?;
    let width = study.quantities.len();
    let mut cells: Vec<Vec<(u64, u64)>> = Vec::new();
    for text in rows.iter().filter_map(|row| row.observed.as_deref()) {
        let positions = Observations::positions(text);
        let seen = Observations::from_text(text, study, positions).map_err(|why| {
            HarnessError::Failed(format!("{}: study `{name}`: {why}: the raw rows were changed", definition.id))
        })?;
        cells.resize(cells.len().max(positions * width), Vec::new());
        for (index, cell) in cells[..positions * width].iter_mut().enumerate() {
            cell.push(seen.get(index / width, index % width));
        }
    }
    let positions = cells.len() / width;
    let named = cells.into_iter().enumerate().filter_map(|(index, pairs)| {
        let quantity = &study.quantities[index % width];
        let place = if positions > 1 { format!(" at {} of {positions}", index / width + 1) } else { String::new() };
        Quantity::new(&format!("{}{place}", quantity.name), &[], quantity.kind, pairs)
    });
    Ok(named.collect())
}

/// Compares a quantity before and after.
///
/// # Errors
/// [`StatsError`] as [`HarnessError::Failed`] for counts that are none.
pub fn compare(before: &Quantity, after: &Quantity) -> Result<Comparison, HarnessError> {
    let failed =
        |error: StatsError| HarnessError::Failed(format!("{}: {error}: the raw rows were changed", before.name));
    let ratio =
        before.value().zip(after.value()).filter(|(before, _)| *before > 0.0).map(|(before, after)| after / before);
    if before.is_time() {
        let (above, below) = (after.times(), before.times());
        let rounds = above.len().min(below.len());
        // Round by round; what is left over on one side has no partner.
        let median = stats::median_ratio(&above[..rounds], &below[..rounds], 0.95, BOOTSTRAP_SEED).ok();
        let interval = median.map(|(_, interval)| (interval.low, interval.high));
        return Ok(Comparison { ratio: median.map(|of| of.0).or(ratio), interval, p_value: None });
    }
    let moments = before.moments.zip(after.moments);
    let student = moments.map(|(before, after)| stats::difference_test(&before, &after)).transpose().map_err(failed)?;
    let p_value = match (student, before.kind) {
        // Both levels must tell them apart: a handful of events in each filter is no normal sample, and many trials of one
        // filter say nothing of the others.
        (Some(student), Kind::Share) => Some(student.max(of_trials(before.total(), after.total()).map_err(failed)?)),
        (student, _) => student,
    };
    let quantile = stats::normal_quantile(0.975).map_err(failed)?;
    let interval = ratio.zip(moments).and_then(|(ratio, (before, after))| {
        let relative = |of: Moments| of.error_squared() / of.mean.powi(2);
        let error = (relative(before) + relative(after)).sqrt();
        error.is_finite().then(|| (ratio * (-quantile * error).exp(), ratio * (quantile * error).exp()))
    });
    Ok(Comparison { ratio, interval, p_value })
}

/// Two counts of successes under one rate: given their sum, the first is binomial with the share of its trials. For rates that
/// are not small it varies less than that, and the test is the more careful; above a half it counts failures.
fn of_trials(before: (u64, u64), after: (u64, u64)) -> Result<f64, StatsError> {
    let (sum, trials) = (before.0 + after.0, before.1 + after.1);
    let many = 2 * u128::from(sum) > u128::from(trials);
    let count = |(sum, trials): (u64, u64)| if many { trials.saturating_sub(sum) } else { sum };
    let (first, all) = (count(before), count(before) + count(after));
    if all == 0 {
        return Ok(1.0);
    }
    stats::binomial_test(first, all, before.1 as f64 / trials as f64, Alternative::TwoSided)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(pairs: &[(u64, u64)]) -> Quantity {
        Quantity::new("fpr", &[], Kind::Share, pairs.to_vec()).unwrap()
    }

    /// Sixteen filters around a rate of `centre` in 100,000, with more spread between them than the trials explain.
    fn filters(centre: u64, shift: u64) -> Quantity {
        share(&(0..16).map(|index| (centre + ((index + shift) * 37) % 240 - 120, 100_000)).collect::<Vec<_>>())
    }

    #[test]
    fn a_rate_that_moved_is_told_from_one_that_did_not() {
        let p = |before: &Quantity, after: &Quantity| compare(before, after).unwrap().p_value.unwrap();
        assert!(p(&filters(1000, 0), &filters(1000, 5)) > 0.01);
        assert!(p(&filters(1000, 0), &filters(1400, 0)) < 1e-7);
        // Rates near one, where failures are what is rare.
        assert!(p(&filters(99_000, 0), &filters(99_400, 0)) < 1e-7);
        assert!(p(&filters(99_000, 0), &filters(99_000, 3)) > 0.01);
    }

    /// One filter of many trials differs from the others as filters do: the trials alone would call it a change.
    #[test]
    fn filters_are_the_unit() {
        let (before, after) = ([(1000, 100_000), (3000, 100_000)], [(2500, 100_000), (3500, 100_000)]);
        let trials = of_trials((4000, 200_000), (6000, 200_000)).unwrap();
        let both = compare(&share(&before), &share(&after)).unwrap().p_value.unwrap();
        assert!(trials < 1e-7 && both > 0.1, "{trials} {both}");
        // And a handful of events is no change, however regular they are.
        let both = compare(&share(&[(0, 100); 8]), &share(&[(1, 100); 8])).unwrap().p_value.unwrap();
        assert!((0.001..0.05).contains(&both), "{both}");
        assert_eq!(compare(&share(&[(1, 100)]), &share(&[(90, 100)])).unwrap().p_value, None);
    }

    #[test]
    fn times_are_ratios_with_intervals() {
        let time =
            |times: &[u64]| Quantity::new("t", &[], Kind::Time, times.iter().map(|ps| (*ps, 1)).collect()).unwrap();
        let (before, after) = (time(&[1000, 1100, 1050, 1020, 990]), time(&[2000, 2200, 2100, 2040, 1980, 9000]));
        let found = compare(&before, &after).unwrap();
        assert_eq!((found.ratio, found.interval, found.p_value), (Some(2.0), Some((2.0, 2.0)), None));
        assert_eq!((before.value(), after.value()), (Some(0.99), Some(1.98)));
        let once = compare(&time(&[1000]), &time(&[1500])).unwrap();
        assert_eq!((once.ratio, once.interval), (Some(1.5), None));
    }

    #[test]
    fn ratios_of_rates_have_intervals_and_none_where_there_is_nothing() {
        let found = compare(&filters(1000, 0), &filters(1100, 0)).unwrap();
        let (low, high) = found.interval.unwrap();
        assert!(low < 1.1 && 1.1 < high && low > 1.0 && high < 1.2, "{low} {high}");
        let none = compare(&share(&[(0, 100); 8]), &share(&[(0, 100); 8])).unwrap();
        assert_eq!((none.ratio, none.interval, none.p_value), (None, None, Some(1.0)));
    }
}
