//! What the multiplier promises, by exact arithmetic. All else about derivations is in `tests/`.

use super::MULTIPLIER;

/// The squared length of the shortest nonzero `(x, y)` with `x + a y = 0` modulo `2^bits`, by the
/// reduction of Lagrange and Gauss.
fn shortest(a: u64, bits: u32) -> i128 {
    let modulus = 1i128 << bits;
    let norm = |v: (i128, i128)| v.0 * v.0 + v.1 * v.1;
    let a = i128::from(a) % modulus;
    let a = if a > modulus / 2 { a - modulus } else { a };
    // The basis (modulus, 0), (-a, 1) after one step, so that squares stay within 127 bits.
    let (mut long, mut short) = ((modulus - modulus / a * a, modulus / a), (-a, 1));
    loop {
        if norm(long) < norm(short) {
            (long, short) = (short, long);
        }
        let dot = long.0 * short.0 + long.1 * short.1;
        let down = i128::from(dot.rem_euclid(norm(short)) <= norm(short) / 2);
        let step = dot.div_euclid(norm(short)) + 1 - down;
        let next = (long.0 - step * short.0, long.1 - step * short.1);
        if norm(next) >= norm(short) {
            return norm(short);
        }
        long = next;
    }
}

/// The two-dimensional figure of merit: the shortest vector against `(4/3)^(1/4) 2^(bits/2)`.
fn merit(a: u64, bits: u32) -> f64 {
    (shortest(a, bits) as f64).sqrt() / (4.0f64 / 3.0).powf(0.25) / (0.5 * f64::from(bits)).exp2()
}

#[test]
fn multiplier_has_its_published_shape() {
    assert_eq!(MULTIPLIER % 8, 5, "the full period 2^62 of a multiplicative generator");
    assert!((merit(MULTIPLIER % (1 << 62), 62) - 0.9705).abs() < 5e-5);
}

/// Positions `i` and `j` are `(h, h C^(j-i))` up to a bijection of `h`: uniform over pairs of cells as long
/// as no short vector orthogonal to that lattice exists. None below 2^29 does for distances up to 32, so
/// ranges up to millions see pairs as independent.
#[test]
fn any_two_positions_are_spread() {
    let mut power = 1u64;
    for distance in 1..=32 {
        power = power.wrapping_mul(MULTIPLIER);
        let length = (shortest(power, 64) as f64).sqrt();
        assert!(length > (1u64 << 29) as f64, "distance {distance}: {length}");
    }
}
