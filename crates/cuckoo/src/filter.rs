//! The filter itself: one set of operations over either kind of bucket and either pairing.

mod saved;

use std::marker::PhantomData;

use amq::{
    DeletableFilter, Digest, Filter, Full, IncrementalFilter, InvalidParams, KeyCount, NoFalseNegatives, OverPlan,
    Removal, Space,
};
use hashing::mix::{fold_multiply, mix64};
use serde::{Deserialize, Serialize};

use crate::pairing::{Pairing, Subtract, reduce};
use crate::semisorted::SemiSorted;
use crate::table::{Slots, Table};

/// The most fingerprints moved by one insert, as in the paper.
pub const MAX_KICKS: u32 = 500;

/// The geometry of a cuckoo filter; the slots of a bucket are in its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Buckets, 1 to 2^48; a power of two where the pairing is [`Xor`](crate::Xor).
    pub buckets: u64,
    /// Bits of a fingerprint, 2 (semi-sorted: 4) to 32.
    pub fingerprint_bits: u32,
}

impl Params {
    /// Different fingerprints: `2^f - 1`, because 0 is none.
    #[must_use]
    pub fn fingerprints(self) -> u64 {
        (1 << self.fingerprint_bits) - 1
    }
}

/// A cuckoo filter with `SLOTS` slots (1 to 16) in a bucket.
pub type CuckooFilter<const SLOTS: u32 = 4, P = Subtract> = Cuckoo<Slots<SLOTS>, P>;

/// A cuckoo filter with four slots in a bucket, semi-sorted: one bit less for each.
pub type SemiSortedCuckoo<P = Subtract> = Cuckoo<SemiSorted, P>;

/// A cuckoo filter over the buckets of `T`, paired by `P`.
#[derive(Clone, Debug)]
pub struct Cuckoo<T: Table, P: Pairing = Subtract> {
    params: Params,
    /// [`Params::fingerprints`], which each key asks for.
    fingerprints: u64,
    seed: u64,
    words: Words,
    table: T,
    /// Random choices made so far. With the seed it is the state of the generator.
    draws: u64,
    count: KeyCount,
    stored: u64,
    pairing: PhantomData<P>,
}

/// What the seed puts into the hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Words {
    add: [u64; 2],
    multiply: [u64; 2],
    offset: u64,
    kicks: u64,
}

impl Words {
    fn new(seed: u64) -> Self {
        // ASCII "cuckoo": no other user of the same seed has these words.
        let word = |index: u64| mix64(seed ^ mix64(0x6375_636b_6f6f_0000 + index));
        Self { add: [word(0), word(1)], multiply: [word(2) | 1, word(3) | 1], offset: word(4), kicks: word(5) }
    }
}

/// A key to the filter: its fingerprint and its buckets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    fingerprint: u32,
    buckets: [u64; 2],
}

/// Keys whose buckets are asked for together, two cache lines each (measured by `hit-batch` and `fill` of the bench
/// `buckets`: asking for those of the next block, or of one key at a time, before looking into these gains nothing).
const BLOCK: usize = 32;

impl<T: Table, P: Pairing> Cuckoo<T, P> {
    /// Remembers for how many keys the filter was sized, so that [`over_plan`](Self::over_plan) can warn.
    #[must_use]
    pub fn planned_for(mut self, keys: u64) -> Self {
        self.count.plan(keys);
        self
    }

    /// A warning once more keys were inserted than planned.
    #[must_use]
    pub fn over_plan(&self) -> Option<OverPlan> {
        self.count.over_plan()
    }

