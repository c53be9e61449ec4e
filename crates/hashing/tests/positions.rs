//! Ranges, closed forms, seeds and golden values of every scheme with every reduction.
mod common;

use amq::Digest;
use bits::probe::Walk;
use bits::wide::{self, Lanes, Wide};
use common::{assert_binomial, digests, pairs, positions};
use hashing::derive::{Modulo, Reduction, walks};
use hashing::{Derivation, DerivationVisitor, SeedWords, with_derivation};

/// Ranges at the edges of words, of 32 bits and of 64 bits.
const RANGES: [u64; 12] = [1, 2, 3, 63, 64, 65, 1000, (1 << 32) - 5, 1 << 32, 1 << 40, (1 << 63) + 1, u64::MAX];

const EDGES: [Digest; 6] =
    [Digest(0), Digest(1), Digest(u64::MAX), Digest(1 << 63), Digest(u32::MAX as u64), Digest(u64::MAX << 32)];

#[test]
fn all_positions_are_in_range() {
    let mut keys = digests(0, 200);
    keys.extend(EDGES);
    for pair in pairs() {
        for range in RANGES {
            for (digest, positions) in keys.iter().zip(positions(pair, &keys, 7, range, 40)) {
                assert!(positions.iter().all(|position| *position < range), "{pair:?} {range} {digest:?}");
            }
        }
    }
}

/// Eight positions at a time are those one by one, by vectors `V`.
struct InEights<V>(V);

impl<V: Wide> DerivationVisitor for InEights<V> {
    type Out = ();

    fn visit<D: Derivation>(self) {
        let mut keys = digests(0, 50);
        keys.extend(EDGES);
        for range in RANGES {
            let walks = walks::<D>(&keys, &SeedWords::new(7), range);
            for (index, key) in keys.iter().enumerate() {
                let mut walk = walks(index);
                let mut eights = [(); 3].map(|()| walk.eight(self.0).array()).concat();
                // One by one from there on.
                eights.push(walk.step());
                let expected: Vec<u64> = D::positions(*key, &SeedWords::new(7), range).take(25).collect();
                assert_eq!(eights, expected, "{} {}, range {range}, {key:?}", D::SCHEME, D::REDUCTION);
            }
        }
    }
}

#[test]
fn positions_in_eights_are_those_one_by_one() {
    for (scheme, reduction) in pairs() {
        with_derivation(scheme, reduction, InEights(wide::Words)).unwrap();
        #[cfg(target_arch = "x86_64")]
        match wide::Vectors::detect() {
            Some(vectors) => with_derivation(scheme, reduction, InEights(vectors)).unwrap(),
            None => eprintln!("NOT TESTED: this machine has no AVX-512"),
        }
    }
}

#[test]
fn modulo_adds_without_overflow() {
    for range in RANGES {
        for left in [0, 1, range / 2, range.saturating_sub(2), range - 1].map(|x| x % range) {
            for right in [0, 1, range / 3, range / 2 + 1, range - 1].map(|x| x % range) {
                let wide = (u128::from(left) + u128::from(right)) % u128::from(range);
                assert_eq!(u128::from(Modulo::add(left, right, range)), wide, "{left} + {right} mod {range}");
            }
        }
    }
}

/// `i`-th element of the progression with `a, b, c`, modulo `modulus`, as the papers write it.
fn closed_form(scheme: &str, [a, b, c]: [u128; 3], i: u128, modulus: u128) -> u128 {
    let steps = match scheme {
        "double" | "double-odd" | "double-halves" => 0,
        "extended" => i * i,
        "enhanced" => (i * i * i - i) / 6,
        "triple" => c * (i * i.saturating_sub(1) / 2),
        other => panic!("{other} has no closed form"),
    };
    (a + i * b + steps) % modulus
}

