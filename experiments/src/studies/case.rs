//! What a study is given: the factors of its point, keys and seeds of its repetition.

use std::sync::Arc;

use amq::{Digest, Filter};
use hashing::Hasher;
use serde::de::DeserializeOwned;

use super::Study;
use crate::error::HarnessError;
use crate::keep::Keep;
use crate::keys::{CHUNK, KeySet};
use crate::model::Point;
use crate::spec::PointSpec;

/// More positions than anybody wants in a figure.
const MOST_STEPS: u64 = 10_000;

/// One repetition of a study at a point.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    point: &'a Point,
    study: &'a Study,
    repetition: u64,
    keep: Option<&'a Keep>,
}

impl<'a> Case<'a> {
    /// The repetition of this number.
    #[must_use]
    pub fn new(point: &'a Point, study: &'a Study, repetition: u64) -> Self {
        Self { point, study, repetition, keep: None }
    }

    /// With a place for what repetitions share.
    #[must_use]
    pub fn keeping(self, keep: &'a Keep) -> Self {
        Self { keep: Some(keep), ..self }
    }

    /// Repetition 0 of the same point.
    #[must_use]
    pub fn first(self) -> Self {
        Self { repetition: 0, ..self }
    }

    /// What an earlier row of the group made under this name, or else what `make` makes with its bytes: see [`Keep`].
    ///
    /// # Errors
    /// Those of `make`.
    pub fn shared<T: Send + Sync + 'static, E>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<(T, u64), E>,
    ) -> Result<Arc<T>, E> {
        match self.keep {
            Some(keep) => keep.get(name, make),
            None => make().map(|(made, _)| Arc::new(made)),
        }
    }

    /// The point's identity: a name for what is its own among what is kept.
    #[must_use]
    pub fn identity(&self) -> &'a str {
        &self.point.identity
    }

    /// The point: contender, factors, keys.
    #[must_use]
    pub fn spec(&self) -> &'a PointSpec {
        &self.point.spec
    }

    /// The keys of the point.
    #[must_use]
    pub fn keys(&self) -> u64 {
        self.point.spec.keys
    }

    /// Keys to ask in one repetition.
    #[must_use]
    pub fn probes(&self) -> u64 {
        self.point.plan.probes_per_filter
    }

    /// The number of this repetition, from 0.
    #[must_use]
    pub fn repetition(&self) -> u64 {
        self.repetition
    }

    /// The contender's parameters, as the factors gave or sized them.
    ///
    /// # Errors
    /// [`HarnessError::Usage`] where the point has none of this type.
    pub fn params<F: Filter>(&self) -> Result<F::Params, HarnessError>
    where
        F::Params: DeserializeOwned,
    {
        let spec = self.spec();
        let params = spec.params.as_ref().map_err(|why| HarnessError::Usage(why.clone()))?;
        serde_json::from_value(params.clone()).map_err(|error| {
            HarnessError::Usage(format!(
                "study `{}` cannot use contender `{}` with {params}: {error}",
                self.study.name, spec.id
            ))
        })
    }

    /// A factor that must be a number of at least `least`.
    ///
    /// # Errors
    /// [`HarnessError::Usage`] that names it.
    pub fn number(&self, name: &str, least: f64) -> Result<f64, HarnessError> {
        let value = super::number(self.spec(), name).map(amq::Number::as_f64);
        value.filter(|value| value.is_finite() && *value >= least).ok_or_else(|| self.fault(name, least))
    }

    /// A factor that must be a whole number of at least `least`.
    ///
    /// # Errors
    /// [`HarnessError::Usage`] that names it.
    pub fn count(&self, name: &str, least: u64) -> Result<u64, HarnessError> {
        let value = super::number(self.spec(), name).and_then(amq::Number::as_u64);
        value.filter(|value| *value >= least).ok_or_else(|| self.fault(name, least as f64))
    }

    /// A factor that is a number of positions along the axis: 1 to 10,000.
    ///
    /// # Errors
    /// [`HarnessError::Usage`] that names it.
    pub fn steps(&self, name: &str) -> Result<u64, HarnessError> {
        let value = self.count(name, 1)?;
        if value <= MOST_STEPS {
            return Ok(value);
        }
        let study = self.study.name;
        Err(HarnessError::Usage(format!("study `{study}`: {name} = {value} is out of range: 1 to {MOST_STEPS} steps")))
    }

    /// A factor that is a name.
    #[must_use]
    pub fn name(&self, name: &str) -> Option<String> {
        self.spec().factor(name)
    }

    fn fault(&self, name: &str, least: f64) -> HarnessError {
        let given = self.spec().factor(name).unwrap_or_else(|| "nothing".to_owned());
        HarnessError::Usage(format!("study `{}` needs factor `{name}`, at least {least}; got {given}", self.study.name))
    }

    /// What this study cannot do at this point.
    #[must_use]
    pub fn unfit(&self, why: &str) -> HarnessError {
        HarnessError::Usage(format!("study `{}`, contender `{}`: {why}", self.study.name, self.spec().id))
    }

    /// A seed of this repetition; `stream` tells apart what must be independent. All contenders get the same ones.
    #[must_use]
    pub fn seed(&self, stream: &str) -> u64 {
        self.point.stream_seed(stream, self.repetition)
    }

    /// Keys number `from` to `to` (excluded) of this repetition, hashed: distinct ones, the same for all contenders.
    /// Those below [`keys`](Self::keys) are the members by convention; those from there on are absent.
    ///
    /// # Errors
    /// [`HarnessError`] for a workload that has not so many keys.
    pub fn digests(&self, from: u64, to: u64) -> Result<Vec<Digest>, HarnessError> {
        let spec = self.spec();
        let keys = KeySet::new(spec.workload.clone(), to, self.seed("keys"));
        let hasher = Hasher::new(spec.family, self.seed("hash"));
        let mut digests = Vec::with_capacity(to.saturating_sub(from) as usize);
        for start in (from..to).step_by(CHUNK as usize) {
            keys.member_digests(start..(start + CHUNK).min(to), &hasher, &mut digests)?;
        }
        Ok(digests)
    }
}

