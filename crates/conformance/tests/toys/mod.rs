//! A filter small enough to see through: a table of counters, one for each of `2^width` fingerprints, and room for
//! `capacity` keys. Its rate has a closed form, it can do everything the traits know, and a [`Fault`] breaks it in
//! one place.

use std::marker::PhantomData;

use amq::{
    BuildError, Claim, Class, DecodeError, DeletableFilter, Digest, Encode, Filter, Full, Given, Incompatible,
    IncrementalFilter, InvalidParams, KeyCount, NamedValue, NoFalseNegatives, ParamInfo, Prediction, Removal, Space,
    StaticFilter, Theory, Union,
};
use saved::{Fields, Payload, Save, Variant, Writer};
use serde::{Deserialize, Serialize};
use stats::occupancy;

/// What is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    None,
    DropsOneIn10000,
    SaysYesWhenEmpty,
    FailedInsertEvicts,
    FailedInsertCounts,
    BatchInsertSkipsLast,
    BatchInsertGoesOn,
    BatchDiffersAtNine,
    BatchLeavesNo,
    BatchTakesAnyLength,
    CountMissesLast,
    ForgetsRepeatOnCount,
    IgnoresSeed,
    TakesAnotherSeedEachTime,
    ClearKeepsOneKey,
    ClearKeepsCount,
    ClearBreaksInserts,
    LosesParams,
    UnderstatesSpace,
    OverflowsSpace,
    BudgetIgnored,
    TargetIgnored,
    UnionLosesKey,
    UnionTakesAnySeed,
    UnionTakesAnyWidth,
    UnionMovesOnRefusal,
    UnionNamesNothing,
    UnionTakesMost,
    RemoveClearsShared,
    RemoveAbsentTakesNext,
    RemoveAbsentSaysRemoved,
    RemoveDoesNothing,
    RemoveMissesMember,
    RemoveRefusesAll,
    RemoveLeavesMore,
    RemoveLowersStuckAt15,
    RemoveLowersStuckAt255,
    RemoveLowersStuckAt65535,
    RemoveBatchMiscounts,
    RemoveBatchSkipsLast,
    BuildPanicsOnDuplicates,
    BuildFailsOnFewKeys,
    BuildLosesConsecutive,
    RateOffBy15Percent,
    RateAboveOne,
    RateFalls,
    ContentsOffBy15Percent,
    AcceptsBadRate,
    AcceptsBadBudget,
    PanicsOnNan,
    AcceptsAbsurdKeys,
    RefusesNoKeys,
    SpreadNegative,
    NamesTwice,
    WireLosesLastKey,
    WireReadsNothing,
    WireSizeWithoutHeader,
    WireTakesDamage,
    SavedLosesLastKey,
    SavedReadsNothing,
    SavedHasClock,
    SavedForgetsState,
    SavedTakesPadding,
}

/// A fault at compile time.
pub trait Fault: Copy + std::fmt::Debug + Send + Sync + 'static {
    const KIND: Kind;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Params {
    pub width: u32,
    pub capacity: u64,
    /// Survives JSON only in a sound toy.
    #[serde(default)]
    pub tag: u32,
}

impl Params {
    pub fn new(width: u32, capacity: u64) -> Self {
        Self { width, capacity, tag: 0 }
    }
}

#[derive(Clone, Debug)]
pub struct Toy<X: Fault> {
    params: Params,
    reported: Params,
    seed: u64,
    counters: Vec<u32>,
    inserted: u64,
    cleared: bool,
    fault: PhantomData<X>,
}

impl<X: Fault> Toy<X> {
    fn is(kind: Kind) -> bool {
        X::KIND == kind
    }

    fn slot(&self, key: Digest) -> usize {
        let seed = if Self::is(Kind::IgnoresSeed) { 0 } else { self.seed };
        // A multiplication by an odd word of the seed, high bits kept; the key is folded before.
        let odd = seed.wrapping_mul(2).wrapping_add(0x5851_f42d_4c95_7f2d);
        let word = (key.0 ^ key.0 >> 32 ^ seed.wrapping_mul(0x9e37_79b9)).wrapping_mul(odd);
        (word >> (64 - self.params.width)) as usize
    }

    fn occupied(&self) -> u64 {
        self.counters.iter().filter(|counter| **counter > 0).count() as u64
    }

    fn full(&self) -> Full {
        Full { inserted: self.inserted, capacity: self.params.capacity }
    }
}

impl<X: Fault> Filter for Toy<X> {
    type Params = Params;