    /// Fingerprints in the table: accepted inserts less removals.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.stored
    }

    /// All slots.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.params.buckets * u64::from(T::SLOTS)
    }

    /// The fraction of slots in use, in `[0, 1]`.
    #[must_use]
    pub fn load(&self) -> f64 {
        self.stored as f64 / self.slots() as f64
    }

    /// Fingerprints moved since the filter was empty, by accepted inserts.
    #[must_use]
    pub fn kicks(&self) -> u64 {
        self.draws
    }

    /// The rate of this very filter, from its contents: the part of all fingerprints and buckets that are answered with yes.
    /// Looks at every slot and its partner bucket.
    #[must_use]
    pub fn rate_by_contents(&self) -> f64 {
        let mut yes = 0u64;
        for bucket in 0..self.params.buckets {
            for slot in 0..T::SLOTS {
                let fingerprint = self.table.get(bucket, slot);
                // Once for each pair: copies in the bucket, and in its partner if that comes first, are no news.
                if fingerprint == 0 || (0..slot).any(|earlier| self.table.get(bucket, earlier) == fingerprint) {
                    continue;
                }
                let partner = self.partner(bucket, fingerprint);
                if partner >= bucket || !self.table.has(partner, fingerprint) {
                    yes += 1 + u64::from(partner != bucket);
                }
            }
        }
        yes as f64 / (self.params.buckets as f64 * self.params.fingerprints() as f64)
    }

    /// The buckets.
    #[must_use]
    pub fn table(&self) -> &T {
        &self.table
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The other bucket of `fingerprint`, from one of its two buckets to the other and back.
    #[inline]
    #[must_use]
    pub fn partner(&self, bucket: u64, fingerprint: u32) -> u64 {
        let word = mix64(self.words.offset.wrapping_add(fingerprint.into()));
        P::partner(bucket, P::offset(word, self.params.buckets), self.params.buckets)
    }

    /// Two words of the digest: the bucket is drawn from the one, the fingerprint from `1..=2^f - 1` from the other.
    #[inline]
    fn place(&self, key: Digest) -> Place {
        let Words { add, multiply, .. } = self.words;
        let first = fold_multiply(key.0 ^ add[0], multiply[0]);
        let second = fold_multiply(key.0 ^ add[1], multiply[1]);
        let fingerprint = 1 + reduce(second, self.fingerprints) as u32;
        let bucket = reduce(first, self.params.buckets);
        Place { fingerprint, buckets: [bucket, self.partner(bucket, fingerprint)] }
    }

    /// Puts the places of up to [`BLOCK`] keys into `places`, and asks for their buckets.
    #[inline]
    fn locate<'a>(&self, keys: &[Digest], places: &'a mut [Place; BLOCK]) -> &'a [Place] {
        for (place, key) in places.iter_mut().zip(keys) {
            *place = self.place(*key);
            place.buckets.iter().for_each(|bucket| self.table.prefetch(*bucket));
        }
        &places[..keys.len().min(BLOCK)]
    }

    #[inline]
    fn holds(&self, place: Place) -> bool {
        self.table.has_either(place.buckets, place.fingerprint)
    }

    #[inline]
    fn add(&mut self, place: Place) -> Result<(), Full> {
        if !self.table.put_either(place.buckets, place.fingerprint) && !self.kick(place) {
            return Err(Full { inserted: self.count.inserted(), capacity: self.slots() });
        }
        self.count.add(1);
        self.stored += 1;
        Ok(())
    }

    /// The random choice number `draw`: a slot of a bucket.
    #[inline]
    fn drawn(&self, draw: u64) -> u32 {
        // SplitMix64 by number, so that a refused insert can go back.
        let word = mix64(self.words.kicks.wrapping_add(draw.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        reduce(word, T::SLOTS.into()) as u32
    }

    /// Both buckets are full: fingerprints are moved to their other buckets until one finds room. If none does
    /// within [`MAX_KICKS`] moves all are undone, so that nothing but the key at hand is refused.
    #[inline(never)]
    fn kick(&mut self, place: Place) -> bool {
        // What was put where: only for tables that do not tell, because making it costs more than a move.
        let mut trail = Vec::new();
        let Place { mut fingerprint, buckets: [mut bucket, _] } = place;
        let mut draw = self.draws;
        for _ in 0..MAX_KICKS {
            if !T::STAYS {
                trail.push(fingerprint);
            }
            fingerprint = self.table.push(bucket, self.drawn(draw), fingerprint);
            if fingerprint == 0 {
                self.draws = draw;
                return true;
            }
            draw += 1;
            bucket = self.partner(bucket, fingerprint);
        }
        if self.table.put(bucket, fingerprint) {
            self.draws = draw;
            return true;
        }
        for _ in 0..MAX_KICKS {
            bucket = self.partner(bucket, fingerprint);
            draw -= 1;
            fingerprint = self.table.pull(bucket, self.drawn(draw), trail.pop(), fingerprint);
        }
        false
    }
}

impl<T: Table, P: Pairing> Filter for Cuckoo<T, P> {
    type Params = Params;

    fn params(&self) -> &Params {
        &self.params
    }

    #[inline]
    fn contains(&self, key: Digest) -> bool {
        self.holds(self.place(key))
    }

    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        assert_eq!(keys.len(), out.len(), "one answer for each key");
        let mut places = [Place::default(); BLOCK];
        for (keys, answers) in keys.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            for (place, answer) in self.locate(keys, &mut places).iter().zip(answers) {
                *answer = self.holds(*place);
            }
        }
    }

    fn count_contained(&self, keys: &[Digest]) -> u64 {
        let mut places = [Place::default(); BLOCK];
        let mut count = 0;
        for keys in keys.chunks(BLOCK) {
            count += self.locate(keys, &mut places).iter().map(|place| u64::from(self.holds(*place))).sum::<u64>();
        }
        count
    }

    fn space(&self) -> Space {
        self.table.bits().space()
    }
}

