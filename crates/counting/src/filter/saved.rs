//! The saved form: the counters. One at its ceiling is stuck, here as there.

use amq::{DecodeError, InvalidParams};
use bloom_theory::ranges::check_probes;
use hashing::{Derivation, SeedWords};
use saved::{Fields, Payload, Save, Variant, Writer};

use super::{CountingBloom, FieldVec, Params, PhantomData, check_counters};

impl<const W: u32, D: Derivation> Save for CountingBloom<W, D> {
    const VARIANT: Variant =
        Variant { id: 3, name: "counting", params: &["counter_bits", "m", "k"], state: &["removed"] };
    const FIXED: &'static [u64] = &[W as u64];
    const DERIVATION: Option<[&'static str; 2]> = Some([D::SCHEME, D::REDUCTION]);

    fn fields(&self) -> Fields {
        Fields::new(self.seed, self.count, &[self.params.m, self.params.k.into()], &[self.removed])
    }

    fn fill(&self) -> f64 {
        CountingBloom::fill(self)
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        out.values(W, self.params.m, self.counters.iter())
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let ([m, k], [removed]) = (fields.params()?, fields.state()?);
        let params = Params { m: check_counters(m)?, k: check_probes(k)? };
        let [part] = payload.parts([m * u64::from(W)])?;
        let mut counters = FieldVec::zeros(m)?;
        let (mut sum, mut most) = (0u64, 0);
        for (at, value) in (0..m).zip(part.values(W)) {
            counters.set(at, value);
            (sum, most) = (sum.saturating_add(value), value.max(most));
        }
        let inserted = fields.count.inserted();
        if most > inserted {
            let why = "an insert raises a counter by one, and there were fewer";
            return Err(DecodeError::State { what: "a counter", value: most, why });
        }
        // An insert raises `k` counters at most, and a removal lowers one at least.
        if sum.saturating_add(removed) > inserted.saturating_mul(k) {
            let why = "with the removals more than so many inserts can raise";
            return Err(DecodeError::State { what: "the sum of the counters", value: sum, why });
        }
        let (seed, words) = (fields.seed, SeedWords::new(fields.seed));
        Ok(Self { params, seed, words, counters, count: fields.count, removed, derivation: PhantomData })
    }
}
