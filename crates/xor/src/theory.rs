//! What peeling promises. A fingerprint of `W` bits is independent of the cells that its key asks, so an absent key is
//! answered with yes with probability `2^-W`, whatever the cells hold: the rate of every filter, of any number of keys
//! but none. Beyond that, theory is about space: see [`Layout::published_cells`].

use amq::{Claim, Class, Filter, Given, InvalidParams, Lines, NamedValue, ParamInfo, Prediction, Theory};
use bloom_theory::ranges::{check_bits_per_key, check_rate};

use crate::cells::{Bits, Cells, Width};
use crate::filter::Peeled;
use crate::layout::{Layout, check_keys};
use crate::peel::build_bytes;

const RATE: &str = "2^-W: fingerprints independent of positions";

impl<L: Layout, const W: u32> Peeled<L, W>
where
    Bits<W>: Width,
{
    const KNOWN: &'static [ParamInfo; 3] = &[
        ParamInfo {
            name: "fingerprint_bits",
            meaning: "bits of a fingerprint; the rate is 2^-fingerprint_bits",
            range: <Bits<W> as Width>::RANGE,
        },
        L::INFO[0],
        L::INFO[1],
    ];

    /// The rate `2^-W`.
    fn rate() -> f64 {
        (-f64::from(W)).exp2()
    }

    /// Bits allocated for `keys` keys and `growth` steps.
    fn bits(keys: u64, growth: u32) -> u64 {
        let cells = L::published_cells(keys).saturating_add(L::step_cells(keys).saturating_mul(growth.into()));
        <<Bits<W> as Width>::Cells as Cells>::bits_for(cells, W)
    }
}

