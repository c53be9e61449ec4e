//! The same words under locks, a lock for each stretch of them: what the atomic form is compared with.

use std::sync::{Mutex, MutexGuard, PoisonError};

use amq::{Digest, InvalidParams, Monotone};

/// Locks, and stretches of words; a filter of fewer lines has as many as it has lines.
const STRIPES: u64 = 64;

/// Words of a cache line, which no two stretches share, so that a key of a blocked filter takes one lock.
const LINE: u64 = 8;

/// A filter that threads insert into and ask at once, with locks: a key takes the lock of each stretch that it has bits in, one
/// after the other.
#[derive(Debug)]
pub struct Striped<F: Monotone> {
    params: F::Params,
    seed: u64,
    places: F::Places,
    words: u64,
    each: u64,
    stripes: Vec<Mutex<Vec<u64>>>,
}

impl<F: Monotone> Striped<F> {
    /// A filter with no keys.
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters out of range and memory that cannot be had.
    pub fn new(params: &F::Params, seed: u64) -> Result<Self, InvalidParams> {
        let (places, layout) = F::places(params, seed)?;
        let words = layout.words;
        let each = words.div_ceil(STRIPES).next_multiple_of(LINE);
        let stripe = |_| {
            let room = usize::try_from(each).ok().and_then(bits::memory::reserve);
            let mut stripe: Vec<u64> = room.ok_or(InvalidParams::TooLarge { bits: words.saturating_mul(64) })?;
            stripe.resize(each as usize, 0);
            Ok(Mutex::new(stripe))
        };
        let stripes = (0..words.div_ceil(each)).map(stripe).collect::<Result<_, _>>()?;
        Ok(Self { params: params.clone(), seed, places, words, each, stripes })
    }

    /// Hands each word of a key to `visit`, with its stretch locked.
    #[inline]
    fn visit(&self, key: Digest, mut visit: impl FnMut(&mut u64, u64) -> bool) -> bool {
        let mut held: Option<(u64, MutexGuard<'_, Vec<u64>>)> = None;
        F::visit(&self.places, key, |word, bits| {
            let (stripe, at) = (word / self.each, (word % self.each) as usize);
            let mut guard = match held.take() {
                Some((held, guard)) if held == stripe => guard,
                // The other lock is given back before this one is taken, so that nobody waits in a ring.
                other => {
                    drop(other);
                    self.stripes[stripe as usize].lock().unwrap_or_else(PoisonError::into_inner)
                }
            };
            let go_on = visit(&mut guard[at], bits);
            held = Some((stripe, guard));
            go_on
        })
    }

    /// Adds `key`.
    #[inline]
    pub fn insert_shared(&self, key: Digest) {
        self.visit(key, |word, bits| {
            *word |= bits;
            true
        });
    }

    /// Whether `key` may have been inserted.
    #[inline]
    pub fn contains(&self, key: Digest) -> bool {
        self.visit(key, |word, bits| *word & bits == bits)
    }

    /// The sequential filter of the same keys, after so many inserts.
    ///
    /// # Errors
    /// [`InvalidParams`] for memory that cannot be had.
    pub fn freeze(self, inserts: u64) -> Result<F, InvalidParams> {
        let stripes =
            self.stripes.into_iter().map(|stripe| stripe.into_inner().unwrap_or_else(PoisonError::into_inner));
        F::from_words(&self.params, self.seed, stripes.flatten().take(self.words as usize), inserts)
    }
}
