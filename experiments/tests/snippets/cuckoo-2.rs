use amq::{BuildError, Digest, IncrementalFilter};

/// cuckoo-2 for 3000 keys: 9.557 bits a key, 0.01306 of absent keys are answered with yes.
/// `hashing::KeyHasher` and `hashing::Key::digest` make digests of keys.
pub fn filter_of(keys: &[Digest], seed: u64) -> Result<cuckoo::CuckooFilter<2>, BuildError> {
    let params = cuckoo::Params { buckets: 1790, fingerprint_bits: 8 };
    let mut filter: cuckoo::CuckooFilter<2> = IncrementalFilter::empty(&params, seed)?;
    filter.insert_batch(keys)?;
    Ok(filter)
}
