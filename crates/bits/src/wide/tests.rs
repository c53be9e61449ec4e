//! Both kinds of vectors against plain words, on words with every pattern that a carry may break on and many others.

use super::*;

/// Eight words that change with `step`: edges for the first steps, then mixed ones.
fn words(step: u64) -> [u64; LANES] {
    let edge = [0, 1, u64::MAX >> 32, 1 << 32, u64::MAX << 32, 1 << 63, u64::MAX - 1, u64::MAX];
    std::array::from_fn(|lane| match step {
        0..8 => edge[(lane + step as usize) % 8],
        _ => (step * 8 + lane as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(step | 1) >> (step % 40),
    })
}

fn lane_by_lane(left: [u64; LANES], right: [u64; LANES], with: impl Fn(u64, u64) -> u64) -> [u64; LANES] {
    std::array::from_fn(|lane| with(left[lane], right[lane]))
}

fn mask(left: [u64; LANES], right: [u64; LANES], holds: impl Fn(u64, u64) -> bool) -> u8 {
    (0..LANES).map(|lane| u8::from(holds(left[lane], right[lane])) << lane).sum()
}

fn computes<V: Wide>(wide: V) {
    for (left, right) in (0..200).flat_map(|step| (0..8).map(move |other| (words(step), words(other * 25)))) {
        let (a, b) = (wide.of(left), wide.of(right));
        let check = |what: &str, vector: V::Vector, with: &dyn Fn(u64, u64) -> u64| {
            assert_eq!(vector.array(), lane_by_lane(left, right, with), "{what} of {left:x?} and {right:x?}");
        };
        check("sum", a + b, &u64::wrapping_add);
        check("difference", a - b, &u64::wrapping_sub);
        check("and", a & b, &|a, b| a & b);
        check("or", a | b, &|a, b| a | b);
        check("xor", a ^ b, &|a, b| a ^ b);
        check("least", a.least(b), &u64::min);
        check("halves", a.halves(b), &|a, b| (a & 0xffff_ffff) * (b & 0xffff_ffff));
        check("low", a.low(b), &u64::wrapping_mul);
        check("up by", a.up_by(b), &|a, b| a << (b % 64));
        check("down by", a.down_by(b), &|a, b| a >> (b % 64));
        let wide_product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        check("high", a.high(b), &|a, b| (wide_product(a, b) >> 64) as u64);
        check("product", a.product(b).0, &|a, b| wide_product(a, b) as u64);
        check("scaled", a.scaled(b.low_half()), &|a, b| (wide_product(a, b & 0xffff_ffff) >> 64) as u64);
        check("low half", a.low_half(), &|a, _| a & 0xffff_ffff);
        check("picked", a.picked(b), &|_, b| left[b as usize % LANES]);
        for bits in 1..64 {
            check("down", a.down(bits), &|a, _| a >> bits);
            check("up", a.up(bits), &|a, _| a << bits);
            check("turned", a.turned(bits), &|a, _| a.rotate_left(bits));
        }
        assert_eq!(a.common(b), mask(left, right, |a, b| a & b != 0));
        assert_eq!(a.same(b), mask(left, right, |a, b| a == b));
        assert_eq!(a.same(a), u8::MAX);
        assert_eq!(a.below(b), mask(left, right, |a, b| a < b));
        assert_eq!(wide.all(left[3]).array(), [left[3]; LANES]);
    }
}

fn reads<V: Wide>(wide: V) {
    let memory: Vec<u64> = (0..100u64).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
    for step in 0..300u64 {
        let index: [u64; LANES] = std::array::from_fn(|lane| (step * step + 13 * lane as u64) % 100);
        let lanes = step as u8;
        let expected =
            std::array::from_fn(|lane| if lanes >> lane & 1 == 1 { memory[index[lane] as usize] } else { 0 });
        assert_eq!(wide.words(&memory, wide.of(index), lanes).array(), expected);
        let at = index.map(|index| (8 * index + step) % 797);
        let four = |at: u64| u64::from(u32::from_le_bytes(std::array::from_fn(|byte| bytes[at as usize + byte])));
        assert_eq!(wide.bytes(&bytes, wide.of(at)).array(), at.map(four));
    }
}

/// A read beyond the memory panics, whichever lane it is in; what lanes hold that are not asked for does not matter.
fn stays_within<V: Wide + std::panic::UnwindSafe>(wide: V) {
    let refused = |work: &mut dyn FnMut()| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).expect_err("a read beyond the memory");
    };
    for lane in 0..LANES {
        let at = |place: u64| {
            let mut index = [0; LANES];
            index[lane] = place;
            wide.of(index)
        };
        for place in [5, 6, u64::MAX, 1 << 61, 1 << 63] {
            refused(&mut || _ = wide.words(&[7; 5], at(place), 1 << lane));
            assert_eq!(wide.words(&[7; 5], at(place), 0).array(), [0; LANES]);
        }
        for place in [2, 3, u64::MAX, u64::MAX - 3] {
            refused(&mut || _ = wide.bytes(&[7; 5], at(place)));
        }
        assert_eq!(wide.words(&[7; 5], at(4), u8::MAX).array(), [7; LANES]);
        assert_eq!(wide.bytes(&[0; 5], at(1)).array(), [0; LANES]);
    }
    refused(&mut || _ = wide.bytes(&[7; 3], wide.all(0)));
    refused(&mut || _ = wide.words(&[], wide.all(0), 1));
    assert_eq!(wide.words(&[], wide.all(0), 0).array(), [0; LANES]);
}

#[test]
fn arrays() {
    computes(Words);
    reads(Words);
    stays_within(Words);
}

/// On a machine without them there is nothing to be tested, and this says so.
#[test]
#[cfg(target_arch = "x86_64")]
fn registers() {
    let Some(vectors) = Vectors::detect() else {
        eprintln!("NOT TESTED: this machine has no AVX-512");
        return;
    };
    computes(vectors);
    reads(vectors);
    stays_within(vectors);
}
