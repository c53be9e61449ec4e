//! What an adapter says of a published filter, and the traits of `amq` that follow.

use std::fmt::{self, Debug};

use amq::{
    BuildError, Claim, Class, DeletableFilter, Digest, Filter, Full, Given, IncrementalFilter, InvalidParams,
    NamedValue, NoFalseNegatives, ParamInfo, Prediction, Removal, Space, StaticFilter, Theory,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How a published filter is sized and what it should do: the part of its theory that a construction brings.
pub trait Model {
    /// The geometry.
    type Params: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// The parameters by name.
    const PARAMS: &'static [ParamInfo];
    /// The lower bound on space it is held to.
    const CLASS: Class;
    /// How well [`bits`](Self::bits) is known.
    const BITS: Claim = Claim::Exact;
    /// See [`Theory::SIZING`].
    const SIZING: Option<&'static str> = None;

    /// See [`Theory::size_for`].
    ///
    /// # Errors
    /// As there.
    fn size_for(keys: u64, bits_per_key: f64) -> Result<Self::Params, InvalidParams>;
    /// See [`Theory::size_for_fpr`].
    ///
    /// # Errors
    /// As there.
    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Self::Params, InvalidParams>;
    /// See [`Theory::params_from`].
    ///
    /// # Errors
    /// As there.
    fn params_from(given: &Given, keys: u64) -> Result<Self::Params, InvalidParams>;
    /// See [`Theory::predicted_fpr`].
    fn predicted_fpr(params: &Self::Params, keys: u64) -> Prediction;
    /// See [`Theory::rate_spread`].
    fn rate_spread(params: &Self::Params, keys: u64) -> f64;
    /// Bits that the crate allocates for a filter of these parameters with `keys` keys.
    fn bits(params: &Self::Params, keys: u64) -> u64;
    /// The parameters, and what follows from them, by name.
    fn geometry(params: &Self::Params, keys: u64) -> Vec<NamedValue>;
}

/// A row of [`Model::geometry`].
#[must_use]
pub fn given(name: &'static str, value: f64) -> NamedValue {
    NamedValue { name, value, claim: Claim::Exact, source: "geometry" }
}

/// A published filter that answers.
pub trait Published: Sized + Send + Sync {
    /// How it is sized and what it should do.
    type Model: Model;

    /// Whether `key` may have been inserted.
    fn contains(&self, key: u64) -> bool;

    /// Answers for many keys, slices of one length; other than one by one where the crate has something better.
    #[inline]
    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        for (key, answer) in keys.iter().zip(out) {
            *answer = self.contains(key.0);
        }
    }

    /// What is allocated.
    fn space(&self) -> Space;

    /// See [`Theory::rate_given_contents`].
    fn rate_given_contents(&self) -> Option<f64> {
        None
    }
}

/// One that takes keys one by one.
pub trait Growing: Published {
    /// A filter with no keys.
    ///
    /// # Errors
    /// [`InvalidParams`] for parameters out of range or memory that cannot be had.
    fn empty(params: &<Self::Model as Model>::Params, seed: u64) -> Result<Self, InvalidParams>;

    /// Adds a key; false where the crate refuses it.
    fn insert(&mut self, key: u64) -> bool;

    /// Forgets all keys.
    fn clear(&mut self);
}

/// One that takes keys out again.
pub trait Removing: Growing {
    /// Takes `key` out.
    fn remove(&mut self, key: u64) -> Removal;
}

/// One that is built from all its keys.
pub trait Built: Published {
    /// The filter of `keys`.
    ///
    /// # Errors
    /// As [`StaticFilter::build`].
    fn build(params: &<Self::Model as Model>::Params, seed: u64, keys: &[Digest]) -> Result<Self, BuildError>;
}

/// One whose documentation promises that members are found.
pub trait KeepsMembers: Published {}

/// A published filter as a filter of `amq`.
pub struct Peer<P: Published> {
    params: <P::Model as Model>::Params,
    filter: P,
    /// Keys that were accepted, or that it was built from.
    keys: u64,
}

