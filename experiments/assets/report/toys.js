// Four filters in 64 bits each, small enough to see every bit. They are what their names say, and the rates beside them are those of
// the big ones: tests hold a few thousand of them to `experiments theory`.
const Toys = (() => {
  "use strict";
  const BITS = 64;

  /** 32 mixed bits of a text under a seed (FNV-1a over UTF-16 units, then a finaliser). */
  function hash(text, seed) {
    let h = (0x811c9dc5 ^ Math.imul(seed + 1, 0x9e3779b1)) >>> 0;
    for (let i = 0; i < text.length; i++) {
      h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
      h ^= h >>> 15;
    }
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return (h ^ (h >>> 16)) >>> 0;
  }
  /** A number below `range`, the `index`-th of a word. */
  const draw = (text, seed, index, range) => Math.floor((hash(text, seed * 64 + index) / 4294967296) * range);

  /** What bits and counters have in common: cells, and the cells of a word. */
  class Cells {
    constructor(cells, most, places) {
      Object.assign(this, { cells: new Array(cells).fill(0), most, places });
    }
    add(word) {
      for (const at of new Set(this.places(word))) this.cells[at] = Math.min(this.cells[at] + 1, this.most);
      return true;
    }
    has(word) {
      return this.places(word).every((at) => this.cells[at] > 0);
    }
    clear() {
      this.cells.fill(0);
    }
  }

  const K = 4;
  class Standard extends Cells {
    constructor(seed) {
      super(BITS, 1, (word) => Array.from({ length: K }, (_, i) => draw(word, seed, i, BITS)));
    }
    static rate(n) {
      return Theory.fprExact(BITS, K, n);
    }
  }

  class Partitioned extends Cells {
    constructor(seed) {
      const slice = BITS / K;
      super(BITS, 1, (word) => Array.from({ length: K }, (_, i) => i * slice + draw(word, seed, i, slice)));
    }
    static rate(n) {
      return Theory.fprSlices(BITS / K, K, n);
    }
  }

  const COUNTERS = 16;
  const COUNTER_PROBES = 2;
  class Counting extends Cells {
    constructor(seed) {
      super(COUNTERS, 15, (word) => Array.from({ length: COUNTER_PROBES }, (_, i) => draw(word, seed, i, COUNTERS)));
    }
    /** A counter that is at its most does not fall: it may have been higher. */
    remove(word) {
      if (!this.has(word)) return false;
      for (const at of new Set(this.places(word))) if (this.cells[at] < this.most) this.cells[at] -= 1;
      return true;
    }
    static rate(n) {
      return Theory.fprExact(COUNTERS, COUNTER_PROBES, n);
    }
  }

  const BUCKETS = 4;
  const SLOTS = 4;
  const FINGERPRINTS = 15;
  const MOVES = 100;
  /** Cells are slots, with a fingerprint of four bits or 0. */
  class Cuckoo {
    constructor(seed) {
      this.seed = seed;
      this.cells = new Array(BUCKETS * SLOTS).fill(0);
      // The pair of buckets of a fingerprint: odd offsets, so that the two always differ.
      this.partner = (bucket, fingerprint) => ((hash(String(fingerprint), seed * 64 + 63) % 2) * 2 + 1 - bucket + BUCKETS) % BUCKETS;
    }
    of(word) {
      const fingerprint = 1 + draw(word, this.seed, 0, FINGERPRINTS);
      const bucket = draw(word, this.seed, 1, BUCKETS);
      return { fingerprint, buckets: [bucket, this.partner(bucket, fingerprint)] };
    }
    places(word) {
      const { fingerprint, buckets } = this.of(word);
      const slots = buckets.flatMap((bucket) => Array.from({ length: SLOTS }, (_, i) => bucket * SLOTS + i));
      const found = slots.filter((at) => this.cells[at] === fingerprint);
      return found.length ? found : slots;
    }
    has(word) {
      const { fingerprint, buckets } = this.of(word);
      return buckets.some((bucket) => this.cells.slice(bucket * SLOTS, (bucket + 1) * SLOTS).includes(fingerprint));
    }
    add(word) {
      const before = this.cells.slice();
      let { fingerprint, buckets: [bucket, other] } = this.of(word);
      const free = (at) => this.cells.slice(at * SLOTS, (at + 1) * SLOTS).indexOf(0);
      if (free(bucket) < 0) bucket = other;
      for (let move = 0; move <= MOVES; move++) {
        const slot = free(bucket);
        if (slot >= 0) {
          this.cells[bucket * SLOTS + slot] = fingerprint;
          return true;
        }
        const at = bucket * SLOTS + (hash(word, this.seed * 64 + 62 - move) % SLOTS);
        [this.cells[at], fingerprint] = [fingerprint, this.cells[at]];
        bucket = this.partner(bucket, fingerprint);
      }
      // Refused, and nothing has changed.
      this.cells = before;
      return false;
    }
    remove(word) {
      if (!this.has(word)) return false;
      this.cells[this.places(word)[0]] = 0;
      return true;
    }
    clear() {
      this.cells.fill(0);
    }
    static rate(n) {
      return Theory.occupied(2 / (BUCKETS * FINGERPRINTS), n);
    }
  }

  const KINDS = [
    { id: "standard", title: "standard", says: "64 bits, 4 probes anywhere", make: Standard, row: 16, width: 1 },
    { id: "partitioned", title: "partitioned", says: "4 slices of 16 bits, a probe in each", make: Partitioned, row: 16, width: 1 },
    { id: "counting", title: "counting", says: "16 counters of 4 bits, 2 probes; words can be removed", make: Counting, row: 8, width: 4 },
    { id: "cuckoo", title: "cuckoo", says: "4 buckets of 4 fingerprints of 4 bits; words can be removed", make: Cuckoo, row: 4, width: 4 },
  ];

  /** Words that are asked but never added: what is answered with yes is wrong. */
  const strangers = (count) => Array.from({ length: count }, (_, i) => `never-added-${i}`);

  return { KINDS, hash, strangers };
})();
