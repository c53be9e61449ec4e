//! The numbers that stand for hash families and derivations in a header. A number, once given, is never given again.

use hashing::Family;

/// Hash families that give equal digests everywhere. `ahash` does not, and has no number.
pub const FAMILIES: &[(u8, Family)] = &[
    (1, Family::Xxh3),
    (2, Family::Murmur3X64_128),
    (3, Family::Murmur3X86_32),
    (4, Family::Xxh64),
    (5, Family::Fnv1a),
    (6, Family::SipHash13),
    (7, Family::SipHash24),
    (8, Family::Sha256),
    (16, Family::Mixer),
    (17, Family::Tabulation),
    (18, Family::MultiplyShift),
    (19, Family::AffinePrime),
    (20, Family::Identity),
    (21, Family::AddSeed),
];

/// Schemes of a derivation, by the name in [`hashing::SCHEMES`].
pub const SCHEMES: &[(u8, &str)] = &[
    (1, "independent"),
    (2, "double"),
    (3, "double-odd"),
    (4, "double-halves"),
    (5, "extended"),
    (6, "enhanced"),
    (7, "triple"),
    (8, "worm"),
    (9, "multiplicative"),
    (10, "reseeded"),
];

/// Reductions of a derivation, by the name in [`hashing::REDUCTIONS`].
pub const REDUCTIONS: &[(u8, &str)] = &[(1, "modulo"), (2, "wide-modulo"), (3, "multiply-shift")];

/// The number of `value` in a table; none where it has none.
pub fn code_of<T: PartialEq>(table: &[(u8, T)], value: &T) -> Option<u8> {
    table.iter().find(|(_, known)| known == value).map(|(code, _)| *code)
}

/// What a number stands for.
pub(crate) fn of_code<T: Copy>(table: &[(u8, T)], code: u8) -> Option<T> {
    table.iter().find(|(known, _)| *known == code).map(|(_, value)| *value)
}

/// A table in words, for messages.
pub(crate) fn known<T: std::fmt::Display>(table: &[(u8, T)]) -> String {
    table.iter().map(|(code, value)| format!("{code} {value}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every family that is stable, every scheme and every reduction there is has one number, above 0.
    #[test]
    fn everything_has_one_number() {
        for family in Family::ALL {
            assert_eq!(code_of(FAMILIES, family).is_some(), family.stable(), "{family}");
        }
        assert_eq!(SCHEMES.iter().map(|(_, name)| *name).collect::<Vec<_>>(), hashing::SCHEMES);
        assert_eq!(REDUCTIONS.iter().map(|(_, name)| *name).collect::<Vec<_>>(), hashing::REDUCTIONS);
        for codes in [
            FAMILIES.iter().map(|(code, _)| *code).collect::<Vec<_>>(),
            SCHEMES.iter().map(|(code, _)| *code).collect(),
            REDUCTIONS.iter().map(|(code, _)| *code).collect(),
        ] {
            let distinct: BTreeSet<u8> = codes.iter().copied().collect();
            assert_eq!(distinct.len(), codes.len());
            assert!(!distinct.contains(&0), "0 says that there is none");
        }
    }
}
