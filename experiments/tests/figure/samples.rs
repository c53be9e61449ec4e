//! The figures that the tests draw: each kind of series, scale and label at least once.

use experiments::figure::{Axis, Dash, Figure, Panel, Point, Reference, Series};

fn bloom(bits: f64, hashes: f64) -> f64 {
    (1.0 - (-hashes / bits).exp()).powf(hashes)
}

/// Numbers that look random and are always the same.
fn noise(seed: u64) -> f64 {
    let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

/// The 95 % Wilson interval.
fn wilson(rate: f64, trials: f64) -> (f64, f64) {
    let z2 = 1.96f64 * 1.96;
    let centre = rate + z2 / (2.0 * trials);
    let half = 1.96 * (rate * (1.0 - rate) / trials + z2 / (4.0 * trials * trials)).sqrt();
    let scale = 1.0 + z2 / trials;
    ((centre - half) / scale, (centre + half) / scale)
}

fn grid(from: f64, to: f64, steps: usize) -> impl Iterator<Item = f64> {
    (0..=steps).map(move |i| from + (to - from) * i as f64 / steps as f64)
}

/// Two contenders at 21 sizes with intervals, zero counts, theory, a bound, and the ratio beneath.
pub fn curve() -> Figure {
    let probes = 1e6;
    let rate = |bits: f64| bloom(bits, (bits * 2f64.ln()).round().max(1.0));
    let measured = |factor: f64, seed: u64| -> Vec<(f64, f64, f64, f64)> {
        (0..21)
            .map(|i| {
                let bits = 4.0 + f64::from(i) * 1.6;
                let truth = rate(bits) * factor;
                let shaken = truth * probes + 3.0 * (truth * probes).sqrt() * noise(seed + i as u64);
                let value = shaken.round().max(0.0) / probes;
                let (low, high) = wilson(value, probes);
                (bits, value, low, high)
            })
            .collect()
    };
    let points = |name: &str, data: &[(f64, f64, f64, f64)]| -> Vec<Point> {
        data.iter()
            .map(|&(bits, value, low, high)| {
                let point = if value * probes < 1.0 {
                    Point::at_most(bits, 3.7e-6)
                } else {
                    Point::new(bits, value, low, high)
                };
                point.tooltip(format!("{name}: {value:.3e} at {bits:.1} bits/key <95 % & more>"))
            })
            .collect()
    };
    let ratios = |data: &[(f64, f64, f64, f64)]| -> Vec<Point> {
        data.iter()
            .filter(|d| d.1 * probes >= 1.0)
            .map(|&(bits, value, low, high)| {
                let truth = rate(bits);
                Point::new(bits, value / truth, low / truth, high / truth).ringed((value / truth - 1.0).abs() > 0.3)
            })
            .collect()
    };
    let (standard, partitioned) = (measured(1.0, 1), measured(1.12, 77));
    let theory: Vec<(f64, f64)> = grid(4.0, 36.0, 300).map(|b| (b, rate(b))).collect();
    let bound: Vec<(f64, f64)> = grid(4.0, 36.0, 10).map(|b| (b, (-b).exp2())).collect();
    let panel = Panel::new(Axis::linear("memory").unit("bits/key"), Axis::log10("false-positive rate"))
        .dodged()
        .series(Series::points("standard", points("standard", &standard)))
        .series(Series::points("partitioned", points("partitioned", &partitioned)))
        .series(Series::line("bloom-formula", theory))
        .series(Series::line("partitioned", grid(4.0, 36.0, 300).map(|b| (b, rate(b) * 1.12)).collect()))
        .series(Series::line("bound-static", bound).dash(Dash::Dashed))
        .note("Bars: 95 % Wilson intervals, one filter per point.")
        .beneath(Axis::log2("measured / formula"), |lower| {
            let lower = Panel { dodge: true, ..lower };
            lower
                .series(Series::points("standard", ratios(&standard)))
                .series(Series::points("partitioned", ratios(&partitioned)))
                .reference(Reference::y(1.0, "").dashed(Dash::Solid).styled("bloom-formula"))
        });
    Figure::new("fpr-memory", "Rate of false positives against memory")
        .panel(panel)
        .ring("verdict: not the formula")
        .caption("n = 1 000 000 keys, 1 filter per point, 10⁶ probes each, run 7f3a90c2, model random oracle, seed 42.")
        .metadata("seed", "42")
        .metadata("command", "experiments run fpr --probes 1e6 && echo \"<done>\"")
}

/// Rate against the number of hashes for five sizes, labelled at the ends.
fn valleys() -> Figure {
    let mut panel =
        Panel::new(Axis::linear("hashes per key, k").integers(), Axis::log10("false-positive rate").percent());
    for (number, bits) in [4.0, 6.0, 8.0, 12.0, 16.0].into_iter().enumerate() {
        let best = (1..=16).map(f64::from).min_by(|&a, &b| bloom(bits, a).total_cmp(&bloom(bits, b)));
        let points = (1..=16)
            .map(f64::from)
            .map(|k| {
                let rate = bloom(bits, k) * (1.0 + 0.05 * noise(number as u64 * 31 + k as u64));
                Point::new(k, rate, rate * 0.93, rate * 1.07).ringed(best == Some(k))
            })
            .collect();
        let name = format!("c = {bits}");
        panel = panel.series(Series::points(number, points).label(name.as_str()).unlisted()).series(
            Series::line(number, grid(1.0, 16.0, 150).map(|k| (k, bloom(bits, k))).collect())
                .label(name.as_str())
                .label_at_end(),
        );
    }
    panel = panel.reference(Reference::x(8.0 * 2f64.ln(), "c ln 2 at c = 8"));
    Figure::new("rate-k", "Rate against the number of hashes")
        .panel(panel)
        .ring("best measured k")
        .caption("Marks: measured with 95 % intervals; lines: classic formula; c is bits per key.")
}

/// Counts of set bits over filters, with the density that theory expects, in three panels.
pub fn histograms() -> Figure {
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let mut figure = Figure::new("fill", "Set bits over 2 000 filters").columns(3).shared_y();
    for (seed, name) in ["independent", "double", "enhanced"].into_iter().enumerate() {
        let bins = (0..16)
            .map(|i| {
                let low = -4.0 + f64::from(i) * 0.5;
                let count = 1000.0 * density(low + 0.25) * (1.0 + 0.2 * noise(seed as u64 * 100 + i as u64));
                (low, low + 0.5, count.round())
            })
            .collect();
        figure = figure.panel(
            Panel::new(Axis::linear("deviation from the mean").unit("σ"), Axis::linear("filters per bin"))
                .title(name)
                .series(Series::histogram("standard", bins).label("measured"))
                .series(
                    Series::line("bloom-formula", grid(-4.0, 4.0, 120).map(|x| (x, 1000.0 * density(x))).collect())
                        .label("normal approximation"),
                ),
        );
    }
    figure.caption("n = 100 000 keys, m = 800 000 bits, k = 6.")
}

/// Eight schemes under three reductions with a floor, upright or lying.
pub fn schemes(transposed: bool) -> Figure {
    let names = ["independent", "double", "double-odd", "extended", "enhanced", "triple", "worm", "multiplicative"];
    let mut panel = Panel::new(Axis::categories("derivation scheme", names), Axis::log10("rate / formula"))
        .title("m = 4 099, k = 9");
    panel.transpose = transposed;
    for (number, reduction) in ["modulo prime", "multiply-high", "mask"].into_iter().enumerate() {
        let points = (0..names.len())
            .map(|i| {
                let x = i as f64;
                let value = 1.0 + [0.01, 1.2, 0.7, 0.08, 0.05, 0.3, 4.0, 11.0][i] * (1.0 + 0.4 * number as f64);
                if i == 3 && number == 2 {
                    Point::at_most(x, 0.9)
                } else {
                    Point::new(x, value, value * 0.93, value * 1.08).ringed(i == 7)
                }
            })
            .collect();
        panel = panel.series(Series::points(number, points).label(reduction));
    }
    panel = panel
        .reference(Reference::y(1.0, "formula").dashed(Dash::Solid).styled("bloom-formula"))
        .reference(Reference::y(1.3, "floor at 64 bits"))
        .reference(Reference::y(1.4, "10 % detectable").dashed(Dash::Dotted));
    Figure::new("schemes", "Derivation schemes against independent hashes")
        .panel(panel)
        .ring("verdict: not the formula")
}

/// Four panels in a grid: a band, crowded labels at line ends, a log axis of powers of two, references on both axes.
fn grid_of_four() -> Figure {
    let fills = || grid(0.0, 1.0, 50);
    let band = Panel::new(Axis::linear("load").percent().range(0.0, 1.0), Axis::linear("failed inserts").percent())
        .title("failures against load")
        .series(Series::band("standard", fills().map(|x| (x, x.powi(8) * 0.4, x.powi(8) * 0.6)).collect()).label("90 % of filters"))
        .series(Series::line("standard", fills().map(|x| (x, x.powi(8) * 0.5)).collect()).label("median"))
        .reference(Reference::x(0.95, "design load"))
        .note("A note that is much longer than the panel is wide, and therefore continues on the next line of the small print.");
    let mut crowd = Panel::new(Axis::log2("keys").unit("n"), Axis::linear("time per query").unit("ns").from_zero())
        .title("crowded ends");
    for number in 0..7 {
        let height = 40.0 + number as f64 * 0.6;
        let line = (10..=24).map(|e| (f64::from(e).exp2(), height + f64::from(e))).collect();
        crowd = crowd.series(Series::line(number, line).label(format!("line {number}")).label_at_end());
    }
    let single = Panel::new(Axis::log10("probes"), Axis::log10("rate"))
        .title("one point")
        .series(Series::joined("murmur3-x64-128", vec![Point::new(1e7, 3e-4, 2e-4, 4e-4).tooltip("alone")]))
        .reference(Reference::y(2.5e-4, "formula").styled("bloom-formula").dashed(Dash::Solid));
    let short = Panel::new(Axis::linear("k").integers(), Axis::log10("time").unit("ns"))
        .title("less than a decade")
        .series(Series::joined(
            "sha256",
            (1..=4).map(|k| Point::exact(f64::from(k), 1.5 + f64::from(k) * 1.6)).collect(),
        ))
        .reference(Reference::x(3.7, "rather long label of a line"))
        .reference(Reference::x(1.2, "cache"))
        .reference(Reference::x(1.5, "memory"));
    Figure::new("four", "Four panels").columns(2).panel(band).panel(crowd).panel(single).panel(short)
}

/// All of them, by name.
pub fn samples() -> Vec<(&'static str, Figure)> {
    vec![
        ("curve", curve()),
        ("valleys", valleys()),
        ("histograms", histograms()),
        ("four", grid_of_four()),
        ("schemes", schemes(false)),
        ("schemes-lying", schemes(true)),
    ]
}
