//! The saved form: the number of set bits, and what the coder makes of the array.
//!
//! ```text
//!  byte 0    8               16
//!  set bits  coder's words   words of 32 bits, then zeros up to an eighth of the array's bytes
//! ```
//!
//! A file is to back the memory that it is read to, whoever wrote it: hence the zeros, where the coder needs less than an
//! eighth of the array. The [wire form](amq::Encode) is the shortest there is, and its reader says how much memory there may be.

use amq::{DecodeError, InvalidParams};
use bloom_array::BloomArray;
use bloom_theory::ranges::{check_bits, check_probes};
use hashing::DefaultDerivation;
use saved::{Fields, Payload, Save, Variant, Writer};

use super::{CompressedBloom, Params};
use crate::gaps;

/// Bytes before the coder's words.
const COUNTS: u64 = 16;

/// Bytes after the counts, for an array of `m` bits and so many words of the coder.
fn coded_bytes(m: u64, words: u64) -> u64 {
    words.saturating_mul(4).max(m.div_ceil(64))
}

impl Save for CompressedBloom {
    const VARIANT: Variant = Variant { id: 6, name: "compressed", params: &["m", "k"], state: &[] };
    const DERIVATION: Option<[&'static str; 2]> = Some(BloomArray::<DefaultDerivation>::DERIVATION);

    fn fields(&self) -> Fields {
        self.array.fields(&[self.params.m, self.params.k.into()], &[])
    }

    fn fill(&self) -> f64 {
        self.array.fill()
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        let m = self.params.m;
        let coded = gaps::encode(m, self.array.bits().words().iter().copied());
        let words = coded.words.len() as u64;
        out.words(128, [coded.ones, words])?;
        out.values(32, words, coded.words.into_iter().map(u64::from))?;
        out.zeros(coded_bytes(m, words) - 4 * words)
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let [m, k] = fields.params()?;
        let (m, k) = (check_bits("m", m)?, check_probes(k)?);
        let had = payload.bytes().len() as u64;
        let short = DecodeError::Length { implied: (COUNTS + coded_bytes(m, 0)).into(), had };
        let (counts, coded) = payload.bytes().split_first_chunk::<{ COUNTS as usize }>().ok_or(short)?;
        let count = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| counts[at + byte]));
        let (ones, words) = (count(0), count(8));
        if coded.len() as u64 != coded_bytes(m, words) {
            return Err(DecodeError::Length { implied: u128::from(COUNTS) + u128::from(coded_bytes(m, words)), had });
        }
        if ones > m {
            return Err(DecodeError::State { what: "set bits", value: ones, why: "the array has fewer" });
        }
        let (coded, zeros) = coded.split_at(4 * words as usize);
        if zeros.iter().any(|byte| *byte != 0) {
            return Err(DecodeError::Padding { what: "the bytes after the coder's words" });
        }
        fields.check_set("set bits", ones, k)?;
        let mut coder = Vec::new();
        coder.try_reserve_exact(words as usize).map_err(|_| InvalidParams::TooLarge { bits: 32 * words })?;
        coder.extend(coded.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)));
        let mut array = BloomArray::new(m, k, fields.seed)?;
        crate::wire::decode_into(array.bits_mut(), ones, coder)?;
        array.set_key_count(fields.count);
        Ok(Self { params: Params { m, k }, array })
    }
}
