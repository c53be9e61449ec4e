//! The form is read in another language: `scripts/read_standard.py` against a file that was saved here.
#![allow(clippy::unwrap_used, reason = "a test that fails is a test that panics")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use amq::Theory;
use hashing::{KeyHasher, Keyed};
use standard::StandardBloom;

/// Set where there is no Python, to leave these tests out knowingly.
const NO_PYTHON: &str = "BLOOMERY_NO_PYTHON";

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/read_standard.py")
}

fn left_out() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|ran| ran.status.success());
    if there {
        return false;
    }
    let said = std::env::var_os(NO_PYTHON).is_some();
    assert!(said, "python3 is not there; set {NO_PYTHON}=1 to leave out the test of the Python reader");
    eprintln!("LEFT OUT: the Python reader was not tested, python3 is not there");
    true
}

fn read(file: &Path, keys: &[u64]) -> Output {
    let mut command = Command::new("python3");
    command.arg(script()).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines: String = keys.iter().map(|key| format!("{key}\n")).collect();
    // A reader that refuses the file does not wait for keys.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    child.wait_with_output().unwrap()
}

fn saved(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// 1,000 members and 2,000 absent keys, among them the extreme ones: equal answers, false positives too.
#[test]
fn the_python_reader_gives_the_same_answers() {
    if left_out() {
        return;
    }
    for (index, (fpr, seed)) in [(0.05, 1), (0.2, u64::MAX), (0.01, 42)].into_iter().enumerate() {
        let params = <StandardBloom>::size_for_fpr(1000, fpr).unwrap();
        let mut filter = Keyed::new(amq::IncrementalFilter::empty(&params, !seed).unwrap(), KeyHasher::new(seed));
        let keys: Vec<u64> = (0..1000u64).map(|key| key * key * 977).chain([u64::MAX]).collect();
        keys.iter().for_each(|key| filter.insert(key).unwrap());
        let bytes = saved::save_keyed::<StandardBloom>(&filter).unwrap();
        let file = saved(&format!("python-{index}.amq"), &bytes);
        let asked: Vec<u64> = keys.iter().copied().chain((0..2000).map(|key| (1 << 63) + key)).collect();
        let output = read(&file, &asked);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answers: Vec<bool> = String::from_utf8(output.stdout).unwrap().lines().map(|line| line == "yes").collect();
        let expected: Vec<bool> = asked.iter().map(|key| filter.contains(key)).collect();
        assert_eq!(answers, expected);
        let wrong = expected[keys.len()..].iter().filter(|yes| **yes).count();
        assert!(wrong > 0 && expected[..keys.len()].iter().all(|yes| *yes), "{wrong} false positives");
    }
}

#[test]
fn the_python_reader_refuses_damage() {
    if left_out() {
        return;
    }
    let params = standard::Params { m: 100, k: 3 };
    let filter: StandardBloom = amq::IncrementalFilter::empty(&params, 1).unwrap();
    let bytes = saved::save_keyed(&Keyed::new(filter, KeyHasher::new(1))).unwrap();
    for (index, at) in [0, 8, 10, 12, 64, 81, bytes.len() - 1].into_iter().enumerate() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let output = read(&saved(&format!("python-damaged-{index}.amq"), &changed), &[1]);
        assert!(!output.status.success() && output.stdout.is_empty(), "byte {at}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("ValueError"), "byte {at}");
    }
    let output = read(&saved("python-cut.amq", &bytes[..bytes.len() - 5]), &[1]);
    assert!(!output.status.success());
}

#[test]
fn the_python_reader_is_short() {
    let lines = std::fs::read_to_string(script()).unwrap().lines().count();
    assert!(lines <= 60, "{lines} lines");
}
