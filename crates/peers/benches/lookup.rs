//! Times of the adapters, to be held against what is known of the crates: ns a key for building or filling, hits, misses and batches
//! of misses, least of interleaved rounds; `bare` rows call the crate in a loop without an adapter, so that the two tell what it costs. `cargo bench -p amq-peers --features peers -- [keys] [part of a name]`.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

use std::hint::black_box;
use std::time::Instant;

use amq::{Digest, IncrementalFilter, StaticFilter, Theory};
use conformance::keys::digests;
use peers::*;

/// Keys in all rounds together, of each adapter.
const KEYS: u64 = 10_000_000;

/// Nanoseconds a key of building, hits, misses and a batch of misses.
type Times = [f64; 4];

/// One adapter: a round of its four times.
struct Timed {
    name: &'static str,
    round: Box<dyn Fn(&Keys) -> Times>,
    least: Times,
}

struct Keys {
    members: Vec<Digest>,
    /// Members in another order.
    shuffled: Vec<Digest>,
    absent: Vec<Digest>,
}

/// Nanoseconds for each of `count` keys.
fn clock<T>(count: usize, of: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let made = black_box(of());
    (made, start.elapsed().as_secs_f64() * 1e9 / count as f64)
}

fn ask<F: Theory>((filter, build): (F, f64), keys: &Keys) -> Times {
    let (found, hit) = clock(keys.shuffled.len(), || filter.count_contained(&keys.shuffled));
    assert_eq!(found, keys.shuffled.len() as u64);
    let (positives, miss) = clock(keys.absent.len(), || filter.count_contained(&keys.absent));
    let mut out = vec![false; keys.absent.len()];
    let ((), batch) = clock(keys.absent.len(), || filter.contains_batch(&keys.absent, &mut out));
    assert_eq!(positives, out.iter().map(|yes| u64::from(*yes)).sum::<u64>());
    [build, hit, miss, batch]
}

fn grown<F: IncrementalFilter + Theory + 'static>(name: &'static str, fpr: f64) -> Timed {
    let round = move |keys: &Keys| {
        let params = F::size_for_fpr(keys.members.len() as u64, fpr).unwrap();
        let made = clock(keys.members.len(), || {
            let mut filter = F::empty(&params, 1).unwrap();
            filter.insert_batch(&keys.members).unwrap();
            filter
        });
        ask(made, keys)
    };
    Timed { name, round: Box::new(round), least: [f64::INFINITY; 4] }
}

fn built<F: StaticFilter + Theory + 'static>(name: &'static str, fpr: f64) -> Timed {
    let round = move |keys: &Keys| {
        let params = F::size_for_fpr(keys.members.len() as u64, fpr).unwrap();
        ask(clock(keys.members.len(), || F::build(&params, 1, &keys.members).unwrap()), keys)
    };
    Timed { name, round: Box::new(round), least: [f64::INFINITY; 4] }
}

/// The same four times of a crate that is called as it is; its batch is a loop.
fn bare<F: 'static>(
    name: &'static str,
    build: impl Fn(&[Digest]) -> F + 'static,
    has: impl Fn(&F, u64) -> bool + 'static,
) -> Timed {
    let round = move |keys: &Keys| {
        let (filter, built) = clock(keys.members.len(), || build(&keys.members));
        let count = |keys: &[Digest]| keys.iter().map(|key| u64::from(has(&filter, key.0))).sum::<u64>();
        let (found, hit) = clock(keys.shuffled.len(), || count(&keys.shuffled));
        assert_eq!(found, keys.shuffled.len() as u64);
        let (_, miss) = clock(keys.absent.len(), || count(&keys.absent));
        [built, hit, miss, f64::NAN]
    };
    Timed { name, round: Box::new(round), least: [f64::INFINITY; 4] }
}

