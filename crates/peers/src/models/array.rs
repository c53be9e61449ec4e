//! One shared array of `m` bits or counters with `k` probes: Bloom's construction.

use std::marker::PhantomData;

use amq::{Claim, Class, Given, InvalidParams, NamedValue, ParamInfo, Prediction};
use bloom_theory::ranges::{check_bits, check_keys, check_probes};
use bloom_theory::{floors, fpr, sizing};
use serde::{Deserialize, Serialize};

use crate::peer::{Model, given};

/// The geometry of an [`Array`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayParams {
    /// Bits or counters, 1 to 2^48, rounded up as the crate does.
    pub m: u64,
    /// Probes of a key, 1 to 64.
    pub k: u32,
}

/// What one crate does with an array.
pub trait Positions {
    /// Bits of a cell: 1, or those of a counter.
    const CELL_BITS: u64 = 1;
    /// `m` is a multiple of this.
    const GRAIN: u64 = 64;
    /// Bits of the one allocation that are no cells.
    const HEADER_BITS: u64 = 0;
    /// The bound on space.
    const CLASS: Class = Class::Static;

    /// The crate's own rule for the number of probes.
    fn probes(m: u64, keys: u64) -> u32;

    /// The rate, given that of independent positions.
    fn prediction(params: ArrayParams, keys: u64, independent: f64) -> Prediction;
}

/// Positions that follow from each other by rotations and additions of one word: no theory of theirs is known; measured
/// rates are those of independent ones.
#[must_use]
pub fn as_independent(rate: f64) -> Prediction {
    let source = "Bose et al., IPL 108(4), 2008, positions taken as independent";
    Prediction { rate, claim: Claim::Approximate { rel: 0.02 }, source }
}

/// Positions of double hashing, with what that adds.
#[must_use]
pub fn doubled(reduction: &str, params: ArrayParams, keys: u64, rate: f64) -> Prediction {
    let source = "Bose et al., IPL 108(4), 2008: k-term form, by a covering chain";
    floors::shared_array("double", reduction, params.m, params.k, keys).add_to(rate, source)
}

/// An array with the positions of `A`.
pub struct Array<A>(PhantomData<A>);

impl<A: Positions> Model for Array<A> {
    type Params = ArrayParams;
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo { name: "m", meaning: "bits or counters of the array", range: "1 to 2^48" },
        ParamInfo { name: "k", meaning: "probes of a key; by the crate's rule if not given", range: "1 to 64" },
    ];
    const CLASS: Class = A::CLASS;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<ArrayParams, InvalidParams> {
        let bits = sizing::bits_within(keys, bits_per_key)?;
        let m = bits.saturating_sub(A::HEADER_BITS) / A::CELL_BITS / A::GRAIN * A::GRAIN;
        if m == 0 {
            let why = "the crate allocates in larger steps: give more bits in all";
            return Err(InvalidParams::Unreachable { what: "bits_per_key", target: bits_per_key.into(), why });
        }
        Ok(ArrayParams { m, k: A::probes(m, keys.max(1)) })
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<ArrayParams, InvalidParams> {
        let m = check_bits("m", sizing::optimal_bits(keys, fpr)?.next_multiple_of(A::GRAIN))?;
        Ok(ArrayParams { m, k: A::probes(m, keys.max(1)) })
    }

    fn params_from(given: &Given, keys: u64) -> Result<ArrayParams, InvalidParams> {
        let m = check_bits("m", given.require_count("m", Self::PARAMS)?)?;
        let keys = check_keys(keys)?;
        let m = check_bits("m", m.next_multiple_of(A::GRAIN))?;
        let k = match given.count("k")? {
            Some(k) => check_probes(k)?,
            None => A::probes(m, keys.max(1)),
        };
        Ok(ArrayParams { m, k })
    }

    fn predicted_fpr(params: &ArrayParams, keys: u64) -> Prediction {
        A::prediction(*params, keys, fpr::fpr_exact(params.m, params.k, keys))
    }

    fn rate_spread(params: &ArrayParams, keys: u64) -> f64 {
        fpr::rate_spread(params.m, params.k, keys)
    }

    fn bits(params: &ArrayParams, _keys: u64) -> u64 {
        params.m * A::CELL_BITS + A::HEADER_BITS
    }

    fn geometry(params: &ArrayParams, keys: u64) -> Vec<NamedValue> {
        let ArrayParams { m, k } = *params;
        vec![given("m", m as f64), given("k", f64::from(k)), given("fill", fpr::fill(m, k, keys))]
    }
}

/// `m` and `k` in range, `m` a multiple of `grain`, and memory for `bits` bits.
///
/// # Errors
/// [`InvalidParams`] names what is not.
pub fn check<A: Positions>(params: ArrayParams) -> Result<(), InvalidParams> {
    check_bits("m", params.m)?;
    check_probes(params.k.into())?;
    if !params.m.is_multiple_of(A::GRAIN) {
        let allowed = "a multiple of what the crate allocates in: 64, or 8 for `bloomfilter`";
        return Err(InvalidParams::OutOfRange { name: "m", value: params.m.into(), allowed });
    }
    crate::peer::check_memory(Array::<A>::bits(&params, 0))
}
