//! The style book: one colour, mark and dash for each thing that any figure shows.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The mark of a measured point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Mark {
    Circle,
    Square,
    Diamond,
    Triangle,
    TriangleDown,
    Pentagon,
    Plus,
    Cross,
    Star,
    CircleOpen,
    SquareOpen,
    DiamondOpen,
    TriangleOpen,
    TriangleDownOpen,
    PentagonOpen,
}

impl Mark {
    /// Whether the mark is an outline with a white inside.
    pub fn is_open(self) -> bool {
        use Mark::{CircleOpen, DiamondOpen, PentagonOpen, SquareOpen, TriangleDownOpen, TriangleOpen};
        matches!(self, CircleOpen | SquareOpen | DiamondOpen | TriangleOpen | TriangleDownOpen | PentagonOpen)
    }
}

/// The pattern of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Dash {
    Solid,
    Dashed,
    Dotted,
    DashDot,
    LongDash,
    DashDotDot,
    ShortDash,
    LongDashDot,
}

impl Dash {
    /// Lengths of dashes and gaps in points.
    pub fn lengths(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Dashed => &[4.0, 2.0],
            Self::Dotted => &[1.0, 1.6],
            Self::DashDot => &[5.0, 1.7, 1.0, 1.7],
            Self::LongDash => &[8.0, 2.4],
            Self::DashDotDot => &[5.0, 1.6, 1.0, 1.6, 1.0, 1.6],
            Self::ShortDash => &[2.4, 1.4],
            Self::LongDashDot => &[8.0, 1.8, 1.6, 1.8],
        }
    }
}

/// How one thing looks in every figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// Its name in legends.
    pub label: String,
    /// `#RRGGBB`.
    pub colour: String,
    /// The mark of its measured points.
    pub mark: Mark,
    /// The pattern of its lines.
    pub dash: Dash,
}

/// What a series asks its style by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum StyleKey {
    /// An entry of the style book.
    Id(String),
    /// The n-th of the numbered styles, for series that are not contenders. Counted round.
    Numbered(usize),
}

impl From<&str> for StyleKey {
    fn from(id: &str) -> Self {
        Self::Id(id.to_owned())
    }
}

impl From<String> for StyleKey {
    fn from(id: String) -> Self {
        Self::Id(id)
    }
}

impl From<usize> for StyleKey {
    fn from(number: usize) -> Self {
        Self::Numbered(number)
    }
}

/// A style book that cannot be read, or has no entry.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StyleError {
    /// The file's syntax, an unknown key, mark or dash. The message carries line and column.
    #[error("style book: {message}")]
    Syntax {
        /// What the parser said.
        message: String,
    },
    /// A colour that the palette does not name.
    #[error("style `{id}`: the palette has no colour `{colour}`")]
    Colour {
        /// The entry.
        id: String,
        /// The name it asks for.
        colour: String,
    },
    /// A palette entry that is no `#RRGGBB`.
    #[error("palette: `{name}` = `{value}` is no #RRGGBB")]
    Hex {
        /// The name.
        name: String,
        /// The value.
        value: String,
    },
    /// One id in two groups.
    #[error("style `{id}` stands in two groups")]
    Twice {
        /// The id.
        id: String,
    },
    /// No numbered styles at all.
    #[error("style book: `numbered` is empty")]
    NoNumbered,
    /// No entry of that id.
    #[error("no style `{id}`{}", nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    Unknown {
        /// The id asked for.
        id: String,
        /// The entry most like it.
        nearest: Option<String>,
    },
}

/// All styles, by id.
///
/// ```
/// let book = experiments::figure::StyleBook::committed()?;
/// assert_eq!(book.get("standard")?.mark, experiments::figure::Mark::Circle);
/// # Ok::<(), experiments::figure::StyleError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyleBook {
    styles: BTreeMap<String, Style>,
    numbered: Vec<Style>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    palette: BTreeMap<String, String>,
    #[serde(default)]
    theory: BTreeMap<String, Entry>,
    #[serde(default)]
    contender: BTreeMap<String, Entry>,
    #[serde(default)]
    published: BTreeMap<String, Entry>,
    #[serde(default)]
    control: BTreeMap<String, Entry>,
    #[serde(default)]
    family: BTreeMap<String, Entry>,
    #[serde(default)]
    scheme: BTreeMap<String, Entry>,
    numbered: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    label: String,
    colour: String,
    mark: Mark,
    dash: Dash,
}

static COMMITTED: &str = include_str!("../../style.toml");

impl StyleBook {
    /// The style book of this repository, `style.toml`.
    pub fn committed() -> Result<Self, StyleError> {
        Self::parse(COMMITTED)
    }

