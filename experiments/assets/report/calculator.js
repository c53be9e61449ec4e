// Two or three of n, p, m and k give the others; and the rate as keys come in.
const Calculator = (() => {
  "use strict";
  const NAMES = ["n", "p", "m", "k"];

  /** What the fields say: {given} or {error}. Empty fields are to be worked out. */
  function given(fields) {
    const out = {};
    for (const name of NAMES) {
      const text = fields[name].trim();
      if (text === "") continue;
      const value = Show.read(text);
      if (Number.isNaN(value)) return { error: `${name}: \`${text}\` is no number; write 1000000, 1e6, 10_000, 2^20 or 1%` };
      out[name] = value;
    }
    return { given: out };
  }

  function show(form, out) {
    const of = new FormData(form);
    const id = of.get("filter");
    const read = given(Object.fromEntries(NAMES.map((name) => [name, of.get(name) ?? ""])));
    const found = read.error ? read : Theory.solve(id, read.given);
    const label = form.querySelector("#calculator-k");
    label.textContent = Theory.filters[id].what === "k" ? "k, probes of a key" : "f, bits of a fingerprint";
    if (found.error) {
      out.replaceChildren(element("p", { class: "wrong", role: "alert" }, found.error));
      return;
    }
    const lines = [
      ["n", "keys", found.n === undefined ? "open" : Show.number(found.n, 10)],
      ["p", "false-positive rate", Show.number(found.p, 6)],
      ["m", "bits allocated", found.m === undefined ? "open" : `${Show.number(found.m, 15)} (${Show.bits(found.m)})`],
      [Theory.filters[id].what, Theory.filters[id].what === "k" ? "probes" : "bits of a fingerprint", Show.number(found.k)],
      ["m/n", "bits per key", Show.number(found.bitsPerKey, 6)],
      ["", "least bits per key of any static filter at this rate", Show.number(Theory.bound(found.p), 6)],
    ];
    const rows = lines.map(([name, what, value]) => element("tr", { class: name in read.given ? "given" : false },
      element("th", { scope: "row" }, name ? element("i", {}, name) : ""), element("td", { class: "text wide" }, what), element("td", {}, value)));
    const params = found.params ? Object.entries(found.params).filter(([name]) => name !== "keys").map(([name, value]) => `${name}=${value}`).join(" ") : "";
    out.replaceChildren(element("table", {}, element("tbody", {}, ...rows)), element("p", { class: "dim" }, `${found.note}${params ? `; ${params}` : ""}`));
  }

  function start() {
    const form = document.getElementById("calculator-form");
    if (!form) return;
    const select = form.querySelector("select");
    const labels = JSON.parse(document.getElementById("chooser-data").textContent).filters;
    for (const id of Object.keys(Theory.filters)) {
      const known = labels.find((filter) => filter.id === id);
      if (known) select.append(element("option", { value: id }, known.label));
    }
    const out = document.getElementById("calculator-out");
    form.addEventListener("input", () => show(form, out));
    form.addEventListener("submit", (event) => event.preventDefault());
    show(form, out);
  }
  return { given, start };
})();