impl<T: Table, P: Pairing> IncrementalFilter for Cuckoo<T, P> {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        let params = check::<T, P>(params.buckets, params.fingerprint_bits.into())?;
        Ok(Self {
            params,
            fingerprints: params.fingerprints(),
            seed,
            words: Words::new(seed),
            table: T::empty(params.buckets, params.fingerprint_bits)?,
            draws: 0,
            count: KeyCount::default(),
            stored: 0,
            pairing: PhantomData,
        })
    }

    #[inline]
    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        self.add(self.place(key))
    }

    fn insert_batch(&mut self, keys: &[Digest]) -> Result<(), Full> {
        let mut places = [Place::default(); BLOCK];
        keys.chunks(BLOCK)
            .try_for_each(|keys| self.locate(keys, &mut places).iter().try_for_each(|place| self.add(*place)))
    }

    fn inserted(&self) -> u64 {
        self.count.inserted()
    }

    fn clear(&mut self) {
        self.table.clear();
        self.draws = 0;
        self.count.clear();
        self.stored = 0;
    }
}

impl<T: Table, P: Pairing> DeletableFilter for Cuckoo<T, P> {
    #[inline]
    fn remove(&mut self, key: Digest) -> Removal {
        let Place { fingerprint, buckets } = self.place(key);
        if self.table.take_either(buckets, fingerprint) {
            self.stored -= 1;
            return Removal::Removed;
        }
        Removal::Absent
    }
}

impl<T: Table, P: Pairing> NoFalseNegatives for Cuckoo<T, P> {}

/// The parameters, if they are in range.
pub(crate) fn check<T: Table, P: Pairing>(buckets: u64, fingerprint_bits: u64) -> Result<Params, InvalidParams> {
    let buckets = P::check(buckets)?;
    match u32::try_from(fingerprint_bits) {
        Ok(fingerprint_bits) if (T::MIN_BITS..=32).contains(&fingerprint_bits) => {
            Ok(Params { buckets, fingerprint_bits })
        }
        _ => Err(InvalidParams::OutOfRange {
            name: "fingerprint_bits",
            value: fingerprint_bits.into(),
            allowed: T::ALLOWED_BITS,
        }),
    }
}
