//! What is drawn over the data of a panel: caches of the host, the frontier.

use super::Rows;
use crate::figure::{Panel, Reading, Reference, Series};

/// Where memory of so many bits a unit of x fills a cache of the host, within the range of the data.
pub(super) fn cache_marks(panel: Panel, rows: &Rows<'_>, caches: &[String]) -> Panel {
    let Some(bits) = rows.spec.caches else { return panel };
    let all = || rows.rows.iter().filter(|row| rows.point(row, None).is_some()).filter_map(|row| rows.x(row));
    let inside = all().fold(f64::INFINITY, f64::min)..=all().fold(0.0, f64::max);
    caches.iter().filter_map(|cache| cache_bytes(cache)).fold(panel, |panel, (level, bytes)| {
        let at = 8.0 * bytes / bits;
        if inside.contains(&at) { panel.reference(Reference::x(at, level)) } else { panel }
    })
}

/// Level and bytes of a cache for data, from the manifest's words (`L2 Unified 2048K`).
fn cache_bytes(cache: &str) -> Option<(&str, f64)> {
    let words: Vec<&str> = cache.split(' ').collect();
    let [level, kind, size] = words[..] else { return None };
    let unit = match size.chars().last()? {
        'K' => 1024.0,
        'M' => 1_048_576.0,
        _ => return None,
    };
    let bytes = size[..size.len() - 1].parse::<f64>().ok()? * unit;
    (kind != "Instruction").then_some((level, bytes))
}

/// The frontier of the points of a panel.
pub(super) fn frontier_line(rows: &Rows<'_>) -> Series {
    let points = rows.rows.iter().filter_map(|row| rows.point(row, None)).filter_map(|point| match point.reading {
        Reading::Value { value, .. } => Some((point.x, value)),
        _ => None,
    });
    Series::line("frontier", frontier(points)).label("frontier")
}

/// The stair along the points that no other point is below in both x and y; they are below and left of all others.
fn frontier(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = points.collect();
    points.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1)));
    let mut stair: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points {
        match stair.last() {
            Some((_, least)) if y >= *least => {}
            Some((_, least)) => stair.extend([(x, *least), (x, y)]),
            None => stair.push((x, y)),
        }
    }
    stair
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frontier_is_a_stair_below_all_points() {
        let points = [(10.0, 3.0), (8.0, 5.0), (9.0, 6.0), (12.0, 3.0), (11.0, 2.0)];
        let stair = [(8.0, 5.0), (10.0, 5.0), (10.0, 3.0), (11.0, 3.0), (11.0, 2.0)];
        assert_eq!(frontier(points.into_iter()), stair);
        assert_eq!(frontier([(1.0, 2.0), (1.0, 1.0)].into_iter()), [(1.0, 1.0)]);
        assert_eq!(frontier(std::iter::empty()), []);
    }

    #[test]
    fn caches_for_data_have_their_bytes() {
        assert_eq!(cache_bytes("L2 Unified 2048K"), Some(("L2", 2_097_152.0)));
        assert_eq!(cache_bytes("L1 Data 48K"), Some(("L1", 49_152.0)));
        assert_eq!(cache_bytes("L3 Unified 260M"), Some(("L3", 272_629_760.0)));
        assert_eq!((cache_bytes("L1 Instruction 32K"), cache_bytes("unknown")), (None, None));
    }
}
