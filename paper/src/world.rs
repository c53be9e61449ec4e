//! What the typesetting engine sees: the folder of the paper, files that are made, fonts that come with the program.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use typst::diag::{FileResult, SourceDiagnostic};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::layout::{Abs, Frame, FrameItem, Point};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt as _};
use typst_kit::diagnostics::termcolor::NoColor;
use typst_kit::diagnostics::{DiagnosticFormat, DiagnosticWorld, emit};
use typst_kit::files::{FileLoader, FileStore, FsRoot};
use typst_kit::fonts::{FontStore, embedded};
use typst_layout::PagedDocument;

/// What `template.typ` leaves free at the foot of a page, in inches.
const FOOT_INCHES: f64 = 0.9;

/// A document with all that it needs.
pub struct World {
    library: LazyHash<Library>,
    fonts: FontStore,
    files: FileStore<Files>,
    main: FileId,
}

struct Files {
    folder: FsRoot,
    made: BTreeMap<String, Bytes>,
}

impl FileLoader for Files {
    fn load(&self, id: FileId) -> FileResult<Bytes> {
        let path = id.get().vpath();
        match self.made.get(path.get_without_slash()) {
            Some(made) => Ok(made.clone()),
            None => self.folder.load(path),
        }
    }
}

impl World {
    /// The document `main` of the folder, beside files that are made; they are found first.
    pub fn new(folder: PathBuf, main: &str, made: BTreeMap<String, Vec<u8>>) -> Result<Self> {
        let main = VirtualPath::new(main).map_err(|error| anyhow!("{main}: {error:?}"))?;
        let mut fonts = FontStore::new();
        fonts.extend(embedded());
        let font =
            Font::new(Bytes::new(experiments::figure::FONT), 0).ok_or_else(|| anyhow!("the figures' font is none"))?;
        let info = font.info().clone();
        fonts.push((font, info));
        let made = made.into_iter().map(|(name, content)| (name, Bytes::new(content))).collect();
        Ok(Self {
            library: LazyHash::new(Library::builder().build()),
            fonts,
            files: FileStore::new(Files { folder: FsRoot::new(folder), made }),
            main: RootedPath::new(VirtualRoot::Project, main).intern(),
        })
    }

    /// A page as large as this figure, with nothing else.
    pub fn of_figure(svg: String) -> Result<Self> {
        let text = "#set page(width: auto, height: auto, margin: 0pt)\n#image(\"figure.svg\")\n";
        let made = [("figure.svg", svg), ("figure.typ", text.to_owned())];
        let made = made.into_iter().map(|(name, text)| (name.to_owned(), text.into_bytes())).collect();
        Self::new(PathBuf::from("."), "figure.typ", made)
    }

    /// The paper as PDF: as [`pdf`](Self::pdf), and nothing may stand in the foot of a page but its number, and no words below a figure. The
    /// engine is silent about a float that is longer than the room that is left.
    pub fn paper(&self) -> Result<Vec<u8>> {
        let document = self.document()?;
        let mut wrong = Vec::new();
        for (index, page) in document.pages().iter().enumerate() {
            let (limit, middle) =
                (page.frame.height() - Abs::inches(FOOT_INCHES) + Abs::pt(1.0), page.frame.width() / 2.0);
            let (mut words, mut figures) = (Vec::new(), Vec::new());
            placed(&page.frame, Point::zero(), &mut words, &mut figures);
            let number = |at: Point, text: &str| {
                text.chars().all(|next| next.is_ascii_digit()) && (at.x - middle).abs() < Abs::pt(12.0)
            };
            for (at, text) in words {
                if at.y > limit && !number(at, &text) {
                    wrong.push(format!("page {}: `{text}` runs into the foot", index + 1));
                }
                if figures.iter().any(|(from, to)| from.x < at.x && at.x < to.x && from.y < at.y && at.y < to.y) {
                    wrong.push(format!("page {}: `{text}` lies under a figure", index + 1));
                }
            }
            wrong.extend(
                figures
                    .iter()
                    .filter(|(_, to)| to.y > limit)
                    .map(|_| format!("page {}: a figure in the foot", index + 1)),
            );
        }
        if !wrong.is_empty() {
            bail!("{}", wrong.join("\n"));
        }
        self.export(&document)
    }

    /// The document as PDF. Warnings are errors: a missing letter is not published.
    pub fn pdf(&self) -> Result<Vec<u8>> {
        self.export(&self.document()?)
    }

    fn document(&self) -> Result<PagedDocument> {
        let compiled = typst::compile::<PagedDocument>(self);
        let document = match compiled.output {
            Ok(document) => document,
            Err(errors) => bail!("{}", self.told(&errors)?),
        };
        if !compiled.warnings.is_empty() {
            bail!("{}", self.told(&compiled.warnings)?);
        }
        Ok(document)
    }

    fn export(&self, document: &PagedDocument) -> Result<Vec<u8>> {
        // No timestamp: equal input gives equal bytes.
        let options = typst_pdf::PdfOptions::default();
        typst_pdf::pdf(document, &options).map_err(|errors| match self.told(&errors) {
            Ok(told) => anyhow!("{told}"),
            Err(error) => error,
        })
    }

    fn told<'a>(&self, diagnostics: impl IntoIterator<Item = &'a SourceDiagnostic>) -> Result<String> {
        let mut out = NoColor::new(Vec::new());
        emit(&mut out, self, diagnostics, DiagnosticFormat::Human)?;
        Ok(String::from_utf8_lossy(&out.into_inner()).into_owned())
    }
}

/// Where words stand, at their base line, and from where to where figures reach.
fn placed(frame: &Frame, origin: Point, words: &mut Vec<(Point, String)>, figures: &mut Vec<(Point, Point)>) {
    for (at, item) in frame.items() {
        let at = origin + *at;
        match item {
            FrameItem::Group(group) => placed(&group.frame, at, words, figures),
            FrameItem::Text(text) => words.push((at, text.text.to_string())),
            FrameItem::Image(_, size, _) => figures.push((at, at + size.to_point())),
            _ => {}
        }
    }
}

impl typst::World for World {
    fn library(&self) -> &LazyHash<Library> {
        &self.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        self.fonts.book()
    }

    fn main(&self) -> FileId {
        self.main
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        self.files.source(id)
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.files.file(id)
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.fonts.font(index)
    }

    /// None: a paper that has the day of its compilation is another one each day.
    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        None
    }
}

impl DiagnosticWorld for World {
    fn name(&self, id: FileId) -> String {
        format!("paper/{}", id.get().vpath().get_without_slash())
    }
}
