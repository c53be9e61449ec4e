//! Contenders side by side: counts over independent filters on common keys, then times.

mod amount;
mod measure;
mod memory;
mod output;
mod time;

use amq::{InvalidParams, Prediction};
use hashing::{Family, Hasher, KeyKind};

use crate::cli::output::{Table, rounded};
use crate::error::HarnessError;
use crate::keys::{KeySet, Workload};
use crate::registry::{Contender, Params};
use crate::seeds;
use crate::verdict::{ALPHA, Evidence, Verdict, judge, planned_effect};

pub use amount::Amount;
pub use measure::Counts;
pub use output::{COLUMNS, Row};
pub use time::Times;

/// Keys of each side that are looked at before a run, to see that none repeats itself.
const CHECKED: u64 = 50_000;

/// The family that keys of a kind are hashed with where none is named.
#[must_use]
pub fn default_family(kind: KeyKind) -> Family {
    match kind {
        KeyKind::Integer => Family::Mixer,
        KeyKind::Bytes => Family::Xxh3,
    }
}

/// What is asked of every contender alike.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What keys look like.
    pub workload: Workload,
    /// Keys of each filter.
    pub keys: u64,
    /// From keys to digests.
    pub family: Family,
    /// The root seed.
    pub seed: u64,
    /// Independent filters, if the caller said so.
    pub filters: Option<u64>,
    /// Absent keys asked of each filter, if the caller said so.
    pub probes: Option<u64>,
    /// Share of members in the mixed time.
    pub hit_share: f64,
}

impl Asked {
    /// The keys of filter `index`: the same for all contenders, so that they are paired.
    fn key_set(&self, index: u64) -> KeySet {
        KeySet::new(self.workload.clone(), self.keys, seeds::child(self.seed, "keys", index))
    }

    /// The hash function of filter `index`, the same for all contenders too.
    fn hasher(&self, index: u64) -> Hasher {
        Hasher::new(self.family, seeds::child(self.seed, "hash", index))
    }

    /// The seed of filter `index`.
    fn filter_seed(&self, index: u64) -> u64 {
        seeds::child(self.seed, "filter", index)
    }
}

/// A contender with its size and what it claims at that size.
#[derive(Clone, Debug)]
pub(crate) struct Sized {
    contender: Contender,
    params: Params,
    prediction: Prediction,
    spread: f64,
}

impl Sized {
    fn new(contender: Contender, params: Params, keys: u64) -> Result<Self, InvalidParams> {
        let prediction = contender.predicted_fpr(&params, keys)?;
        let spread = contender.rate_spread(&params, keys)?;
        Ok(Self { contender, params, prediction, spread })
    }
}

/// One row for each contender.
#[derive(Clone, Debug)]
pub struct Comparison {
    rows: Vec<Row>,
}

impl Comparison {
    /// Measures every contender; `say` gets a line for each thing worth knowing.
    ///
    /// # Errors
    /// [`HarnessError::Usage`] when no contender can be sized as asked, [`HarnessError::Failed`] for keys that
    /// repeat themselves. What one contender cannot do is the outcome of its row.
    pub fn measure(
        asked: &Asked,
        contenders: Vec<(Contender, Result<Params, InvalidParams>)>,
        say: &dyn Fn(&str),
    ) -> Result<Self, HarnessError> {
        let sized: Vec<(Contender, Result<Sized, InvalidParams>)> = contenders
            .into_iter()
            .map(|(contender, params)| (contender, params.and_then(|params| Sized::new(contender, params, asked.keys))))
            .collect();
        if sized.iter().all(|(_, sized)| sized.is_err()) {
            let whys = sized.iter().filter_map(|(contender, sized)| {
                sized.as_ref().err().map(|error| format!("{}: {error}", contender.id))
            });
            return Err(HarnessError::Usage(whys.collect::<Vec<_>>().join("\n")));
        }
        let default = Hasher::new(default_family(asked.workload.kind()), asked.seed);
        let filters = amount::filters(asked, sized.iter().filter_map(|(_, sized)| sized.as_ref().ok()));
        let absent = amount::absent_keys(&asked.workload);
        asked.key_set(0).check(&default, CHECKED, CHECKED.min(absent))?;
        let rows = sized.into_iter().map(|(contender, sized)| match sized {
            Ok(sized) => measure_one(asked, &sized, filters, say),
            Err(error) => {
                say(&format!("{}: {error}", contender.id));
                Ok(Row::failed(&contender, asked.keys, measure::outcome_of_params(&error)))
            }
        });
        Ok(Self { rows: rows.collect::<Result<_, _>>()? })
    }

