//! The entropy coder: gaps between marks, as a geometric variable, by asymmetric numeral systems.
//!
//! An array of `len` bits, each a mark with probability `p`, is the sequence of its gaps, each `g` with probability
//! `(1-p)^g p`: coding the gaps is coding the bits, at `len H(p)` bits for both, but with one symbol for each mark
//! in place of one for each bit. A gap is `g = j 2^l + r`: `j` by a table, where its values above the table take one
//! more symbol each time around, `r` in `l` plain bits. With `2^l p <= 1/16` the values of `r` are nearly equally
//! likely: taking them as equal costs less than `(2^l p)^2 / 24` lg e, 0.0003 bits of more than 6 for each gap.
//!
//! Encoder and decoder must have the same table to the last unit. It is made from two counts with the operations
//! that IEEE 754 defines to the last bit (division, product, difference), never with `exp` or `powf`.

use std::borrow::Borrow;
use std::num::NonZeroU32;

use amq::DecodeError;
use constriction::CoderError;
use constriction::stream::model::{DecoderModel, EncoderModel, EntropyModel};
use constriction::stream::stack::DefaultAnsCoder;
use constriction::stream::{Code, Decode, Encode};

/// Bits of a probability in the coder.
const PRECISION: usize = 24;
/// Values of `j` in the table; the symbol of this number says "as many, and on".
const STEPS: u32 = 256;
/// Steps to a mean gap at the least, where gaps are that long.
const FINENESS: u64 = 16;
/// Bits of a quantile that the decoder looks up before it searches.
const GUIDE_BITS: u32 = 10;
/// Plain bits that go to the coder at a time.
const CHUNK: u32 = 16;
/// The coder's state before the first symbol, and so the decoder's after the last: a check of 32 bits. From state 0
/// symbols of cumulative 0 would cost nothing, and the length would no longer bound the number of marks.
const START: u64 = 1 << 32;

/// The marks of an array, coded.
pub(crate) struct Coded {
    /// Set bits of the array.
    pub ones: u64,
    /// The coder's words.
    pub words: Vec<u32>,
}

/// What is rarer: ones or zeros. It is what is coded.
fn marks(len: u64, ones: u64) -> u64 {
    ones.min(len - ones)
}

/// Codes the `len` bits of `words`, where bits beyond `len` are 0.
pub(crate) fn encode(len: u64, words: impl DoubleEndedIterator<Item = u64> + ExactSizeIterator + Clone) -> Coded {
    let ones = words.clone().map(|word| u64::from(word.count_ones())).sum();
    let flip = if ones > len / 2 { u64::MAX } else { 0 };
    let model = Gaps::new(len, marks(len, ones));
    if marks(len, ones) == 0 {
        return Coded { ones, words: Vec::new() };
    }
    let mut coder = DefaultAnsCoder::from_raw_parts(Vec::new(), START);
    // A stack: what goes in last comes out first, so from the last mark to the first.
    let mut above = None;
    let mut base = 64 * words.len() as u64;
    for word in words.rev() {
        base -= 64;
        let valid = if len - base < 64 { !(u64::MAX << (len - base)) } else { u64::MAX };
        let mut left = (word ^ flip) & valid;
        while left != 0 {
            let bit = left.ilog2();
            left ^= 1 << bit;
            let at = base + u64::from(bit);
            if let Some(above) = above.replace(at) {
                model.push(&mut coder, above - at - 1);
            }
        }
    }
    if let Some(first) = above {
        model.push(&mut coder, first);
    }
    let words = coder.into_compressed().unwrap_or_else(|never| match never {});
    Coded { ones, words }
}

