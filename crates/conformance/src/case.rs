//! What a law is held against: a filter type, its parameters and how many keys to put in.

use std::fmt;

use amq::{
    BuildError, Decaying, DeletableFilter, Digest, Encode, Filter, Full, Incompatible, IncrementalFilter,
    NoFalseNegatives, Removal, StaticFilter, Theory, Union,
};
use saved::Save;

use crate::keys::digests;
use crate::violation::Violation;

/// Makes a filter of parameters, seed and keys.
pub type Build<F> = fn(&<F as Filter>::Params, u64, &[Digest]) -> Result<F, BuildError>;

/// Makes the first filter say yes wherever the second does.
pub type Unite<F> = fn(&mut F, &F) -> Result<(), Incompatible>;

/// Puts a key in.
pub type Insert<F> = fn(&mut F, Digest) -> Result<(), Full>;

/// Saves a filter and loads it again.
pub type Reload<F> = fn(&F) -> Result<F, Violation>;

/// A [`Build`] that inserts the keys one after the other.
///
/// # Errors
/// As [`IncrementalFilter::empty`] and [`IncrementalFilter::insert`].
pub fn one_by_one<F: IncrementalFilter>(params: &F::Params, seed: u64, keys: &[Digest]) -> Result<F, BuildError> {
    let mut filter = F::empty(params, seed)?;
    for key in keys {
        filter.insert(*key)?;
    }
    Ok(filter)
}

/// Parameters, a number of keys they are meant for, and what the type can do.
pub struct Case<F: Filter> {
    /// The parameters.
    pub params: F::Params,
    /// Keys that such a filter takes without refusing one.
    pub keys: u64,
    /// How filters are made.
    pub build: Build<F>,
    /// Whether members are promised to be found.
    pub no_false_negatives: bool,
    /// Whether members are forgotten by design.
    pub decaying: bool,
    /// How two filters become one, if they can.
    pub union: Option<Unite<F>>,
    /// How keys are taken out, if they can be.
    pub remove: Option<fn(&mut F, Digest) -> Removal>,
    /// How keys are put in one by one, if they can be.
    pub insert: Option<Insert<F>>,
    /// Saves a filter and loads it again, if it can be.
    pub reload: Option<Reload<F>>,
}

impl<F: Filter> Case<F> {
    /// A case with a way of its own to make filters.
    pub fn new(params: F::Params, keys: u64, build: Build<F>) -> Self {
        Self {
            params,
            keys,
            build,
            no_false_negatives: false,
            decaying: false,
            union: None,
            remove: None,
            insert: None,
            reload: None,
        }
    }

    /// A case of a filter that is built from all its keys.
    pub fn static_build(params: F::Params, keys: u64) -> Self
    where
        F: StaticFilter,
    {
        Self::new(params, keys, F::build)
    }

    /// A case of a filter that takes keys one by one.
    pub fn incremental(params: F::Params, keys: u64) -> Self
    where
        F: IncrementalFilter,
    {
        Self { insert: Some(F::insert), ..Self::new(params, keys, one_by_one::<F>) }
    }

    /// Members are promised to be found.
    #[must_use]
    pub fn no_false_negatives(mut self) -> Self
    where
        F: NoFalseNegatives,
    {
        self.no_false_negatives = true;
        self
    }

    /// Members are forgotten by design.
    #[must_use]
    pub fn decaying(mut self) -> Self
    where
        F: Decaying,
    {
        self.decaying = true;
        self
    }

    /// Two filters can become one.
    #[must_use]
    pub fn union(mut self) -> Self
    where
        F: Union,
    {
        self.union = Some(F::union);
        self
    }

    /// Keys can be taken out.
    #[must_use]
    pub fn deletable(mut self) -> Self
    where
        F: DeletableFilter,
    {
        self.remove = Some(F::remove);
        self
    }

    /// There is a form for the wire. The laws find it by the trait; this only says at compile time that it is there.
    #[must_use]
    pub fn wire(self) -> Self
    where
        F: Encode,
    {
        self
    }

    /// There is a saved form.
    #[must_use]
    pub fn saved(mut self) -> Self
    where
        F: Save,
    {
        self.reload = Some(crate::laws::saved::reload::<F>);
        self
    }

    /// There is a theory. The laws find it by the trait; this only says at compile time that it is there.
    #[must_use]
    pub fn theory(self) -> Self
    where
        F: Theory,
    {
        self
    }

    /// The filter of `keys`.
    ///
    /// # Errors
    /// [`Violation::Refused`] when it cannot be made: a case is one that can.
    pub fn filter(&self, seed: u64, keys: &[Digest]) -> Result<F, Violation> {
        (self.build)(&self.params, seed, keys).map_err(Violation::Refused)
    }

    /// The filter of the case's number of keys from `stream`, and the keys.
    ///
    /// # Errors
    /// As [`filter`](Self::filter).
    pub fn filled(&self, seed: u64, stream: u64) -> Result<(F, Vec<Digest>), Violation> {
        let keys = digests(stream, 0..self.keys);
        Ok((self.filter(seed, &keys)?, keys))
    }
}

impl<F: Filter> Clone for Case<F> {
    fn clone(&self) -> Self {
        Self { params: self.params.clone(), ..*self }
    }
}

impl<F: Filter> fmt::Debug for Case<F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} keys in {:?}", self.keys, self.params)
    }
}
