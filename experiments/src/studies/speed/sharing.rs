//! One filter that several threads insert into at once: without locks, and with them.

use std::sync::{Mutex, PoisonError, RwLock};

use amq::{Digest, InvalidParams, Monotone, SharedInsert};
use atomic::{Atomic, Striped};
use blocked::{BlockedBloom, SplitBlock};
use standard::StandardBloom;

use super::clock::side_by_side;
use super::scaling::THREADS;
use crate::error::HarnessError;
use crate::studies::{AlongAxis, Case, Formula, Observations, Quantity, Study};

/// Lookups for each insert, in the second quantity.
const LOOKUPS: usize = 9;
const INSERT: usize = 0;
const MIXED: usize = 1;

/// See [`Study::about`].
pub const SHARING: Study = Study {
    name: "speed-sharing",
    about: "time over all operations of as many threads as fill one filter: inserts alone, and nine lookups to each; `sharing` is \
            atomic, striped, rwlock or mutex. The bits must be those of one thread, or the row has no time",
    factors: &["sharing"],
    quantities: &[Quantity::time("insert_ns"), Quantity::time("mixed_ns")],
    axis: Some(AlongAxis {
        name: "threads",
        positions: |_| Ok(THREADS.iter().map(|threads| *threads as f64).collect()),
    }),
    observe,
    formulas: |_, positions| Ok(vec![Vec::<Formula>::new(); positions.len()]),
    cost_ns: |spec| spec.keys as f64 * 1000.0 + 1e7,
};

/// A way for threads to share a filter.
trait Sharing<F: Monotone>: Sync + Sized {
    fn new(params: &F::Params, seed: u64) -> Result<Self, InvalidParams>;
    fn insert(&self, key: Digest);
    fn contains(&self, key: Digest) -> bool;
    /// The sequential filter of the same keys.
    fn into_filter(self) -> Result<F, InvalidParams>;
}

impl<F: Monotone> Sharing<F> for Atomic<F> {
    fn new(params: &F::Params, seed: u64) -> Result<Self, InvalidParams> {
        Atomic::new(params, seed)
    }

    #[inline]
    fn insert(&self, key: Digest) {
        self.insert_shared(key);
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        amq::Filter::contains(self, key)
    }

    fn into_filter(self) -> Result<F, InvalidParams> {
        self.freeze()
    }
}

impl<F: Monotone> Sharing<F> for Striped<F> {
    fn new(params: &F::Params, seed: u64) -> Result<Self, InvalidParams> {
        Striped::new(params, seed)
    }

    #[inline]
    fn insert(&self, key: Digest) {
        self.insert_shared(key);
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        self.contains(key)
    }

    fn into_filter(self) -> Result<F, InvalidParams> {
        self.freeze(0)
    }
}

impl<F: Monotone> Sharing<F> for RwLock<F> {
    fn new(params: &F::Params, seed: u64) -> Result<Self, InvalidParams> {
        F::empty(params, seed).map(RwLock::new)
    }

    #[inline]
    fn insert(&self, key: Digest) {
        // A filter of bits is never full.
        let _ = self.write().unwrap_or_else(PoisonError::into_inner).insert(key);
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        self.read().unwrap_or_else(PoisonError::into_inner).contains(key)
    }