const Curve = (() => {
  "use strict";
  const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 340, 62, 12, 10, 44];
  const KEYS = [1, 9];
  const RATES = [-9, 0];
  const STEPS = 120;
  /** Beyond so many probes a best k is not drawn: it is far below the axis. */
  const MOST_DRAWN = 40;

  const x = (n) => LEFT + ((Math.log10(n) - KEYS[0]) / (KEYS[1] - KEYS[0])) * (WIDTH - LEFT - RIGHT);
  const y = (p) => TOP + ((RATES[1] - Math.log10(p)) / (RATES[1] - RATES[0])) * (HEIGHT - TOP - BOTTOM);

  const LINES = [
    { id: "shared", title: "one shared array, exact", rate: (n, m, k) => Theory.fprExact(m, k, n) },
    { id: "sliced", title: "slices, exact", rate: (n, m, k) => (m >= k ? Theory.fprSlices(Math.floor(m / k), k, n) : 1) },
    {
      id: "best", title: "shared array with the best k for each n",
      rate: (n, m) => {
        const k = Math.min(Math.max(Math.round((m / n) * Math.LN2), 1), 64);
        return k > MOST_DRAWN ? 0 : Theory.fprExact(m, Theory.bestK(m, n), n);
      },
    },
    { id: "bound", title: "static lower bound, 2^(-m/n)", rate: (n, m) => Theory.boundRate(m / n) },
  ];

  /** Points of a line, x to rate, as far as the axes reach. */
  function points(line, m, k) {
    const all = Array.from({ length: STEPS + 1 }, (_, i) => Math.round(10 ** (KEYS[0] + ((KEYS[1] - KEYS[0]) * i) / STEPS)));
    return all.map((n) => [n, line.rate(n, m, k)]);
  }

  function path(line, m, k) {
    let d = "";
    let open = false;
    for (const [n, p] of points(line, m, k)) {
      // A little beyond the axes, which cut the line off.
      const inside = p >= 10 ** (RATES[0] - 9);
      if (inside) d += `${open ? "L" : "M"}${x(n).toFixed(1)} ${y(Math.min(p, 1)).toFixed(1)}`;
      open = inside;
    }
    return d;
  }

  const svg = (name, attributes, ...content) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    return made;
  };
  const power = (exponent) => {
    const digits = String(exponent).replace("-", "−");
    return [document.createTextNode("10"), svg("tspan", { dy: -5, "font-size": 9 }, digits)];
  };

  function axes() {
    const out = [];
    for (let e = KEYS[0]; e <= KEYS[1]; e++) {
      out.push(svg("path", { d: `M${x(10 ** e)} ${TOP}V${HEIGHT - BOTTOM}`, class: "grid" }));
      out.push(svg("text", { x: x(10 ** e), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, ...power(e)));
    }
    for (let e = RATES[0]; e <= RATES[1]; e++) {
      out.push(svg("path", { d: `M${LEFT} ${y(10 ** e)}H${WIDTH - RIGHT}`, class: "grid" }));
      out.push(svg("text", { x: LEFT - 8, y: y(10 ** e) + 4, "text-anchor": "end" }, ...power(e)));
    }
    out.push(svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, "keys in the filter, n"));
    out.push(svg("text", { transform: `translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, "false-positive rate"));
    return out;
  }

  function show(form, host, out) {
    const value = (name) => Number(form.elements[name].value);
    const n = Math.round(10 ** value("n"));
    const m = Math.max(Math.round(10 ** value("m") / 64) * 64, 64);
    const k = value("k");
    for (const [name, text] of [["n", `${Show.number(n)} keys`], ["m", `${Show.number(m)} bits, ${Show.number(m / n)} a key`], ["k", `${k} probes`]]) {
      form.querySelector(`output[name="${name}-out"]`).textContent = text;
      form.elements[name].setAttribute("aria-valuetext", text);
    }
    const lines = LINES.map((line) => svg("path", { d: path(line, m, k), class: `line ${line.id}` }));
    const rate = Theory.fprExact(m, k, n);
    const at = { cx: x(Math.min(Math.max(n, 10), 1e9)), cy: y(Math.min(Math.max(rate, 10 ** RATES[0]), 1)) };
    const mark = svg("circle", { ...at, r: 5, class: "mark" });
    const [w, h] = [WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM];
    const inner = svg("svg", { x: LEFT, y: TOP, width: w, height: h, viewBox: `${LEFT} ${TOP} ${w} ${h}` }, ...lines);
    host.replaceChildren(svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "False-positive rate against the number of keys" }, ...axes(), inner, mark));
    const best = Theory.bestK(m, n);
    const below = rate < 10 ** RATES[0] ? " (below the axis)" : "";
    out.textContent = `At the mark the shared array has a rate of ${Show.percent(rate)}${below}, slices ${Show.percent(LINES[1].rate(n, m, k))}. The best k here is ${best}, with ${Show.percent(Theory.fprExact(m, best, n))}.`;
  }

  function start() {
    const form = document.getElementById("curve-form");
    if (!form) return;
    const [host, out] = [document.getElementById("curve"), document.getElementById("curve-out")];
    document.getElementById("curve-legend").append(...LINES.map(({ id, title }) =>
      element("li", {}, svg("svg", { viewBox: "0 0 28 10", width: 28, height: 10, "aria-hidden": "true" }, svg("path", { d: "M0 5H28", class: `line ${id}` })), ` ${title}`)));
    let asked = false;
    form.addEventListener("input", () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        show(form, host, out);
      });
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    show(form, host, out);
  }
  return { LINES, points, start };
})();
