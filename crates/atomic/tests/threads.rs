//! Real threads: no key is lost, and the bits are those of one thread.
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use amq::{Digest, Filter, IncrementalFilter, InvalidParams, Monotone, SharedInsert, Theory};
use atomic::{Atomic, AtomicBlocked, Striped};
use blocked::{BlockedBloom, SplitBlock};
use conformance::keys::digests;
use standard::StandardBloom;

const THREADS: u64 = 8;

/// `THREADS` threads insert `each` keys of their own into a filter at the same time; then all are asked for. The bits must be
/// those of one thread that inserts the same keys.
fn in_parallel<F: Monotone + Theory>(each: u64, stream: u64) {
    let keys: Vec<Vec<Digest>> =
        (0..THREADS).map(|thread| digests(stream, thread * each..(thread + 1) * each)).collect();
    let params = F::size_for_fpr(THREADS * each, 0.01).expect("in range");
    let filter = Atomic::<F>::new(&params, stream).expect("memory");
    let start = Barrier::new(THREADS as usize);
    let new: u64 = thread::scope(|scope| {
        let insert = |keys: &'_ [Digest]| {
            start.wait();
            let (first, rest) = keys.split_at(keys.len() / 2);
            let new: u64 = first.iter().map(|key| u64::from(filter.insert_shared(*key))).sum();
            new + filter.insert_shared_batch(rest)
        };
        let threads: Vec<_> = keys.iter().map(|keys| scope.spawn(move || insert(keys))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    let found: u64 = keys.iter().map(|keys| filter.count_contained(keys)).sum();
    assert_eq!(found, THREADS * each, "keys are missing");
    assert_eq!(filter.inserted(), THREADS * each);
    let mut sequential = F::empty(&params, stream).expect("memory");
    keys.iter().for_each(|keys| sequential.insert_batch(keys).expect("never full"));
    let frozen = filter.freeze().expect("memory");
    assert!(frozen.words().eq(sequential.words()), "other bits than on one thread");
    assert_eq!((frozen.inserted(), frozen.seed(), frozen.params()), (THREADS * each, stream, &params));
    // A key that is not new had all its bits set by others: a false positive, at a mean rate below the last one.
    assert!(new > THREADS * each * 98 / 100 && new <= THREADS * each, "{new} new");
}

#[test]
fn hand_33_parallel_inserts_into_a_standard_filter() {
    (0..5).for_each(|run| in_parallel::<StandardBloom>(10_000, run));
}

#[test]
fn hand_33_parallel_inserts_into_blocked_filters() {
    (0..3).for_each(|run| in_parallel::<BlockedBloom<512>>(10_000, run));
    (0..3).for_each(|run| in_parallel::<BlockedBloom<64>>(10_000, run));
    (0..3).for_each(|run| in_parallel::<SplitBlock<32>>(10_000, run));
    (0..3).for_each(|run| in_parallel::<SplitBlock<64>>(10_000, run));
}

/// 100 runs of 8 threads with a million keys each.
fn a_hundred_times<F: Monotone + Theory>() {
    let start = std::time::Instant::now();
    (0..100).for_each(|run| in_parallel::<F>(1_000_000, run));
    println!("100 runs of {THREADS} threads with 1,000,000 keys each: {:.0} s", start.elapsed().as_secs_f64());
}

#[test]
#[ignore = "100 runs of 8 threads x 10^6 keys, some minutes: docs/THREADS.md"]
fn hand_33_eight_million_keys_a_hundred_times_standard() {
    a_hundred_times::<StandardBloom>();
}

#[test]
#[ignore = "100 runs of 8 threads x 10^6 keys, some minutes: docs/THREADS.md"]
fn hand_33_eight_million_keys_a_hundred_times_blocked() {
    a_hundred_times::<BlockedBloom<512>>();
}

/// All threads insert the same keys, into words of 64 bits each: the bits of a key are set in one step, so each key is new to
/// one thread exactly, or its bits were others'. The number of new keys is then that of one thread, whatever the order.
#[test]
fn of_equal_inserts_into_one_word_one_is_new() {
    let keys = digests(3, 0..20_000);
    // So sparse that hardly any key finds its bits set by others: 2 expected among 20,000.
    let params = blocked::Params { blocks: 1 << 17, k: 6 };
    let filter = AtomicBlocked::<64>::new(&params, 1).unwrap();
    let news: Vec<AtomicU64> = keys.iter().map(|_| AtomicU64::new(0)).collect();
    let start = Barrier::new(THREADS as usize);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                start.wait();
                for (key, new) in keys.iter().zip(&news) {
                    new.fetch_add(filter.insert_shared(*key).into(), Ordering::Relaxed);
                }
            });
        }
    });
    let news: Vec<u64> = news.into_iter().map(AtomicU64::into_inner).collect();
    assert!(news.iter().all(|new| *new <= 1), "a key was new twice");
    assert!(news.iter().sum::<u64>() >= 19_990, "{}", news.iter().sum::<u64>());
    assert_eq!(filter.inserted(), THREADS * 20_000);
}

