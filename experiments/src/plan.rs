//! Which filter to take: the variants that can do what is wanted, ranked by their theory.

use amq::{InvalidParams, Prediction};
use thiserror::Error;

use crate::capabilities::Capabilities;
use crate::cli::output::rounded;
use crate::cli::values::MAX_KEYS;
use crate::error::HarnessError;
use crate::registry::{Contender, Params, Registry};

/// What is wanted of a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wish {
    /// Keys it is to hold; for a stream, arrivals after which it may have forgotten a key.
    pub keys: u64,
    /// False-positive rate that it is sized for.
    pub fpr: Option<f64>,
    /// Bits that it may take in all.
    pub budget: Option<u64>,
    /// Keys are taken out again.
    pub delete: bool,
    /// Keys arrive without end.
    pub stream: bool,
    /// All keys are known beforehand.
    pub fixed: bool,
    /// What counts is the size on the wire.
    pub transmit: bool,
}

/// Why a variant is not among the candidates.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Reason {
    /// Its type has no removal.
    #[error("--delete: keys cannot be taken out")]
    CannotDelete,
    /// Its type takes no keys later.
    #[error("built from all keys at once: give --static if they are known beforehand")]
    NeedsAllKeys,
    /// Its type keeps every key.
    #[error("--stream: it does not forget, so that keys without end fill it")]
    KeepsAll,
    /// Its type does not keep every key.
    #[error("forgets by design: give --stream if keys arrive without end")]
    Forgets,
    /// It has no parameters for this.
    #[error(transparent)]
    Size(#[from] InvalidParams),
    /// It does not fit.
    #[error("takes {bits} bits of {budget}")]
    OverBudget {
        /// Bits it takes.
        bits: u64,
        /// Bits there are.
        budget: u64,
    },
}

/// A wish that cannot be met.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlanError {
    /// Neither a rate nor a budget.
    #[error("the size is open: give --fpr P, --budget BITS or both")]
    NoTarget,
    /// No keys.
    #[error("keys = 0 is out of range: a plan needs 1 to 2^56 keys; give the most keys the filter will hold")]
    NoKeys,
    /// A stream that is known beforehand.
    #[error(
        "--stream and --static exclude each other: keys that arrive without end are not all known; give one of them"
    )]
    StreamIsNotStatic,
    /// Every variant was left out.
    #[error("no variant can do it for keys = {keys}:\n{}\n{}", grouped(left_out), next_step(left_out))]
    NoVariant {
        /// The keys asked for.
        keys: u64,
        /// Every variant with what excludes it.
        left_out: Vec<(&'static str, Reason)>,
    },
    /// The variant asked for by name is not among the candidates.
    #[error("{id} cannot do it: {reason}; candidates are {candidates}")]
    NotThisOne {
        /// The variant.
        id: &'static str,
        /// What excludes it.
        reason: Reason,
        /// Those that can.
        candidates: String,
    },
}

impl From<PlanError> for HarnessError {
    fn from(error: PlanError) -> Self {
        HarnessError::Usage(error.to_string())
    }
}

/// The reasons, each once, with the variants that it leaves out.
#[must_use]
pub fn grouped(left_out: &[(&'static str, Reason)]) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (id, reason) in left_out {
        let reason = reason.to_string();
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, ids)) => ids.push(id),
            None => groups.push((reason, vec![id])),
        }
    }
    groups.iter().map(|(reason, ids)| format!("  {}: {reason}", ids.join(", "))).collect::<Vec<_>>().join("\n")
}

/// What to do where a filter would have to forget and to take keys out.
pub const NOT_BOTH: &str = "give --delete or --stream, not both: no filter here forgets and takes keys out";
/// What to do where no size is enough.
pub const MORE_ROOM: &str = "give a higher --fpr, a larger --budget or fewer --keys";

