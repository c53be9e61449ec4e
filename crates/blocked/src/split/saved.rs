//! The saved form: the blocks.

use amq::{DecodeError, InvalidParams};
use saved::{Fields, Payload, Save, Variant, Writer};

use super::{Blocks, IncrementalFilter, LANES, SplitBlock, SplitParams};

impl<const W: u64> Save for SplitBlock<W> {
    const VARIANT: Variant = Variant { id: 8, name: "split-block", params: &["lane_bits", "blocks"], state: &[] };
    const FIXED: &'static [u64] = &[W];

    fn fields(&self) -> Fields {
        self.blocks.fields(&[self.params.blocks])
    }

    fn fill(&self) -> f64 {
        self.blocks.fill()
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        self.blocks.write(out)
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let [count] = fields.params()?;
        let blocks = Blocks::restore(fields, payload, count, Self::BITS, LANES)?;
        // Beyond parameters and blocks all hangs on the seed alone.
        let mut filter = Self::empty(&SplitParams { blocks: 1 }, fields.seed)?;
        (filter.params, filter.blocks) = (SplitParams { blocks: count }, blocks);
        Ok(filter)
    }
}
