//! Holds a peer against the laws, and its findings against what is known of it.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use amq::Filter;
use conformance::{Case, Checklist, Violation};

/// Time for a law that may not end.
const LIMIT: Duration = Duration::from_secs(10);
/// Names the one law that a child process looks at.
const LAW: &str = "PEERS_LAW";

/// The laws broken at any of the cases, each with how.
pub fn broken<F: Filter>(
    list: &Checklist<F>,
    cases: &[Case<F>],
    wanted: impl Fn(&str) -> bool,
) -> BTreeMap<String, String> {
    let mut broken = BTreeMap::new();
    for law in list.laws().iter().filter(|law| wanted(law.name)) {
        let how = cases.iter().find_map(|case| match catch_unwind(AssertUnwindSafe(|| (law.check)(case))) {
            // What a case is too small to show is no break.
            Ok(Ok(()) | Err(Violation::Untested { .. })) => None,
            Ok(Err(violation)) => Some(format!("{case:?}: {violation}")),
            Err(_) => Some(format!("{case:?}: panicked")),
        });
        broken.extend(how.map(|how| (law.name.to_owned(), how)));
    }
    broken
}

/// Holds the laws that are broken against those known to be.
///
/// What chance decides, in crates that draw at random while they build, is in `chance` and may be broken or not.
///
/// Laws in `outside` can hang, or end the process: each is looked at in a process of its own, and broken too if that does not end
/// well in time.
pub fn hold<F: Filter>(
    name: &str,
    list: &Checklist<F>,
    cases: &[Case<F>],
    known: &[&str],
    chance: &[&str],
    outside: &[&str],
) {
    if let Ok(law) = std::env::var(LAW) {
        let broken = broken(list, cases, |name| name == law);
        assert!(broken.is_empty(), "{broken:#?}");
        return;
    }
    let mut found = broken(list, cases, |law| !outside.contains(&law));
    for law in outside {
        found.extend(in_a_process(name, law).map(|how| ((*law).to_owned(), how)));
    }
    let new: BTreeMap<_, _> =
        found.iter().filter(|(law, _)| !known.iter().chain(chance).any(|one| one == law)).collect();
    assert!(new.is_empty(), "{name} breaks laws that are not in its list: {new:#?}");
    let mended: Vec<_> = known.iter().filter(|law| !found.contains_key(**law)).collect();
    assert!(mended.is_empty(), "{name} no longer breaks {mended:?}: take them out of its list");
}

/// How `law` is broken, in this very test run again by itself.
fn in_a_process(name: &str, law: &str) -> Option<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env(LAW, law)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if let Some(status) = child.try_wait().unwrap() {
            return (!status.success()).then(|| format!("in a process of its own: {status}"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    Some(format!("did not end in {} s", LIMIT.as_secs()))
}

/// A test for each peer: `name: type, cases, [capabilities]; breaks [laws]`, or not by `chance [laws]`; those `outside [laws]` are
/// looked at in a process of their own. The first capability tells how filters are made.
macro_rules! judged {
    ($($name:ident: $peer:ty, $cases:expr, [$first:ident $(, $more:ident)*];
        breaks [$($broken:literal),* $(,)?] $(chance [$($chance:literal),* $(,)?])? $(outside [$($outside:literal),* $(,)?])?;)+) => {
        $(
            #[test]
            fn $name() {
                let case = |(params, keys)| conformance::Case::<Peer<$peer>>::$first(params, keys)$(.$more())*;
                let cases: Vec<_> = $cases.into_iter().map(case).collect();
                let list = conformance::Checklist::new().$first()$(.$more())*;
                judge::hold(stringify!($name), &list, &cases, &[$($broken),*], &[$($($chance),*)?], &[$($($outside),*)?]);
            }
        )+
    };
}
pub(crate) use judged;