/// The `a, b, c` that give the first three elements.
fn solve(scheme: &str, first: &[u64], modulus: u128) -> [u128; 3] {
    let [x, y, z] = [0, 1, 2].map(|i| u128::from(first[i]));
    let minus = |left: u128, right: u128| (left + modulus - right % modulus) % modulus;
    match scheme {
        "extended" => [x, minus(minus(y, x), 1), 0],
        "triple" => [x, minus(y, x), minus(minus(z, y), minus(y, x))],
        _ => [x, minus(y, x), 0],
    }
}

const PROGRESSIONS: [&str; 6] = ["double", "double-odd", "double-halves", "extended", "enhanced", "triple"];

/// Stepping modulo the range gives the textbook forms, also where a sum overflows 64 bits.
#[test]
fn modulo_follows_the_closed_forms() {
    let keys = digests(0, 100);
    for scheme in PROGRESSIONS {
        for range in RANGES {
            for found in positions((scheme, "modulo"), &keys, 3, range, 60) {
                let words = solve(scheme, &found, u128::from(range));
                for (i, position) in found.iter().enumerate() {
                    let formula = closed_form(scheme, words, i as u128, u128::from(range));
                    assert_eq!(u128::from(*position), formula, "{scheme} modulo {range}, position {i}");
                }
            }
        }
    }
}

/// The wide reductions step modulo 2^64 and only then reduce. The wide elements are read off at a range
/// at which the reduction keeps them (2^64 - 1).
#[test]
fn wide_reductions_follow_the_closed_forms() {
    let keys = digests(0, 100);
    for scheme in PROGRESSIONS {
        let wide = positions((scheme, "wide-modulo"), &keys, 3, u64::MAX, 3);
        for range in RANGES {
            let remainders = positions((scheme, "wide-modulo"), &keys, 3, range, 60);
            let shifts = positions((scheme, "multiply-shift"), &keys, 3, range, 60);
            for ((wide, remainders), shifts) in wide.iter().zip(remainders).zip(shifts) {
                // double-halves has halves where others have words: its elements are known all the same.
                let words = solve(scheme, wide, 1 << 64);
                for i in 0..60 {
                    let element = closed_form(scheme, words, i as u128, 1 << 64);
                    let range = u128::from(range);
                    let what = format!("{scheme}, range {range}, position {i}");
                    assert_eq!(u128::from(remainders[i]), element % range, "wide-modulo, {what}");
                    assert_eq!(u128::from(shifts[i]), (element * range) >> 64, "multiply-shift, {what}");
                }
            }
        }
    }
}

#[test]
fn double_odd_steps_by_an_odd_number() {
    for found in positions(("double-odd", "modulo"), &digests(0, 1000), 3, 1 << 20, 2) {
        assert_eq!((found[1] + (1 << 20) - found[0]) % 2, 1);
    }
}

#[test]
fn double_halves_takes_the_halves_as_they_are() {
    let digest = [Digest(5 << 32 | 2)];
    assert_eq!(positions(("double-halves", "modulo"), &digest, 1, 11, 5), [[2, 7, 1, 6, 0]]);
    let high = [Digest(1 << 62 | 1 << 31)];
    assert_eq!(positions(("double-halves", "multiply-shift"), &high, 1, 64, 5), [[32, 48, 0, 16, 32]]);
}

/// Null: with another seed a position is another one, equal with probability 1/m only (binomial over
/// 100,000 keys at m = 1000, for positions 0 and 3). `double-halves` has no seed, and shows it.
#[test]
fn hand_34_another_seed_moves_every_position() {
    let keys = digests(0, 100_000);
    for pair in pairs() {
        for (one, two) in [(1, 2), (0, 1 << 63), (5, 5 + 0x9e37_79b9_7f4a_7c15)] {
            let (left, right) = (positions(pair, &keys, one, 1000, 4), positions(pair, &keys, two, 1000, 4));
            for index in [0, 3] {
                let same = left.iter().zip(&right).filter(|(left, right)| left[index] == right[index]).count() as u64;
                let p = if pair.0 == "double-halves" { 1.0 } else { 0.001 };
                assert_binomial(&format!("{pair:?} seeds {one}, {two}, position {index}"), same, 100_000, p);
            }
        }
    }
    assert_ne!(SeedWords::new(0), SeedWords::new(1));
}

