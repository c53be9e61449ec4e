//! The layout of the xor filter: three disjoint thirds, one cell of a key in each.

use amq::{InvalidParams, ParamInfo};
use bits::sums;
use serde::{Deserialize, Serialize};

use crate::layout::{Layout, check_keys};

/// The parameters of an [`XorFilter`](crate::XorFilter).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XorParams {
    /// Bits of a fingerprint: those of the type.
    pub fingerprint_bits: u32,
}

/// Three thirds of equal length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thirds {
    places: sums::Thirds,
}

impl Thirds {
    /// A layout of three times `third` cells, for sizes other than the published.
    ///
    /// # Errors
    /// [`InvalidParams::OutOfRange`] for none, and for more than 2^32 cells in all.
    pub fn with_third(third: u64) -> Result<Self, InvalidParams> {
        let range = InvalidParams::OutOfRange { name: "third", value: third.into(), allowed: "1 to 2^32 / 3 cells" };
        sums::Thirds::new(third).map(|places| Self { places }).ok_or(range)
    }
}

const NONE: ParamInfo = ParamInfo { name: "", meaning: "", range: "" };

impl Layout for Thirds {
    type Params = XorParams;
    type Places = sums::Thirds;

    const ARITY: u32 = 3;
    const LIMIT: f64 = 1.23;
    const THRESHOLD: f64 = 0.818_469;
    const MAX_GROWTH: u32 = 0;
    const DEFAULT_GROWTH: u32 = 0;
    const LOCAL: bool = false;
    const SOURCE: &'static str = "Graf and Lemire, JEA 25, 2020: floor(32 + 1.23 n), down to a multiple of 3";
    const INFO: [ParamInfo; 2] = [NONE; 2];
    const INFO_COUNT: usize = 0;

    fn published_cells(keys: u64) -> u64 {
        Self::published_cells_cpp(keys) / 3 * 3
    }

    fn published_cells_cpp(keys: u64) -> u64 {
        // 1.23 n in integers: the floor is that of the exact product.
        32 + (u128::from(keys) * 123 / 100) as u64
    }

    fn step_cells(_keys: u64) -> u64 {
        0
    }

    fn new(keys: u64, _growth: u32) -> Result<Self, InvalidParams> {
        Self::with_third(Self::published_cells(check_keys(keys)?) / 3)
    }

    #[inline]
    fn places(&self) -> &sums::Thirds {
        &self.places
    }

    fn stretch(&self) -> usize {
        self.cells() as usize
    }

    fn params(width: u32, _growth: u32) -> XorParams {
        XorParams { fingerprint_bits: width }
    }

    fn parts(params: &XorParams) -> (u32, u32, u32) {
        (params.fingerprint_bits, Self::ARITY, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 8 of the project's reference; the lengths computed outside of this program.
    #[test]
    fn published_lengths() {
        for (keys, cells, unrounded) in [
            (0, 30, 32),
            (1, 33, 33),
            (2, 33, 34),
            (3, 33, 35),
            (10, 42, 44),
            (100, 153, 155),
            (1_000_000, 1_230_030, 1_230_032),
        ] {
            assert_eq!(
                (Thirds::published_cells(keys), Thirds::published_cells_cpp(keys)),
                (cells, unrounded),
                "{keys}"
            );
            assert_eq!(Thirds::new(keys, 0).unwrap().cells(), cells);
        }
        // Far beyond what is built, and no overflow.
        assert_eq!(Thirds::published_cells_cpp(1 << 56), 88_630_840_666_651_393);
    }

    #[test]
    fn layouts_of_other_sizes() {
        assert_eq!(Thirds::with_third(100).unwrap().cells(), 300);
        assert_eq!(Thirds::with_third((1 << 32) / 3).unwrap().positions(u64::MAX, u64::MAX)[2], u32::MAX - 1);
        for third in [0, (1 << 32) / 3 + 1, u64::MAX] {
            assert!(Thirds::with_third(third).is_err(), "{third}");
        }
        assert!(Thirds::new(3_000_000_000, 0).is_ok() && Thirds::new(3_000_000_001, 0).is_err());
    }

    #[test]
    fn cells_of_a_key_reach_each_third_from_end_to_end() {
        let layout = Thirds::new(1000, 0).unwrap();
        assert_eq!(layout.positions(0, 0), [0, 420, 840]);
        assert_eq!(layout.positions(u64::MAX, u64::MAX), [419, 839, 1259]);
        // The second word's halves choose one cell each.
        assert_eq!(layout.positions(0, u64::MAX >> 32), [0, 420, 1259]);
        assert_eq!(layout.positions(0, u64::MAX << 32), [0, 839, 840]);
    }
}
