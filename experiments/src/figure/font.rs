//! The one font of every figure: what it can write and how wide that is.
//!
//! Texts are measured by the library that also renders the PNG, so that the layout and the picture agree.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use resvg::usvg;

use super::error::FigureError;

/// The font's name as it stands in the SVG. The quotes matter: a name with a digit at the start of a word is no CSS token.
pub const FAMILY: &str = "'Source Sans 3', sans-serif";

/// Source Sans 3 Regular, SIL Open Font License 1.1.
pub static FONT: &[u8] = include_bytes!("../../assets/SourceSans3-Regular.ttf");

static DATABASE: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
    let mut database = usvg::fontdb::Database::new();
    database.load_font_data(FONT.to_vec());
    Arc::new(database)
});

/// Reader options that know the committed font and no other: what is installed on the host changes nothing.
pub fn options() -> usvg::Options<'static> {
    usvg::Options { fontdb: Arc::clone(&DATABASE), ..usvg::Options::default() }
}

/// Measures texts, each once.
pub struct Ruler {
    options: usvg::Options<'static>,
    known: RefCell<BTreeMap<String, f64>>,
}

/// Texts are measured at this size and scaled.
const EM: f64 = 100.0;

impl Ruler {
    /// A ruler that has measured nothing yet.
    pub fn new() -> Self {
        Self { options: options(), known: RefCell::default() }
    }

    /// The width of one line of text at a font size, in the unit of the size.
    pub fn width(&self, text: &str, size: f64) -> Result<f64, FigureError> {
        if text.trim().is_empty() {
            return Ok(0.0);
        }
        if let Some(width) = self.known.borrow().get(text) {
            return Ok(width * size / EM);
        }
        let width = self.measure(text)?;
        self.known.borrow_mut().insert(text.to_owned(), width);
        Ok(width * size / EM)
    }

    /// The widest of some lines.
    pub fn widest<S: AsRef<str>>(&self, lines: &[S], size: f64) -> Result<f64, FigureError> {
        lines.iter().try_fold(0.0, |widest: f64, line| Ok(widest.max(self.width(line.as_ref(), size)?)))
    }

    /// Breaks a text at spaces into lines no wider than `limit`; a single longer word keeps a line of its own.
    pub fn wrap(&self, text: &str, size: f64, limit: f64) -> Result<Vec<String>, FigureError> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            if let Some(line) = lines.last_mut() {
                let longer = format!("{line} {word}");
                if self.width(&longer, size)? <= limit {
                    *line = longer;
                    continue;
                }
            }
            self.width(word, size)?;
            lines.push(word.to_owned());
        }
        Ok(lines)
    }

    fn measure(&self, text: &str) -> Result<f64, FigureError> {
        let unmeasurable = || FigureError::Unmeasurable { text: text.to_owned() };
        let mut svg = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"100\">");
        svg.push_str(&format!("<text y=\"50\" font-size=\"{EM}\" font-family=\"{FAMILY}\">"));
        super::svg::escape_into(&mut svg, text);
        svg.push_str("</text></svg>");
        let tree = usvg::Tree::from_str(&svg, &self.options).map_err(|_| unmeasurable())?;
        let Some(usvg::Node::Text(node)) = tree.root().children().first() else {
            return Err(unmeasurable());
        };
        for glyph in node.layouted().iter().flat_map(|span| &span.positioned_glyphs) {
            if glyph.id.0 == 0 {
                let character = glyph.text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                return Err(FigureError::MissingGlyph { character, text: text.to_owned() });
            }
        }
        Ok(f64::from(node.bounding_box().width()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_glyph_is_named() {
        let text = "cost \u{2308}log\u{2309}";
        assert_eq!(
            Ruler::new().width(text, 8.0),
            Err(FigureError::MissingGlyph { character: '\u{2308}', text: text.into() })
        );
    }

    #[test]
    fn widths_scale_and_add_up() {
        let ruler = Ruler::new();
        let one = ruler.width("00000", 8.0).unwrap();
        assert!(one > 15.0 && one < 25.0, "{one}");
        assert!((ruler.width("0000000000", 8.0).unwrap() - 2.0 * one).abs() < 1e-3);
        assert!((ruler.width("00000", 16.0).unwrap() - 2.0 * one).abs() < 1e-9);
        assert_eq!(ruler.width(" ", 8.0), Ok(0.0));
    }

    #[test]
    fn wrapping_keeps_every_word() {
        let ruler = Ruler::new();
        let text = "measured divided by the classic formula, one filter per point";
        let lines = ruler.wrap(text, 8.0, 60.0).unwrap();
        assert!(lines.len() > 3);
        assert_eq!(lines.join(" "), text);
        assert!(ruler.widest(&lines, 8.0).unwrap() <= 60.0);
    }

    #[test]
    fn the_signs_of_the_axes_exist() {
        Ruler::new()
            .width("10⁻⁰¹²³⁴⁵⁶⁷⁸⁹ 2⁻¹ − × · ∞ ≤ ≥ ≈ ± √ % ‰ µ ε α β δ λ σ χ² – — … ° log₂ ½", 8.0)
            .unwrap_or_else(|e| panic!("{e}"));
    }
}
