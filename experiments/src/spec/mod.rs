//! Definitions: one TOML file, one question, one figure.

mod diagnose;
mod expand;
mod values;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use expand::{PointSpec, expand};
pub use values::{Factors, Scalar, Values};

use crate::error::HarnessError;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Seconds: does it run at all?
    Smoke,
    /// Minutes: every point with a verdict.
    Quick,
    /// Up to an hour: rare events too.
    Full,
}

impl Scale {
    /// The scale of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Scale::Smoke, Scale::Quick, Scale::Full].into_iter().find(|scale| scale.name() == name)
    }

    /// The word on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scale::Smoke => "smoke",
            Scale::Quick => "quick",
            Scale::Full => "full",
        }
    }
}

/// What is done at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// False positives over independent filters.
    Rate,
    /// Hits of each of a fixed set of absent keys, over many sets of members.
    WeakSpots,
    /// How evenly a hash family spreads a workload over buckets.
    Uniformity,
    /// Time of hashing a key.
    HashTime,
    /// Time of a lookup and memory, at one thread.
    LookupTime,
    /// The same of a hash set of the keys themselves.
    HashSetTime,
    /// What the measure's `study` does.
    Study,
}

impl Model {
    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Model::Rate => "rate",
            Model::WeakSpots => "weak-spots",
            Model::Uniformity => "uniformity",
            Model::HashTime => "hash-time",
            Model::LookupTime => "lookup-time",
            Model::HashSetTime => "hash-set-time",
            Model::Study => "study",
        }
    }
}

/// One file of `experiments/defs`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Definition {
    /// The id: the file's name without its ending.
    pub id: String,
    /// The figure's title.
    pub title: String,
    /// The question, one sentence.
    pub question: String,
    /// What the figure says, two or three sentences.
    pub reading: String,
    /// Words that `run` takes in place of ids.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What is measured.
    pub measure: Vec<Measure>,
    /// How it is drawn.
    pub panel: Vec<PanelSpec>,
    /// Disagreements with the theory that are understood.
    #[serde(default)]
    pub explained: Vec<Explained>,
    /// Panels side by side at page width.
    #[serde(default = "one")]
    pub columns: usize,
    /// What a ringed point means; without it no point is ringed for its own sake.
    #[serde(default)]
    pub ring: Option<String>,
    /// The file's text, for its hash.
    #[serde(skip)]
    pub text: String,
}

fn one() -> usize {
    1
}

/// A disagreement that is understood: it is expected, and its absence would be news.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Explained {
    /// The points it is about, by their factors.
    pub only: Factors,
    /// What explains it.
    pub why: String,
}

/// One sweep.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Measure {
    /// Its name in tables, unique within the definition.
    pub name: String,
    /// What is done at each point.
    pub model: Model,
    /// The study, where the model is that.
    #[serde(default)]
    pub study: Option<String>,
    /// The contenders by id.
    #[serde(default)]
    pub contenders: Vec<String>,
    /// Published crates by id, measured beside them where the harness is built with these.
    #[serde(default)]
    pub peers: Vec<String>,
    /// The factors and their values; points are all combinations.
    #[serde(default)]
    pub sweep: std::collections::BTreeMap<String, Values>,
    /// Combinations that are given one by one; each is crossed with the sweep.
    #[serde(default)]
    pub cases: Vec<Factors>,
    /// How much at each scale.
    pub scale: Scales,
}

/// How much at each scale.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scales {
    /// See [`Scale::Smoke`].
    pub smoke: Amount,
    /// See [`Scale::Quick`].
    pub quick: Amount,
    /// See [`Scale::Full`].
    pub full: Amount,
}

impl Scales {
    /// The amount at `scale`.
    #[must_use]
    pub fn at(&self, scale: Scale) -> &Amount {
        match scale {
            Scale::Smoke => &self.smoke,
            Scale::Quick => &self.quick,
            Scale::Full => &self.full,
        }
    }
}

