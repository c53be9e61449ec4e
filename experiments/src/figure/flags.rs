//! Labels above vertical lines, like flags on poles: no pole crosses another's text.

/// Space between a pole and its text, and between texts.
const GAP: f64 = 2.5;

/// A label above the axes and the pole that it hangs from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flag {
    /// The row of the text, from below.
    pub row: usize,
    /// Where the pole stands.
    pub pole: f64,
    /// Where the text begins.
    pub start: f64,
    width: f64,
}

impl Flag {
    fn covers(&self, x: f64) -> bool {
        x > self.start - GAP / 2.0 && x < self.start + self.width + GAP / 2.0
    }

    fn clashes(&self, other: &Self) -> bool {
        let texts = self.row == other.row
            && self.start < other.start + other.width + 2.0 * GAP
            && other.start < self.start + self.width + 2.0 * GAP;
        let crossed = |tall: &Self, low: &Self| tall.row >= low.row && low.covers(tall.pole);
        texts || crossed(self, other) || crossed(other, self)
    }
}

/// Finds a row for each label, given as the position of its line and the width of its text. Texts stand to the right of
/// their pole unless they would pass `right`. The result has the order of the input.
pub fn hoist(wanted: &[(f64, f64)], right: f64) -> Vec<Flag> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    // From right to left: a pole further left may pass all texts before it.
    order.sort_by(|&a, &b| wanted[b].0.total_cmp(&wanted[a].0));
    let mut placed: Vec<(usize, Flag)> = Vec::new();
    for index in order {
        let (pole, width) = wanted[index];
        let start = if pole + GAP + width <= right { pole + GAP } else { pole - GAP - width };
        let free = (0..=wanted.len())
            .map(|row| Flag { row, pole, start, width })
            .find(|flag| placed.iter().all(|(_, other)| !flag.clashes(other)));
        let top = placed.iter().map(|(_, flag)| flag.row + 1).max().unwrap_or(0);
        placed.push((index, free.unwrap_or(Flag { row: top, pole, start, width })));
    }
    placed.sort_by_key(|&(index, _)| index);
    placed.into_iter().map(|(_, flag)| flag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_lines_take_rows_from_right_to_left() {
        let flags = hoist(&[(10.0, 40.0), (14.0, 40.0), (18.0, 40.0)], 200.0);
        assert_eq!(flags.iter().map(|f| f.row).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn distant_lines_share_a_row() {
        let flags = hoist(&[(100.0, 40.0), (10.0, 40.0)], 200.0);
        assert!(flags.iter().all(|f| f.row == 0));
    }

    #[test]
    fn a_text_without_room_turns_left() {
        let flags = hoist(&[(190.0, 40.0), (100.0, 30.0)], 200.0);
        assert!(flags[0].start + 40.0 <= 190.0);
        assert!(!flags[0].clashes(&flags[1]));
    }
}