impl<P: Published> Debug for Peer<P> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} of {} keys, {:?}", std::any::type_name::<P>(), self.keys, self.params)
    }
}

impl<P: Published> Filter for Peer<P> {
    type Params = <P::Model as Model>::Params;

    fn params(&self) -> &Self::Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        self.filter.contains(key.0)
    }

    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        assert_eq!(keys.len(), out.len(), "one answer for each key");
        self.filter.contains_batch(keys, out);
    }

    fn space(&self) -> Space {
        self.filter.space()
    }
}

impl<P: Growing> IncrementalFilter for Peer<P> {
    fn empty(params: &Self::Params, seed: u64) -> Result<Self, InvalidParams> {
        Ok(Self { params: params.clone(), filter: P::empty(params, seed)?, keys: 0 })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        if self.filter.insert(key.0) {
            self.keys += 1;
            return Ok(());
        }
        // The crates know no number of keys at which they refuse: what they hold is what they have room for.
        Err(Full { inserted: self.keys, capacity: self.keys })
    }

    fn inserted(&self) -> u64 {
        self.keys
    }

    fn clear(&mut self) {
        self.filter.clear();
        self.keys = 0;
    }
}

impl<P: Removing> DeletableFilter for Peer<P> {
    #[inline]
    fn remove(&mut self, key: Digest) -> Removal {
        self.filter.remove(key.0)
    }
}

impl<P: Built> StaticFilter for Peer<P> {
    fn build(params: &Self::Params, seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        Ok(Self { params: params.clone(), filter: P::build(params, seed, keys)?, keys: keys.len() as u64 })
    }
}

impl<P: KeepsMembers> NoFalseNegatives for Peer<P> {}

impl<P: Published> Theory for Peer<P> {
    const PARAMS: &'static [ParamInfo] = P::Model::PARAMS;
    const CLASS: Class = P::Model::CLASS;
    const SIZING: Option<&'static str> = P::Model::SIZING;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<Self::Params, InvalidParams> {
        P::Model::size_for(keys, bits_per_key)
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Self::Params, InvalidParams> {
        P::Model::size_for_fpr(keys, fpr)
    }

    fn params_from(given: &Given, keys: u64) -> Result<Self::Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        P::Model::params_from(given, keys)
    }

    fn predicted_fpr(params: &Self::Params, keys: u64) -> Prediction {
        P::Model::predicted_fpr(params, keys)
    }

    fn rate_spread(params: &Self::Params, keys: u64) -> f64 {
        P::Model::rate_spread(params, keys)
    }

    fn rate_given_contents(&self) -> Option<f64> {
        self.filter.rate_given_contents()
    }

    fn named_values(params: &Self::Params, keys: u64) -> Vec<NamedValue> {
        let row = |name, value, claim, source| NamedValue { name, value, claim, source };
        let Prediction { rate, claim, source } = Self::predicted_fpr(params, keys);
        let bits_per_key = P::Model::bits(params, keys) as f64 / keys.max(1) as f64;
        let bound = |class: Class| class.bits_per_key(rate);
        let mut rows = P::Model::geometry(params, keys);
        rows.extend([
            row("bits_per_key", bits_per_key, P::Model::BITS, "allocated by the crate"),
            row("fpr", rate, claim, source),
            row("bound_static_bits_per_key", bound(Class::Static), Claim::AtLeast, "Carter et al., STOC 1978"),
            row("bound_dynamic_bits_per_key", bound(Class::Dynamic), Claim::AtLeast, "Kuszmaul and Walzer, STOC 2024"),
            row("overhead", bits_per_key / bound(Self::CLASS), Claim::Exact, "bits_per_key / bound of the class"),
        ]);
        rows
    }
}

/// That `bits` bits can be allocated: published crates end the process where they cannot.
///
/// # Errors
/// [`InvalidParams::TooLarge`].
pub fn check_memory(bits: u64) -> Result<(), InvalidParams> {
    let bytes = usize::try_from(bits.div_ceil(8)).map_err(|_| InvalidParams::TooLarge { bits })?;
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| InvalidParams::TooLarge { bits })
}
