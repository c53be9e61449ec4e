// The formulas behind the calculator, the curve and the little arrays: those of `experiments theory`, and tested against it value for
// value (docs/REPORT.md). Counts stay below 2^53, where numbers are exact.
const Theory = (() => {
  "use strict";
  const WORD = 64;
  const MOST_PROBES = 64;
  const MOST_BITS = 2 ** 48;
  const MOST_KEYS = 2 ** 45;

  const words = (bits) => Math.ceil(bits / WORD) * WORD;
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

  /** Column 0 of the `t`-th power of a lower triangular stochastic matrix; its diagonal is `exp(lnStay)`, computed afresh each time. */
  function absorbed(size, step, lnStay, t) {
    const row = (u) => (u * (u + 1)) / 2;
    const length = row(size);
    const one = new Float64Array(length);
    for (let u = 0; u < size; u++) {
      for (let v = 0; v < u; v++) one[row(u) + v] = step(u, v);
      one[row(u) + u] = Math.exp(lnStay[u]);
    }
    const diagonal = (matrix, exponent) => {
      for (let u = 0; u < size; u++) matrix[row(u) + u] = exponent === 0 ? 1 : Math.exp(exponent * lnStay[u]);
    };
    const product = (left, right) => {
      const out = new Float64Array(length);
      for (let u = 0; u < size; u++) {
        for (let w = 0; w <= u; w++) {
          const weight = left[row(u) + w];
          if (weight > 0) for (let v = 0; v <= w; v++) out[row(u) + v] += weight * right[row(w) + v];
        }
      }
      return out;
    };
    let power = new Float64Array(length);
    let exponent = 0;
    diagonal(power, 0);
    for (const bit of t > 0 ? t.toString(2) : "") {
      power = product(power, power);
      exponent *= 2;
      diagonal(power, exponent);
      if (bit === "1") {
        power = product(power, one);
        exponent += 1;
        diagonal(power, exponent);
      }
    }
    return Array.from({ length: size }, (_, u) => Math.min(power[row(u)], 1));
  }

  /** Entry j: the probability that j given bins are all occupied after `balls` balls. */
  function covered(most, bins, balls) {
    const lnStay = Array.from({ length: most + 1 }, (_, u) => (u > 0 && u <= bins ? Math.log1p(-u / bins) : 0));
    return absorbed(most + 1, (u, v) => (u <= bins && v + 1 === u ? u / bins : 0), lnStay, balls);
  }

  /** Entry j: the probability that k probes touch j distinct bins. */
  function distinct(k, bins) {
    const w = new Array(k + 1).fill(0);
    w[0] = 1;
    for (let draw = 0; draw < k; draw++) {
      for (let j = k; j >= 1; j--) w[j] = w[j] * (j / bins) + w[j - 1] * Math.max((bins - j + 1) / bins, 0);
      w[0] = 0;
    }
    return w;
  }

  /** 1 - (1 - 1/m)^(kn). */
  const fill = (m, k, n) => (n === 0 ? 0 : -Math.expm1(k * n * Math.log1p(-1 / m)));
  /** (1 - (1 - 1/m)^(kn))^k. */
  const fprClassic = (m, k, n) => fill(m, k, n) ** k;
  /** E[(X/m)^k], X the occupied ones of m bits. */
  function fprExact(m, k, n) {
    const p = covered(k, m, k * n);
    return Math.min(distinct(k, m).reduce((sum, w, j) => sum + w * p[j], 0), 1);
  }
  /** (1 - (1 - 1/s)^n)^k. */
  const fprSlices = (s, k, n) => fill(s, 1, n) ** k;

  /** The k of the lowest rate, downhill from a guess; of equal ones the smallest. */
  function bestProbes(guess, rate) {
    let k = clamp(guess, 1, MOST_PROBES);
    let lowest = rate(k);
    while (k > 1) {
      const below = rate(k - 1);
      if (below > lowest) break;
      [k, lowest] = [k - 1, below];
    }
    while (k < MOST_PROBES) {
      const above = rate(k + 1);
      if (above >= lowest) break;
      [k, lowest] = [k + 1, above];
    }
    return k;
  }

  function bestK(m, n) {
    const keys = Math.max(n, 1);
    const guess = clamp(Math.round((m / keys) * Math.LN2), 1, MOST_PROBES);
    const near = bestProbes(guess, (k) => fprClassic(m, k, keys));
    return bestProbes(near, (k) => fprExact(m, k, keys));
  }

  function bestSlices(m, n) {
    let [best, lowest] = [1, Infinity];
    for (let k = 1; k <= MOST_PROBES; k++) {
      const rate = k > m ? 1 : fprSlices(Math.floor(m / k), k, Math.max(n, 1));
      if (rate < lowest) [best, lowest] = [k, rate];
    }
    return best;
  }

  /** ceil(-n ln p / (ln 2)^2) bits, and above p = 1/2 those with which one probe is enough. */
  function optimalBits(n, p) {
    const keys = Math.max(n, 1);
    const bits = p > 0.5 ? -1 / Math.expm1(Math.log1p(-p) / keys) : (keys * -Math.log(p)) / (Math.LN2 * Math.LN2);
    return Math.max(Math.ceil(bits), 1);
  }

  // Cuckoo tables: load that 999 of 1000 filters reach, by slots: [cap, top, loss, floor].
  const LIMITS = {
    1: [0.4, 0.4, 100, 0.18], 2: [0.84, 0.845, 12, 0.3], 4: [0.95, 0.9545, 2.9, 0.6], 8: [0.98, 0.984, 0.8, 0.78],
  };
  function loadLimit(slots, buckets) {
    if (buckets <= 2) return 1;
    const [cap, top, loss, floor] = LIMITS[slots];
    return Math.min(cap, Math.max(top - loss / buckets, floor)) - 0.0015 * Math.log2(Math.max(buckets / 4194304, 1));
  }
  function maxKeys(slots, buckets) {
    const all = buckets * slots;
    return Math.max(Math.floor(loadLimit(slots, buckets) * all), Math.min((2 - (buckets % 2)) * slots, all));
  }
  const PAIRINGS = {
    subtract: { atLeast: (b) => Math.ceil(Math.max(b, 1) / 2) * 2, atMost: (b) => (b < 2 ? 1 : Math.floor(b / 2) * 2), fixed: (b) => b % 2 },
    xor: { atLeast: (b) => 2 ** Math.ceil(Math.log2(Math.max(b, 2))), atMost: (b) => 2 ** Math.floor(Math.log2(Math.max(b, 1))), fixed: (b) => (b === 1 ? 1 : 0) },
  };
  const occupied = (p, n) => (n === 0 ? 0 : -Math.expm1(n * Math.log1p(-p)));

  function cuckoo({ slots, pairing, leastBits, saved }) {
    const pairs = PAIRINGS[pairing];
    const fingerprints = (f) => 2 ** f - 1;
    const bits = ({ buckets, fingerprint_bits: f }) => words(buckets * slots * (f - saved));
    const rate = ({ buckets, fingerprint_bits: f }, n) => {
      const cells = buckets * fingerprints(f);
      const keys = Math.min(n, buckets * slots);
      const single = pairs.fixed(buckets) / buckets;
      const both = single < 1 ? (1 - single) * occupied(2 / cells, keys) : 0;
      const alone = single > 0 ? single * occupied(1 / cells, keys) : 0;
      return clamp(both + alone, 0, 1);
    };
    /** Expected classes of more members than two buckets hold. */
    const crowded = ({ buckets, fingerprint_bits: f }, n) => {
      const cells = buckets * fingerprints(f);
      const [lambda, room] = [(2 * n) / cells, 2 * slots];
      let [term, below] = [Math.exp(-lambda), 0];
      for (let i = 1; i <= room; i++) {
        below += term;
        term *= lambda / i;
      }
      if (lambda > room) return (cells / 2) * clamp(1 - below - term, 0, 1);
      let sum = 0;
      for (let i = room + 1; ; i++) {
        term *= lambda / i;
        sum += term;
        if (term <= sum * 1e-17) return (cells / 2) * sum;
      }
    };
    const bucketsFor = (n) => {
      let buckets = pairs.atLeast(Math.ceil(n / slots));
      for (;;) {
        const missing = n - maxKeys(slots, buckets);
        if (missing <= 0) return buckets;
        buckets = pairs.atLeast(buckets + Math.ceil(missing / slots));
      }
    };
    const widths = (k) => (k === undefined ? Array.from({ length: 33 - leastBits }, (_, i) => leastBits + i) : k >= leastBits && k <= 32 ? [k] : []);
    const least = (all, of) => all.reduce((best, one) => (best === undefined || of(one) < of(best) ? one : best), undefined);
    const forRate = (n, p, k) => {
      const keys = Math.max(n, 1);
      const cells = 2 / -Math.expm1(Math.log1p(-p) / keys);
      const loaded = bucketsFor(keys);
      const candidates = widths(k).map((f) => {
        const rated = Math.ceil(cells / fingerprints(f));
        let params = { buckets: Math.max(loaded, pairs.atLeast(Math.min(rated, MOST_BITS * 2))), fingerprint_bits: f };
        if (rate(params, keys) > p) params = { buckets: pairs.atLeast(params.buckets + 1), fingerprint_bits: f };
        return params;
      });
      const good = (one) => one.buckets <= MOST_BITS && bits(one) <= MOST_BITS && crowded(one, keys) <= 1e-4 && rate(one, keys) <= p;
      return least(candidates.filter(good), bits);
    };
    const forBits = (n, m, k) => {
      const [keys, budget] = [Math.max(n, 1), Math.floor(m / WORD) * WORD];
      const candidates = widths(k).map((f) => ({ buckets: pairs.atMost(Math.floor(budget / (slots * (f - saved)))), fingerprint_bits: f, most: Math.floor(budget / (slots * (f - saved))) }));
      const good = (one) => one.most > 0 && maxKeys(slots, one.buckets) >= keys && crowded(one, keys) <= 0.05;
      const found = least(candidates.filter(good), (one) => rate(one, keys));
      return found && { buckets: found.buckets, fingerprint_bits: found.fingerprint_bits };
    };
    return {
      what: "f", rate, bits, forRate, forBits,
      k: (params) => params.fingerprint_bits,
      forK: (n, k) => (widths(k).length ? { buckets: bucketsFor(Math.max(n, 1)), fingerprint_bits: k } : undefined),
      // A table filled to the load that is planned for.
      keysFor: (m, k) => {
        const buckets = pairs.atMost(Math.floor(m / (slots * (k - saved))));
        return widths(k).length && m >= slots * (k - saved) ? maxKeys(slots, buckets) : undefined;
      },
      bitsPerKey: (p, k) => {
        if (!widths(k).length) return undefined;
        const perBucket = Math.min((-fingerprints(k) * Math.log1p(-p)) / 2, loadLimit(slots, 4194304) * slots);
        return perBucket > 0 ? (slots * (k - saved)) / perBucket : undefined;
      },
    };
  }

  /** Least whole words from `low` on for which `good` holds, by bisection; `undefined` where none does. */
  function leastWords(good) {
    let high = 1;
    while (!good(high * WORD)) {
      high *= 2;
      if (high * WORD > MOST_BITS) return undefined;
    }
    let low = Math.floor(high / 2);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (good(middle * WORD)) high = middle;
      else low = middle;
    }
    return high * WORD;
  }

  const isProbes = (k) => k === undefined || (Number.isInteger(k) && k >= 1 && k <= MOST_PROBES);

  /** Filters whose rate is that of one shared array of `m` places: bits, counters of `width` bits, bits with a map of m/4. */
  function shared(width, map) {
    const memory = (m) => (map ? words(m) + words(Math.ceil(m / 4)) : words(m * width));
    const params = (m, k) => (map ? { m, k, regions: Math.ceil(m / 4) } : { m, k });
    const rate = ({ m, k }, n) => fprExact(m, k, n);
    const places = (bits) => {
      const whole = Math.floor(bits / WORD);
      return map ? (whole - Math.ceil(whole / 5)) * WORD : Math.floor((whole * WORD) / width);
    };
    return {
      what: "k", rate,
      bits: (one) => memory(one.m),
      k: (one) => one.k,
      forRate: (n, p, k) => {
        if (!isProbes(k)) return undefined;
        if (k === undefined) {
          const bits = words(optimalBits(n, p) * width);
          const m = Math.floor(bits / width);
          return m <= MOST_BITS ? params(m, bestK(m, n)) : undefined;
        }
        const m = leastWords((bits) => fprExact(bits, k, Math.max(n, 1)) <= p);
        return m && params(m, k);
      },
      forBits: (n, bits, k) => {
        const m = places(bits);
        return isProbes(k) && m >= 1 && bits <= MOST_BITS ? params(m, k ?? bestK(m, n)) : undefined;
      },
      // The array in which k probes are the best number: half full.
      forK: (n, k) => (isProbes(k) ? params(words(Math.ceil((Math.max(n, 1) * k) / Math.LN2)), k) : undefined),
      keysFor: (bits, k) => (isProbes(k) && places(bits) >= 1 ? Math.floor((places(bits) * Math.LN2) / k) : undefined),
      bitsPerKey: (p, k) => (isProbes(k) ? ((-k / Math.log1p(-(p ** (1 / k)))) * (map ? 1.25 : width)) : undefined),
    };
  }

  const slices = {
    what: "k",
    rate: ({ slice_bits: s, k }, n) => fprSlices(s, k, n),
    bits: ({ slice_bits: s, k }) => words(s * k),
    k: (params) => params.k,
    forRate: (n, p, k) => {
      if (!isProbes(k)) return undefined;
      const keys = Math.max(n, 1);
      if (k !== undefined) {
        const bits = leastWords((m) => m >= k && fprSlices(Math.floor(m / k), k, keys) <= p);
        return bits && { slice_bits: Math.floor(bits / k), k };
      }
      const m = optimalBits(n, p);
      const room = words(m);
      const best = bestSlices(room, n);
      const misses = (s) => fprSlices(s, best, keys) > 1.05 * p || fprSlices(s, best, keys) >= 1;
      let s = Math.ceil(m / best);
      while (s < Math.floor(room / best) && misses(s)) s += 1;
      return { slice_bits: s, k: best };
    },
    forBits: (n, bits, k) => {
      const m = Math.floor(bits / WORD) * WORD;
      const probes = k ?? (m >= 1 ? bestSlices(m, n) : 1);
      return isProbes(k) && m >= probes && m <= MOST_BITS ? { slice_bits: Math.floor(m / probes), k: probes } : undefined;
    },
    forK: (n, k) => (isProbes(k) ? { slice_bits: Math.floor(words(Math.ceil((Math.max(n, 1) * k) / Math.LN2)) / k), k } : undefined),
    keysFor: (bits, k) => (isProbes(k) && bits >= k ? Math.floor((Math.floor(bits / k)) * Math.LN2) : undefined),
    bitsPerKey: (p, k) => (isProbes(k) ? -k / Math.log1p(-(p ** (1 / k))) : undefined),
  };

  /** Peeled tables: the width is the type's, the keys decide the cells; a budget must hold for `step` cells more, where a layout grows. */
  function peeled(width, cells, step) {
    const bits = ({ keys }) => cells(keys) * width;
    const grown = (keys) => (cells(keys) + step(keys)) * width;
    const rate = (_, n) => (n === 0 ? 0 : 2 ** -width);
    const fits = (k) => k === undefined || k === width;
    return {
      what: "f", rate, bits, fixed: true,
      k: () => width,
      forRate: (n, p, k) => (fits(k) && p >= 2 ** -width ? { keys: n } : undefined),
      forBits: (n, m, k) => (fits(k) && grown(n) <= m ? { keys: n } : undefined),
      forK: (n, k) => (fits(k) ? { keys: n } : undefined),
      keysFor: (m, k) => {
        if (!fits(k) || grown(1) > m) return undefined;
        let [low, high] = [1, Math.floor(m / width) + 1];
        while (high - low > 1) {
          const middle = Math.floor((low + high) / 2);
          if (grown(middle) <= m) low = middle;
          else high = middle;
        }
        return low;
      },
      bitsPerKey: (p, k) => (fits(k) ? bits({ keys: 1e8 }) / 1e8 : undefined),
    };
  }
  // 1.23 n, the floor of the exact product; 123 n is exact below 2^46.
  const thirds = (n) => Math.floor((32 + Math.floor((n * 123) / 100)) / 3) * 3;
  const segmentOf = (arity) => (n) => {
    const ln = Math.log(Math.max(n, 1));
    const log = arity === 3 ? ln / Math.log(3.33) + 2.25 : Math.max(ln / Math.log(2.91) - 0.5, 0);
    return 2 ** Math.floor(Math.min(log, 18));
  };
  const fuse = (arity) => (n) => {
    const ln = Math.log(Math.max(n, 1));
    const segment = segmentOf(arity)(n);
    const factor = arity === 3 ? Math.max(0.875 + (0.25 * Math.log(1e6)) / ln, 1.125) : Math.max(0.77 + (0.305 * Math.log(6e5)) / ln, 1.075);
    const capacity = n <= 1 ? 0 : Math.round(n * factor);
    return Math.max(Math.ceil(capacity / segment), arity) * segment;
  };

  /** By the ids of the contenders. */
  const filters = {
    standard: shared(1, false),
    partitioned: slices,
    ...Object.fromEntries([2, 3, 4, 8, 16].map((width) => [`counting-${width}`, shared(width, false)])),
    deletable: shared(1, true),
    "cuckoo-1": cuckoo({ slots: 1, pairing: "subtract", leastBits: 2, saved: 0 }),
    "cuckoo-2": cuckoo({ slots: 2, pairing: "subtract", leastBits: 2, saved: 0 }),
    cuckoo: cuckoo({ slots: 4, pairing: "subtract", leastBits: 2, saved: 0 }),
    "cuckoo-8": cuckoo({ slots: 8, pairing: "subtract", leastBits: 2, saved: 0 }),
    "cuckoo-pow2": cuckoo({ slots: 4, pairing: "xor", leastBits: 2, saved: 0 }),
    "cuckoo-semisorted": cuckoo({ slots: 4, pairing: "subtract", leastBits: 4, saved: 1 }),
    ...Object.fromEntries([8, 16, 32].map((width) => [`xor-${width}`, peeled(width, thirds, () => 0)])),
    ...Object.fromEntries([3, 4].flatMap((arity) => [8, 16].map((width) => [arity === 3 ? `fuse-${width}` : `fuse4-${width}`, peeled(width, fuse(arity), segmentOf(arity))]))),
  };

  const RANGES = {
    n: { low: 1, high: MOST_KEYS, whole: true, says: "keys: a whole number from 1 to 2^45" },
    p: { low: 1e-15, high: 1, whole: false, says: "a rate from 1e-15 to below 1" },
    m: { low: WORD, high: MOST_BITS, whole: true, says: "bits: a whole number from 64 to 2^48" },
    k: { low: 1, high: MOST_PROBES, whole: true, says: "a whole number from 1 to 64" },
  };

  /** What is wrong with given values, in words; nothing if nothing is. */
  function refuse(given) {
    for (const [name, value] of Object.entries(given)) {
      const { low, high, whole, says } = RANGES[name];
      const outside = !(value >= low && value <= high) || (whole && !Number.isInteger(value)) || (name === "p" && value >= 1);
      if (outside) return `${name} = ${value} is out of range: ${says}`;
    }
    return "";
  }

  /**
   * The other values from two or three of n (keys), p (rate), m (allocated bits) and k (probes, or bits of a fingerprint).
   * Gives `{n, p, m, k, bitsPerKey, params, note}`, or `{error}`.
   */
  function solve(id, given) {
    const filter = filters[id];
    const { n, p, m, k } = given;
    const has = (name) => given[name] !== undefined;
    const wrong = refuse(given);
    if (wrong) return { error: wrong };
    const count = Object.keys(given).filter(has).length;
    if (count < 2) return { error: "give two of n, p, m and k" };
    if (count > 3) return { error: "all four are given: clear one, and it is computed" };
    const name = filter.what === "k" ? "probes" : "fingerprint bits";
    const none = { error: `${id} cannot do it with these values` };
    const at = (keys, params, note) => {
      if (params === undefined) return none;
      const bits = filter.bits(params);
      return { n: keys, p: filter.rate(params, keys), m: bits, k: filter.k(params), bitsPerKey: bits / keys, params, note };
    };
    if (has("n")) {
      if (has("p") && has("m")) {
        const params = filter.forBits(n, m);
        if (params === undefined || filter.rate(params, n) > p) return { error: `${id} does not reach the rate with so few bits` };
        return at(n, params, "the lowest rate in these bits");
      }
      if (has("p")) return at(n, filter.forRate(n, p, k), has("k") ? `the fewest bits with ${k} ${name}` : "sized as the command theory does");
      if (has("m")) return at(n, filter.forBits(n, m, k), has("k") ? `the rate with ${k} ${name}` : "the lowest rate in these bits");
      return at(n, filter.forK(n, k), filter.what === "k" ? `the size at which ${k} probes are best: half full` : "the smallest table that takes the keys");
    }
    if (has("m") && has("p")) {
      const good = (keys) => {
        const params = filter.forBits(keys, m, k);
        return params !== undefined && filter.rate(params, keys) <= p;
      };
      if (!good(1)) return none;
      let [low, high] = [1, 2];
      while (high <= MOST_KEYS && good(high)) [low, high] = [high, high * 2];
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (good(middle)) low = middle;
        else high = middle;
      }
      return at(low, filter.forBits(low, m, k), "the most keys at this rate");
    }
    if (has("m")) {
      const keys = filter.keysFor(m, k);
      if (!(keys >= 1)) return none;
      return at(keys, filter.forBits(keys, m, k), filter.what === "k" ? `the keys for which ${k} probes are best: half full` : "the most keys that are planned for");
    }
    const perKey = filter.bitsPerKey(p, k);
    if (perKey === undefined || !(perKey > 0)) return none;
    return { p, k, bitsPerKey: perKey, note: "rate and k fix the bits per key (for many keys); give n or m for the rest" };
  }

  /** The fewest bits per key of any static filter at a rate, and the rate of so many bits. */
  const bound = (p) => -Math.log2(p);
  const boundRate = (bitsPerKey) => 2 ** -bitsPerKey;

  return { filters, solve, refuse, fill, fprClassic, fprExact, fprSlices, bestK, bestSlices, optimalBits, covered, distinct, bound, boundRate, occupied };
})();
