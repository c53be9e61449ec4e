//! The saved form: the array.

use amq::{DecodeError, InvalidParams};
use bloom_array::BloomArray;
use bloom_theory::ranges::check_probes;
use hashing::Derivation;
use saved::{Fields, Payload, Save, Variant, Writer};

use super::{Params, StandardBloom};

impl<D: Derivation> Save for StandardBloom<D> {
    const VARIANT: Variant = Variant { id: 1, name: "standard", params: &["m", "k"], state: &[] };
    const DERIVATION: Option<[&'static str; 2]> = Some(BloomArray::<D>::DERIVATION);

    fn fields(&self) -> Fields {
        self.array.fields(&[self.params.m, self.params.k.into()], &[])
    }

    fn fill(&self) -> f64 {
        self.array.fill()
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        out.bits(self.array.bits())
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let [m, k] = fields.params()?;
        let ([bits], k) = (payload.parts([m])?, check_probes(k)?);
        let array = BloomArray::restore(fields, m, k, bits)?;
        fields.check_set("set bits", array.ones(), k)?;
        Ok(Self { params: Params { m, k }, array })
    }
}