    #[allow(clippy::misnamed_getters, reason = "one of the faults reports others")]
    fn params(&self) -> &Params {
        &self.reported
    }

    fn contains(&self, key: Digest) -> bool {
        if Self::is(Kind::SaysYesWhenEmpty) && key.0 % 10_000 == 7 {
            return true;
        }
        self.counters[self.slot(key)] > 0
    }

    fn contains_batch(&self, keys: &[Digest], out: &mut [bool]) {
        if !Self::is(Kind::BatchTakesAnyLength) {
            assert_eq!(keys.len(), out.len(), "one answer for each key");
        }
        for (index, (key, answer)) in keys.iter().zip(out).enumerate() {
            let yes = self.contains(*key);
            match X::KIND {
                Kind::BatchDiffersAtNine if keys.len() > 9 && index == 9 => *answer = !yes,
                Kind::BatchLeavesNo if !yes => {}
                _ => *answer = yes,
            }
        }
    }

    fn count_contained(&self, keys: &[Digest]) -> u64 {
        let keys = if Self::is(Kind::CountMissesLast) { &keys[..keys.len().saturating_sub(1)] } else { keys };
        keys.iter().map(|key| u64::from(self.contains(*key))).sum()
    }

    fn space(&self) -> Space {
        let bits = self.counters.len() as u64;
        match X::KIND {
            Kind::UnderstatesSpace => Space { payload_bits: bits / 64, overhead_bits: 0 },
            Kind::OverflowsSpace => Space { payload_bits: u64::MAX, overhead_bits: bits },
            _ => Space { payload_bits: bits, overhead_bits: 31 * bits },
        }
    }
}

impl<X: Fault> IncrementalFilter for Toy<X> {
    fn empty(params: &Params, seed: u64) -> Result<Self, InvalidParams> {
        if !(1..=24).contains(&params.width) {
            return Err(InvalidParams::OutOfRange { name: "width", value: params.width.into(), allowed: "1 to 24" });
        }
        let mut reported = *params;
        if Self::is(Kind::LosesParams) {
            reported.tag += 1;
        }
        let drift = u64::from(Self::is(Kind::TakesAnotherSeedEachTime)) * tick();
        let counters = vec![0; 1 << params.width];
        Ok(Self {
            params: *params,
            reported,
            seed: seed.wrapping_add(drift),
            counters,
            inserted: 0,
            cleared: false,
            fault: PhantomData,
        })
    }

    fn insert(&mut self, key: Digest) -> Result<(), Full> {
        let slot = self.slot(key);
        if self.inserted >= self.params.capacity {
            let full = self.full();
            if Self::is(Kind::FailedInsertEvicts)
                && let Some(victim) = self.counters.iter().position(|counter| *counter == 1)
            {
                self.counters[victim] = 0;
                self.counters[slot] += 1;
            }
            self.inserted += u64::from(Self::is(Kind::FailedInsertCounts));
            return Err(full);
        }
        let repeated = self.counters[slot] > 0;
        if Self::is(Kind::DropsOneIn10000) && key.0 % 10_000 == 7
            || (Self::is(Kind::ClearBreaksInserts) || Self::is(Kind::SavedForgetsState)) && self.cleared
        {
            self.inserted += 1;
            return Ok(());
        }
        let ceiling = match X::KIND {
            Kind::RemoveLowersStuckAt15 => 15,
            Kind::RemoveLowersStuckAt255 => 255,
            Kind::RemoveLowersStuckAt65535 => 65_535,
            _ => u32::MAX,
        };
        self.counters[slot] = (self.counters[slot] + 1).min(ceiling);
        self.inserted += u64::from(!(Self::is(Kind::ForgetsRepeatOnCount) && repeated));
        Ok(())
    }

    fn insert_batch(&mut self, keys: &[Digest]) -> Result<(), Full> {
        match X::KIND {
            Kind::BatchInsertSkipsLast if keys.len() > 3 => {
                keys[..keys.len() - 1].iter().try_for_each(|key| self.insert(*key))?;
                self.inserted += u64::from(self.inserted < self.params.capacity);
                Ok(())
            }
            Kind::BatchInsertGoesOn => {
                for key in keys {
                    let _refused = self.insert(*key);
                }
                Ok(())
            }
            _ => keys.iter().try_for_each(|key| self.insert(*key)),
        }
    }

    fn inserted(&self) -> u64 {
        self.inserted
    }

