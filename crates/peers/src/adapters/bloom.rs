//! Bloom filters: `fastbloom`, `fastbloom-rs`, `bloomfilter`.

use std::hash::BuildHasher;

use amq::{Class, InvalidParams, Prediction, Removal, Space};
use bloom_theory::MAX_PROBES;
use fastbloom_rs::{CountingBloomFilter, Deletable, FilterBuilder, Membership};
use foldhash::fast::FixedState;

use crate::models::array::{Array, ArrayParams, Positions, as_independent, check, doubled};
use crate::peer::{Growing, KeepsMembers, Model, Published, Removing};

/// All of it cells.
fn cells_of(bits: u64) -> Space {
    Space { payload_bits: bits, overhead_bits: 0 }
}

/// `fastbloom`: multiply-shift of a word that goes on by `rotate_left(5) + step`.
pub struct Rotated;

impl Positions for Rotated {
    fn probes(m: u64, keys: u64) -> u32 {
        fastbloom::optimal_hashes(m as usize, keys as usize).min(MAX_PROBES)
    }

    fn prediction(_params: ArrayParams, _keys: u64, independent: f64) -> Prediction {
        as_independent(independent)
    }
}

/// `fastbloom` with a hasher of its type.
pub struct FastbloomWith<S>(fastbloom::BloomFilter<S>);

/// `fastbloom` with the hasher it comes with, SipHash-1-3.
pub type Fastbloom = FastbloomWith<fastbloom::DefaultHasher>;

/// `fastbloom` with foldhash.
pub type FastbloomFoldhash = FastbloomWith<FixedState>;

impl<S: BuildHasher + Send + Sync> Published for FastbloomWith<S> {
    type Model = Array<Rotated>;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains(&key)
    }

    fn space(&self) -> Space {
        cells_of(self.0.num_bits() as u64)
    }

    fn rate_given_contents(&self) -> Option<f64> {
        let ones: u64 = self.0.as_slice().iter().map(|word| u64::from(word.count_ones())).sum();
        Some((ones as f64 / self.0.num_bits() as f64).powi(self.0.num_hashes() as i32))
    }
}

/// A hasher of a seed.
pub trait Seeded: BuildHasher + Send + Sync + Sized {
    /// The hasher of `seed`.
    fn seeded(seed: u64) -> Self;
}

impl Seeded for fastbloom::DefaultHasher {
    fn seeded(seed: u64) -> Self {
        // The inherent function of the same name, which takes the key of SipHash.
        fastbloom::DefaultHasher::seeded(&u128::from(seed).to_be_bytes())
    }
}

impl Seeded for FixedState {
    fn seeded(seed: u64) -> Self {
        FixedState::with_seed(seed)
    }
}