/// Decodes an array of `len` bits with `ones` set ones and calls `set` for each of the rarer bits. True when the
/// rarer bits are the zeros, and the array is the inverse of what was set.
///
/// # Errors
/// [`DecodeError::Lie`] when `words` cannot hold so many marks, before the first call; [`DecodeError::Contents`] when
/// a mark falls beyond `len` or something is left over.
pub(crate) fn decode(len: u64, ones: u64, words: Vec<u32>, mut set: impl FnMut(u64)) -> Result<bool, DecodeError> {
    let count = marks(len, ones);
    check_backed(len, count, words.len() as u64)?;
    if count == 0 {
        return if words.is_empty() { Ok(ones > len / 2) } else { Err(DecodeError::Contents { at: 0, len }) };
    }
    let Ok(mut coder) = DefaultAnsCoder::from_compressed(words) else {
        return Err(DecodeError::Contents { at: 0, len });
    };
    let model = Gaps::new(len, count);
    let mut next = 0;
    for _ in 0..count {
        let at = model.pop(&mut coder, next, len)?;
        set(at);
        next = at + 1;
    }
    if coder.state() == START && coder.bulk().is_empty() {
        Ok(ones > len / 2)
    } else {
        Err(DecodeError::Contents { at: next, len })
    }
}

/// Each mark costs at least `lg(len / marks)` bits, and that is 1 or more: marks, and so the steps of the decoder, are
/// at most about as many as there are bits of input.
pub(crate) fn check_backed(len: u64, marks: u64, words: u64) -> Result<(), DecodeError> {
    let least = if marks == 0 { 0.0 } else { marks as f64 * (len as f64 / marks as f64).log2() };
    if least * 0.99 > 32.0 * words as f64 + 64.0 {
        return Err(DecodeError::Lie { field: "ones", value: marks, had: 4 * words });
    }
    Ok(())
}

/// The code of gaps.
struct Gaps {
    /// `l`.
    low: u32,
    table: Table,
}

impl Gaps {
    fn new(len: u64, marks: u64) -> Self {
        let low = (len / FINENESS.saturating_mul(marks.max(1))).checked_ilog2().unwrap_or(0);
        // (1-p)^(2^l) by l squarings: the rounding of 1-p grows by as much, and is small where gaps occur in number.
        let mut survival = 1.0 - marks as f64 / len as f64;
        for _ in 0..low {
            survival *= survival;
        }
        Self { low, table: Table::new(survival) }
    }

    /// Pushes a gap: what is decoded last goes first.
    #[inline]
    fn push(&self, coder: &mut DefaultAnsCoder, gap: u64) {
        for from in (0..self.low).step_by(CHUNK as usize).rev() {
            let plain = Plain::new(self.low - from);
            put(coder, (gap >> from) as u32 & plain.mask(), plain);
        }
        let steps = gap >> self.low;
        put(coder, (steps % u64::from(STEPS)) as u32, &self.table);
        for _ in 0..steps / u64::from(STEPS) {
            put(coder, STEPS, &self.table);
        }
    }

    /// The place of the next mark at `next` or later, below `len`.
    #[inline]
    fn pop(&self, coder: &mut DefaultAnsCoder, next: u64, len: u64) -> Result<u64, DecodeError> {
        let mut at = next;
        loop {
            let step = get(coder, &self.table);
            at += u64::from(step) << self.low;
            if step < STEPS {
                break;
            }
            if at >= len {
                return Err(DecodeError::Contents { at: next, len });
            }
        }
        for from in (0..self.low).step_by(CHUNK as usize) {
            at += u64::from(get(coder, Plain::new(self.low - from))) << from;
        }
        if at < len { Ok(at) } else { Err(DecodeError::Contents { at: next, len }) }
    }
}

#[inline]
fn put<M: EncoderModel<PRECISION, Symbol = u32, Probability = u32>>(
    coder: &mut DefaultAnsCoder,
    symbol: u32,
    model: M,
) {
    // The coder writes to memory, and every symbol has a probability above 0.
    let done = coder.encode_symbol(symbol, model);
    debug_assert!(done.is_ok(), "symbol {symbol}");
}

#[inline]
fn get<M: DecoderModel<PRECISION, Symbol = u32, Probability = u32>>(coder: &mut DefaultAnsCoder, model: M) -> u32 {
    match coder.decode_symbol(model) {
        Ok(symbol) => symbol,
        Err(CoderError::Frontend(never) | CoderError::Backend(never)) => match never {},
    }
}

