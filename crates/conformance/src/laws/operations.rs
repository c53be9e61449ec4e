//! Random sequences of operations against the exact oracle, shrunk to a short one where they fail.

use std::cell::RefCell;

use ahash::{HashMap, HashMapExt};
use amq::{BuildError, Digest, IncrementalFilter, Removal, StaticFilter};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::Union as OneOf;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::no_panic;
use crate::case::Case;
use crate::keys::digest;
use crate::operation::Operation;
use crate::violation::Violation;

/// Sequences tried, always the same ones.
const CASES: u32 = 256;
/// The longest sequence.
const LONGEST: usize = 60;
/// Keys that operations choose from.
const UNIVERSE: u8 = 48;
const STREAM: u64 = 1 << 22;

fn key(name: u8) -> Digest {
    digest(STREAM, name.into())
}

fn keys(names: &[u8]) -> Vec<Digest> {
    names.iter().map(|name| key(*name)).collect()
}

fn runner() -> TestRunner {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Runs `law` on random inputs; the smallest failing one found and its violation, if any.
fn shrunk<S: Strategy<Value: Clone>>(
    strategy: S,
    law: impl Fn(&S::Value) -> Result<(), Violation>,
) -> Option<(S::Value, Violation)> {
    // The runner knows failures as text only: each failing input is kept aside with its violation, and the
    // last one is the smallest.
    let failure = RefCell::new(None);
    let run = runner().run(&strategy, |input| {
        no_panic("a sequence of operations", || law(&input)).and_then(|result| result).map_err(|violation| {
            let reason = violation.to_string();
            *failure.borrow_mut() = Some((input.clone(), violation));
            TestCaseError::fail(reason)
        })
    });
    if run.is_ok() { None } else { failure.into_inner() }
}

/// What was accepted, with its number of copies, and the log of inserts since the filter was last empty.
struct Oracle {
    copies: HashMap<Digest, u64>,
    log: Option<Vec<Digest>>,
}

impl Oracle {
    fn new() -> Self {
        Self { copies: HashMap::new(), log: Some(Vec::new()) }
    }

    fn insert(&mut self, key: Digest) {
        *self.copies.entry(key).or_default() += 1;
        if let Some(log) = &mut self.log {
            log.push(key);
        }
    }

    fn copies(&self, key: Digest) -> u64 {
        self.copies.get(&key).copied().unwrap_or(0)
    }
}

/// Random sequences of inserts, batches, clears, and of unions, removals, saving and loading where the filter has them: members
/// are always found (if that is promised), an empty filter finds nothing, batches answer as single questions,
/// accepted inserts are counted, and in the end the filter answers as a new one with the same inserts.
///
/// # Errors
/// [`Violation::Operations`] with the shortest failing sequence found.
pub fn random_operations<F: IncrementalFilter>(case: &Case<F>) -> Result<(), Violation> {
    let some = || vec(0..UNIVERSE, 0..12);
    let mut operations = vec![
        (6, (0..UNIVERSE).prop_map(Operation::Insert).boxed()),
        (2, some().prop_map(Operation::InsertBatch).boxed()),
        (2, some().prop_map(Operation::ContainsBatch).boxed()),
        (1, Just(Operation::Clear).boxed()),
    ];
    if case.union.is_some() {
        operations.push((1, some().prop_map(Operation::Union).boxed()));
    }
    if case.reload.is_some() {
        operations.push((1, Just(Operation::Reload).boxed()));
    }
    if case.remove.is_some() {
        operations.push((4, (0..UNIVERSE).prop_map(Operation::Remove).boxed()));
    }
    let sequence = vec(OneOf::new_weighted(operations), 0..LONGEST);
    match shrunk(sequence, |operations| replay(case, operations)) {
        Some((operations, cause)) => Err(Violation::Operations { operations, cause: Box::new(cause) }),
        None => Ok(()),
    }
}

fn replay<F: IncrementalFilter>(case: &Case<F>, operations: &[Operation]) -> Result<(), Violation> {
    let seed = operations.len() as u64;
    let mut filter = case.filter(seed, &[])?;
    let mut oracle = Oracle::new();
    for operation in operations {
        apply(case, seed, &mut filter, &mut oracle, operation)?;
        for key in (0..UNIVERSE).map(key) {
            let yes = filter.contains(key);
            if !yes && case.no_false_negatives && oracle.copies(key) > 0 {
                return Err(Violation::FalseNegative { key, keys: oracle.copies.len() as u64, seed });
            }
            if yes && oracle.log.as_ref().is_some_and(Vec::is_empty) {
                return Err(Violation::EmptySaysYes { key });
            }
        }
    }
    let Some(log) = oracle.log else { return Ok(()) };
    let fresh = case.filter(seed, &log)?;
    for key in (0..=u8::MAX).map(key) {
        let (fresh, cleared) = (fresh.contains(key), filter.contains(key));
        if fresh != cleared {
            return Err(Violation::ClearDiffers { key, fresh, cleared });
        }
    }
    Ok(())
}

fn apply<F: IncrementalFilter>(
    case: &Case<F>,
    seed: u64,
    filter: &mut F,
    oracle: &mut Oracle,
    operation: &Operation,
) -> Result<(), Violation> {
    let before = filter.inserted();
    let counted = |filter: &F, expected: u64| match filter.inserted() {
        counted if counted == expected => Ok(()),
        counted => Err(Violation::InsertedCount { expected, counted }),
    };
    match operation {
        Operation::Insert(name) => {
            let accepted = filter.insert(key(*name)).is_ok();
            if accepted {
                oracle.insert(key(*name));
            }
            counted(filter, before + u64::from(accepted))
        }
        Operation::InsertBatch(names) => {
            let result = filter.insert_batch(&keys(names));
            let accepted = filter.inserted().saturating_sub(before);
            keys(names).into_iter().take(accepted as usize).for_each(|key| oracle.insert(key));
            if result.is_ok() { counted(filter, before + names.len() as u64) } else { Ok(()) }
        }
        Operation::ContainsBatch(names) => {
            let mut out = vec![false; names.len()];
            filter.contains_batch(&keys(names), &mut out);
            for (index, (name, batch)) in names.iter().zip(out).enumerate() {
                let single = filter.contains(key(*name));
                if single != batch {
                    return Err(Violation::ContainsBatchDiffers { index, len: names.len(), single, batch });
                }
            }
            Ok(())
        }
        Operation::Clear => {
            filter.clear();
            *oracle = Oracle::new();
            counted(filter, 0)
        }
        Operation::Union(names) => {
            let (Some(union), Ok(other)) = (case.union, (case.build)(&case.params, seed, &keys(names))) else {
                return Ok(());
            };
            union(filter, &other).map_err(|error| Violation::IncompatibleUnnamed {
                property: error.property,
                left: error.left.to_string(),
                right: error.right.to_string(),
            })?;
            keys(names).into_iter().for_each(|key| oracle.insert(key));
            Ok(())
        }
        Operation::Remove(name) => remove(case, filter, oracle, key(*name)),
        Operation::Reload => {
            if let Some(reload) = case.reload {
                *filter = reload(filter)?;
            }
            counted(filter, before)
        }
    }
}

fn remove<F: IncrementalFilter>(
    case: &Case<F>,
    filter: &mut F,
    oracle: &mut Oracle,
    key: Digest,
) -> Result<(), Violation> {
    let Some(remove) = case.remove else { return Ok(()) };
    if oracle.copies(key) == 0 {
        // A false positive must not be removed; it may harm others.
        return match if filter.contains(key) { Removal::Absent } else { remove(filter, key) } {
            Removal::Absent => Ok(()),
            removal => Err(Violation::AbsentRemoved { key, removal }),
        };
    }
    match remove(filter, key) {
        Removal::Removed => {
            *oracle.copies.entry(key).or_default() -= 1;
            oracle.log = None; // a filter with removals need not answer as one without them
            Ok(())
        }
        Removal::Refused => Ok(()),
        Removal::Absent => Err(Violation::MemberAbsent { key }),
    }
}

/// Random small sets, with copies, build; their members are found, whatever their number and order.
///
/// # Errors
/// [`Violation::Operations`] with the smallest failing set as one batch.
pub fn random_builds<F: StaticFilter>(case: &Case<F>) -> Result<(), Violation> {
    let failed = shrunk(vec(0..UNIVERSE, 0..LONGEST), |names| {
        let members = keys(names);
        let seed = names.len() as u64;
        let build = |keys: &[Digest]| -> Result<F, BuildError> { F::build(&case.params, seed, keys) };
        let filter = build(&members).map_err(Violation::Refused)?;
        match members.iter().find(|key| !filter.contains(**key)) {
            Some(key) => Err(Violation::FalseNegative { key: *key, keys: members.len() as u64, seed }),
            None => Ok(()),
        }
    });
    match failed {
        Some((names, cause)) => {
            Err(Violation::Operations { operations: vec![Operation::InsertBatch(names)], cause: Box::new(cause) })
        }
        None => Ok(()),
    }
}
