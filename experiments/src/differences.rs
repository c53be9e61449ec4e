//! What differs between a file of the results and what the raw rows give: cells of tables, points of figures.

use std::collections::BTreeSet;
use std::path::Path;

use crate::table::Table;

/// Lines for one file; the rest is counted.
const MOST: usize = 20;

/// A line for each cell of a table or point of an SVG figure that differs; nothing for other files.
#[must_use]
pub fn of(path: &Path, found: &[u8], right: &[u8]) -> Vec<String> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let mut lines = match ending {
        Some("csv") => match (Table::parse(found), Table::parse(right)) {
            (Ok(found), Ok(right)) => cells(&found, &right),
            (Err(error), _) | (_, Err(error)) => vec![format!("no table: {error}")],
        },
        Some("svg") => points(&String::from_utf8_lossy(found), &String::from_utf8_lossy(right)),
        _ => Vec::new(),
    };
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines.into_iter().map(|line| format!("  {line}")).collect()
}

/// Cells that differ, by point and column.
fn cells(found: &Table, right: &Table) -> Vec<String> {
    if (&found.columns, found.rows.len()) != (&right.columns, right.rows.len()) {
        let shape = |table: &Table| format!("{} rows of {} columns", table.rows.len(), table.columns.len());
        return vec![format!("{} where the raw rows give {}", shape(found), shape(right))];
    }
    let mut lines = Vec::new();
    for (number, (found_row, right_row)) in found.rows.iter().zip(&right.rows).enumerate() {
        let names = ["contender", "point"].map(|column| right.cell(right_row, column));
        for ((column, found), right) in right.columns.iter().zip(found_row).zip(right_row) {
            if found != right {
                let place = format!("line {} ({})", number + 2, names.join(" "));
                lines.push(format!(
                    "{place}, column {column}: `{}` where the raw rows give `{}`",
                    cut(found),
                    cut(right)
                ));
            }
        }
    }
    lines
}

/// Points of a figure, each with its numbers, that are on one side only.
fn points(found: &str, right: &str) -> Vec<String> {
    let [found_points, right_points] = [found, right].map(|svg| {
        let groups = svg.split("<g class=\"point\"><title>").skip(1);
        groups.filter_map(|group| group.split_once("</g>")).map(|(group, _)| group).collect::<BTreeSet<_>>()
    });
    let title = |group: &&&str| group.split("</title>").next().unwrap_or_default().to_owned();
    let gone = found_points.difference(&right_points);
    let come = right_points.difference(&found_points);
    let lines: Vec<String> = gone
        .map(|group| format!("drawn: {}", title(&group)))
        .chain(come.map(|group| format!("the raw rows give: {}", title(&group))))
        .collect();
    if lines.is_empty() {
        vec!["no point of the figure differs, but something else in it does".to_owned()]
    } else {
        lines
    }
}

/// The beginning of a long cell.
fn cut(cell: &str) -> String {
    match cell.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &cell[..end]),
        None => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_points_are_named_and_nothing_else() {
        let (before, after) = ("point,contender,fpr\na,x,1\nb,x,2\n", "point,contender,fpr\na,x,1\nb,x,3\n");
        let lines = of(Path::new("t.csv"), before.as_bytes(), after.as_bytes());
        assert_eq!(lines, ["  line 3 (x b), column fpr: `2` where the raw rows give `3`"]);
        let lines = of(Path::new("t.csv"), before.as_bytes(), b"point,fpr\na,1\n");
        assert_eq!(lines, ["  2 rows of 3 columns where the raw rows give 1 rows of 2 columns"]);
        let svg = |second: &str| {
            let group = |text: &str| format!("<g class=\"point\"><title>{text}</title>\n<path/></g>\n");
            format!("<svg>{}{}</svg>", group("a, fpr 1"), group(second))
        };
        let lines = of(Path::new("t.svg"), svg("b, fpr 2").as_bytes(), svg("b, fpr 3").as_bytes());
        assert_eq!(lines, ["  drawn: b, fpr 2", "  the raw rows give: b, fpr 3"]);
        let lines = of(Path::new("t.svg"), svg("b").as_bytes(), svg("b").replace("<svg>", "<svg >").as_bytes());
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("something else"), "{lines:?}");
        let many: String = (0..30).map(|index| format!("{index}\n")).collect();
        let others: String = (0..30).map(|index| format!("-{index}.5\n")).collect();
        let lines = of(Path::new("t.csv"), format!("n\n{many}").as_bytes(), format!("n\n{others}").as_bytes());
        assert_eq!((lines.len(), lines.last().unwrap().as_str()), (MOST + 1, "  and 10 more"));
    }
}
