//! Laws of filters with a saved form.

use ::saved::{self, CHECKSUM_BYTES, HEAD_BYTES, Save};
use amq::Digest;

use super::{absent, no_panic};
use crate::case::Case;
use crate::keys::digests;
use crate::violation::Violation;

/// Up to this length every byte is replaced by every other one.
const SMALL: usize = 2048;
/// The most bytes that are changed in files that are longer, spread over the file.
const PLACES: usize = 8192;

fn save<F: Save>(filter: &F) -> Result<Vec<u8>, Violation> {
    no_panic("save", || saved::save(filter))?.map_err(Violation::Unsaved)
}

/// The filter that is loaded from what `filter` is saved as; saved again it is the same bytes.
///
/// # Errors
/// [`Violation::Unsaved`], [`Violation::SavedUnread`], [`Violation::SavedDiffers`].
pub fn reload<F: Save>(filter: &F) -> Result<F, Violation> {
    let bytes = save(filter)?;
    let back: F = no_panic("load", || saved::load(&bytes))?.map_err(Violation::SavedUnread)?;
    if save(&back)? != bytes {
        return Err(Violation::SavedDiffers { what: "the saved form" });
    }
    Ok(back)
}

/// A filter that is saved and loaded is that filter: parameters, space, fill, all answers, and the saved form again; for no
/// keys, one, and all of the case's.
///
/// # Errors
/// As [`reload`].
pub fn loading_undoes_saving<F: Save>(case: &Case<F>) -> Result<(), Violation> {
    for (seed, size) in [0, 1, case.keys].into_iter().enumerate() {
        let keys = digests(seed as u64, 0..size);
        let filter = case.filter(seed as u64, &keys)?;
        let back = reload(&filter)?;
        for (what, equal) in [
            ("the parameters", filter.params() == back.params()),
            ("the space", filter.space() == back.space()),
            ("the fill", filter.fill() == back.fill()),
            ("the range of the fill", (0.0..=1.0).contains(&filter.fill())),
            (
                "the answer for a key",
                keys.into_iter().chain(absent()).all(|key| filter.contains(key) == back.contains(key)),
            ),
        ] {
            if !equal {
                return Err(Violation::SavedDiffers { what });
            }
        }
    }
    Ok(())
}

/// Filters of equal parameters, seed and keys have the same saved form, and one of another seed has another.
///
/// # Errors
/// [`Violation::SavedDiffers`].
pub fn equal_filters_save_alike<F: Save>(case: &Case<F>) -> Result<(), Violation> {
    let keys = digests(0, 0..case.keys);
    let bytes = save(&case.filter(7, &keys)?)?;
    if bytes != save(&case.filter(7, &keys)?)? {
        return Err(Violation::SavedDiffers { what: "the bytes of two equal filters" });
    }
    if bytes == save(&case.filter(8, &keys)?)? {
        return Err(Violation::SavedDiffers { what: "nothing, though they have two seeds" });
    }
    Ok(())
}

/// A loaded filter takes, refuses and removes further keys as the one that was saved, up to the last bit: from none, one, half
/// and all of the case's keys on, with a third of them removed where the filter can, twice the case's keys more.
///
/// Filters that are built from all their keys have no operations that change them, and are left to the other laws.
///
/// # Errors
/// [`Violation::SavedDiffers`], and as [`reload`].
pub fn a_loaded_filter_has_the_same_future<F: Save>(case: &Case<F>) -> Result<(), Violation> {
    let Some(insert) = case.insert else { return Ok(()) };
    let differs = |what| Err(Violation::SavedDiffers { what });
    for (seed, size) in [0, 1, case.keys / 2, case.keys].into_iter().enumerate() {
        let keys = digests(seed as u64, 0..size + 2 * case.keys + 64);
        let (before, after) = keys.split_at(size as usize);
        let mut left = case.filter(seed as u64, before)?;
        if let Some(remove) = case.remove {
            before.iter().step_by(3).for_each(|key| _ = remove(&mut left, *key));
        }
        let mut right = reload(&left)?;
        for (index, key) in after.iter().enumerate() {
            if insert(&mut left, *key) != insert(&mut right, *key) {
                return differs("what becomes of a further insert");
            }
            // Members, and keys that are gone already: what matters is that both do the same.
            if let Some(remove) = case.remove.filter(|_| index % 2 == 0)
                && remove(&mut left, keys[index]) != remove(&mut right, keys[index])
            {
                return differs("what becomes of a removal");
            }
        }
        if keys.iter().chain(&absent()).any(|key: &Digest| left.contains(*key) != right.contains(*key)) {
            return differs("the answer for a key, after further operations");
        }
        if save(&left)? != save(&right)? {
            return differs("the saved form, after further operations");
        }
    }
    Ok(())
}