/// What one repetition saw: a sum and its trials for each quantity at each position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observations {
    quantities: usize,
    /// Position-major.
    cells: Vec<(u64, u64)>,
    outcome: Option<&'static str>,
}

impl Observations {
    /// Nothing seen yet, for a study's quantities at `positions` positions.
    #[must_use]
    pub fn new(study: &Study, positions: usize) -> Self {
        let quantities = study.quantities.len();
        Self { quantities, cells: vec![(0, 0); quantities * positions], outcome: None }
    }

    /// Nothing to be seen: the repetition failed in a way that is a row of its own, such as `full`.
    #[must_use]
    pub fn failed(study: &Study, positions: usize, outcome: &'static str) -> Self {
        Self { outcome: Some(outcome), ..Self::new(study, positions) }
    }

    /// The same with what failed: nothing of it counts then.
    #[must_use]
    pub fn with_outcome(mut self, outcome: &'static str) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// What failed, if something did.
    #[must_use]
    pub fn outcome(&self) -> Option<&'static str> {
        self.outcome
    }

    /// Adds `sum` over `trials` to quantity number `quantity` (in the study's order) at position number `position`.
    pub fn add(&mut self, position: usize, quantity: usize, sum: u64, trials: u64) {
        let cell = &mut self.cells[position * self.quantities + quantity];
        cell.0 += sum;
        cell.1 += trials;
    }

    /// Sum and trials.
    #[must_use]
    pub fn get(&self, position: usize, quantity: usize) -> (u64, u64) {
        self.cells.get(position * self.quantities + quantity).copied().unwrap_or_default()
    }

    /// Trials over all positions and quantities.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.cells.iter().map(|(_, trials)| trials).sum()
    }

    /// As text: `sum/trials` for each quantity of a position, with `;` between positions.
    #[must_use]
    pub fn to_text(&self) -> String {
        let at = |cells: &[(u64, u64)]| cells.iter().map(|(sum, n)| format!("{sum}/{n}")).collect::<Vec<_>>().join(" ");
        self.cells.chunks(self.quantities.max(1)).map(at).collect::<Vec<_>>().join(";")
    }

    /// How many positions a text has.
    #[must_use]
    pub fn positions(text: &str) -> usize {
        1 + text.matches(';').count()
    }

    /// From text, for a study and its positions.
    ///
    /// # Errors
    /// A message for another shape.
    pub fn from_text(text: &str, study: &Study, positions: usize) -> Result<Self, String> {
        let pair = |cell: &str| {
            let (sum, trials) = cell.split_once('/')?;
            Some((sum.parse().ok()?, trials.parse().ok()?))
        };
        let cells = text.split([';', ' ']).map(pair).collect::<Option<Vec<(u64, u64)>>>();
        match cells {
            Some(cells) if cells.len() == study.quantities.len() * positions => {
                Ok(Self { quantities: study.quantities.len(), cells, outcome: None })
            }
            _ => Err(format!("`{text}` is not {} pairs at {positions} positions", study.quantities.len())),
        }
    }
}
