//! Studies of the cuckoo filter.

mod fill;
mod insert;
mod load;

pub use fill::FILL;
pub use insert::INSERT;
pub use load::{LEAST_BITS, LOAD};

use ::cuckoo::formulas::Classes;
use ::cuckoo::semisorted::SemiSorted;
use ::cuckoo::sizing::{classes, load_limit};
use ::cuckoo::table::{Slots, Table};
use ::cuckoo::{Cuckoo, CuckooFilter, Pairing, Params, Subtract, Xor};
use amq::{Digest, Filter, IncrementalFilter, InvalidParams};

use super::Case;
use crate::error::HarnessError;
use crate::keys::CHUNK;

/// A filter that is being filled, its type forgotten.
trait Filling {
    /// Inserts keys in order, up to the first refusal, and tells whether there was one.
    fn insert(&mut self, keys: &[Digest]) -> bool;
    /// How many of `keys` are answered with yes.
    fn hits(&self, keys: &[Digest]) -> u64;
    /// Fingerprints in the table.
    fn stored(&self) -> u64;
    /// Moves so far.
    fn kicks(&self) -> u64;
    /// Bits, as allocated.
    fn bits(&self) -> u64;
    /// The rate of this very filter.
    fn rate(&self) -> f64;
}

impl<T: Table, P: Pairing> Filling for Cuckoo<T, P> {
    fn insert(&mut self, keys: &[Digest]) -> bool {
        self.insert_batch(keys).is_err()
    }
    fn hits(&self, keys: &[Digest]) -> u64 {
        self.count_contained(keys)
    }
    fn stored(&self) -> u64 {
        Cuckoo::stored(self)
    }
    fn kicks(&self) -> u64 {
        Cuckoo::kicks(self)
    }
    fn bits(&self) -> u64 {
        self.space().total_bits()
    }
    fn rate(&self) -> f64 {
        self.rate_by_contents()
    }
}

/// Makes an empty filter of parameters and a seed.
type Empty = fn(&Params, u64) -> Result<Box<dyn Filling>, InvalidParams>;

/// What a contender's id says of its type.
#[derive(Clone, Copy)]
struct Form {
    id: &'static str,
    slots: u32,
    classes: fn(Params) -> Classes,
    empty: Empty,
}

const fn form<T: Table, P: Pairing>(id: &'static str) -> Form {
    Form {
        id,
        slots: T::SLOTS,
        classes: classes::<P>,
        empty: |params, seed| Ok(Box::new(Cuckoo::<T, P>::empty(params, seed)?)),
    }
}

/// The registry's cuckoo filters.
const FORMS: [Form; 6] = [
    form::<Slots<1>, Subtract>("cuckoo-1"),
    form::<Slots<2>, Subtract>("cuckoo-2"),
    form::<Slots<4>, Subtract>("cuckoo"),
    form::<Slots<8>, Subtract>("cuckoo-8"),
    form::<Slots<4>, Xor>("cuckoo-pow2"),
    form::<SemiSorted, Subtract>("cuckoo-semisorted"),
];

/// A table of a point, and what theory needs to know of it.
struct Geometry {
    form: Form,
    params: Params,
}

impl Geometry {
    fn of(case: &Case<'_>) -> Result<Self, HarnessError> {
        let id = case.spec().id.as_str();
        let form = FORMS.into_iter().find(|form| form.id == id).ok_or_else(|| {
            case.unfit(&format!("a cuckoo filter is needed: {}", FORMS.map(|form| form.id).join(", ")))
        })?;
        Ok(Self { form, params: case.params::<CuckooFilter>()? })
    }

    fn slots(&self) -> u64 {
        self.params.buckets * u64::from(self.form.slots)
    }

    fn classes(&self) -> Classes {
        (self.form.classes)(self.params)
    }

    /// The largest load that is planned for.
    fn limit(&self) -> f64 {
        load_limit(self.form.slots, self.params.buckets)
    }

    /// The same table with fingerprints of other bits.
    fn with_bits(&self, fingerprint_bits: u32) -> Self {
        Self { form: self.form, params: Params { fingerprint_bits, ..self.params } }
    }

    fn empty(&self, case: &Case<'_>) -> Result<Box<dyn Filling>, HarnessError> {
        (self.form.empty)(&self.params, case.seed("filter")).map_err(|error| case.unfit(&error.to_string()))
    }

    /// A table filled with the keys of this repetition, in order, until it refuses one.
    fn filled(&self, case: &Case<'_>) -> Result<Box<dyn Filling>, HarnessError> {
        let mut table = self.empty(case)?;
        for start in (0..).step_by(CHUNK as usize) {
            if table.insert(&case.digests(start, start + CHUNK)?) {
                break;
            }
        }
        Ok(table)
    }
}