impl<L: Layout, const W: u32> Theory for Peeled<L, W>
where
    Bits<W>: Width,
{
    const PARAMS: &'static [ParamInfo] = Self::KNOWN.split_at(1 + L::INFO_COUNT).0;
    const CLASS: Class = Class::Static;

    /// As many steps of growth as fit, and at least one where the layout can grow: what is planned for can be built.
    fn size_for(keys: u64, bits_per_key: f64) -> Result<L::Params, InvalidParams> {
        let (keys, bits_per_key) = (check_keys(keys)?.max(1), check_bits_per_key(bits_per_key)?);
        let fits = |growth: u32| Self::bits(keys, growth) as f64 <= keys as f64 * bits_per_key;
        let least = L::DEFAULT_GROWTH.min(1);
        match (least..=L::DEFAULT_GROWTH).rev().find(|growth| fits(*growth)) {
            Some(growth) => Ok(L::params(W, growth)),
            None => Err(InvalidParams::Unreachable {
                what: "bits_per_key",
                target: bits_per_key.into(),
                why: <Bits<W> as Width>::TOO_SMALL,
            }),
        }
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<L::Params, InvalidParams> {
        check_keys(keys)?;
        if check_rate(fpr)? < Self::rate() {
            let why = <Bits<W> as Width>::TOO_LOW;
            return Err(InvalidParams::Unreachable { what: "fpr", target: fpr.into(), why });
        }
        Ok(L::params(W, L::DEFAULT_GROWTH))
    }

    /// Everything is fixed by the type but the growth; what is given must be what the type has.
    fn params_from(given: &Given, keys: u64) -> Result<L::Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        check_keys(keys)?;
        let [width, arity, growth] = *Self::KNOWN;
        for (info, own) in [(width, W), (arity, L::ARITY)] {
            match given.count(info.name)? {
                Some(value) if value != u64::from(own) => {
                    let allowed = info.range;
                    return Err(InvalidParams::OutOfRange { name: info.name, value: value.into(), allowed });
                }
                _ => {}
            }
        }
        match given.count(growth.name)? {
            None => Ok(L::params(W, L::DEFAULT_GROWTH)),
            Some(steps) => match u32::try_from(steps) {
                Ok(steps) if steps <= L::MAX_GROWTH => Ok(L::params(W, steps)),
                _ => Err(InvalidParams::OutOfRange { name: growth.name, value: steps.into(), allowed: growth.range }),
            },
        }
    }

    fn predicted_fpr(_params: &L::Params, keys: u64) -> Prediction {
        let rate = if keys == 0 { 0.0 } else { Self::rate() };
        Prediction { rate, claim: Claim::Exact, source: RATE }
    }

    /// None but what 2^64 digests leave: of all of them, a filter says yes to a number that varies like that of heads in
    /// as many throws of a coin of `2^-W`.
    fn rate_spread(_params: &L::Params, keys: u64) -> f64 {
        let p = if keys == 0 { 0.0 } else { Self::rate() };
        (p * (1.0 - p)).sqrt() * (-32f64).exp2()
    }

    /// `2^-W` whatever the cells hold, because a fingerprint is independent of its key's cells; 0 in a filter of no keys.
    fn rate_given_contents(&self) -> Option<f64> {
        Some(Self::predicted_fpr(self.params(), self.keys()).rate)
    }

    fn lines_touched(_params: &L::Params, _keys: u64) -> Option<Lines> {
        // All cells of a key, whatever the answer; those of fuse lie near each other, but not on one line.
        Some(Lines::all(f64::from(L::ARITY)))
    }

    fn named_values(_params: &L::Params, keys: u64) -> Vec<NamedValue> {
        let row = |name, value, claim, source| NamedValue { name, value, claim, source };
        let given = |name, value| row(name, value, Claim::Exact, "geometry");
        let (n, width, rate) = (keys.max(1) as f64, f64::from(W), Self::rate());
        let cells = L::published_cells(keys);
        let bits_per_key = Self::bits(keys, 0) as f64 / n;
        let limit = |cells_per_key: f64| width * cells_per_key;
        let try_bytes = build_bytes::<L>(keys, cells) as f64;
        vec![
            given("fingerprint_bits", width),
            given("arity", f64::from(L::ARITY)),
            row("array_length", cells as f64, Claim::Exact, L::SOURCE),
            row(
                "array_length_cpp",
                L::published_cells_cpp(keys) as f64,
                Claim::Exact,
                "fastfilter_cpp: not rounded (xor), truncated (fuse)",
            ),
            if L::DEFAULT_GROWTH > 0 {
                let source = "allocated for array_length / n; a step more after failed tries: bits_per_key_of_growth";
                row("bits_per_key", bits_per_key, Claim::AtLeast, source)
            } else {
                row("bits_per_key", bits_per_key, Claim::Exact, "allocated for array_length / n")
            },
            row("bits_per_key_limit", limit(L::LIMIT), Claim::Limit, "published size as n grows"),
            row(
                "bits_per_key_threshold",
                limit(1.0 / L::THRESHOLD),
                Claim::Limit,
                "peeling threshold: Walzer, SODA 2021; MWHC 1996",
            ),
            row(
                "bits_per_key_of_growth",
                (Self::bits(keys, 1) - Self::bits(keys, 0)) as f64 / n,
                Claim::Exact,
                "one more segment",
            ),
            row(
                "build_bytes_per_key",
                try_bytes / n,
                Claim::Exact,
                "digests, counts and order of a try, or the sorted keys before the order",
            ),
            row("fpr_exact", rate, Claim::Exact, RATE),
            row(
                "bound_static_bits_per_key",
                Class::Static.bits_per_key(rate),
                Claim::AtLeast,
                "Carter et al., STOC 1978",
            ),
            row(
                "bound_dynamic_bits_per_key",
                Class::Dynamic.bits_per_key(rate),
                Claim::AtLeast,
                "Kuszmaul and Walzer, STOC 2024",
            ),
            row(
                "overhead",
                bits_per_key / Self::CLASS.bits_per_key(rate),
                Claim::Exact,
                "bits_per_key / bound of the class",
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use amq::Number;

    use super::*;
    use crate::{FuseFilter, FuseParams, XorFilter, XorParams};

    fn given(pairs: &[(&str, f64)]) -> Given {
        Given::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Number::Real(*value))))
    }

    fn value(rows: &[NamedValue], name: &str) -> f64 {
        rows.iter().find(|row| row.name == name).unwrap().value
    }

    /// A width reaches its rate and no lower one; the error says what would do.
    #[test]
    fn rates_that_a_width_reaches() {
        type Xor8 = XorFilter<8>;
        let params = XorParams { fingerprint_bits: 8 };
        for fpr in [0.5, 0.01, 0.003_906_25] {
            assert_eq!(Xor8::size_for_fpr(1000, fpr), Ok(params));
        }
        let text = Xor8::size_for_fpr(1000, 0.0039).unwrap_err().to_string();
        assert!(
            text.starts_with("fpr = 0.0039 is out of reach: fingerprints of 8 bits have a rate of 2^-8:"),
            "{text}"
        );
        assert!(text.contains("16 bits 1.53e-5"), "{text}");
        assert!(<XorFilter<32>>::size_for_fpr(1000, 2.4e-10).is_ok());
        assert!(<FuseFilter<4, 16>>::size_for_fpr(1000, 1e-5).is_err());
        // HAND-12.
        for bad in [0.0, 1.0, -0.1, 2.0, 10.1, f64::NAN, f64::INFINITY, 1e-300] {
            assert!(
                matches!(Xor8::size_for_fpr(1000, bad), Err(InvalidParams::OutOfRange { name: "fpr", .. })),
                "{bad}"
            );
        }
    }

    /// At 10^6 keys: 9.8403 bits for xor, 9.0440 for fuse and one segment of 8192 cells (0.0655) to grow by.
    #[test]
    fn budgets_that_a_width_needs() {
        let n = 1_000_000;
        assert!(<XorFilter<8>>::size_for(n, 9.8403).is_ok() && <XorFilter<8>>::size_for(n, 9.8402).is_err());
        let fuse = |bits_per_key| <FuseFilter<3, 8>>::size_for(n, bits_per_key).map(|params| params.growth);
        assert_eq!((fuse(9.1096), fuse(9.18), fuse(20.0)), (Ok(1), Ok(2), Ok(8)));
        let text = fuse(9.1094).unwrap_err().to_string();
        assert!(
            text.starts_with("bits_per_key = 9.1094 is out of reach: fingerprints of 8 bits are stored in"),
            "{text}"
        );
        assert!(<FuseFilter<4, 8>>::size_for(n, 8.66).is_ok() && <FuseFilter<4, 8>>::size_for(n, 8.64).is_err());
    }

    #[test]
    fn parameters_by_name() {
        type Fuse = FuseFilter<3, 16>;
        assert_eq!(<XorFilter<8>>::PARAMS.len(), 1);
        assert_eq!(
            Fuse::PARAMS.iter().map(|info| info.name).collect::<Vec<_>>(),
            ["fingerprint_bits", "arity", "growth"]
        );
        let params = |pairs: &[(&str, f64)]| Fuse::params_from(&given(pairs), 1000).map_err(|error| error.to_string());
        let whole = FuseParams { fingerprint_bits: 16, arity: 3, growth: 8 };
        assert_eq!(params(&[]), Ok(whole));
        assert_eq!(params(&[("fingerprint_bits", 16.0), ("arity", 3.0)]), Ok(whole));
        assert_eq!(params(&[("growth", 0.0)]), Ok(FuseParams { growth: 0, ..whole }));
        for (pairs, text) in [
            (&[("fingerprint_bits", 8.0)][..], "fingerprint_bits = 8 is out of range: 16, fixed by the type"),
            (&[("arity", 4.0)], "arity = 4 is out of range: 3, fixed by the type"),
            (&[("growth", 25.0)], "growth = 25 is out of range: 0 to 24"),
            (&[("m", 1.0)], "unknown parameter `m`; this filter takes `fingerprint_bits`, `arity`, `growth`"),
        ] {
            assert_eq!(params(pairs), Err(text.to_owned()));
        }
        let text = <XorFilter<8>>::params_from(&given(&[("growth", 1.0)]), 9).unwrap_err().to_string();
        assert_eq!(text, "unknown parameter `growth`; this filter takes `fingerprint_bits`");
        assert!(<XorFilter<8>>::params_from(&given(&[]), 4_000_000_000).is_err());
    }

    /// Section 8 and 10 of the project's reference.
    #[test]
    fn named_values_at_known_points() {
        let rows = <XorFilter<8>>::named_values(&XorParams { fingerprint_bits: 8 }, 1_000_000);
        let names: Vec<_> = rows.iter().map(|row| row.name).collect();
        assert_eq!(
            names,
            [
                "fingerprint_bits",
                "arity",
                "array_length",
                "array_length_cpp",
                "bits_per_key",
                "bits_per_key_limit",
                "bits_per_key_threshold",
                "bits_per_key_of_growth",
                "build_bytes_per_key",
                "fpr_exact",
                "bound_static_bits_per_key",
                "bound_dynamic_bits_per_key",
                "overhead"
            ]
        );
        let close = |left: f64, right: f64| assert!((left - right).abs() < 5e-5, "{left} and {right}");
        close(value(&rows, "bits_per_key"), 9.840_24);
        close(value(&rows, "bits_per_key_limit"), 9.84);
        close(value(&rows, "bits_per_key_threshold"), 8.0 * 1.221_793);
        close(value(&rows, "fpr_exact"), 0.003_906_25);
        close(value(&rows, "bound_static_bits_per_key"), 8.0);
        close(value(&rows, "bound_dynamic_bits_per_key"), 9.439_874);
        close(value(&rows, "overhead"), 1.230_03);
        let params = FuseParams { fingerprint_bits: 8, arity: 3, growth: 8 };
        for (keys, bits) in [(1_000_000, 9.0440), (10_000_000, 9.0178), (100_000_000, 9.0073)] {
            let rows = <FuseFilter<3, 8>>::named_values(&params, keys);
            close(value(&rows, "bits_per_key"), bits);
            close(value(&rows, "bits_per_key_threshold"), 8.0 * 1.089_402);
            assert!(value(&rows, "build_bytes_per_key") < 19.0);
        }
        // Far beyond what can be built: numbers all the same.
        let rows =
            <FuseFilter<4, 32>>::named_values(&FuseParams { fingerprint_bits: 32, arity: 4, growth: 8 }, u64::MAX);
        assert!(rows.iter().all(|row| row.value.is_finite()), "{rows:?}");
    }

    /// The rate needs a key; its spread is what 2^64 digests leave.
    #[test]
    fn rates_and_spreads() {
        let params = XorParams { fingerprint_bits: 8 };
        assert_eq!(<XorFilter<8>>::predicted_fpr(&params, 0).rate, 0.0);
        for keys in [1, 1000, u64::MAX] {
            let prediction = <XorFilter<8>>::predicted_fpr(&params, keys);
            assert_eq!((prediction.rate, prediction.claim), (0.003_906_25, Claim::Exact));
            assert!(<XorFilter<8>>::rate_spread(&params, keys) < 1.5e-11);
        }
    }
}