fn next_step(left_out: &[(&'static str, Reason)]) -> &'static str {
    let has = |what: fn(&Reason) -> bool| left_out.iter().any(|(_, reason)| what(reason));
    if has(|reason| *reason == Reason::CannotDelete) && has(|reason| *reason == Reason::KeepsAll) {
        NOT_BOTH
    } else if has(|reason| matches!(reason, Reason::OverBudget { .. })) {
        "give a larger --budget, a higher --fpr or fewer --keys"
    } else {
        MORE_ROOM
    }
}

/// A variant that can do what is wanted, with its size.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The variant.
    pub contender: Contender,
    /// Its parameters.
    pub params: Params,
    /// Bits for each key, as its theory says: allocated memory, or the wire form where that counts.
    pub bits_per_key: f64,
    /// Its rate with all keys in; of a filter that forgets, the rate after arrivals without end.
    pub prediction: Prediction,
    values: Vec<amq::NamedValue>,
}

impl Reason {
    /// What excludes a type that can do so much from a wish, whatever its size.
    fn of(can: Capabilities, wish: &Wish) -> Option<Self> {
        let reasons = [
            (wish.stream && !can.decaying, Reason::KeepsAll),
            (!wish.fixed && !can.incremental, Reason::NeedsAllKeys),
            (wish.delete && !can.deletable, Reason::CannotDelete),
            (!wish.stream && can.decaying, Reason::Forgets),
        ];
        reasons.into_iter().find_map(|(excluded, reason)| excluded.then_some(reason))
    }
}

impl Candidate {
    fn new(contender: Contender, wish: &Wish) -> Result<Self, Reason> {
        match Reason::of(contender.traits.capabilities, wish) {
            Some(reason) => Err(reason),
            None => Self::sized(contender, wish),
        }
    }

    /// The variant with the size of a wish, whatever else is wanted of it.
    ///
    /// # Errors
    /// [`Reason::Size`] or [`Reason::OverBudget`].
    pub fn sized(contender: Contender, wish: &Wish) -> Result<Self, Reason> {
        let can = contender.traits.capabilities;
        let params = match (wish.fpr, wish.budget) {
            (Some(fpr), _) => contender.size_for_fpr(wish.keys, fpr)?,
            (None, budget) => contender.size_for(wish.keys, budget.unwrap_or(0) as f64 / wish.keys as f64)?,
        };
        let values = contender.named_values(&params, wish.keys)?;
        // A stream has no last key: what counts is the rate that it comes to.
        let arrivals = if can.decaying { MAX_KEYS } else { wish.keys };
        let prediction = contender.predicted_fpr(&params, arrivals)?;
        let mut candidate = Self { contender, params, bits_per_key: 0.0, prediction, values };
        candidate.bits_per_key = candidate.space(wish.transmit);
        // A static filter may need a step more than it is planned with; a budget has to hold for that one too.
        let grown = candidate.bits_per_key + candidate.value("bits_per_key_of_growth").unwrap_or(0.0);
        match ((grown * wish.keys as f64).round() as u64, wish.budget) {
            (bits, Some(budget)) if bits > budget => Err(Reason::OverBudget { bits, budget }),
            _ => Ok(candidate),
        }
    }

    /// Bits for each key, in memory or as sent.
    #[must_use]
    pub fn space(&self, sent: bool) -> f64 {
        let memory = self.value("memory_bits_per_key").filter(|_| !sent);
        memory.or_else(|| self.value("bits_per_key")).unwrap_or(f64::INFINITY)
    }

    /// A formula of the variant at these parameters and keys.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|value| value.name == name).map(|value| value.value).filter(|value| value.is_finite())
    }

    /// Bits in all.
    #[must_use]
    pub fn bits(&self, keys: u64) -> u64 {
        (self.bits_per_key * keys as f64).round() as u64
    }

    /// What a filter that forgets makes of its keys, in words.
    #[must_use]
    pub fn forgets(&self, keys: u64) -> Option<String> {
        let denied = self.value("fnr_at_gap").filter(|_| self.contender.traits.capabilities.decaying)?;
        Some(format!(
            "{}: a key that returns after {keys} others is denied with probability {}; --keys is this horizon",
            self.contender.id,
            rounded(denied, 2)
        ))
    }
}

/// The candidates, the best first, and who was left out.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// Never empty: by bits per key where a rate was asked for, by rate where there was a budget only.
    pub candidates: Vec<Candidate>,
    /// The other variants.
    pub left_out: Vec<(&'static str, Reason)>,
}

impl Ranking {
    /// Ranks the variants of a registry.
    ///
    /// # Errors
    /// [`PlanError`] for a wish that is none, or that no variant can meet.
    pub fn new(registry: &Registry, wish: &Wish) -> Result<Self, PlanError> {
        if wish.keys == 0 {
            return Err(PlanError::NoKeys);
        }
        if wish.fpr.is_none() && wish.budget.is_none() {
            return Err(PlanError::NoTarget);
        }
        if wish.stream && wish.fixed {
            return Err(PlanError::StreamIsNotStatic);
        }
        let (mut candidates, mut left_out) = (Vec::new(), Vec::new());
        for contender in registry.variants() {
            match Candidate::new(*contender, wish) {
                Ok(candidate) => candidates.push(candidate),
                Err(reason) => left_out.push((contender.id, reason)),
            }
        }
        if candidates.is_empty() {
            return Err(PlanError::NoVariant { keys: wish.keys, left_out });
        }
        let rank = |candidate: &Candidate| match wish.fpr {
            Some(_) => (candidate.bits_per_key, candidate.prediction.rate),
            None => (candidate.prediction.rate, candidate.bits_per_key),
        };
        candidates.sort_by(|left, right| {
            let ((first, second), (other_first, other_second)) = (rank(left), rank(right));
            first.total_cmp(&other_first).then(second.total_cmp(&other_second))
        });
        Ok(Self { candidates, left_out })
    }

    /// The candidate of an id, or the best one.
    ///
    /// # Errors
    /// [`PlanError::NotThisOne`] says why that variant is none; [`HarnessError::Usage`] for an id that is no variant's.
    pub fn choose(&self, registry: &Registry, id: Option<&str>) -> Result<&Candidate, HarnessError> {
        let Some(id) = id else { return Ok(&self.candidates[0]) };
        let id = registry.find(id).map_err(HarnessError::Usage)?.id;
        if let Some(candidate) = self.candidates.iter().find(|candidate| candidate.contender.id == id) {
            return Ok(candidate);
        }
        let ids: Vec<&str> = self.candidates.iter().map(|candidate| candidate.contender.id).collect();
        let candidates = ids.join(", ");
        match self.left_out.iter().find(|(known, _)| *known == id) {
            Some((id, reason)) => Err(PlanError::NotThisOne { id, reason: reason.clone(), candidates }.into()),
            None => Err(HarnessError::Usage(format!("{id} is no variant to build with; candidates are {candidates}"))),
        }
    }
}