/// How much is measured at a point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Amount {
    /// Independent filters, at least.
    pub filters: u64,
    /// Independent filters, at most, where the spread of their rates asks for more.
    #[serde(default)]
    pub most_filters: Option<u64>,
    /// Absent keys asked in all, at most. As many as the effect needs are asked, if fewer.
    pub most_probes: u64,
    /// Exactly so many absent keys for each filter, whatever the effect needs.
    #[serde(default)]
    pub probes_per_filter: Option<u64>,
    /// The relative effect to see; by default 10 %, or a factor of two below a rate of 1e-5.
    #[serde(default)]
    pub effect: Option<f64>,
    /// Keep every `thin`-th value of each swept number.
    #[serde(default)]
    pub thin: Option<usize>,
    /// Filters to a row of raw data: 1 keeps each filter's counts.
    #[serde(default)]
    pub filters_per_row: Option<u64>,
    /// Leave out what has more keys.
    #[serde(default)]
    pub most_keys: Option<u64>,
    /// Keys of all repetitions of a study together, at most: fewer repetitions where there are more keys, but one in any case.
    #[serde(default)]
    pub keys_in_all: Option<u64>,
    /// Keys of a filter, in place of the sweep's.
    #[serde(default)]
    pub keys: Option<u64>,
}

/// One panel of the figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PanelSpec {
    /// The measure it shows.
    pub measure: String,
    /// Further measures it shows.
    #[serde(default)]
    pub also: Vec<String>,
    /// Curves, dots over categories, or a histogram.
    #[serde(default)]
    pub kind: PanelKind,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// Only rows with these factors.
    #[serde(default)]
    pub only: Factors,
    /// The column along x.
    pub x: String,
    /// The axis along x.
    pub x_axis: AxisSpec,
    /// The column along y.
    pub y: String,
    /// The axis along y.
    pub y_axis: AxisSpec,
    /// The column that y is divided by.
    #[serde(default)]
    pub over: Option<String>,
    /// Show `y/over - 1` in place of `y/over`.
    #[serde(default)]
    pub excess: bool,
    /// The columns that tell series apart.
    pub series: Vec<String>,
    /// The columns drawn as lines.
    #[serde(default)]
    pub lines: Vec<LineSpec>,
    /// A panel beneath: y over this column.
    #[serde(default)]
    pub ratio_to: Option<String>,
    /// Ring the points where this column equals x.
    #[serde(default)]
    pub ring_at: Option<String>,
    /// Bits of memory for each unit of x: marks where they fill the caches of the host.
    #[serde(default)]
    pub caches: Option<f64>,
    /// A stair along the points that no other one is below in both x and y.
    #[serde(default)]
    pub frontier: bool,
    /// Join the measured points.
    #[serde(default)]
    pub joined: bool,
    /// Move points of several series apart that stand at one x.
    #[serde(default)]
    pub dodged: bool,
    /// The number of the first style, for series that have none of their own.
    #[serde(default)]
    pub first_style: usize,
    /// Names to the left, values to the right.
    #[serde(default)]
    pub transposed: bool,
    /// Small notes under the panel.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What a panel looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PanelKind {
    /// Points with intervals over a number.
    #[default]
    Curve,
    /// Points with intervals over names.
    Dots,
    /// Counts over bins of a number.
    Histogram,
}

/// An axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AxisSpec {
    /// What it shows.
    pub label: String,
    /// Its unit.
    #[serde(default)]
    pub unit: Option<String>,
    /// Its scale.
    #[serde(default)]
    pub scale: ScaleSpec,
    /// Its range; from the data if not given.
    #[serde(default)]
    pub range: Option<(f64, f64)>,
    /// Labels in percent.
    #[serde(default)]
    pub percent: bool,
    /// Ticks at whole numbers only.
    #[serde(default)]
    pub integers: bool,
}

/// The scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScaleSpec {
    /// Equal steps.
    #[default]
    Linear,
    /// Decades.
    Log,
    /// Octaves.
    Log2,
}

/// A column drawn as a line.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LineSpec {
    /// The column.
    pub column: String,
    /// One line for each series, in its colour; otherwise one for the panel in the style of `style`.
    #[serde(default)]
    pub per_series: bool,
    /// The style of the panel's only line.
    #[serde(default)]
    pub style: Option<String>,
    /// The legend's text.
    #[serde(default)]
    pub label: Option<String>,
    /// Dashed rather than solid, where the style does not say. A second line of each series: the others are solid then.
    #[serde(default)]
    pub dashed: bool,
    /// Write the label at the line's end rather than into the legend.
    #[serde(default)]
    pub at_end: bool,
}

/// The tag of definitions that are only run by name or tag: their times want a quiet machine of its own.
pub const BY_NAME: &str = "speed";

