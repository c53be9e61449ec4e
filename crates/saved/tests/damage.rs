//! HAND-31 for every variant: cut, changed and lying files, and honest ones, with the reader held to its time and memory.
#![allow(clippy::unwrap_used, reason = "a test that fails is a test that panics")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use amq::{BuildError, DecodeError, Digest, IncrementalFilter, StaticFilter, Theory};
use blocked::{BlockedBloom, SplitBlock};
use compressed::CompressedBloom;
use conformance::keys::digests;
use conformance::laws::saved::sealed;
use counting::CountingBloom;
use cuckoo::{CuckooFilter, SemiSortedCuckoo, Xor};
use deletable::DeletableBloom;
use partitioned::PartitionedBloom;
use saved::{HEAD_BYTES, Save, Variant};
use stable::{Independent, StableBloom};
use standard::StandardBloom;
use xor::{FuseFilter, XorFilter};

/// Counts, to hold readers to their allocations.
#[global_allocator]
static HEAP: bits::heap::Counting = bits::heap::Counting;

/// The counters are those of the whole program: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A visitor of all types with a saved form, each with parameters and the number of keys they are for.
trait Visit {
    fn visit<F: Save>(&mut self, params: F::Params, keys: u64, build: conformance::Build<F>);
}

fn incremental<F: Save + IncrementalFilter + Theory>(visit: &mut impl Visit, keys: u64, fpr: f64) {
    if let Ok(params) = F::size_for_fpr(keys, fpr) {
        visit.visit::<F>(params, keys, conformance::one_by_one::<F>);
    }
}

fn built<F: Save + StaticFilter + Theory>(visit: &mut impl Visit, keys: u64) {
    // The width is in the type: 2^-8 and below are reached by all.
    let params = F::size_for_fpr(keys, 0.01).unwrap();
    visit.visit::<F>(params, keys, F::build as fn(&F::Params, u64, &[Digest]) -> Result<F, BuildError>);
}

fn each(visit: &mut impl Visit, keys: u64, fpr: f64) {
    incremental::<StandardBloom>(visit, keys, fpr);
    incremental::<PartitionedBloom>(visit, keys, fpr);
    incremental::<CountingBloom<1>>(visit, keys, fpr);
    incremental::<CountingBloom<2>>(visit, keys, fpr);
    incremental::<CountingBloom<4>>(visit, keys, fpr);
    incremental::<CountingBloom<5>>(visit, keys, fpr);
    incremental::<CountingBloom<16>>(visit, keys, fpr);
    incremental::<DeletableBloom>(visit, keys, fpr);
    incremental::<StableBloom>(visit, keys, fpr);
    incremental::<StableBloom<Independent>>(visit, keys, fpr);
    incremental::<CompressedBloom>(visit, keys, fpr);
    incremental::<BlockedBloom<64>>(visit, keys, fpr);
    incremental::<BlockedBloom<512>>(visit, keys, fpr);
    incremental::<SplitBlock<32>>(visit, keys, fpr);
    incremental::<SplitBlock<64>>(visit, keys, fpr);
    incremental::<CuckooFilter<2>>(visit, keys, fpr);
    incremental::<CuckooFilter>(visit, keys, fpr);
    incremental::<CuckooFilter<8>>(visit, keys, fpr);
    incremental::<CuckooFilter<4, Xor>>(visit, keys, fpr);
    incremental::<SemiSortedCuckoo>(visit, keys, fpr);
    built::<XorFilter<8>>(visit, keys);
    built::<XorFilter<13>>(visit, keys);
    built::<XorFilter<32>>(visit, keys);
    built::<FuseFilter<3, 8>>(visit, keys);
    built::<FuseFilter<3, 16>>(visit, keys);
    built::<FuseFilter<4, 8>>(visit, keys);
    built::<FuseFilter<4, 11>>(visit, keys);
}

/// Loads, in at most 100 ms and with at most ten times the bytes of the input allocated, and 4 KiB for messages and the tables
/// of a coder: at the best of five tries, as the machine may be busy and the test's own threads allocate too.
fn survive<F: Save>(bytes: &[u8]) -> Result<F, DecodeError> {
    let (quickest, least) = (Duration::from_millis(100), 10 * bytes.len() as u64 + 4096);
    let mut seen = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        let (loaded, peak) = bits::heap::peak(|| saved::load::<F>(bytes));
        let time = start.elapsed();
        if time < quickest && peak.is_some_and(|peak| peak <= least) {
            return loaded;
        }
        seen.push((time, peak));
    }
    panic!("{} bytes take {seen:?}", bytes.len());
}

struct Damage {
    types: u32,
    files: u64,
}

