//! What peeling promises. A fingerprint of `W` bits is independent of the cells that its key asks, so an absent key is
//! answered with yes with probability `2^-W`, whatever the cells hold: the rate of every filter, of any number of keys
//! but none. Beyond that, theory is about space: see [`Layout::published_cells`].

use amq::{Claim, Class, Filter, Given, InvalidParams, NamedValue, ParamInfo, Prediction, Theory};
use bloom_theory::ranges::{check_bits_per_key, check_rate};

use crate::cells::{Bits, Cells, Width};
use crate::filter::Peeled;
use crate::layout::{Layout, check_keys};

const RATE: &str = "2^-W: fingerprints independent of positions";

/// Bytes per cell, and bytes per key, of a try: see `peel`.
const TRY_BYTES_PER_CELL: f64 = 13.0;

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

    fn named_values(_params: &L::Params, keys: u64) -> Vec<NamedValue> {
        let row = |name, value, claim, source| NamedValue { name, value, claim, source };
        let given = |name, value| row(name, value, Claim::Exact, "geometry");
        let (n, width, rate) = (keys.max(1) as f64, f64::from(W), Self::rate());
        let cells = L::published_cells(keys);
        let bits_per_key = Self::bits(keys, 0) as f64 / n;
        let limit = |cells_per_key: f64| width * cells_per_key;
        let try_bytes = (TRY_BYTES_PER_CELL * cells as f64).max(if L::LOCAL { 9.0 * cells as f64 + 8.0 * n } else { 0.0 });
        vec![
            given("fingerprint_bits", width),
            given("arity", f64::from(L::ARITY)),
            row("array_length", cells as f64, Claim::Exact, L::SOURCE),
            row("array_length_cpp", L::published_cells_cpp(keys) as f64, Claim::Exact, "fastfilter_cpp: not rounded (xor), truncated (fuse)"),
            row("bits_per_key", bits_per_key, Claim::Exact, "allocated for array_length / n"),
            row("bits_per_key_limit", limit(L::LIMIT), Claim::Limit, "published size as n grows"),
            row("bits_per_key_threshold", limit(1.0 / L::THRESHOLD), Claim::Limit, "peeling threshold: Walzer, SODA 2021; MWHC 1996"),
            row("bits_per_key_of_growth", (Self::bits(keys, 1) - Self::bits(keys, 0)) as f64 / n, Claim::Exact, "one more segment"),
            row("build_bytes_per_key", try_bytes / n, Claim::Exact, "words, counts and order of a try"),
            row("fpr_exact", rate, Claim::Exact, RATE),
            row("bound_static_bits_per_key", Class::Static.bits_per_key(rate), Claim::AtLeast, "Carter et al., STOC 1978"),
            row("bound_dynamic_bits_per_key", Class::Dynamic.bits_per_key(rate), Claim::AtLeast, "Kuszmaul and Walzer, STOC 2024"),
            row("overhead", bits_per_key / Self::CLASS.bits_per_key(rate), Claim::Exact, "bits_per_key / bound of the class"),
        ]
    }
}
