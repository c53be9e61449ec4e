//! One row for each contender.

use amq::Prediction;

use super::{Amount, Counts, Sized, Times};
use crate::cli::output::Cell;
use crate::cli::theory::claim_text;
use crate::registry::{Contender, Params};
use crate::verdict::{Judgement, Verdict};

/// The columns, always all of them and in this order.
pub const COLUMNS: &[&str] = &[
    "contender",
    "published",
    "params",
    "keys",
    "bits",
    "bits_per_key",
    "filters",
    "probes",
    "false_positives",
    "false_negatives",
    "fpr",
    "fpr_low",
    "fpr_high",
    "predicted_fpr",
    "claim",
    "verdict",
    "bound_bits_per_key",
    "overhead",
    "build_ns_per_key",
    "hit_ns",
    "miss_ns",
    "outcome",
];

/// What is known of a contender; what is not is empty.
#[derive(Clone, Debug)]
pub struct Row {
    /// The id.
    pub contender: &'static str,
    /// Of a published crate, its name and version.
    pub published: Option<&'static str>,
    /// The parameters it was built with.
    pub params: Option<Params>,
    /// Keys of one filter.
    pub keys: u64,
    /// The theory at these parameters.
    pub prediction: Option<Prediction>,
    /// The space bound of its class at the predicted rate.
    pub bound_bits_per_key: Option<f64>,
    /// Filters and probes.
    pub amount: Option<Amount>,
    /// What was counted.
    pub counts: Option<Counts>,
    /// What the counts say.
    pub judgement: Option<Judgement>,
    /// Times on this host.
    pub times: Times,
    /// `ok`, or why there is nothing to show.
    pub outcome: &'static str,
}

impl Row {
    /// A contender that could not even be sized.
    pub(super) fn failed(contender: &Contender, keys: u64, outcome: &'static str) -> Self {
        Self {
            contender: contender.id,
            published: contender.published,
            params: None,
            keys,
            prediction: None,
            bound_bits_per_key: None,
            amount: None,
            counts: None,
            judgement: None,
            times: Times::default(),
            outcome,
        }
    }

    /// A contender whose size is known.
    pub(super) fn sized(sized: &Sized, keys: u64) -> Self {
        let bound = sized.contender.class.bits_per_key(sized.prediction.rate);
        Self {
            params: Some(sized.params.clone()),
            prediction: Some(sized.prediction),
            bound_bits_per_key: Some(bound).filter(|bound| bound.is_finite()),
            ..Self::failed(&sized.contender, keys, "ok")
        }
    }

    pub(super) fn counted(&mut self, amount: Amount, counts: &Counts, judgement: &Judgement) {
        (self.amount, self.counts, self.judgement) = (Some(amount), Some(*counts), Some(*judgement));
        if judgement.verdict == Verdict::LawViolated {
            self.outcome = "law-violated";
        }
    }

    /// Allocated bits for each key; `None` without keys.
    #[must_use]
    pub fn bits_per_key(&self) -> Option<f64> {
        let bits = self.counts.filter(|_| self.keys > 0)?.bits;
        Some(bits as f64 / self.keys as f64)
    }

    /// Bits per key over the bound; `None` where the bound is 0 or infinite.
    #[must_use]
    pub fn overhead(&self) -> Option<f64> {
        let (bits, bound) = self.bits_per_key().zip(self.bound_bits_per_key)?;
        Some(bits / bound).filter(|_| bound > 0.0)
    }

    /// The law this contender broke, if it broke one.
    #[must_use]
    pub fn broken_law(&self) -> Option<String> {
        let (counts, amount) = self.counts.zip(self.amount)?;
        (self.outcome == "law-violated").then(|| {
            format!(
                "{}: law violated: {} of {} members were denied",
                self.contender,
                counts.false_negatives,
                amount.filters * self.keys
            )
        })
    }

    /// The cells, in the order of [`COLUMNS`].
    #[must_use]
    pub fn cells(&self) -> Vec<Cell> {
        let count = |value: fn(&Counts) -> u64| Cell::maybe_count(self.counts.as_ref().map(value));
        let judged = |value: fn(&Judgement) -> Option<f64>| Cell::maybe(self.judgement.as_ref().and_then(value));
        vec![
            Cell::text(self.contender),
            self.published.map_or(Cell::Empty, Cell::text),
            self.params.clone().map_or(Cell::Empty, Cell::Json),
            Cell::Integer(self.keys),
            count(|counts| counts.bits),
            Cell::maybe(self.bits_per_key()),
            Cell::maybe_count(self.amount.map(|amount| amount.filters)),
            Cell::maybe_count(self.amount.map(|amount| amount.total_probes())),
            count(|counts| counts.false_positives),
            count(|counts| counts.false_negatives),
            judged(|judgement| judgement.fpr),
            judged(|judgement| judgement.fpr_low),
            judged(|judgement| judgement.fpr_high),
            Cell::maybe(self.prediction.map(|prediction| prediction.rate)),
            self.prediction.map_or(Cell::Empty, |prediction| Cell::text(claim_text(prediction.claim))),
            Cell::text(self.judgement.map_or(Verdict::NotTested, |judgement| judgement.verdict).name()),
            Cell::maybe(self.bound_bits_per_key),
            Cell::maybe(self.overhead()),
            Cell::maybe(self.times.build_ns_per_key),
            Cell::maybe(self.times.hit_ns),
            Cell::maybe(self.times.miss_ns),
            Cell::text(self.outcome),
        ]
    }
}