    fn clear(&mut self) {
        let kept = self.counters.iter().position(|counter| *counter > 0).filter(|_| Self::is(Kind::ClearKeepsOneKey));
        self.counters.fill(0);
        if let Some(slot) = kept {
            self.counters[slot] = 1;
        }
        self.cleared = true;
        if !Self::is(Kind::ClearKeepsCount) {
            self.inserted = 0;
        }
    }
}

impl<X: Fault> DeletableFilter for Toy<X> {
    fn remove(&mut self, key: Digest) -> Removal {
        let slot = self.slot(key);
        if self.counters[slot] == 0 || Self::is(Kind::RemoveMissesMember) && key.0 % 100 == 7 {
            if Self::is(Kind::RemoveAbsentTakesNext)
                && let Some(victim) = self.counters.iter_mut().find(|counter| **counter > 0)
            {
                *victim = 0;
            }
            return if Self::is(Kind::RemoveAbsentSaysRemoved) { Removal::Removed } else { Removal::Absent };
        }
        match X::KIND {
            Kind::RemoveClearsShared => self.counters[slot] = 0,
            Kind::RemoveDoesNothing => {}
            Kind::RemoveRefusesAll => return Removal::Refused,
            Kind::RemoveLeavesMore => {
                self.counters[slot] -= 1;
                let next = (slot + 1) % self.counters.len();
                self.counters[next] += 1;
            }
            _ => self.counters[slot] -= 1,
        }
        self.inserted = self.inserted.saturating_sub(1);
        Removal::Removed
    }

    fn remove_batch(&mut self, keys: &[Digest]) -> u64 {
        let (last, first) = match (X::KIND, keys.split_last()) {
            // Counted as if it had been taken out.
            (Kind::RemoveBatchSkipsLast, Some((last, first))) => (u64::from(self.contains(*last)), first),
            _ => (0, keys),
        };
        let removed: u64 = first.iter().map(|key| u64::from(self.remove(*key) == Removal::Removed)).sum();
        if Self::is(Kind::RemoveBatchMiscounts) { keys.len() as u64 } else { removed + last }
    }
}

impl<X: Fault> Union for Toy<X> {
    fn union(&mut self, other: &Self) -> Result<(), Incompatible> {
        if self.params != other.params && !(Self::is(Kind::UnionTakesAnyWidth)) {
            if Self::is(Kind::UnionMovesOnRefusal) {
                self.counters.fill(1);
            }
            let left = self.params.width.into();
            let right = if Self::is(Kind::UnionNamesNothing) { left } else { other.params.width.into() };
            return Err(Incompatible { property: "width", left, right });
        }
        if self.seed != other.seed && !Self::is(Kind::UnionTakesAnySeed) {
            return Err(Incompatible { property: "seed", left: self.seed.into(), right: other.seed.into() });
        }
        let last = other.counters.iter().rposition(|counter| *counter > 0).unwrap_or(0);
        for (slot, (counter, more)) in self.counters.iter_mut().zip(&other.counters).enumerate() {
            match X::KIND {
                Kind::UnionLosesKey if slot == last => {}
                Kind::UnionTakesMost => *counter = (*counter).max(*more),
                _ => *counter += more,
            }
        }
        self.inserted += other.inserted;
        Ok(())
    }
}

impl<X: Fault> NoFalseNegatives for Toy<X> {}

/// 64-bit words: width, capacity, tag, seed, keys, each counter, and the sum of all of them.
impl<X: Fault> Encode for Toy<X> {
    fn encode(&self) -> Vec<u8> {
        let Params { width, capacity, tag } = self.params;
        let head = [width.into(), capacity, tag.into(), self.seed, self.inserted];
        let mut words: Vec<u64> = head.into_iter().chain(self.counters.iter().copied().map(u64::from)).collect();
        let last = words.iter().skip(5).rposition(|counter| *counter > 0).filter(|_| Self::is(Kind::WireLosesLastKey));
        if let Some(last) = last {
            words[5 + last] = 0;
        }
        words.push(words.iter().fold(0, |sum, word| sum.wrapping_mul(3).wrapping_add(*word)));
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    fn coded_bits(&self) -> u64 {
        8 * self.encode().len() as u64 - if Self::is(Kind::WireSizeWithoutHeader) { 320 } else { 0 }
    }

    fn decode(bytes: &[u8], most_bits: u64) -> Result<Self, DecodeError> {
        let cut = |needed: usize| DecodeError::Cut { needed: needed as u64, had: bytes.len() as u64 };
        let (words, rest) = bytes.as_chunks::<8>();
        let mut words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let stored = words.pop().ok_or(cut(48))?;
        let computed = words.iter().fold(0, |sum: u64, word| sum.wrapping_mul(3).wrapping_add(*word));
        if !rest.is_empty() || words.len() < 5 || Self::is(Kind::WireReadsNothing) {
            return Err(cut(48));
        }
        if stored != computed && !Self::is(Kind::WireTakesDamage) {
            return Err(DecodeError::Checksum { stored: stored as u32, computed: computed as u32 });
        }
        let params = Params { width: words[0] as u32, capacity: words[1], tag: words[2] as u32 };
        let bits = 32u64.checked_shl(params.width).unwrap_or(u64::MAX);
        if bits > most_bits {
            return Err(DecodeError::TooLarge { bits, most: most_bits });
        }
        let mut filter = Self::empty(&params, words[3])?;
        let counters = words[5..].iter().map(|counter| *counter as u32);
        filter.counters.iter_mut().zip(counters).for_each(|(counter, read)| *counter = read);
        filter.inserted = words[4];
        Ok(filter)
    }
}

impl<X: Fault> Save for Toy<X> {
    const VARIANT: Variant =
        Variant { id: 0xffff, name: "toy", params: &["width", "capacity", "tag"], state: &["cleared", "clock"] };

