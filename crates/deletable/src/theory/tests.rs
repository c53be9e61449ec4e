use amq::Number;

use super::*;

type Bloom = DeletableBloom;

fn close(seen: f64, expected: f64, relative: f64) {
    assert!((seen / expected - 1.0).abs() < relative, "{seen} where {expected} is expected");
}

/// FIELD 4, quoted and Palm form; recomputed outside of this program with 50 digits, with draws for keys in the quoted form.
#[test]
fn deletability_at_known_points() {
    for (m, k, regions, keys, quoted, palm) in [
        (100_000, 7, 10_000, 10_000, QUOTED[0], PALM_FORM[0]),
        (100_000, 7, 20_000, 10_000, QUOTED[1], PALM_FORM[1]),
        (100_000, 7, 100_000, 10_000, QUOTED[2], PALM_FORM[2]),
        (1 << 20, 4, 65_536, 65_536, QUOTED[3], PALM_FORM[3]),
    ] {
        let params = Params { m, k, regions };
        close(deletable_quoted(&params, keys), quoted, 1e-9);
        // Two bits of a key in one region, which the plain form has as two.
        close(deletable_corrected(&params, keys), palm, 3e-4);
        let b = clean_bit(&params, keys, 0);
        close(1.0 - (1.0 - b).powi(k as i32), palm, 1e-9);
    }
}
const QUOTED: [f64; 4] = [0.758_764_008_167_980, 0.980_151_621_940_911, 0.999_997_771_260_861, 0.985_113_943_701_650];
const PALM_FORM: [f64; 4] =
    [0.551_337_343_147_678, 0.869_319_263_345_495, 0.991_810_039_771_294, 0.947_168_616_579_160];

/// Every way to give `n` keys `k` draws each of `m` bits: collisions, clean regions, and members that can be removed are near the
/// formulas already for a handful of bits, and exact where a bit is all there is to a region and a key.
#[test]
fn formulas_and_enumeration_for_tiny_filters() {
    for (m, k, n, regions) in [(4u64, 1u32, 3u32, 4u64), (5, 1, 4, 5), (6, 1, 5, 6), (4, 2, 3, 4), (5, 2, 3, 3)] {
        let (params, draws) = (Params { m, k, regions }, k * n);
        let (s, all) = (params.region_bits(), m.pow(draws) as f64);
        let (mut collisions, mut clean, mut deletable) = (0u64, 0u64, 0u64);
        for throw in 0..m.pow(draws) {
            let (mut rest, mut counts, mut first) = (throw, vec![0; m as usize], 0u64);
            for key in 0..n {
                let mut bits = 0u64;
                for _ in 0..k {
                    bits |= 1 << (rest % m);
                    rest /= m;
                }
                (0..m).filter(|at| bits >> at & 1 == 1).for_each(|at| counts[at as usize] += 1);
                first = if key == 0 { bits } else { first };
            }
            let marked = |region: u64| (region * s..((region + 1) * s).min(m)).any(|at| counts[at as usize] > 1);
            collisions += u64::from(counts[0] > 1);
            clean += (0..regions).filter(|region| !marked(*region)).count() as u64;
            deletable += u64::from((0..m).any(|at| first >> at & 1 == 1 && !marked(at / s)));
        }
        close(collision_probability(m, k, n.into()), collisions as f64 / all, 1e-12);
        let exact = k == 1 && regions == m;
        let (clean, deletable) = (clean as f64 / all / regions as f64, deletable as f64 / all);
        close(clean_regions(&params, n.into()), clean, if exact { 1e-12 } else { 0.05 });
        close(deletable_corrected(&params, n.into()), deletable, if exact { 1e-12 } else { 0.1 });
    }
}

/// `1 - p_0 - p_1` at a load where it does not cancel, and the square of the mean over two where it would.
#[test]
fn collisions_at_both_ends() {
    let (m, k, n) = (1000, 7, 100);
    let p0 = (1.0f64 - 1e-3).powi(700);
    close(collision_draws(m, k, n), 1.0 - p0 - 0.7 * p0 / (1.0 - 1e-3), 1e-12);
    assert!(collision_probability(m, k, n) < collision_draws(m, k, n));
    let m = 1 << 40;
    close(collision_probability(m, 3, 10), 45.0 * (3.0 / m as f64).powi(2), 1e-9);
    close(collision_draws(m, 3, 10), 435.0 / (m as f64).powi(2), 1e-9);
    assert_eq!(
        (collision_probability(m, 3, 1), collision_probability(m, 3, 0), collision_draws(m, 1, 1)),
        (0.0, 0.0, 0.0)
    );
}