    fn into_filter(self) -> Result<F, InvalidParams> {
        Ok(self.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<F: Monotone> Sharing<F> for Mutex<F> {
    fn new(params: &F::Params, seed: u64) -> Result<Self, InvalidParams> {
        F::empty(params, seed).map(Mutex::new)
    }

    #[inline]
    fn insert(&self, key: Digest) {
        // A filter of bits is never full.
        let _ = self.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        self.lock().unwrap_or_else(PoisonError::into_inner).contains(key)
    }

    fn into_filter(self) -> Result<F, InvalidParams> {
        Ok(self.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

fn observe(case: &Case<'_>) -> Result<Observations, HarnessError> {
    match case.spec().id.as_str() {
        "standard" => of_filter::<StandardBloom>(case),
        "blocked" => of_filter::<BlockedBloom<512>>(case),
        "blocked-64" => of_filter::<BlockedBloom<64>>(case),
        "split-block" => of_filter::<SplitBlock<32>>(case),
        "split-block-64" => of_filter::<SplitBlock<64>>(case),
        _ => {
            Err(case
                .unfit("no form that threads share; use standard, blocked, blocked-64, split-block or split-block-64"))
        }
    }
}

fn of_filter<F: Monotone>(case: &Case<'_>) -> Result<Observations, HarnessError> {
    match case.name("sharing").as_deref() {
        Some("atomic") => of_sharing::<F, Atomic<F>>(case),
        Some("striped") => of_sharing::<F, Striped<F>>(case),
        Some("rwlock") => of_sharing::<F, RwLock<F>>(case),
        Some("mutex") => of_sharing::<F, Mutex<F>>(case),
        other => {
            let given = other.unwrap_or("nothing");
            Err(case.unfit(&format!("sharing = {given}: give atomic, striped, rwlock or mutex")))
        }
    }
}

fn of_sharing<F: Monotone, S: Sharing<F>>(case: &Case<'_>) -> Result<Observations, HarnessError> {
    if case.keys() == 0 {
        return Err(case.unfit("keys = 0: there is nothing to time, give at least 1"));
    }
    let params = case.params::<F>()?;
    let seed = case.first().seed("filter");
    let refused = |error: InvalidParams| case.unfit(&error.to_string());
    let keys = case.shared(&format!("digests {}", case.spec().family.name()), || {
        let digests = case.first().digests(0, case.keys())?;
        let bytes = 8 * digests.len() as u64;
        Ok::<_, HarnessError>((digests, bytes))
    })?;
    let mut expected = F::empty(&params, seed).map_err(refused)?;
    // A filter of bits is never full.
    let _ = expected.insert_batch(&keys);
    let mut seen = Observations::new(&SHARING, THREADS.len());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // More threads than cores share them: that would be the scheduler's time.
    for (position, threads) in THREADS.into_iter().enumerate().filter(|(_, threads)| *threads <= cores) {
        for (quantity, lookups) in [(INSERT, 0), (MIXED, LOOKUPS)] {
            let filter = S::new(&params, seed).map_err(refused)?;
            let (ps, denied) = together::<F, S>(&filter, &keys, threads, lookups);
            if denied > 0 || keys.iter().any(|key| !filter.contains(*key)) {
                return Ok(Observations::failed(&SHARING, THREADS.len(), "law-violated"));
            }
            if !filter.into_filter().map_err(refused)?.words().eq(expected.words()) {
                return Ok(Observations::failed(&SHARING, THREADS.len(), "wrong-answer"));
            }
            if !cfg!(debug_assertions) {
                seen.add(position, quantity, ps, keys.len() as u64 * (1 + lookups as u64));
            }
        }
    }
    Ok(seen)
}

/// Picoseconds until as many threads have inserted all keys, each a part of them, with so many lookups of the keys just
/// inserted after each; and how many of these were denied.
fn together<F: Monotone, S: Sharing<F>>(filter: &S, keys: &[Digest], threads: usize, lookups: usize) -> (u64, u64) {
    let work = |thread: usize| {
        let bound = |thread: usize| keys.len() * thread / threads;
        let part = &keys[bound(thread)..bound(thread + 1)];
        let mut denied = 0;
        for (index, key) in part.iter().enumerate() {
            filter.insert(*key);
            let before = part[..=index].iter().rev().take(lookups);
            // The first keys have fewer before them; they are asked again.
            let again = part[..=index].iter().cycle().take(lookups.saturating_sub(index + 1));
            denied += before.chain(again).map(|key| u64::from(!filter.contains(*key))).sum::<u64>();
        }
        denied
    };
    let (ps, denied) = side_by_side(threads, |_| (), work);
    // A thread that panicked has denied something.
    (ps, denied.into_iter().map(|denied| denied.unwrap_or(1)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fills<F: Monotone + amq::Theory, S: Sharing<F>>() {
        let keys = conformance::keys::digests(1, 0..1003);
        let params = F::size_for_fpr(1003, 0.01).unwrap();
        for (threads, lookups) in [(1, 0), (3, 0), (4, 9)] {
            let filter = S::new(&params, 5).unwrap();
            let (_, denied) = together::<F, S>(&filter, &keys, threads, lookups);
            assert_eq!(denied, 0);
            let mut expected = F::empty(&params, 5).unwrap();
            expected.insert_batch(&keys).unwrap();
            assert!(filter.into_filter().unwrap().words().eq(expected.words()));
        }
    }

    #[test]
    fn hand_33_every_way_of_sharing_gives_the_bits_of_one_thread() {
        fills::<StandardBloom, Atomic<StandardBloom>>();
        fills::<StandardBloom, Striped<StandardBloom>>();
        fills::<StandardBloom, RwLock<StandardBloom>>();
        fills::<StandardBloom, Mutex<StandardBloom>>();
        fills::<SplitBlock<32>, Atomic<SplitBlock<32>>>();
    }

    /// A way of sharing that loses inserts is found out: it denies what was inserted.
    #[test]
    fn lost_inserts_are_seen() {
        struct Leaky(Mutex<(StandardBloom, u32)>);
        impl Sharing<StandardBloom> for Leaky {
            fn new(params: &standard::Params, seed: u64) -> Result<Self, InvalidParams> {
                Ok(Leaky(Mutex::new((<StandardBloom as amq::IncrementalFilter>::empty(params, seed)?, 0))))
            }
            fn insert(&self, key: Digest) {
                let mut inner = self.0.lock().unwrap();
                inner.1 += 1;
                if !inner.1.is_multiple_of(50) {
                    amq::IncrementalFilter::insert(&mut inner.0, key).unwrap();
                }
            }
            fn contains(&self, key: Digest) -> bool {
                amq::Filter::contains(&self.0.lock().unwrap().0, key)
            }
            fn into_filter(self) -> Result<StandardBloom, InvalidParams> {
                Ok(self.0.into_inner().unwrap().0)
            }
        }
        let params = <StandardBloom as amq::Theory>::size_for_fpr(1000, 0.01).unwrap();
        let leaky = Leaky::new(&params, 1).unwrap();
        assert!(together::<StandardBloom, Leaky>(&leaky, &conformance::keys::digests(1, 0..1000), 2, 9).1 > 0);
    }
}
