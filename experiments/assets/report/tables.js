// Tables that are sorted, filtered and taken along as CSV. The rows are in the page already; their full digits come from `Data`.
const Tables = (() => {
  "use strict";
  /** Numbers before texts, empty cells last. */
  function compare(left, right) {
    if (left === "" || right === "") return (left === "") - (right === "");
    const [a, b] = [Number(left), Number(right)];
    const [numeric, other] = [!Number.isNaN(a), !Number.isNaN(b)];
    if (numeric && other) return a - b;
    if (numeric !== other) return numeric ? -1 : 1;
    return left < right ? -1 : left > right ? 1 : 0;
  }

  /** Whether a row has all words of a filter; `name=value` asks for the cell of a column. */
  function matches(words, text, cell) {
    return words.every((word) => {
      const at = word.indexOf("=");
      if (at > 0 && cell(word.slice(0, at)) !== undefined) {
        const [wanted, found] = [word.slice(at + 1), cell(word.slice(0, at))];
        return found.toLowerCase() === wanted || (found !== "" && wanted !== "" && Number(found) === Number(wanted));
      }
      return text.includes(word);
    });
  }

  function download(name, text) {
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function enhance(table) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const headers = Array.from(table.tHead.rows[0].cells);
    const names = headers.map((header) => header.dataset.column ?? header.textContent);
    const id = table.dataset.table;
    const place = new Map(rows.map((row, index) => [row, index]));
    const full = () => Data.table(id);
    const at = (row, column) => {
      const shown = row.cells[column].textContent;
      const data = full();
      return data && data.columns.has(names[column]) ? data.cell(place.get(row), names[column]) : shown;
    };
    const texts = new Map();
    const text = (row) => {
      if (!texts.has(row)) texts.set(row, Array.from(row.cells, (cell) => cell.textContent).join(" ").toLowerCase());
      return texts.get(row);
    };
    const titles = headers.map((header) => header.textContent.toLowerCase());

    headers.forEach((header, column) => {
      const button = element("button", { type: "button", class: "sort" }, ...header.childNodes);
      header.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = header.getAttribute("aria-sort") === "ascending";
        headers.forEach((other) => other.removeAttribute("aria-sort"));
        header.setAttribute("aria-sort", down ? "descending" : "ascending");
        const keyed = rows.map((row) => ({ row, key: at(row, column) }));
        // Empty cells stay last either way.
        keyed.sort((a, b) => (down && a.key !== "" && b.key !== "" ? compare(b.key, a.key) : compare(a.key, b.key)) || place.get(a.row) - place.get(b.row));
        body.append(...keyed.map(({ row }) => row));
      });
    });

    const count = element("output", { class: "count" });
    const input = element("input", { type: "search", placeholder: "filter: words, or k=7", "aria-label": `Filter the rows of ${id}` });
    const filter = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const cell = (name) => {
          const column = names.findIndex((known, index) => known.toLowerCase() === name || titles[index] === name);
          if (column >= 0) return at(row, column);
          const data = full();
          return data && data.columns.has(name) ? data.cell(place.get(row), name) : undefined;
        };
        row.hidden = !matches(words, text(row), cell);
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = `${shown} of ${rows.length} rows`;
    };
    input.addEventListener("input", filter);
    const csv = element("button", { type: "button" }, "CSV, all columns");
    csv.addEventListener("click", () => download(`${id}.csv`, csvOf(id)));
    table.closest(".scroll").before(element("div", { class: "bar" }, input, count, full() ? csv : undefined));
    filter();
    return { rows, place };
  }

  /** What the CSV button saves. */
  const csvOf = (id) => Data.table(id).csv();

  const enhanced = new Map();
  /** The table of an id, made to sort and filter the first time it is needed. */
  function ready(id) {
    const table = document.querySelector(`table[data-table="${CSS.escape(id)}"]`);
    if (table && !enhanced.has(id)) enhanced.set(id, enhance(table));
    return enhanced.get(id);
  }

  /** Opens the table of an experiment at a row. */
  function reveal(id, index) {
    const table = ready(id);
    const row = table?.rows[index];
    if (!row) return;
    row.closest("details").open = true;
    row.hidden = false;
    document.querySelectorAll("tr.found").forEach((other) => other.classList.remove("found"));
    row.classList.add("found");
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "center" });
  }

  function start() {
    for (const table of document.querySelectorAll("table[data-table]")) {
      const details = table.closest("details");
      // What is closed costs nothing until it is opened.
      if (details && !details.open) details.addEventListener("toggle", () => ready(table.dataset.table), { once: true });
      else ready(table.dataset.table);
    }
  }

  return { compare, matches, csvOf, ready, reveal, start };
})();