fn striped<F: Monotone + Theory>(keys: u64) {
    let keys = digests(6, 0..keys);
    let params = F::size_for_fpr(keys.len() as u64, 0.01).expect("in range, and never full");
    let filter = Striped::<F>::new(&params, 3).expect("in range, and never full");
    thread::scope(|scope| {
        for part in keys.chunks(keys.len().div_ceil(THREADS as usize)) {
            let filter = &filter;
            scope.spawn(move || part.iter().for_each(|key| filter.insert_shared(*key)));
        }
    });
    let mut sequential = F::empty(&params, 3).expect("in range, and never full");
    sequential.insert_batch(&keys).expect("in range, and never full");
    for key in digests(6, 0..keys.len() as u64 + 5000) {
        assert_eq!(filter.contains(key), sequential.contains(key));
    }
    let frozen = filter.freeze(7).expect("in range, and never full");
    assert!(frozen.words().eq(sequential.words()) && frozen.inserted() == 7 && frozen.seed() == 3);
}

/// The form with locks, which the atomic one is compared with, is the same filter too: with one stretch of words and with many.
#[test]
fn hand_33_parallel_inserts_under_striped_locks() {
    for keys in [3, 500, 40_000] {
        striped::<StandardBloom>(keys);
        striped::<BlockedBloom<512>>(keys);
        striped::<BlockedBloom<64>>(keys);
        striped::<SplitBlock<32>>(keys);
    }
    let refused = Striped::<StandardBloom>::new(&standard::Params { m: 1 << 48, k: 7 }, 1);
    assert!(matches!(refused, Err(InvalidParams::TooLarge { .. })));
}

/// A reader beside a writer: what was found once stays found, and a key that the writer told of is found.
#[test]
fn readers_beside_a_writer() {
    let keys = digests(4, 0..200_000);
    let params = <StandardBloom>::size_for_fpr(200_000, 0.01).unwrap();
    let filter = <atomic::AtomicStandard>::new(&params, 1).unwrap();
    let (told, done) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            for (index, key) in (1..).zip(&keys) {
                filter.insert_shared(*key);
                told.store(index, Ordering::Release);
            }
            done.store(true, Ordering::Release);
        });
        scope.spawn(|| {
            let mut rounds = 0;
            while !done.load(Ordering::Acquire) || rounds == 0 {
                let until = told.load(Ordering::Acquire) as usize;
                let sample = keys[..until].iter().rev().take(1000);
                assert!(sample.into_iter().all(|key| filter.contains(*key)), "an insert that was told of is missing");
                rounds += 1;
            }
        });
    });
    assert_eq!(filter.count_contained(&keys), 200_000);
}

fn through<F: Monotone + Theory>() {
    let params = F::size_for_fpr(1000, 0.02).expect("in range, and never full");
    let mut sequential = F::empty(&params, 9).expect("in range, and never full");
    sequential.insert_batch(&digests(5, 0..500)).expect("in range, and never full");
    let shared = Atomic::thaw(&sequential).expect("in range, and never full");
    assert!(shared.space().payload_bits == sequential.space().payload_bits && shared.inserted() == 500);
    let asked = digests(5, 0..20_000);
    assert!(asked.iter().all(|key| shared.contains(*key) == sequential.contains(*key)));
    assert_eq!(shared.ones(), sequential.words().map(|word| u64::from(word.count_ones())).sum::<u64>());
    for key in digests(5, 500..1000) {
        // On one thread, new is what was not found.
        assert_eq!(shared.insert_shared(key), !sequential.contains(key));
        assert!(!shared.insert_shared(key));
        sequential.insert(key).expect("in range, and never full");
    }
    let frozen = shared.freeze().expect("in range, and never full");
    assert!(frozen.words().eq(sequential.words()) && frozen.inserted() == 1500 && frozen.seed() == 9);
    assert!(asked.iter().all(|key| frozen.contains(*key) == sequential.contains(*key)));
}

#[test]
fn sequential_and_shared_forms_are_the_same_filter() {
    through::<StandardBloom>();
    through::<BlockedBloom<512>>();
    through::<BlockedBloom<64>>();
    through::<SplitBlock<32>>();
    through::<SplitBlock<64>>();
}

#[test]
fn hand_13_hand_14_parameters_out_of_range_are_refused_by_value() {
    let refused = |m, k| <atomic::AtomicStandard>::new(&standard::Params { m, k }, 1).unwrap_err().to_string();
    assert_eq!(refused(0, 3), "m = 0 is out of range: 1 to 2^48 bits");
    assert_eq!(refused(100, 0), "k = 0 is out of range: 1 to 64 probes");
    assert_eq!(refused(100, 65), "k = 65 is out of range: 1 to 64 probes");
    let blocks = AtomicBlocked::<512>::new(&blocked::Params { blocks: 0, k: 3 }, 1).unwrap_err();
    assert_eq!(blocks.to_string(), "blocks = 0 is out of range: 1 to 2^48 bits in all");
    // In range, but more memory than there is: an error value, and the process lives.
    let huge = <atomic::AtomicStandard>::new(&standard::Params { m: 1 << 48, k: 7 }, 1);
    assert!(matches!(huge, Err(InvalidParams::TooLarge { bits: 0x1_0000_0000_0000 })));
}
