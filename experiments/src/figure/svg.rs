//! Writes SVG elements: coordinates in points, text escaped, nothing that depends on the host.

use std::fmt::Write as _;

use super::font::FAMILY;

/// The colour of texts and axes.
pub const INK: &str = "#222222";

/// Where a text stands relative to its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The position is the text's left end.
    Start,
    /// The position is the text's middle.
    Middle,
    /// The position is the text's right end.
    End,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Stroke<'a> {
    /// `#rrggbb`.
    pub colour: &'a str,
    /// Points.
    pub width: f64,
    /// Lengths of dashes and gaps in points; empty for a solid line.
    pub dashes: &'a [f64],
}

impl<'a> Stroke<'a> {
    /// A solid line.
    pub fn solid(colour: &'a str, width: f64) -> Self {
        Self { colour, width, dashes: &[] }
    }
}

/// Appends text with the five special characters of XML replaced and control characters left out.
pub fn escape_into(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' | '\t' => out.push(character),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
}

/// A coordinate with at most two decimals and no trailing zeros.
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// An SVG document under construction.
#[derive(Debug, Default)]
pub struct Canvas {
    out: String,
    /// Whether points name their rows.
    rows: bool,
}

impl Canvas {
    /// An empty one, in which points name their rows or do not.
    pub fn new(rows: bool) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Opens the group of a measured point.
    pub fn open_point(&mut self, tooltip: &str, row: Option<usize>) {
        let row = row.filter(|_| self.rows).map_or_else(String::new, |row| format!(" data-row=\"{row}\""));
        self.group("point", &row, tooltip);
    }

    /// Opens a group, with a tooltip unless it is empty.
    pub fn open(&mut self, class: &str, tooltip: &str) {
        self.group(class, "", tooltip);
    }

    fn group(&mut self, class: &str, attribute: &str, tooltip: &str) {
        let _ = write!(self.out, "<g class=\"{class}\"{attribute}>");
        if !tooltip.is_empty() {
            self.out.push_str("<title>");
            escape_into(&mut self.out, tooltip);
            self.out.push_str("</title>");
        }
        self.out.push('\n');
    }

    /// Closes the last open group.
    pub fn close(&mut self) {
        self.out.push_str("</g>\n");
    }

    /// One line of text; `y` is the baseline.
    pub fn text(&mut self, (x, y): (f64, f64), size: f64, anchor: Anchor, colour: &str, text: &str) {
        let _ = write!(self.out, "<text x=\"{}\" y=\"{}\"", number(x), number(y));
        self.text_tail(size, anchor, colour, text);
    }

    /// One line of text that reads upwards; `x` is the baseline.
    pub fn text_upwards(&mut self, (x, y): (f64, f64), size: f64, anchor: Anchor, text: &str) {
        let _ = write!(self.out, "<text transform=\"translate({} {}) rotate(-90)\"", number(x), number(y));
        self.text_tail(size, anchor, INK, text);
    }

    fn text_tail(&mut self, size: f64, anchor: Anchor, colour: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = write!(self.out, " font-size=\"{}\" fill=\"{colour}\"{anchor}>", number(size));
        escape_into(&mut self.out, text);
        self.out.push_str("</text>\n");
    }

    /// An open line through points.
    pub fn polyline(&mut self, points: &[(f64, f64)], stroke: Stroke<'_>) {
        if points.len() < 2 {
            return;
        }
        let _ = write!(self.out, "<path d=\"{}\" fill=\"none\"", path(points));
        self.stroke(stroke);
        self.out.push_str("/>\n");
    }

    /// A filled area without outline.
    pub fn area(&mut self, points: &[(f64, f64)], fill: &str, opacity: f64) {
        if points.len() < 3 {
            return;
        }
        let _ =
            writeln!(self.out, "<path d=\"{}Z\" fill=\"{fill}\" fill-opacity=\"{}\"/>", path(points), number(opacity));
    }

    /// A closed shape with outline.
    pub fn shape(&mut self, points: &[(f64, f64)], fill: &str, stroke: Stroke<'_>) {
        let _ = write!(self.out, "<path d=\"{}Z\" fill=\"{fill}\"", path(points));
        self.stroke(stroke);
        self.out.push_str("/>\n");
    }

    /// A circle with outline.
    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, fill: &str, stroke: Stroke<'_>) {
        let _ = write!(
            self.out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{fill}\"",
            number(x),
            number(y),
            number(radius)
        );
        self.stroke(stroke);
        self.out.push_str("/>\n");
    }

    fn stroke(&mut self, stroke: Stroke<'_>) {
        let _ = write!(self.out, " stroke=\"{}\" stroke-width=\"{}\"", stroke.colour, number(stroke.width));
        if !stroke.dashes.is_empty() {
            let dashes: Vec<String> = stroke.dashes.iter().map(|&d| number(d)).collect();
            let _ = write!(self.out, " stroke-dasharray=\"{}\"", dashes.join(" "));
        }
    }

    /// The whole document: what was drawn, with its size, its description and its metadata.
    pub fn finish(
        self,
        (width, height): (f64, f64),
        (title, description): (&str, &str),
        metadata: &[(String, String)],
    ) -> String {
        let (w, h) = (number(width), number(height));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}pt\" height=\"{h}pt\" viewBox=\"0 0 {w} {h}\" \
             role=\"img\" font-family=\"{FAMILY}\" aria-label=\""
        );
        escape_into(&mut out, title);
        out.push_str("\">\n<desc>");
        escape_into(&mut out, description);
        out.push_str("</desc>\n<metadata>\n");
        for (key, value) in metadata {
            out.push_str("<entry xmlns=\"urn:bloomery:figure\" key=\"");
            escape_into(&mut out, key);
            out.push_str("\">");
            escape_into(&mut out, value);
            out.push_str("</entry>\n");
        }
        let _ = write!(out, "</metadata>\n<path d=\"M0 0H{w}V{h}H0Z\" fill=\"#FFFFFF\"/>\n");
        out.push_str(&self.out);
        out.push_str("</svg>\n");
        out
    }
}

fn path(points: &[(f64, f64)]) -> String {
    let mut d = String::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        let _ = write!(d, "{}{} {}", if i == 0 { 'M' } else { 'L' }, number(x), number(y));
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_stable() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(12.345), "12.35");
        assert_eq!(number(100.0), "100");
    }

    #[test]
    fn markup_in_text_stays_text() {
        let mut out = String::new();
        escape_into(&mut out, "a<b & \"c\" 'd' > \u{1}e");
        assert_eq!(out, "a&lt;b &amp; &quot;c&quot; &apos;d&apos; &gt; e");
    }
}
