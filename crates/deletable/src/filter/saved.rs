//! The saved form: the array, then the marks of its regions.

use amq::{DecodeError, InvalidParams};
use bloom_array::BloomArray;
use bloom_theory::ranges::{check_bits, check_probes};
use hashing::Derivation;
use saved::{Fields, Payload, Save, Variant, Writer};

use super::{DeletableBloom, Params, check_regions};

impl<D: Derivation> Save for DeletableBloom<D> {
    const VARIANT: Variant = Variant { id: 4, name: "deletable", params: &["m", "k", "regions"], state: &["removed"] };
    const DERIVATION: Option<[&'static str; 2]> = Some(BloomArray::<D>::DERIVATION);

    fn fields(&self) -> Fields {
        let Params { m, k, regions } = self.params;
        self.array.fields(&[m, k.into(), regions], &[self.removed])
    }

    fn fill(&self) -> f64 {
        self.array.fill()
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        out.bits(self.array.bits())?;
        out.bits(&self.marks)
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let ([m, k, regions], [removed]) = (fields.params()?, fields.state()?);
        let (m, k) = (check_bits("m", m)?, check_probes(k)?);
        let params = Params { m, k, regions: check_regions(regions, m)? };
        let [bits, marks] = payload.parts([m, regions])?;
        let array = BloomArray::restore(fields, m, k, bits)?;
        let (region_bits, marks) = (params.region_bits(), marks.to_bits()?);
        let (ones, inserted) = (array.ones(), array.inserts());
        // An insert sets `k` bits at most, and a removal clears one at least.
        if ones.saturating_add(removed) > inserted.saturating_mul(k.into()) {
            let why = "with the removals more than so many inserts can set";
            return Err(DecodeError::State { what: "set bits", value: ones, why });
        }
        for region in (0..regions).filter(|region| marks.get(*region)) {
            let start = region * region_bits;
            // Where a bit is shared it stays set for good.
            if array.bits().count_ones_in(start.min(m), (start + region_bits).min(m)) == 0 {
                let why = "a region is marked for a bit in it that stays set, and it has none";
                return Err(DecodeError::State { what: "a mark of region", value: region, why });
            }
        }
        Ok(Self { params, region_bits, array, marks, removed })
    }
}
