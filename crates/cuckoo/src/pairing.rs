//! The two buckets of a fingerprint: from one bucket and the fingerprint alone to the other one, and back.
//!
//! A fingerprint has an *offset*, a hash of it; the partner of bucket `i` is an involution of `i` for each
//! offset, so that it does not matter which of the two buckets is at hand.

use std::fmt::Debug;

use amq::InvalidParams;

/// The most buckets: 2^48.
pub const MAX_BUCKETS: u64 = 1 << 48;

/// A way to pair buckets. `partner(partner(i, offset), offset) = i` for all, at every number of buckets allowed.
pub trait Pairing: Copy + Default + Debug + Send + Sync + 'static {
    /// The name in tables.
    const NAME: &'static str;
    /// The number in the saved form.
    const CODE: u64;

    /// Whether there may be so many buckets.
    ///
    /// # Errors
    /// [`InvalidParams::OutOfRange`] with the value.
    fn check(buckets: u64) -> Result<u64, InvalidParams>;

    /// The smallest allowed number of at least `buckets`, at which no bucket is its own partner if it can be avoided.
    fn at_least(buckets: u64) -> u64;

    /// The largest allowed number of at most `buckets` (at least 1), of the same kind.
    fn at_most(buckets: u64) -> u64;

    /// The buckets that are their own partner, for each offset.
    fn fixed(buckets: u64) -> u64;

    /// The offset of a hashed fingerprint.
    fn offset(word: u64, buckets: u64) -> u64;

    /// The other bucket.
    fn partner(bucket: u64, offset: u64, buckets: u64) -> u64;
}

/// `word` brought into `0..range`: the high word of the product (Lemire 2019).
#[inline]
pub(crate) fn reduce(word: u64, range: u64) -> u64 {
    ((u128::from(word) * u128::from(range)) >> 64) as u64
}

/// `(offset - i) mod buckets`: for every number of buckets.
///
/// An even number of buckets takes odd offsets only, so that the two buckets always differ (one is even, the other
/// odd). At an odd number each offset has one bucket that is its own partner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Subtract;

impl Pairing for Subtract {
    const NAME: &'static str = "subtract";
    const CODE: u64 = 1;

    fn check(buckets: u64) -> Result<u64, InvalidParams> {
        if (1..=MAX_BUCKETS).contains(&buckets) {
            return Ok(buckets);
        }
        Err(InvalidParams::OutOfRange { name: "buckets", value: buckets.into(), allowed: "1 to 2^48 buckets" })
    }

    fn at_least(buckets: u64) -> u64 {
        buckets.max(1).next_multiple_of(2)
    }

    fn at_most(buckets: u64) -> u64 {
        if buckets < 2 { 1 } else { buckets / 2 * 2 }
    }

    fn fixed(buckets: u64) -> u64 {
        buckets % 2
    }

    #[inline]
    fn offset(word: u64, buckets: u64) -> u64 {
        let even = (buckets & 1) ^ 1;
        let drawn = reduce(word, buckets >> even);
        drawn + (drawn & even.wrapping_neg()) + even
    }

    #[inline]
    fn partner(bucket: u64, offset: u64, buckets: u64) -> u64 {
        let (difference, below) = offset.overflowing_sub(bucket);
        difference.wrapping_add(buckets & u64::from(below).wrapping_neg())
    }
}

/// `i xor offset`, the pairing of the paper: for powers of two. Offsets are never 0 where there are two buckets or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xor;

impl Pairing for Xor {
    const NAME: &'static str = "xor";
    const CODE: u64 = 2;

    fn check(buckets: u64) -> Result<u64, InvalidParams> {
        if buckets.is_power_of_two() && buckets <= MAX_BUCKETS {
            return Ok(buckets);
        }
        Err(InvalidParams::OutOfRange {
            name: "buckets",
            value: buckets.into(),
            allowed: "a power of two from 1 to 2^48: with other numbers exclusive or is no pairing",
        })
    }

    fn at_least(buckets: u64) -> u64 {
        buckets.max(2).checked_next_power_of_two().unwrap_or(1 << 63)
    }

    fn at_most(buckets: u64) -> u64 {
        1 << buckets.max(1).ilog2()
    }

    fn fixed(buckets: u64) -> u64 {
        u64::from(buckets == 1)
    }

    #[inline]
    fn offset(word: u64, buckets: u64) -> u64 {
        let more = u64::from(buckets > 1);
        reduce(word, buckets - more) + more
    }

    #[inline]
    fn partner(bucket: u64, offset: u64, _buckets: u64) -> u64 {
        bucket ^ offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every bucket and offset of all small tables: an involution within the table, with as many fixed buckets as said.
    fn is_a_pairing<P: Pairing>(buckets: u64) {
        for step in 0..=4 * buckets {
            let word = (u128::from(u64::MAX) * u128::from(step) / u128::from(4 * buckets)) as u64;
            let offset = P::offset(word, buckets);
            assert!(offset < buckets, "{} of {buckets}: offset {offset}", P::NAME);
            let mut fixed = 0;
            for bucket in 0..buckets {
                let partner = P::partner(bucket, offset, buckets);
                assert!(partner < buckets, "{} of {buckets}: {bucket}, {offset}", P::NAME);
                assert_eq!(P::partner(partner, offset, buckets), bucket, "{} of {buckets}", P::NAME);
                fixed += u64::from(partner == bucket);
            }
            assert_eq!(fixed, P::fixed(buckets), "{} of {buckets}, offset {offset}", P::NAME);
        }
    }

    #[test]
    fn every_pairing_is_an_involution() {
        (1..=130).for_each(is_a_pairing::<Subtract>);
        (0..=7).for_each(|power| is_a_pairing::<Xor>(1 << power));
    }

    #[test]
    fn pairings_of_large_tables() {
        for buckets in [MAX_BUCKETS, MAX_BUCKETS - 1, (1 << 33) + 12_345, 3] {
            for word in [0, 1, u64::MAX, u64::MAX / 3, 0x9e37_79b9_7f4a_7c15] {
                let offset = Subtract::offset(word, buckets);
                for bucket in [0, 1, buckets / 2, buckets - 1, offset.min(buckets - 1)] {
                    let partner = Subtract::partner(bucket, offset, buckets);
                    assert!(
                        partner < buckets
                            && (u128::from(partner) + u128::from(bucket)) % u128::from(buckets) == u128::from(offset)
                    );
                    assert_eq!(Subtract::partner(partner, offset, buckets), bucket);
                }
            }
        }
    }

    #[test]
    fn numbers_of_buckets() {
        assert!(Subtract::check(0).is_err() && Subtract::check(MAX_BUCKETS + 1).is_err());
        assert!(Xor::check(0).is_err() && Xor::check(100).is_err() && Xor::check(1 << 49).is_err());
        assert_eq!((Subtract::check(100), Xor::check(128)), (Ok(100), Ok(128)));
        assert_eq!(
            (Subtract::at_least(0), Subtract::at_least(3), Subtract::at_most(3), Subtract::at_most(1)),
            (2, 4, 2, 1)
        );
        assert_eq!((Xor::at_least(0), Xor::at_least(5), Xor::at_most(5), Xor::at_most(1)), (2, 8, 4, 1));
    }
}
