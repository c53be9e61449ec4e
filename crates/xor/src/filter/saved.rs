//! The saved form: the cells, and the number of tries, from which the words of the last one follow.
//!
//! The layout is saved as it is, because published sizes lean on a logarithm that machines may round each in their own way.

use amq::{DecodeError, InvalidParams, KeyCount};
use saved::{Fields, Payload, Save, Variant, Writer, narrow};

use super::{Bits, Cells, Layout, MAX_TRIES, Peeled, TRIES_PER_SIZE, Width, Words, check_keys};
use crate::segments::{Arity, Segments, Ways};
use crate::thirds::Thirds;

/// A layout in a header.
pub trait Shape: Layout {
    /// The variant of filters in this layout. Its first parameters are arity and width, its words of state the tries.
    const VARIANT: Variant;

    /// The other parameters.
    fn shape(&self, growth: u32) -> Vec<u64>;

    /// Layout and growth from these parameters.
    ///
    /// # Errors
    /// [`DecodeError`] for values out of range.
    fn of_shape(fields: &Fields) -> Result<(Self, u32), DecodeError>;
}

impl Shape for Thirds {
    const VARIANT: Variant =
        Variant { id: 11, name: "xor", params: &["arity", "fingerprint_bits", "third"], state: &["tries"] };

    fn shape(&self, _growth: u32) -> Vec<u64> {
        vec![self.cells() / 3]
    }

    fn of_shape(fields: &Fields) -> Result<(Self, u32), DecodeError> {
        let [third] = fields.params()?;
        Ok((Self::with_third(third)?, 0))
    }
}

impl<const ARITY: u32> Shape for Segments<ARITY>
where
    Ways<ARITY>: Arity,
{
    const VARIANT: Variant = Variant {
        id: 12,
        name: "fuse",
        params: &["arity", "fingerprint_bits", "growth", "segment_log", "segments"],
        state: &["tries"],
    };

    fn shape(&self, growth: u32) -> Vec<u64> {
        vec![growth.into(), self.segment().trailing_zeros().into(), self.segments()]
    }

    fn of_shape(fields: &Fields) -> Result<(Self, u32), DecodeError> {
        let [growth, log, segments] = fields.params()?;
        let layout = Self::with_segments(narrow("segment_log", log)?, segments)?;
        Ok((layout, narrow("growth", growth)?))
    }
}

impl<L: Shape, const W: u32> Save for Peeled<L, W>
where
    Bits<W>: Width,
{
    const VARIANT: Variant = L::VARIANT;
    const FIXED: &'static [u64] = &[L::ARITY as u64, W as u64];

    fn fields(&self) -> Fields {
        let (_, _, growth) = L::parts(&self.params);
        let count = KeyCount::new(self.keys, None);
        Fields::new(self.seed, count, &self.layout.shape(growth), &[self.tries.into()])
    }

    /// Keys for each cell.
    fn fill(&self) -> f64 {
        self.keys as f64 / self.layout.cells() as f64
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        let cells = self.layout.cells();
        out.values(W, cells, (0..cells).map(|cell| self.cells.get(cell as u32)))
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let (layout, growth) = L::of_shape(fields)?;
        let params = L::params(W, growth);
        Self::check(&params)?;
        let ([tries], keys, seed) = (fields.state()?, check_keys(fields.count.inserted())?, fields.seed);
        let impossible = |what, value, why| Err(DecodeError::State { what, value, why });
        let tries = match u32::try_from(tries) {
            Ok(tries) if (1..=MAX_TRIES).contains(&tries) => tries,
            _ => return impossible("tries", tries, "a construction has 1 to 100"),
        };
        if let Some(planned) = fields.count.planned() {
            return impossible("planned keys", planned, "a static filter has its keys and no plan");
        }
        if keys > layout.cells() {
            return impossible("keys", keys, "each has a cell of its own, and there are fewer");
        }
        let [part] = payload.parts([layout.cells() * u64::from(W)])?;
        let mut cells = <<Bits<W> as Width>::Cells as Cells>::zeros(layout.cells(), W)?;
        for (cell, value) in (0..layout.cells()).zip(part.values(W)) {
            cells.set(cell as u32, value);
            if keys == 0 && value != 0 {
                return impossible("a cell", value, "without keys all are 0");
            }
        }
        let (words, grown) = (Words::new(seed, tries - 1), ((tries - 1) / TRIES_PER_SIZE).min(growth));
        let differ = if keys == 0 { Self::MASK + 1 } else { 0 };
        Ok(Self { params, layout, words, cells, differ, seed, keys, tries, grown })
    }
}
