// Stands at the end of a copy of the report and uses it as a reader would; the answers go into the page, where the test finds them.
"use strict";
(async () => {
  const out = { errors: window.driverErrors, steps: 0 };
  const must = (what, holds, seen) => {
    out.steps += 1;
    if (!holds) window.driverErrors.push(`${what}: ${JSON.stringify(seen)}`);
  };
  const fire = (target, type, options = {}) => target.dispatchEvent(new Event(type, { bubbles: true, ...options }));
  const key = (target, name) => target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const later = () => new Promise((resolve) => setTimeout(resolve, 50));
  const until = async (holds) => {
    // On a busy machine a frame may come late; what never comes fails all the same.
    for (let i = 0; i < 300 && !holds(); i++) await later();
  };

  try {
    // A table: closed at first, made to sort when it is opened.
    const details = document.getElementById("fpr-vs-k-points");
    details.open = true;
    await until(() => details.querySelector("input[type=search]") !== null);
    const table = details.querySelector("table");
    const data = Data.table("fpr-vs-k");
    const rows = () => Array.from(table.tBodies[0].rows);
    const header = Array.from(table.tHead.rows[0].cells).find((cell) => cell.dataset.column === "fpr");
    const column = header.cellIndex;
    must("all rows are there", rows().length === data.rows && rows().length > 5, rows().length);
    const values = () => rows().map((row) => Number(row.cells[column].textContent));
    const rises = (all) => all.every((value, index) => index === 0 || all[index - 1] <= value);
    const before = values();
    header.querySelector("button").click();
    must("sorted upwards", rises(values()) && header.getAttribute("aria-sort") === "ascending", values());
    header.querySelector("button").click();
    must("sorted downwards", rises(values().reverse()) && header.getAttribute("aria-sort") === "descending", values());
    must("and something was to be sorted", JSON.stringify(before) !== JSON.stringify(values()), before);
    const input = details.querySelector("input[type=search]");
    const shown = () => rows().filter((row) => !row.hidden).length;
    const expected = Array.from({ length: data.rows }, (_, row) => data.cell(row, "k")).filter((k) => k === "7").length;
    input.value = "k=7";
    fire(input, "input");
    must("filtered by a column", expected > 0 && expected < data.rows && shown() === expected, [shown(), expected]);
    input.value = "no such word";
    fire(input, "input");
    must("filtered to nothing", shown() === 0 && details.querySelector(".count").textContent === `0 of ${data.rows} rows`, shown());
    input.value = "";
    fire(input, "input");
    must("all rows again", shown() === data.rows, shown());
    out.csv = Tables.csvOf("fpr-vs-k");

    // The chooser, wish by wish.
    const form = document.getElementById("chooser-form");
    const best = () => Array.from(document.querySelectorAll("#chooser-out tbody tr"), (row) => row.dataset.id);
    out.choices = [];
    for (const arrival of ["insert", "static", "stream"]) {
      for (const [remove, transmit] of [[false, false], [true, false], [false, true]]) {
        form.querySelector(`input[value=${arrival}]`).checked = true;
        form.elements.delete.checked = remove;
        form.elements.transmit.checked = transmit;
        fire(form, "input");
        out.choices.push({ arrival, remove, transmit, best: best(), command: document.querySelector("#chooser-out code").textContent });
      }
    }
    form.reset();
    fire(form, "input");
    const link = document.querySelector("#chooser-out td a");
    must("a measured row stands behind a choice", link !== null, best());
    link.click();
    must("and is shown", document.querySelector("tr.found") !== null, link.textContent);

    // The calculator.
    const calculator = document.getElementById("calculator-form");
    const set = (values) => {
      for (const [name, value] of Object.entries({ n: "", p: "", m: "", k: "", ...values })) calculator.elements[name].value = value;
      fire(calculator, "input");
      return document.getElementById("calculator-out").textContent;
    };
    calculator.elements.filter.value = "standard";
    out.sized = set({ n: "1e6", p: "1%" });
    must("a size", out.sized.includes("9,585,088") && out.sized.includes("m=9585088 k=7"), out.sized);
    must("a refusal", set({ n: "1e6", p: "2" }).includes("p = 2 is out of range"), document.getElementById("calculator-out").textContent);
    must("text that is no number", set({ n: "many", p: "1%" }).includes("`many` is no number"), "");
    set({ n: "1e6", p: "1%" });

    // The curve follows its sliders.
    const sliders = document.getElementById("curve-form");
    const line = () => document.querySelector("#curve path.shared").getAttribute("d");
    const first = line();
    sliders.elements.k.value = "3";
    fire(sliders, "input");
    await until(() => line() !== first);
    must("the curve moves", line() !== first && line().length > 100, line().length);
    must("and says where it is", /rate of .*best k here is \d+/.test(document.getElementById("curve-out").textContent), document.getElementById("curve-out").textContent);

    // The little filters.
    const demo = document.getElementById("demo-form");
    const act = (name) => demo.querySelector(`[data-act=${name}]`).click();
    for (let i = 0; i < 5; i++) act("next");
    const cards = () => Array.from(document.querySelectorAll(".toy"), (card) => card.textContent);
    must("ten words are in all four", cards().length === 4 && cards().every((text) => text.includes("10 words")), cards());
    must("and false positives arose", cards().some((text) => /says yes to [1-9]\d* of 1000/.test(text)), cards());
    demo.elements.word.value = "apple";
    act("remove");
    must("a word is gone", cards().every((text) => text.includes("9 words")), cards());
    demo.elements.word.value = "<b>bold</b>";
    act("ask");
    must("a word is no markup", document.querySelector("#demo-out b b") === null && cards()[0].includes("<b>bold</b>"), cards()[0]);

    // Points, by keyboard.
    const figure = document.querySelector("section figure[data-experiment=fpr-vs-k]");
    const points = Array.from(figure.querySelectorAll("g.point"));
    const box = document.getElementById("point-box");
    must("one stop for the Tab key", points.filter((point) => point.getAttribute("tabindex") === "0").length === 1, points.length);
    points[0].focus();
    must("a point shows its numbers", !box.hidden && ["n ", "rate ", "95 %", "predicted rate", "probes"].every((word) => box.textContent.includes(word)), box.textContent);
    const said = box.textContent;
    key(points[0], "ArrowRight");
    must("an arrow goes to the next", document.activeElement === points[1] && box.textContent !== said, box.textContent);
    key(points[1], "Enter");
    const found = document.querySelector("tr.found");
    must("Enter opens its row", found !== null && document.activeElement === found, points[1].dataset.row);
    const row = Tables.ready("fpr-vs-k").place.get(found);
    must("which is the right one", String(row) === points[1].dataset.row, [row, points[1].dataset.row]);
    points[0].dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    must("hovering shows them too", !box.hidden && box.textContent === said, box.textContent);
    key(points[0], "Escape");
    must("and Escape hides them", box.hidden, box.textContent);

    // Every link within the page has a target, and nothing was asked of anyone.
    const dead = Array.from(document.querySelectorAll('a[href^="#"]'), (one) => one.getAttribute("href").slice(1)).filter((id) => !document.getElementById(id));
    must("links lead somewhere", dead.length === 0, dead);
    const ids = Array.from(document.querySelectorAll("[id]"), (one) => one.id);
    must("ids are given once", new Set(ids).size === ids.length, ids.filter((id, index) => ids.indexOf(id) !== index));
    out.requests = performance.getEntriesByType("resource").map((entry) => entry.name);
    out.width = [innerWidth, document.documentElement.scrollWidth];
  } catch (error) {
    window.driverErrors.push(`the driver: ${error.stack}`);
  }
  // To the frame around, which is narrower than a window can be.
  parent.postMessage(JSON.stringify(out), "*");
})();
