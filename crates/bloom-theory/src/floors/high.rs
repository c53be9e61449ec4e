//! The reduction `multiply-shift`: positions `floor(m frac(A + i B))` on a circle of `m` cells.
//!
//! Small increments are lost below the cells, so double-odd, extended and enhanced hashing are double hashing
//! here. Two points coincide if they are in one cell: with the chance `tri(x) = max(0, 1 - |x|)` if they are `x`
//! cells apart.

use super::collapse::{add_beyond_folds, fold, for_words, totient};
use super::cover::Cover;
use super::points::{Points, midpoints};

fn tri(x: f64) -> f64 {
    (1.0 - x.abs()).max(0.0)
}

/// Steps of the integrals over a distance of a cell.
const STEPS: usize = 24;

/// The weight of chains of `l` times a coprime step: near `c/l` with `c` coprime to `l`.
pub(super) fn weight(l: u64) -> f64 {
    totient(l) as f64 / l as f64
}

/// For chains of `t` points, `t` from 0 to `k`: the gain of the points that share a cell, integrated over the distance
/// `x` of the middles of query and key and its growth `y`, in cells, whose density is `1/m^2`.
///
/// A query's point `l` is at `u + l v` in its cell, and shares it with the key's if it stays there at `x + l y` more.
/// That is not independent from point to point: where `v` is near an integer, all points share a cell or none.
pub(super) fn gains(cover: &Cover) -> Vec<f64> {
    // The longest chain is that of the slices, and nearly alone there.
    let samples = |t: usize| if t == cover.k { 32_768 } else { 2048 };
    let gain = cover.gains(3);
    let points = Points::<4>::new();
    let chain = |t: usize| {
        let middle = (t as f64 - 1.0) / 2.0;
        let mut sum = 0.0;
        for n in 0..samples(t) {
            let [u, v, x, root] = points.at(n);
            // Even in y, which matters on the scale 1/t: growing steps.
            let y = root * root;
            let far = 1.0 + middle * y;
            let met = (0..t).filter(|l| {
                let l = *l as f64;
                let stays = (u + l * v).fract() + (2.0 * x - 1.0) * far + (l - middle) * y;
                (0.0..1.0).contains(&stays)
            });
            sum += gain[met.count()] * 2.0 * far * 2.0 * root;
        }
        2.0 * sum / samples(t) as f64
    };
    (0..=cover.k).map(|t| if t < 3 { 0.0 } else { chain(t) }).collect()
}

/// `chance[D]` of double hashing: `B` is `y / (q m)` from `p/q`, `p` coprime to `q`. The indices fall into `q` rows
/// of `ceil` or `floor` of `k/q` points, `y` cells apart, of which `n` are in `1 + floor(u + (n-1) y)` cells, `u`
/// uniform.
pub(super) fn double(m: u64, k: u32) -> Vec<f64> {
    let k = k as usize;
    let mut chance = vec![0.0; k + 1];
    for q in 1..k {
        let density = 2.0 * weight(q as u64) / m as f64 / STEPS as f64;
        for y in midpoints(STEPS) {
            let mut cells = vec![0.0; k + 1];
            cells[0] = 1.0;
            for row in 0..q {
                let points = (k - row).div_ceil(q);
                let length = (points - 1) as f64 * y;
                let (sure, more) = (1 + length.floor() as usize, length.fract());
                let mut next = vec![0.0; k + 1];
                for (have, p) in cells.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                    next[have + sure] += p * (1.0 - more);
                    if more > 0.0 {
                        next[have + sure + 1] += p * more;
                    }
                }
                cells = next;
            }
            for (distinct, p) in cells.iter().enumerate().take(k) {
                chance[distinct] += density * p;
            }
        }
    }
    chance
}

