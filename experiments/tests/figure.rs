//! Figures as a whole: what they must never do on paper.
//!
//! With `FIGURE_SAMPLES=folder` the samples are also written there, to be looked at.

use experiments::figure::{
    Axis, AxisName, Dash, Figure, FigureError, Legend, Panel, Point, Reference, Series, StyleBook, Width, to_png,
};
use resvg::usvg;

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
fn curve() -> Figure {
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
fn histograms() -> Figure {
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
fn schemes(transposed: bool) -> Figure {
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

fn samples() -> Vec<(&'static str, Figure)> {
    vec![
        ("curve", curve()),
        ("valleys", valleys()),
        ("histograms", histograms()),
        ("schemes", schemes(false)),
        ("schemes-lying", schemes(true)),
    ]
}

fn widths() -> [(&'static str, Width); 2] {
    [("column", Width::COLUMN), ("page", Width::PAGE)]
}

fn tree(svg: &str) -> usvg::Tree {
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_font_data(include_bytes!("../assets/SourceSans3-Regular.ttf").to_vec());
    usvg::Tree::from_str(svg, &options).unwrap()
}

/// The ink of each text with its words.
fn texts(group: &usvg::Group, found: &mut Vec<(String, usvg::Rect)>) {
    for node in group.children() {
        match node {
            usvg::Node::Group(inner) => texts(inner, found),
            usvg::Node::Text(text) => {
                let words = text.chunks().iter().map(|c| c.text()).collect();
                found.push((words, text.flattened().abs_bounding_box()));
            }
            _ => {}
        }
    }
}

#[test]
fn no_text_touches_another_or_leaves_the_page() {
    let book = StyleBook::committed().unwrap();
    let samples_folder = std::env::var_os("FIGURE_SAMPLES").map(std::path::PathBuf::from);
    let mut faults = Vec::new();
    for (name, figure) in samples() {
        for (size, width) in widths() {
            let svg = figure.to_svg(&book, width).unwrap();
            if let Some(folder) = &samples_folder {
                std::fs::write(folder.join(format!("{name}-{size}.svg")), &svg).unwrap();
                std::fs::write(folder.join(format!("{name}-{size}.png")), to_png(&svg, 220.0).unwrap()).unwrap();
            }
            let tree = tree(&svg);
            let mut found = Vec::new();
            texts(tree.root(), &mut found);
            assert!(found.len() > 10, "{name} {size}: {} texts", found.len());
            for (i, (words, ink)) in found.iter().enumerate() {
                let page = tree.size();
                if ink.left() < 0.0 || ink.top() < 0.0 || ink.right() > page.width() || ink.bottom() > page.height() {
                    faults.push(format!("{name} {size}: {words:?} leaves the page"));
                }
                for (other, taken) in &found[..i] {
                    if ink.left() < taken.right()
                        && taken.left() < ink.right()
                        && ink.top() < taken.bottom()
                        && taken.top() < ink.bottom()
                    {
                        faults.push(format!("{name} {size}: {words:?} touches {other:?}"));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    let book = StyleBook::committed().unwrap();
    for (_, figure) in samples() {
        let [first, second] = [(), ()].map(|()| figure.to_svg(&book, Width::COLUMN).unwrap());
        assert_eq!(first, second);
        assert_eq!(to_png(&first, 100.0).unwrap(), to_png(&second, 100.0).unwrap());
    }
}

#[test]
fn the_file_says_where_it_comes_from() {
    let svg = curve().to_svg(&StyleBook::committed().unwrap(), Width::COLUMN).unwrap();
    let document = usvg::roxmltree::Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("width"), Some("239.76pt"));
    assert!(root.attribute("font-family").unwrap().starts_with("'Source Sans 3'"));
    let entry = |key| {
        document
            .descendants()
            .find(|n| n.has_tag_name(("urn:bloomery:figure", "entry")) && n.attribute("key") == Some(key))
            .and_then(|n| n.text())
    };
    assert_eq!(entry("seed"), Some("42"));
    assert_eq!(entry("command"), Some("experiments run fpr --probes 1e6 && echo \"<done>\""));
    let tooltips = document.descendants().filter(|n| n.has_tag_name(("http://www.w3.org/2000/svg", "title")));
    assert!(tooltips.filter_map(|n| n.text()).any(|t| t.ends_with("<95 % & more>")));
    for node in document.descendants().filter(|n| n.has_attribute("font-size")) {
        let size: f64 = node.attribute("font-size").unwrap().parse().unwrap();
        assert!((7.5..=9.0).contains(&size));
    }
}

#[test]
fn an_entry_of_all_panels_is_listed_once() {
    let svg = histograms().to_svg(&StyleBook::committed().unwrap(), Width::PAGE).unwrap();
    assert_eq!(svg.matches(">normal approximation</text>").count(), 1);
    assert_eq!(svg.matches(">measured</text>").count(), 1);
}

#[test]
fn small_inputs_are_drawn() {
    let book = StyleBook::committed().unwrap();
    let short = Panel::new(Axis::log2("n"), Axis::log10("time").unit("ns"))
        .series(Series::points("standard", vec![Point::exact(1024.0, 2.0), Point::exact(2048.0, 8.0)]));
    let svg = Figure::new("short", "").panel(short).to_svg(&book, Width::COLUMN).unwrap();
    assert!(svg.contains(">2<") && svg.contains(">5<"), "ticks within a decade");

    let single = Panel::new(Axis::linear("n"), Axis::log10("rate"))
        .series(Series::points("standard", vec![Point::new(1e6, 1e-3, 0.0, 2e-3)]));
    let svg = Figure::new("single", "").panel(single).to_svg(&book, Width::COLUMN).unwrap();
    assert_eq!(svg.matches("class=\"point\"").count(), 1);

    let nothing_seen = Panel::new(Axis::linear("n"), Axis::log10("rate"))
        .series(Series::points("standard", vec![Point::at_most(1.0, 1e-6), Point::at_most(2.0, 1e-6)]));
    let svg = Figure::new("zero", "").panel(nothing_seen).to_svg(&book, Width::PAGE).unwrap();
    assert!(svg.contains("none seen"));
}

#[test]
fn what_cannot_be_drawn_is_an_error_with_its_value() {
    let book = StyleBook::committed().unwrap();
    let draw = |figure: Figure| figure.to_svg(&book, Width::COLUMN).unwrap_err();
    let panel = |series: Series| Panel::new(Axis::linear("x"), Axis::log10("y")).title("p").series(series);
    let figure = |series: Series| Figure::new("f", "").panel(panel(series));
    let one = || vec![Point::exact(1.0, 0.5)];

    assert_eq!(draw(Figure::new("f", "")), FigureError::NoPanels { figure: "f".into() });
    assert_eq!(draw(figure(Series::points("standard", vec![]))), FigureError::EmptyPanel { panel: "p".into() });
    assert!(matches!(
        draw(figure(Series::points("standard", vec![Point::exact(1.0, f64::NAN)]))),
        FigureError::NotFinite { axis: AxisName::Y, .. }
    ));
    assert!(matches!(
        draw(figure(Series::line("standard", vec![(1.0, 0.5), (f64::INFINITY, 0.5)]))),
        FigureError::NotFinite { axis: AxisName::X, .. }
    ));
    assert!(matches!(
        draw(figure(Series::band("standard", vec![(1.0, 0.5, -0.1)]))),
        FigureError::NotPositive { value: -0.1, .. }
    ));
    assert_eq!(
        draw(figure(Series::points("partitoned", one()))).to_string(),
        "no style `partitoned`; did you mean `partitioned`?"
    );
    assert_eq!(
        draw(figure(Series::points("standard", one()).label("⌈log₂ n⌉"))),
        FigureError::MissingGlyph { character: '⌈', text: "⌈log₂".into() }
    );
    let many = (0..60).map(|i| format!("category {i}"));
    let crowded =
        Panel::new(Axis::categories("name", many), Axis::linear("y")).series(Series::points("standard", one()));
    assert!(matches!(draw(Figure::new("f", "").panel(crowded)), FigureError::Crowded { count: 60, .. }));
    let lying = panel(Series::points("standard", one()))
        .transposed()
        .beneath(Axis::linear("z"), |lower| lower.series(Series::points("standard", one())));
    assert_eq!(draw(Figure::new("f", "").panel(lying)), FigureError::Transposed { panel: "p".into() });
    let wordy = panel(Series::line("standard", vec![(1.0, 0.5), (2.0, 0.5)]).label_at_end().label("x".repeat(60)));
    assert!(matches!(draw(Figure::new("f", "").panel(wordy)), FigureError::NoRoom { .. }));
}

#[test]
fn every_character_of_the_style_book_and_the_samples_is_in_the_font() {
    let mut database = usvg::fontdb::Database::new();
    database.load_font_data(include_bytes!("../assets/SourceSans3-Regular.ttf").to_vec());
    assert_eq!(database.faces().next().unwrap().families[0].0, "Source Sans 3");
    let book = StyleBook::committed().unwrap();
    let mut all = Panel::new(Axis::linear("n"), Axis::linear("rate"));
    for (row, id) in book.ids().map(str::to_owned).collect::<Vec<_>>().into_iter().enumerate() {
        all = all.series(Series::points(id, vec![Point::exact(row as f64, row as f64)]));
    }
    let svg = Figure::new("all", "").panel(all).to_svg(&book, Width::PAGE).unwrap();
    for id in book.ids() {
        assert!(svg.contains(&format!(">{}<", book.get(id).unwrap().label)), "{id}");
    }
}

#[test]
fn the_legend_can_stand_below_or_nowhere() {
    let book = StyleBook::committed().unwrap();
    let with = |legend| schemes(false).legend(legend).to_svg(&book, Width::COLUMN).unwrap();
    assert!(with(Legend::Bottom).contains(">mask</text>"));
    assert!(!with(Legend::Hidden).contains(">mask</text>"));
}
