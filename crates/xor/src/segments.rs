//! The layout of the binary fuse filter: segments of a power of two, the cells of a key in consecutive ones.

use amq::{InvalidParams, ParamInfo};
use bits::sums::{self, Places};
use serde::{Deserialize, Serialize};

use crate::layout::{Layout, check_keys};

/// The parameters of a [`FuseFilter`](crate::FuseFilter).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuseParams {
    /// Bits of a fingerprint: those of the type.
    pub fingerprint_bits: u32,
    /// Cells of a key: those of the type.
    pub arity: u32,
    /// Segments the array may grow by where the published size fails, 0 to 24.
    pub growth: u32,
}

/// The number of a key's cells, a type for each that has a published size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways<const ARITY: u32>;

/// What depends on the number of a key's cells: implemented for [`Ways<3>`] and [`Ways<4>`].
pub trait Arity: Copy + std::fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The arithmetic from words to cells.
    type Places: Places + std::fmt::Debug + Eq + Send + Sync + 'static;
    /// The arity, as a range of the one value it may have.
    const RANGE: &'static str;
    /// See [`Layout::LIMIT`].
    const LIMIT: f64;
    /// See [`Layout::THRESHOLD`].
    const THRESHOLD: f64;
    /// See [`Layout::SOURCE`].
    const SOURCE: &'static str;

    /// The logarithm (base 2, before rounding down) of a segment's length, from `ln n`.
    fn segment_log(ln_keys: f64) -> f64;
    /// Cells per key from `ln n`.
    fn factor(ln_keys: f64) -> f64;
    /// `segments` segments of `2^log` cells; none where that is out of range.
    fn places(log: u32, segments: u64) -> Option<Self::Places>;
}

impl Arity for Ways<3> {
    type Places = sums::Segments<3>;
    const RANGE: &'static str = "3, fixed by the type";
    const LIMIT: f64 = 1.125;
    const THRESHOLD: f64 = 0.917_935;
    const SOURCE: &'static str =
        "Graf and Lemire, JEA 27, 2022, arity 3: round(n max(1.125, 0.875 + 0.25 ln 1e6 / ln n)), up to segments";

    fn segment_log(ln_keys: f64) -> f64 {
        ln_keys / 3.33f64.ln() + 2.25
    }

    fn factor(ln_keys: f64) -> f64 {
        (0.875 + 0.25 * 1e6f64.ln() / ln_keys).max(Self::LIMIT)
    }

    fn places(log: u32, segments: u64) -> Option<sums::Segments<3>> {
        sums::Segments::new(log, segments)
    }
}

impl Arity for Ways<4> {
    type Places = sums::Segments<4>;
    const RANGE: &'static str = "4, fixed by the type";
    const LIMIT: f64 = 1.075;
    const THRESHOLD: f64 = 0.976_770;
    const SOURCE: &'static str =
        "Graf and Lemire, JEA 27, 2022, arity 4: round(n max(1.075, 0.77 + 0.305 ln 6e5 / ln n)), up to segments";

    fn segment_log(ln_keys: f64) -> f64 {
        // Below 0 for one key: a segment has at least one cell.
        (ln_keys / 2.91f64.ln() - 0.5).max(0.0)
    }

    fn factor(ln_keys: f64) -> f64 {
        (0.77 + 0.305 * 6e5f64.ln() / ln_keys).max(Self::LIMIT)
    }

    fn places(log: u32, segments: u64) -> Option<sums::Segments<4>> {
        sums::Segments::new(log, segments)
    }
}

/// The longest segment: 2^18 cells.
const MAX_SEGMENT_LOG: f64 = 18.0;

/// Segments of equal length, a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments<const ARITY: u32>
where
    Ways<ARITY>: Arity,
{
    places: <Ways<ARITY> as Arity>::Places,
    segment: u32,
}