    /// Reads a style book.
    pub fn parse(text: &str) -> Result<Self, StyleError> {
        let file: File =
            toml::from_str(text).map_err(|e| StyleError::Syntax { message: e.to_string().trim_end().to_owned() })?;
        for (name, value) in &file.palette {
            let hex = value.strip_prefix('#').unwrap_or_default();
            if hex.len() != 6 || !hex.chars().all(|c| c.is_ascii_hexdigit()) {
                return Err(StyleError::Hex { name: name.clone(), value: value.clone() });
            }
        }
        let style = |id: &str, entry: Entry| {
            let colour = file
                .palette
                .get(&entry.colour)
                .cloned()
                .ok_or_else(|| StyleError::Colour { id: id.to_owned(), colour: entry.colour.clone() })?;
            Ok(Style { label: entry.label, colour, mark: entry.mark, dash: entry.dash })
        };
        let mut styles = BTreeMap::new();
        for group in [file.theory, file.contender, file.published, file.control, file.family, file.scheme] {
            for (id, entry) in group {
                let made = style(&id, entry)?;
                if styles.insert(id.clone(), made).is_some() {
                    return Err(StyleError::Twice { id });
                }
            }
        }
        let numbered: Vec<Style> =
            file.numbered.into_iter().map(|entry| style("numbered", entry)).collect::<Result<_, _>>()?;
        if numbered.is_empty() {
            return Err(StyleError::NoNumbered);
        }
        Ok(Self { styles, numbered })
    }

    /// Adds or replaces the style of an id: for contenders that live in another repository.
    pub fn with(mut self, id: impl Into<String>, style: Style) -> Self {
        self.styles.insert(id.into(), style);
        self
    }

    /// The style of an id.
    pub fn get(&self, id: &str) -> Result<&Style, StyleError> {
        self.styles.get(id).ok_or_else(|| StyleError::Unknown {
            id: id.to_owned(),
            nearest: self
                .styles
                .keys()
                .map(|key| (strsim::jaro_winkler(id, key), key))
                .max_by(|a, b| a.0.total_cmp(&b.0))
                .map(|(_, key)| key.clone()),
        })
    }

    /// The n-th numbered style, counted round.
    pub fn numbered(&self, number: usize) -> &Style {
        &self.numbered[number % self.numbered.len()]
    }

    /// The style that a series asks for.
    pub fn resolve(&self, key: &StyleKey) -> Result<&Style, StyleError> {
        match key {
            StyleKey::Id(id) => self.get(id),
            StyleKey::Numbered(number) => Ok(self.numbered(*number)),
        }
    }

    /// Every id, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.styles.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const SMALL: &str = "
        [palette]
        blue = '#0072B2'
        [contender]
        standard = { label = 'Standard', colour = 'blue', mark = 'circle', dash = 'solid' }
        [[numbered]]
        label = '1'
        colour = 'blue'
        mark = 'plus'
        dash = 'dotted'
    ";

    #[test]
    fn a_missing_style_names_the_nearest() {
        let book = StyleBook::parse(SMALL).unwrap();
        assert_eq!(
            book.get("standart"),
            Err(StyleError::Unknown { id: "standart".into(), nearest: Some("standard".into()) })
        );
        assert_eq!(book.get("standard").unwrap().colour, "#0072B2");
        assert_eq!(book.numbered(7).mark, Mark::Plus);
        let own = book.numbered(0).clone();
        assert_eq!(book.with("mine", own).get("mine").unwrap().label, "1");
    }

    #[test]
    fn mistakes_in_the_file_are_errors() {
        let error = |from: &str, to: &str| StyleBook::parse(&SMALL.replace(from, to)).unwrap_err();
        assert!(
            matches!(error("label = '1'", "labell = '1'"), StyleError::Syntax { message } if message.contains("labell"))
        );
        assert!(matches!(error("'circle'", "'cirlce'"), StyleError::Syntax { .. }));
        assert_eq!(error("'#0072B2'", "'0072B2'"), StyleError::Hex { name: "blue".into(), value: "0072B2".into() });
        assert!(matches!(error("colour = 'blue', mark", "colour = 'teal', mark"), StyleError::Colour { .. }));
        let twice =
            "[control]\nstandard = { label = 'S', colour = 'blue', mark = 'circle', dash = 'solid' }\n[contender]";
        assert_eq!(error("[contender]", twice), StyleError::Twice { id: "standard".into() });
    }

    #[test]
    fn the_committed_book_tells_its_entries_apart() {
        let book = StyleBook::committed().unwrap();
        let file: File = toml::from_str(COMMITTED).unwrap();
        let (marks, published): (BTreeSet<_>, BTreeSet<_>) = (
            file.contender.values().map(|one| one.mark).collect(),
            file.published.values().map(|one| one.mark).collect(),
        );
        assert!(marks.is_disjoint(&published), "{published:?}");
        assert!(published.len() == 3 && published.iter().all(|mark| mark.is_open()), "{published:?}");
        for group in [file.contender, file.published, file.control, file.family, file.scheme] {
            let mut looks: Vec<_> = group.keys().map(|id| book.get(id).unwrap()).map(|s| (&s.colour, s.mark)).collect();
            let mut lines: Vec<_> = group.keys().map(|id| book.get(id).unwrap()).map(|s| (&s.colour, s.dash)).collect();
            for list in [looks.len(), lines.len()] {
                assert_eq!(list, group.len());
            }
            looks.sort();
            looks.dedup();
            lines.sort();
            lines.dedup();
            assert_eq!((looks.len(), lines.len()), (group.len(), group.len()));
        }
    }
}
