//! Inserts against how full the filter is.

use std::time::{Duration, Instant};

use amq::Digest;

use super::FACTORS;
use super::held::contender;
use crate::error::HarnessError;
use crate::keys::DigestSource;
use crate::model::picoseconds;
use crate::studies::{AlongAxis, Case, Formula, Observations, Quantity, Study};

/// Parts of the keys that are timed by themselves.
const PARTS: usize = 20;

/// See [`Study::about`].
pub const INSERT: Study = Study {
    name: "speed-insert",
    about: "time of an insert of a digest against the share of the keys that are in already",
    factors: FACTORS,
    quantities: &[Quantity::time("insert_ns")],
    axis: Some(AlongAxis {
        name: "share_in",
        positions: |_| Ok((0..PARTS).map(|part| (part as f64 + 0.5) / PARTS as f64).collect()),
    }),
    observe,
    formulas: |_, positions| Ok(vec![Vec::<Formula>::new(); positions.len()]),
    cost_ns: |spec| spec.keys as f64 * 100.0 + 1e6,
};

/// The keys in parts, and the times between one part and the next.
struct Parts<'a> {
    digests: &'a [Digest],
    taken: usize,
    since: Instant,
    times: Vec<Duration>,
}

impl Parts<'_> {
    fn end(&self, part: usize) -> usize {
        self.digests.len() * part / PARTS
    }

    /// The part that was taken last has been inserted.
    fn inserted(&mut self) {
        if self.taken > self.times.len() {
            self.times.push(self.since.elapsed());
        }
    }
}

impl DigestSource for Parts<'_> {
    fn next_chunk(&mut self) -> Option<&[Digest]> {
        self.inserted();
        if self.taken == PARTS {
            return None;
        }
        let part = self.end(self.taken)..self.end(self.taken + 1);
        self.taken += 1;
        self.since = Instant::now();
        Some(&self.digests[part])
    }
}

fn observe(case: &Case<'_>) -> Result<Observations, HarnessError> {
    let (contender, params) = contender(case)?;
    if !contender.traits.capabilities.incremental {
        return Err(case.unfit("keys are not inserted one by one: a filter that takes them later is needed"));
    }
    if case.keys() < PARTS as u64 {
        return Err(case.unfit(&format!("keys = {}: at least {PARTS} are needed", case.keys())));
    }
    let digests = case.shared(&format!("digests {}", case.spec().family.name()), || {
        let digests = case.first().digests(0, case.keys())?;
        let bytes = 8 * digests.len() as u64;
        Ok::<_, HarnessError>((digests, bytes))
    })?;
    let mut parts = Parts { digests: &digests, taken: 0, since: Instant::now(), times: Vec::with_capacity(PARTS) };
    let built = contender.build(params, case.first().seed("filter"), &mut parts);
    parts.inserted();
    if let Err(error) = built {
        return Ok(Observations::failed(&INSERT, PARTS, crate::model::outcome(&error)));
    }
    let mut seen = Observations::new(&INSERT, PARTS);
    for (part, time) in parts.times.iter().enumerate().filter(|_| !cfg!(debug_assertions)) {
        let count = parts.end(part + 1) - parts.end(part);
        seen.add(part, 0, picoseconds(*time), count as u64);
    }
    Ok(seen)
}
