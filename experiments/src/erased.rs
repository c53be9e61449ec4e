//! A filter whose type is no longer known: the harness handles all contenders alike, and each method's
//! loop is still compiled for the type.

use std::any::Any;

use amq::{BuildError, Digest, IncrementalFilter, Space, StaticFilter, Theory};

use crate::keys::DigestSource;

/// A built filter.
pub trait ErasedFilter: Send + Sync {
    /// How many of `keys` are answered with yes.
    fn count_contained(&self, keys: &[Digest]) -> u64;
    /// The same where each key asked hangs on the answer before: its digest is changed in one bit by an answer other than
    /// `expected`, so that no lookup can begin before the last one has ended.
    fn count_dependent(&self, keys: &[Digest], expected: bool) -> u64;
    /// `out[i]` answers for `keys[i]`; the slices are of one length.
    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]);
    /// The memory in use, as allocated.
    fn space(&self) -> Space;
    /// Bits held in RAM while keys are asked.
    fn memory_bits(&self) -> u64;
    /// The rate of this very filter from its contents, where they tell.
    fn rate_given_contents(&self) -> Option<f64>;
    /// For what only the type knows.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<F: Theory + 'static> ErasedFilter for F {
    fn count_contained(&self, keys: &[Digest]) -> u64 {
        amq::Filter::count_contained(self, keys)
    }
    fn count_dependent(&self, keys: &[Digest], expected: bool) -> u64 {
        let (mut count, mut change) = (0, 0);
        for key in keys {
            let answer = self.contains(Digest(key.0 ^ change));
            count += u64::from(answer);
            change = u64::from(answer != expected);
        }
        count
    }
    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        amq::Filter::contains_batch(self, keys, out);
    }
    fn space(&self) -> Space {
        amq::Filter::space(self)
    }
    fn memory_bits(&self) -> u64 {
        amq::Filter::memory_bits(self)
    }
    fn rate_given_contents(&self) -> Option<f64> {
        Theory::rate_given_contents(self)
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// Builds an incremental filter from a stream of keys, chunk by chunk, so that no array of keys is needed.
pub(crate) fn build_incremental<F: IncrementalFilter + Theory + 'static>(
    params: &F::Params,
    seed: u64,
    keys: &mut dyn DigestSource,
) -> Result<Box<dyn ErasedFilter>, BuildError> {
    let mut filter = F::empty(params, seed)?;
    while let Some(chunk) = keys.next_chunk() {
        filter.insert_batch(chunk)?;
    }
    Ok(Box::new(filter))
}

/// Builds a static filter; it needs all keys at once.
pub(crate) fn build_static<F: StaticFilter + Theory + 'static>(
    params: &F::Params,
    seed: u64,
    keys: &mut dyn DigestSource,
) -> Result<Box<dyn ErasedFilter>, BuildError> {
    if let Some(all) = keys.all() {
        return Ok(Box::new(F::build(params, seed, all)?));
    }
    let mut all = Vec::new();
    while let Some(chunk) = keys.next_chunk() {
        let bits = 64 * (all.len() + chunk.len()) as u64;
        all.try_reserve(chunk.len()).map_err(|_| amq::InvalidParams::TooLarge { bits })?;
        all.extend_from_slice(chunk);
    }
    Ok(Box::new(F::build(params, seed, &all)?))
}
