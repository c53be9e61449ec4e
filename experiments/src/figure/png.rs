//! An SVG figure as a bitmap.

use resvg::{tiny_skia, usvg};

use super::error::FigureError;
use super::font;

/// Dots per inch at which one SVG pixel is one bitmap pixel.
const SVG_DPI: f64 = 96.0;

/// Renders a drawn figure at a resolution, with the committed font and on white.
///
/// The same input gives the same bytes on every host: no installed font is looked at.
pub fn to_png(svg: &str, dpi: f64) -> Result<Vec<u8>, FigureError> {
    let unreadable = |reason: String| FigureError::Unreadable { reason };
    let tree = usvg::Tree::from_str(svg, &font::options()).map_err(|e| unreadable(e.to_string()))?;
    let scale = dpi / SVG_DPI;
    let pixels = |length: f32| (f64::from(length) * scale).round() as u32;
    let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
    let mut bitmap = tiny_skia::Pixmap::new(width, height).ok_or(FigureError::Bitmap { width, height })?;
    bitmap.fill(tiny_skia::Color::WHITE);
    let scale = scale as f32;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut bitmap.as_mut());
    bitmap.encode_png().map_err(|e| unreadable(e.to_string()))
}
