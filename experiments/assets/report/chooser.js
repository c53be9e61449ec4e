// Which filter to take: the ranking of `experiments plan`, from sizes that the same code worked out beforehand.
const Chooser = (() => {
  "use strict";

  /** Why a filter is no answer to a wish, by what its type can do; nothing if it is one. */
  function excluded(data, can, wish) {
    if (wish.stream && !can.decaying) return data.reasons.keeps_all;
    if (!wish.fixed && !can.incremental) return data.reasons.needs_all_keys;
    if (wish.delete && !can.deletable) return data.reasons.cannot_delete;
    if (!wish.stream && can.decaying) return data.reasons.forgets;
    return undefined;
  }

  /** Candidates, best first, and those left out with the reason. `wish`: {keys, fpr, delete, stream, fixed, transmit}. */
  function rank(data, wish) {
    const at = data.keys.indexOf(wish.keys) * data.rates.length + data.rates.indexOf(wish.fpr);
    const [candidates, leftOut] = [[], []];
    for (const filter of data.filters) {
      const cell = filter.cells[at];
      const reason = excluded(data, filter.can, wish) ?? (typeof cell === "string" ? cell : undefined);
      if (reason !== undefined) leftOut.push({ id: filter.id, reason });
      else {
        const [memory, wire, rate, claim, params] = cell;
        candidates.push({ id: filter.id, label: filter.label, bitsPerKey: wish.transmit ? wire : memory, rate, claim, params });
      }
    }
    const order = (a, b) => a.bitsPerKey - b.bitsPerKey || a.rate - b.rate;
    candidates.sort(order);
    return { candidates, leftOut };
  }

  /** The measured row nearest in rate and bits, then in keys. */
  function nearest(data, id, candidate, keys) {
    const distance = ([, , n, bits, , , , predicted]) =>
      Math.abs(Math.log(predicted / candidate.rate)) + Math.abs(Math.log(bits / candidate.bitsPerKey)) + 0.05 * Math.abs(Math.log(n / keys));
    let best;
    for (const row of data.measured[id] ?? []) if (best === undefined || distance(row) < distance(best)) best = row;
    return best;
  }

  function grouped(leftOut) {
    const groups = new Map();
    for (const { id, reason } of leftOut) groups.set(reason, [...(groups.get(reason) ?? []), id]);
    return groups;
  }

  function command(wish) {
    const flags = [["delete", "--delete"], ["stream", "--stream"], ["fixed", "--static"], ["transmit", "--transmit"]];
    const chosen = flags.filter(([name]) => wish[name]).map(([, flag]) => ` ${flag}`);
    return `cargo run -p experiments -- plan --keys ${wish.keys} --fpr ${wish.fpr}${chosen.join("")}`;
  }

  function measuredCell(data, candidate, keys) {
    const row = nearest(data, candidate.id, candidate, keys);
    if (!row) return element("td", { class: "wide dim" }, "not measured here");
    const [experiment, index, n, bits, fpr, low, high, predicted, verdict] = row;
    const link = element("a", { href: `#${experiment}` }, experiment);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      Tables.reveal(experiment, index);
    });
    const words = `${Show.percent(fpr)} (${Show.percent(low)} to ${Show.percent(high)}), predicted ${Show.percent(predicted)}, at ${Show.number(bits)} bits, n = ${Show.number(n)}: ${verdict}; `;
    return element("td", { class: "wide" }, words, link);
  }

  function show(data, form, out) {
    const of = new FormData(form);
    const keysKind = of.get("arrival");
    const wish = {
      keys: data.keys[Number(of.get("keys"))], fpr: data.rates[Number(of.get("rate"))],
      delete: of.has("delete"), stream: keysKind === "stream", fixed: keysKind === "static", transmit: of.has("transmit"),
    };
    const { candidates, leftOut } = rank(data, wish);
    const head = ["filter", wish.transmit ? "bits/key sent" : "bits/key", "in all", "parameters", "predicted", "claim", "nearest measured"];
    const rows = candidates.map((one) => element("tr", { "data-id": one.id },
      element("td", {}, one.label), element("td", {}, Show.fixed(one.bitsPerKey, 3)), element("td", {}, Show.bits(one.bitsPerKey * wish.keys)),
      element("td", { class: "text" }, one.params), element("td", {}, Show.percent(one.rate)), element("td", { class: "text" }, one.claim),
      measuredCell(data, one, wish.keys)));
    const best = candidates[0];
    const answer = best
      ? element("p", { class: "answer" }, "Take ", element("b", {}, best.label), `: ${Show.number(best.bitsPerKey)} bits a key, ${Show.bits(best.bitsPerKey * wish.keys)} in all, rate ${Show.percent(best.rate)}.`)
      : element("p", { class: "answer" }, `No variant can do it for keys = ${Show.number(wish.keys)}: ${wish.delete && wish.stream ? data.reasons.not_both : data.reasons.higher}.`);
    const table = element("div", { class: "scroll" }, element("table", {},
      element("thead", {}, element("tr", {}, ...head.map((title) => element("th", { scope: "col", class: ["parameters", "claim", "nearest measured"].includes(title) ? "text" : false }, title)))), element("tbody", {}, ...rows)));
    const left = Array.from(grouped(leftOut), ([reason, ids]) => element("li", {}, `${ids.join(", ")}: ${reason}`));
    out.replaceChildren(answer, best ? table : "", element("details", {}, element("summary", {}, `Left out (${leftOut.length})`), element("ul", {}, ...left)),
      element("p", { class: "dim" }, "The same from the command line, for any numbers: ", element("code", {}, command(wish))));
  }

  function start() {
    const form = document.getElementById("chooser-form");
    if (!form) return;
    const data = JSON.parse(document.getElementById("chooser-data").textContent);
    const out = document.getElementById("chooser-out");
    form.addEventListener("input", () => show(data, form, out));
    form.addEventListener("submit", (event) => event.preventDefault());
    show(data, form, out);
  }
  return { rank, nearest, command, start };
})();
