//! What removals do, against the theory. Seeds are fixed; the level of each assertion is 1e-7.
use amq::{DeletableFilter, Digest, Filter, IncrementalFilter, Removal};
use conformance::keys::{digest, digests};
use counting::theory::churn::{after_replacements, denied_after_wrong_removals};
use counting::theory::counts::{at_least, draws_at_least};
use counting::{CountingBloom, Params};
use stats::{Alternative, binomial_test, normal_sf};

const ALPHA: f64 = 1e-7;

fn filled<const W: u32>(params: Params, seed: u64, keys: &[Digest]) -> CountingBloom<W> {
    let mut filter = CountingBloom::empty(&params, seed).expect("parameters in range");
    filter.insert_batch(keys).expect("never full");
    filter
}

/// Null: the mean of `values`, one for each filter, is `expected`; normal law with their own deviation (40 and more filters).
/// Gives the smallest relative effect that is seen with probability 0.999: 5.3 + 3.1 deviations of the mean.
fn mean_is(expected: f64, values: &[f64]) -> f64 {
    let (count, mean) = (values.len() as f64, stats::mean(values).expect("many values"));
    let sd = (stats::sample_variance(values).expect("many values") / count).sqrt();
    let p = 2.0 * normal_sf((mean - expected).abs() / sd);
    assert!(p > ALPHA, "mean {mean} +- {sd} where {expected} is expected, p = {p:e}");
    8.4 * sd / expected
}

/// Null: a counter has four keys or more with the probability of keys, not of draws, which is 21 % higher at m = 100, k = 3,
/// n = 20. Statistic: such counters of 3,000,000 (in one filter they exclude each other a little, which makes the
/// binomial test conservative); smallest effect 10 %.
#[test]
fn counters_count_keys_not_draws() {
    let params = Params { m: 100, k: 3 };
    let count = |seed| filled::<16>(params, seed, &digests(seed, 0..20)).histogram()[4..].iter().sum::<u64>();
    let seen: u64 = (0..30_000).map(count).sum();
    let p = |rate| binomial_test(seen, 3_000_000, rate, Alternative::TwoSided).unwrap();
    let (keys, draws) = (at_least(100, 3, 20, 4), draws_at_least(100, 3, 20, 4));
    assert!(p(keys) > ALPHA, "{seen}, p = {:e}", p(keys));
    assert!(p(draws) < ALPHA, "{seen}: draws fit too, p = {:e}", p(draws));
}

/// Members replaced one after the other: stuck counters and fill, tested as in `mean_is` with smallest effects below 10 % and
/// 3 %; no member is denied.
fn churn<const W: u32>(params: Params, keys: u64, replacements: u64, filters: u64) {
    let (mut stuck, mut fill) = (Vec::new(), Vec::new());
    for seed in 0..filters {
        let mut members = digests(seed, 0..keys);
        let mut filter = filled::<W>(params, seed, &members);
        for index in 0..replacements {
            let at = (digest(1000 + seed, index).0 % keys) as usize;
            filter.remove(members[at]);
            members[at] = digest(seed, keys + index);
            filter.insert(members[at]).expect("never full");
        }
        assert!(members.iter().all(|key| filter.contains(*key)));
        stuck.push(filter.stuck() as f64 / params.m as f64);
        fill.push(filter.fill());
    }
    let expected = after_replacements(W, params.m, params.k, keys, replacements).expect("narrow counters");
    let effects = (mean_is(expected.stuck, &stuck), mean_is(expected.fill, &fill));
    assert!(effects.0 < 0.1 && effects.1 < 0.03, "{effects:?}");
}

/// With two bits and ten times all members replaced, half of the counters are stuck.
#[test]
fn members_replaced() {
    churn::<2>(Params { m: 2000, k: 4 }, 350, 350, 400);
    churn::<2>(Params { m: 2000, k: 4 }, 350, 3500, 100);
    churn::<3>(Params { m: 1000, k: 3 }, 300, 9000, 1300);
}

