//! Studies: what a paper shows of its filter beyond the rate of one that was filled once. A study is a row of functions
//! under a name, as a contender is; a definition runs it with `model = "study"` and `study = "name"`.
//!
//! ```text
//! factors ──> Case ──axis──────> positions x1, x2, ...       one derived row for each
//!                  ──observe───> sums over trials at each x   one raw row for each repetition
//!                  ──formulas──> what theory says at each x   a column for each
//! ```

mod case;
pub mod compressed;
pub mod counting;
pub mod cuckoo;
pub mod deletable;
mod judge;
mod overhead;
pub mod peeled;
pub mod speed;
pub mod stable;
pub mod table;
#[cfg(test)]
mod tests;

pub use case::{Case, Observations};
pub use judge::{Judged, judge};

use amq::{Claim, Number};

use crate::error::{HarnessError, nearest};
use crate::model::picoseconds;
use crate::spec::PointSpec;

/// What kind of number a quantity is: it chooses interval and test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Successes among trials, a number in `[0, 1]`. Trials of one repetition need not be independent; those of different
    /// ones are.
    Share,
    /// A sum over trials of numbers that are not negative, shown as their mean.
    Mean,
    /// Picoseconds over operations, shown in nanoseconds: the least of all repetitions, and in `name_median`,
    /// `name_median_low` and `name_median_high` their median with its bootstrap interval. It has no theory.
    Time,
}

/// Something counted in every repetition.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// The column's name. The interval is in `name_low` and `name_high`, the trials in `name_trials`.
    pub name: &'static str,
    /// See [`Kind`].
    pub kind: Kind,
    /// The time it is shown over, in a column of its own: see [`over`](Self::over).
    pub over: Option<&'static str>,
}

impl Quantity {
    /// A share.
    #[must_use]
    pub const fn share(name: &'static str) -> Self {
        Self::of(name, Kind::Share)
    }

    /// A mean.
    #[must_use]
    pub const fn mean(name: &'static str) -> Self {
        Self::of(name, Kind::Mean)
    }

    /// A time.
    #[must_use]
    pub const fn time(name: &'static str) -> Self {
        Self::of(name, Kind::Time)
    }

    const fn of(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, over: None }
    }

    /// With columns for the ratio to another time of the study: `a_ns` over `limit_b_ns` is `a_over_limit`, least over
    /// least, and `a_over_limit_median` with its interval is the median of the ratios of single repetitions.
    #[must_use]
    pub const fn over(mut self, other: &'static str) -> Self {
        self.over = Some(other);
        self
    }
}

/// What theory says at one position, a column of the derived table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Formula {
    /// The column's name.
    pub name: &'static str,
    /// The value, in the unit of the quantity it is about.
    pub value: f64,
    /// What is claimed of it.
    pub claim: Claim,
    /// Where it comes from.
    pub source: &'static str,
    /// The quantity that is held against it; the other formulas are drawn and not tested.
    pub tests: Option<&'static str>,
}

impl Formula {
    /// A line to draw.
    #[must_use]
    pub const fn line(name: &'static str, value: f64, source: &'static str) -> Self {
        Self { name, value, claim: Claim::Limit, source, tests: None }
    }

    /// A prediction that `quantity` is held against.
    #[must_use]
    pub const fn of(
        quantity: &'static str,
        name: &'static str,
        value: f64,
        claim: Claim,
        source: &'static str,
    ) -> Self {
        Self { name, value, claim, source, tests: Some(quantity) }
    }
}

/// What theory says at one position.
pub type Formulas = Vec<Formula>;

