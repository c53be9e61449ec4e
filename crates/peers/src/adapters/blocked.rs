//! Blocked Bloom filters: `sbbf-rs-safe`.

use ::blocked::SplitParams;
use amq::{InvalidParams, Space};

use crate::models::blocks::{Lanes, MAX_BLOCKS};
use crate::peer::{Growing, KeepsMembers, Model, Published, check_memory};

/// `sbbf-rs-safe`. It takes finished hashes: the digest is one.
pub struct SbbfRsSafe(sbbf_rs_safe::Filter);

impl Published for SbbfRsSafe {
    type Model = Lanes;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains_hash(key)
    }

    fn space(&self) -> Space {
        let payload_bits = 8 * self.0.as_bytes().len() as u64;
        Space { payload_bits, overhead_bits: payload_bits.next_multiple_of(512) - payload_bits }
    }
}

impl Growing for SbbfRsSafe {
    fn empty(params: &SplitParams, _seed: u64) -> Result<Self, InvalidParams> {
        if !(1..=MAX_BLOCKS).contains(&params.blocks) {
            let allowed = "1 to 2^32";
            return Err(InvalidParams::OutOfRange { name: "blocks", value: params.blocks.into(), allowed });
        }
        check_memory(Lanes::bits(params, 0))?;
        // A "key" of 256 bits for each block.
        Ok(Self(sbbf_rs_safe::Filter::new(256, params.blocks as usize)))
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.0.insert_hash(key);
        true
    }

    fn clear(&mut self) {
        self.0.reset();
    }
}

impl KeepsMembers for SbbfRsSafe {}