/// At loads of a Bloom filter four bits are enough: the churned filter is that of its members, counter by counter.
#[test]
fn without_stuck_counters_churn_leaves_nothing() {
    let params = Params { m: 9600, k: 7 };
    let mut filter = filled::<4>(params, 1, &digests(0, 0..1000));
    for index in 0..20_000 {
        assert_eq!(filter.remove(digest(0, index)), Removal::Removed);
        filter.insert(digest(0, 1000 + index)).unwrap();
    }
    assert_eq!(filter.counters(), filled::<4>(params, 1, &digests(0, 20_000..21_000)).counters());
    let expected = after_replacements(4, params.m, params.k, 1000, 20_000).unwrap();
    assert!(expected.stuck < 1e-9 && (expected.fill - 0.5177).abs() < 1e-3, "{expected:?}");
}

/// The part of the members that is denied after false positives were removed. Test as in `mean_is`, smallest effect below
/// 10 %; the first-order formula is 25 % too high where half are denied.
#[test]
fn wrong_removals_deny_members() {
    for (m, k, keys, wrong, filters) in [(9600, 4, 1600, 40, 60), (4800, 2, 2400, 500, 60), (9600, 4, 1600, 400, 40)] {
        let denied = |seed| {
            let members = digests(seed, 0..keys);
            let mut filter = filled::<8>(Params { m, k }, seed, &members);
            let (mut done, mut index) = (0, 0);
            while done < wrong {
                let key = digest(1000 + seed, index);
                index += 1;
                assert!(index < 10_000_000, "{done} false positives in {index} keys");
                done += u64::from(filter.contains(key) && filter.remove(key) == Removal::Removed);
            }
            members.iter().filter(|key| !filter.contains(**key)).count() as f64 / keys as f64
        };
        let effect = mean_is(
            denied_after_wrong_removals(m, k, keys, wrong as f64),
            &(0..filters).map(denied).collect::<Vec<_>>(),
        );
        assert!(effect < 0.1, "{effect}");
    }
}

#[test]
fn wrong_removals_at_their_edges() {
    let denied = |wrong| denied_after_wrong_removals(9600, 7, 1000, wrong);
    assert_eq!((denied(0.0), denied(-1.0), denied(f64::NAN), denied(1000.0)), (0.0, 0.0, 0.0, 1.0));
    assert_eq!(denied_after_wrong_removals(9600, 7, 0, 5.0), 0.0);
    // First order: k^2 r e^-l / (m (1 - e^-l)).
    let (load, wrong) = (7000.0f64 / 9600.0, 1e-3);
    let first = 49.0 * wrong * (-load).exp() / (9600.0 * -(-load).exp_m1());
    assert!((denied(wrong) / first - 1.0).abs() < 1e-4, "{} and {first}", denied(wrong));
    let all: Vec<f64> = (0..=100).map(|step| denied(f64::from(step) * 10.0)).collect();
    assert!(all.windows(2).all(|pair| pair[0] <= pair[1] && pair[1] <= 1.0), "{all:?}");
}

#[test]
fn replacements_at_their_edges() {
    assert_eq!((after_replacements(0, 100, 3, 10, 5), after_replacements(7, 100, 3, 10, 5)), (None, None));
    assert_eq!(after_replacements(4, 100, 3, 0, 5), None);
    let start = after_replacements(2, 100, 3, 20, 0).unwrap();
    assert!((start.stuck - at_least(100, 3, 20, 3)).abs() < 1e-15);
    assert!((start.fill - at_least(100, 3, 20, 1)).abs() < 1e-12);
    let one = after_replacements(2, 1, 3, 2, 7).unwrap();
    assert_eq!((one.stuck, one.fill), (0.0, 1.0));
    let late = after_replacements(1, 100, 3, 20, 1 << 60).unwrap();
    assert!((late.stuck - 1.0).abs() < 1e-12 && late.fill <= 1.0, "{late:?}");
}