/// The positions of a study along its axis.
#[derive(Clone, Copy)]
pub struct AlongAxis {
    /// The column's name.
    pub name: &'static str,
    /// The positions at a point, ascending, at least one; they depend on the definition alone.
    pub positions: fn(&Case<'_>) -> Result<Vec<f64>, HarnessError>,
}

/// A study.
#[derive(Clone, Copy)]
pub struct Study {
    /// The name in definitions, in kebab-case.
    pub name: &'static str,
    /// What it does, one line.
    pub about: &'static str,
    /// The factors it reads beyond the parameters of its contenders.
    pub factors: &'static [&'static str],
    /// The quantities, in the order of the columns.
    pub quantities: &'static [Quantity],
    /// The axis inside a repetition; a study without one has one derived row a point.
    pub axis: Option<AlongAxis>,
    /// One repetition.
    pub observe: fn(&Case<'_>) -> Result<Observations, HarnessError>,
    /// What theory says at each of the positions (one position `0` without an axis).
    pub formulas: fn(&Case<'_>, &[f64]) -> Result<Vec<Formulas>, HarnessError>,
    /// A rough cost of one repetition in nanoseconds.
    pub cost_ns: fn(&PointSpec) -> f64,
}

impl Study {
    /// Whether its rows hold times, so that nothing else may run meanwhile.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.quantities.iter().any(|quantity| quantity.kind == Kind::Time)
    }

    /// The positions at a point.
    ///
    /// # Errors
    /// [`HarnessError`] for factors out of range.
    pub fn positions(&self, case: &Case<'_>) -> Result<Vec<f64>, HarnessError> {
        self.axis.map_or_else(|| Ok(vec![0.0]), |axis| (axis.positions)(case))
    }

    /// The study of a name, or a message that names the nearest one.
    ///
    /// # Errors
    /// The message.
    pub fn find(name: &str) -> Result<&'static Self, String> {
        STUDIES.iter().copied().find(|study| study.name == name).ok_or_else(|| {
            let near = nearest(name, STUDIES.iter().map(|study| study.name)).unwrap_or("none");
            let known = STUDIES.iter().map(|study| study.name).collect::<Vec<_>>().join(", ");
            format!("unknown study `{name}`, nearest is `{near}`; known: {known}")
        })
    }
}

impl std::fmt::Debug for Study {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Study").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A formula's claim that the named quantity is expected to have this value exactly.
pub const EXACT: Claim = Claim::Exact;

/// A factor as a number.
pub(crate) fn number(spec: &PointSpec, name: &str) -> Option<Number> {
    spec.factors.get(name).and_then(crate::spec::Scalar::number)
}

/// Does `work` once and tells how long it took, in picoseconds; no time in a build with debug assertions, where it
/// would mean nothing.
pub(crate) fn stopwatch<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    let start = std::time::Instant::now();
    let done = std::hint::black_box(work());
    let elapsed = picoseconds(start.elapsed());
    (done, (!cfg!(debug_assertions)).then_some(elapsed))
}

/// One line for each study.
pub const STUDIES: &[&Study] = &[
    &counting::HISTOGRAM,
    &counting::COUNTERS,
    &counting::FILTERS,
    &counting::MAXIMUM,
    &counting::CHURN,
    &counting::WRONG,
    &deletable::FRACTION,
    &deletable::OVERHEAD,
    &deletable::REPEATS,
    &deletable::REMOVAL,
    &stable::ARRIVALS,
    &stable::POINT,
    &stable::GAP,
    &stable::stream::STABLE,
    &stable::stream::STABLE_TOTAL,
    &stable::stream::RESET,
    &stable::stream::RESET_TOTAL,
    &compressed::WIRE,
    &compressed::SIZE,
    &compressed::DELTA,
    &cuckoo::LOAD,
    &cuckoo::LEAST_BITS,
    &cuckoo::FILL,
    &cuckoo::INSERT,
    &peeled::SPACE,
    &peeled::SUCCESS,
    &peeled::SUCCESS_OF_SIZES,
    &peeled::BUILD,
    &peeled::RATES,
    &overhead::OVERHEAD,
    &speed::LOOKUP,
    &speed::MIX,
    &speed::BUILD,
    &speed::INSERT,
    &speed::LATENCY,
    &speed::SCALING,
    &speed::SHARING,
    &speed::MEMORY,
];
