//! HAND-41: figures of next to nothing, from rows to pixels, on a machine without any font.

use std::process::Command;

use crate::common::{SMALL, column, files_with, folder, root, run, small, smoke, text};
use experiments::figure::{Axis, Figure, Panel, Point, Series, StyleBook, Width};

const SEEN_NONE: &str = ">none seen: upper limit</text>";

/// The texts of a figure.
fn words(svg: &str) -> Vec<&str> {
    let ends = svg.match_indices("</text>").map(|(end, _)| &svg[..end]);
    ends.map(|before| &before[before.rfind('>').unwrap() + 1..]).collect()
}

/// Runs the small definition with these changes; its derived data and its figure.
fn drawn(name: &str, changes: &[(&str, &str)]) -> (experiments::pipeline::Derived, String) {
    let out = folder(name);
    let derived = run(vec![small(changes)], &smoke(&out)).unwrap().remove(0);
    assert!(std::fs::read(out.join("figures/small.png")).unwrap().starts_with(b"\x89PNG"));
    (derived, std::fs::read_to_string(out.join("figures/small.svg")).unwrap())
}

#[test]
fn hand_41_a_point_without_false_positives_is_an_upper_limit() {
    let (derived, svg) = drawn("zero", &[("sweep.m = 640\n", "sweep.m = 64_000\n"), ("[1, 2, 3, 4]", "[1, 9]")]);
    let hits = column(&derived, "false_positives");
    assert!(hits[0].parse::<u64>().unwrap() > 0 && hits[1] == "0", "{hits:?}");
    let (rate, high) = (column(&derived, "fpr").remove(1), column(&derived, "fpr_high").remove(1));
    assert_eq!(rate, "0");
    let (high, probes) = (high.parse::<f64>().unwrap(), column(&derived, "probes")[1].parse::<f64>().unwrap());
    assert!((2.0..5.0).contains(&(high * probes)), "an upper limit of {high} after {probes} probes");
    assert!(svg.contains(SEEN_NONE), "the figure does not say what the arrow means");
    assert_eq!(svg.matches("class=\"point\"").count(), 2, "the point without hits is not drawn");
    let (_, svg) = drawn("no-zero", &[]);
    assert!(!svg.contains(SEEN_NONE) && svg.matches("class=\"point\"").count() == 4);
}

/// A name with a comma in it is one name: the legend cuts nothing off.
#[test]
fn names_of_series_keep_their_commas() {
    let cases = "cases = [{ case = \"first, of two\" }, { case = \"second, of two\" }]\nsweep.m = 640";
    let series = [("sweep.m = 640", cases), ("series = [\"contender\"]", "series = [\"case\"]")];
    let (_, svg) = drawn("commas", &series);
    assert!(["first, of two", "second, of two"].iter().all(|name| words(&svg).contains(name)), "{svg}");
}

#[test]
fn hand_41_only_zeros_are_drawn_too() {
    let (derived, svg) = drawn("zeros", &[("sweep.m = 640\n", "sweep.m = 64_000\n"), ("[1, 2, 3, 4]", "[9, 10]")]);
    assert_eq!(column(&derived, "false_positives"), ["0", "0"]);
    assert!(svg.contains(SEEN_NONE) && svg.matches("class=\"point\"").count() == 2);
}

#[test]
fn hand_41_an_axis_shorter_than_a_decade_has_ticks() {
    let book = StyleBook::committed().unwrap();
    for (low, high) in [(2.0, 8.0), (0.002, 0.008), (1.1, 1.9), (20.0, 95.0)] {
        let points = vec![Point::exact(1000.0, low), Point::exact(2000.0, high)];
        let panel = Panel::new(Axis::linear("n"), Axis::log10("y")).series(Series::points("standard", points));
        let svg = Figure::new("short", "").panel(panel).to_svg(&book, Width::COLUMN).unwrap();
        let words = words(&svg);
        let number = |word: &&str| word.replace("×10⁻³", "e-3").parse::<f64>().ok();
        let inside = |value: &f64| (0.5 * low..=2.0 * high).contains(value);
        let ticks: Vec<f64> = words.iter().filter_map(number).filter(inside).collect();
        assert!(ticks.len() >= 2, "{low} to {high}: {words:?}");
    }
}

#[test]
fn hand_41_a_single_point_is_drawn() {
    for (name, changes) in [
        ("single", &[("sweep.k = [1, 2, 3, 4]", "sweep.k = 3")][..]),
        ("single-linear", &[("sweep.k = [1, 2, 3, 4]", "sweep.k = 3"), (", scale = \"log\"", "")]),
    ] {
        let (derived, svg) = drawn(name, changes);
        assert_eq!(derived.table.rows.len(), 1);
        assert_eq!(svg.matches("class=\"point\"").count(), 1, "{name}");
        let ticks = words(&svg).iter().filter(|word| word.parse::<f64>().is_ok()).count();
        assert!(ticks >= 2, "{name}: {:?}", words(&svg));
    }
}

#[test]
fn hand_41_no_installed_font_is_looked_at() {
    // The renderer is built without the code that would look.
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    let resvg = &manifest["workspace"]["dependencies"]["resvg"];
    assert_eq!(resvg["default-features"].as_bool(), Some(false));
    let features: Vec<&str> = resvg["features"].as_array().unwrap().iter().filter_map(|one| one.as_str()).collect();
    assert!(!features.contains(&"system-fonts") && features.contains(&"text"), "{features:?}");
    let call = format!("load{}", "_system_fonts");
    for file in files_with("rs") {
        assert!(!text(&file).contains(&call), "{}", file.display());
    }
    // Pixels of the same texts, with no place to find a font in.
    let here = folder("no-fonts");
    let (definition, out) = (here.join("small.toml"), here.join("out"));
    std::fs::write(&definition, SMALL).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_experiments"));
    command.args(["run", "--scale", "smoke", "--out"]).arg(&out).arg(&definition).env_clear().current_dir(root());
    let output = command.env("HOME", &here).env("FONTCONFIG_FILE", here.join("none")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let svg = std::fs::read_to_string(out.join("figures/small.svg")).unwrap();
    let png = std::fs::read(out.join("figures/small.png")).unwrap();
    assert!(png == experiments::figure::to_png(&svg, 200.0).unwrap(), "other pixels than with the host's fonts");
    let blank = svg.replace("<text", "<text opacity=\"0\"");
    assert!(png != experiments::figure::to_png(&blank, 200.0).unwrap(), "the texts are not there");
}
