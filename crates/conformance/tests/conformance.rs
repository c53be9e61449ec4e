//! The suite on a sound toy: every law of every capability holds.

#[allow(dead_code, reason = "each test uses a part")]
mod toys;

mod one_by_one {
    use super::toys::{Params, Sound, Toy};
    conformance::suite! {
        filter: Toy<Sound>,
        cases: [Params::new(10, 100) => 50, Params::new(14, 100_000) => 1000, Params::new(6, 40) => 20],
        capabilities: [incremental, no_false_negatives, union, deletable, wire, saved, theory],
    }
}

mod from_all_keys {
    use super::toys::{Params, Sound, Toy};
    conformance::suite! {
        filter: Toy<Sound>,
        cases: [Params::new(10, 5100) => 50, Params::new(14, 100_000) => 1000],
        capabilities: [static_build, no_false_negatives, saved, theory],
    }
}

/// The laws at run time are the tests of the suite.
#[test]
fn the_checklist_holds_the_same_laws() {
    use toys::{Params, Sound, Toy};
    let case = conformance::Case::<Toy<Sound>>::incremental(Params::new(10, 100), 50).union().deletable();
    let list = conformance::Checklist::new().incremental().no_false_negatives().union().deletable().union_deletable();
    let list = list.wire().saved().theory();
    assert_eq!(list.laws().len(), 13 + 1 + 2 + 6 + 1 + 2 + 4 + 12);
    for finding in list.run(&case).filter(|finding| finding.capability != "theory") {
        assert_eq!(finding.result, Ok(()), "{}", finding.law);
    }
}
