//! Types of one rate may refuse what is out of their reach, and nothing else: the laws of sizing, green on a sound type
//! and red on broken ones.
use std::collections::HashSet;

use amq::{
    BuildError, Claim, Class, Digest, Filter, Given, InvalidParams, NamedValue, ParamInfo, Prediction, Space,
    StaticFilter, Theory,
};
use conformance::{Case, Violation, laws};

const SOUND: u8 = 0;
const REFUSES_EASY_RATES: u8 = 1;
const REFUSES_BY_ANOTHER_ERROR: u8 = 2;
const HAS_MANY_RATES: u8 = 3;
const REFUSES_LARGE_BUDGETS: u8 = 4;

/// The rate of the type.
const RATE: f64 = 1.0 / 256.0;
/// What it takes, but for rounding.
const BITS_PER_KEY: u64 = 10;

/// Its parameters are its rate, in units of 10^-6: a type that is broken by `HAS_MANY_RATES` has one for each target.
struct One<const FAULT: u8> {
    params: u64,
    keys: HashSet<u64>,
}

impl<const FAULT: u8> Filter for One<FAULT> {
    type Params = u64;
    fn params(&self) -> &u64 {
        &self.params
    }
    fn contains(&self, key: Digest) -> bool {
        self.keys.contains(&key.0)
    }
    fn space(&self) -> Space {
        Space { payload_bits: BITS_PER_KEY * self.keys.len() as u64, overhead_bits: 0 }
    }
}

impl<const FAULT: u8> StaticFilter for One<FAULT> {
    fn build(params: &u64, _seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        Ok(Self { params: *params, keys: keys.iter().map(|key| key.0).collect() })
    }
}

fn refused<T>(what: &'static str, target: f64, fault: u8) -> Result<T, InvalidParams> {
    Err(match fault {
        REFUSES_BY_ANOTHER_ERROR => InvalidParams::OutOfRange { name: what, value: target.into(), allowed: "more" },
        _ => InvalidParams::Unreachable { what, target: target.into(), why: "the type has one rate" },
    })
}

impl<const FAULT: u8> Theory for One<FAULT> {
    const PARAMS: &'static [ParamInfo] = &[];
    const CLASS: Class = Class::Static;
    fn size_for(_keys: u64, bits_per_key: f64) -> Result<u64, InvalidParams> {
        let least = if FAULT == REFUSES_LARGE_BUDGETS { 13 } else { BITS_PER_KEY };
        if bits_per_key < least as f64 { refused("bits_per_key", bits_per_key, FAULT) } else { Ok(0) }
    }
    fn size_for_fpr(_keys: u64, fpr: f64) -> Result<u64, InvalidParams> {
        let least = if FAULT == REFUSES_EASY_RATES { 0.04 } else { RATE };
        match fpr < least {
            true => refused("fpr", fpr, FAULT),
            false => Ok(if FAULT == HAS_MANY_RATES { (fpr * 1e6) as u64 } else { 0 }),
        }
    }
    fn params_from(_given: &Given, _keys: u64) -> Result<u64, InvalidParams> {
        Ok(0)
    }
    fn predicted_fpr(params: &u64, _keys: u64) -> Prediction {
        let rate = if *params > 0 { *params as f64 / 1e6 } else { RATE };
        Prediction { rate, claim: Claim::Exact, source: "toy" }
    }
    fn rate_spread(_params: &u64, _keys: u64) -> f64 {
        0.0
    }
    fn rate_given_contents(&self) -> Option<f64> {
        None
    }
    fn named_values(_params: &u64, _keys: u64) -> Vec<NamedValue> {
        Vec::new()
    }
}

/// The laws of targets and of budgets.
fn held<const FAULT: u8>() -> [Result<(), Violation>; 2] {
    let case = Case::<One<FAULT>>::static_build(0, 100);
    [laws::theory::a_target_is_reached(&case), laws::theory::a_budget_is_a_ceiling(&case)]
}

fn is_refusal(result: &Result<(), Violation>, named: &str, refused: f64) -> bool {
    matches!(result, Err(Violation::SizingRefused { what, value, .. }) if *what == named && *value == refused)
}

#[test]
fn what_is_out_of_reach_may_be_refused() {
    assert_eq!(held::<SOUND>(), [Ok(()), Ok(())]);
}

#[test]
fn what_is_within_reach_may_not() {
    let [targets, _] = held::<REFUSES_EASY_RATES>();
    assert!(is_refusal(&targets, "fpr", 0.03), "{targets:?}");
    let [targets, budgets] = held::<REFUSES_LARGE_BUDGETS>();
    assert_eq!(targets, Ok(()));
    assert!(is_refusal(&budgets, "bits_per_key", 12.0), "{budgets:?}");
}

#[test]
fn only_types_of_one_rate_may_and_only_by_the_error_for_it() {
    for [targets, budgets] in [held::<REFUSES_BY_ANOTHER_ERROR>(), held::<HAS_MANY_RATES>()] {
        assert!(is_refusal(&targets, "fpr", 0.001), "{targets:?}");
        assert!(is_refusal(&budgets, "bits_per_key", 8.0), "{budgets:?}");
    }
}
