//! Split blocks of eight lanes of 32 bits, as Parquet has them.

use amq::{Claim, Class, Given, InvalidParams, NamedValue, ParamInfo, Prediction, Theory};
use blocked::{SplitBlock, SplitParams};

use crate::peer::{Model, given};

type Ours = SplitBlock<32>;

/// The block's number comes from 32 bits of the hash.
pub const MAX_BLOCKS: u64 = 1 << 32;

/// The theory of this workspace's `split-block`, whose construction it is but for the positions within a block: they are eight
/// multiples of the same 32 bits.
pub struct Lanes;

fn checked(params: SplitParams) -> Result<SplitParams, InvalidParams> {
    if params.blocks <= MAX_BLOCKS {
        return Ok(params);
    }
    let allowed = "1 to 2^32: the crate takes a block's number from 32 bits of the hash";
    Err(InvalidParams::OutOfRange { name: "blocks", value: params.blocks.into(), allowed })
}

impl Model for Lanes {
    type Params = SplitParams;
    const PARAMS: &'static [ParamInfo] = Ours::PARAMS;
    const CLASS: Class = Ours::CLASS;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<SplitParams, InvalidParams> {
        checked(Ours::size_for(keys, bits_per_key)?)
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<SplitParams, InvalidParams> {
        checked(Ours::size_for_fpr(keys, fpr)?)
    }

    fn params_from(given: &Given, keys: u64) -> Result<SplitParams, InvalidParams> {
        checked(Ours::params_from(given, keys)?)
    }

    fn predicted_fpr(params: &SplitParams, keys: u64) -> Prediction {
        let Prediction { rate, .. } = Ours::predicted_fpr(params, keys);
        let source = "Putze, Sanders and Singler 2009, binomial loads, positions in the lanes taken as independent";
        Prediction { rate, claim: Claim::Approximate { rel: 0.02 }, source }
    }

    fn rate_spread(params: &SplitParams, keys: u64) -> f64 {
        Ours::rate_spread(params, keys)
    }

    fn bits(params: &SplitParams, _keys: u64) -> u64 {
        // Allocated in lines of 512 bits.
        (params.blocks * 256).next_multiple_of(512)
    }

    fn geometry(params: &SplitParams, _keys: u64) -> Vec<NamedValue> {
        vec![given("blocks", params.blocks as f64), given("m", 256.0 * params.blocks as f64)]
    }
}
