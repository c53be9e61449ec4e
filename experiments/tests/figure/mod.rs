//! Figures as a whole: what they must never do on paper.
//!
//! With `FIGURE_SAMPLES=folder` the samples are also written there, to be looked at.

mod samples;

use self::samples::{curve, histograms, samples, schemes};
use experiments::figure::{
    Axis, AxisName, Figure, FigureError, Legend, Panel, Point, Series, StyleBook, Width, to_png,
};
use resvg::usvg;

fn widths() -> [(&'static str, Width); 2] {
    [("column", Width::COLUMN), ("page", Width::PAGE)]
}

fn tree(svg: &str) -> usvg::Tree {
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_font_data(include_bytes!("../../assets/SourceSans3-Regular.ttf").to_vec());
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
    assert_eq!(svg.matches(">300</text>").count(), 3, "one y axis for all panels");
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
    database.load_font_data(include_bytes!("../../assets/SourceSans3-Regular.ttf").to_vec());
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
