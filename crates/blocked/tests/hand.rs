//! Known failures of filters in the wild (docs/RELIABILITY.md), as far as blocks can have them.
use amq::{Filter, IncrementalFilter, InvalidParams, OverPlan, Theory, Union};
use blocked::{BlockedBloom, Params, SplitBlock, SplitParams};
use conformance::keys::digests;

fn filled<F: IncrementalFilter>(params: &F::Params, seed: u64, keys: u64) -> F {
    let mut filter = F::empty(params, seed).expect("parameters in range");
    filter.insert_batch(&digests(0, 0..keys)).expect("never full");
    filter
}

/// HAND-14: nothing planned, nothing stored, and parameters out of range by their value.
#[test]
fn hand_14_nothing_and_too_much() {
    let params = BlockedBloom::<512>::size_for_fpr(0, 0.01).expect("planned as one key");
    assert!(!filled::<BlockedBloom<512>>(&params, 1, 0).contains(digests(0, 0..1)[0]));
    for (blocks, k, text) in [
        (0, 3, "blocks = 0 is out of range: 1 to 2^48 bits in all"),
        (1 << 40, 3, "blocks * B = 562949953421312 is out of range: 1 to 2^48 bits"),
        (u64::MAX, 3, "blocks * B = 18446744073709551615 is out of range: 1 to 2^48 bits"),
        (1, 0, "k = 0 is out of range: 1 to 64 probes"),
        (1, 65, "k = 65 is out of range: 1 to 64 probes"),
    ] {
        let error = BlockedBloom::<512>::empty(&Params { blocks, k }, 1).expect_err("out of range");
        assert_eq!(error.to_string(), text);
    }
    let refused = SplitBlock::<64>::empty(&SplitParams { blocks: 1 << 39 }, 1).map(|_| ());
    assert!(matches!(refused, Err(InvalidParams::TooLarge { .. })), "{refused:?}");
}

/// HAND-28: a full filter says yes to everything, and its rates say so.
#[test]
fn hand_28_a_full_filter() {
    let params = Params { blocks: 4, k: 5 };
    let filter: BlockedBloom<64> = filled(&params, 1, 10_000);
    assert_eq!((filter.fill(), filter.rate_by_fill()), (1.0, 1.0));
    assert_eq!(BlockedBloom::<64>::predicted_fpr(&params, 1 << 50).rate, 1.0);
    let filter: SplitBlock<32> = filled(&SplitParams { blocks: 2 }, 1, 10_000);
    assert_eq!((filter.fill(), filter.rate_by_fill()), (1.0, 1.0));
}

/// HAND-32: unions of what differs are refused with both values.
#[test]
fn hand_32_unions_of_what_differs() {
    let base = Params { blocks: 20, k: 3 };
    for (params, seed, text) in [
        (Params { blocks: 21, k: 3 }, 1, "the filters differ in blocks: 20 and 21"),
        (Params { blocks: 20, k: 4 }, 1, "the filters differ in k: 3 and 4"),
        (base, 2, "the filters differ in seed: 1 and 2"),
    ] {
        let mut filter: BlockedBloom<64> = filled(&base, 1, 20);
        let before = filter.lines().clone();
        assert_eq!(filter.union(&filled(&params, seed, 50)).expect_err("they differ").to_string(), text);
        assert_eq!(filter.lines(), &before);
    }
}

/// HAND-44: cleared is new.
#[test]
fn hand_44_cleared_is_new() {
    let params = SplitParams { blocks: 9 };
    let mut filter: SplitBlock<32> = filled(&params, 3, 100);
    filter.clear();
    assert_eq!(filter.lines(), filled::<SplitBlock<32>>(&params, 3, 0).lines());
    assert_eq!(filter.planned_for(0).over_plan(), None);
    let over = filled::<SplitBlock<32>>(&params, 3, 3).planned_for(2).over_plan();
    assert_eq!(over, Some(OverPlan { planned: 2, inserted: 3 }));
}
