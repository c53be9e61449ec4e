//! A filter of keys, from a filter of digests.

use amq::{BuildError, DeletableFilter, Filter, Full, IncrementalFilter, Removal, StaticFilter};

use crate::{Key, KeyHasher};

/// A filter that takes keys: each is hashed to its digest, and the filter sees that only.
///
/// The price is that two keys which share a digest are one key: with `n` keys inserted, an absent key is
/// answered with yes with a probability of about `n * 2^-64` whatever the filter does (5e-11 at a billion
/// keys). With the default families `u64` keys alone have digests of their own, since [`Mixer`](crate::Mixer)
/// is a bijection; what the filter then makes of 64 bits has a floor of the same size. Hashing is a factor of its own: the harness hashes outside of its
/// timed loops and measures filters without this adapter.
///
/// ```
/// # use amq::{Digest, Filter, Space};
/// # struct All;
/// # impl Filter for All {
/// #     type Params = ();
/// #     fn params(&self) -> &() { &() }
/// #     fn contains(&self, _: Digest) -> bool { true }
/// #     fn space(&self) -> Space { Space::default() }
/// # }
/// # let filter = All;
/// use hashing::{KeyHasher, Keyed};
/// let filter = Keyed::new(filter, KeyHasher::new(42));
/// assert!(filter.contains("text") && filter.contains(&7u64) && filter.contains(&[1u8, 2, 3]));
/// ```
#[derive(Clone, Debug)]
pub struct Keyed<F> {
    filter: F,
    hasher: KeyHasher,
}

impl<F: Filter> Keyed<F> {
    /// `filter` with its keys hashed by `hasher`. Keys that it holds must have come from an equal one.
    #[must_use]
    pub fn new(filter: F, hasher: KeyHasher) -> Self {
        Self { filter, hasher }
    }

    /// Whether `key` may have been inserted.
    #[inline]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.filter.contains(key.digest(&self.hasher))
    }

    /// The filter of digests.
    #[must_use]
    pub fn filter(&self) -> &F {
        &self.filter
    }

    /// The functions that hash the keys.
    #[must_use]
    pub fn hasher(&self) -> &KeyHasher {
        &self.hasher
    }

    /// The filter of digests, by value.
    #[must_use]
    pub fn into_filter(self) -> F {
        self.filter
    }
}

impl<F: IncrementalFilter> Keyed<F> {
    /// Adds `key`.
    ///
    /// # Errors
    /// [`Full`] when there is no room; earlier answers stay as they were.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<(), Full> {
        self.filter.insert(key.digest(&self.hasher))
    }
}

impl<F: DeletableFilter> Keyed<F> {
    /// Takes `key` out.
    #[inline]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Removal {
        self.filter.remove(key.digest(&self.hasher))
    }
}

impl<F: StaticFilter> Keyed<F> {
    /// The filter of `keys`, built with `hasher`; `seed` is the filter's own.
    ///
    /// # Errors
    /// As [`StaticFilter::build`].
    pub fn build<K: Key>(
        params: &F::Params,
        seed: u64,
        hasher: KeyHasher,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        let digests: Vec<_> = keys.into_iter().map(|key| key.digest(&hasher)).collect();
        Ok(Self { filter: F::build(params, seed, &digests)?, hasher })
    }
}