    fn fields(&self) -> Fields {
        let Params { width, capacity, tag } = self.params;
        let clock = u64::from(Self::is(Kind::SavedHasClock)) * tick();
        let cleared = self.cleared && !Self::is(Kind::SavedForgetsState);
        let count = KeyCount::new(self.inserted, None);
        Fields::new(self.seed, count, &[width.into(), capacity, tag.into()], &[cleared.into(), clock])
    }

    fn fill(&self) -> f64 {
        self.occupied() as f64 / self.counters.len() as f64
    }

    fn write(&self, out: &mut Writer) -> Result<(), InvalidParams> {
        let last = self.counters.iter().rposition(|counter| *counter > 0).filter(|_| Self::is(Kind::SavedLosesLastKey));
        let counters = self.counters.iter().enumerate();
        let kept = counters.map(|(at, counter)| if Some(at) == last { 0 } else { u64::from(*counter) });
        out.values(32, self.counters.len() as u64, kept)
    }

    fn read(fields: &Fields, payload: Payload<'_>) -> Result<Self, DecodeError> {
        let ([width, capacity, tag], [cleared, clock]) = (fields.params()?, fields.state()?);
        let tag = if Self::is(Kind::SavedTakesPadding) { tag as u32 } else { saved::narrow("tag", tag)? };
        let params = Params { width: saved::narrow("width", width)?, capacity, tag };
        let bits = 32u64.checked_shl(params.width.min(63)).unwrap_or(u64::MAX);
        if Self::is(Kind::SavedReadsNothing) {
            return Err(DecodeError::Length { implied: 0, had: 1 });
        }
        let [part] = payload.parts([bits])?;
        let impossible = |what, value, why| Err(DecodeError::State { what, value, why });
        if cleared > 1 {
            return impossible("cleared", cleared, "it is or is not");
        }
        if clock != 0 && !Self::is(Kind::SavedHasClock) {
            return impossible("clock", clock, "there is none");
        }
        let (mut filter, planned) = (Self::empty(&params, fields.seed)?, fields.count.planned());
        if let Some(planned) = planned {
            return impossible("planned", planned, "toys have no plan");
        }
        filter.counters.iter_mut().zip(part.values(32)).for_each(|(counter, value)| *counter = value as u32);
        (filter.inserted, filter.cleared) =
            (fields.count.inserted(), cleared == 1 || Self::is(Kind::SavedForgetsState));
        Ok(filter)
    }
}

impl<X: Fault> StaticFilter for Toy<X> {
    fn build(params: &Params, seed: u64, keys: &[Digest]) -> Result<Self, BuildError> {
        let mut distinct = keys.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        if Self::is(Kind::BuildPanicsOnDuplicates) {
            assert_eq!(distinct.len(), keys.len(), "duplicate keys");
        }
        if Self::is(Kind::BuildFailsOnFewKeys) && distinct.len() == 1 {
            return Err(BuildError::Unbuildable { keys: 1, tries: 100 });
        }
        if Self::is(Kind::BuildLosesConsecutive) && distinct.windows(2).any(|pair| pair[0].0 + 1 == pair[1].0) {
            distinct.pop();
        }
        let mut filter = Self::empty(params, seed)?;
        for key in distinct {
            filter.insert(key)?;
        }
        Ok(filter)
    }
}

impl<X: Fault> Theory for Toy<X> {
    const PARAMS: &'static [ParamInfo] = &[ParamInfo { name: "width", meaning: "fingerprint bits", range: "1 to 24" }];
    const CLASS: Class = Class::Dynamic;

