//! The saved form: the buckets, and how many random choices were made, which is the whole state of the generator.

use amq::{DecodeError, InvalidParams};
use saved::{Fields, Payload, Save, Variant, Writer};

use super::{Cuckoo, IncrementalFilter, Pairing, Params, Table, check};

impl<T: Table, P: Pairing> Save for Cuckoo<T, P> {
    const VARIANT: Variant = Variant {
        id: T::SAVED.1,
        name: T::SAVED.0,
        params: &["slots", "pairing", "buckets", "fingerprint_bits"],
        state: &["draws"],
    };
    const FIXED: &'static [u64] = &[T::SLOTS as u64, P::CODE];

    fn fields(&self) -> Fields {
        let Params { buckets, fingerprint_bits } = self.params;
        Fields::new(self.seed, self.count, &[buckets, fingerprint_bits.into()], &[self.draws])
    }

    fn fill(&self) -> f64 {
        self.load()
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        out.bits(self.table.bits())
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let ([buckets, fingerprint_bits], [draws]) = (fields.params()?, fields.state()?);
        let params = check::<T, P>(buckets, fingerprint_bits)?;
        let bits = buckets.saturating_mul(T::bucket_bits(params.fingerprint_bits).into());
        let [part] = payload.parts([bits])?;
        let mut filter = Self::empty(&params, fields.seed)?;
        part.copy_to(filter.table.bits_mut());
        let in_use = |bucket: u64| (0..T::SLOTS).filter(|slot| filter.table.get(bucket, *slot) != 0).count() as u64;
        let mut stored = 0;
        for bucket in 0..buckets {
            if !filter.table.is_sound(bucket) {
                let why = "its fingerprints are in no order in which they are kept";
                return Err(DecodeError::State { what: "a bucket", value: bucket, why });
            }
            stored += in_use(bucket);
        }
        if stored > fields.count.inserted() {
            let why = "there were fewer inserts";
            return Err(DecodeError::State { what: "fingerprints", value: stored, why });
        }
        Ok(Self { draws, count: fields.count, stored, ..filter })
    }
}