/// Symbol `0..=STEPS` with their cumulative frequencies out of `2^PRECISION`.
struct Table {
    cumulative: Vec<u32>,
    /// The symbol at the start of each `2^-GUIDE_BITS` of the quantiles.
    guide: Vec<u16>,
}

impl Table {
    /// Symbol `j` has probability `survival^j (1 - survival)`, the last one the rest; none has less than a unit.
    fn new(survival: f64) -> Self {
        let units = f64::from((1 << PRECISION) - (STEPS + 1));
        let mut cumulative = Vec::with_capacity(STEPS as usize + 2);
        let mut rest = 1.0;
        for symbol in 0..=STEPS {
            cumulative.push(((1.0 - rest) * units) as u32 + symbol);
            rest *= survival;
        }
        cumulative.push(1 << PRECISION);
        let mut symbol = 0;
        let guide = (0..1u32 << GUIDE_BITS)
            .map(|slot| {
                while cumulative[symbol + 1] <= slot << (PRECISION as u32 - GUIDE_BITS) {
                    symbol += 1;
                }
                symbol as u16
            })
            .collect();
        Self { cumulative, guide }
    }
}

impl EntropyModel<PRECISION> for &Table {
    type Symbol = u32;
    type Probability = u32;
}

impl EncoderModel<PRECISION> for &Table {
    #[inline]
    fn left_cumulative_and_probability(&self, symbol: impl Borrow<u32>) -> Option<(u32, NonZeroU32)> {
        let symbol = *symbol.borrow() as usize;
        let (left, right) = (*self.cumulative.get(symbol)?, *self.cumulative.get(symbol + 1)?);
        Some((left, NonZeroU32::new(right - left)?))
    }
}

impl DecoderModel<PRECISION> for &Table {
    #[inline]
    fn quantile_function(&self, quantile: u32) -> (u32, u32, NonZeroU32) {
        let mut symbol = usize::from(self.guide[(quantile >> (PRECISION as u32 - GUIDE_BITS)) as usize]);
        while self.cumulative[symbol + 1] <= quantile {
            symbol += 1;
        }
        let (left, right) = (self.cumulative[symbol], self.cumulative[symbol + 1]);
        (symbol as u32, left, NonZeroU32::new(right - left).unwrap_or(NonZeroU32::MIN))
    }
}

/// `bits` bits, all values equally likely.
#[derive(Clone, Copy)]
struct Plain {
    bits: u32,
}

impl Plain {
    /// As many bits as are left, but not more than a chunk.
    #[inline]
    fn new(left: u32) -> Self {
        Self { bits: left.min(CHUNK) }
    }

    #[inline]
    fn mask(self) -> u32 {
        !(u32::MAX << self.bits)
    }

    #[inline]
    fn probability(self) -> NonZeroU32 {
        NonZeroU32::MIN.saturating_add((1 << (PRECISION as u32 - self.bits)) - 1)
    }
}

impl EntropyModel<PRECISION> for Plain {
    type Symbol = u32;
    type Probability = u32;
}

impl EncoderModel<PRECISION> for Plain {
    #[inline]
    fn left_cumulative_and_probability(&self, symbol: impl Borrow<u32>) -> Option<(u32, NonZeroU32)> {
        Some((*symbol.borrow() << (PRECISION as u32 - self.bits), self.probability()))
    }
}

