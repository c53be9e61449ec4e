//! Files that were saved once and are read for good.

use amq::{BuildError, Digest};
use hashing::{KeyHasher, Keyed};
use saved::Save;

use crate::case::Build;

/// Set to anything, the files of [`frozen!`](crate::frozen!) are written anew: for a new variant, or a new version of the form.
pub const FREEZE: &str = "BLOOMERY_FREEZE";
/// The seed of filter and keys in frozen files (HAND-30).
pub const SEED: u64 = 42;

/// The filter of the keys 1 to `keys`, hashed by the default of `u64`, all with seed 42.
///
/// # Errors
/// As the build.
pub fn example<F: Save>(params: &F::Params, keys: u64, build: Build<F>) -> Result<Keyed<F>, BuildError> {
    let hasher = KeyHasher::new(SEED);
    let digests: Vec<Digest> = (1..=keys).map(|key| hasher.u64(key)).collect();
    Ok(Keyed::new(build(params, SEED, &digests)?, hasher))
}

/// The keys up to 1000 that a filter says yes to.
#[must_use]
pub fn found<F: Save>(filter: &Keyed<F>) -> Vec<u64> {
    (0..=1000u64).filter(|key| filter.contains(key)).collect()
}

/// Makes tests of files in `tests/frozen` of the crate: each is, byte for byte, what a filter of seed 42 with the keys 1 to so
/// many is saved as today, and is read as that filter.
///
/// ```text
/// conformance::frozen! {
///     standard: standard::StandardBloom, standard::Params { m: 100, k: 3 } => 10, incremental;
/// }
/// ```
///
/// A line has the name of the file, type, parameters and number of keys, and how the filter is made, as in
/// [`suite!`](crate::suite). A file that is not there fails its test, which says how to write it.
#[macro_export]
macro_rules! frozen {
    ($($name:ident: $filter:ty, $params:expr => $keys:expr, $kind:ident;)+) => {
        mod frozen { $(
            mod $name {
                #[allow(unused_imports, reason = "what the lines are written with")]
                use super::super::*;

                #[test]
                fn hand_30_saved_bytes_are_frozen() {
                    let case = $crate::Case::<$filter>::$kind($params, $keys);
                    let filter = $crate::frozen::example(&case.params, case.keys, case.build).unwrap();
                    let bytes = saved::save_keyed(&filter).unwrap();
                    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frozen/", stringify!($name), ".amq");
                    if std::env::var_os($crate::frozen::FREEZE).is_some() {
                        std::fs::write(path, &bytes).unwrap();
                    }
                    let frozen = std::fs::read(path).unwrap_or_else(|error| {
                        panic!("{path}: {error}; {}=1 writes it", $crate::frozen::FREEZE)
                    });
                    assert_eq!(bytes, frozen);
                    let read = saved::load_keyed::<$filter>(&frozen).unwrap();
                    assert_eq!(read.hasher().seed(), $crate::frozen::SEED);
                    assert_eq!($crate::frozen::found(&read), $crate::frozen::found(&filter));
                }
            }
        )+ }
    };
}
