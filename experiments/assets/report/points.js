// The numbers of a figure's points, on hover and on keyboard focus: one stop of the Tab key for a figure, arrow keys from point to point.
const Points = (() => {
  "use strict";
  const box = element("div", { id: "point-box", role: "status", hidden: true });

  const NAMES = { keys: "n", predicted_fpr: "predicted rate", fpr: "rate", min_ns: "ns", detectable: "effect that would be seen", target_fpr: "rate asked for" };
  const ALWAYS = ["contender", "family", "scheme", "reduction", "workload"];
  const NUMBERS = ["keys", "m", "k", "fingerprint_bits", "bits_per_key", "fpr", "predicted_fpr", "probes", "false_positives", "filters", "min_ns"];

  /** Pairs of name and value of a row: its names, its numbers with their intervals, what the figure's axes show, its verdict. */
  function facts(table, row, axes) {
    const cell = (name) => table.cell(row, name);
    const out = [];
    const put = (name) => {
      if (out.some(([known]) => known === name) || cell(name) === "") return;
      const [low, high] = [cell(`${name}_low`), cell(`${name}_high`)];
      const interval = low !== "" && high !== "" ? ` (95 %: ${Show.cell(low)} to ${Show.cell(high)})` : "";
      out.push([name, Show.cell(cell(name)) + interval]);
    };
    const plain = (name) => !(name === "workload" && cell(name) === "random") && !(name === "family" && cell(name) === "mixer");
    ALWAYS.filter(plain).forEach(put);
    NUMBERS.forEach(put);
    axes.forEach(put);
    put("verdict");
    put("explanation");
    return out.map(([name, value]) => [NAMES[name] ?? name.replaceAll("_", " "), value]);
  }

  function content(point) {
    const figure = point.closest("figure");
    const table = Data.table(figure.dataset.experiment);
    const axes = (figure.dataset.axes ?? "").split(" ").filter(Boolean);
    if (table && point.dataset.row !== undefined) return facts(table, Number(point.dataset.row), axes);
    const title = point.querySelector("title");
    return title ? [["", title.textContent]] : [];
  }

  function show(point) {
    const pairs = content(point);
    if (!pairs.length) return;
    box.replaceChildren(...pairs.map(([name, value]) => element("div", {}, name ? element("b", {}, `${name} `) : "", value)));
    box.hidden = false;
    point.setAttribute("aria-label", pairs.map(([name, value]) => `${name} ${value}`).join(", "));
    const at = point.getBoundingClientRect();
    const { width, height } = box.getBoundingClientRect();
    const left = Math.min(Math.max(at.left + at.width / 2 - width / 2, 4), document.documentElement.clientWidth - width - 4);
    const above = at.top - height - 8;
    box.style.left = `${left + scrollX}px`;
    box.style.top = `${(above > 4 ? above : at.bottom + 8) + scrollY}px`;
  }
  const hide = () => {
    box.hidden = true;
  };

  function figure(one) {
    const svg = one.querySelector("svg");
    const points = Array.from(one.querySelectorAll("g.point, g.bin"));
    if (!svg || !points.length) return;
    // A picture to a reader without script; a group of points with one.
    svg.setAttribute("role", "group");
    const label = `${svg.getAttribute("aria-label")}: arrow keys go from point to point, Enter opens the row`;
    svg.setAttribute("aria-label", label);
    for (const point of points) {
      point.setAttribute("tabindex", "-1");
      point.setAttribute("role", "img");
      // The box says it; the browser's own tooltip would say it twice.
      if (point.dataset.row !== undefined) point.querySelector("title")?.remove();
    }
    points[0].setAttribute("tabindex", "0");
    const move = (from, step) => {
      const to = points[Math.min(Math.max(points.indexOf(from) + step, 0), points.length - 1)];
      from.setAttribute("tabindex", "-1");
      to.setAttribute("tabindex", "0");
      to.focus();
    };
    const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -points.length, End: points.length };
    const pointOf = (event) => event.target.closest("g.point, g.bin");
    svg.addEventListener("keydown", (event) => {
      const point = pointOf(event);
      if (!point) return;
      if (event.key in STEPS) move(point, STEPS[event.key]);
      else if (event.key === "Escape") hide();
      else if (event.key === "Enter" && point.dataset.row !== undefined) Tables.reveal(one.dataset.experiment, Number(point.dataset.row));
      else return;
      event.preventDefault();
    });
    svg.addEventListener("focusin", (event) => pointOf(event) && show(pointOf(event)));
    svg.addEventListener("focusout", hide);
    svg.addEventListener("pointerover", (event) => (pointOf(event) ? show(pointOf(event)) : hide()));
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("click", (event) => {
      const point = pointOf(event);
      if (point?.dataset.row !== undefined) Tables.reveal(one.dataset.experiment, Number(point.dataset.row));
    });
  }

  function start() {
    document.body.append(box);
    document.querySelectorAll("figure[data-experiment]").forEach(figure);
  }
  return { facts, start };
})();
