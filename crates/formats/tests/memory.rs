//! What reading takes as memory, by a counting allocator. One test, as the counters are those of the whole program.
mod common;

use bits::heap::{Counting, peak};
use common::{hex, items, larger, published};
use formats::recognise;

#[global_allocator]
static HEAP: Counting = Counting;

/// No input makes the readers allocate more than its size, and what the summaries take.
#[test]
fn hand_31_no_allocation_beyond_what_the_input_backs() {
    const WORDS: u64 = 8192;
    let lies = ["fda08c", "feffffffff", "ffffffffffffffffff", "01057fffffff", "15c0ffffff0f1c1c00001c1c00001c1c000000"];
    let mut inputs: Vec<Vec<u8>> = lies.into_iter().map(hex).chain(published()).collect();
    inputs.extend(larger(&items(0..20_000)));
    for bytes in inputs {
        let (_, most) = peak(|| recognise(&bytes));
        let most = most.expect("the counting allocator is in use");
        assert!(most <= bytes.len() as u64 + WORDS, "{} bytes in, {most} allocated", bytes.len());
    }
}
