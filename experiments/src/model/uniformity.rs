//! How evenly a hash family spreads a workload: digests into buckets by their high bits (`multiply-shift`) or
//! their low bits (`modulo`).

use hashing::Hasher;
use hashing::derive::{MultiplyShift, Reduction};

use super::Point;
use crate::error::HarnessError;
use crate::keys::{CHUNK, KeySet};
use crate::record::Record;
use crate::spec::Scalar;

pub(super) fn measure(point: &Point, record: &mut Record) -> Result<(), HarnessError> {
    let spec = &point.spec;
    let buckets = spec.factors.get("buckets").and_then(Scalar::number).and_then(amq::Number::as_u64).unwrap_or(1024);
    if !(2..=1 << 24).contains(&buckets) {
        return Err(HarnessError::Usage(format!("buckets = {buckets} is out of range: 2 to 2^24")));
    }
    let low = spec.factor("reduction").as_deref() == Some("modulo");
    let mut counts = vec![0u64; buckets as usize];
    let keys = KeySet::new(spec.workload.clone(), spec.keys, point.key_seed(0));
    let hasher = Hasher::new(spec.family, point.hash_seed(0));
    let mut digests = Vec::with_capacity(CHUNK as usize);
    for start in (0..spec.keys).step_by(CHUNK as usize) {
        digests.clear();
        keys.member_digests(start..(start + CHUNK).min(spec.keys), &hasher, &mut digests)?;
        for digest in &digests {
            let index = if low { digest.0 % buckets } else { MultiplyShift::leave(digest.0, buckets) };
            counts[index as usize] += 1;
        }
    }
    record.probes = Some(spec.keys);
    record.buckets = Some(buckets);
    record.bucket_counts_squared = Some(counts.iter().map(|count| count * count).sum());
    Ok(())
}
