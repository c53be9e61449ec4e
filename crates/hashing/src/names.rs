//! What an error about an unknown name says.

/// The entry of `known` nearest to `given` by edit distance, the first of them on a tie.
pub(crate) fn nearest(given: &str, known: &[&'static str]) -> &'static str {
    let distance = |name: &&&'static str| strsim::damerau_levenshtein(given, name);
    known.iter().min_by_key(distance).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_the_nearest() {
        assert_eq!(nearest("xxh", &["sha256", "xxh3", "xxh64"]), "xxh3");
        assert_eq!(nearest("", &["sha256", "xxh3"]), "xxh3");
        assert_eq!(nearest("any", &[]), "");
    }
}
