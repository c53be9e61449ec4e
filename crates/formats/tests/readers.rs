//! Independent readers accept what is written here, and what independent writers write is read here.
//!
//! Two are crates of the feature `readers`; two are programs in other languages, which `docs/FORMATS.md` says how to get.
mod common;

use std::process::Command;

use bitcoin::bip158::{GcsFilterReader, GcsFilterWriter};
use common::{BLOCKS, GUAVA, hex, items};
use formats::bip158::{Key, M, P};
use formats::{Bip37Bloom, GolombSet, GuavaBloom, ParquetBloom, Strategy, Wire};
use parquet::bloom_filter::Sbbf;

fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a program printed, by the first word of each line.
fn answers(program: &mut Command) -> Vec<(String, String)> {
    let output = program.output().unwrap_or_else(|error| panic!("{program:?}: {error}"));
    assert!(output.status.success(), "{program:?}: {}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).expect("text");
    printed.lines().filter_map(|line| line.split_once(' ')).map(|(name, rest)| (name.into(), rest.into())).collect()
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("set {name}: docs/FORMATS.md says to what"))
}

/// The crate `parquet` (arrow-rs).
#[test]
fn parquet_of_the_crate_parquet() {
    for (count, bytes) in [(1, 32), (300, 1024), (5000, 1 << 13), (1000, 32 * 37)] {
        let (members, absent) = (items(0..count), items(count..count + 20_000));
        let mut ours = ParquetBloom::new(bytes).unwrap();
        let mut theirs = Sbbf::new_with_num_of_bytes(bytes as usize);
        for item in &members {
            ours.insert(item);
            theirs.insert(item.as_slice());
        }
        let read = Sbbf::from_bytes(&ours.encode()).unwrap();
        assert!(members.iter().all(|item| read.check(item.as_slice())));
        for item in &absent {
            assert_eq!(read.check(item.as_slice()), ours.contains(item));
        }
        // Their constructor rounds up to powers of two, where sizes agree so do all bytes.
        let mut written = Vec::new();
        theirs.write(&mut written).unwrap();
        let back = ParquetBloom::decode(&written).unwrap();
        assert!(members.iter().all(|item| back.contains(item)));
        assert_eq!(written == ours.encode(), bytes.is_power_of_two(), "{bytes}");
    }
}

/// A column of 64-bit integers hashes their little-endian bytes.
#[test]
fn parquet_numbers_of_the_crate_parquet() {
    let mut theirs = Sbbf::new_with_num_of_bytes(1024);
    let mut ours = ParquetBloom::new(1024).unwrap();
    for number in -50..50i64 {
        theirs.insert(&number);
        ours.insert(&number.to_le_bytes());
    }
    let mut written = Vec::new();
    theirs.write(&mut written).unwrap();
    assert_eq!(written, ours.encode());
}

fn halves(key: &Key) -> (u64, u64) {
    let (low, high) = (u128::from_le_bytes(*key) as u64, (u128::from_le_bytes(*key) >> 64) as u64);
    (low, high)
}

/// The crate `bitcoin` (rust-bitcoin).
#[test]
fn bip158_of_the_crate_bitcoin() {
    for (count, key) in [(0, [7; 16]), (1, [0; 16]), (13, BLOCKS[5].key()), (20_000, [9; 16])] {
        let members = items(0..count);
        let ours = GolombSet::build(&key, &members).unwrap().encode();
        let (k0, k1) = halves(&key);
        let mut written = Vec::new();
        let mut writer = GcsFilterWriter::new(&mut written, k0, k1, M, P as u8);
        members.iter().for_each(|item| writer.add_element(item));
        writer.finish().unwrap();
        assert_eq!(written, ours, "{count}");
        let reader = GcsFilterReader::new(k0, k1, M, P as u8);
        let all = |bytes: &[u8], items: &[Vec<u8>]| {
            reader.match_all(&mut &bytes[..], items.iter().map(Vec::as_slice)).unwrap()
        };
        assert!(all(&ours, &members));
        assert!(!all(&ours, &items(0..count + 1)));
        let read = GolombSet::decode(&written).unwrap();
        assert!(read.contains_any(&key, &members) == (count > 0) && read.count() == count);
    }
}

/// python-bitcoinlib.
#[test]
#[ignore = "needs a Python with python-bitcoinlib, named by BLOOMERY_PYTHON: docs/FORMATS.md"]
fn bip37_of_python_bitcoinlib() {
    let (python, program) =
        (variable("BLOOMERY_PYTHON"), concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/bip37.py"));
    for (count, tweak, flags) in [(1, 0, 0), (100, 5, 1), (3000, u32::MAX, 2)] {
        let mut ours = Bip37Bloom::for_items(count, 0.01, tweak, flags).unwrap();
        items(0..count).iter().for_each(|item| ours.insert(item));
        let asked = count + 1000;
        let written = text(&ours.encode());
        let answers = answers(Command::new(&python).args([program, &written, &asked.to_string()]));
        let found = items(0..asked).iter().filter(|item| ours.contains(item)).count();
        assert!(found as u64 >= count);
        ours.insert(b"one more");
        let more = text(&ours.encode());
        let expected = [("found", found.to_string()), ("again", written), ("more", more)];
        assert_eq!(answers, expected.map(|(name, value)| (name.to_owned(), value)));
    }
}

/// Guava itself; what it makes are the vectors of the other tests.
#[test]
#[ignore = "needs Java 17 and Guava, whose jar BLOOMERY_GUAVA names: docs/FORMATS.md"]
fn guava_of_guava() {
    let (jar, program) =
        (variable("BLOOMERY_GUAVA"), concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/Guava.java"));
    let java = |args: &[&str]| answers(Command::new("java").args(["-cp", &jar, program]).args(args));
    let made = java(&["make"]);
    assert_eq!(made, GUAVA.map(|(name, bytes)| (name.to_owned(), bytes.to_owned())));
    let mut ours = [
        GuavaBloom::for_items(2000, 0.01).unwrap(),
        GuavaBloom::for_items(1, 1e-9).unwrap(),
        GuavaBloom::new(Strategy::Mitz32, 20_000, 9).unwrap(),
        GuavaBloom::new(Strategy::Mitz64, 64, 255).unwrap(),
    ];
    for (filter, count) in ours.iter_mut().zip([2000, 1, 1500, 1]) {
        items(0..count).iter().for_each(|item| filter.insert(item));
        let written = text(&filter.encode());
        let asked = count + 5000;
        let found = items(0..asked).iter().filter(|item| filter.contains(item)).count();
        assert!(found as u64 >= count);
        let expected = [("found".to_owned(), found.to_string()), ("again".to_owned(), written.clone())];
        assert_eq!(java(&["read", &written, &asked.to_string()]), expected);
    }
    assert!(GUAVA.iter().all(|(_, bytes)| GuavaBloom::decode(&hex(bytes)).is_ok()));
}