impl Definition {
    /// Parses a definition; `name` is the file's name, for messages.
    ///
    /// # Errors
    /// [`HarnessError::Definition`] with file, line and the nearest valid name.
    pub fn parse(name: &str, text: &str) -> Result<Self, HarnessError> {
        let mut definition: Definition =
            toml::from_str(text).map_err(|error| diagnose::toml_error(name, text, &error))?;
        text.clone_into(&mut definition.text);
        definition.check(name)?;
        Ok(definition)
    }

    fn check(&self, name: &str) -> Result<(), HarnessError> {
        let fault_at = |path: &[&str], why: String| Err(diagnose::at_path(name, &self.text, path, &why));
        let fault = |word: &str, why: String| fault_at(&[word], why);
        let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
        if self.id != stem {
            return fault(&self.id, format!("id `{}` is not the file's name `{stem}`", self.id));
        }
        for (index, measure) in self.measure.iter().enumerate() {
            if self.measure[..index].iter().any(|before| before.name == measure.name) {
                return fault_at(&[&measure.name, &measure.name], format!("two measures are named `{}`", measure.name));
            }
            for scale in [Scale::Smoke, Scale::Quick, Scale::Full] {
                let (amount, path) = (measure.scale.at(scale), |word| [measure.name.as_str(), scale.name(), word]);
                if amount.filters == 0 {
                    return fault_at(&path("filters"), "filters = 0: at least 1 filter is needed".to_owned());
                }
                if amount.effect.is_some_and(|effect| !(effect > 0.0 && effect.is_finite())) {
                    return fault_at(&path("effect"), "effect must be a finite number above 0".to_owned());
                }
            }
        }
        for shown in self.panel.iter().flat_map(|panel| panel.also.iter().chain([&panel.measure])) {
            if !self.measure.iter().any(|measure| measure.name == *shown) {
                let near = crate::error::nearest(shown, self.measure.iter().map(|measure| measure.name.as_str()));
                return fault(shown, format!("unknown measure `{shown}`, nearest is `{}`", near.unwrap_or("none")));
            }
        }
        Ok(())
    }

    /// Whether a run that names nothing takes it too.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !self.tags.iter().any(|tag| tag == BY_NAME)
    }

    /// Reports a fault of this definition at the first place that mentions `word`.
    #[must_use]
    pub fn fault(&self, word: &str, why: &str) -> HarnessError {
        self.fault_at(&[word], why)
    }

    /// Reports a fault at a word that comes after others, such as a factor after the name of its measure.
    #[must_use]
    pub fn fault_at(&self, path: &[&str], why: &str) -> HarnessError {
        diagnose::at_path(&format!("{}.toml", self.id), &self.text, path, why)
    }

    /// The definitions that come with the harness, in the order they are shown.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn builtin() -> Result<Vec<Self>, HarnessError> {
        BUILTIN.iter().map(|(name, text)| Self::parse(name, text)).collect()
    }
}

macro_rules! builtin {
    ($($id:literal),* $(,)?) => {
        &[$((concat!($id, ".toml"), include_str!(concat!("../../defs/", $id, ".toml")))),*]
    };
}

/// The files of `experiments/defs`.
const BUILTIN: &[(&str, &str)] = builtin![
    "fpr-vs-bits",
    "fpr-vs-k",
    "fpr-vs-load",
    "partitioned-vs-standard",
    "exact-vs-classic",
    "index-derivation",
    "hash-families",
    "four-designs",
    "fpr-concentration",
    "memory-vs-hash-set",
    "counter-histogram",
    "counter-overflow",
    "counting-churn",
    "counting-wrong-removals",
    "counting-rates",
    "deletable-fraction",
    "deletable-removal",
    "deletable-overhead",
    "deletable-rates",
    "stable-convergence",
    "stable-fnr-gap",
    "stable-tradeoff",
    "stable-vs-reset",
    "stable-rates",
    "compressed-k",
    "compressed-space",
    "compressed-tables",
    "compressed-deltas",
    "compressed-rates",
    "cuckoo-load",
    "cuckoo-space",
    "cuckoo-insert",
    "cuckoo-fill",
    "cuckoo-rates",
    "xor-space",
    "xor-success",
    "xor-build",
    "xor-rates",
    "overhead",
    "blocked-rates",
    "performance",
    "speed-vs-n",
    "speed-vs-hit-share",
    "pareto",
    "batch",
    "build-cost",
    "insert-vs-load",
    "latency",
    "scaling",
    "memory-limit",
    "claims",
];
