//! The saved form: the cells, and how many random draws were made, which is the whole state of the generator.

use amq::{DecodeError, InvalidParams};
use hashing::{Derivation, SeedWords};
use saved::{Fields, Payload, Save, Variant, Writer, narrow};

use super::{Decrement, Draws, PackedVec, Params, PhantomData, StableBloom};
use crate::decrement::Law;

const FPS: u64 = 1;
const GAP: u64 = 2;

impl<C: Decrement, D: Derivation> Save for StableBloom<C, D> {
    const VARIANT: Variant = Variant {
        id: 5,
        name: "stable",
        params: &["law", "cells", "k", "p", "max", "given", "fps", "gap"],
        state: &["draws"],
    };
    const FIXED: &'static [u64] = &[match C::LAW {
        Law::Run => 1,
        Law::Independent => 2,
    }];
    const DERIVATION: Option<[&'static str; 2]> = Some([D::SCHEME, D::REDUCTION]);

    fn fields(&self) -> Fields {
        let Params { cells, k, p, max, fps, gap } = self.params;
        let given = fps.map_or(0, |_| FPS) | gap.map_or(0, |_| GAP);
        let theory = [given, fps.map_or(0, f64::to_bits), gap.unwrap_or(0)];
        let [given, fps, gap] = theory;
        Fields::new(self.seed, self.count, &[cells, k.into(), p, max.into(), given, fps, gap], &[self.draws.made()])
    }

    fn fill(&self) -> f64 {
        1.0 - self.zero_fraction()
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        out.values(self.cells.width(), self.cells.len(), (0..self.cells.len()).map(|at| self.cells.get(at)))
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let ([cells, k, p, max, given, fps, gap], [made]) = (fields.params()?, fields.state()?);
        if given > FPS | GAP || given & FPS == 0 && fps != 0 || given & GAP == 0 && gap != 0 {
            return Err(DecodeError::Padding { what: "parameters that are not given" });
        }
        let fps = (given & FPS != 0).then(|| f64::from_bits(fps));
        let params = Params {
            cells,
            k: narrow("k", k)?,
            p,
            max: narrow("max", max)?,
            fps,
            gap: (given & GAP != 0).then_some(gap),
        };
        params.check()?;
        let [part] = payload.parts([cells * u64::from(params.cell_bits())])?;
        let mut values = PackedVec::zeros(cells, params.cell_bits())?;
        let mut set = 0;
        for (at, value) in (0..cells).zip(part.values(params.cell_bits())) {
            if value > max {
                return Err(DecodeError::State { what: "a cell", value, why: "above `max`, to which cells are set" });
            }
            values.set(at, value);
            set += u64::from(value > 0);
        }
        fields.check_set("cells above 0", set, params.k)?;
        let inserted = fields.count.inserted();
        let expected = match C::LAW {
            Law::Run => inserted,
            Law::Independent => inserted.wrapping_mul(p),
        };
        if made != expected {
            let why = "each arrival makes one (run) or p (independent)";
            return Err(DecodeError::State { what: "draws", value: made, why });
        }
        Ok(Self {
            params,
            seed: fields.seed,
            words: SeedWords::new(fields.seed),
            cells: values,
            draws: Draws::after(fields.seed, made),
            count: fields.count,
            kind: PhantomData,
        })
    }
}
