//! Blocks in a saved form: their words, one block after the other, without the rest of the last line.

use amq::{DecodeError, InvalidParams};
use saved::{Fields, Payload, Writer};

use super::{Blocks, check_blocks};

impl Blocks {
    pub(crate) fn fields(&self, params: &[u64]) -> Fields {
        Fields::new(self.seed, self.count, params, &[])
    }

    pub(crate) fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        out.words(self.bits(), self.lines.words())
    }

    /// The blocks that were saved, of keys that set `k` bits at most.
    pub(crate) fn restore(
        fields: &Fields,
        payload: Payload<'_>,
        blocks: u64,
        block_bits: u64,
        k: u32,
    ) -> Result<Self, DecodeError> {
        let [part] = payload.parts([check_blocks(blocks, block_bits)? * block_bits])?;
        let mut restored = Self::new(blocks, block_bits, fields.seed)?;
        for (slot, word) in restored.lines.blocks_mut::<1>().iter_mut().zip(part.words()) {
            *slot = [word];
        }
        fields.check_set("set bits", restored.ones(), k)?;
        restored.count = fields.count;
        Ok(restored)
    }
}