impl<const ARITY: u32> Segments<ARITY>
where
    Ways<ARITY>: Arity,
{
    /// The length of a segment for `keys` keys.
    #[must_use]
    pub fn segment_for(keys: u64) -> u64 {
        // No keys are laid out as one.
        1 << <Ways<ARITY> as Arity>::segment_log((keys.max(1) as f64).ln()).min(MAX_SEGMENT_LOG) as u32
    }

    /// A layout of `segments` segments, at least `ARITY`, of `2^log` cells each: for sizes other than the published.
    ///
    /// # Errors
    /// [`InvalidParams::OutOfRange`] for more than 2^32 cells, and for fewer segments than `ARITY`.
    pub fn with_segments(log: u32, segments: u64) -> Result<Self, InvalidParams> {
        let range = InvalidParams::OutOfRange {
            name: "segments",
            value: segments.into(),
            allowed: "at least as many as cells of a key, of at most 2^18 cells each and 2^32 cells in all",
        };
        <Ways<ARITY> as Arity>::places(log, segments).map(|places| Self { places, segment: 1 << log }).ok_or(range)
    }

    /// Cells of a segment.
    #[must_use]
    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// Segments.
    #[must_use]
    pub fn segments(&self) -> u64 {
        self.cells() / u64::from(self.segment)
    }

    /// Whole segments for a capacity of `n` times the factor, rounded to a whole number of cells by `round`.
    fn segments_for(keys: u64, round: fn(f64) -> f64) -> u64 {
        let capacity = match keys {
            0 | 1 => 0,
            _ => round(keys as f64 * <Ways<ARITY> as Arity>::factor((keys as f64).ln())) as u64,
        };
        capacity.div_ceil(Self::segment_for(keys)).max(ARITY.into())
    }
}