    fn size_for(keys: u64, bits_per_key: f64) -> Result<Params, InvalidParams> {
        let bad = bits_per_key.is_nan() || bits_per_key <= 0.0 || bits_per_key.is_infinite();
        if bad && !Self::is(Kind::AcceptsBadBudget) {
            return Err(InvalidParams::OutOfRange {
                name: "bits_per_key",
                value: bits_per_key.into(),
                allowed: "above 0",
            });
        }
        let slots = keys.max(1) as f64 * bits_per_key / 32.0;
        let width = slots.log2().floor() + if Self::is(Kind::BudgetIgnored) { 1.0 } else { 0.0 };
        fit(width, keys, bits_per_key, "bits_per_key")
    }

    fn size_for_fpr(keys: u64, fpr: f64) -> Result<Params, InvalidParams> {
        assert!(!(Self::is(Kind::PanicsOnNan) && fpr.is_nan()), "rate is NaN");
        let bad = !((1e-15..1.0).contains(&fpr) || Self::is(Kind::AcceptsBadRate) && fpr == 10.1);
        if bad || Self::is(Kind::RefusesNoKeys) && keys == 0 {
            return Err(InvalidParams::OutOfRange { name: "fpr", value: fpr.into(), allowed: "1e-15 to below 1" });
        }
        if Self::is(Kind::AcceptsAbsurdKeys) && keys >= 1 << 56 {
            return Ok(Params::new(10, keys));
        }
        let width = (keys.max(1) as f64 / fpr).log2().ceil() - if Self::is(Kind::TargetIgnored) { 1.0 } else { 0.0 };
        if keys > 1 << 50 {
            return Err(InvalidParams::TooLarge { bits: u64::MAX });
        }
        Ok(Params::new(width.clamp(1.0, 60.0) as u32, keys.max(1) + 1))
    }

    fn params_from(given: &Given, keys: u64) -> Result<Params, InvalidParams> {
        given.only(Self::PARAMS)?;
        Ok(Params::new(given.require_count("width", Self::PARAMS)? as u32, keys))
    }

    fn predicted_fpr(params: &Params, keys: u64) -> Prediction {
        let rate = occupancy::power_mean_occupied(1, 1 << params.width, keys);
        let rate = match X::KIND {
            Kind::RateOffBy15Percent => rate / 1.15,
            Kind::RateAboveOne if keys > 10 => 1.5,
            Kind::RateFalls => rate * (1.0 - rate),
            _ => rate,
        };
        Prediction { rate, claim: Claim::Exact, source: "one ball a key" }
    }

    fn rate_spread(params: &Params, keys: u64) -> f64 {
        let spread = occupancy::sd_power_occupied(1, 1 << params.width, keys);
        if Self::is(Kind::SpreadNegative) { -spread } else { spread }
    }

    fn rate_given_contents(&self) -> Option<f64> {
        let rate = self.occupied() as f64 / self.counters.len() as f64;
        Some(if Self::is(Kind::ContentsOffBy15Percent) { rate / 1.15 } else { rate })
    }

    fn named_values(params: &Params, keys: u64) -> Vec<NamedValue> {
        let row = |name, value| NamedValue { name, value, claim: Claim::Exact, source: "geometry" };
        let m = f64::from(params.width).exp2();
        let last = if Self::is(Kind::NamesTwice) { "m" } else { "fpr_exact" };
        vec![
            row("m", m),
            row("bits_per_key", 32.0 * m / keys as f64),
            row(last, Self::predicted_fpr(params, keys).rate),
        ]
    }
}

fn fit(width: f64, keys: u64, target: f64, what: &'static str) -> Result<Params, InvalidParams> {
    if !(1.0..=24.0).contains(&width) && !target.is_nan() && target > 0.0 && target.is_finite() {
        return Err(InvalidParams::Unreachable { what, target: target.into(), why: "1 to 24 bits of fingerprint" });
    }
    Ok(Params::new(width.clamp(1.0, 24.0) as u32, keys.max(1) + 1))
}

fn tick() -> u64 {
    static TICKS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    TICKS.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// Nothing is broken.
#[derive(Clone, Copy, Debug)]
pub struct Sound;
impl Fault for Sound {
    const KIND: Kind = Kind::None;
}
