//! A filter that rounds share, with the answers it must give.

use std::sync::Arc;

use super::asked::{Asked, hasher, members};
use super::clock::{Refused, time};
use super::yardstick::{Way, Yardstick};
use crate::erased::ErasedFilter;
use crate::error::HarnessError;
use crate::studies::{Case, Observations};

/// A built filter, or the outcome of a build that failed.
type Built = Result<Box<dyn ErasedFilter>, &'static str>;

/// A contender in a round: its filter, built once a run, and what rounds saw so far.
pub(super) struct Round<'a> {
    case: &'a Case<'a>,
    filter: Arc<Built>,
    seen: Observations,
    failed: Option<&'static str>,
    scratch: Vec<amq::Digest>,
}

impl<'a> Round<'a> {
    /// The round of a case; its filter is built unless an earlier round of it did.
    pub(super) fn new(case: &'a Case<'a>, seen: Observations) -> Result<Self, HarnessError> {
        let (contender, params) = contender(case)?;
        let filter = case.shared(&format!("filter {}", case.identity()), || {
            let hasher = hasher(case);
            let members = shared_members(case)?;
            let mut source = super::build::Hashed::new(&members, &hasher);
            let built = contender.build(params, case.first().seed("filter"), &mut source);
            let built: Built = built.map_err(|error| crate::model::outcome(&error));
            let bytes = built.as_ref().map_or(0, |filter| filter.memory_bits() / 8);
            Ok::<_, HarnessError>((built, bytes))
        })?;
        let failed = filter.as_ref().as_ref().err().copied();
        Ok(Self { case, filter, seen, failed, scratch: Vec::with_capacity(super::asked::TOGETHER) })
    }

    /// Queries of a share of members, the same in every round.
    pub(super) fn asked(&self, share: f64) -> Result<Arc<Asked>, HarnessError> {
        let name =
            format!("asked {share} {} {}", self.case.spec().family.name(), super::asked::hashes_itself(self.case));
        self.case.shared(&name, || Asked::new(self.case, share))
    }

    /// The filter's memory in bits.
    pub(super) fn memory_bits(&self) -> u64 {
        self.filter.as_ref().as_ref().map_or(0, |filter| filter.memory_bits())
    }

    /// Whether a member must always be found.
    pub(super) fn keeps_all(&self) -> bool {
        self.case.spec().contender.is_some_and(|contender| contender.no_false_negatives)
    }

    /// Whether keys are hashed outside of the filter, so that it can be timed without that.
    pub(super) fn takes_digests(&self) -> bool {
        !super::asked::hashes_itself(self.case)
    }

    /// The repetition's number is 0: what is the same in every round is noted once.
    pub(super) fn is_first(&self) -> bool {
        self.case.repetition() == 0
    }

    /// Adds to a quantity.
    pub(super) fn note(&mut self, position: usize, quantity: usize, sum: u64, trials: u64) {
        self.seen.add(position, quantity, sum, trials);
    }

    /// Times `pass` over the filter and notes it under `quantity`; the answer, unless the row has failed.
    pub(super) fn time(
        &mut self,
        (position, quantity): (usize, usize),
        operations: u64,
        expected: Option<u64>,
        mut pass: impl FnMut(&dyn ErasedFilter, &mut Vec<amq::Digest>) -> u64,
    ) -> Option<u64> {
        let Ok(filter) = self.filter.as_ref() else { return None };
        if self.failed.is_some() {
            return None;
        }
        let scratch = &mut self.scratch;
        let timed = time(operations, expected, || pass(&**filter, scratch));
        self.accept((position, quantity), operations, timed)
    }

    /// Times the yardstick on `lines` lines a key, each way named, at the filter's footprint, and notes the least.
    pub(super) fn limit(
        &mut self,
        at: (usize, usize),
        lines: u64,
        ways: &[Way],
        asked: &Arc<Asked>,
        share: &str,
    ) -> Result<(), HarnessError> {
        let bits = self.memory_bits();
        if self.failed.is_some() || lines == 0 {
            return Ok(());
        }
        let yardstick = Yardstick::shared(self.case, bits.div_ceil(8))?;
        let words = self.case.shared(&format!("words {share}"), || {
            let words = asked.keys.words();
            let bytes = 8 * words.len() as u64;
            Ok::<_, HarnessError>((words, bytes))
        })?;
        let mut least: Option<u64> = None;
        for way in ways {
            let Some(pass) = yardstick.pass(*way, lines, bits.div_ceil(8)) else { continue };
            match time(words.len() as u64, Some(words.len() as u64), || pass(&words, 0)) {
                Ok((Some(ps), _)) => least = Some(least.map_or(ps, |least| least.min(ps))),
                Ok((None, _)) => {}
                Err(refused) => self.failed = Some(refused.name()),
            }
        }
        if let Some(ps) = least {
            self.seen.add(at.0, at.1, ps, words.len() as u64);
        }
        Ok(())
    }

    /// Notes a time, or the outcome of the row.
    pub(super) fn accept(
        &mut self,
        (position, quantity): (usize, usize),
        operations: u64,
        timed: Result<(Option<u64>, u64), Refused>,
    ) -> Option<u64> {
        match timed {
            Ok((ps, answer)) => {
                if let Some(ps) = ps {
                    self.seen.add(position, quantity, ps, operations);
                }
                Some(answer)
            }
            Err(refused) => {
                self.failed = Some(refused.name());
                None
            }
        }
    }

    /// What `work` says of the filter, unless the row has failed.
    pub(super) fn filter<T>(&self, work: impl FnOnce(&dyn ErasedFilter) -> T) -> Option<T> {
        match self.filter.as_ref() {
            Ok(filter) if self.failed.is_none() => Some(work(&**filter)),
            _ => None,
        }
    }

    /// A loop answered otherwise than before.
    pub(super) fn wrong_answer(&mut self) {
        self.failed = Some(Refused::WrongAnswer.name());
    }

    /// A member was denied.
    pub(super) fn law_violated(&mut self) {
        self.failed = Some("law-violated");
    }

    /// What the round saw; nothing but its outcome where something failed.
    pub(super) fn end(self) -> Observations {
        match self.failed {
            Some(outcome) => self.seen.with_outcome(outcome),
            None => self.seen,
        }
    }
}

/// The contender and its parameters.
pub(super) fn contender<'a>(
    case: &Case<'a>,
) -> Result<(&'a crate::registry::Contender, &'a crate::registry::Params), HarnessError> {
    let spec = case.spec();
    let (Some(contender), Ok(params)) = (&spec.contender, &spec.params) else {
        return Err(case.unfit("a contender is needed"));
    };
    if case.keys() == 0 {
        return Err(case.unfit("keys = 0: there is nothing to time, give at least 1"));
    }
    Ok((contender, params))
}

/// The members in memory, shared by all contenders of the group that take them alike.
pub(super) fn shared_members(case: &Case<'_>) -> Result<Arc<super::asked::Keys>, HarnessError> {
    case.shared(&format!("members {}", super::asked::hashes_itself(case)), || members(case))
}
