//! What is done at a point: each model makes tasks, and each task makes one row.

mod queries;
mod rate;
mod study;
mod timing;
mod uniformity;
mod weak_spots;

pub(crate) use timing::{CREDIBLE_PS, picoseconds};

use crate::error::HarnessError;
use crate::keep::Keep;
use crate::record::Record;
use crate::seeds;
use crate::spec::{Model, PointSpec};

/// How a point is measured: fixed before the run, from the definition and the theory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Independent filters.
    pub filters: u64,
    /// Absent keys asked of each filter.
    pub probes_per_filter: u64,
    /// Filters to a row.
    pub filters_per_row: u64,
}

impl Plan {
    /// The rows of the point.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.filters.div_ceil(self.filters_per_row.max(1))
    }
}

/// A point with its plan, seed and identity.
#[derive(Clone, Debug)]
pub struct Point {
    /// What is measured.
    pub spec: PointSpec,
    /// How much.
    pub plan: Plan,
    /// A hash of all that defines the point; it depends on neither host nor threads.
    pub identity: String,
    root: u64,
}

impl Point {
    /// Plans a point of the run with root seed `root`.
    #[must_use]
    pub fn new(spec: PointSpec, root: u64) -> Self {
        let plan = match spec.model {
            Model::Rate => rate::plan(&spec),
            Model::WeakSpots => weak_spots::plan(&spec),
            Model::Study => study::plan(&spec),
            Model::Uniformity | Model::HashTime | Model::LookupTime | Model::HashSetTime => {
                Plan { filters: 1, probes_per_filter: spec.amount.most_probes, filters_per_row: 1 }
            }
        };
        let text = format!(
            "{} {} {} {} {} {} {} {:?} {plan:?}",
            spec.measure,
            spec.study.map_or(spec.model.name(), |study| study.name),
            spec.id,
            spec.params_text(),
            spec.keys,
            spec.workload,
            spec.family.name(),
            spec.factors
        );
        let identity = format!("{:016x}", seeds::hash_text(root, &text));
        Self { spec, plan, identity, root }
    }

    /// The rows the point consists of.
    #[must_use]
    pub fn rows(&self) -> u64 {
        if self.spec.params.is_err() { 1 } else { self.plan.rows() }
    }

    /// Whether its rows hold times, so that nothing else may run meanwhile.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.spec.study.is_some_and(crate::studies::Study::is_timed)
            || matches!(self.spec.model, Model::HashTime | Model::LookupTime | Model::HashSetTime)
    }

    /// Whether the spread of the rates of single filters can be judged: rows of one filter each, and enough of them.
    #[must_use]
    pub fn has_spread(&self) -> bool {
        self.spec.model == Model::Rate && self.plan.filters_per_row == 1 && self.plan.filters >= 30
    }

    /// A rough cost of one row, in nanoseconds, for the estimate of the time left.
    #[must_use]
    pub fn cost_ns(&self) -> f64 {
        let k = self.spec.params.as_ref().ok().and_then(|params| params.get("k")?.as_f64()).unwrap_or(1.0);
        let filters = self.plan.filters_per_row.min(self.plan.filters) as f64;
        let keys = self.spec.keys as f64;
        match self.spec.model {
            Model::Rate | Model::WeakSpots => {
                filters * (keys * (8.0 + 3.0 * k) + self.plan.probes_per_filter as f64 * 7.0 + 300.0)
            }
            Model::Uniformity => keys * 20.0,
            Model::HashTime => 5e7,
            Model::LookupTime | Model::HashSetTime => keys * 200.0 + 1e8,
            Model::Study => self.spec.study.map_or(0.0, |study| (study.cost_ns)(&self.spec)),
        }
    }

    /// The group whose timed rows alternate: all points of a measure on the same keys.
    #[must_use]
    pub fn group(&self) -> String {
        format!("{} {} {}", self.spec.measure, self.spec.keys, self.spec.workload)
    }

    /// Measures one row. What rows of one group share is in `keep`.
    ///
    /// # Errors
    /// [`HarnessError`] for what stops the run; what only this point cannot do is an outcome of the row.
    pub fn measure(&self, row: u64, keep: &Keep) -> Result<Record, HarnessError> {
        let mut record = Record {
            measure: self.spec.measure.clone(),
            point: self.identity.clone(),
            row,
            contender: self.spec.id.clone(),
            params: self.spec.params_text(),
            keys: self.spec.keys,
            workload: self.spec.workload.to_string(),
            family: self.spec.family.name().to_owned(),
            factors: serde_json::to_string(&self.spec.factors)
                .map_err(|error| HarnessError::Failed(error.to_string()))?,
            outcome: "ok".to_owned(),
            ..Record::default()
        };
        if self.spec.params.is_err() {
            "invalid-params".clone_into(&mut record.outcome);
            return Ok(record);
        }
        if let Some(study) = self.spec.study {
            study::measure(self, study, keep, &mut record)?;
            return Ok(record);
        }
        match self.spec.model {
            Model::Study => return Err(HarnessError::Failed(format!("measure `{}` has no study", self.spec.measure))),
            Model::Rate => rate::measure(self, &mut record)?,
            Model::WeakSpots => weak_spots::measure(self, &mut record)?,
            Model::Uniformity => uniformity::measure(self, &mut record)?,
            Model::HashTime => timing::hash_time(self, &mut record)?,
            Model::LookupTime => timing::lookup_time(self, &mut record)?,
            Model::HashSetTime => timing::hash_set_time(self, &mut record)?,
        }
        Ok(record)
    }

    /// The seed of the keys of filter `index`: the same for all contenders, so that they are compared on the
    /// same keys.
    fn key_seed(&self, index: u64) -> u64 {
        seeds::child(self.root, "keys", index)
    }

    /// The seed of the hash function of filter `index`.
    fn hash_seed(&self, index: u64) -> u64 {
        seeds::child(self.root, "hash", index)
    }

    /// The seed of a stream of random choices of repetition `index`, the same for all contenders.
    pub(crate) fn stream_seed(&self, stream: &str, index: u64) -> u64 {
        seeds::child(self.root, stream, index)
    }

    /// The seed of filter `index`.
    fn filter_seed(&self, index: u64) -> u64 {
        seeds::child(self.root, &self.identity, index)
    }
}

/// What a failed construction is called in the column `outcome`.
#[must_use]
pub fn outcome(error: &amq::BuildError) -> &'static str {
    match error {
        amq::BuildError::Params(_) => "invalid-params",
        amq::BuildError::Unbuildable { .. } => "unbuildable",
        amq::BuildError::Full(_) => "full",
    }
}
