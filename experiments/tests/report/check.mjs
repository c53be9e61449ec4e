// Holds the script of the report to cases that Rust wrote: node check.mjs cases.json script.js. Prints what differs and how much was looked at.
import fs from "node:fs";

const [casesPath, scriptPath] = process.argv.slice(2);
const { Theory, Toys, Data, Show, Chooser } = new Function(`${fs.readFileSync(scriptPath, "utf8")}; return { Theory, Toys, Data, Show, Chooser };`)();
const all = JSON.parse(fs.readFileSync(casesPath, "utf8"));
const TOLERANCE = 1e-11;
const wrong = [];
const looked = {};

const near = (a, b) => a === b || Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
function expect(kind, of, found, wanted, same = (a, b) => JSON.stringify(a) === JSON.stringify(b)) {
  looked[kind] = (looked[kind] ?? 0) + 1;
  if (!same(found, wanted)) wrong.push(`${kind} ${JSON.stringify(of)}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}
const sorted = (object) => object && Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));

for (const { name, args, value } of all.formulas) expect("formula", { name, args }, Theory[name](...args), value, near);

expect("ids", "", Object.keys(Theory.filters).sort(), all.ids.slice().sort());

for (const one of all.sizes) {
  const { id, n, by, sized } = one;
  const filter = Theory.filters[id];
  const asked = { id, n, ...by };
  const params = by.p !== undefined ? filter.forRate(n, by.p) : by.bits !== undefined ? filter.forBits(n, by.bits, by.k) : filter.forK(n, by.k);
  expect("reachable", asked, params !== undefined, sized !== null);
  if (!params || !sized) continue;
  if (sized.params) expect("params", asked, sorted(params), sorted(sized.params));
  expect("bits", asked, filter.bits(params), sized.bits);
  expect("rate", asked, filter.rate(params, n), sized.rate, near);
  if (by.p === undefined) continue;
  // What the calculator shows is that very size.
  const solved = Theory.solve(id, { n, p: by.p });
  expect("solved", asked, [solved.m, solved.p, solved.n], [sized.bits, sized.rate, n], (a, b) => a.every((x, i) => near(x, b[i])));
}

// The calculator the other way: as many keys as can be had, and not one more.
for (const id of all.ids) {
  for (const [m, p] of [[64000, 0.01], [1e6 - (1e6 % 64), 0.05], [6.4e7, 0.001]]) {
    const solved = Theory.solve(id, { m, p });
    const at = (n) => {
      const params = Theory.filters[id].forBits(n, m);
      return params === undefined ? 1 : Theory.filters[id].rate(params, n);
    };
    if (solved.error) expect("most keys", { id, m, p }, at(1) > p, true);
    else expect("most keys", { id, m, p, n: solved.n }, [at(solved.n) <= p, at(solved.n + 1) > p], [true, true]);
  }
}
for (const [given, says] of all.refused) expect("refused", given, (Theory.solve("standard", given).error ?? "").includes(says), true);

for (const { wish, candidates, left_out: leftOut } of all.rankings) {
  const ranked = Chooser.rank(all.grid, wish);
  expect("ranking", wish, ranked.candidates.map(({ id, bitsPerKey, rate }) => [id, bitsPerKey, rate]), candidates);
  expect("left out", wish, ranked.leftOut.map(({ id, reason }) => [id, reason]), leftOut);
}

for (const { packed, csv } of all.tables) expect("csv", "", new Data.Table(packed).csv(), csv);
for (const [text, value] of all.numbers) expect("number", text, Show.read(text), value, near);

// A few thousand of the little filters: no denials, and as many false positives as theory says, within five standard errors.
const FILTERS = 2000;
const STRANGERS = 200;
const strangers = Toys.strangers(STRANGERS);
for (const { id, n, rate } of all.toys) {
  const kind = Toys.KINDS.find((known) => known.id === id);
  expect("toy's theory", { id, n }, kind.make.rate(n), rate, near);
  let [sum, squares, denied, refused] = [0, 0, 0, 0];
  for (let seed = 1; seed <= FILTERS; seed++) {
    const filter = new kind.make(seed);
    const words = Array.from({ length: n }, (_, i) => `word ${i}`);
    for (const word of words) refused += filter.add(word) ? 0 : 1;
    for (const word of words) denied += filter.has(word) ? 0 : 1;
    const share = strangers.filter((word) => filter.has(word)).length / STRANGERS;
    [sum, squares] = [sum + share, squares + share * share];
    if (filter.remove) {
      for (const word of words) filter.remove(word);
      denied += filter.cells.some((cell) => cell > 0) ? 1 : 0;
    }
  }
  const mean = sum / FILTERS;
  const error = Math.sqrt((squares / FILTERS - mean * mean) / FILTERS);
  expect("toy", { id, n, mean, error, rate, denied, refused }, denied === 0 && refused === 0 && Math.abs(mean - rate) <= 5 * error, true);
}

console.log(JSON.stringify({ looked, wrong: wrong.slice(0, 40), count: wrong.length }));