#[test]
fn the_same_seed_gives_the_same_positions() {
    let keys = digests(0, 10);
    for pair in pairs() {
        assert_eq!(positions(pair, &keys, 9, 12_345, 8), positions(pair, &keys, 9, 12_345, 8));
    }
}

/// Saved filters depend on these: they never change. Computed from the formulas in another language
/// (arbitrary precision), not printed by this program. Digest 0x0123456789abcdef, seed 42, range 1,000,003.
#[test]
fn golden_positions() {
    let digest = [Digest(0x0123_4567_89ab_cdef)];
    let mut missing = String::new();
    for pair in pairs() {
        let found = positions(pair, &digest, 42, 1_000_003, 4).concat();
        if !GOLDEN.iter().any(|(scheme, reduction, golden)| (*scheme, *reduction) == pair && golden[..] == found) {
            missing += &format!("(\"{}\", \"{}\", {found:?}),\n", pair.0, pair.1);
        }
    }
    assert_eq!(missing, "", "positions that differ from the golden ones");
    assert_eq!(GOLDEN.len(), pairs().count());
}

const GOLDEN: &[(&str, &str, [u64; 4])] = &[
    ("independent", "modulo", [957439, 699681, 192465, 430959]),
    ("independent", "wide-modulo", [957439, 699681, 192465, 430959]),
    ("independent", "multiply-shift", [576881, 66805, 941529, 634967]),
    ("double", "modulo", [2003, 780761, 559516, 338271]),
    ("double", "wide-modulo", [2003, 430074, 858145, 286213]),
    ("double", "multiply-shift", [936492, 674848, 413204, 151560]),
    ("double-odd", "modulo", [2003, 780762, 559518, 338274]),
    ("double-odd", "wide-modulo", [2003, 430075, 858147, 286216]),
    ("double-odd", "multiply-shift", [936492, 674848, 413204, 151560]),
    ("double-halves", "modulo", [731040, 819726, 908412, 997098]),
    ("double-halves", "wide-modulo", [448461, 443222, 437983, 432744]),
    ("double-halves", "multiply-shift", [537779, 542223, 546668, 551112]),
    ("extended", "modulo", [2003, 780762, 559520, 338280]),
    ("extended", "wide-modulo", [2003, 430075, 858149, 286222]),
    ("extended", "multiply-shift", [936492, 674848, 413204, 151560]),
    ("enhanced", "modulo", [2003, 780761, 559517, 338275]),
    ("enhanced", "wide-modulo", [2003, 430074, 858146, 286217]),
    ("enhanced", "multiply-shift", [936492, 674848, 413204, 151560]),
    ("triple", "modulo", [2003, 780761, 70763, 872018]),
    ("triple", "wide-modulo", [2003, 430074, 369392, 469273]),
    ("triple", "multiply-shift", [936492, 674848, 894588, 595708]),
    ("worm", "modulo", [2003, 415241, 373245, 849987]),
    ("worm", "wide-modulo", [2003, 415241, 373245, 849987]),
    ("worm", "multiply-shift", [936492, 225785, 869964, 936954]),
    ("multiplicative", "modulo", [2003, 822416, 718569, 580678]),
    ("multiplicative", "wide-modulo", [2003, 822416, 718569, 580678]),
    ("multiplicative", "multiply-shift", [936492, 121108, 652701, 613701]),
    ("reseeded", "modulo", [318647, 907871, 656002, 260977]),
    ("reseeded", "wide-modulo", [318647, 907871, 656002, 260977]),
    ("reseeded", "multiply-shift", [105018, 819573, 67438, 562149]),
];
