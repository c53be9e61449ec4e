//! The laws of forgetting: on a sound filter that forgets, and seen red on broken ones.

use std::marker::PhantomData;

use amq::{Claim, Decaying, Digest, Filter, Full, IncrementalFilter, InvalidParams, Prediction, Space};
use conformance::{Case, Checklist, Violation, laws};

const SLOTS: u64 = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sound,
    OffBy15Percent,
    AtMostTooLow,
    ForgetsAtOnce,
    GrowsYounger,
    AboveOne,
    ForgetsNothing,
}

trait Fault: Send + Sync {
    const KIND: Kind;
}

/// Each insert overwrites one of 50 slots, drawn at random: a key is denied after `g` others with probability
/// `1 - (1 - 1/50)^g`.
struct Slots<X> {
    slots: Vec<Option<Digest>>,
    seed: u64,
    inserted: u64,
    fault: PhantomData<X>,
}

impl<X: Fault> Filter for Slots<X> {
    type Params = ();
    fn params(&self) -> &() {
        &()
    }
    fn contains(&self, key: Digest) -> bool {
        self.slots.contains(&Some(key))
    }
    fn space(&self) -> Space {
        Space { payload_bits: 64 * SLOTS, overhead_bits: 0 }
    }
}

impl<X: Fault> IncrementalFilter for Slots<X> {
    fn empty((): &(), seed: u64) -> Result<Self, InvalidParams> {
        Ok(Self { slots: vec![None; SLOTS as usize], seed, inserted: 0, fault: PhantomData })
    }
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let draw = conformance::keys::digest(self.seed & 0xff_ffff, self.inserted + (1 << 39)).0;
        if X::KIND == Kind::ForgetsNothing {
            self.slots.push(Some(key));
        } else {
            self.slots[((u128::from(draw) * u128::from(SLOTS)) >> 64) as usize] = Some(key);
        }
        self.inserted += 1;
        Ok(())
    }
    fn inserted(&self) -> u64 {
        self.inserted
    }
    fn clear(&mut self) {
        self.slots = vec![None; SLOTS as usize];
        self.inserted = 0;
    }
}

impl<X: Fault> Decaying for Slots<X> {
    fn predicted_fnr((): &(), gap: u64) -> Prediction {
        let right = -(gap as f64 * (-1.0 / SLOTS as f64).ln_1p()).exp_m1();
        let (rate, claim) = match X::KIND {
            Kind::OffBy15Percent => ((right * 1.15).min(1.0), Claim::Approximate { rel: 0.01 }),
            Kind::AtMostTooLow => (right * 0.85, Claim::AtMost),
            Kind::ForgetsAtOnce => (right.max(0.01), Claim::Exact),
            Kind::GrowsYounger => (if gap > 100 { right * 0.5 } else { right }, Claim::Exact),
            Kind::AboveOne => (right * 1.5, Claim::AtMost),
            Kind::Sound | Kind::ForgetsNothing => (right, Claim::Exact),
        };
        Prediction { rate, claim, source: "toy" }
    }
}

macro_rules! faults {
    ($($fault:ident),+ $(,)?) => {
        $(
            struct $fault;
            impl Fault for $fault {
                const KIND: Kind = Kind::$fault;
            }
        )+
    };
}

faults!(Sound, OffBy15Percent, AtMostTooLow, ForgetsAtOnce, GrowsYounger, AboveOne, ForgetsNothing);

fn case<X: Fault>() -> Case<Slots<X>> {
    Case::incremental((), 40).decaying()
}

#[test]
fn a_sound_filter_keeps_the_laws() {
    let list = Checklist::new().decaying();
    assert_eq!(list.laws().len(), 2);
    for finding in list.run(&case::<Sound>()) {
        assert_eq!(finding.result, Ok(()), "{}", finding.law);
    }
}

#[test]
fn wrong_rates_are_seen() {
    for result in [
        laws::decay::denials_follow_theory(&case::<OffBy15Percent>()),
        laws::decay::denials_follow_theory(&case::<AtMostTooLow>()),
        laws::decay::denials_follow_theory(&case::<ForgetsNothing>()),
    ] {
        assert!(matches!(&result, Err(Violation::Forgetting { p_value, .. }) if *p_value < 1e-7), "{result:?}");
    }
}

#[test]
fn wrong_shapes_are_seen() {
    let result = laws::decay::age_is_forgetting(&case::<ForgetsAtOnce>());
    assert!(matches!(result, Err(Violation::OutOfRange { what: "predicted_fnr", keys: 0, .. })), "{result:?}");
    let result = laws::decay::age_is_forgetting(&case::<AboveOne>());
    assert!(matches!(result, Err(Violation::OutOfRange { what: "predicted_fnr", .. })), "{result:?}");
    let result = laws::decay::age_is_forgetting(&case::<GrowsYounger>());
    assert!(matches!(result, Err(Violation::NotMonotone { keys: 100, .. })), "{result:?}");
}
