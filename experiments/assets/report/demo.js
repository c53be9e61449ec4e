// Add words, ask for others, and see false positives arise, in the four filters of `Toys`.
const Demo = (() => {
  "use strict";
  const OFFERED = "apple river stone cloud paper ember forge anvil copper slag furnace bellows iron hammer tongs charcoal".split(" ");
  const ASKED = "moon lamp kite bread violin harbour pepper saddle winter marble velvet cactus ladder ocean tiger pencil meadow rocket candle thunder".split(" ");
  const STRANGERS = 1000;

  function start() {
    const form = document.getElementById("demo-form");
    if (!form) return;
    const out = document.getElementById("demo-out");
    const said = document.getElementById("demo-said");
    let seed = 1;
    let words = [];
    let filters = [];
    let marked = "";
    const strangers = Toys.strangers(STRANGERS);

    const build = () => {
      filters = Toys.KINDS.map((kind) => ({ kind, filter: new kind.make(seed), held: new Set() }));
      for (const word of words) insert(word);
    };
    const insert = (word) => {
      for (const one of filters) if (!one.held.has(word) && one.filter.add(word)) one.held.add(word);
    };

    function card({ kind, filter, held }) {
      const places = marked ? new Set(filter.places(marked)) : new Set();
      const cells = filter.cells.map((value, at) => element("span", {
        class: ["cell", value > 0 && "on", places.has(at) && "asked"].filter(Boolean).join(" "),
      }, kind.width === 1 ? (value ? "1" : "0") : value.toString(16)));
      const grid = element("div", { class: "cells", style: `--row:${kind.row}`, role: "img", "aria-label": `${filter.cells.filter((value) => value > 0).length} of ${filter.cells.length} cells are set` }, ...cells);
      const yes = strangers.filter((word) => filter.has(word)).length;
      const wrong = ASKED.filter((word) => !held.has(word) && filter.has(word));
      const refused = words.length - held.size;
      return element("section", { class: "toy", "data-kind": kind.id },
        element("h4", {}, kind.title), element("p", { class: "dim" }, kind.says), grid,
        element("p", {}, `${held.size} words; says yes to `, element("b", {}, `${yes} of ${STRANGERS}`), ` words that were never added (${Show.percent(yes / STRANGERS)}); expected ${Show.percent(kind.make.rate(held.size))}.`),
        refused > 0 ? element("p", { class: "wrong" }, `${refused} words were refused: no room for their fingerprints.`) : "",
        element("p", {}, wrong.length ? `Wrong about: ${wrong.join(", ")}.` : "Right about all words of the list below."),
        marked ? element("p", { class: "asked-for" }, `“${marked}”: ${filter.has(marked) ? (held.has(marked) ? "yes, rightly" : "yes, wrongly: a false positive") : "no, never added"}.`) : "");
    }

    const show = () => out.replaceChildren(...filters.map(card));
    const word = () => form.elements.word.value.trim().toLowerCase();
    const say = (text) => {
      said.textContent = text;
      show();
    };
    const acts = {
      add: () => {
        if (!word()) return say("Write a word first.");
        if (words.includes(word())) return say(`“${word()}” was added before.`);
        words.push(word());
        insert(word());
        marked = word();
        return say(`Added “${word()}”: ${words.length} words.`);
      },
      ask: () => {
        if (!word()) return say("Write a word first.");
        marked = word();
        return say(words.includes(marked) ? `“${marked}” was added.` : `“${marked}” was never added: whoever says yes is wrong.`);
      },
      remove: () => {
        if (!words.includes(word())) return say(`“${word()}” was never added; taking it out could take out another.`);
        words = words.filter((known) => known !== word());
        for (const { filter, held } of filters) {
          if (!filter.remove) continue;
          if (held.has(word())) filter.remove(word());
          held.delete(word());
        }
        // Bits are shared: a filter of bits can only be built again from the words that are left.
        const kept = filters.filter(({ filter }) => !filter.remove);
        for (const one of kept) {
          one.filter.clear();
          one.held.clear();
          for (const left of words) if (one.filter.add(left)) one.held.add(left);
        }
        marked = word();
        return say(`Removed “${marked}”. Counting and cuckoo took it out; the two filters of bits had to be built again from the other words.`);
      },
      next: () => {
        const next = OFFERED.find((offered) => !words.includes(offered));
        if (!next) return say("All words of the list are in: write some of your own.");
        form.elements.word.value = next;
        return acts.add();
      },
      clear: () => {
        [words, marked] = [[], ""];
        build();
        return say("Empty.");
      },
      seed: () => {
        seed += 1;
        build();
        return say(`The same words under another hash (seed ${seed}): other bits, other mistakes.`);
      },
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      acts.add();
    });
    for (const button of form.querySelectorAll("button[data-act]")) button.addEventListener("click", acts[button.dataset.act]);
    document.getElementById("demo-list").textContent = ASKED.join(", ");
    build();
    OFFERED.slice(0, 5).forEach((offered) => {
      words.push(offered);
      insert(offered);
    });
    show();
  }
  return { start };
})();
