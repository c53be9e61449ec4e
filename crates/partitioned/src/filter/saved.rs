//! The saved form: the slices, one after the other, as one array.

use amq::{DecodeError, InvalidParams};
use bloom_array::BloomArray;
use bloom_theory::ranges::{check_bits, check_probes};
use hashing::Derivation;
use saved::{Fields, Payload, Save, Variant, Writer};

use super::{Params, PartitionedBloom};

impl<D: Derivation> Save for PartitionedBloom<D> {
    const VARIANT: Variant = Variant { id: 2, name: "partitioned", params: &["slice_bits", "k"], state: &[] };
    const DERIVATION: Option<[&'static str; 2]> = Some(BloomArray::<D>::DERIVATION);

    fn fields(&self) -> Fields {
        self.array.fields(&[self.params.slice_bits, self.params.k.into()], &[])
    }

    fn fill(&self) -> f64 {
        self.array.fill()
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        out.bits(self.array.bits())
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let [slice_bits, k] = fields.params()?;
        let params = Params { slice_bits: check_bits("slice_bits", slice_bits)?, k: check_probes(k)? };
        let [bits] = payload.parts([params.m()])?;
        let filter = Self { params, array: BloomArray::restore(fields, params.m(), params.k, bits)? };
        // A key sets one bit of each slice.
        filter.slice_ones().try_for_each(|ones| fields.check_set("set bits of a slice", ones, 1))?;
        Ok(filter)
    }
}