    /// The rows, in the order the contenders were named.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut table = Table::new(COLUMNS);
        for row in &self.rows {
            table.push(row.cells());
        }
        table
    }

    /// Whether every contender kept its laws.
    ///
    /// # Errors
    /// [`HarnessError::LawViolated`] names those that did not.
    pub fn laws(&self) -> Result<(), HarnessError> {
        let broken: Vec<String> = self.rows.iter().filter_map(Row::broken_law).collect();
        if broken.is_empty() { Ok(()) } else { Err(HarnessError::LawViolated(broken.join("\n"))) }
    }
}

fn measure_one(asked: &Asked, sized: &Sized, filters: u64, say: &dyn Fn(&str)) -> Result<Row, HarnessError> {
    let id = sized.contender.id;
    let amount = Amount::plan(asked, sized, filters);
    say(&format!(
        "{id}: {} filter{}{} of {} keys, {} absent probes each{}",
        amount.filters,
        if amount.filters == 1 { "" } else { "s" },
        if asked.filters.is_none() { " (default)" } else { "" },
        asked.keys,
        amount.probes,
        if amount.limited_by_file {
            " (all absent keys of the file)"
        } else if asked.probes.is_none() {
            " (default)"
        } else {
            ""
        },
    ));
    let mut row = Row::sized(sized, asked.keys);
    let (counts, kept) = match measure::count(asked, sized, amount) {
        Ok(measured) => measured,
        Err(measure::Stop::Outcome { outcome, why }) => {
            say(&format!("{id}: {why}"));
            row.outcome = outcome;
            return Ok(row);
        }
        Err(measure::Stop::Harness(error)) => return Err(error),
    };
    let evidence = Evidence {
        filters: amount.filters,
        probes: amount.total_probes(),
        false_positives: counts.false_positives,
        false_negatives: counts.false_negatives,
        no_false_negatives: sized.contender.no_false_negatives,
        prediction: sized.prediction,
        spread: sized.spread,
        expected_by_contents: counts.expected_by_contents,
        effect: planned_effect(sized.prediction.rate),
    };
    let judgement = judge(&evidence).map_err(|error| HarnessError::Failed(format!("{id}: {error}")))?;
    row.counted(amount, &counts, &judgement);
    say(&power(id, &evidence, judgement.verdict, judgement.detectable));
    if let Some(p) = judgement.contents_p_value.filter(|p| *p < ALPHA) {
        say(&format!(
            "{id}: warning: the answers do not follow from the filters' own contents (p = {p:e}): look for a bug"
        ));
    }
    row.times = time::measure(asked, sized, kept, say)?;
    Ok(row)
}

/// What the counts could have shown.
fn power(id: &str, evidence: &Evidence, verdict: Verdict, detectable: Option<f64>) -> String {
    let wanted = rounded(100.0 * evidence.effect, 3);
    match detectable {
        Some(effect) => {
            let effect = rounded(100.0 * effect, 3);
            let next = match verdict {
                Verdict::NotTested => format!("; {wanted} % is asked for: give more --probes or --filters"),
                _ => String::new(),
            };
            format!("{id}: a rate {effect} % above the theory would have been seen{next}")
        }
        None if evidence.probes == 0 => format!("{id}: no probes, so the rate is not tested"),
        None if evidence.prediction.rate == 0.0 => format!("{id}: one false positive would have been too many"),
        None => format!("{id}: too few probes to see any difference from the theory: give more --probes"),
    }
}
