//! Counts: every member and every probe asked of every filter, keys streamed in chunks.

use std::ops::Range;
use std::time::Duration;

use amq::{BuildError, Digest, InvalidParams};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{Amount, Asked, Sized, memory, time};
use crate::erased::ErasedFilter;
use crate::error::HarnessError;
use crate::keys::CHUNK;

/// Keys of one parallel task.
const BLOCK: u64 = 128 * CHUNK;
/// From this many keys on, the one filter there is gets built once, for counts and times both.
const BUILT_ONCE: u64 = 1 << 24;

/// Counts over all filters of a contender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    /// Absent keys answered with yes.
    pub false_positives: u64,
    /// Members answered with no.
    pub false_negatives: u64,
    /// Allocated bits of one filter, on average.
    pub bits: u64,
    /// False positives expected from the filters' contents, where they tell.
    pub expected_by_contents: Option<f64>,
}

/// Why a contender has no counts.
pub(super) enum Stop {
    /// It cannot do what is asked: a row with this outcome.
    Outcome { outcome: &'static str, why: String },
    /// The run cannot go on.
    Harness(HarnessError),
}

impl From<HarnessError> for Stop {
    fn from(error: HarnessError) -> Self {
        Stop::Harness(error)
    }
}

impl From<BuildError> for Stop {
    fn from(error: BuildError) -> Self {
        let outcome = match &error {
            BuildError::Params(error) => outcome_of_params(error),
            BuildError::Unbuildable { .. } => "unbuildable",
            BuildError::Full(_) => "full",
        };
        Stop::Outcome { outcome, why: error.to_string() }
    }
}

/// The outcome of refused parameters.
pub(super) fn outcome_of_params(error: &InvalidParams) -> &'static str {
    match error {
        InvalidParams::TooLarge { .. } => "out-of-memory",
        _ => "invalid-params",
    }
}

/// A filter that was built with the clock running, to be timed further.
pub(super) struct Kept {
    pub(super) filter: Box<dyn ErasedFilter>,
    pub(super) build: Duration,
}

struct OfOne {
    positives: u64,
    denied: u64,
    bits: u64,
    rate_given_contents: Option<f64>,
}

/// Counts over all filters. The result does not depend on the number of threads.
pub(super) fn count(asked: &Asked, sized: &Sized, amount: Amount) -> Result<(Counts, Option<Kept>), Stop> {
    let bytes = memory::expected_bytes(sized, asked.keys);
    if let Some(available) = memory::available().filter(|available| bytes > *available) {
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        let why = format!(
            "a filter takes about {:.1} GiB and {:.1} GiB are free: use fewer keys, fewer bits per key or a higher rate",
            gib(bytes),
            gib(available)
        );
        return Err(Stop::Outcome { outcome: "out-of-memory", why });
    }
    if amount.filters == 1 && asked.keys >= BUILT_ONCE {
        let (filter, build) = time::build(asked, sized)?;
        let counts = total(&[ask(asked, &*filter, 0, amount.probes)?], amount);
        return Ok((counts, Some(Kept { filter, build })));
    }
    let mut all = Vec::new();
    let step = memory::at_a_time(bytes, amount.filters);
    for first in (0..amount.filters).step_by(step as usize) {
        let batch: Vec<Result<OfOne, Stop>> = (first..(first + step).min(amount.filters))
            .into_par_iter()
            .map(|index| build_and_ask(asked, sized, index, amount.probes))
            .collect();
        // In the order of the filters, so that the first failure is the same on any number of threads.
        for one in batch {
            all.push(one?);
        }
    }
    Ok((total(&all, amount), None))
}

fn total(all: &[OfOne], amount: Amount) -> Counts {
    let filters = all.len().max(1) as u64;
    let rates = all.iter().map(|one| one.rate_given_contents).sum::<Option<f64>>();
    Counts {
        false_positives: all.iter().map(|one| one.positives).sum(),
        false_negatives: all.iter().map(|one| one.denied).sum(),
        bits: (all.iter().map(|one| one.bits).sum::<u64>() + filters / 2) / filters,
        expected_by_contents: rates.map(|rates| rates * amount.probes as f64),
    }
}

fn build_and_ask(asked: &Asked, sized: &Sized, index: u64, probes: u64) -> Result<OfOne, Stop> {
    let (keys, hasher) = (asked.key_set(index), asked.hasher(index));
    let mut source = keys.source(&hasher);
    let built = sized.contender.build(&sized.params, asked.filter_seed(index), &mut source);
    source.finish()?;
    ask(asked, &*built?, index, probes)
}

fn ask(asked: &Asked, filter: &dyn ErasedFilter, index: u64, probes: u64) -> Result<OfOne, Stop> {
    let (keys, hasher) = (asked.key_set(index), asked.hasher(index));
    let members = contained(filter, asked.keys, |range, out| keys.member_digests(range, &hasher, out))?;
    let positives = contained(filter, probes, |range, out| keys.absent_digests(range, &hasher, out))?;
    Ok(OfOne {
        positives,
        denied: asked.keys - members,
        bits: filter.space().total_bits(),
        rate_given_contents: filter.rate_given_contents(),
    })
}

/// How many of the keys of `0..total` are answered with yes.
fn contained(
    filter: &dyn ErasedFilter,
    total: u64,
    digests_of: impl Fn(Range<u64>, &mut Vec<Digest>) -> Result<(), HarnessError> + Sync,
) -> Result<u64, HarnessError> {
    let block = |digests: &mut Vec<Digest>, block: u64| {
        let end = ((block + 1) * BLOCK).min(total);
        let mut positives = 0;
        for start in (block * BLOCK..end).step_by(CHUNK as usize) {
            digests.clear();
            digests_of(start..(start + CHUNK).min(end), digests)?;
            positives += filter.count_contained(digests);
        }
        Ok(positives)
    };
    (0..total.div_ceil(BLOCK))
        .into_par_iter()
        .map_init(Vec::new, block)
        .try_reduce(|| 0, |left, right| Ok(left + right))
}