impl<const ARITY: u32> Layout for Segments<ARITY>
where
    Ways<ARITY>: Arity,
{
    type Params = FuseParams;
    type Places = <Ways<ARITY> as Arity>::Places;

    const ARITY: u32 = ARITY;
    const LIMIT: f64 = <Ways<ARITY> as Arity>::LIMIT;
    const THRESHOLD: f64 = <Ways<ARITY> as Arity>::THRESHOLD;
    const MAX_GROWTH: u32 = 24;
    const DEFAULT_GROWTH: u32 = 8;
    const LOCAL: bool = true;
    const SOURCE: &'static str = <Ways<ARITY> as Arity>::SOURCE;
    const INFO: [ParamInfo; 2] = [
        ParamInfo { name: "arity", meaning: "cells of a key", range: <Ways<ARITY> as Arity>::RANGE },
        ParamInfo { name: "growth", meaning: "segments to grow by where the published size fails", range: "0 to 24" },
    ];
    const INFO_COUNT: usize = 2;

    fn published_cells(keys: u64) -> u64 {
        Self::segments_for(keys, f64::round).saturating_mul(Self::segment_for(keys))
    }

    fn published_cells_cpp(keys: u64) -> u64 {
        Self::segments_for(keys, f64::trunc).saturating_mul(Self::segment_for(keys))
    }

    fn step_cells(keys: u64) -> u64 {
        Self::segment_for(keys)
    }

    fn new(keys: u64, growth: u32) -> Result<Self, InvalidParams> {
        let segments = Self::segments_for(check_keys(keys)?, f64::round) + u64::from(growth);
        Self::with_segments(Self::segment_for(keys).trailing_zeros(), segments)
    }

    #[inline]
    fn places(&self) -> &Self::Places {
        &self.places
    }

    fn stretch(&self) -> usize {
        self.segment as usize
    }

    fn params(width: u32, growth: u32) -> FuseParams {
        FuseParams { fingerprint_bits: width, arity: ARITY, growth }
    }

    fn parts(params: &FuseParams) -> (u32, u32, u32) {
        (params.fingerprint_bits, params.arity, params.growth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 10 of the project's reference (9.0440, 9.0178 and 9.0073 bits per key at 8 bits) and a script outside of
    /// this program: cells, and cells with the capacity truncated.
    #[test]
    fn published_lengths() {
        for (keys, segment, cells) in [
            (0, 4, 12),
            (1, 4, 12),
            (2, 4, 12),
            (3, 8, 24),
            (10, 16, 48),
            (100, 64, 192),
            (1000, 128, 1408),
            (11_521, 1024, 14_336),
            (11_522, 1024, 15_360),
            (1_000_000, 8192, 1_130_496),
            (10_000_000, 32_768, 11_272_192),
            (100_000_000, 131_072, 112_590_848),
            (1_000_000_000, 262_144, 1_125_122_048),
        ] {
            let published = (Segments::<3>::segment_for(keys), Segments::<3>::published_cells(keys));
            assert_eq!(published, (segment, cells), "{keys}");
        }
        for (keys, segment, cells) in [
            (0, 1, 4),
            (1, 1, 4),
            (2, 1, 13),
            (3, 1, 13),
            (10, 2, 26),
            (100, 8, 168),
            (1000, 32, 1376),
            (1_000_000, 4096, 1_077_248),
            (100_000_000, 65_536, 107_544_576),
        ] {
            let published = (Segments::<4>::segment_for(keys), Segments::<4>::published_cells(keys));
            assert_eq!(published, (segment, cells), "{keys}");
        }
        for keys in 0..30_000 {
            let rounded = Segments::<3>::published_cells(keys) - Segments::<3>::published_cells_cpp(keys);
            let expected = [25, 77, 211, 257, 350].contains(&keys);
            assert!(keys > 350 || (rounded > 0) == expected, "{keys}: truncation takes {rounded} cells");
        }
        let differ = |keys: &u64| Segments::<4>::published_cells(*keys) != Segments::<4>::published_cells_cpp(*keys);
        assert_eq!((0..30_000).filter(differ).count(), 106);
    }

    #[test]
    fn cells_of_a_key_lie_in_consecutive_segments() {
        for keys in [1, 2, 10, 1000, 100_000] {
            let (three, four) = (Segments::<3>::new(keys, 0).unwrap(), Segments::<4>::new(keys, 2).unwrap());
            assert_eq!(three.cells(), Segments::<3>::published_cells(keys));
            assert_eq!(four.cells(), Segments::<4>::published_cells(keys) + 2 * u64::from(four.segment()));
            let mut word = 1u64;
            for _ in 0..1000 {
                word = word.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc_def1);
                for first in [0, word, u64::MAX] {
                    for second in [0, word.rotate_left(31), u64::MAX] {
                        consecutive(&three, three.positions(first, second).as_ref());
                        consecutive(&four, four.positions(first, second).as_ref());
                    }
                }
            }
        }
    }

    fn consecutive<const ARITY: u32>(layout: &Segments<ARITY>, cells: &[u32])
    where
        Ways<ARITY>: Arity,
    {
        assert!(cells.iter().all(|cell| u64::from(*cell) < layout.cells()));
        let segments: Vec<u32> = cells.iter().map(|cell| cell / layout.segment()).collect();
        assert!(segments.windows(2).all(|pair| pair[1] == pair[0] + 1), "{segments:?}");
    }

    #[test]
    fn layouts_of_other_sizes() {
        let layout = Segments::<3>::with_segments(10, 15).unwrap();
        assert_eq!((layout.segment(), layout.segments(), layout.cells()), (1024, 15, 15_360));
        assert_eq!(Segments::<3>::with_segments(18, 1 << 14).unwrap().cells(), 1 << 32);
        for (log, segments) in [(10, 2), (19, 10), (64, 10), (18, (1 << 14) + 1), (18, u64::MAX)] {
            assert!(Segments::<3>::with_segments(log, segments).is_err(), "{segments} segments of 2^{log}");
        }
        assert!(Segments::<3>::new(3_000_000_000, 24).is_ok() && Segments::<4>::new(3_000_000_000, 24).is_ok());
        assert!(Segments::<3>::new(3_000_000_001, 0).is_err());
    }
}
