//! Cuckoo tables of four slots that the crate adds to when one is full, fingerprints of a width that follows from the rate.

use amq::{Claim, Class, Given, InvalidParams, NamedValue, ParamInfo, Prediction};
use bloom_theory::ranges::{MAX_BITS, check_bits_per_key, check_keys, check_rate};
use cuckoo::formulas::Classes;

use super::buckets::room;
use super::slices::SeriesParams;
use crate::peer::{Model, given};

const SLOTS: u32 = 4;

/// As `autoscale_cuckoo_filter` has it: half of the rate for the first table, `ceil(lg(8 / (fpr/2)))` bits, and a power of two of
/// buckets for the keys. Fingerprint 0, and what finds no slot, is kept in a sorted list.
pub struct Tables;

/// Buckets and bits of a fingerprint of the first table.
fn first(params: SeriesParams) -> (u64, u32) {
    let bits = (8.0 / (params.fpr / 2.0)).log2().ceil().clamp(1.0, 56.0);
    (params.keys.div_ceil(SLOTS.into()).clamp(1, 1 << 36).next_power_of_two(), bits as u32)
}

fn table_bits(params: SeriesParams) -> u64 {
    let (buckets, bits) = first(params);
    buckets * u64::from(SLOTS) * u64::from(bits)
}

/// The table, and room for the list: 128 bits for each key of fingerprint 0, and as many again because it grows by doubling.
fn with_list(params: SeriesParams, keys: u64) -> f64 {
    let zeros = keys as f64 / f64::from(first(params).1).exp2();
    table_bits(params) as f64 + 64.0 + 256.0 * (zeros + 6.0 * zeros.sqrt() + 4.0)
}

/// In range.
///
/// # Errors
/// [`InvalidParams`] names what is not.
pub fn check(params: SeriesParams) -> Result<SeriesParams, InvalidParams> {
    let (keys, fpr) = (check_keys(params.keys)?.max(1), check_rate(params.fpr)?);
    let params = SeriesParams { keys, fpr };
    let bits = table_bits(params);
    if bits > MAX_BITS || keys > 1 << 38 { Err(InvalidParams::TooLarge { bits }) } else { Ok(params) }
}

impl Model for Tables {
    type Params = SeriesParams;
    const PARAMS: &'static [ParamInfo] = &[
        ParamInfo {
            name: "keys",
            meaning: "slots of the first table; the planned keys if not given",
            range: "1 to 2^38",
        },
        ParamInfo {
            name: "fpr",
            meaning: "the rate asked for, half of it for the first table",
            range: "1e-15 to below 1",
        },
    ];
    const CLASS: Class = Class::Dynamic;
    const BITS: Claim = Claim::AtLeast;
    const SIZING: Option<&'static str> =
        Some("the crate makes slots a power of two in number, and adds a table of twice the size where one is full");

    fn size_for(keys: u64, bits_per_key: f64) -> Result<SeriesParams, InvalidParams> {
        let (keys, bits_per_key) = (check_keys(keys)?.max(1), check_bits_per_key(bits_per_key)?);
        // 2^(4 - b) is the rate that gives b bits.
        let with = |bits: i32| SeriesParams { keys, fpr: f64::from(4 - bits).exp2() };
        match (5..=53).rev().find(|bits| with_list(with(*bits), keys) <= keys as f64 * bits_per_key) {
            Some(bits) if room(first(with(bits)).0) >= keys => check(with(bits)),
            _ => {
                let why =
                    "slots are a power of two in number, and twice as many are needed where the table is nearly full";
                Err(InvalidParams::Unreachable { what: "bits_per_key", target: bits_per_key.into(), why })
            }
        }
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<SeriesParams, InvalidParams> {
        check(SeriesParams { keys, fpr })
    }

    fn params_from(given: &Given, keys: u64) -> Result<SeriesParams, InvalidParams> {
        let known = Self::PARAMS.iter().map(|info| format!("`{}`", info.name)).collect::<Vec<_>>().join(", ");
        let fpr = given.get("fpr").ok_or(InvalidParams::Missing { name: "fpr", known })?.as_f64();
        check(SeriesParams { keys: given.count("keys")?.unwrap_or(keys), fpr })
    }

    /// `1 - (1 - 2/(M 2^f))^n` while one table holds all keys; what the crate promises after that.
    fn predicted_fpr(params: &SeriesParams, keys: u64) -> Prediction {
        let (buckets, bits) = first(*params);
        if keys > room(buckets) {
            return Prediction {
                rate: params.fpr,
                claim: Claim::AtMost,
                source: "the rate that the crate was asked for",
            };
        }
        let rate = Classes { buckets, fixed: u64::from(buckets == 1), fingerprints: 1 << bits }.rate(keys);
        // Whether a bucket is its own partner depends on the hash of the fingerprint: by chance, in small tables.
        let claim = Claim::Approximate { rel: 0.01 + 1.0 / buckets as f64 };
        Prediction { rate, claim, source: "1 - (1 - 2/(M 2^f))^n: a member in the query's class" }
    }

    fn rate_spread(params: &SeriesParams, keys: u64) -> f64 {
        let (buckets, bits) = first(*params);
        Classes { buckets, fixed: u64::from(buckets == 1), fingerprints: 1 << bits }.spread(keys)
    }

    fn bits(params: &SeriesParams, _keys: u64) -> u64 {
        table_bits(*params)
    }

    fn geometry(params: &SeriesParams, keys: u64) -> Vec<NamedValue> {
        let (buckets, bits) = first(*params);
        let load = keys as f64 / (buckets as f64 * f64::from(SLOTS));
        vec![
            given("buckets", buckets as f64),
            given("fingerprint_bits", f64::from(bits)),
            given("load_of_first", load.min(1.0)),
        ]
    }
}