impl Visit for Damage {
    fn visit<F: Save>(&mut self, params: F::Params, keys: u64, build: conformance::Build<F>) {
        let filter = build(&params, 7, &digests(0, 0..keys)).unwrap();
        let bytes = saved::save(&filter).unwrap();
        assert!(survive::<F>(&bytes).is_ok());
        for end in 0..bytes.len() {
            assert!(survive::<F>(&bytes[..end]).is_err(), "a prefix of {end} bytes");
        }
        let mut changed = bytes.clone();
        for at in 0..bytes.len() {
            for flip in (0..8).map(|bit| 1 << bit).chain([0xff]) {
                changed[at] ^= flip;
                assert!(survive::<F>(&changed).is_err(), "byte {at}, flipped {flip:x}");
                if at < bytes.len() - 4 {
                    // With a right checksum: refused, or the filter of these very bytes.
                    let forged = sealed(changed.clone());
                    if let Ok(filter) = survive::<F>(&forged) {
                        assert_eq!(saved::save(&filter).unwrap(), forged, "byte {at}, flipped {flip:x}");
                    }
                }
                changed[at] ^= flip;
                self.files += 2;
            }
        }
        self.types += 1;
    }
}

#[test]
fn hand_31_every_prefix_and_every_changed_byte() {
    let _alone = alone();
    let mut damage = Damage { types: 0, files: 0 };
    each(&mut damage, 40, 0.05);
    assert!(damage.types >= 25 && damage.files > 50_000, "{} types, {} files", damage.types, damage.files);
}

struct Lies;

impl Visit for Lies {
    /// A header that claims 2^31 - 1 words, and more, in files of 7 to 64 bytes and of a whole header.
    fn visit<F: Save>(&mut self, params: F::Params, _: u64, build: conformance::Build<F>) {
        let honest = saved::save(&build(&params, 7, &[]).unwrap()).unwrap();
        let words = F::VARIANT.params.len() + F::VARIANT.state.len();
        let head = HEAD_BYTES + 8 * words;
        for claim in [0x7fff_ffffu64, 8 * 0x7fff_ffff, 64 * 0x7fff_ffff, 1 << 48, 1 << 60, u64::MAX] {
            for at in std::iter::once(48).chain((HEAD_BYTES..head).step_by(8)) {
                let mut lie = honest.clone();
                lie[at..at + 8].copy_from_slice(&claim.to_le_bytes());
                for len in (7..=64).chain([head + 4, lie.len()]) {
                    let file = sealed(lie[..len.min(lie.len())].to_vec());
                    if let Ok(filter) = survive::<F>(&file) {
                        assert_eq!(saved::save(&filter).unwrap(), file, "{claim} at {at}");
                    }
                }
            }
        }
        for len in 0..=64 {
            for fill in [0, 0xff, 0x5a] {
                assert!(survive::<F>(&vec![fill; len]).is_err());
            }
        }
    }
}

#[test]
fn hand_31_lying_headers() {
    let _alone = alone();
    each(&mut Lies, 10, 0.05);
}

struct Honest(u32);

impl Visit for Honest {
    fn visit<F: Save>(&mut self, params: F::Params, keys: u64, build: conformance::Build<F>) {
        let members = digests(0, 0..keys);
        let filter = build(&params, 7, &members).unwrap();
        let bytes = saved::save(&filter).unwrap();
        let loaded: F = saved::load(&bytes).unwrap();
        assert_eq!(loaded.count_contained(&members), filter.count_contained(&members));
        self.0 += 1;
    }
}

/// A million keys at 1e-5, or at what the width gives.
#[test]
fn hand_31_the_honest_ones_load() {
    let _alone = alone();
    let mut honest = Honest(0);
    each(&mut honest, 1_000_000, 1e-5);
    assert!(honest.0 >= 20, "{} types", honest.0);
}

struct Page {
    rows: Vec<Vec<String>>,
    seen: BTreeMap<u16, &'static str>,
}

impl Visit for Page {
    fn visit<F: Save>(&mut self, _: F::Params, _: u64, _: conformance::Build<F>) {
        let Variant { id, name, params, state } = F::VARIANT;
        assert_eq!(*self.seen.entry(id).or_insert(name), name, "two variants of one id");
        let row = [id.to_string(), name.to_owned(), params.join(", "), state.join(", ")];
        assert!(
            self.rows.iter().any(|known| known[..] == row),
            "{row:?} is not in docs/SAVED-FORM.md: {:?}",
            self.rows
        );
    }
}

/// The page for readers in other languages has every variant with its parameters and state, and no other one.
#[test]
fn the_page_lists_every_variant() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/SAVED-FORM.md");
    let text = std::fs::read_to_string(path).unwrap();
    let table = text.split("## Variants").nth(1).unwrap().split("## ").next().unwrap();
    // Remarks in parentheses are for people.
    let plain = |cell: &str| {
        let parts: Vec<&str> = cell.split('(').collect();
        let kept = parts[1..].iter().map(|part| part.split_once(')').map_or("", |(_, after)| after));
        std::iter::once(parts[0]).chain(kept).map(str::trim_end).collect::<String>().trim().to_owned()
    };
    let rows = table.lines().filter(|line| line.starts_with("| ") && line.as_bytes()[2].is_ascii_digit());
    let rows = rows.map(|line| line.split('|').skip(1).take(4).map(plain).collect()).collect();
    let mut page = Page { rows, seen: BTreeMap::new() };
    each(&mut page, 40, 0.05);
    assert_eq!(page.seen.len(), page.rows.len());
}
