// The derived tables as they are embedded: by columns, a constant or repeating column once. `csv` gives the bytes of derived/*.csv.
const Data = (() => {
  "use strict";
  const tables = new Map();

  function unpack(packed, rows) {
    if (typeof packed === "string") return () => packed;
    if (Array.isArray(packed)) return (row) => packed[row];
    const { of, at } = packed;
    return (row) => of[at[row]];
  }

  class Table {
    constructor({ names, columns, rows }) {
      Object.assign(this, { names, rows });
      this.columns = new Map(names.map((name, index) => [name, unpack(columns[index], rows)]));
    }
    /** A cell's text in full; empty for a column there is not. */
    cell(row, name) {
      const column = this.columns.get(name);
      return column ? column(row) : "";
    }
    csv() {
      const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
      const line = (cells) => `${cells.map(quoted).join(",")}\n`;
      const rows = Array.from({ length: this.rows }, (_, row) => line(this.names.map((name) => this.cell(row, name))));
      return line(this.names) + rows.join("");
    }
  }

  /** The table of an id; nothing where none is embedded. */
  function table(id) {
    if (!tables.has(id)) {
      const element = document.getElementById(`data-${id}`);
      tables.set(id, element ? new Table(JSON.parse(element.textContent)) : undefined);
    }
    return tables.get(id);
  }

  return { Table, table };
})();

/** Numbers as people read them. */
const Show = (() => {
  "use strict";
  const digits = (value, most) => {
    if (!Number.isFinite(value)) return "";
    if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e15)) return value.toExponential(most - 1).replace(/\.?0+e/, "e");
    return String(Number(value.toPrecision(most)));
  };
  const grouped = (value) => String(value).replace(/^\d+/, (whole) => (whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole));
  const number = (value, most = 4) => (Number.isInteger(value) && Math.abs(value) < 1e15 ? grouped(value) : digits(value, most));
  /** A cell's text: long numbers with few digits, all else as it is. */
  const cell = (text) => (text !== "" && Number.isFinite(Number(text)) ? number(Number(text), 5) : text);
  const percent = (rate) => (rate >= 0.001 ? `${(rate * 100).toFixed(rate >= 0.0995 ? 1 : 3)} %` : digits(rate, 3));
  const fixed = (value, decimals) => (Number.isFinite(value) ? value.toFixed(decimals) : "");
  const bits = (value) => {
    const bytes = value / 8;
    const [unit, name] = bytes >= 2 ** 30 ? [2 ** 30, "GiB"] : bytes >= 2 ** 20 ? [2 ** 20, "MiB"] : bytes >= 2 ** 10 ? [2 ** 10, "KiB"] : [1, "bytes"];
    return `${digits(bytes / unit, 3)} ${name}`;
  };
  /** A number as people write it: 1e6, 2^20, 10_000, 1 %; NaN for anything else. */
  const read = (text) => {
    const plain = text.trim().replace(/[_\s,](?=\d{3})/g, "");
    const power = /^(\d+)\s*\^\s*(\d+)$/.exec(plain);
    if (power) return Number(power[1]) ** Number(power[2]);
    const share = /^([\d.e+-]+)\s*%$/i.exec(plain);
    if (share) return Number((Number(share[1]) / 100).toPrecision(15));
    return plain === "" ? NaN : Number(plain);
  };
  return { number, fixed, cell, percent, bits, read };
})();

/** Elements with their content as text: nothing that comes from data is read as markup. */
function element(name, attributes, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...content.filter((one) => one !== undefined && one !== ""));
  return made;
}
