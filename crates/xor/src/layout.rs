//! What a filter of this crate needs to know of its layout: where the cells of a key are, how many cells there are.

use std::fmt::Debug;

use amq::{InvalidParams, ParamInfo};
use bits::sums::Places;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most keys: positions have 32 bits, and three thousand million keys stay within them in every layout.
pub const MAX_KEYS: u64 = 3_000_000_000;

/// The way from a key's two words to its cells. All filters of this crate are one algorithm over a layout.
pub trait Layout: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The parameters of a filter in this layout.
    type Params: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// The arithmetic from words to cells.
    type Places: Places;

    /// Cells of a key.
    const ARITY: u32;
    /// Cells per key that the published size tends to as the number of keys grows.
    const LIMIT: f64;
    /// Keys per cell up to which peeling succeeds, with probability tending to 1 as the number of keys grows.
    const THRESHOLD: f64;
    /// The most steps that the array may grow by.
    const MAX_GROWTH: u32;
    /// The steps that the array may grow by unless the parameters say something else.
    const DEFAULT_GROWTH: u32;
    /// Whether the cells of a key are near each other, near a place that grows with its first word.
    const LOCAL: bool;
    /// Where the published size comes from.
    const SOURCE: &'static str;
    /// The parameters beside the width.
    const INFO: [ParamInfo; 2];
    /// How many of these there are.
    const INFO_COUNT: usize;

    /// The cells that the paper gives `keys` keys, as its reference code in C has it; any number of keys is allowed.
    fn published_cells(keys: u64) -> u64;

    /// The same as `fastfilter_cpp` has it, which rounds in another way.
    fn published_cells_cpp(keys: u64) -> u64;

    /// Cells that one step of growth adds.
    fn step_cells(keys: u64) -> u64;

    /// The layout for `keys` keys, grown by `growth` steps (at most [`MAX_GROWTH`](Self::MAX_GROWTH)).
    ///
    /// # Errors
    /// [`InvalidParams::OutOfRange`] for more than [`MAX_KEYS`] keys.
    fn new(keys: u64, growth: u32) -> Result<Self, InvalidParams>;

    /// The arithmetic of this layout.
    fn places(&self) -> &Self::Places;

    /// Cells to peel at a time: those that a key's cells are near, or all.
    fn stretch(&self) -> usize;

    /// Cells; at most 2^32.
    #[inline]
    fn cells(&self) -> u64 {
        self.places().cells()
    }

    /// The cells of a key, all different, from two independent uniform words.
    #[inline]
    fn positions(&self, first: u64, second: u64) -> <Self::Places as Places>::Positions {
        self.places().positions(first, second)
    }

    /// Parameters of `width` bits and up to `growth` steps.
    fn params(width: u32, growth: u32) -> Self::Params;

    /// Fingerprint bits, arity and growth of `params`, as they are.
    fn parts(params: &Self::Params) -> (u32, u32, u32);
}

/// `keys`, when positions of 32 bits are enough for them.
///
/// # Errors
/// [`InvalidParams::OutOfRange`] with the value.
pub fn check_keys(keys: u64) -> Result<u64, InvalidParams> {
    if keys <= MAX_KEYS {
        return Ok(keys);
    }
    Err(InvalidParams::OutOfRange {
        name: "keys",
        value: keys.into(),
        allowed: "at most 3e9 keys in one static filter, whose positions have 32 bits",
    })
}