/// The same bytes with a checksum that is right, as somebody who lies would write it.
#[must_use]
pub fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let body = bytes.len().saturating_sub(CHECKSUM_BYTES);
    bytes.truncate(body);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Bytes that lie, with a right checksum, are an error or the saved form of the very filter that is made of them, in memory of
/// at most ten times their length.
fn error_or_sound<F: Save>(bytes: &[u8], byte: usize) -> Result<(), Violation> {
    let Ok(filter) = no_panic("load", || saved::load::<F>(bytes))? else { return Ok(()) };
    if save(&filter)? != bytes {
        return Err(Violation::FileAccepted { damage: "a change that is lost", byte });
    }
    if filter.memory_bits() > 80 * bytes.len() as u64 {
        return Err(Violation::FileAccepted { damage: "a filter it does not back", byte });
    }
    Ok(())
}

/// Of a saved form every prefix, every single changed byte and every longer form is refused. With the checksum made right a
/// changed byte or a changed number of the header is refused, or gives the filter that has exactly this saved form.
///
/// Every byte is replaced by every other one in files of up to 2 KiB; in longer ones by ten others, in 8192 places at the most.
///
/// # Errors
/// [`Violation::FileAccepted`], [`Violation::Panicked`].
pub fn damaged_files_are_refused<F: Save>(case: &Case<F>) -> Result<(), Violation> {
    let (filter, _) = case.filled(1, 0)?;
    let mut bytes = save(&filter)?;
    let refused = |damaged: &[u8], damage, byte| {
        let accepted = no_panic("load", || saved::load::<F>(damaged))?.is_ok();
        if accepted { Err(Violation::FileAccepted { damage, byte }) } else { Ok(()) }
    };
    for end in 0..bytes.len() {
        refused(&bytes[..end], "a cut", end)?;
    }
    for more in [1, 8, 1000] {
        let longer = [bytes.as_slice(), &vec![0; more]].concat();
        refused(&longer, "more at the end", bytes.len())?;
    }
    let few: Vec<u8> = (0..8).map(|bit| 1 << bit).chain([0xff, 0x5a]).collect();
    let all: Vec<u8> = (1..=0xff).collect();
    let (flips, step) = if bytes.len() <= SMALL { (&all, 1) } else { (&few, bytes.len().div_ceil(PLACES)) };
    for at in (0..bytes.len()).step_by(step) {
        for flip in flips {
            bytes[at] ^= flip;
            let result = refused(&bytes, "a changed byte", at);
            bytes[at] ^= flip;
            result?;
        }
        if at < bytes.len() - CHECKSUM_BYTES {
            for flip in [1 << (at % 8), 0xff, 0x80, bytes[at]].into_iter().filter(|flip| *flip != 0) {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                error_or_sound::<F>(&sealed(changed), at)?;
            }
        }
    }
    let words = F::VARIANT.params.len() + F::VARIANT.state.len();
    for at in (16..56).step_by(8).chain((HEAD_BYTES..).step_by(8).take(words)) {
        for lie in [0, 1, 64, 65, 1 << 16, 1 << 31, 64 << 31, 1 << 48, 1 << 60, 1 << 63, u64::MAX] {
            let mut changed = bytes.clone();
            changed[at..at + 8].copy_from_slice(&u64::to_le_bytes(lie));
            error_or_sound::<F>(&sealed(changed.clone()), at)?;
            // A file that ends after its header.
            changed.truncate(HEAD_BYTES + 8 * words + CHECKSUM_BYTES);
            error_or_sound::<F>(&sealed(changed), at)?;
        }
    }
    Ok(())
}