fn bare_ones() -> Vec<Timed> {
    vec![
        bare(
            "bare fastbloom",
            |keys| {
                let mut filter = fastbloom::BloomFilter::with_false_pos(0.01).seed(&1).expected_items(keys.len());
                keys.iter().for_each(|key| _ = filter.insert(&key.0));
                filter
            },
            |filter, key| filter.contains(&key),
        ),
        bare(
            "bare fastbloom-foldhash",
            |keys| {
                let hasher = foldhash::fast::FixedState::with_seed(1);
                let builder = fastbloom::BloomFilter::with_false_pos(0.01).hasher(hasher);
                let mut filter = builder.expected_items(keys.len());
                keys.iter().for_each(|key| _ = filter.insert(&key.0));
                filter
            },
            |filter, key| filter.contains(&key),
        ),
        bare(
            "bare sbbf-rs-safe",
            |keys| {
                let mut filter = sbbf_rs_safe::Filter::new(11, keys.len());
                keys.iter().for_each(|key| _ = filter.insert_hash(key.0));
                filter
            },
            |filter, key| filter.contains_hash(key),
        ),
        bare(
            "bare cuckoofilter-ahash",
            |keys| {
                let mut filter = cuckoofilter::CuckooFilter::<ahash::AHasher>::with_capacity(keys.len());
                keys.iter().for_each(|key| filter.add(&key.0).unwrap());
                filter
            },
            |filter, key| filter.contains(&key),
        ),
        bare(
            "bare xorf-binary-fuse-8",
            |keys| {
                let words: Vec<u64> = keys.iter().map(|key| key.0).collect();
                xorf::BinaryFuse8::try_from(&words).unwrap()
            },
            |filter, key| xorf::Filter::contains(filter, &key),
        ),
        bare(
            "bare jdb-xorf-bf-8",
            |keys| {
                let words: Vec<u64> = keys.iter().map(|key| key.0).collect();
                jdb_xorf::Bf8::try_from_slice(&words).unwrap()
            },
            |filter, key| filter.has_key(key),
        ),
        bare(
            "bare qfilter",
            |keys| {
                let mut filter = qfilter::Filter::new(keys.len() as u64, 0.01).unwrap();
                keys.iter().for_each(|key| filter.insert_duplicated(key.0).unwrap());
                filter
            },
            |filter, key| filter.contains(key),
        ),
    ]
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let count = words.iter().find_map(|word| word.parse::<u64>().ok()).unwrap_or(1_000_000);
    let wanted = words.iter().find(|word| word.parse::<u64>().is_err());
    let members = digests(0, 0..count);
    // A step that is coprime to the number of keys visits each once, far from the one before.
    let step = (count as f64 * 0.618) as usize | 1;
    let step = (step..).find(|step| gcd(*step, members.len()) == 1).unwrap_or(1);
    let shuffled = (0..members.len()).map(|index| members[index * step % members.len()]).collect();
    let keys = Keys { members, shuffled, absent: digests(1, 0..count) };
    let mut all = vec![
        grown::<Peer<Fastbloom>>("fastbloom", 0.01),
        grown::<Peer<FastbloomFoldhash>>("fastbloom-foldhash", 0.01),
        grown::<Peer<FastbloomRs>>("fastbloom-rs", 0.01),
        grown::<Peer<Bloomfilter>>("bloomfilter", 0.01),
        grown::<Peer<GrowableBloomFilter>>("growable-bloom-filter", 0.01),
        grown::<Peer<FastbloomRsCounting>>("fastbloom-rs-counting", 0.01),
        grown::<Peer<SbbfRsSafe>>("sbbf-rs-safe", 0.0081),
        grown::<Peer<CuckoofilterAhash>>("cuckoofilter-ahash", 0.031),
        grown::<Peer<AutoscaleCuckooFilter>>("autoscale-cuckoo-filter", 0.01),
        grown::<Peer<Qfilter>>("qfilter", 0.01),
        built::<Peer<XorfXor8>>("xorf-xor-8", 0.004),
        built::<Peer<XorfBinaryFuse8>>("xorf-binary-fuse-8", 0.004),
        built::<Peer<XorfBinaryFuse16>>("xorf-binary-fuse-16", 0.004),
        built::<Peer<XorfilterRsFuse8>>("xorfilter-rs-fuse-8", 0.004),
        built::<Peer<JdbXorfBf8>>("jdb-xorf-bf-8", 0.004),
        built::<Peer<SuxVFilter>>("sux-vfilter", 0.004),
        built::<Peer<PleatRibbon7>>("pleat-ribbon-7", 0.01),
    ];
    all.extend(bare_ones());
    all.retain(|one| wanted.is_none_or(|part| one.name.contains(part.as_str())));
    for _ in 0..(KEYS / count.max(1)).clamp(3, 100) {
        for one in &mut all {
            let times = (one.round)(&keys);
            one.least.iter_mut().zip(times).for_each(|(least, time)| *least = least.min(time));
        }
    }
    println!("{:26}{:>9}{:>9}{:>9}{:>9}", format!("ns a key, {count} keys"), "build", "hit", "miss", "batch");
    for Timed { name, least: [build, hit, miss, batch], .. } in &all {
        let batch = if batch.is_finite() { format!("{batch:9.1}") } else { String::new() };
        println!("{name:26}{build:9.1}{hit:9.1}{miss:9.1}{batch}");
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
