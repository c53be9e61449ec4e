//! The kernel under the model checker: every interleaving of two threads, and every value that relaxed loads may see.
//!
//! `cargo test -p amq-atomic --features loom --test loom`
use atomic::{Cell, ORDERING, Words};
use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;
use loom::thread;

/// The checker's word, used as the crate uses the real one.
struct Checked(AtomicU64);

impl Cell for Checked {
    fn new(bits: u64) -> Self {
        Checked(AtomicU64::new(bits))
    }

    fn load(&self) -> u64 {
        self.0.load(ORDERING)
    }

    fn fetch_or(&self, bits: u64) -> u64 {
        self.0.fetch_or(bits, ORDERING)
    }
}

/// A word that is set in two steps, as a careless one would be: the checker must find what it loses.
struct Careless(AtomicU64);

impl Cell for Careless {
    fn new(bits: u64) -> Self {
        Careless(AtomicU64::new(bits))
    }

    fn load(&self) -> u64 {
        self.0.load(ORDERING)
    }

    fn fetch_or(&self, bits: u64) -> u64 {
        let before = self.0.load(ORDERING);
        self.0.store(before | bits, ORDERING);
        before
    }
}

/// A key: words and the bits in them.
type Key = &'static [(u64, u64)];

fn insert<C: Cell>(words: &Words<C>, key: Key) -> bool {
    key.iter().fold(false, |new, (word, bits)| new | words.set(*word, *bits))
}

fn found<C: Cell>(words: &Words<C>, key: Key) -> bool {
    key.iter().all(|(word, bits)| words.covers(*word, *bits))
}

fn empty<C: Cell + 'static>() -> Arc<Words<C>> {
    Arc::new(Words::new(2, std::iter::empty()).expect("two words"))
}

/// Each key on a thread of its own, the last one on this; what they said, and whether all are found once they are done.
fn together<C: Cell + 'static>(keys: &[Key]) -> (Vec<bool>, Arc<Words<C>>) {
    let words = empty::<C>();
    let (mine, others) = keys.split_last().expect("keys");
    let threads: Vec<_> = others
        .iter()
        .map(|key| {
            let (words, key) = (words.clone(), *key);
            thread::spawn(move || insert(&words, key))
        })
        .collect();
    let mine = insert(&words, mine);
    let mut said: Vec<bool> = threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
    said.push(mine);
    assert!(keys.iter().all(|key| found(&words, key)), "a bit was lost");
    (said, words)
}

/// Three threads have too many interleavings for a test; those with up to three changes of thread that none asked for are
/// checked.
fn three(check: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(check);
}

/// Two keys that share two words and a bit.
#[test]
fn no_bit_is_lost() {
    loom::model(|| {
        let keys: [Key; 2] = [&[(0, 0b0011), (1, 1)], &[(0, 0b0110), (1, 2)]];
        let (said, words) = together::<Checked>(&keys);
        assert_eq!(words.iter().take(2).collect::<Vec<_>>(), [0b0111, 0b11]);
        // Each has a bit of its own, so both are new in every interleaving.
        assert_eq!(said, [true, true]);
    });
}

#[test]
fn no_bit_of_three_is_lost() {
    three(|| {
        let keys: [Key; 3] = [&[(0, 0b011)], &[(0, 0b110)], &[(0, 0b010)]];
        let (said, words) = together::<Checked>(&keys);
        assert_eq!(words.iter().next(), Some(0b111));
        assert_eq!(said[..2], [true, true]);
    });
}

/// Who inserted a key finds it, new or not.
#[test]
fn an_insert_is_found_by_its_own_thread() {
    loom::model(|| {
        let key: Key = &[(0, 1), (1, 1)];
        let words = empty::<Checked>();
        let other = words.clone();
        let thread = thread::spawn(move || insert(&other, key));
        insert(&words, key);
        assert!(found(&words, key));
        thread.join().expect("no panic");
    });
}

#[test]
#[should_panic(expected = "a bit was lost")]
fn a_careless_word_is_found_out() {
    loom::model(|| {
        together::<Careless>(&[&[(0, 1)], &[(0, 2)]]);
    });
}

/// Of inserts of one key at the same time one or both are new: bits in two words.
#[test]
fn a_key_in_two_words_is_new_to_one_at_least() {
    loom::model(|| {
        let key: Key = &[(0, 1), (1, 1)];
        let (said, _) = together::<Checked>(&[key, key]);
        assert!(said.contains(&true));
    });
}

/// Bits in one word: exactly one is new, also of three.
#[test]
fn a_key_in_one_word_is_new_to_one() {
    const KEY: Key = &[(0, 0b101)];
    let new = |keys: &[Key]| together::<Checked>(keys).0.into_iter().filter(|new| *new).count();
    loom::model(move || assert_eq!(new(&[KEY, KEY]), 1));
    three(move || assert_eq!(new(&[KEY, KEY, KEY]), 1));
}

/// Both can be new where there are two words, so the promise is no more than it says.
#[test]
#[should_panic(expected = "both were new")]
fn two_words_can_be_new_to_both() {
    loom::model(|| {
        let words = empty::<Checked>();
        let other = words.clone();
        // One sets the first word, then the other is faster at the second.
        let key: Key = &[(0, 1), (1, 1)];
        let thread = thread::spawn(move || insert(&other, key));
        let mine = insert(&words, key);
        assert!(!(mine && thread.join().expect("no panic")), "both were new");
    });
}

/// A key that a reader saw stays seen, and a reader that was told of an insert sees it.
#[test]
fn readers_see_no_bit_vanish() {
    loom::model(|| {
        let key: Key = &[(0, 1), (1, 1)];
        let words = empty::<Checked>();
        let writer = {
            let words = words.clone();
            thread::spawn(move || insert(&words, key))
        };
        let first = found(&words, key);
        let second = found(&words, key);
        assert!(second || !first, "a bit vanished");
        assert!(writer.join().expect("no panic"));
        assert!(found(&words, key));
    });
}