/// `chance[D]` of triple hashing.
///
/// Folds, see [`collapse::triple`](super::collapse::triple), with pairs at `distance` times `y` cells; and both words
/// near multiples of `1/d`, where the folds alone would be too few.
pub(super) fn triple(m: u64, k: u32) -> Vec<f64> {
    let k = u64::from(k);
    let mut chance = vec![0.0; k as usize + 1];
    for s in 1..2 * k - 2 {
        for l in 1..k {
            let distances: Vec<u64> = fold(k, s, true).filter(|d| d.is_multiple_of(l)).map(|d| d / l).collect();
            if distances.is_empty() {
                continue;
            }
            let density = 2.0 * weight(l) / m as f64 / STEPS as f64;
            for y in midpoints(STEPS) {
                // The number of pairs in one cell, pair by pair.
                let mut met = vec![1.0];
                for p in distances.iter().map(|distance| tri(*distance as f64 * y)).filter(|p| *p > 0.0) {
                    met.push(0.0);
                    for i in (0..met.len()).rev() {
                        met[i] = met[i] * (1.0 - p) + if i > 0 { met[i - 1] * p } else { 0.0 };
                    }
                }
                for (pairs, p) in met.iter().enumerate().skip(1) {
                    chance[k as usize - pairs] += density * p;
                }
            }
        }
    }
    for d in 1..=LARGEST_ORDER {
        for_words(d, |b, c, times| near(&mut chance, m, [b, c, d], times));
    }
    chance
}

/// Orders of both words of triple hashing beyond which a query keeps nearly all positions.
const LARGEST_ORDER: u64 = 12;

/// Both words near `b/d` and `c/d`: with `y` and `z` cells more, of density `1/m^2`. The folds that are there too are
/// taken back.
fn near(chance: &mut [f64], m: u64, [b, c, d]: [u64; 3], times: f64) {
    let k = chance.len() - 1;
    let samples = (1024 / (d * d)).max(24) as usize;
    let middle = (k as f64 - 2.0) / 2.0;
    let (slopes, bends) = (3.0, 8.0 / k as f64);
    let density = times * 4.0 * slopes * bends / (m as f64).powi(2) / samples as f64;
    let mut cells = vec![0; k];
    let points = Points::new();
    for n in 0..samples {
        let [u, slope, bend] = points.at(n);
        let z = bends * (2.0 * bend - 1.0);
        let y = slopes * (2.0 * slope - 1.0) - middle * z;
        for (i, cell) in cells.iter_mut().enumerate() {
            let (one, two) = (i as u64, (i * i.saturating_sub(1) / 2) as u64);
            let turn = ((one * b + two * c) % d) as f64 / d as f64;
            let at = u + turn * m as f64 + one as f64 * y + two as f64 * z;
            *cell = (at.floor() as i64).rem_euclid(m as i64) as u64;
        }
        add_beyond_folds(chance, &cells, density);
    }
}

/// For triple hashing in slices: the gain of the points that share a cell, integrated over the distance of the query's
/// and the key's curves, in cells, whose density is `1/s^3`.
pub(super) fn curves(cover: &Cover) -> f64 {
    const SAMPLES: usize = 16_384;
    // Legendre polynomials on -1..1: `x + y i + z i(i-1)/2` with `y = 2 Y / (k-1)` and `z = 12 Z / (k-1)^2`.
    const REACH: f64 = 3.0;
    let gain = cover.gains(4);
    let half = (cover.k as f64 - 1.0) / 2.0;
    let volume = (2.0 * REACH).powi(3) * (1.0 / half) * (3.0 / half.powi(2));
    let points = Points::<6>::new();
    let mut sum = 0.0;
    for n in 0..SAMPLES {
        let [u, v, w, x, y, z] = points.at(n);
        let [x, y, z] = [x, y, z].map(|c| REACH * (2.0 * c - 1.0));
        let met = (0..cover.k).filter(|i| {
            let i = *i as f64;
            let at = i / half - 1.0;
            let stays = (u + i * v + i * (i - 1.0) / 2.0 * w).fract() + x + y * at + z * (1.5 * at * at - 0.5);
            (0.0..1.0).contains(&stays)
        });
        sum += gain[met.count()];
    }
    sum / SAMPLES as f64 * volume
}
