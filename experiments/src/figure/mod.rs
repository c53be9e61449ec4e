//! Figures: a small description of panels, drawn as SVG and PNG.
