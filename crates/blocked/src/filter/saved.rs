//! The saved form: the blocks.

use amq::{DecodeError, InvalidParams};
use bloom_theory::ranges::check_probes;
use hashing::SeedWords;
use saved::{Fields, Payload, Save, Variant, Writer};

use super::{BlockedBloom, Blocks, Params};

impl<const B: u64> Save for BlockedBloom<B> {
    const VARIANT: Variant = Variant { id: 7, name: "blocked", params: &["block_bits", "blocks", "k"], state: &[] };
    const FIXED: &'static [u64] = &[B];

    fn fields(&self) -> Fields {
        self.blocks.fields(&[self.params.blocks, self.params.k.into()])
    }

    fn fill(&self) -> f64 {
        self.blocks.fill()
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        self.blocks.write(out)
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let [blocks, k] = fields.params()?;
        let params = Params { blocks, k: check_probes(k)? };
        let blocks = Blocks::restore(fields, payload, blocks, Self::BITS, params.k)?;
        Ok(Self { params, words: SeedWords::new(fields.seed), blocks })
    }
}