impl DecoderModel<PRECISION> for Plain {
    #[inline]
    fn quantile_function(&self, quantile: u32) -> (u32, u32, NonZeroU32) {
        let shift = PRECISION as u32 - self.bits;
        (quantile >> shift, quantile >> shift << shift, self.probability())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes and decodes the array whose set bits are `ones`; the coded bits.
    fn round_trip(len: u64, ones: &[u64]) -> u64 {
        let mut words = vec![0u64; len.div_ceil(64) as usize];
        ones.iter().for_each(|at| words[(at / 64) as usize] |= 1 << (at % 64));
        let coded = encode(len, words.iter().copied());
        assert_eq!(coded.ones, ones.len() as u64);
        let mut seen = Vec::new();
        let bits = 32 * coded.words.len() as u64;
        let inverse = decode(len, coded.ones, coded.words, |at| seen.push(at)).unwrap();
        if inverse {
            let zeros = seen;
            seen = (0..len).filter(|at| zeros.binary_search(at).is_err()).collect();
        }
        assert_eq!(seen, ones, "{len} bits");
        bits
    }

    #[test]
    fn every_array_of_few_bits_comes_back() {
        for len in 1..=12 {
            for array in 0..1u64 << len {
                let ones: Vec<u64> = (0..len).filter(|at| array >> at & 1 == 1).collect();
                round_trip(len, &ones);
            }
        }
    }

    #[test]
    fn arrays_at_word_edges_come_back() {
        for len in [63, 64, 65, 127, 128, 129, 1000] {
            round_trip(len, &(0..len).collect::<Vec<_>>());
            for at in 0..len {
                round_trip(len, &[at]);
                round_trip(len, &(0..len).filter(|other| *other != at).collect::<Vec<_>>());
            }
        }
    }

    /// Few marks in a large array: gaps beyond the table, plain bits in two chunks.
    #[test]
    fn long_gaps_come_back() {
        let len = 1 << 26;
        assert!(round_trip(len, &[]) == 0);
        for ones in [&[0][..], &[len - 1], &[0, len - 1], &[5, 6, 7, len - 2], &[len / 2, len / 2 + 1]] {
            assert!(round_trip(len, ones) <= 192);
        }
        // A thousand marks side by side at the end: one gap of 8 mean gaps times 125 is 488 times around the table.
        round_trip(len, &(len - 1000..len).collect::<Vec<_>>());
    }

    /// Digit sums of xorshift numbers, no hash of the workspace. The expected size is that of an ideal code for the
    /// array's own fill, `len H(X/len)`; table and plain bits cost less than 0.02 %, start and flush 64 bits.
    #[test]
    fn the_size_is_the_entropy() {
        let mut state = 0x1234_5678_9abc_def1u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for fill in [0.5, 0.4, 0.27, 0.13, 0.05, 0.01, 0.001, 0.97] {
            let len = 1_000_000;
            let ones: Vec<u64> = (0..len).filter(|_| (next() >> 11) as f64 / (1u64 << 53) as f64 <= fill).collect();
            let p = ones.len() as f64 / len as f64;
            let ideal = len as f64 * (-p * p.log2() - (1.0 - p) * (1.0 - p).log2());
            let coded = round_trip(len, &ones) as f64;
            assert!((ideal..ideal * 1.000_2 + 64.0).contains(&coded), "fill {fill}: {coded} for {ideal}");
        }
    }

    #[test]
    fn tables_are_distributions() {
        for survival in [0.5, 0.75, 0.93, 0.97, 1.0 - 1e-9, 1e-9] {
            let table = Table::new(survival);
            assert!(table.cumulative.windows(2).all(|pair| pair[0] < pair[1]), "{survival}");
            for quantile in (0..1 << PRECISION).step_by(997) {
                let (symbol, left, probability) = (&table).quantile_function(quantile);
                assert_eq!((&table).left_cumulative_and_probability(symbol), Some((left, probability)));
                assert!(left <= quantile && quantile - left < probability.get());
            }
        }
    }

    #[test]
    fn what_cannot_be_held_is_refused_before_any_step() {
        let never = |_| panic!("a step");
        let error = decode(1 << 40, 1 << 39, vec![1; 100], never).unwrap_err();
        assert_eq!(error, DecodeError::Lie { field: "ones", value: 1 << 39, had: 400 });
        assert!(matches!(decode(1000, 10, vec![1, 0], never), Err(DecodeError::Contents { .. })));
    }
}