impl<S: Seeded> Growing for FastbloomWith<S> {
    fn empty(params: &ArrayParams, seed: u64) -> Result<Self, InvalidParams> {
        check::<Rotated>(*params)?;
        let builder = fastbloom::BloomFilter::with_num_bits(params.m as usize);
        Ok(Self(builder.hasher(S::seeded(seed)).hashes(params.k)))
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.0.insert(&key);
        true
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl<S: Seeded> KeepsMembers for FastbloomWith<S> {}

/// `fastbloom-rs`: double hashing modulo `m` with two hashes of XXH3, whose seeds are fixed. `CELL` bits a cell.
pub struct Doubled<const CELL: u64>;

impl<const CELL: u64> Positions for Doubled<CELL> {
    const CELL_BITS: u64 = CELL;
    const CLASS: Class = if CELL == 1 { Class::Static } else { Class::Dynamic };

    fn probes(m: u64, keys: u64) -> u32 {
        // The crate rounds up.
        (m as f64 * std::f64::consts::LN_2 / keys as f64).ceil().clamp(1.0, f64::from(MAX_PROBES)) as u32
    }

    fn prediction(params: ArrayParams, keys: u64, independent: f64) -> Prediction {
        doubled("modulo", params, keys, independent)
    }
}

/// `fastbloom-rs`, the Bloom filter.
pub struct FastbloomRs(fastbloom_rs::BloomFilter);

impl Published for FastbloomRs {
    type Model = Array<Doubled<1>>;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains(&key.to_le_bytes())
    }

    fn space(&self) -> Space {
        cells_of(64 * self.0.get_u64_array().len() as u64)
    }
}

impl Growing for FastbloomRs {
    fn empty(params: &ArrayParams, _seed: u64) -> Result<Self, InvalidParams> {
        check::<Doubled<1>>(*params)?;
        Ok(Self(fastbloom_rs::BloomFilter::new(FilterBuilder::from_size_and_hashes(params.m, params.k))))
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.0.add(&key.to_le_bytes());
        true
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl KeepsMembers for FastbloomRs {}

/// `fastbloom-rs`, counters of 4 bits.
pub struct FastbloomRsCounting(CountingBloomFilter);

impl Published for FastbloomRsCounting {
    type Model = Array<Doubled<4>>;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains(&key.to_le_bytes())
    }

    fn space(&self) -> Space {
        cells_of(64 * self.0.get_u64_array().len() as u64)
    }
}

impl Growing for FastbloomRsCounting {
    fn empty(params: &<Self::Model as Model>::Params, _seed: u64) -> Result<Self, InvalidParams> {
        check::<Doubled<4>>(*params)?;
        Ok(Self(CountingBloomFilter::new(FilterBuilder::from_size_and_hashes(params.m, params.k))))
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.0.add(&key.to_le_bytes());
        true
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl Removing for FastbloomRsCounting {
    /// The crate looks whether the key is in, and says nothing of it.
    #[inline]
    fn remove(&mut self, key: u64) -> Removal {
        let key = key.to_le_bytes();
        if !self.0.contains(&key) {
            return Removal::Absent;
        }
        self.0.remove(&key);
        Removal::Removed
    }
}

impl KeepsMembers for FastbloomRsCounting {}

/// `bloomfilter`: double hashing with two hashes of SipHash-1-3, modulo the largest prime below 2^64 and then modulo `m`.
pub struct WideDoubled;

impl Positions for WideDoubled {
    const GRAIN: u64 = 8;
    /// Version, length, probes and seed stand before the bits.
    const HEADER_BITS: u64 = 8 * (1 + 8 + 4 + 32);

    fn probes(m: u64, keys: u64) -> u32 {
        bloom_theory::sizing::guess_probes(m, keys)
    }

    fn prediction(params: ArrayParams, keys: u64, independent: f64) -> Prediction {
        doubled("wide-modulo", params, keys, independent)
    }
}

/// `bloomfilter`.
pub struct Bloomfilter(bloomfilter::Bloom<u64>);

impl Published for Bloomfilter {
    type Model = Array<WideDoubled>;

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.check(&key)
    }

    fn space(&self) -> Space {
        let payload_bits = self.0.len();
        Space { payload_bits, overhead_bits: 8 * self.0.as_slice().len() as u64 - payload_bits }
    }
}

impl Growing for Bloomfilter {
    fn empty(params: &ArrayParams, seed: u64) -> Result<Self, InvalidParams> {
        check::<WideDoubled>(*params)?;
        // The crate takes a number of keys and rounds `m / keys ln 2` to the probes.
        let keys = (params.m as f64 * std::f64::consts::LN_2 / f64::from(params.k)).round().max(1.0);
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[16..24].copy_from_slice(&(!seed).to_le_bytes());
        let made = bloomfilter::Bloom::new_with_seed((params.m / 8) as usize, keys as usize, &bytes);
        let filter = made.map_err(|_| InvalidParams::TooLarge { bits: params.m })?;
        if filter.number_of_hash_functions() != params.k {
            let allowed = "what the crate reaches: it rounds m / keys ln 2";
            return Err(InvalidParams::OutOfRange { name: "k", value: params.k.into(), allowed });
        }
        Ok(Self(filter))
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.0.set(&key);
        true
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl KeepsMembers for Bloomfilter {}
