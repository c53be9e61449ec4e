//! Derived tables within the page: by columns, those that repeat once, so that hundreds of rows are not hundreds of times their names.

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::table::Table;

/// A column as JSON: its one cell, its cells, or its few different cells and which of them each row has.
fn column(cells: &[&str]) -> Value {
    let mut of: Vec<&str> = Vec::new();
    let mut at: Vec<usize> = Vec::new();
    for cell in cells {
        // Beyond a few dozen different cells a list of numbers saves nothing.
        let known = of.iter().position(|known| known == cell).unwrap_or(of.len());
        if known == of.len() {
            of.push(cell);
        }
        at.push(known);
        if of.len() > 64 {
            return json!(cells);
        }
    }
    match of[..] {
        [] => json!([]),
        [one] => json!(one),
        _ if of.len() * 2 > cells.len() => json!(cells),
        _ => json!({ "of": of, "at": at }),
    }
}

/// The whole table, as the script reads it.
#[must_use]
pub fn packed(table: &Table) -> Value {
    let columns: Vec<Value> = (0..table.columns.len())
        .map(|index| {
            column(&table.rows.iter().map(|row| row.get(index).map_or("", String::as_str)).collect::<Vec<_>>())
        })
        .collect();
    json!({ "names": table.columns, "rows": table.rows.len(), "columns": columns })
}

/// JSON as the content of a script element, which no text in it can end.
pub(super) fn json_element(id: &str, value: &Value) -> Markup {
    let text = value.to_string().replace('<', "\\u003c");
    html! { script type="application/json" id=(id) { (PreEscaped(text)) } }
}

/// The table of an experiment, for the script.
pub(super) fn embedded(id: &str, table: &Table) -> Markup {
    json_element(&format!("data-{id}"), &packed(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_packed_by_what_they_hold() {
        assert_eq!(column(&["a", "a", "a"]), json!("a"));
        assert_eq!(column(&["a", "b", "c"]), json!(["a", "b", "c"]));
        assert_eq!(column(&["a", "b", "a", "b", "a"]), json!({ "of": ["a", "b"], "at": [0, 1, 0, 1, 0] }));
        assert_eq!(column(&[]), json!([]));
        let many: Vec<String> = (0..200).map(|index| index.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(column(&many), json!(many));
    }

    /// A cell cannot end the element it stands in.
    #[test]
    fn markup_in_a_cell_is_no_markup() {
        let mut table = Table::default();
        table.push([("x".to_owned(), "</script><b>\"&".to_owned())]);
        let text = embedded("t", &table).into_string();
        assert_eq!(text.matches('<').count(), 2, "{text}");
        let inner = text.split_once('>').unwrap().1.rsplit_once("</").unwrap().0;
        assert_eq!(serde_json::from_str::<Value>(inner).unwrap()["columns"][0], "</script><b>\"&");
    }
}