#[test]
fn edges_of_deletability() {
    let params = Params { m: 1000, k: 3, regions: 100 };
    assert_eq!((deletable_corrected(&params, 0), deletable_corrected(&params, 1)), (1.0, 1.0));
    assert_eq!((deletable_quoted(&params, 0), clean_regions(&params, 0)), (1.0, 1.0));
    assert!(deletable_corrected(&params, 1 << 50) < 1e-100 && clean_regions(&params, 1 << 50) < 1e-10);
    assert_eq!(deletable_corrected(&Params { m: 1, k: 1, regions: 1 }, 1), 1.0);
    assert_eq!(deletable_corrected(&Params { m: 1, k: 64, regions: 1 }, 2), 0.0);
    // It falls with keys and repeats, and rises with regions; the quoted form is above it throughout.
    let rates: Vec<f64> = (1..400).map(|keys| deletable_corrected(&params, keys)).collect();
    assert!(rates.windows(2).all(|pair| pair[0] >= pair[1]));
    let repeats: Vec<f64> = (0..50).map(|repeated| deletable_after_repeats(&params, 100, repeated)).collect();
    assert!(repeats.windows(2).all(|pair| pair[0] > pair[1]));
    let regions = [1, 10, 100, 250, 500, 1000].map(|regions| Params { regions, ..params });
    assert!(regions.windows(2).all(|pair| deletable_corrected(&pair[0], 80) < deletable_corrected(&pair[1], 80)));
    assert!(regions.iter().all(|params| deletable_corrected(params, 80) < deletable_quoted(params, 80)));
}

#[test]
fn what_stays_after_removals() {
    let params = Params { m: 100_000, k: 7, regions: 20_000 };
    let fill = |removed| fill_after_removing(&params, 10_000, removed);
    close(fill(0), bloom_theory::fpr::fill(100_000, 7, 10_000), 1e-12);
    close(fpr_after_removing(&params, 10_000, 5000), fill(5000).powi(7), 1e-12);
    assert!(fill(5000) > fill(10_000) && fill(10_000) == fill(20_000) && fill(10_000) > 0.0);
    // A bit for each region: all bits of one key go, all others stay.
    let params = Params { m: 100_000, k: 1, regions: 100_000 };
    close(fill_after_removing(&params, 50_000, 50_000), collision_probability(100_000, 1, 50_000), 1e-9);
    assert_eq!(fpr_after_removing(&params, 1, 1), 0.0);
}

/// A budget covers array and map; a rate sizes the array as for a Bloom filter.
#[test]
fn hand_07_hand_08_sizes() {
    assert_eq!(Bloom::size_for_fpr(1000, 0.01), Ok(Params { m: 9600, k: 7, regions: 2400 }));
    // 156 words: 124 for the array, 32 for the map.
    assert_eq!(Bloom::size_for(1000, 10.0), Ok(Params { m: 7936, k: 6, regions: 1984 }));
    assert_eq!(Bloom::size_for(1, 128.0).map(|params| (params.m, params.regions)), Ok((64, 16)));
    let text = Bloom::size_for(1, 100.0).unwrap_err().to_string();
    assert!(text.starts_with("bits_per_key = 100 is out of reach: array and map need a word"), "{text}");
    assert_eq!((default_regions(1), default_regions(4), default_regions(9)), (1, 1, 3));
    // What the documentation of `default_regions` says, at half fill.
    for (s, percent) in [(2, 98.0), (4, 92.0), (8, 70.0), (16, 25.0)] {
        let params = Params { m: 1_600_000, k: 7, regions: 1_600_000 / s };
        let seen = 100.0 * deletable_corrected(&params, 158_434);
        assert!((seen - percent).abs() < 0.6, "{s}: {seen}");
    }
}

#[test]
fn parameters_by_name() {
    let params = |pairs: &[(&str, f64)]| {
        let given = Given::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), Number::Real(*value))));
        Bloom::params_from(&given, 1000).map_err(|error| error.to_string())
    };
    assert_eq!(params(&[("m", 9586.0), ("k", 3.0), ("regions", 7.0)]), Ok(Params { m: 9586, k: 3, regions: 7 }));
    assert_eq!(params(&[("m", 9586.0)]), Ok(Params { m: 9586, k: 7, regions: 2397 }));
    for (pairs, text) in [
        (&[("k", 3.0)][..], "parameter `m` is missing; this filter takes `m`, `k`, `regions`"),
        (&[("m", 0.0)], "m = 0 is out of range: 1 to 2^48 bits"),
        (&[("m", 100.0), ("regions", 101.0)], "regions = 101 is out of range: 1 to m: a region has a bit"),
        (&[("m", 100.0), ("q", 1.0)], "unknown parameter `q`; this filter takes `m`, `k`, `regions`"),
    ] {
        assert_eq!(params(pairs), Err(text.to_owned()));
    }
}

#[test]
fn named_values_hold_together() {
    let values = Bloom::named_values(&Params { m: 9586, k: 7, regions: 2397 }, 1000);
    let value = |name| values.iter().find(|row| row.name == name).unwrap().value;
    assert_eq!((value("m"), value("k"), value("regions"), value("region_bits")), (9586.0, 7.0, 2397.0, 4.0));
    assert_eq!(value("bits_per_key"), 9.6 + 2.432);
    close(value("overhead") * value("bound_static_bits_per_key"), 12.032, 1e-12);
    assert!(value("deletable_corrected") < value("deletable_quoted"));
    assert!(value("fpr_all_removed") < value("fpr_exact"));
    for keys in [0, 1, 1 << 40, 1 << 56] {
        let rows = Bloom::named_values(&Params { m: 9586, k: 7, regions: 100 }, keys);
        assert!(rows.iter().all(|row| !row.value.is_nan()), "{rows:?}");
    }
}
